"""The parser from text to SPAseq's syntax tree, with errors in the words of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.tree import Meta
from rdflib.term import Literal, URIRef, Variable

from ...model.errors import Position, QueryError
from ...model.items import TimeKind
from ...model.time import duration_at
from ...model.trees import find, has
from ...rdf.syntax.parse import STREAM_PREFIXES, PatternTransformer
from ...rdf.syntax.scoping import defined_once
from ...rdf.syntax.tree import Exists, Filter, GroupGraphPattern
from ...rdf.syntax.tree_builder import at, builds, load_grammar, parse_text
from ...rdf.syntax.variables import conjuncts, possible_variables
from .scoping import existential_variables, needed_variables
from .tree import (
    Conjunction,
    Definition,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    Step,
    StreamClause,
    WithinUnit,
)

_TOKEN = re.compile(r"\s+|\#[^\n\r]*|(?P<name>[^\W\d]\w*)|(?P<sign>.)", re.DOTALL)
_SEQ = re.compile(r"\bSEQ\s*\(", re.IGNORECASE)
_SELECTION, _BINARY, _POSTFIX = ",;:", "&|", "+!?"


class Diagnosis(NamedTuple):
    """An error message and its place."""

    message: str
    position: Position


class _Token(NamedTuple):
    text: str
    offset: int


def diagnose(text: str, offset: int) -> Diagnosis | None:
    """Return the reason that the parser stopped at `offset`; None if not inside SEQ( … )."""
    opening = _opening(text, offset)
    if opening is None:
        return None
    before = list(_tokens(text, opening, offset))
    token = next(_tokens(text, offset, len(text)), None)
    found = _said(before, token)
    if found is None:
        return None
    message, place = found
    at = place.offset if place is not None else len(text.rstrip())
    line_start = text.rfind("\n", 0, at) + 1
    return Diagnosis(message, Position(text.count("\n", 0, at) + 1, at - line_start + 1))


def _opening(text: str, offset: int) -> int | None:
    """Return the offset after the bracket of the SEQ( … ) around `offset`."""
    begins = [match.end() for match in _SEQ.finditer(text, 0, offset)]
    if not begins or any(sign in text[begins[-1] : offset] for sign in "{}"):
        return None
    depth = 1
    for token in _tokens(text, begins[-1], offset):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            return None
    return begins[-1]


def _tokens(text: str, begin: int, end: int) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text, begin, end):
        if match["name"] or match["sign"]:
            yield _Token(match[0], match.start())


def _said(before: list[_Token], token: _Token | None) -> tuple[str, _Token | None] | None:
    previous = before[-1] if before else _Token("(", 0)
    if token is None:
        return "the end of the query, but SEQ( is not closed", None
    if token.text == "}" or (token.text.upper() == "DEFINE" and _ends_an_element(previous)):
        return f"SEQ( is not closed before '{token.text}'", token
    after_operator = previous.text in _SELECTION + _BINARY
    if token.text == ")" and after_operator:
        return f"trailing '{previous.text}' in SEQ: a GPM name must follow it", previous
    if previous.text == "(" and token.text == ")":
        return "empty brackets in SEQ: a GPM name must stand in them", token
    if (after_operator or previous.text == "(") and token.text in _POSTFIX:
        return f"'{token.text}' stands after the GPM name it applies to, as in A{token.text}", token
    if after_operator or previous.text == "(":
        return f"unexpected '{token.text}' in SEQ, expected a GPM name or '('", token
    return _said_after_element(before, previous, token)


def _said_after_element(
    before: list[_Token], previous: _Token, token: _Token
) -> tuple[str, _Token] | None:
    level = _level(before)
    nested = _depth(before) > 0
    if token.text in _POSTFIX and previous.text in _POSTFIX:
        return f"'{previous.text}{token.text}': at most one of + ! ? may follow an element", token
    if token.text in "!?" and previous.text == ")":
        return f"'{token.text}' applies to a GPM name only, not to an expression in brackets", token
    if token.text == "+" or (token.text in _BINARY and previous.text == "+"):
        return "Kleene plus cannot stand inside & or |: it applies to a whole element", token
    if token.text in _BINARY and level - {token.text}:
        return "& and | cannot be mixed without brackets, as in (A & B) | C", token
    if token.text in _SELECTION and nested:
        return (
            f"'{token.text}' in brackets: only & and | nest, a sequence does not"
            " (so + ! ? never apply to a sequence)",
            token,
        )
    if token.text == "(" or token.text.isidentifier():
        return f"an operator is missing before '{token.text}': one of , ; : & |", token
    return f"unexpected '{token.text}' in SEQ, expected one of , ; : & | + ! ? or ')'", token


def _ends_an_element(token: _Token) -> bool:
    return token.text in ")+!?" or token.text.isidentifier()


def _depth(before: list[_Token]) -> int:
    return sum({"(": 1, ")": -1}.get(token.text, 0) for token in before)


def _level(before: list[_Token]) -> set[str]:
    """Return the operators & and | at the innermost open bracket, since the last , ; or :"""
    levels: list[set[str]] = [set()]
    for token in before:
        if token.text == "(":
            levels.append(set())
        elif token.text == ")":
            levels.pop()
        elif token.text in _SELECTION:
            levels[-1] = set()
        elif token.text in _BINARY:
            levels[-1].add(token.text)
    return levels[-1]


def parse(text: str, *, source: str | None = "<query>") -> SpaseqQuery:
    """Return the tree of a SPAseq query (Def. 4, Appendix B).

    Raises QueryError, with line and column, for what does not follow the grammar and for names that
    are unknown or given twice.
    """
    parser = load_grammar("spaseq/syntax/grammar.lark", ("query",))
    return cast(SpaseqQuery, parse_text(parser, _Builder(text, source=source), text, "query"))


class _Stream(NamedTuple):
    """A stream as ON names it: by its alias, or by its IRI."""

    name: str | URIRef
    position: Position


class _Define(NamedTuple):
    """A DEFINE clause whose stream is not yet looked up."""

    name: str
    stream: _Stream
    pattern: GroupGraphPattern
    position: Position


@builds({
    "gpm": Reference, "negated": Negation, "optional": OptionalEvent,
    "conjunction": Conjunction, "disjunction": Disjunction,
})
class _Builder(PatternTransformer):
    """Adds SPAseq's own rules to those of graph patterns."""

    predeclared = STREAM_PREFIXES

    def explain(self, error: UnexpectedInput, parser: Lark, text: str) -> QueryError:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        offset = len(text) if at_end or error.pos_in_stream is None else error.pos_in_stream
        diagnosis = diagnose(text, offset)
        if diagnosis is None:
            return super().explain(error, parser, text)
        return self.error(diagnosis.message, diagnosis.position)

    def query(self, children: Sequence[Any]) -> SpaseqQuery:
        prologue, (select, positions), within, *others = children
        slide = next((child for child in others if isinstance(child, Extent)), None)
        clauses = tuple(child for child in others if isinstance(child, StreamClause))
        sequence = next(child for child in others if isinstance(child, SequenceExpression))
        defines = [child for child in others if isinstance(child, _Define)]
        defined_once("stream", ((each.name, each.position) for each in clauses), self.error)
        defined_once("GPM", ((each.name, each.position) for each in defines), self.error)
        definitions = tuple(self._defined(define, clauses) for define in defines)
        self._check_references(sequence, definitions)
        for definition in definitions:
            self._refuse_exists_of_the_past(definition, definitions)
        return SpaseqQuery(
            select, within, clauses, sequence, definitions, slide, prologue, positions
        )

    # --- clauses ----------------------------------------------------------------------------

    def select(
        self, children: Sequence[tuple[Variable, Position] | Token]
    ) -> tuple[tuple[Variable, ...] | None, tuple[Position, ...]]:
        selected = [child for child in children if not isinstance(child, Token)]
        variables = tuple(variable for variable, _ in selected)
        return variables or None, tuple(position for _, position in selected)

    @v_args(meta=True)
    def selected(self, meta: Meta, children: Sequence[Variable]) -> tuple[Variable, Position]:
        return children[0], at(meta)

    @v_args(meta=True)
    def extent(self, meta: Meta, children: Sequence[Token | Literal]) -> Extent:
        number, *unit = children
        place = at(meta)
        if unit and str(unit[0]).upper() in ("EVENTS", "EVENT"):
            if not number.isdecimal():
                raise self.error(f"{number} EVENTS: only whole events can be counted", place)
            value, kind = duration_at([number], self.source, place)[0], WithinUnit.EVENTS
        else:
            value, time_kind = duration_at(children, self.source, place)
            integer = time_kind is TimeKind.INTEGER
            kind = WithinUnit.INTEGER if integer else WithinUnit.MICROSECONDS
        if value <= 0:
            raise self.error("a window must be longer than 0", place)
        return Extent(value, kind, place)

    def stream_clause(self, children: Sequence[Any]) -> StreamClause:
        name, iri = children
        return StreamClause(str(name), iri, at(name))

    @v_args(meta=True)
    def on_stream(self, meta: Meta, children: Sequence[Token | URIRef]) -> _Stream:
        (name,) = children
        return _Stream(str(name) if isinstance(name, Token) else name, at(meta))

    def definition(self, children: Sequence[Any]) -> _Define:
        name, stream, pattern = children
        return _Define(str(name), stream, pattern, at(name))

    # --- the sequence -----------------------------------------------------------------------

    def sequence(self, children: Sequence[Any]) -> SequenceExpression:
        first, *others = children
        steps = zip(others[::2], others[1::2], strict=True)
        return SequenceExpression(
            first, tuple(Step(Operator(str(operator)), atom) for operator, atom in steps)
        )

    @v_args(meta=True)
    def kleene_plus(self, meta: Meta, children: Sequence[Operand]) -> KleenePlus:
        (operand,) = children
        if isinstance(operand, Negation | OptionalEvent):
            raise self.error("at most one of + ! ? may follow an element", meta)
        return KleenePlus(operand)

    # --- names ------------------------------------------------------------------------------

    def _defined(self, define: _Define, clauses: Sequence[StreamClause]) -> Definition:
        stream, position = define.stream
        by_iri = isinstance(stream, URIRef)
        for clause in clauses:
            if stream == (clause.iri if by_iri else clause.name):
                return Definition(define.name, clause.name, define.pattern, define.position)
        shown = f"<{stream}>" if by_iri else f"'{stream}'"
        known = f" (declared: {', '.join(clause.name for clause in clauses)})" if clauses else ""
        raise self.error(f"no FROM STREAM clause declares the stream {shown}{known}", position)

    def _check_references(
        self, sequence: SequenceExpression, definitions: Sequence[Definition]
    ) -> None:
        names = [definition.name for definition in definitions]
        for reference in find(sequence, Reference):
            if reference.name not in names:
                known = f" (defined: {', '.join(names)})" if names else ""
                raise self.error(
                    f"no DEFINE clause defines the GPM '{reference.name}'{known}",
                    reference.position,
                )

    def _refuse_exists_of_the_past(
        self, definition: Definition, definitions: Sequence[Definition]
    ) -> None:
        """EXISTS needs a graph, and a deferred condition is evaluated where there is none."""
        bindable = possible_variables(definition.pattern)
        elsewhere = frozenset().union(
            *(possible_variables(other.pattern) for other in definitions if other is not definition)
        )
        for element in definition.pattern.elements:
            if not isinstance(element, Filter):
                continue
            for conjunct in conjuncts(element.condition):
                if not has(conjunct, Exists):
                    continue
                inner = existential_variables(conjunct)
                past = needed_variables(conjunct) | (inner & elsewhere)
                if foreign := past - bindable:
                    raise self.error(
                        f"EXISTS cannot look at another event: ?{min(foreign)} is not bound by"
                        f" GPM '{definition.name}'",
                        element.position,
                    )
