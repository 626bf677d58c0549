"""Strategies for SPARQL 1.1 group graph patterns in all their constructs, and datasets for them.

Wilder than what stands in a GPM: OPTIONAL nested in UNION, filters on variables that nothing binds,
blank nodes, numbers of all types, paths over cycles, sub-selects. What has several right answers
(SAMPLE, LIMIT without a total order, RAND) is left out.

What a pattern and its data are like is decided by named choices (`choice`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.namespace import XSD
from rdflib.term import BNode, URIRef, Variable

from ....semantics.model.terms import Dataset, Graph, Term
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.variables import in_scope, possible_variables
from .choices import among, choice
from .instances import Usual, background_instance, instance
from .sparql_data import (
    ALL,
    ELSEWHERE,
    LARGE,
    LINKS,
    NODES,
    VARIABLES,
    Terms,
    some_triples,
    tidied,
)
from .vocabulary import BACKGROUNDS, number


@dataclass(frozen=True)
class _Scope:
    """Where a group stands: so many more may stand inside one another, and what may be bound around
    it, whether or not its conditions see that. `assigns`: BIND and sub-selects that compute may
    occur. `asked`: triples that are asked for around it."""

    depth: int = 2
    outside: tuple[Variable, ...] = ()
    assigns: bool = True
    asked: tuple[s.TriplePattern, ...] = ()

    def inside(self, before: Sequence[s.Element], *, assigns: bool = True) -> _Scope:
        """The scope of a group that comes after these elements."""
        around = (*in_scope(s.GroupGraphPattern(tuple(before))), *self.outside)
        asked = tuple(
            triple for element in before for triple in find(element, s.TriplePattern)
        )
        return _Scope(
            self.depth - 1, tuple(dict.fromkeys(around)), self.assigns and assigns,
            tuple(dict.fromkeys((*asked, *self.asked))),
        )


_WHICH = choice("graphs/large", range(len(LARGE)))
_INSTANCES = choice("graphs/instances", (1, 2, 1, 3))
_MANY_INSTANCES = choice("graphs/instances to aggregate", (3, 2, 4, 1))
_TERMS = choice(
    "graphs/terms",
    ("few", "few and tidy", "tidy", "all") * 2
    + ("few", "numbers", "numbers", "moments", "texts", "truths"),
)
_VALUED = choice("graphs/objects", ("nodes", "nodes", "literals"))
_VALUED_ALIKE = choice("graphs/objects alike", ("literals", "literals", "nodes"))
"""What variables stand for that are objects and nothing else, in data that a pattern asks for."""


@st.composite
def questions(draw: DrawFn, *, ruled: bool = False) -> tuple[s.GroupGraphPattern, Dataset]:
    """A pattern and a dataset, which often holds some of what the pattern asks for.

    `ruled`: also what the recommendation leaves open and a ruling of denota's decides.
    """
    terms = Terms.called(draw(_TERMS))
    terms.ruled = ruled
    terms.variables = VARIABLES[:draw(choice("graphs/variables", (3, 2, 3, 4)))]
    pattern = _group(draw, terms, _Scope())
    usual: Usual = {}
    stand_for = draw(_VALUED_ALIKE if terms.alike else _VALUED)
    valued = _objects(pattern) if stand_for == "literals" else ()
    named: dict[URIRef, Graph] = {}
    for name in draw(choice("graphs/named", ((), BACKGROUNDS[:1], BACKGROUNDS, BACKGROUNDS[1:]))):
        named[name] = draw(some_triples(terms, 3))
        if draw(st.booleans()):
            named[name] |= background_instance(draw, pattern, name, usual)
    default: Graph = frozenset()
    what = draw(choice("graphs/data", ("both", "asked", "random", "large")))
    if what == "large" and _size(pattern) <= 3:
        default = LARGE[draw(_WHICH)]
    elif what != "asked":
        default = draw(some_triples(terms, 6))
    if what != "random":
        for _ in range(draw(_MANY_INSTANCES if has(pattern, s.Aggregate) else _INSTANCES)):
            for variable in valued:
                usual[variable] = draw(among(terms.literals))
            default |= instance(draw, pattern, BACKGROUNDS[0], usual)
    if draw(choice("graphs/graph names", ("elsewhere",) * 3 + ("in the data",))) == "in the data":
        default |= {(NODES[0], LINKS[0], name) for name in BACKGROUNDS}
    known: dict[URIRef | BNode, Graph] = {
        name: tidied(graph, terms) for name, graph in named.items()
    }
    return pattern, Dataset(tidied(default, terms), known)


def _objects(pattern: s.GroupGraphPattern) -> tuple[Variable, ...]:
    """The variables that are objects, and neither subjects nor predicates."""
    triples = list(find(pattern, s.TriplePattern))
    others = {part for triple in triples for part in (triple.subject, triple.predicate)}
    objects = [each.object for each in triples if isinstance(each.object, Variable)]
    return tuple(dict.fromkeys(each for each in objects if each not in others))


def _size(pattern: s.GroupGraphPattern) -> int:
    """How many triples are joined, those along paths included."""
    return sum(
        1 if isinstance(triple.predicate, URIRef | Variable)
        else sum(1 for _ in find(triple.predicate, URIRef, s.NegatedPropertySet))
        for triple in find(pattern, s.TriplePattern)
    )


# --- paths ---------------------------------------------------------------------------------------


@st.composite
def paths(draw: DrawFn) -> s.Path:
    """Property paths of every kind."""
    return _path(draw, 2)


def _path(draw: DrawFn, depth: int) -> s.Path:
    if depth < 0:
        return draw(among(LINKS))
    kinds = (
        "link", "link", "negated", "*", "?", "+", "*", "?", "inverse", "sequence", "sequence",
        "alternative", "alternative",
    )
    options = kinds[2:] if depth == 2 else kinds if depth else kinds[:8]
    match draw(choice(f"graphs/path {depth}", options)):
        case "negated":
            return draw(_NEGATED)
        case "inverse":
            return s.InversePath(_path(draw, depth - 1))
        case "sequence":
            # A sequence counts every way: one of many steps has more than can be counted.
            count = draw(_STEPS) if depth == 2 else 2
            if depth == 2 and draw(_STEPS_ARE) == "of any length":
                return s.SequencePath(tuple([_of_no_length(draw) for _ in range(count)]))
            return s.SequencePath(tuple([_path(draw, depth - 1) for _ in range(count)]))
        case "alternative":
            return s.AlternativePath((_path(draw, depth - 1), _path(draw, depth - 1)))
        case "*":
            return s.ZeroOrMorePath(_path(draw, depth - 1))
        case "+":
            return s.OneOrMorePath(_path(draw, depth - 1))
        case "?":
            return s.ZeroOrOnePath(_path(draw, depth - 1))
    return draw(among(LINKS))


def _of_no_length(draw: DrawFn) -> s.Path:
    """A path that may have no length, so that it leads from what is in no graph to itself."""
    match draw(choice("graphs/step of any length", ("?", "*", "^?"))):
        case "?":
            return s.ZeroOrOnePath(draw(among(LINKS)))
        case "*":
            return s.ZeroOrMorePath(draw(among(LINKS)))
    return s.InversePath(s.ZeroOrOnePath(draw(among(LINKS))))


_STEPS = choice("graphs/steps", (2, 2, 3))
_STEPS_ARE = choice("graphs/steps are", ("any", "any", "of any length"))
_NEGATED = among(
    s.NegatedPropertySet(forward, inverse)
    for forward in (LINKS[:1], (), LINKS, LINKS[1:])
    for inverse in ((), LINKS[:1], LINKS[1:])
    if forward or inverse
)

_CASTS = tuple(
    URIRef(XSD[name])
    for name in ("string", "boolean", "integer", "decimal", "double", "float", "dateTime")
)
_UNARY = (
    "STR", "LANG", "DATATYPE", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "STRLEN",
    "UCASE", "LCASE", "ENCODE_FOR_URI", "ABS", "CEIL", "FLOOR", "ROUND", "YEAR", "MONTH", "DAY",
    "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ", "MD5", "SHA1", "SHA256", "SHA384", "SHA512",
    "IRI", "URI",
)
_TERNARY = ("REGEX", "SUBSTR", "REPLACE", "CONCAT", "COALESCE")
_BINARY = (
    "STRSTARTS", "STRENDS", "CONTAINS", "STRBEFORE", "STRAFTER", "LANGMATCHES", "SAMETERM",
    "STRDT", "STRLANG", "REGEX", "CONCAT", "SUBSTR", "COALESCE",
)



@st.composite
def expressions(
    draw: DrawFn, variables: Sequence[Variable] = VARIABLES, depth: int = 2
) -> s.Expression:
    """Expressions over these variables, without EXISTS."""
    return _expression(draw, ALL, tuple(variables), depth)


_KINDS = (
    "leaf", "comparison", "comparison", "comparison", "arithmetic", "not", "and", "or", "bound",
    "unary", "unary", "unary", "binary", "ternary", "cast", "in", "if", "sign",
)


def _expression(
    draw: DrawFn,
    terms: Terms,
    variables: tuple[Variable, ...],
    depth: int,
    exists: _Scope | None = None,
) -> s.Expression:
    """`exists`: the scope of a group inside EXISTS, if it may occur."""
    def inner() -> s.Expression:
        return _expression(draw, terms, variables, depth - 1, exists)

    if depth == 0:
        return _leaf(draw, terms, variables)
    match draw(choice("graphs/expression", (*_KINDS, "exists") if exists else _KINDS)):
        case "comparison":
            return s.Comparison(draw(_SYMBOLS), inner(), inner())
        case "arithmetic":
            return s.Arithmetic(draw(choice("graphs/arithmetic", "+-*/")), inner(), inner())
        case "not":
            return s.Not(inner())
        case "and":
            return s.And(tuple([inner() for _ in range(draw(_OPERANDS))]))
        case "or":
            return s.Or(tuple([inner() for _ in range(draw(_OPERANDS))]))
        case "bound":
            return s.BuiltIn("BOUND", (draw(among(variables)),))
        case "unary":
            return s.BuiltIn(draw(choice("graphs/unary", _UNARY)), (inner(),))
        case "binary":
            return s.BuiltIn(draw(choice("graphs/binary", _BINARY)), (inner(), inner()))
        case "ternary":
            arguments = (inner(), inner(), inner())
            return s.BuiltIn(draw(choice("graphs/ternary", _TERNARY)), arguments)
        case "cast":
            return s.FunctionCall(draw(choice("graphs/cast", _CASTS)), (inner(),))
        case "in":
            choices = tuple(inner() for _ in range(draw(among((1, 2, 0)))))
            return s.In(inner(), choices, draw(st.booleans()))
        case "if":
            return s.BuiltIn("IF", (inner(), inner(), inner()))
        case "sign":
            return s.Sign(draw(among(("-", "+"))), inner())
        case "exists" if exists:
            return _exists(draw, terms, exists)
        case _:
            return _leaf(draw, terms, variables)


_SYMBOLS = choice("graphs/comparison", ("=", "!=", "<", ">", "<=", ">="))


def _exists(draw: DrawFn, terms: Terms, scope: _Scope) -> s.Expression:
    return s.Exists(_group(draw, terms, scope), draw(st.booleans()))


def _leaf(draw: DrawFn, terms: Terms, variables: tuple[Variable, ...]) -> s.Expression:
    match draw(choice("graphs/leaf", ("variable", "variable", "number", "literal", "node"))):
        case "variable" if variables:
            return draw(among(variables))
        case "literal":
            return draw(among(terms.literals))
        case "node":
            return draw(among(NODES))
    return draw(among(terms.common))


def _condition(
    draw: DrawFn, terms: Terms, bound: tuple[Variable, ...], exists: _Scope | None
) -> s.Expression:
    """What a FILTER asks: often something that some solutions fulfil, else any expression"""
    kinds = ("compare",) * 3 + ("bound", "same", "and", "or", "not") + ("any",) * 6
    kind = draw(choice("graphs/condition", (*kinds, "exists") if exists else kinds))
    variables = bound or terms.variables

    def comparison() -> s.Expression:
        left, right = draw(among(variables)), _leaf(draw, terms, variables)
        return s.Comparison(draw(_SYMBOLS), left, right)

    match kind:
        case "any":
            return _expression(draw, terms, terms.variables, 2, exists)
        case "exists" if exists:
            return _exists(draw, terms, exists)
        case "bound":
            asked: s.Expression = s.BuiltIn("BOUND", (draw(among(terms.variables)),))
            return s.Not(asked) if draw(st.booleans()) else asked
        case "same":
            other = _leaf(draw, terms, variables)
            return s.BuiltIn("SAMETERM", (draw(among(variables)), other))
        case "and":
            return s.And(tuple([comparison() for _ in range(draw(_OPERANDS))]))
        case "or":
            return s.Or(tuple([comparison() for _ in range(draw(_OPERANDS))]))
        case "not":
            return s.Not(s.And((comparison(), comparison())))
    return comparison()


_OPERANDS = choice("graphs/operands", (2, 2, 3))


# --- groups --------------------------------------------------------------------------------------


@st.composite
def group_graph_patterns(draw: DrawFn) -> s.GroupGraphPattern:
    """Group graph patterns, nested up to three deep."""
    return _group(draw, Terms(), _Scope())


def _group(draw: DrawFn, terms: Terms, scope: _Scope) -> s.GroupGraphPattern:
    sizes = (1, 1, 0, 2, 3) if scope.depth < 2 else (1, 2, 2, 3, 3)
    elements: list[s.Element] = []
    for _ in range(draw(choice(f"graphs/elements {scope.depth}", sizes))):
        element = _element(draw, terms, scope, elements)
        if element is not None:
            elements.append(element)
    if scope.depth < 2 and draw(_NOTHING):
        elements.append(_nothing(draw, terms))
    if len(scope.outside) > 0 and draw(_ASKS_OUTSIDE):
        bound = in_scope(s.GroupGraphPattern(tuple(elements)))
        elements.append(s.Filter(_condition(draw, terms, (*scope.outside, *bound), None)))
    return s.GroupGraphPattern(tuple(elements))


_ASKS_OUTSIDE = choice("graphs/asks outside", (False,) * 5 + (True,))
"""Whether a condition inside a group speaks of what is bound around it: OPTIONAL's sees that."""

