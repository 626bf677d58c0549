"""Shrinking CEQL cases: which simplifications there are and in which order they are tried."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias

from ...semantics.ceql.analysis import subformulas
from ...semantics.ceql.printing import to_text
from ...semantics.ceql.syntax import (
    And,
    AndCondition,
    Arithmetic,
    As,
    Attribute,
    CeqlQuery,
    Comparison,
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
    Literal,
    Name,
    Negative,
    Not,
    NotCondition,
    NotFormula,
    Or,
    OrCondition,
    Predicate,
    Sequence,
    Strategy,
    Term,
    VariableCondition,
    WindowUnit,
)
from ...semantics.streams.tuples import EventTuple, Value
from ..ceql_case import CeqlCase
from ..readings import departures, nearer_to_default
from .greedy import Descent

Measure: TypeAlias = tuple[Any, ...]

_TYPES = "ABCDEFGH"
_SECOND = 1_000_000_000
_SMALL = 8
_FEW = 3  # event types of which the smallest formulas are made


def shrink_ceql(
    case: CeqlCase, fails: Callable[[CeqlCase], bool], *, limit: int = 10_000
) -> CeqlCase:
    """The simplest case found that `fails` still, after at most `limit` calls of `fails`.

    `fails(case)` must be true of the case itself and depend on nothing but the case.
    """
    simplest = Descent(
        fails, passes=PASSES, measure=measure, identity=identity, limit=limit
    ).from_value(case)
    tidied = _with_types_in_order(simplest)
    return tidied if identity(tidied) != identity(simplest) and fails(tidied) else simplest


def identity(case: CeqlCase) -> Hashable:
    """A value that two cases share iff they are the same case."""
    streams = tuple(
        (name, tuple((t.type, tuple(t.attributes.items()), t.time) for t in stream))
        for name, stream in case.streams.items()
    )
    return case.query, repr(streams), case.readings


def measure(case: CeqlCase) -> Measure:
    """Compared from the left: formula, tuples, clauses, predicates, attributes, single values."""
    query = case.query
    tuples = [t for stream in case.streams.values() for t in stream]
    clauses = (
        (query.strategy is not Strategy.ALL) + (query.select is not None) + bool(query.partition)
        + (query.within is not None) + (query.consume is not Consumption.NONE)
        + (query.limit is not None) + len(query.streams) + len(query.declarations)
        + len(departures(case.readings))
    )
    return (
        sum(1 for _ in subformulas(query.formula)),
        len(tuples),
        clauses,
        len(to_text(query)),
        sum(len(t.attributes) for t in tuples),
        len(case.streams) + len({t.type for t in tuples}),
        sum(_weight(value) for t in tuples for value in t.attributes.values()),
        sum(abs(t.time or 0) for t in tuples) + sum(t.time is not None for t in tuples),
        to_text(query),
    )


def _weight(value: Value) -> float:
    if isinstance(value, str):
        return len(value)
    return abs(value) + (0.5 if isinstance(value, float) else 0)


# --- the query ------------------------------------------------------------------------------------


def simpler_queries(case: CeqlCase) -> Iterator[CeqlCase]:
    """Smaller formulas, conditions and predicates."""
    for phi in _smaller(case.query.formula):
        yield replace(case, query=replace(case.query, formula=phi))


def smallest_queries(case: CeqlCase) -> Iterator[CeqlCase]:
    """One of the smallest formulas in place of the whole: a way out where no part can go alone."""
    written = [phi.name for phi in subformulas(case.query.formula) if isinstance(phi, EventType)]
    arriving = [t.type for stream in case.streams.values() for t in stream]
    types = [EventType(name) for name in list(dict.fromkeys((*written, *arriving)))[:_FEW]]
    formulas: list[Formula] = [*types, *map(Iteration, types), *map(ContiguousIteration, types)]
    for operator in (Sequence, Contiguous, Disjunction):
        formulas += [operator(left, right) for left in types for right in types]
    for phi in formulas:
        yield replace(case, query=replace(case.query, formula=phi, select=None))


def simpler_in_shorter_windows(case: CeqlCase) -> Iterator[CeqlCase]:
    """Smaller formulas, whose matches are shorter, in smaller windows."""
    within = case.query.within
    if within is None:
        return
    unit = _SECOND if within.unit is WindowUnit.TIME else 1
    for smaller in simpler_queries(case):
        for value in range(0, min(within.value, _SMALL * unit), unit):
            query = replace(smaller.query, within=replace(within, value=value))
            yield replace(case, query=query)


def fewer_clauses(case: CeqlCase) -> Iterator[CeqlCase]:
    """Without a clause, with a plainer one, or with default readings."""
    query, default = case.query, CeqlQuery(case.query.formula)
    for name in ("strategy", "select", "partition", "within", "consume", "limit", "declarations"):
        yield replace(case, query=replace(query, **{name: getattr(default, name)}))
    for readings in nearer_to_default(case.readings):
        yield replace(case, readings=readings)
    for k in range(len(query.select or ())):
        assert query.select is not None
        chosen = (*query.select[:k], *query.select[k + 1 :])
        yield replace(case, query=replace(query, select=chosen))
    for k in range(len(query.partition)):
        lists = (*query.partition[:k], *query.partition[k + 1 :])
        yield replace(case, query=replace(query, partition=lists))
    if query.within is not None:
        for value in {0, 1, query.within.value // 2, query.within.value - 1} - {-1}:
            yield replace(
                case, query=replace(query, within=replace(query.within, value=value))
            )
    for value in range(query.limit or 0):
        yield replace(case, query=replace(query, limit=value))
    if len(case.streams) == 1:
        yield replace(case, query=replace(query, streams=()))
    for name in query.streams if len(query.streams) > 1 else ():
        yield replace(
            case,
            query=replace(query, streams=tuple(n for n in query.streams if n != name)),
            streams={n: s for n, s in case.streams.items() if n != name},
        )


def _smaller(phi: Formula) -> Iterator[Formula]:
    """Formulas with less in them: a part in place of the whole, then parts made smaller."""
    match phi:
        case Sequence(left, right) | Contiguous(left, right) | Disjunction(left, right):
            yield left
            yield right
            for each in _smaller(left):
                yield type(phi)(each, right)
            for each in _smaller(right):
                yield type(phi)(left, each)
            if isinstance(phi, Contiguous):
                yield Sequence(left, right)
        case Iteration(inner) | ContiguousIteration(inner):
            yield inner
            for each in _smaller(inner):
                yield type(phi)(each)
            if isinstance(phi, ContiguousIteration):
                yield Iteration(inner)
        case As(inner, variable):
            yield inner
            for each in _smaller(inner):
                yield As(each, variable)
        case NotFormula(inner):
            yield inner
            for each in _smaller(inner):
                if isinstance(each, EventType | Filter):
                    yield NotFormula(each)
        case Filter(inner, condition):
            yield inner
            for each in _smaller(inner):
                yield Filter(each, condition)
            for smaller in _smaller_conditions(condition):
                yield Filter(inner, smaller)
        case EventType(name, stream):
            if stream is not None:
                yield EventType(name)
        case _:
            pass


def _smaller_conditions(condition: Condition) -> Iterator[Condition]:
    match condition:
        case AndCondition(left, right) | OrCondition(left, right):
            yield left
            yield right
            for each in _smaller_conditions(left):
                yield type(condition)(each, right)
            for each in _smaller_conditions(right):
                yield type(condition)(left, each)
        case NotCondition(operand):
            yield operand
            for each in _smaller_conditions(operand):
                yield NotCondition(each)
        case VariableCondition(variable, predicate):
            for smaller in _smaller_predicates(predicate):
                yield VariableCondition(variable, smaller)


def _smaller_predicates(predicate: Predicate) -> Iterator[Predicate]:
    match predicate:
        case And(left, right) | Or(left, right):
            yield left
            yield right
            for each in _smaller_predicates(left):
                yield type(predicate)(each, right)
            for each in _smaller_predicates(right):
                yield type(predicate)(left, each)
        case Not(operand):
            yield operand
            for each in _smaller_predicates(operand):
                yield Not(each)
        case Comparison(operator, left, right):
            for term in _smaller_terms(left):
                yield Comparison(operator, term, right)
            for term in _smaller_terms(right):
                yield Comparison(operator, left, term)
        case In(attribute, values, negated):
            if not isinstance(values, Interval) and len(values) > 1:
                for k in range(len(values)):
                    yield In(attribute, (*values[:k], *values[k + 1 :]), negated)
            if negated:
                yield In(attribute, values)
        case _:
            pass


def _smaller_terms(term: Term) -> Iterator[Term]:
    match term:
        case Arithmetic(_, left, right):
            yield left
            yield right
        case Negative(operand):
            yield operand
        case Literal(value) if not isinstance(value, str | bool) and value not in (0, 1):
            yield Literal(0)
            yield Literal(1)
        case _:
            pass


# --- the data -------------------------------------------------------------------------------------


def fewer_tuples(case: CeqlCase) -> Iterator[CeqlCase]:
    """Without whole streams, then without ever smaller blocks of tuples (delta debugging)."""
    for name in case.streams:
        if name not in case.query.streams:
            yield replace(case, streams={n: s for n, s in case.streams.items() if n != name})
    for name, stream in case.streams.items():
        size = len(stream)
        while size:
            for begin in range(0, len(stream), size):
                rest = (*stream[:begin], *stream[begin + size :])
                yield replace(case, streams={**case.streams, name: rest})
            size //= 2


def fewer_attributes(case: CeqlCase) -> Iterator[CeqlCase]:
    """Without an attribute in all tuples, or in one."""
    names = {name for s in case.streams.values() for t in s for name in t.attributes}
    for name in sorted(names):
        yield _mapped(case, lambda t, name=name: _without(t, name))  # type: ignore[misc]
    for stream, k, t in _places(case):
        for name in t.attributes:
            yield _with(case, stream, k, _without(t, name))


def plainer_values(case: CeqlCase) -> Iterator[CeqlCase]:
    """Smaller numbers, shorter strings, the first event types, arrival times from 0 on or none."""
    yield _mapped(case, lambda t: EventTuple(t.type, t.attributes))
    times = sorted({t.time for s in case.streams.values() for t in s if t.time is not None})
    yield _mapped(
        case,
        lambda t: t if t.time is None else replace(t, time=times.index(t.time) * _SECOND),
    )
    yield _mapped(case, lambda t: t if t.time is None else replace(t, time=0))
    for stream, k, t in _places(case):
        for name, value in t.attributes.items():
            for plainer in _plainer(value):
                yield _with(
                    case, stream, k, replace(t, attributes={**t.attributes, name: plainer})
                )
        for other in _TYPES[: max(_TYPES.find(t.type), 0)]:
            yield _with(case, stream, k, replace(t, type=other))


def _plainer(value: Value) -> Iterator[Value]:
    if isinstance(value, bool):
        yield False
    elif isinstance(value, int):
        yield from (0, 1, value // 2)
    elif isinstance(value, float):
        yield from (0.0, 1.0)
    else:
        yield from ("", value[:1])


def _without(t: EventTuple, name: str) -> EventTuple:
    return replace(t, attributes={n: v for n, v in t.attributes.items() if n != name})


def _places(case: CeqlCase) -> Iterator[tuple[str, int, EventTuple]]:
    for name, stream in case.streams.items():
        for k, t in enumerate(stream):
            yield name, k, t


def _with(case: CeqlCase, name: str, k: int, t: EventTuple) -> CeqlCase:
    stream = case.streams[name]
    return replace(case, streams={**case.streams, name: (*stream[:k], t, *stream[k + 1 :])})


def _mapped(case: CeqlCase, change: Callable[[EventTuple], EventTuple]) -> CeqlCase:
    streams = {name: tuple(map(change, stream)) for name, stream in case.streams.items()}
    return replace(case, streams=streams)


def _with_types_in_order(case: CeqlCase) -> CeqlCase:
    """With event types called A, B, … in the order of the text, then of the streams."""
    written = [phi.name for phi in subformulas(case.query.formula) if isinstance(phi, EventType)]
    arriving = [t.type for stream in case.streams.values() for t in stream]
    names = dict(zip(dict.fromkeys((*written, *arriving)), _TYPES, strict=False))
    query = case.query
    chosen = query.select and tuple(
        replace(each, variable=_renamed(each.variable, names)) for each in query.select
    )
    query = replace(query, formula=_renamed(query.formula, names), select=chosen)
    return _mapped(
        replace(case, query=query), lambda t: replace(t, type=names.get(t.type, t.type))
    )


def _renamed(tree: Any, names: Mapping[str, str]) -> Any:
    """A part of a query with other names for its event types."""
    if isinstance(tree, EventType | Name):
        return replace(tree, name=names.get(tree.name, tree.name))
    if not is_dataclass(tree) or isinstance(tree, Attribute | Literal | Interval):
        return tree
    changed = {
        f.name: _renamed(getattr(tree, f.name), names)
        for f in fields(tree) if is_dataclass(getattr(tree, f.name))
    }
    return replace(tree, **changed)  # type: ignore[type-var]


PASSES: tuple[Callable[[CeqlCase], Iterator[CeqlCase]], ...] = (
    simpler_queries, fewer_tuples, fewer_clauses, smallest_queries, simpler_in_shorter_windows,
    fewer_attributes, plainer_values,
)
