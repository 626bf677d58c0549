"""The parser from text to CEQL's syntax tree, with errors in the words of the language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.tree import Meta

from ...model.errors import DenotaError, Position, QueryError
from ...model.time import TimeKind, parse_duration
from ...rdf.syntax.errors import syntax_error
from ...rdf.syntax.tree_builder import Builder, at, builds, load_grammar, parse_text
from .scoping import faults, with_streams_told
from .tree import (
    And,
    AndCondition,
    Arithmetic,
    ArithmeticOperator,
    As,
    Attribute,
    AttributeType,
    CeqlQuery,
    Comparison,
    ComparisonOperator,
    Constant,
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventDeclaration,
    EventType,
    Filter,
    In,
    Interval,
    Iteration,
    Like,
    Literal,
    Name,
    Negative,
    Not,
    NotCondition,
    NotFormula,
    Or,
    OrCondition,
    Projection,
    Range,
    Selected,
    Strategy,
    StreamDeclaration,
    Term,
    VariableCondition,
    WindowUnit,
    Within,
    regular_expression,
)
from .tree import Sequence as Followed

WORDS = {
    **{
        name: name
        for name in ("ALL", "ANY", "STRICT", "NEXT", "LAST", "MAX", "NONE", "NOT", "PARTITION")
    },
    **{
        f"_{name}": name
        for name in (
            "SELECT", "FROM", "WHERE", "FILTER", "OR", "AS", "AND", "LIKE", "IN", "RANGE", "BY",
            "WITHIN", "CONSUME", "LIMIT", "CHECK", "CREATE", "DECLARE",
            "STREAM", "EVENT",
        )
    },
    "TRUE": "", "FALSE": "", "QUOTED_NAME": "", "REGEXP": "",
    "COMPARISON": "a comparison", "MORE": "", "FACTOR": "", "STAR": "",
    "STRING": "a string", "DURATION": "a duration", "OR_CONDITION": "OR",
}
"""The names of the grammar's terminals in messages."""

_CLAUSES = {
    "SELECT": "SELECT", "FROM": "FROM", "WHERE": "WHERE", "PARTITION": "PARTITION BY",
    "WITHIN": "WITHIN", "CONSUME": "CONSUME BY", "LIMIT": "LIMIT",
}
_OPENED = {"'": "string", '"': "string", "`": "name", "\u2018": "string", "\u2019": "string"}
_PASSED_OVER = re.compile(
    r"""--[^\n]*|/\*[\s\S]*?(?:\*/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|<<[\s\S]*?>>"""
)
_STRATEGY = re.compile(r"SELECT\s+(?:(\w+)\s+)?(\w+)\s*\Z", re.IGNORECASE)


def told_better(plain: QueryError, error: UnexpectedInput, text: str) -> QueryError | None:
    """Return the error that is behind a syntax error, where it is one that people make."""
    if isinstance(error, UnexpectedCharacters):
        return _unclosed(plain, text[error.pos_in_stream :][:2])
    if not isinstance(error, UnexpectedToken) or error.token.type == "$END":
        return None
    token = error.token
    if text.startswith("<<", token.start_pos or 0):
        return _unclosed(plain, "<<")
    before = _blanked(text[: token.start_pos or 0])
    return _misplaced_clause(plain, token, before) or _no_strategy(plain, token, before)


def _unclosed(plain: QueryError, begin: str) -> QueryError | None:
    what = "regular expression" if begin == "<<" else _OPENED.get(begin[:1])
    if what is None:
        return None
    message = f"the {what} that begins here has no end"
    return QueryError(message, source=plain.source, line=plain.line, column=plain.column)


def _misplaced_clause(plain: QueryError, token: Token, before: str) -> QueryError | None:
    keyword = str(token).upper()
    if keyword not in _CLAUSES:
        return None
    order = list(_CLAUSES)
    words = {word.upper() for word in re.findall(r"\w+", _outside_brackets(before))}
    given = [clause for clause in order if clause in words]
    if keyword in given:
        message = f"a second {_CLAUSES[keyword]} clause"
    else:
        later = [clause for clause in given if order.index(clause) > order.index(keyword)]
        if not later:
            return None
        names = ", ".join(_CLAUSES.values())
        message = (
            f"{_CLAUSES[keyword]} stands behind {_CLAUSES[later[0]]}: the order of the clauses is"
            f" {names}"
        )
    return QueryError(message, source=plain.source, line=plain.line, column=plain.column)


