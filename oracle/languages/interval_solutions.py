"""Interval solutions as JSON objects and as answers (EP-SPARQL and CQELS-CEP return them).

    IntervalSolution <-> {"interval": [t1, t2], "solution": {"c": TERM, …}}
    IntervalGraph    <-> {"interval": [t1, t2], "graph": [{"subject": TERM, …}, …]}   CONSTRUCT
    Reported         <-> {"at": t, …}         one of these under RSTREAM, ISTREAM or DSTREAM
    bool             <-> {"boolean": true}                                             ASK

An instant is an integer: on dateTime streams, microseconds since 1970-01-01T00:00:00Z.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

from rdflib.term import Variable

from ...semantics.model.interval_solutions import (
    Interval,
    IntervalResult,
    IntervalSolution,
    Reported,
)
from ...semantics.model.items import IntervalGraph
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import Graph, Triple
from ..checking.comparison import times_listed
from ..checking.levels import Answer, Level, truth
from ..results.json_objects import (
    JsonObject,
    ResultError,
    instant_from_json,
    mapping_from_json,
    mapping_to_json,
    result_fields,
    sort_key,
)

LEVELS: tuple[Level, ...] = ("solutions", "bag", "row")
"""The levels at which interval solutions can be compared, their own first."""

TRIPLE = (Variable("subject"), Variable("predicate"), Variable("object"))


def result_to_json(result: IntervalResult, order: Sequence[Variable] = ()) -> JsonObject:
    """Return the result object of a solution, its variables in this order.

    >>> result_to_json(IntervalSolution(1, 4, SolutionMapping()))
    {'interval': [1, 4], 'solution': {}}
    """
    match result:
        case bool():
            return {"boolean": result}
        case Reported(time, element):
            return {"at": time, **result_to_json(element, order)}
        case IntervalGraph(start, end, graph):
            return {"interval": [start, end], "graph": graph_to_json(graph)}
        case IntervalSolution(start, end, mu):
            return {"interval": [start, end], "solution": mapping_to_json(mu, order)}


def result_from_json(
    written: object, title: str = "interval", known: Collection[str] = ("interval", "solution")
) -> IntervalResult:
    """Return the result behind a result object; raises ResultError if it is none.

    `title` is the language's, for the message, `known` are the fields of its results.
    """
    fields = result_fields(written)
    for name in fields:
        if name not in known:
            raise ResultError(f"a result of {title} has no field '{name}'")
    if "boolean" in fields:
        told = fields["boolean"]
        if not isinstance(told, bool) or len(fields) > 1:
            raise ResultError("'boolean' is true or false, and says all")
        return told
    kinds = [name for name in ("solution", "graph") if name in fields]
    for name in ("interval", "solution"):
        if name not in fields and (name == "interval" or not kinds):
            raise ResultError(f"a result of {title} needs '{name}'")
    if len(kinds) > 1:
        raise ResultError("a result has a 'solution' or a 'graph'")
    start, end = interval_from_json(fields["interval"])
    given = fields[kinds[0]]
    element: IntervalSolution | IntervalGraph
    if kinds[0] == "graph":
        if not isinstance(given, list | tuple | frozenset | set):
            raise ResultError("'graph' is a list of triples")
        element = IntervalGraph(start, end, graph_of(map(_mapping, given)))
    else:
        element = IntervalSolution(start, end, _mapping(given))
    return Reported(instant_from_json(fields["at"]), element) if "at" in fields else element


def _mapping(given: object) -> SolutionMapping:
    return given if isinstance(given, SolutionMapping) else mapping_from_json(given)


def triple_mapping(triple: Triple) -> SolutionMapping:
    """Return a triple as what ?subject, ?predicate and ?object are bound to."""
    return SolutionMapping(zip(TRIPLE, triple, strict=True))


def triple_mappings(graph: Graph) -> list[SolutionMapping]:
    """Return the triples of a graph as such mappings, in an order that is the same on every run."""
    return sorted(map(triple_mapping, graph), key=sort_key)


def graph_to_json(graph: Graph) -> list[JsonObject]:
    """Return the `graph` of a result object."""
    return [mapping_to_json(each, TRIPLE) for each in triple_mappings(graph)]


def graph_of(rows: Iterable[SolutionMapping]) -> Graph:
    """Return the inverse of `triple_mapping`, for the triples of a graph."""
    triples = set()
    for row in rows:
        parts = tuple(row.get(name) for name in TRIPLE)
        if None in parts or len(row) != len(TRIPLE):
            raise ResultError("a triple of a graph has 'subject', 'predicate' and 'object'")
        triples.add(cast(Triple, parts))
    return frozenset(triples)


def interval_from_json(written: object) -> Interval:
    """[t1, t2], with t1 ≤ t2."""
    if not isinstance(written, (list, tuple)) or len(written) != 2:
        raise ResultError(f"an interval is a pair of instants, not {written!r}")
    start, end = map(instant_from_json, written)
    if start > end:
        raise ResultError(f"an interval ends when it begins or later, [{start}, {end}] does not")
    return start, end


def answers(
    results: Iterable[IntervalResult | Mapping[str, Any]],
    *,
    title: str,
    known: Collection[str] = ("interval", "solution"),
) -> list[Answer]:
    """Return results, or result objects, as answers: the interval is the answer's time, together
    with the evaluation time under a stream operator; ASK's answer has none.
    """
    found: list[Answer] = []
    for result in results:
        if not isinstance(result, Mapping):
            found.append(_answer(result))
            continue
        answer = _answer(result_from_json(result, title, known))
        listed = result.get("graph", ())
        rows = [_mapping(row) for row in listed] if isinstance(listed, list | tuple) else listed
        found.extend([answer] * times_listed(rows))
    return found


def _answer(result: IntervalResult) -> Answer:
    match result:
        case bool():
            return Answer(None, result)
        case Reported(time, element):
            inner = _answer(element)
            return Answer((time, inner.time), inner.content)
        case IntervalGraph(start, end, graph):
            return Answer((start, end), frozenset(map(triple_mapping, graph)))
        case IntervalSolution(start, end, mu):
            return Answer((start, end), mu)


def result_of(answer: Answer) -> IntervalResult:
    """Return the result behind an answer."""
    if answer.time is None:
        return cast(bool, answer.content)
    match answer.time:
        case (int() as at, (_, _) as interval):
            return Reported(at, _element(cast(Interval, interval), answer.content))
    return _element(cast(Interval, answer.time), answer.content)


def _element(interval: Interval, content: object) -> IntervalSolution | IntervalGraph:
    start, end = interval
    if isinstance(content, frozenset):
        return IntervalGraph(start, end, graph_of(cast("frozenset[SolutionMapping]", content)))
    return IntervalSolution(start, end, cast(SolutionMapping, content))


def order(result: IntervalResult) -> tuple[Any, ...]:
    """Return a sort key: by evaluation time, by end, then by start, as they become certain."""
    match result:
        case bool():
            return ()
        case Reported(time, element):
            return (time, *order(element))
        case IntervalGraph(start, end, graph):
            return end, start, sorted(sort_key(triple_mapping(triple)) for triple in graph)
        case IntervalSolution(start, end, mu):
            return end, start, sort_key(mu)


FLAT_FIELDS = ("start", "end")
"""The fields of a table's row besides the solution; none for ASK."""


def flat_rows(result: IntervalResult) -> list[tuple[tuple[int | None, ...], SolutionMapping]]:
    """Return the row of a solution, or one for each triple of a graph."""
    match result:
        case bool():
            return [((), truth(result))]
        case Reported(time, element):
            return [((time, *fields), mu) for fields, mu in flat_rows(element)]
        case IntervalGraph(start, end, graph):
            return [((start, end), each) for each in triple_mappings(graph)]
        case IntervalSolution(start, end, mu):
            return [((start, end), mu)]
