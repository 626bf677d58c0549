"""CORE, the engine of the paper that CEQL comes from (PyPI: pycer; CPython 3.13 on x86-64).

It runs in a process of its own, under an interpreter that has pycer: the one that
DENOTA_CORE_PYTHON names, this one, or the first python3.13 on the PATH.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ..oracle.cases.case import Case
from ..oracle.engines.capabilities import all_but, capabilities_of
from ..semantics.ceql.syntax.tree import (
    Attribute,
    CeqlQuery,
    EventType,
    NotFormula,
    VariableCondition,
    WindowUnit,
)
from ..semantics.model.errors import UnsupportedError
from ..semantics.model.trees import find, has
from ..semantics.model.tuples import EventTuple, Value, merged
from .hosted import HostedEngine, PythonPackage

_HOST: Final = Path(__file__).with_name("core_host.py")
PYCER: Final = PythonPackage(
    engine="core",
    module="pycer",
    variable="DENOTA_CORE_PYTHON",
    advice="CPython 3.13: pip install 'denota[core]'",
    programs=("python3.13",),
)
_POSITION: Final = "denota_position"
"""An attribute that every event gets: CORE shows the values of what it found, not its place."""

_NOTHING: Final = "DenotaNothing"
"""A type of events that do not come."""

_TYPES: Final = {bool: "boolean", int: "int", float: "double", str: "string"}


class Core(HostedEngine):
    """CORE's offline server in a process of its own, asked one case after the other.

    Raises EngineError where pycer is not to be had.
    """

    side_by_side, at_once = 12, 2  # it waits 0.1 s before each output

    def __init__(self, timeout: float) -> None:
        super().__init__(
            PYCER.words(_HOST), timeout, name="core", language="ceql", level="positions",
            capabilities=CAPABILITIES,
        )

    def varied(self, number: int) -> Core:
        """Return this engine, in turns for queries whose positions CORE reports and for the others.

        Asked for all of it at once, half of what is generated could not be compared.
        """
        turn = TURNS[number % len(TURNS)]
        self.capabilities["ceql"] = capabilities_of("ceql", {**CAPABILITIES, **turn})
        return self

    def question(self, case: Case) -> dict[str, Any]:
        return question(case)

    def translation(self, question: Mapping[str, Any]) -> str:
        return "\n".join([*question["declarations"], question["query"]])

    def result(self, case: Case, found: Any) -> dict[str, Any]:
        return _result(case.tree, found)


_PARTITIONS: Final = ("PARTITION BY", "several lists", "CONSUME BY PARTITION")

CAPABILITIES: Final[Mapping[str, list[str]]] = {
    "operators": all_but("ceql", "operators", "SELECT in a formula"),
    # Its grammar has no NOT θ, no string behind < or the like, and no TRUE. It refuses a variable
    # that is bound further out ("is not defined").
    "conditions": all_but("ceql", "conditions", "NOT θ", "θ on what is bound outside"),
    "predicates": all_but("ceql", "predicates", "order of strings", "TRUE, FALSE"),
    "readings": ["within=core", "partition=core"],
    "streams": ["1", "2"],
    # An event has a value for every attribute that is declared, and a query asks for declared ones.
    "data": [
        "comparison of different types", "empty stream", "equal times", "several partitions",
    ],
}  # fmt: skip
"""The capabilities that CORE claims, as far as they can be compared."""

TURNS: Final[tuple[Mapping[str, list[str]], ...]] = (
    {"windows": ["WITHIN events"], "clauses": all_but("ceql", "clauses", *_PARTITIONS)},
    {
        "clauses": all_but("ceql", "clauses", "projection", "SELECT NONE"),
        "operators": all_but("ceql", "operators", "NOT", "SELECT in a formula"),
    },
)
"""Parts of it: without what keeps CORE from telling positions, and with nothing that needs them."""


def question(case: Case) -> dict[str, Any]:
    """Return a case in CORE's terms; raises UnsupportedError where CORE has none."""
    query: CeqlQuery = case.tree
    within = query.within
    if query.declarations:
        raise UnsupportedError("declarations in the query")
    if query.limit is not None and case.readings.limit == "query":
        raise UnsupportedError("CORE limits the results at each event: the reading limit=event")
    if not _tells_positions(query) and (
        query.select is not None or has(query.formula, NotFormula)
    ):
        raise UnsupportedError("CORE does not say in positions where a complex event lies")
    if within and within.unit is WindowUnit.ATTRIBUTE and case.readings.within == "paper":
        within = replace(within, value=within.value + 1)  # n [attribute] is at most n - 1 there
    streams = {str(name): list(stream) for name, stream in case.streams.items()}
    streams.update((name, []) for name in query.streams if name not in streams)
    types = {name: _types(name, stream, _asked(query, name)) for name, stream in streams.items()}
    _check_declared(query, types)
    arrived = list(merged(streams, query.streams))
    if within and within.unit is WindowUnit.TIME:
        _check_times(arrived)
    asked = replace(query, within=within, streams=query.streams or tuple(streams))
    return {
        "query": case.language.print(asked),
        "declarations": [_declaration(name, kinds) for name, kinds in types.items()],
        "events": [
            [
                each.stream, each.type, _values(each, position, types[str(each.stream)][each.type]),
                each.time,
            ]
            for position, each in enumerate(arrived)
        ],
    }