def _no_strategy(plain: QueryError, token: Token, before: str) -> QueryError | None:
    found = _STRATEGY.search(before) if str(token) == "*" else None
    if found is None:
        return None
    first, last = found.groups()
    known = ", ".join(Strategy)
    if first is not None and {first.upper(), last.upper()} <= set(Strategy):
        message = f"a second strategy, {last}"
    else:
        message = f"there is no strategy '{last}' (there is: {known})"
    start = found.start(2)
    line = before.count("\n", 0, start) + 1
    column = start - (before.rfind("\n", 0, start) + 1) + 1
    return QueryError(message, source=plain.source, line=line, column=column)


def _blanked(text: str) -> str:
    """Return the text with blanks for comments, strings and quoted names, every place as it was."""
    return _PASSED_OVER.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _outside_brackets(text: str) -> str:
    depth, kept = 0, []
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        kept.append(letter if depth == 0 else " ")
    return "".join(kept)


_TYPES = {
    "int": AttributeType.INT, "integer": AttributeType.INT, "long": AttributeType.INT,
    "double": AttributeType.DOUBLE, "float": AttributeType.DOUBLE,
    "string": AttributeType.STRING,
    "boolean": AttributeType.BOOLEAN, "bool": AttributeType.BOOLEAN,
    "primary_time": AttributeType.PRIMARY_TIME,
}
_OPERATORS = {"==": "=", "<>": "!="}
_LARGEST = 1 << 63
_START = ("query", "declaration")


def parse(text: str, *, source: str | None = "<query>") -> CeqlQuery:
    """Return the tree of a CEQL query; it may begin with CREATE STREAM declarations.

    Where it asks for S>R without saying so in its formula, R is read as S1>R OR S2>R …, see
    `scoping.with_streams_told`. Raises QueryError, with line and column, for what does not follow
    the grammar, for names that are given twice or that nothing has, and for what no tuple could
    satisfy by its form or by the declared types.
    """
    query = with_streams_told(cast(CeqlQuery, _parsed(text, "query", source)))
    for fault in faults(query):
        place = fault.position
        raise QueryError(fault.message, source=source, line=place.line, column=place.column)
    return query


def parse_declaration(text: str, *, source: str | None = "<declaration>") -> StreamDeclaration:
    """Return the tree of one CREATE STREAM (or DECLARE STREAM) declaration. Raises QueryError."""
    return _declared(text, source)


@lru_cache(maxsize=256)
def _declared(text: str, source: str | None) -> StreamDeclaration:
    return cast(StreamDeclaration, _parsed(text, "declaration", source))


def _parsed(text: str, start: str, source: str | None) -> Any:
    parser = load_grammar("ceql/syntax/grammar.lark", _START)
    return parse_text(parser, _Builder(source=source), text, start)


class _Clause(NamedTuple):
    """A clause of the query, by its keyword."""

    keyword: str
    value: Any
    position: Position = Position()


