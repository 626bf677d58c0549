"""Rows, the form of results that languages share, models of engines, and the search for witnesses.

A row is (t, μ): μ is known from t on, t being the time of the last event that it rests on. SPAseq
says so with its pairs, RSEP-QL with its evaluation times, EP-SPARQL and CQELS-CEP with the ends of
their intervals. The search tries all streams over an alphabet, the shortest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal, TypeAlias

from rdflib.term import URIRef

from ...oracle.languages.registry import Language, language
from ...semantics.model.interval_solutions import IntervalSolution
from ...semantics.model.items import IntervalGraph, Item, TimestampedGraph
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import Graph
from ...semantics.rdf.evaluation import solutions
from ...semantics.rdf.syntax.parse import parse_group
from ...semantics.rdf.syntax.tree import Prologue
from ...semantics.rsepql.syntax.results import TimedAnswer
from ...semantics.spaseq.syntax.results import Pair

STREAM = URIRef("http://example.org/s")
"""The stream that every query of a claim is about."""

Events: TypeAlias = tuple[Item, ...]
"""A finite stream, in time order."""

Row: TypeAlias = tuple[int, SolutionMapping]

Rows: TypeAlias = Counter[Row]
"""A bag of rows."""

Answering: TypeAlias = Callable[[Events], Rows]
"""A query, an engine or a model: what it knows, and since when."""

Memory: TypeAlias = dict[Hashable, Rows]
"""The answers of queries on one stream."""


@dataclass(frozen=True, eq=False)
class AskedQuery:
    """A query of one language under readings, asked of one stream."""

    name: str
    text: str
    readings: Mapping[str, str] = field(default_factory=dict)
    every_arrival: bool = False  # evaluated whenever something arrives (RSEP-QL), or at the end
    engine: bool = False  # what the production engine makes of it, not what the definitions say

    @cached_property
    def language(self) -> Language:
        """The entry of its language."""
        return language(self.name)

    @cached_property
    def query(self) -> Any:
        """Its syntax tree."""
        return self.language.parse(self.text)

    def __call__(self, events: Events) -> Rows:
        """Return the rows by the definitions of the language, or by its engine."""
        return Counter(row for result in self.results(events) for row in rows_of(result))

    def results(self, events: Events) -> list[Any]:
        """Return the results of the language itself."""
        answers = self.language.run if self.engine else self.language.evaluate
        found = answers(
            self.query,
            streams={STREAM: events},
            kb={},
            readings=self.language.readings(self.readings, self.query),
            evaluation=self.evaluation(events),
        )
        return list(found)

    def evaluation(self, events: Events) -> dict[str, Any]:
        """Return the evaluation times, where the language has any."""
        if not events or self.name not in {"rsepql", "cqels"}:
            return {}
        times = sorted({item.end for item in events})
        return {"at": times if self.every_arrival else times[-1:]}


def rows_of(result: object) -> Iterator[Row]:
    """Yield the rows of one result, of whichever language it is."""
    match result:
        case Pair(time=time, solutions=solutions):
            for mu in solutions:
                yield time, mu
        case TimedAnswer(time, tuple(solutions)):
            for mu in solutions:
                yield time, mu
        case IntervalSolution(_, end, mu):
            yield end, mu
        case _:
            raise TypeError(f"no rows in {result!r}")


def distinct(answering: Answering) -> Answering:
    """Return the rows as a set."""
    return _Distinct(answering)


def solutions_by_the_end(answering: Answering) -> Answering:
    """Return the bag of solutions alone, each at the stream's last instant: RSTREAM's output."""
    return _ByTheEnd(answering)


@dataclass(frozen=True)
class _Distinct:
    inner: Answering

    def __call__(self, events: Events) -> Rows:
        return Counter(set(self.inner(events)))


@dataclass(frozen=True)
class _ByTheEnd:
    inner: Answering

    def __call__(self, events: Events) -> Rows:
        last = max((item.end for item in events), default=0)
        return Counter((last, mu) for _, mu in self.inner(events).elements())


def by_engine(answering: Answering) -> Answering:
    """Return the same with queries answered by the production engine; models are unchanged."""
    return with_query(answering, lambda asked: replace(asked, engine=True))


def remembering(answering: Answering, memory: Memory) -> Answering:
    """Return the same on one stream, of which a query is asked once."""
    return with_query(answering, lambda asked: _Remembered(asked, memory))


def with_query(answering: Answering, change: Callable[[AskedQuery], Answering]) -> Answering:
    """Return the same with another query; a model remains what it is."""
    match answering:
        case _Distinct(inner):
            return _Distinct(with_query(inner, change))
        case _ByTheEnd(inner):
            return _ByTheEnd(with_query(inner, change))
        case AskedQuery():
            return change(answering)
    return answering


@dataclass(frozen=True)
class _Remembered:
    inner: AskedQuery
    memory: Memory

    def __call__(self, events: Events) -> Rows:
        asked = self.inner
        key = (asked.text, tuple(asked.readings.items()), asked.every_arrival)
        if key not in self.memory:
            self.memory[key] = asked(events)
        return self.memory[key]


def asked_in(answering: Answering) -> AskedQuery | None:
    """Return the query behind it; None for a model of an engine."""
    while isinstance(answering, _Distinct | _ByTheEnd):
        answering = answering.inner
    return answering if isinstance(answering, AskedQuery) else None


def differ(left: Rows, right: Rows) -> tuple[list[Row], list[Row]]:
    """Return the rows of the left only and those of the right only."""
    return list((left - right).elements()), list((right - left).elements())


# --- models of engines ----------------------------------------------------------------------------
# The behaviour that engines are said to have for sequences, item by item. These models know nothing
# of RSEP-QL's equations: claims compare the two.

Detected: TypeAlias = tuple[SolutionMapping, int]
"""A mapping with the time of the event that has it (of a sequence, that of its last event)."""


def matches(body: str, prologue: Prologue) -> Callable[[Events], list[Detected]]:
    """Return the events of a basic event pattern, in time order."""
    group = parse_group(body, prologue=prologue)

    def found(events: Events) -> list[Detected]:
        graphs = [item for item in events if isinstance(item, TimestampedGraph)]
        return [(mu, item.time) for item in graphs for mu in solutions(group, item.graph)]

    return found


def consuming(
    patterns: Sequence[str],
    prologue: Prologue,
    which: Literal["earliest", "latest"],
    *,
    each_by_itself: bool = False,
) -> Answering:
    """ETALIS's policies chronological (`earliest`) and recent (`latest`).

    Sequences are detected two at a time, from the left, as ETALIS binarises its rules. Each event
    of E1 waits. An event of E2 takes the earliest, or the latest, of those that wait since before
    it and agree with it; whatever takes part in an answer waits no longer. The instant is the unit:
    what arrives at one instant sees the same that waits, and takes all that came at an instant; or
    each event goes by itself, in the order of arrival, and takes one.
    """
    detectors = [matches(body, prologue) for body in patterns]

    def answered(events: Events) -> Rows:
        sequence, *later = (detector(events) for detector in detectors)
        for arrivals in later:
            sequence = _taken(sequence, arrivals, min if which == "earliest" else max,
                              each_by_itself)
        return Counter({(time, mu) for mu, time in sequence})

    return answered


def _taken(
    waiting: list[Detected],
    arrivals: list[Detected],
    choose: Callable[[Iterable[int]], int],
    each_by_itself: bool,
) -> list[Detected]:
    """E1 SEQ E2, by time."""
    found: list[Detected] = []
    if each_by_itself:
        turns = [(now, [mu]) for mu, now in arrivals]
    else:
        turns = [
            (now, list(dict.fromkeys(mu for mu, time in arrivals if time == now)))
            for now in sorted({time for _, time in arrivals})
        ]
    for now, mappings in turns:
        taken: list[Detected] = []
        for mu2 in mappings:
            agreeing = [each for each in waiting if each[1] < now and each[0].compatible(mu2)]
            if not agreeing:
                continue
            since = choose(time for _, time in agreeing)
            chosen = [each for each in agreeing if each[1] == since]
            chosen = chosen[:1] if each_by_itself else chosen
            found += [(mu1.merge(mu2), now) for mu1, _ in chosen]
            taken += chosen
        waiting = _without(waiting, taken, once=each_by_itself)
    return found


def _without(waiting: list[Detected], taken: list[Detected], *, once: bool) -> list[Detected]:
    if not once:
        return [each for each in waiting if each not in taken]
    left = list(waiting)
    for each in taken:
        left.remove(each)
    return left


def by_timestamps(
    patterns: Sequence[str], prologue: Prologue, of: Literal["solution", "pattern"]
) -> Answering:
    """C-SPARQL's idiom, over all that is in the window: FILTER(timestamp(P1) < timestamp(P2)).

    timestamp() is the time of the most recent occurrence of what matched: of the triples of this
    `solution`, or of whatever matches the `pattern`.
    """
    of_first, of_second = (matches(body, prologue) for body in patterns)

    def answered(events: Events) -> Rows:
        left, right = of_first(events), of_second(events)
        end = max((item.time for item in events if isinstance(item, TimestampedGraph)), default=0)
        rows: set[Row] = set()
        for mu1, _ in left:
            for mu2, _ in right:
                if mu1.compatible(mu2) and _latest(left, mu1, of) < _latest(right, mu2, of):
                    rows.add((end, mu1.merge(mu2)))
        return Counter(rows)

    return answered


def _latest(
    detected: list[Detected], mu: SolutionMapping, of: Literal["solution", "pattern"]
) -> int:
    return max(time for each, time in detected if of == "pattern" or each == mu)


# --- search ---------------------------------------------------------------------------------------

Times: TypeAlias = Literal["apart", "ties", "intervals"]
"""The times of items: an instant each, instants that some may share, or intervals."""


@dataclass(frozen=True, slots=True)
class Found:
    """The outcome of a search: the witness, or the number of streams without one."""

    witness: Events | None
    tried: int


def streams(alphabet: Sequence[Graph], events: int, times: Times = "apart") -> Iterator[Events]:
    """Yield all streams of a number of events.

    They come at 1, 2, …; with ties, at the time of the one before or one later; or each over an
    interval within [1, events], in the order of their ends.
    """
    if times == "intervals":
        instants = range(1, events + 1)
        spans = [(start, end) for end in instants for start in instants if start <= end]
        for taken in product(product(spans, alphabet), repeat=events):
            ends = [span[1] for span, _ in taken]
            if ends == sorted(ends):
                yield tuple(IntervalGraph(*span, graph) for span, graph in taken)
        return
    for gaps in product((0, 1) if times == "ties" else (1,), repeat=max(events - 1, 0)):
        at = [1]
        for gap in gaps:
            at.append(at[-1] + gap)
        for graphs in product(alphabet, repeat=events):
            yield tuple(map(TimestampedGraph, at, graphs))


def smallest(
    fails: Callable[[Events], bool],
    alphabet: Sequence[Graph],
    most_events: int,
    times: Times = "apart",
) -> Found:
    """Return a smallest stream on which a claim fails; none up to `most_events`."""
    tried = 0
    for events in range(most_events + 1):
        for stream in streams(alphabet, events, times):
            tried += 1
            if fails(stream):
                return Found(stream, tried)
    return Found(None, tried)