_NOTHING = choice("graphs/nothing there", (False,) * 15 + (True,))


def _nothing(draw: DrawFn, terms: Terms) -> s.Element:
    """What no data have, so that a group has no solutions."""
    other = draw(among(terms.variables))
    return s.TriplesBlock((s.TriplePattern(ELSEWHERE, draw(among(LINKS)), other),))


_SIMPLE = ("triples", "triples", "triples", "path", "filter", "values")
_FIRST = ("triples",) * 4 + ("path", "values", "values")
_NESTED = (
    "optional", "union", "group", "minus", "graph", "select", "exists", "optional", "union",
    "minus", "select", "exists", "select",
)


def _element(
    draw: DrawFn, terms: Terms, scope: _Scope, before: list[s.Element]
) -> s.Element | None:
    # What comes first binds what the others ask about.
    name = "element" if before else "first"
    options = (
        *(_SIMPLE if before else _FIRST), *("bind", "bind") * scope.assigns,
        *_NESTED * (scope.depth > 0),
    )

    def inside() -> s.GroupGraphPattern:
        return _group(draw, terms, scope.inside(before))

    kind = draw(choice(f"graphs/{name} {scope.depth}", options))
    match kind:
        case "triples" | "path":
            label = next(terms.labels)
            if scope.asked and kind == "triples" and draw(_OWN) != "own":
                return s.TriplesBlock(_asked_again(draw, terms, scope.asked, label))
            size = draw(choice("graphs/triples", (1, 2))) if kind == "triples" else 1
            return s.TriplesBlock(
                tuple(_triple(draw, terms, label, path=kind == "path") for _ in range(size))
            )
        case "filter":
            bound = in_scope(s.GroupGraphPattern(tuple(before)))
            asked = scope.inside(before, assigns=terms.ruled) if scope.depth > 0 else None
            return s.Filter(_condition(draw, terms, (*bound, *scope.outside), asked))
        case "exists":
            return s.Filter(_exists(draw, terms, scope.inside(before, assigns=terms.ruled)))
        case "values":
            return _values(draw, terms, terms.variables)
        case "bind":
            possible = possible_variables(s.GroupGraphPattern(tuple(before)))
            free = [variable for variable in VARIABLES if variable not in possible]
            if not free:
                return None
            known = in_scope(s.GroupGraphPattern(tuple(before)))
            return s.Bind(_assigned(draw, terms, known), draw(among(free)))
        case "optional":
            return s.OptionalPattern(inside())
        case "union":
            return s.UnionPattern((inside(), inside()))
        case "group":
            return s.UnionPattern((inside(),))
        case "minus":
            return s.MinusPattern(inside())
        case "graph":
            return s.NamedGraphPattern(draw(_NAMED), inside())
        case _:
            return s.SubSelect(_select(draw, terms, scope.inside(before)))