@builds({
    "names": tuple, "filter": Filter, "disjunction": Disjunction, "contiguous": Contiguous,
    "sequence": Followed, "iteration": Iteration, "contiguous_iteration": ContiguousIteration,
    "not_formula": NotFormula, "or_condition": OrCondition, "and_condition": AndCondition,
    "not_condition": NotCondition, "variable_condition": VariableCondition, "or_predicate": Or,
    "and_predicate": And, "not_predicate": Not, "in_range": Range, "interval": Interval,
    "attribute": Attribute,
})
class _Builder(Builder):
    """Adds CEQL's other rules."""

    def explain(self, error: UnexpectedInput, parser: Lark, text: str) -> QueryError:
        plain = syntax_error(error, parser, text, self.source, words=WORDS)
        return told_better(plain, error, text) or plain

    # --- the query and its clauses ---

    def check(self, children: Sequence[Any]) -> list[Any]:
        """CHECK { Q }: whether there is a result; one that shows it is enough."""
        *clauses, last = children
        if isinstance(last, _Clause) and last.keyword == "limit":
            return [*clauses, _Clause("limit", min(last.value, 1))]
        return [*children, _Clause("limit", 1)]

    @v_args(meta=True)
    def query(self, meta: Meta, children: Sequence[Any]) -> CeqlQuery:
        if isinstance(children[-1], list):
            *before, checked = children
            children = [*before, *checked]
        declarations = tuple(child for child in children if isinstance(child, StreamDeclaration))
        given = {each.keyword: each for each in children if isinstance(each, _Clause)}
        clauses = {keyword: each.value for keyword, each in given.items()}
        (formula,) = (
            each for each in children if not isinstance(each, StreamDeclaration | _Clause)
        )
        strategy, select = clauses["select"]
        return CeqlQuery(
            formula=formula,
            select=select,
            strategy=strategy,
            streams=clauses.get("from", ()),
            partition=clauses.get("partition", ()),
            within=clauses.get("within"),
            consume=clauses.get("consume", Consumption.NONE),
            limit=clauses.get("limit"),
            declarations=self._once(declarations, "stream"),
            position=at(meta),
            partition_position=given["partition"].position if "partition" in given else Position(),
        )

    def select(self, children: Sequence[Any]) -> _Clause:
        *strategy, selection = children
        return _Clause("select", (strategy[0] if strategy else Strategy.ALL, selection))

    def strategy(self, children: Sequence[Token]) -> Strategy:
        return Strategy(str(children[0]).upper())

    def select_all(self, children: Sequence[Token]) -> None:
        return None

    def select_none(self, children: Sequence[Token]) -> tuple[Selected, ...]:
        return ()

    def select_variables(self, children: Sequence[Selected]) -> tuple[Selected, ...]:
        chosen: dict[str, Selected] = {}
        for selected in children:
            name = str(selected.variable)
            chosen[name] = _both(chosen[name], selected) if name in chosen else selected
        return tuple(chosen.values())

    def selected(self, children: Sequence[Any]) -> Selected:
        variable, *attributes = children
        return Selected(variable, tuple(map(str, attributes[0])) if attributes else None)

    def from_(self, children: Sequence[tuple[Token, ...]]) -> _Clause:
        (names,) = children
        return _Clause("from", tuple(dict.fromkeys(map(str, names))))

    def partition(self, children: Sequence[Any]) -> _Clause:
        lists = [child for child in children if isinstance(child, tuple)]
        first: Token = lists[0][0]
        return _Clause("partition", tuple(tuple(map(str, names)) for names in lists), at(first))

    def consume(self, children: Sequence[Token]) -> _Clause:
        return _Clause("consume", Consumption(str(children[-1]).upper()))

    def limit(self, children: Sequence[Token]) -> _Clause:
        (token,) = children
        if len(token) > 19 or int(token) >= _LARGEST:
            raise self.error(f"the limit {token} is too large, integers have 64 bits", at(token))
        return _Clause("limit", int(token))

    # --- WITHIN ---

    @v_args(meta=True)
    def within(self, meta: Meta, children: Sequence[Any]) -> _Clause:
        value, unit, attribute = children[0]
        if value >= _LARGEST:
            raise self.error("the window is too long, nanoseconds have 64 bits (292 years)", meta)
        return _Clause("within", Within(value, unit, attribute, at(meta)))

    @v_args(meta=True)
    def custom(self, meta: Meta, children: Sequence[Any]) -> tuple[int, WindowUnit, str]:
        number, name = children
        return self._whole(number, meta), WindowUnit.ATTRIBUTE, str(name)

    @v_args(meta=True)
    def measured(self, meta: Meta, children: Sequence[Any]) -> tuple[int, WindowUnit, None]:
        units = [str(unit).upper() for unit in children[1::2]]
        if units[0] in ("EVENT", "EVENTS"):
            if len(units) > 1:
                raise self.error("a window counts events or measures time, not both", meta)
            return self._whole(children[0], meta), WindowUnit.EVENTS, None
        written = zip(children[::2], children[1::2], strict=True)
        return sum(self._nanoseconds(f"{n} {u}", meta) for n, u in written), WindowUnit.TIME, None

    @v_args(meta=True)
    def duration(self, meta: Meta, children: Sequence[Token]) -> tuple[int, WindowUnit, None]:
        return self._nanoseconds(str(children[0]), meta), WindowUnit.TIME, None

    def _nanoseconds(self, written: str, meta: Meta) -> int:
        try:
            microseconds, kind = parse_duration(written)
        except DenotaError as error:
            raise self.error(error.message, meta) from None
        if kind is not TimeKind.DATETIME:
            raise self.error(f"'{written}' is no duration, expected such as 30 SECONDS", meta)
        return microseconds * 1_000

    def _whole(self, number: int | float, meta: Meta) -> int:
        if not isinstance(number, int):
            raise self.error(f"the window is measured by a whole number, not {number}", meta)
        return number

    # --- φ ---

    def as_variable(self, children: Sequence[Any]) -> As:
        formula, name = children
        return As(formula, str(name), at(name))

    def projection(self, children: Sequence[Any]) -> Projection:
        *names, formula = children
        return Projection(formula, tuple(dict.fromkeys(n for n in names if isinstance(n, Name))))

    def event_type(self, children: Sequence[Name]) -> EventType:
        (name,) = children
        return EventType(name.name, name.stream, name.position)

    # --- P ---

    def comparison(self, children: Sequence[Any]) -> Comparison:
        left, operator, right = children
        written = str(operator)
        return Comparison(ComparisonOperator(_OPERATORS.get(written, written)), left, right)

    @v_args(meta=True)
    def like(self, meta: Meta, children: Sequence[Any]) -> Like:
        term, pattern = children
        text = str(pattern)[2:-2] if isinstance(pattern, Token) else pattern.value
        return self._like(term, text, meta)

    @v_args(meta=True)
    def equals_regexp(self, meta: Meta, children: Sequence[Any]) -> Like | Not:
        term, operator, pattern = children
        like = self._like(term, str(pattern)[2:-2], meta)
        match str(operator):
            case "=" | "==":
                return like
            case "!=" | "<>":
                return Not(like)
        raise self.error(f"a string is not {operator} a regular expression", meta)

    def _like(self, term: Term, pattern: str, meta: Meta) -> Like:
        try:
            regular_expression(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise self.error(f"not a regular expression: {error}", meta) from None
        return Like(self._attribute(term, "LIKE", meta), pattern, at(meta))

    @v_args(meta=True)
    def in_values(self, meta: Meta, children: Sequence[Any]) -> In:
        term, *negated, values = children
        return In(self._attribute(term, "IN", meta), values, bool(negated))

    def _attribute(self, term: Term, operator: str, meta: Meta) -> Attribute:
        if not isinstance(term, Attribute):
            raise self.error(f"an attribute must stand before {operator}", meta)
        return term

    @v_args(meta=True)
    def values(self, meta: Meta, children: Sequence[Constant]) -> tuple[Constant, ...]:
        if len({isinstance(value, str) for value in children}) > 1:
            raise self.error("the values are all numbers or all strings", meta)
        return tuple(children)

    def interval_from(self, children: Sequence[Any]) -> Interval:
        return Interval(children[0], None)

    def interval_to(self, children: Sequence[Any]) -> Interval:
        return Interval(None, children[-1])

    def constant(self, children: Sequence[Any]) -> Constant:
        (value,) = children
        return value.value if isinstance(value, Literal) else cast(Constant, value)

    def signed(self, children: Sequence[Any]) -> int | float:
        number = cast("int | float", children[-1])
        return -number if len(children) > 1 and str(children[0]) == "-" else number

    # --- terms ---

    @v_args(meta=True)
    def sum(self, meta: Meta, children: Sequence[Any]) -> Arithmetic:
        return self._arithmetic(children, meta)

    @v_args(meta=True)
    def product(self, meta: Meta, children: Sequence[Any]) -> Arithmetic:
        return self._arithmetic(children, meta)

    def _arithmetic(self, children: Sequence[Any], meta: Meta) -> Arithmetic:
        left, operator, right = children
        for side in (left, right):
            self._refuse_no_number(side, str(operator), meta)
        return Arithmetic(ArithmeticOperator(str(operator)), left, right)

    @v_args(meta=True)
    def signed_term(self, meta: Meta, children: Sequence[Any]) -> Term:
        sign, operand = children
        self._refuse_no_number(operand, str(sign), meta)
        return Negative(operand) if str(sign) == "-" else cast(Term, operand)

    def _refuse_no_number(self, term: Term, operator: str, meta: Meta) -> None:
        if isinstance(term, Literal) and isinstance(term.value, str | bool):
            kind = "a truth value" if isinstance(term.value, bool) else "a string"
            raise self.error(f"{operator} does not take {kind}", meta)

    def literal(self, children: Sequence[Any]) -> Literal:
        (value,) = children
        if isinstance(value, Token):
            return Literal(value.type == "TRUE")
        return value if isinstance(value, Literal) else Literal(value)

    @v_args(meta=True)
    def number(self, meta: Meta, children: Sequence[Token]) -> int | float:
        (token,) = children
        if token.type == "DOUBLE":
            value = float(token)
            if value == float("inf"):
                raise self.error(f"the number {token} is too large", meta)
            return value
        if len(token) > 19 or int(token) >= _LARGEST:
            raise self.error(f"the number {token} is too large, integers have 64 bits", meta)
        return int(token)

    def string(self, children: Sequence[Token]) -> Literal:
        text = str(children[0])
        quote, inner = text[0], text[1:-1]
        return Literal(inner.replace(quote * 2, quote) if quote in "'\"" else inner)

    # --- names ---

    def variable(self, children: Sequence[Token]) -> Name:
        if len(children) == 1:
            return Name(str(children[0]), position=at(children[0]))
        stream, _, name = children
        return Name(str(name), str(stream), at(stream))

    def name(self, children: Sequence[Token]) -> Token:
        (token,) = children
        if token.type == "QUOTED_NAME":
            return token.update(value=token[1:-1].replace("``", "`"))
        return token

    # --- declarations ---

    def declaration(self, children: Sequence[Any]) -> StreamDeclaration:
        name, *events = children
        return StreamDeclaration(str(name), self._once(tuple(events), "event"), at(name))

    def event(self, children: Sequence[Any]) -> EventDeclaration:
        name, *typed = children
        attributes: dict[str, AttributeType] = {}
        for attribute, kind in typed:
            if attribute in attributes:
                raise self.error(f"attribute '{attribute}' is declared twice", at(attribute))
            if kind is AttributeType.PRIMARY_TIME and kind in attributes.values():
                raise self.error(f"'{attribute}' is a second primary_time", at(attribute))
            attributes[str(attribute)] = kind
        return EventDeclaration(str(name), tuple(attributes.items()), at(name))

    def typed(self, children: Sequence[Token]) -> tuple[Token, AttributeType]:
        name, kind = children
        found = _TYPES.get(str(kind).lower())
        if found is None:
            known = ", ".join(dict.fromkeys(_TYPES.values()))
            raise self.error(f"there is no type '{kind}' (there is: {known})", at(kind))
        return name, found

    def _once(self, declared: tuple[Any, ...], kind: str) -> tuple[Any, ...]:
        names: set[str] = set()
        for each in declared:
            if each.name in names:
                raise self.error(f"{kind} '{each.name}' is declared twice", each.position)
            names.add(each.name)
        return declared


def _both(one: Selected, other: Selected) -> Selected:
    """X[a], X[b] is X[a, b]; X, X[b] is X."""
    if one.attributes is None or other.attributes is None:
        return Selected(one.variable)
    return Selected(one.variable, tuple(dict.fromkeys((*one.attributes, *other.attributes))))
