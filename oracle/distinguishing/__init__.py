"""Distinguishing: the smallest stream on which two SPAseq queries, or two readings, differ.

Streamsets are listed by their number of events, over an alphabet of events that the two queries
can tell apart (`alphabet`), until the definitions give two results that differ. Windows are not
compared, times and solutions are: two queries of different WITHIN differ where their answers do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from rdflib.term import URIRef

from ...semantics.errors import DenotaError
from ...semantics.rdf.terms import Graph
from ...semantics.spaseq.denotation import evaluate
from ...semantics.spaseq.readings import Readings
from ...semantics.spaseq.results import Pair
from ...semantics.spaseq.syntax import Extent, SpaseqQuery, WithinUnit
from ...semantics.streams.items import TimeKind, TimestampedGraph
from ..comparison import Difference, compare
from ..spaseq import SPASEQ
from .alphabet import alphabet, backgrounds
from .search import Search, least, search_by_size

Events = tuple[tuple[int, URIRef, Graph], ...]
"""(time, stream, graph) in time order."""

_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Side:
    """A query under readings."""

    query: SpaseqQuery
    readings: Readings = Readings()

    def answers(
        self, streams: Mapping[URIRef, Sequence[TimestampedGraph]], kb: Mapping[URIRef, Graph]
    ) -> frozenset[Pair]:
        """What the definitions say, without the windows."""
        pairs = evaluate(self.query, streams, kb, self.readings)
        return frozenset(replace(pair, window=None) for pair in pairs)


@dataclass(frozen=True, slots=True)
class Witness:
    """A streamset on which two sides differ, with what only the one or the other answers.

    `error_a` and `error_b` are the errors of a side that gives none.
    """

    streams: Mapping[URIRef, tuple[TimestampedGraph, ...]]
    kb: Mapping[URIRef, Graph]
    only_a: frozenset[Pair] = frozenset()
    only_b: frozenset[Pair] = frozenset()
    error_a: str = ""
    error_b: str = ""

    @property
    def events(self) -> int:
        """The number of its events."""
        return sum(map(len, self.streams.values()))


def distinguish(
    a: Side,
    b: Side,
    *,
    max_events: int = 4,
    seconds: float = 60.0,
    progress: Callable[[int, int], None] = lambda events, tried: None,
) -> Search[Witness]:
    """A smallest streamset on which `a` and `b` differ, if there is one within the bounds.

    "Smallest" is by the number of events, then of triples; all streamsets over the alphabet with
    fewer events have been tried. `progress` is told the number of events and how many were tried.
    """
    search = search_by_size(
        lambda events: _streamsets(events, a, b),
        lambda data: difference(a, b, *data),
        max_events=max_events,
        seconds=seconds,
        progress=progress,
    )
    if search.witness is not None:  # without the triples that it does not need
        search.witness = least(
            search.witness, _without_one, lambda data: difference(a, b, *data)
        )
    return search


def difference(
    a: Side,
    b: Side,
    streams: Mapping[URIRef, tuple[TimestampedGraph, ...]],
    kb: Mapping[URIRef, Graph],
) -> Witness | None:
    """The witness that these streams are, None if both sides answer alike."""
    results: list[frozenset[Pair]] = []
    errors: list[str] = []
    for side in (a, b):
        try:
            results.append(side.answers(streams, kb))
            errors.append("")
        except DenotaError as error:
            results.append(frozenset())
            errors.append(error.message)
    if results[0] == results[1] and bool(errors[0]) == bool(errors[1]):
        return None
    told: Difference = compare(
        SPASEQ.answers(results[0], "pair", partial=True),
        SPASEQ.answers(results[1], "pair", partial=True),
        "pair",
    )
    if not told and bool(errors[0]) == bool(errors[1]):
        return None
    only_a = frozenset(SPASEQ.result_of(answer) for answer in told.missing)
    only_b = frozenset(SPASEQ.result_of(answer) for answer in told.unexpected)
    return Witness(streams, kb, only_a, only_b, errors[0], errors[1])


def _streamsets(
    events: int, a: Side, b: Side
) -> Iterator[tuple[dict[URIRef, tuple[TimestampedGraph, ...]], dict[URIRef, Graph]]]:
    contents = alphabet(a.query, b.query)
    kind = _kind(a.query, b.query)
    names = dict.fromkeys(
        [clause.iri for side in (a, b) for clause in side.query.streams]
    )
    tied = any(side.readings.ties != "error" for side in (a, b))
    for kb in backgrounds(a.query, b.query):
        for times in _times(events, a.query, b.query):
            for chosen in product(contents, repeat=events):
                placed = [(time, *each) for time, each in zip(times, chosen, strict=True)]
                if not _is_streamset(placed, tied=tied):
                    continue
                streams: dict[URIRef, tuple[TimestampedGraph, ...]] = dict.fromkeys(names, ())
                for time, iri, graph in placed:
                    item = TimestampedGraph(time, graph, kind)
                    streams[iri] = (*streams.get(iri, ()), item)
                yield streams, kb


def _is_streamset(placed: Sequence[tuple[int, URIRef, Graph]], *, tied: bool) -> bool:
    # Events of one time are listed once, in the order of their streams' IRIs.
    for (time, iri, _), (later, other, _) in pairwise(placed):
        if time == later and (iri > other or (iri == other and not tied)):
            return False
    return True


def _times(events: int, a: SpaseqQuery, b: SpaseqQuery) -> Iterator[tuple[int, ...]]:
    """Times by their gaps: a step, none, and what just fits and just exceeds a window."""
    step = _SECOND if _kind(a, b) is TimeKind.DATETIME else 1
    gaps = {step: None, 0: None}
    for extent in (a.within, b.within, a.slide, b.slide):
        if isinstance(extent, Extent) and extent.unit is not WithinUnit.EVENTS:
            gaps.update({extent.value: None, extent.value + step: None})
    for chosen in product(gaps, repeat=max(0, events - 1)):
        times = [0]
        for gap in chosen:
            times.append(times[-1] + gap)
        yield tuple(times[:events])


def _kind(a: SpaseqQuery, b: SpaseqQuery) -> TimeKind:
    units = {query.within.unit for query in (a, b)}
    return TimeKind.DATETIME if WithinUnit.MICROSECONDS in units else TimeKind.INTEGER


def _without_one(
    witness: Witness,
) -> Iterator[tuple[Mapping[URIRef, tuple[TimestampedGraph, ...]], Mapping[URIRef, Graph]]]:
    for iri, graph in witness.kb.items():
        for triple in sorted(graph):
            yield witness.streams, {**witness.kb, iri: graph - {triple}}
    for iri, items in witness.streams.items():
        for place, item in enumerate(items):
            for triple in sorted(item.graph):
                less = replace(item, graph=item.graph - {triple})
                others = (*items[:place], less, *items[place + 1:])
                yield {**witness.streams, iri: others}, witness.kb