_OWN = choice("graphs/triples within", ("own", "own", "again"))
"""Whether a group inside asks for triples of its own, or again for those that are asked for around
it: then OPTIONAL, MINUS and EXISTS have solutions that share something with what is outside."""
_HOW_AGAIN = choice("graphs/asked again", ("the same", "the same", "with another end"))


def _asked_again(
    draw: DrawFn, terms: Terms, asked: tuple[s.TriplePattern, ...], label: int
) -> tuple[s.TriplePattern, ...]:
    """One or two of the triples that are asked for around a group, perhaps with another object."""
    again = []
    for _ in range(draw(choice("graphs/triples", (1, 2)))):
        triple = draw(among(asked))
        if draw(_HOW_AGAIN) == "with another end":
            triple = replace(triple, object=draw(among(terms.variables)))
        subject, object_ = (
            BNode(f"u{label}") if isinstance(end, BNode) else end
            for end in (triple.subject, triple.object)
        )
        again.append(replace(triple, subject=subject, object=object_))
    return tuple(again)


_ASSIGNED = choice("graphs/assigned", ("any", "any", "computed"))


def _assigned(draw: DrawFn, terms: Terms, bound: tuple[Variable, ...]) -> s.Expression:
    """What BIND and SELECT compute: often of what is bound."""
    if terms.tidy:
        return _leaf(draw, terms, terms.variables)
    if not bound or draw(_ASSIGNED) == "any":
        return _expression(draw, terms, terms.variables, 2)
    variable = draw(among(bound))
    match draw(choice("graphs/computed", ("arithmetic", "unary", "cast", "binary"))):
        case "arithmetic":
            symbol = draw(choice("graphs/arithmetic", "+-*/"))
            return s.Arithmetic(symbol, variable, _leaf(draw, terms, bound))
        case "unary":
            return s.BuiltIn(draw(choice("graphs/unary", _UNARY)), (variable,))
        case "cast":
            return s.FunctionCall(draw(choice("graphs/cast", _CASTS)), (variable,))
    other = _leaf(draw, terms, bound)
    return s.BuiltIn(draw(choice("graphs/binary", _BINARY)), (variable, other))


