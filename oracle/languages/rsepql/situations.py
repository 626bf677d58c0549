"""What may happen on a stream that RSEP-QL's definitions have a word to say about.

In brackets are definitions and equations of the paper. A situation is met where it has to do with
an answer: an item has left its window and there is an answer after that, two rivals tie and one of
them is not chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.mappings import EMPTY_MAPPING
from ....semantics.model.trees import find
from ....semantics.rdf.syntax.tree import GroupGraphPattern, OptionalPattern
from ....semantics.rsepql.clauses import streaming_dataset
from ....semantics.rsepql.dataset import StreamingDataset, WindowedStream
from ....semantics.rsepql.evaluation_times import evaluation_times
from ....semantics.rsepql.event_mappings import Events
from ....semantics.rsepql.event_patterns import event_pattern, preceded_events
from ....semantics.rsepql.history import History
from ....semantics.rsepql.report_policies import closes
from ....semantics.rsepql.scene import Scene
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    Event,
    EventPattern,
    First,
    Last,
    MatchPattern,
    RsepqlQuery,
    SequenceOperator,
    StreamOperator,
)
from ....semantics.rsepql.syntax.tree import Sequence as EventSequence
from ....semantics.rsepql.window_functions import (
    Counted,
    Identity,
    Interval,
    Landmark,
    Nested,
    TimeBased,
    Window,
    arrived,
)
from ...fuzzing.graph_situations import graph_situations, met_in_query
from .case import RsepqlCase

SITUATIONS: Mapping[str, str] = {
    "left": "an item has left its window, and a later answer does without it (Def. 3)",
    "came back": "a graph that has left its window is in it again (Def. 3)",
    "on the open bound": "an item lies at t' − α, where the window does not reach (Def. 3)",
    "on the closed bound": "an item lies at t', the last instant of a window with steps (Def. 3)",
    "before the step": "an item has come, and its window has not stepped that far (Def. 3)",
    "counted out": "a window by count has let go of an item",
    "counted and not shown": "an item counts for a window that another window hides it from",
    "wound back": "a count lets go of its latest item, which the window inside still holds",
    "in a snapshot twice": "a triple has left with one item and is still there with another (4.1)",
    "nothing is new": "an answer at a time at which no window has changed",
    "tie": "two items of one timestamp are in a window that a MATCH looks at",
    "tie in sequence": "two events of one timestamp would be in sequence but for that (7)",
    "chosen": "FIRST or LAST chooses among events (5), (6)",
    "chosen with its ties": "FIRST or LAST keeps several events that tie (5), (6)",
    "choice of intervals": "FIRST or LAST is of several events that are no instants (5), (6)",
    "rivals": "SEQ^c or SEQ^r chooses among rivals (10), (11)",
    "rivals of intervals": "SEQ^c or SEQ^r chooses among rivals that are no instants (10), (11)",
    "candidates that tie": "≺ does not tell events of E2 apart (10), (11)",
    "rivals of another mapping": "rivals under one reading, none under the other (RSE-1)",
    "rival that nothing precedes": "an event of E2 is no rival, as no E1 is before it (10), (11)",
    "last ones that do not fit": "the last events of E1 and E2 are not in sequence (9)",
    "late middle": "what is earlier enters its window after what is later has entered its own (7)",
    "another order": "the windows of a sequence are on items that come in another order (7)",
    "twice in the bag": "an answer has one solution several times (8)",
    "consumed": "a policy has consumed something that is still in its window (4.4)",
    "consumed and came back": "a triple that is consumed comes again (4.4; RSE-2)",
    "reported at once": "two windows report at one instant (Def. 5)",
    "closed empty": "a window closes without an item (Def. 5)",
    "after the end": "an evaluation behind the last item of a stream (Def. 5)",
    "one stream is over": "an answer after one of several streams has ended (Def. 5)",
    "not in the dataset": "a background graph is there, and is not in the dataset (Def. 4)",
    "varying": "a graph that a stream varies has been another one before (Def. 2)",
    "new": "ISTREAM leaves out what was in the answer before",
    "gone": "DSTREAM reports what has gone",
    "met and unmet": "some solutions have the optional part and others do not",
    "many": "twenty-five items and more in a stream",
    **graph_situations("sorts mixed", "undefined", "nothing shared"),
}

_MANY = 25
_TIMES = 4
"""At so many times event patterns are looked at."""


def met(case: RsepqlCase, expected: Iterable[TimedAnswer]) -> frozenset[str]:
    """Which of the situations matter for the answer of a case."""
    told = [answer for answer in expected if answer.content]
    if not told:
        return frozenset()
    scene = _Case(case, told)
    return frozenset({
        *_in_windows(scene), *_in_evaluations(scene), *_in_answers(scene), *_in_events(scene),
        *met_in_query(case.query, chain.from_iterable(case.streams.values()), SITUATIONS),
    })


@dataclass
class _Case:
    """A case with its answers; `told` are those that are not empty."""

    case: RsepqlCase
    told: list[TimedAnswer]

    @property
    def query(self) -> RsepqlQuery:
        return self.case.query

    @cached_property
    def sds(self) -> StreamingDataset:
        return streaming_dataset(self.query, self.case.streams, self.case.kb)

    @cached_property
    def evaluation(self) -> Evaluation:
        return Evaluation.of(self.case.evaluation)

    @cached_property
    def times(self) -> list[int]:
        return evaluation_times(self.sds, self.evaluation)

    @cached_property
    def answered(self) -> frozenset[int]:
        return frozenset(answer.time for answer in self.told)

    @cached_property
    def patterns(self) -> list[EventPattern]:
        """The event patterns at the top of WHERE."""
        where = self.query.form.where or GroupGraphPattern()
        return [each.event for each in where.elements if isinstance(each, MatchPattern)]

    @cached_property
    def contents(self) -> list[_Moving]:
        """Of each window what it holds at the evaluation times."""
        return [_moving(each, self.times) for each in self.sds.all_windows]


@dataclass(frozen=True, slots=True)
class _Placed:
    time: int
    place: int


@dataclass(frozen=True, slots=True)
class _Moving:
    """A window at the evaluation times, as places in its stream."""

    windowed: WindowedStream
    held: list[tuple[int, frozenset[int]]]

    @property
    def window(self) -> Window:
        return self.windowed.window

    def item(self, place: int) -> TimestampedGraph:
        return self.windowed.stream[place]


def _moving(windowed: WindowedStream, times: Sequence[int]) -> _Moving:
    places = [_Placed(item.time, k) for k, item in enumerate(windowed.stream)]
    return _Moving(windowed, [
        (t, frozenset(each.place for each in windowed.window(arrived(places, t), t)))
        for t in times
    ])


# --- windows -------------------------------------------------------------------------------------


def _in_windows(scene: _Case) -> Iterator[str]:
    for moving in scene.contents:
        if len(moving.windowed.stream) >= _MANY:
            yield "many"
        gone: frozenset[int] = frozenset()
        before: frozenset[int] = frozenset()
        for t, now in moving.held:
            gone |= before - now
            if t in scene.answered:
                if gone:
                    yield "left"
                    yield from _has_left(moving, gone, now)
                yield from _on_bounds(moving, t)
            if before and max(before) not in now and _held_inside(moving, max(before), t):
                yield "wound back"
            gone -= now
            before = now


def _held_inside(moving: _Moving, place: int, t: int) -> bool:
    """Whether the window in a nested one holds an item."""
    if not isinstance(moving.window, Nested):
        return False
    held = moving.window.inner(arrived(moving.windowed.stream, t), t)
    return moving.item(place).time in {item.time for item in held}


def _has_left(moving: _Moving, gone: frozenset[int], now: frozenset[int]) -> Iterator[str]:
    if isinstance(moving.window, Counted):
        yield "counted out"
    left = {moving.item(place).graph for place in gone}
    held = {moving.item(place).graph for place in now if place > min(gone)}
    if any(graph in held for graph in left if graph):
        yield "came back"
    triples = Counter(triple for place in now for triple in moving.item(place).graph)
    if any(triple in triples for graph in left for triple in graph):
        yield "in a snapshot twice"


def _on_bounds(moving: _Moving, t: int) -> Iterator[str]:
    times = [item.time for item in moving.windowed.stream if item.time <= t]
    for clock in _clocks(moving.window):
        end = clock.last_step(t)
        if end - clock.width in times:
            yield "on the open bound"
        if clock.step > 1 and end in times:
            yield "on the closed bound"
        if any(end < time for time in times):
            yield "before the step"
    if isinstance(moving.window, Nested) and _counts(moving.window.inner):
        shown = {item.time for item in moving.window(moving.windowed.stream, t)}
        inner = moving.window.inner(arrived(moving.windowed.stream, t), t)
        if any(item.time not in shown for item in inner):
            yield "counted and not shown"


def _clocks(window: Window) -> list[TimeBased]:
    match window:
        case TimeBased():
            return [window]
        case Nested(outer, inner):
            return _clocks(outer) + _clocks(inner)
        case _:
            return []


def _counts(window: Window) -> bool:
    match window:
        case Counted():
            return True
        case Nested(outer, inner):
            return _counts(outer) or _counts(inner)
        case Landmark() | Interval() | Identity() | TimeBased():
            return False


# --- evaluation times and answers ----------------------------------------------------------------


def _in_evaluations(scene: _Case) -> Iterator[str]:
    for k, t in enumerate(scene.times):
        if k and t in scene.answered and all(
            moving.held[k][1] == moving.held[k - 1][1] for moving in scene.contents
        ):
            yield "nothing is new"
    evaluation = scene.evaluation
    items = [item.time for stream in scene.case.streams.values() for item in stream]
    if scene.answered and items and max(scene.answered) > max(items):
        yield "after the end"
    ends = {stream[-1].time for stream in scene.case.streams.values() if stream}
    if len(scene.case.streams) > 1 and ends and max(scene.answered) > min(ends):
        yield "one stream is over"
    if evaluation.at is not None:
        return
    if evaluation.policy == "window-close" and any(
        not held and closes(moving.window)
        for moving in scene.contents for t, held in moving.held if t > min(scene.answered)
    ):
        yield "closed empty"
    if any(
        sum(bool(moving.held[k][1] - moving.held[k - 1][1]) for moving in scene.contents) > 1
        for k, t in enumerate(scene.times) if k and t in scene.answered
    ):
        yield "reported at once"


def _in_answers(scene: _Case) -> Iterator[str]:
    query, case = scene.query, scene.case
    bags = [answer.content for answer in scene.told if isinstance(answer.content, tuple)]
    if any(len(set(bag)) < len(bag) for bag in bags):
        yield "twice in the bag"
    if query.operator is StreamOperator.DSTREAM:
        yield "gone"
    if query.operator is StreamOperator.ISTREAM and len(scene.answered) < len(scene.times):
        yield "new"
    where = query.form.where or GroupGraphPattern()
    if any(isinstance(each, OptionalPattern) for each in where.elements):
        domains = {frozenset(mapping) for bag in bags for mapping in bag}
        if any(one < other for one in domains for other in domains):
            yield "met and unmet"
    dataset = query.form.dataset
    if dataset is not None:
        described = {*dataset.default, *dataset.named}
        if any(name not in described for name in case.kb):
            yield "not in the dataset"
        for name in described & case.streams.keys():
            if len({item.time for item in case.streams[name]}) > 1:
                yield "varying"


# --- events --------------------------------------------------------------------------------------


def _in_events(scene: _Case) -> Iterator[str]:
    for e in scene.patterns:
        leaves = list(find(e, Event))
        asked = [scene.sds.windows[leaf.window] for leaf in leaves]
        for t in scene.answered:
            held = [[item.time for item in each.at(t)] for each in asked]
            if any(len(set(times)) < len(times) for times in held):
                yield "tie"
            if any(set(a) & set(b) for a, b in pairwise(held)):
                yield "tie in sequence"
        yield from _late(scene, leaves)
        if scene.query.consumption is not ConsumptionPolicy.UNRESTRICTED:
            yield from _consumed(scene, leaves)
        else:
            # What a policy leaves takes all times before.
            yield from _selected(scene, e)


def _late(scene: _Case, leaves: Sequence[Event]) -> Iterator[str]:
    """Windows, and what enters them, in another order than the sequence has them."""
    by_name = dict(zip(scene.sds.windows, scene.contents, strict=False))
    for before, after in combinations(leaves, 2):
        one, other = by_name[before.window], by_name[after.window]
        if one is other:
            continue
        for (_, a), (t, b), (_, c) in zip(one.held, one.held[1:], other.held, strict=False):
            fresh = [one.item(place).time for place in b - a]
            there = [other.item(place).time for place in c]
            if t in scene.answered and fresh and there and min(fresh) < max(there):
                yield "late middle"
        last = [item.time for item in one.windowed.stream]
        first = [item.time for item in other.windowed.stream]
        if last and first and min(first) < min(last):
            yield "another order"


def _consumed(scene: _Case, leaves: Sequence[Event]) -> Iterator[str]:
    if len(scene.times) < 2 or min(scene.answered) >= scene.times[-1]:
        return
    k = scene.times.index(min(scene.answered))
    for name, moving in zip(scene.sds.windows, scene.contents, strict=False):
        if all(leaf.window != name for leaf in leaves):
            continue
        for _, later in moving.held[k + 1 :]:
            had = moving.held[k][1]
            if had & later:
                yield "consumed"
            triples = {triple for place in had for triple in moving.item(place).graph}
            if any(triple in triples for p in later - had for triple in moving.item(p).graph):
                yield "consumed and came back"


def _selected(scene: _Case, e: EventPattern) -> Iterator[str]:
    sequences = [each for each in _parts(e) if not isinstance(each, Event)]
    if not any(_chooses(each) for each in sequences):
        return
    history = History(scene.query, scene.sds, scene.case.readings)
    for t in sorted(scene.answered)[-_TIMES:]:
        found = history.scene(e, t, scene.sds.at(t))
        for part in sequences:
            match part:
                case First(operand) | Last(operand):
                    yield from _choice(event_pattern(operand, Identity(), found), part, found)
                case EventSequence(SequenceOperator.NAIVE):
                    yield from _naive(part, found)
                case EventSequence(operator) if operator is not SequenceOperator.UNRESTRICTED:
                    yield from _rivals(part, found)
                case _:
                    pass


def _chooses(part: EventPattern) -> bool:
    return not (
        isinstance(part, EventSequence) and part.operator is SequenceOperator.UNRESTRICTED
    )


def _choice(all_events: Events, part: EventPattern, found: Scene) -> Iterator[str]:
    chosen = event_pattern(part, Identity(), found)
    if len(chosen) < len(all_events):
        yield "chosen"
        if len(chosen) > 1:
            yield "chosen with its ties"
    if len(all_events) > 1 and any(each.start != each.end for each in all_events):
        yield "choice of intervals"


def _rivals(part: EventSequence, found: Scene) -> Iterator[str]:
    precede = preceded_events(part.left, part.right, Identity(), found, EMPTY_MAPPING)
    if not precede:
        return
    candidates = event_pattern(part.right, Identity(), found)
    if candidates - precede:
        yield "rival that nothing precedes"
    of_mapping = Counter(each.mu for each in precede)
    if len(of_mapping) > 1:
        yield "rivals of another mapping"
    if len(precede) > 1 and any(each.start != each.end for each in precede):
        yield "rivals of intervals"
    if max(of_mapping.values()) > 1:
        yield "rivals"
    for one, other in combinations(candidates, 2):
        spans = one.span, other.span
        if not found.precedes(*spans) and not found.precedes(*spans[::-1]):
            yield "candidates that tie"


def _naive(part: EventSequence, found: Scene) -> Iterator[str]:
    ones = event_pattern(Last(part.left), Identity(), found)
    others = event_pattern(Last(part.right), Identity(), found)
    if any(
        not (one.mu.compatible(other.mu) and one.end < other.start)
        for one in ones for other in others
    ):
        yield "last ones that do not fit"


def _parts(e: EventPattern) -> Iterator[EventPattern]:
    """The event pattern and those in it that mean the same whatever stands beside them."""
    yield e
    match e:
        case First(operand) | Last(operand):
            yield from _parts(operand)
        case EventSequence(_, _, right):
            yield from _parts(right)
