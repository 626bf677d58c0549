"""Strategies for CEQL: formulas, queries, streams of tuples, and whole cases.

Three event types, three variables and a handful of attributes with few values: what is generated
matches often. Streams have missing attributes, equal arrival times, tuples that are in no
partition, and attributes that fall as well as grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ....semantics.ceql.syntax.analysis import conditioned, subformulas, variables
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.scoping import with_streams_told
from ....semantics.ceql.syntax.tree import (
    And,
    AndCondition,
    Arithmetic,
    ArithmeticOperator,
    As,
    Attribute,
    CeqlQuery,
    Comparison,
    ComparisonOperator,
    Condition,
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
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
    Predicate,
    Projection,
    Range,
    Selected,
    Strategy,
    Term,
    VariableCondition,
    WindowUnit,
    Within,
)
from ....semantics.ceql.syntax.tree import Sequence as Followed
from ....semantics.model.tuples import EventTuple, Value, merged
from ...fuzzing.strategies.choices import among
from .bounded_work import MOST_WORK, work
from .case import CeqlCase

TYPES = ("A", "B", "C")
VARIABLES = ("x", "y", "z")
STREAMS = ("S", "T")
SECOND = 1_000_000_000

# An attribute has one type; `t` is what windows measure, `k` and `s` are what partitions agree on.
_INTS = st.integers(0, 3)
_DOUBLES = st.sampled_from((0.0, 1.0, 1.5, 2.5, -1.0))
_STRINGS = st.sampled_from(("p", "q", "pq", ""))
_ATTRIBUTES: dict[str, tuple[Value, ...]] = {
    "n": (0, 1, 2, 3), "d": (0.0, 1.0, 1.5, 2.5, -1.0), "s": ("p", "q", "pq", ""), "k": (1, 2),
    "b": (False, True),
}
_NAMES = tuple(_ATTRIBUTES)
# One number says all values of a tuple, another what it lacks: few draws make many cases.
_VALUES = st.integers(0, prod(map(len, _ATTRIBUTES.values())) - 1)
_LACKING = st.sampled_from(
    ((),) * 12 + tuple((name,) for name in (*_NAMES, "t")) + (("k", "s"), ("n", "t"), _NAMES)
)
_RARELY = st.sampled_from((False,) * 5 + (True,))
_MOST_TYPES = 5


# --- P --------------------------------------------------------------------------------------------


@st.composite
def predicates(draw: DrawFn, depth: int = 1) -> Predicate:
    """Predicates on the attributes of generated streams; some compare what has no value."""
    kind = draw(_PREDICATE_KINDS if depth else _LEAF_KINDS)
    match kind:
        case "and":
            return And(draw(predicates(depth - 1)), draw(predicates(depth - 1)))
        case "or":
            return Or(draw(predicates(depth - 1)), draw(predicates(depth - 1)))
        case "not":
            return Not(draw(predicates(depth - 1)))
        case "like":
            return Like(Attribute(draw(among(("s", "s", "n")))), draw(_PATTERNS))
        case "in":
            return draw(_memberships())
        case "range":
            return Range(draw(_terms(1)), draw(_terms(0)), draw(_terms(0)))
        case "string":
            operator = draw(among(ComparisonOperator))
            return Comparison(operator, Attribute("s"), Literal(draw(_STRINGS)))
        case "boolean":
            operator = draw(among((ComparisonOperator.EQUAL, ComparisonOperator.NOT_EQUAL)))
            return Comparison(operator, Attribute("b"), Literal(draw(st.booleans())))
    return Comparison(draw(among(ComparisonOperator)), draw(_terms(1)), draw(_terms(0)))


_LEAF_KINDS = st.sampled_from(
    ("comparison", "comparison", "comparison", "string", "in", "range", "like", "boolean")
)
_PREDICATE_KINDS = st.sampled_from(
    ("comparison",) * 6 + ("string", "in", "range", "like", "boolean", "and", "or", "not")
)
_PATTERNS = st.sampled_from(("p", "^q", "pq?$", "", "[pq]{2}"))


@st.composite
def _terms(draw: DrawFn, depth: int) -> Term:
    kind = draw(among(("attribute", "attribute", "literal", "double")))
    if depth and draw(_RARELY):
        if draw(_RARELY):
            return Negative(draw(_terms(0)))
        operator = draw(among(ArithmeticOperator))
        return Arithmetic(operator, draw(_terms(0)), draw(_terms(0)))
    if kind == "attribute":
        return Attribute(draw(among(("n", "n", "d", "k", "t", "nowhere", "s"))))
    return Literal(draw(_INTS) if kind == "literal" else draw(st.sampled_from((0.5, 1.0, 1.5))))


@st.composite
def _memberships(draw: DrawFn) -> In:
    negated = draw(st.booleans())
    if draw(st.booleans()):
        low, high = draw(st.none() | _INTS), draw(_INTS)
        return In(Attribute(draw(among(("n", "d")))), Interval(low, high), negated)
    if draw(st.booleans()):
        values: tuple[Value, ...] = tuple(draw(st.lists(_STRINGS, min_size=1, max_size=2)))
        return In(Attribute("s"), values, negated)
    numbers = draw(st.lists(_INTS | _DOUBLES, min_size=1, max_size=3))
    return In(Attribute(draw(among(("n", "d", "s")))), tuple(numbers), negated)


# --- θ --------------------------------------------------------------------------------------------


@st.composite
def conditions(draw: DrawFn, names: Sequence[Name], depth: int = 1) -> Condition:
    """Conditions on these variables."""
    kind = draw(among(("one",) * 5 + ("and", "and", "or", "not"))) if depth else "one"
    match kind:
        case "and":
            left, right = draw(conditions(names, depth - 1)), draw(conditions(names, depth - 1))
            return AndCondition(left, right)
        case "or":
            left, right = draw(conditions(names, depth - 1)), draw(conditions(names, depth - 1))
            return OrCondition(left, right)
        case "not":
            return NotCondition(draw(conditions(names, depth - 1)))
    return VariableCondition(draw(among(names)), draw(predicates()))


# --- φ --------------------------------------------------------------------------------------------


@st.composite
def formulas(draw: DrawFn, size: int = _MOST_TYPES, streams: int = 1) -> Formula:
    """CEL formulas of at most `size` event types, nested iteration and disjunction among them."""
    phi = draw(_shapes(draw(st.integers(1, size)), streams))
    if draw(_OFTEN):
        phi = Filter(phi, draw(conditions(_names(phi, draw))))
    return phi


_OFTEN = st.sampled_from((False, True))


@st.composite
def _shapes(draw: DrawFn, size: int, streams: int) -> Formula:
    if size == 1:
        phi = draw(_atoms(streams))
    else:
        operator = draw(among((";", ";", ";", "OR", "OR", ":")))
        split = draw(st.integers(1, size - 1))
        left, right = draw(_shapes(split, streams)), draw(_shapes(size - split, streams))
        phi = _BINARY[operator](left, right)
    match draw(among((None,) * 5 + ("+", "+", ":+", "filter"))):
        case "+":
            phi = Iteration(phi)
        case ":+":
            phi = ContiguousIteration(phi)
        case "filter":
            phi = Filter(phi, draw(conditions(_names(phi, draw), 0)))
    if draw(_SOMETIMES):
        phi = As(phi, draw(among(VARIABLES)))
    return phi


_SOMETIMES = st.sampled_from((False, False, True))
_BINARY: dict[str, Callable[[Formula, Formula], Formula]] = {
    ";": Followed, ":": Contiguous, "OR": Disjunction,
}


@st.composite
def _atoms(draw: DrawFn, streams: int) -> Formula:
    stream = draw(among(STREAMS[:streams])) if draw(_RARELY) else None
    event = EventType(draw(among(TYPES)), stream)
    if not draw(_RARELY):
        return event
    if draw(st.booleans()):
        return NotFormula(event)
    own = [Name(event.name), Name(event.name, stream)]
    return NotFormula(Filter(event, draw(conditions(own, 0))))


def _names(phi: Formula, draw: DrawFn) -> list[Name]:
    """The variables of a formula as conditions call them, and rarely one that it does not bind."""
    bound = sorted(variables(phi))
    names = [_name(shown) for shown in bound]
    return names if names and not draw(_RARELY) else [*names, Name(_OUTER)]


def _name(shown: str) -> Name:
    stream, _, name = shown.rpartition(">")
    return Name(name, stream or None)


_OUTER = "outer"
"""A variable that a condition may ask for before it is bound."""


# --- queries --------------------------------------------------------------------------------------


@st.composite
def ceql_queries(draw: DrawFn) -> CeqlQuery:
    """CEQL queries with every clause, most of them few."""
    streams = draw(among((1, 1, 1, 2)))
    phi = draw(formulas(streams=streams))
    if any(_OUTER in map(str, conditioned(each.condition)) for each in _filters(phi)):
        phi = As(phi, _OUTER)
    limit = draw(st.integers(1, 3)) if draw(_RARELY) and draw(_RARELY) else None
    query = CeqlQuery(
        formula=phi,
        select=draw(_selections(phi)),
        strategy=draw(_STRATEGIES),
        streams=() if draw(_RARELY) else STREAMS[:streams],
        partition=draw(_PARTITIONS),
        within=draw(_WITHINS),
        consume=draw(_CONSUMPTIONS),
        limit=limit,
    )
    return with_streams_told(query)


def _filters(phi: Formula) -> Iterator[Filter]:
    return (each for each in subformulas(phi) if isinstance(each, Filter))


@st.composite
def _selections(draw: DrawFn, phi: Formula) -> tuple[Selected, ...] | None:
    if not draw(_SOMETIMES):
        return None
    names = [_name(shown) for shown in sorted(variables(phi))]
    chosen = draw(st.lists(among(names), max_size=2, unique=True)) if names else []
    return tuple(
        Selected(name, ("n",) if draw(_RARELY) else None) for name in chosen
    )


_STRATEGIES = st.sampled_from(
    (Strategy.ALL,) * 6
    + (Strategy.NEXT, Strategy.LAST, Strategy.MAX, Strategy.STRICT) * 2
    + (Strategy.ANY,)
)
_CONSUMPTIONS = st.sampled_from(
    (Consumption.NONE,) * 4 + (Consumption.ANY, Consumption.PARTITION)
)
_PARTITIONS: SearchStrategy[tuple[tuple[str, ...], ...]] = st.sampled_from(
    ((),) * 5 + ((("k",),), (("k",),), (("s",),), (("k", "s"),), (("k",), ("b",)), (("d",),))
)
_WITHINS: SearchStrategy[Within | None] = st.sampled_from(
    (None,) * 6
    + tuple(Within(n, WindowUnit.EVENTS) for n in (0, 2, 3, 4, 5, 6))
    + tuple(Within(n, WindowUnit.ATTRIBUTE, "t") for n in (0, 1, 2, 3, 4, 5))
    + (Within(1, WindowUnit.ATTRIBUTE, "d"),)
    + (Within(2, WindowUnit.ATTRIBUTE, "s"),)
    + tuple(Within(n * SECOND, WindowUnit.TIME) for n in (0, 1, 2, 3, 5))
)


@st.composite
def ceql_readings(draw: DrawFn, query: CeqlQuery) -> Readings:
    """Readings; one that cannot matter to the query keeps its default."""
    chosen: dict[str, object] = {"output": draw(among(("complex-event",) * 3 + ("valuation",)))}
    if query.within is not None:
        if query.within.unit is WindowUnit.ATTRIBUTE:
            chosen["within"] = draw(among(("paper", "paper", "core")))
        if query.strategy is not Strategy.ALL:
            chosen["strategy"] = draw(among(("before-within", "after-within")))
    if any(len(names) > 1 for names in query.partition):
        chosen["partition"] = draw(among(("paper", "core")))
    if query.limit is not None:
        chosen["limit"] = draw(among(("event", "query")))
    return Readings.of(chosen)


# --- streams --------------------------------------------------------------------------------------


@st.composite
def tuple_streams(
    draw: DrawFn,
    types: Sequence[str] = TYPES,
    *,
    size: int = 7,
    monotone: bool | None = None,
    word: Sequence[str] = (),
) -> tuple[EventTuple, ...]:
    """Streams of at most `size` tuples of these types, in the order of their arrival times.

    The types of `word` come in its order, with others between them.

    The attribute `t` never falls if `monotone` says so (None: mostly). All attributes but `t` are
    the same for all tuples at times.
    """
    grows = draw(among((True, True, True, False))) if monotone is None else monotone
    tuples = []
    time, measure = 0, 0
    extras = max(min(draw(_LENGTHS), size) - len(word), 0)
    kinds = list(word)[:size]
    for _ in range(extras):
        kinds.insert(draw(st.integers(0, len(kinds))), draw(among(types)))
    for kind in kinds:
        time += draw(_STEPS)
        measure = measure + draw(_STEPS) if grows else draw(st.integers(0, 6))
        values = {**_decoded(draw(_VALUES)), "t": measure}
        lacking = draw(_LACKING)
        attributes = {name: value for name, value in values.items() if name not in lacking}
        tuples.append(EventTuple(kind, attributes, time * SECOND))
    return tuple(tuples)


def _decoded(number: int) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, known in _ATTRIBUTES.items():
        number, place = divmod(number, len(known))
        values[name] = known[place]
    return values


_STEPS = st.sampled_from((0, 1, 1, 2))
_LENGTHS = st.sampled_from((6, 5, 4, 7, 3, 2, 1, 0))


@st.composite
def ceql_cases(draw: DrawFn, queries: SearchStrategy[CeqlQuery] | None = None) -> CeqlCase:
    """Cases of CEQL: queries (or those of `queries`) on streams that they often match."""
    query = draw(queries if queries is not None else ceql_queries())
    readings = draw(ceql_readings(query))
    types = [phi.name for phi in subformulas(query.formula) if isinstance(phi, EventType)]
    for _ in range(_ATTEMPTS):
        streams = _bounded(query, _streams(draw, query, (*types, *types, "A", "D")))
        case = CeqlCase(query, streams, readings)
        if case.denotation():
            break
    return case


_ATTEMPTS = 3
"""Streams on which nothing matches are drawn anew, at most so often."""


def _streams(
    draw: DrawFn, query: CeqlQuery, types: Sequence[str]
) -> dict[str, tuple[EventTuple, ...]]:
    names = query.streams or STREAMS[:1]
    size = 7 if len(names) == 1 else 4
    word = () if draw(_RARELY) else tuple(_word(draw, query.formula))
    return {
        name: draw(tuple_streams(types, size=size, word=word[:size])) for name in names
    }


def _bounded(
    query: CeqlQuery, streams: dict[str, tuple[EventTuple, ...]]
) -> dict[str, tuple[EventTuple, ...]]:
    """The streams without their last tuples where the definitions would have too much to do."""
    while work(query, [t.type for t in merged(streams, query.streams)]) > MOST_WORK:
        longest = max(streams, key=lambda name: len(streams[name]))
        streams = {**streams, longest: streams[longest][:-1]}
    return streams


def _word(draw: DrawFn, phi: Formula) -> list[str]:
    """Types of tuples that the formula matches, if its conditions hold of them."""
    match phi:
        case EventType(name):
            return [name]
        case Followed(left, right) | Contiguous(left, right):
            return _word(draw, left) + _word(draw, right)
        case Disjunction(left, right):
            return _word(draw, left if draw(st.booleans()) else right)
        case Iteration(inner) | ContiguousIteration(inner):
            return [name for _ in range(draw(among((1, 2, 2)))) for name in _word(draw, inner)]
        case As(inner) | Filter(inner) | Projection(inner):
            return _word(draw, inner)
        case NotFormula():
            return [draw(among(TYPES))]


strategy = ceql_cases

__all__ = [
    "ceql_cases", "ceql_queries", "ceql_readings", "conditions", "formulas", "predicates",
    "tuple_streams",
]