_NAMES: tuple[URIRef | Variable, ...] = (*BACKGROUNDS, *VARIABLES[:2])
_NAMED = choice("graphs/graph", _NAMES)
_PREDICATES = choice("graphs/predicate", ("link",) * 8 + ("variable", "path"))
_PLACES = choice("graphs/place", ("variable",) * 12 + ("node",) * 3 + ("blank", "literal"))
_ENDS = choice(
    "graphs/end", ("variable",) * 5 + ("node", "elsewhere") * 2 + ("blank", "literal")
)

_FROM_NOWHERE = choice("graphs/path from nowhere", (False, False, False, True))


def _triple(draw: DrawFn, terms: Terms, label: int, *, path: bool) -> s.TriplePattern:
    blank = (BNode(f"u{label}"), BNode(f"v{label}"))
    predicate: s.TermOrVariable | s.Path
    places = _ENDS if path else _PLACES
    match "path" if path else draw(_PREDICATES):
        case "variable":
            predicate = draw(among(terms.variables))
        case "path":
            predicate = _path(draw, 2)
        case _:
            predicate = draw(among(LINKS))

    if isinstance(predicate, s.SequencePath) and draw(_FROM_NOWHERE):
        return s.TriplePattern(ELSEWHERE, predicate, draw(among(terms.variables)))

    def place(*, object_: bool) -> s.TermOrVariable:
        match draw(places):
            case "node":
                return draw(among(NODES))
            case "elsewhere":
                return ELSEWHERE
            case "blank":
                return draw(among(blank))
            case "literal" if object_:
                return draw(among(terms.literals))
        return draw(among(terms.variables))

    return s.TriplePattern(place(object_=False), predicate, place(object_=True))