def _asked(query: CeqlQuery, stream: str) -> list[str]:
    """Return the types of events that a query asks for in a stream."""
    kinds = find(query.formula, EventType)
    return sorted({each.name for each in kinds if each.stream in (None, stream)})


def _types(
    stream: str, tuples: list[EventTuple], asked: Iterable[str]
) -> dict[str, dict[str, str]]:
    """Return the attributes of each type of event, with their types; raises UnsupportedError."""
    found: dict[str, dict[str, str]] = {}
    for each in tuples:
        own = {name: _TYPES[type(value)] for name, value in each.attributes.items()}
        if found.setdefault(each.type, own) != own:
            raise UnsupportedError(f"events of type {each.type} of {stream} differ in attributes")
    anyone: dict[str, str] = {}
    for own in found.values():
        anyone.update(own)
    declared = {**dict.fromkeys(asked, anyone), **found}
    return declared or {_NOTHING: {}}  # a stream without events has no declaration


def _check_declared(
    query: CeqlQuery, types: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> None:
    """Raise UnsupportedError where a condition on an event type asks for an undeclared attribute.

    CORE compares attributes that every event of the type has.
    """
    for condition in find(query.formula, VariableCondition):
        name = condition.variable
        declared = [
            kinds[name.name] for stream, kinds in types.items()
            if name.name in kinds and name.stream in (None, stream)
        ]
        for attribute in find(condition.predicate, Attribute):
            if any(attribute.name not in each for each in declared):
                raise UnsupportedError(f"{name} has no declared attribute {attribute.name}")


def _check_times(arrived: Sequence[EventTuple]) -> None:
    """Raise UnsupportedError where denota refuses events, and CORE takes them."""
    times = [each.time for each in arrived]
    known = [time for time in times if time is not None]
    if len(known) < len(times) or known != sorted(known):
        raise UnsupportedError("a window of time over events without times or out of order")


def _declaration(stream: str, types: Mapping[str, Mapping[str, str]]) -> str:
    events = (
        f"EVENT {kind} {{ {', '.join(_declared(attributes))} }}"
        for kind, attributes in types.items()
    )
    return f"CREATE STREAM {stream} {{ {', '.join(events)} }}"


def _declared(attributes: Mapping[str, str]) -> Iterator[str]:
    for name, kind in attributes.items():
        yield f"{name}:{kind}"
    yield f"{_POSITION}:int"


def _values(
    each: EventTuple, position: int, types: Mapping[str, str]
) -> list[tuple[str, Value]]:
    return [
        *((kind, each.attributes[name]) for name, kind in types.items()), ("int", position),
    ]


def _result(query: CeqlQuery, found: dict[str, Any]) -> dict[str, Any]:
    """Return the language's result: an interval of positions, whatever CORE says of it."""
    if _tells_positions(query):
        return found
    places = found["positions"]
    return {"start": min(places), "end": max(places), "positions": places}


def _tells_positions(query: CeqlQuery) -> bool:
    """Return True if CORE's intervals are of positions among the events that it gets.

    In windows of an attribute or of time they are of its values, and under PARTITION BY events
    without the attribute do not count.
    """
    within = query.within
    return within is not None and within.unit is WindowUnit.EVENTS and not query.partition
