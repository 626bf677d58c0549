"""What may happen on a stream that CQELS-CEP's definitions have a word to say about.

Numbers in brackets are sections of the paper and cases of section 4.3. A situation is met where it
has to do with the answer: an item has left the window and there is an answer after that, an item
lies between two others that are in sequence but for it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, product
from typing import Any, NamedTuple, TypeAlias

from rdflib.term import URIRef

from ....semantics.cqels import denotation
from ....semantics.cqels.event_clauses import (
    Seq,
    WindowSpecification,
    event_clause,
    window_specification,
)
from ....semantics.cqels.operators import Omega, lies_between
from ....semantics.cqels.queries import scenes
from ....semantics.cqels.syntax.analysis import blocks
from ....semantics.cqels.syntax.readings import Inside
from ....semantics.cqels.syntax.tree import (
    CqelsQuery,
    NowWindow,
    RangeWindow,
    TripleSequence,
    TriplesWindow,
    WindowPattern,
    WindowSequence,
)
from ....semantics.cqels.windows import moved
from ....semantics.model.interval_solutions import IntervalResult, IntervalSolution, Reported
from ....semantics.model.items import Item
from ....semantics.model.mappings import SolutionMapping
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.trees import find
from ....semantics.rdf.syntax.tree import GroupGraphPattern, MinusPattern, OptionalPattern
from ...fuzzing.graph_situations import graph_situations, met_in_query
from .case import CqelsCase

SITUATIONS: Mapping[str, str] = {
    "left": "an item has left a window, and a later answer does without it (4.1)",
    "on the edge": "an item ends just where a window begins, t2 = t − T, at an answer (4.1)",
    "just left": "an item has ended one instant before a window begins, at an answer (4.1)",
    "clipped": "an answer begins where the window clips an item (4.1)",
    "open": "an answer rests on an item that has not ended at t (4.1)",
    "not yet slid": "an item has come and the sliding window does not stand there yet (4.1)",
    "full": "a window of n triples holds n of them (4.1)",
    "pushed out": "a window of n triples has let go of an item (4.1)",
    "too large": "an item has more triples than a window of n triples may hold (4.1)",
    "tie": "several items of a stream end at the time of an answer (2.2)",
    "came back": "the same graph comes again once it has left (4.1)",
    "derived twice": "two items of a window say the same over one interval (4.2: sets)",
    "still there": "an answer is found again at a later time, and is no other (1)",
    "touching": "one item ends where another starts, in a query with SEQ (4.2: t2 < t3)",
    "in one instant": "a join over intervals that have one instant in common (4.2: JOIN)",
    "forbidden": "a negation takes back what would be in sequence (5)–(8), (12)–(15)",
    "forbidden twice": "several items forbid one and the same (4.2: there is no …)",
    "not forbidden": "what is negated comes in between, but is not compatible (4.2: μ2 ~ μ1 ∪ μ3)",
    "forbidden by the end": "what forbids agrees with the beginning whatever it binds (4.2)",
    "allowed again": "what forbade has left the window, what it forbade has not (4.1, 4.2)",
    "touching what is negated": "what is negated touches its neighbour (4.2; CQE-10)",
    "changed": "the background changes between two answers (17)",
    "changes of two": "two graphs of the background have changed (17)",
    "as of a change": "an answer begins at a change of the background (17)",
    "other windows": "an item is in one window of its stream and not in another (3)–(8)",
    "new": "ISTREAM leaves out what was in the answer before",
    "gone": "DSTREAM reports what has left",
    "met and unmet": "some answers have the optional part and others do not",
    "taken away": "MINUS takes something away, and not all",
    "unasked": "an item of a stream that no window is on comes between answers",
    "many": "twenty-five items and more in a stream",
    **graph_situations("sorts mixed", "undefined", "taken away", "round", "nothing shared"),
}

_TIMES = 5
"""At so many evaluation times negations are looked at."""

_MANY = 25


def met(case: CqelsCase, expected: Iterable[IntervalResult]) -> frozenset[str]:
    """Which of the situations matter for the answer of a case."""
    results = list(expected)
    if not results:
        return frozenset()
    scene = _Scene(case, results)
    return frozenset({
        *_in_streams(scene), *_in_windows(scene), *_in_answers(scene), *_in_background(scene),
        *_negated(scene),
        *met_in_query(case.query, chain.from_iterable(case.streams.values()), SITUATIONS),
    })


@dataclass
class _Scene:
    case: CqelsCase
    results: list[IntervalResult]

    @property
    def query(self) -> CqelsQuery:
        return self.case.query

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """The intervals of the answers."""
        elements = (each.element if isinstance(each, Reported) else each for each in self.results)
        return [(each.start, each.end) for each in elements if not isinstance(each, bool)]

    @cached_property
    def streams(self) -> dict[URIRef, list[tuple[int, int, Item]]]:
        """The items with their intervals, by stream."""
        return {
            name: [(*(item.start, item.end), item) for item in items]
            for name, items in self.case.streams.items()
        }

    @cached_property
    def times(self) -> list[int]:
        """The evaluation times."""
        if self.case.at is not None:
            return sorted(set(self.case.at))
        named = {clause.stream for clause in self.query.windows} or set(self.streams)
        return sorted({end for name in named for _, end, _ in self.streams.get(name, ())})

    @cached_property
    def answered(self) -> list[int]:
        """The evaluation times at which something is known to be answered."""
        told = {each.time for each in self.results if isinstance(each, Reported)}
        ends = {end for _, end in self.spans}
        return [t for t in self.times if t in told or t in ends]

    @cached_property
    def latest(self) -> list[denotation.Scene]:
        """What there is at the latest evaluation times."""
        times, case = frozenset(self.times[-_TIMES:]), self.case
        found = scenes(case.query, case.streams, case.kb, case.readings, case.at)
        return [scene for scene in found if scene.t in times]


# --- streams and windows -------------------------------------------------------------------------


def _in_streams(scene: _Scene) -> Iterator[str]:
    named = {clause.stream for clause in scene.query.windows}
    sequences = any(
        isinstance(each, WindowSequence) or isinstance(each.body, TripleSequence)
        for each in find(scene.query.where, WindowPattern, WindowSequence)
    )
    for name, items in scene.streams.items():
        if name not in named:
            if items and scene.answered and any(
                scene.answered[0] <= end <= scene.answered[-1] for _, end, _ in items
            ):
                yield "unasked"
            continue
        if len(items) >= _MANY:
            yield "many"
        ends = Counter(end for _, end, _ in items)
        if any(ends[t] > 1 for t in scene.answered):
            yield "tie"
        starts = {start for start, _, _ in items}
        if sequences and any(end in starts for start, end, _ in items):
            yield "touching"


def _in_windows(scene: _Scene) -> Iterator[str]:
    for clause in scene.query.windows:
        items = scene.streams.get(clause.stream, [])
        match clause.function:
            case RangeWindow(width, slide):
                moves = None if slide is None else slide.value
                yield from _ranged(scene, items, width.value, moves)
            case NowWindow():
                yield from _ranged(scene, items, 0, None)
            case TriplesWindow(size):
                yield from _counted(scene, items, size)
            case _:
                pass
    widths = defaultdict(set)
    for clause in scene.query.windows:
        if isinstance(clause.function, RangeWindow):
            widths[clause.stream].add(clause.function.width.value)
    for name, found in widths.items():
        narrow, wide = min(found), max(found)
        if any(
            t - wide <= end < t - narrow
            for t in scene.answered for _, end, _ in scene.streams.get(name, ())
        ):
            yield "other windows"


def _ranged(
    scene: _Scene, items: Sequence[tuple[int, int, Item]], width: int, slide: int | None
) -> Iterator[str]:
    begun = {start for start, _ in scene.spans}
    for t in scene.answered:
        edge = t if slide is None else moved(t, slide)
        begin = edge - width
        gone = set()
        for start, end, item in items:
            if end == begin:
                yield "on the edge"
            elif end == begin - 1:
                yield "just left"
            if end < begin:
                yield "left"
                gone.add(item.graph)
            elif start <= t and item.graph in gone:
                yield "came back"
            if start < begin <= end and begin in begun:
                yield "clipped"
            if start <= t < end:
                yield "open"
            if edge < start <= t:
                yield "not yet slid"
    for t in scene.times:
        edge = t if slide is None else moved(t, slide)
        if any(end < t and edge - width <= start for start, end in scene.spans):
            yield "still there"
    clipped = Counter((item.graph, start, end) for start, end, item in items if item.graph)
    if any(count > 1 for count in clipped.values()):
        yield "derived twice"


def _counted(
    scene: _Scene, items: Sequence[tuple[int, int, Item]], size: int
) -> Iterator[str]:
    if any(len(item.graph) > size for _, _, item in items):
        yield "too large"
    for t in scene.answered:
        held = 0
        for start, _, item in reversed(items):
            if start > t:
                continue
            held += len(item.graph)
            if held == size:
                yield "full"
            if held > size:
                yield "pushed out"
                break


# --- answers and the background ------------------------------------------------------------------


def _in_answers(scene: _Scene) -> Iterator[str]:
    query = scene.query
    if query.operator is StreamOperator.DSTREAM:
        yield "gone"
    if query.operator is StreamOperator.ISTREAM and len(scene.times) > 1:
        ended = {end for _, end in scene.spans}
        if any(t not in ended for t in scene.times[1:]):
            yield "new"
    elements = query.where.elements
    if _joins(query) and any(start == end for start, end in scene.spans):
        yield "in one instant"
    mappings = [
        mapping for each in scene.results
        if (mapping := getattr(getattr(each, "element", each), "mapping", None)) is not None
    ]
    if any(isinstance(each, OptionalPattern) for each in elements):
        domains = {frozenset(mapping) for mapping in mappings}
        if any(one < other for one in domains for other in domains):
            yield "met and unmet"
    if any(isinstance(each, MinusPattern) for each in elements) and len(scene.answered) < len(
        scene.times
    ):
        yield "taken away"


def _joins(query: CqelsQuery) -> bool:
    """Whether WINDOW blocks are joined, not in sequence."""
    named = blocks(query.where)
    joined = [
        each for each in query.where.elements
        if isinstance(each, WindowPattern) and each.name not in named
    ]
    return len(joined) > 1


def _in_background(scene: _Scene) -> Iterator[str]:
    changes = [
        {time for time, _ in graph.changes}
        for graph in scene.case.kb.values()
        if isinstance(graph, TemporalGraph) and graph.changes
    ]
    if not changes or not scene.answered:
        return
    first, last = scene.answered[0], scene.answered[-1]
    if any(first < time <= last for times in changes for time in times):
        yield "changed"
    if sum(min(times) <= last for times in changes) > 1:
        yield "changes of two"
    if any(start in times for times in changes for start, _ in scene.spans):
        yield "as of a change"


# --- negations -----------------------------------------------------------------------------------


class _Pair(NamedTuple):
    """What would be in sequence but for a negation, and what stands before it and after it."""

    mu: SolutionMapping
    first: IntervalSolution | None
    last: IntervalSolution | None

    @property
    def known_as(self) -> tuple[object, ...]:
        """The same at every time: what has begun earlier is clipped, what has ended has ended."""
        return (
            self.mu, self.first and self.first.end, self.last and (self.last.start, self.last.end)
        )

    def around(self, each: IntervalSolution, inside: Inside) -> bool:
        """Whether what is negated lies where it must not."""
        if self.first is None or self.last is None:
            return (self.last is not None and each.end < self.last.start) or (
                self.first is not None and self.first.end < each.start
            )
        return lies_between(self.first, each, self.last, inside)

    def touches(self, each: IntervalSolution) -> bool:
        """Whether what is negated touches its neighbour."""
        return (self.first is not None and each.start == self.first.end) or (
            self.last is not None and each.end == self.last.start
        )


def _negated(scene: _Scene) -> Iterator[str]:
    for sequence_, value in _sequences(scene.query):
        forbidden: set[tuple[object, ...]] = set()
        for at in scene.latest:
            absent = value(sequence_.negated, at)
            for pair in _pairs(sequence_, value, at):
                between = [x for x in absent if pair.around(x, at.readings.inside)]
                against = [x for x in between if pair.mu.compatible(x.mapping)]
                if against:
                    forbidden.add(pair.known_as)
                    yield from _forbidden(pair, against)
                elif between:
                    yield "not forbidden"
                if not against and pair.known_as in forbidden:
                    yield "allowed again"


def _forbidden(pair: _Pair, against: Sequence[IntervalSolution]) -> Iterator[str]:
    yield "forbidden"
    if len(against) > 1:
        yield "forbidden twice"
    if any(map(pair.touches, against)):
        yield "touching what is negated"
    if pair.first is not None and pair.last is not None:
        bound = pair.first.mapping.keys()
        if any(bound.isdisjoint(each.mapping) for each in against):
            yield "forbidden by the end"


_Value: TypeAlias = Callable[[Any, denotation.Scene], Omega]


def _sequences(query: CqelsQuery) -> Iterator[tuple[Seq[Any], _Value]]:
    """The sequences with a negation, and what an element of one is at a time."""
    named = blocks(query.where)
    for element in find(query.where, WindowPattern, WindowSequence):
        if isinstance(element, WindowPattern):
            W = window_specification(element, query)
            if isinstance(W.tsp.pattern, Seq) and W.tsp.pattern.negated is not None:
                yield W.tsp.pattern, partial(_of_pattern, W)
        elif all(part.name in named for part in element.elements):
            clause = event_clause(element, named, query)
            if isinstance(clause, Seq) and clause.negated is not None:
                yield clause, denotation.window


def _of_pattern(W: WindowSpecification, P: GroupGraphPattern, at: denotation.Scene) -> Omega:
    return denotation.stream_pattern(P, at.streams.get(W.stream, ()), W.omega, at)


def _pairs(sequence_: Seq[Any], value: _Value, at: denotation.Scene) -> Iterator[_Pair]:
    """What would be in sequence but for the negation."""
    firsts, lasts = (
        denotation.sequence(Seq(part), lambda X: value(X, at), at) if part else None
        for part in (sequence_.before, sequence_.after)
    )
    if firsts is None or lasts is None:
        yield from (_Pair(each.mapping, each, None) for each in firsts or ())
        yield from (_Pair(each.mapping, None, each) for each in lasts or ())
        return
    for first, last in product(firsts, lasts):
        if first.end < last.start and first.mapping.compatible(last.mapping):
            yield _Pair(first.mapping.merge(last.mapping), first, last)