_CELLS = choice(
    "graphs/cell", ("node", "node", "common", "node", "undefined") * 2 + ("literal", "elsewhere")
)


def _values(draw: DrawFn, terms: Terms, variables: tuple[Variable, ...]) -> s.InlineData:
    def cell() -> Term | None:
        match draw(_CELLS):
            case "node":
                return draw(among(NODES))
            case "common":
                return draw(among(terms.common))
            case "literal":
                return draw(among(terms.literals))
            case "elsewhere":
                return ELSEWHERE
        return None

    chosen = draw(_some(variables, 1, 2))
    rows = range(draw(choice("graphs/rows", (1, 2, 1, 3, 2, 0))))
    return s.InlineData(tuple(chosen), tuple(tuple([cell() for _ in chosen]) for _ in rows))


@cache
def _some(
    variables: tuple[Variable, ...], least: int, most: int
) -> SearchStrategy[list[Variable]]:
    """So many of the variables, each once."""
    return st.lists(among(variables), min_size=least, max_size=most, unique=True)


# --- sub-selects ---------------------------------------------------------------------------------


def _select(draw: DrawFn, terms: Terms, scope: _Scope) -> s.SelectQuery:
    where = _group(draw, terms, scope)
    variables = in_scope(where)
    kinds = (
        "all", "some", *("grouped",) * 4 * scope.assigns, *("counted", "computed") * scope.assigns,
        *("ordered",) * 4 * terms.tidy,
    )
    kind = draw(choice("graphs/select", kinds))
    distinct = draw(st.booleans())
    if not variables or kind == "all":
        return s.SelectQuery(None, where, distinct=distinct)
    match kind:
        case "grouped":
            return _grouped(draw, terms, where, variables)
        case "counted":
            return _counted(draw, where, variables) or _grouped(draw, terms, where, variables)
        case "ordered":
            return _ordered(draw, terms, where, variables)
    chosen = draw(_some(variables, 1, 2))
    projection = [s.Projection(variable) for variable in chosen]
    if kind == "computed":
        for variable in _free(variables)[: draw(_MANY)]:
            seen = (*variables, *(each.variable for each in projection))
            projection.append(s.Projection(variable, _assigned(draw, terms, seen)))
    return s.SelectQuery(tuple(projection), where, distinct=distinct)


