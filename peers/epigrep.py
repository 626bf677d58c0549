"""Epigrep as an engine: CEQL's sequences as patterns of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..oracle.cases.case import Case
from ..oracle.engines.capabilities import all_but
from ..semantics.ceql.syntax.tree import (
    And,
    As,
    Attribute,
    CeqlQuery,
    Comparison,
    Constant,
    Disjunction,
    EventType,
    Filter,
    Formula,
    In,
    Interval,
    Literal,
    Negative,
    Or,
    Predicate,
    Term,
    WindowUnit,
)
from ..semantics.ceql.syntax.tree import Sequence as Followed
from ..semantics.model.errors import UnsupportedError
from ..semantics.model.tuples import EventTuple, merged
from .hosted import HostedEngine, peer
from .tuple_conditions import Asked, asked_of_tuple, asked_within, ways

_HOST: Final = Path(__file__).with_name("epigrep_host.py")
_MOST: Final = 400  # patterns
_SECOND: Final = 1_000_000_000

Test: TypeAlias = tuple[str, str, Constant]
"""(attribute, operator, value)"""


class Epigrep(HostedEngine):
    """Epigrep's exhaustive matching. Raises EngineError where it is not to be had."""

    side_by_side = 1

    def __init__(self, timeout: float) -> None:
        super().__init__(
            peer("epigrep", "epigrep").words(_HOST), timeout, name="epigrep", language="ceql",
            level="positions", capabilities=CAPABILITIES,
        )

    def question(self, case: Case) -> dict[str, Any]:
        return question(case)

    def translation(self, question: Mapping[str, Any]) -> str:
        return "\n".join(map(_written, question["patterns"]))

    def run(self, case: Case) -> list[Any]:
        # Several patterns say what one formula does: what two of them find is found once.
        found = {tuple(places) for places in super().run(case)}
        return [
            {"start": places[0], "end": places[-1], "positions": list(places)} for places in found
        ]


CAPABILITIES: Final = {
    "operators": [";", "OR", "AS", "FILTER", "S>R"],
    "conditions": all_but("ceql", "conditions", "NOT θ"),
    # A predicate compares an attribute with a value; strings have no order.
    "predicates": ["IN", "NOT IN", "interval", "P AND P", "P OR P", "TRUE, FALSE"],
    "strategies": [],
    "windows": ["no WITHIN", "WITHIN events", "WITHIN time"],
    "clauses": ["PARTITION BY", "several lists", "several streams"],
    "readings": [],
    "streams": ["1", "2"],
}  # fmt: skip
"""The features of Epigrep's patterns."""


@dataclass(frozen=True)
class Atom:
    """One event: its type, and what its attributes are asked."""

    type: str
    tests: tuple[Test, ...]


def question(case: Case) -> dict[str, Any]:
    """Return a case as events and patterns; raises UnsupportedError where there are none."""
    query: CeqlQuery = case.tree
    streams = {str(name): list(stream) for name, stream in case.streams.items()}
    tuples = list(merged(streams, query.streams))
    patterns = [
        _steps(atoms, gaps)
        for atoms in sequences(query.formula, ())
        for gaps in _gaps(query, len(atoms) - 1)
    ]
    if len(patterns) > _MOST:
        raise UnsupportedError("too many patterns without alternatives")
    return {"patterns": patterns, "events": list(_events(query, tuples))}


def sequences(phi: Formula, asked: Asked) -> list[tuple[Atom, ...]]:
    """Return the sequences of events that a formula stands for, of which any may match."""
    match phi:
        case EventType(name, stream):
            told: tuple[Test, ...] = () if stream is None else (("source", "eq", stream),)
            own = [_tests(p) for p in asked_of_tuple(phi, asked)]
            return [(Atom(name, (*told, *sum(tests, ()))),) for tests in product(*own)]
        case As(inner):
            return sequences(inner, asked_within(phi, asked))
        case Filter(inner, condition):
            return [each for way in ways(condition) for each in sequences(inner, asked + way)]
        case Disjunction(left, right):
            return sequences(left, asked) + sequences(right, asked)
        case Followed(left, right):
            return [
                first + second
                for first, second in product(sequences(left, asked), sequences(right, asked))
            ]
        case _:
            raise UnsupportedError(f"{type(phi).__name__} is no sequence of steps")


