"""Explainers: the results of a case, the rows that a user requests, and their derivations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rdflib.term import BNode, URIRef

from ...semantics.model.interval_solutions import IntervalResult, IntervalSolution, Reported
from ...semantics.model.items import IntervalGraph, Item
from ...semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Value
from ...semantics.rdf.evaluation import solutions
from ...semantics.rdf.syntax.tree import Filter, GroupGraphPattern
from ...semantics.rdf.syntax.variables import conjuncts, self_contained, within
from ..cases.case import Case
from ..checking.levels import Answer, mappings
from ..languages.base import Pattern
from ..languages.interval_solutions import triple_mapping
from .derivations import Goal
from .timeline import Lane, Mark
from .wording import Words

_WHEN = ("time", "rank", "window", "at", "interval", "boolean")


@dataclass(frozen=True)
class RequestedRow:
    """A partial row: bindings `mu`, and its time (`time`, `window`, `interval`, …)."""

    mu: SolutionMapping = EMPTY_MAPPING
    when: Mapping[str, Any] = field(default_factory=dict)

    def is_in(self, row: FoundRow) -> bool:
        """Return whether a row has all requested values."""
        return covers(self.mu, row.mu) and all(
            value in (row.when.get(name), None) for name, value in self.when.items()
        )


@dataclass(frozen=True)
class FoundRow:
    """A row of a result; `number` counts results from 1."""

    number: int
    mu: SolutionMapping
    when: Mapping[str, Any]


def requested_rows(result: Mapping[str, Any]) -> list[RequestedRow]:
    """Return the partial rows of a result object; fields that it omits may have any value."""
    when = {
        name: tuple(value) if isinstance(value, list | tuple) else value
        for name, value in result.items() if name in _WHEN
    }
    mus = [*result.get("solutions", ()), *result.get("graph", ())]
    mus += [result["solution"]] if "solution" in result else []
    return [RequestedRow(mu, when) for mu in mus or [EMPTY_MAPPING]]


def covers(requested: SolutionMapping, mu: SolutionMapping) -> bool:
    """Return whether μ has all requested bindings; a blank node matches any one blank node."""
    nodes: dict[BNode, BNode] = {}
    return (
        all(v in mu and _same(value, mu[v], nodes) for v, value in requested.items())
        and len(set(nodes.values())) == len(nodes)
    )


def _same(wanted: Value, value: Value, nodes: dict[BNode, BNode]) -> bool:
    if isinstance(wanted, tuple) or isinstance(value, tuple):
        return (
            isinstance(wanted, tuple) and isinstance(value, tuple) and len(wanted) == len(value)
            and all(_same(one, other, nodes) for one, other in zip(wanted, value, strict=True))
        )
    if isinstance(wanted, BNode):
        return isinstance(value, BNode) and nodes.setdefault(wanted, value) == value
    return wanted == value


def comparable(mu: SolutionMapping) -> SolutionMapping:
    """Return μ without blank nodes and lists, for comparison with parts of a solution."""
    return mu.without(v for v, value in mu.items() if isinstance(value, BNode | tuple))


class Explainer(ABC):
    """The explainer of one case: a goal for each result and for each requested row.

    A request is a `RequestedRow`, or the type that a language reads from a result object instead.
    """

    noun = "solution"
    a_noun = "a solution"

    def __init__(self, case: Case) -> None:
        self.case = case

    @cached_property
    def words(self) -> Words:
        """The texts for terms, times and items of the case."""
        return Words(self.case)

    @cached_property
    def results(self) -> list[Any]:
        """The results of the oracle to explain, in the order of printing."""
        return sorted(self.evaluated(), key=self.case.language.order)

    def evaluated(self) -> Iterable[Any]:
        """Return the results of the oracle."""
        return self.case.language.evaluate(self.case.tree, **self.case.inputs)

    @cached_property
    def rows(self) -> list[FoundRow]:
        """The rows of all results."""
        return [
            row for number, result in enumerate(self.results, start=1)
            for row in self.rows_of(number, result)
        ]

    def lanes(self) -> Iterator[Lane]:
        """Yield the streams with their items, for the timeline."""
        rejecting = rejections(self.case, self.words.text)
        for iri, items in self.case.streams.items():
            name = self.words.stream(iri)
            yield Lane(name, tuple(
                Mark(
                    item.start, item.end,
                    self.words.term(item.name) if isinstance(item.name, URIRef) else "·",
                    self.words.triples(item.graph), rejected_by=rejecting(iri, item),
                )
                for item in items
            ), frozenset({name, str(iri)}))

    @property
    def items(self) -> int:
        """The number of items of the timeline."""
        return sum(map(len, self.case.streams.values()))

    @cached_property
    def timeline_lanes(self) -> list[Lane]:
        """The lanes, the same for all explanations of the case."""
        return list(self.lanes())

    def instant(self, time: int) -> str:
        """Return the label of an instant in the timeline."""
        return self.words.instant(time)

    @abstractmethod
    def rows_of(self, number: int, result: Any) -> Iterable[FoundRow]:
        """Return the rows of the result with this number."""

    def row_text(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        """Return a partial row in one line."""
        instant, interval = self.words.instant, self.words.interval
        at = when.get("time", when.get("at"))
        rank = when.get("rank")
        parts = [] if at is None else [
            f"at ({instant(at)}, {rank})" if rank else f"at {instant(at)}"
        ]
        if when.get("window") is not None:
            parts.append(f"in the window {interval(when['window'])}")
        if "boolean" in when:
            parts.append("yes" if when["boolean"] else "no")
        held = [self.words.mapping(mu)] if mu else []
        if "interval" in when:
            held.append(f"over {interval(when['interval'])}")
        return ", ".join([*parts, *([" ".join(held)] if held else [])]) or "any row"

    @abstractmethod
    def presence(self, number: int) -> Goal:
        """Return the goal of the result with this number."""

    @abstractmethod
    def absence(self, request: Any) -> Goal:
        """Return the goal of a requested row that is not a result."""

    # --- requests, which a language may define ----------------------------------------------

    def result_text(self, number: int) -> str:
        """Return a result in one line."""
        row = next(row for row in self.rows if row.number == number)
        return self.row_text(row.mu, row.when)

    def requests(self, written: Mapping[str, Any]) -> list[Any]:
        """Return the requests of a result object."""
        return list(requested_rows(written))

    def request_text(self, row: Any) -> str:
        """Return a request in one line."""
        return self.row_text(row.mu, row.when)

    def result_number(self, request: Any) -> int | None:
        """Return the number of the first result that satisfies a request."""
        return next((row.number for row in self.rows if request.is_in(row)), None)

    def requests_of(self, answer: Answer) -> list[Any]:
        """Return the requests of a missing or unexpected answer."""
        when: dict[str, Any] = dict(
            zip(self.case.language.open_fields, answer.open, strict=False)
        )
        match answer.time:
            case (at, (start, end)):
                when |= {"at": at, "interval": (start, end)}
            case (start, end):
                when["interval"] = (start, end)
            case time:
                when["time"] = time
        if isinstance(answer.content, bool):
            when["boolean"] = answer.content
            return [RequestedRow(EMPTY_MAPPING, _without_none(when))]
        return [RequestedRow(mu, _without_none(when)) for mu in mappings(answer)]

    def remarks(self, request: Any) -> Iterator[str]:
        """Yield remarks that precede a derivation."""
        others = [row for row in self.rows if covers(request.mu, row.mu)]
        if others:
            times = dict.fromkeys(self.row_text(EMPTY_MAPPING, row.when) for row in others)
            is_boolean = "boolean" in others[0].when
            what = "The result is" if is_boolean else f"{self.a_noun.capitalize()} exists"
            yield f"{what} {'; '.join(list(times)[:3])}."

    def open_choice(self, request: Any) -> str:
        """Return why a request is correct too, if the query allows a choice; "" if not."""
        return ""

    def impossible(self, request: Any) -> str:
        """Return why a request cannot be a result of the query; "" if it can."""
        columns = self.case.language.columns(self.case.tree)
        unknown = [f"?{v}" for v in request.mu if v not in columns]
        return f"The query does not return {' and '.join(unknown)}." if unknown else ""


def _without_none(when: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in when.items() if value is not None}


def rejections(
    case: Case, text: Callable[[Filter], str]
) -> Callable[[Any, Item], str]:
    """Return a function of a stream and an item that returns the condition that rejects the item.

    It returns "" if a pattern matches the item, or if no pattern would without its FILTERs.
    Conditions on variables of other patterns are not tested.
    """
    own: Any = case.language
    patterns: list[Pattern] = list(own.patterns(case.tree)) if hasattr(own, "patterns") else []
    kb = {iri: graph for iri, graph in case.kb.items() if isinstance(graph, frozenset)}
    groups = [
        (each, self_contained(each.part), within(each.part, frozenset())) for each in patterns
    ]

    def rejecting(stream: Any, item: Item) -> str:
        condition = ""
        for pattern, group, bare in groups:
            if pattern.stream not in (None, stream):
                continue
            if solutions(group, item.graph, kb):
                return ""
            if not condition and group != bare and solutions(bare, item.graph, kb):
                condition = f"{pattern.name}: {failing(group, bare, item)}"
        return condition

    def failing(group: GroupGraphPattern, bare: GroupGraphPattern, item: Item) -> str:
        conditions = [
            Filter(part) for each in group.elements if isinstance(each, Filter)
            for part in conjuncts(each.condition)
        ]
        alone = [
            each for each in conditions
            if not solutions(GroupGraphPattern((*bare.elements, each)), item.graph, kb)
        ]
        return " and ".join(map(text, alone or conditions))

    return rejecting


class IntervalExplainer(Explainer):
    """Explainer of a language whose results have intervals."""

    def rows_of(self, number: int, result: IntervalResult) -> Iterator[FoundRow]:
        when: dict[str, Any] = {}
        if isinstance(result, Reported):
            when["at"] = result.time
            result = result.element
        match result:
            case IntervalSolution():
                yield FoundRow(number, result.mapping, {**when, "interval": result.interval})
            case IntervalGraph(start, end, graph):
                for triple in sorted(graph):
                    held = {**when, "interval": (start, end)}
                    yield FoundRow(number, triple_mapping(triple), held)
            case bool():
                yield FoundRow(number, EMPTY_MAPPING, {"boolean": result})