_SELDOM = among((False, False, False, True))
_MANY = choice("graphs/computed in SELECT", (1, 1, 2))


def _free(variables: Sequence[Variable]) -> list[Variable]:
    """What SELECT may name: nothing that is in scope (18.2.4.4)."""
    return [variable for variable in VARIABLES if variable not in variables]


def _ordered(
    draw: DrawFn, terms: Terms, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery:
    """ORDER BY, which tells all solutions apart, with LIMIT and OFFSET."""
    order = [s.OrderCondition(v, draw(st.booleans())) for v in variables]
    if draw(_SELDOM):  # by what many have in common; the others decide
        first = _expression(draw, terms, variables, 1)
        order.insert(0, s.OrderCondition(first, draw(st.booleans())))
    cut = s.SolutionModifier(
        order_by=tuple(order), limit=draw(among((1, 2, 3))), offset=draw(among((0, 1, 2)))
    )
    if draw(_SELDOM):  # DISTINCT would leave the order open
        chosen = draw(_some(variables, 1, 2))
        return s.SelectQuery(tuple(map(s.Projection, chosen)), where, cut)
    return s.SelectQuery(None, where, cut, distinct=draw(st.booleans()))


_SOLUTIONS = choice("graphs/grouped", ("solutions",) * 7 + ("nothing",))
_HAVING = choice("graphs/having", ("none",) * 5 + ("one", "and", "or", "not"))
_GROUP_KEYS = choice("graphs/keys", (1, 0, 1, 2))


def _grouped(
    draw: DrawFn, terms: Terms, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery:
    many = min(draw(_GROUP_KEYS), len(variables))
    keys = draw(_some(variables, many, many))
    free = _free(variables)
    if draw(_SOLUTIONS) == "nothing":
        where = s.GroupGraphPattern((*where.elements, s.InlineData(variables[:1], ())))
    if not free:
        return s.SelectQuery(tuple(s.Projection(each) for each in keys) or None, where)
    aggregates = [_aggregate(draw, terms, where, variables) for _ in free[: draw(_MANY)]]
    projection = [s.Projection(key) for key in keys]
    for variable, aggregate in zip(free, aggregates, strict=False):
        projection.append(s.Projection(variable, _of_aggregate(draw, terms, aggregate, keys)))
    group_by: list[s.Projection | s.Expression] = [*keys]
    if draw(_SELDOM):
        group_by.append(_expression(draw, terms, variables, 1))
    order = (s.OrderCondition(aggregates[0], draw(st.booleans())),) if draw(_SELDOM) else ()
    return s.SelectQuery(
        tuple(projection), where,
        s.SolutionModifier(
            group_by=tuple(group_by), having=_having(draw, terms, aggregates, keys), order_by=order
        ),
        distinct=draw(st.booleans()),
        # What SELECT names must be new (18.2.4.4), also to VALUES.
        values=_values(draw, terms, variables) if draw(_SELDOM) else None,
    )


def _of_aggregate(
    draw: DrawFn, terms: Terms, aggregate: s.Expression, keys: Sequence[Variable]
) -> s.Expression:
    """An aggregate, or what is computed of it."""
    match draw(choice("graphs/of an aggregate", ("itself",) * 4 + ("arithmetic", "if", "in"))):
        case "arithmetic":
            symbol = draw(choice("graphs/arithmetic", "+-*/"))
            return s.Arithmetic(symbol, aggregate, _leaf(draw, terms, tuple(keys)))
        case "if":
            asked = s.Comparison(draw(_SYMBOLS), aggregate, draw(among(terms.common)))
            return s.BuiltIn("IF", (asked, aggregate, _leaf(draw, terms, tuple(keys))))
        case "in":
            return s.In(aggregate, (number("1"), _leaf(draw, terms, tuple(keys))), False)
    return aggregate


def _having(
    draw: DrawFn, terms: Terms, aggregates: Sequence[s.Expression], keys: Sequence[Variable]
) -> tuple[s.Expression, ...]:
    """Conditions on aggregates, and on keys."""
    kind = draw(_HAVING)
    if kind == "none":
        return ()

    def asked() -> s.Expression:
        side: s.Expression = draw(among((*aggregates, *keys)))
        bound = draw(among((number("1"), number("0"), number("2"), *terms.common[:2])))
        return s.Comparison(draw(_SYMBOLS), side, bound)

    match kind:
        case "and":
            return (s.And(tuple([asked() for _ in range(draw(_OPERANDS))])),)
        case "or":
            return (s.Or(tuple([asked() for _ in range(draw(_OPERANDS))])), asked())
        case "not":
            return (s.Not(asked()),)
    return (asked(),)


def _aggregate(
    draw: DrawFn, terms: Terms, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.Expression:
    """An aggregate that has one right answer: of equal values none is chosen, no order matters."""
    functions = ("COUNT", "MIN", "MAX", "SUM", "AVG", "COUNT", "GROUP_CONCAT", "COUNT(*)")
    function = draw(choice("graphs/aggregate", functions))
    # More of the variables that may stand for literals.
    values = [each for each in _objects(where) if each in variables]
    operands = (*variables, *values, *values)
    operand: s.Expression | None = draw(among(operands))
    if draw(choice("graphs/operand", ("variable", "variable", "expression"))) == "expression":
        operand = _expression(draw, terms, variables, 1)
    distinct = draw(st.booleans())
    match function:
        case "MIN" | "MAX":
            least: s.Expression = draw(among(operands))
            if not (terms.tidy or terms.ruled):
                least = s.BuiltIn("STR", (least,))
            return s.Aggregate(function, least)
        case "GROUP_CONCAT":
            joined = s.Aggregate(function, operand, distinct, draw(among((", ", ""))))
            return s.BuiltIn("STRLEN", (joined,))
        case "COUNT(*)":
            return s.Aggregate("COUNT", None, distinct)
        case "SUM" | "AVG" if terms.tidy:
            return s.Aggregate("COUNT", operand, distinct)
    return s.Aggregate(function, operand, distinct)


def _counted(
    draw: DrawFn, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery | None:
    """How many solutions are left by LIMIT and OFFSET; which ones, no definition says."""
    free = _free(variables)
    if not free:
        return None
    cut = s.SolutionModifier(limit=draw(among((1, 2, 3, 0))), offset=draw(among((0, 1, 2))))
    inner = s.SubSelect(s.SelectQuery(None, where, cut))
    counted = s.Projection(free[0], s.Aggregate("COUNT", None))
    return s.SelectQuery((counted,), s.GroupGraphPattern((inner,)))