def _tests(predicate: Predicate) -> list[tuple[Test, ...]]:
    """Return the ways in which a predicate holds, each a conjunction of comparisons."""
    match predicate:
        case Comparison(operator, Attribute(name), right):
            return [((f"a_{name}", _OPERATORS[operator], _value(right)),)]
        case Comparison(operator, left, Attribute(name)):
            return [((f"a_{name}", _OPERATORS[_TURNED.get(operator, operator)], _value(left)),)]
        case In(attribute, Interval(low, high), negated):
            below, above = ("lt", "gt") if negated else ("gte", "lte")
            ends = [(f"a_{attribute.name}", below, low), (f"a_{attribute.name}", above, high)]
            told = tuple((name, by, end) for name, by, end in ends if end is not None)
            return [(each,) for each in told] if negated else [told]
        case In(attribute, tuple() as values, negated):
            if negated:
                return [tuple((f"a_{attribute.name}", "ne", value) for value in values)]
            return [((f"a_{attribute.name}", "eq", value),) for value in values]
        case And(left, right):
            return [one + other for one, other in product(_tests(left), _tests(right))]
        case Or(left, right):
            return _tests(left) + _tests(right)
        case _:
            raise UnsupportedError("a predicate of Epigrep compares an attribute with a value")


def _value(term: Term) -> Constant:
    match term:
        case Literal(value):
            return value
        case Negative(Literal(int() | float() as value)):
            return -value
        case _:
            raise UnsupportedError("a predicate of Epigrep compares an attribute with a value")


_OPERATORS: Final = {"=": "eq", "!=": "ne", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
_TURNED: Final[dict[str, str]] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _gaps(query: CeqlQuery, transitions: int) -> Iterator[tuple[int | None, ...]]:
    """Yield the maximum distances of each step from the one before it.

    A window measures a whole match: it is all the ways in which the steps may share it.
    """
    if query.within is None or not transitions:
        yield (None,) * transitions
        return
    extent = query.within.value
    if query.within.unit is WindowUnit.TIME:
        if extent % _SECOND:
            raise UnsupportedError("a window that is finer than a second")
        extent //= _SECOND
    elif query.within.unit is not WindowUnit.EVENTS:
        raise UnsupportedError("Epigrep measures timestamps alone")
    if comb(extent + transitions - 1, transitions - 1) > _MOST:
        raise UnsupportedError("too many ways in which the steps may share a window")
    for bars in combinations(range(extent + transitions - 1), transitions - 1):
        ends = (-1, *bars, extent + transitions - 1)
        yield tuple(ends[k + 1] - ends[k] - 1 for k in range(transitions))


def _steps(atoms: tuple[Atom, ...], gaps: tuple[int | None, ...]) -> list[dict[str, Any]]:
    return [
        {"type": atom.type, "where": atom.tests, "within": gap}
        for atom, gap in zip(atoms, (None, *gaps), strict=True)
    ]


def _written(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return a pattern as calls of Epigrep's builder."""
    calls: list[str] = []
    for step in steps:
        within = "" if step["within"] is None else f", within={step['within']}"
        calls.append(f"then({step['type']!r}{within})" if calls else f"event({step['type']!r})")
        calls += [f"where_{by}({name!r}, {value!r})" for name, by, value in step["where"]]
    return ".".join(["Pattern", *calls, "build()"])


def _events(query: CeqlQuery, tuples: list[EventTuple]) -> Iterator[list[Any]]:
    """Yield the tuples that are in a partition, with its name."""
    keys = [name for names in query.partition for name in names]
    timed = query.within is not None and query.within.unit is WindowUnit.TIME
    for place, each in enumerate(tuples):
        own = [each.get(name) for name in keys]
        if None in own:
            continue
        timestamp = place
        if timed:
            if each.time is None or each.time % _SECOND:
                raise UnsupportedError("no arrival times in seconds")
            timestamp = each.time // _SECOND
        attributes = {f"a_{name}": value for name, value in each.attributes.items()}
        yield [
            " ".join(map(_key, own)), timestamp, each.type,
            {**attributes, "source": each.stream, "place": place},
        ]


def _key(value: object) -> str:
    """Return a key by which numbers agree by value, and with numbers alone."""
    is_whole = isinstance(value, float) and value.is_integer()
    return repr(int(value) if is_whole else value)  # type: ignore[call-overload]
