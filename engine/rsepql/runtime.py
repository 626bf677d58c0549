"""The runtime: items in, the answers of each evaluation time out as soon as it is certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...semantics.model.errors import StreamError
from ...semantics.model.items import TimeKind
from ...semantics.model.terms import Graph, URIRef
from ...semantics.rdf.syntax.tree import SelectQuery
from ...semantics.rsepql.syntax.evaluation import Evaluation
from ...semantics.rsepql.syntax.readings import Readings
from ...semantics.rsepql.syntax.results import TimedAnswer
from ...semantics.rsepql.syntax.tree import RsepqlQuery
from ...semantics.streams.live.ordered_input import Watermark
from ...semantics.streams.merging import StreamItem
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from ..tuning import IN_USE
from .patterns import EventMapping
from .plan import check_measure, planned
from .reports.policies import MOST_TICKS, Schedule, too_many
from .windows.window_state import WindowItem

if TYPE_CHECKING:
    from ..rdf.columns.batch import GraphBatch
    from .columnar.runtime import BatchRuntime


def too_late(iri: URIRef, time: int, latest: int) -> StreamError:
    """Return the error of an item that is too late."""
    return StreamError(f"an item of <{iri}> at {time} comes after one at {latest}")


@dataclass(frozen=True, slots=True)
class Statistics:
    """The sizes of the engine's state at this moment."""

    items: int
    occurrences: int
    terms: int


@stateful(
    kept=("_latest", "_arrivals"), parts=("dictionary", "_plan", "_schedule"),
    compiled=("_evaluation", "query", "streams"), anew=("_batches", "_one_by_one"),
)
class RsepqlEngine:
    """One query over unbounded input, item by item, in time order.

    `feed` returns the answers that an item makes certain: those of evaluation times before it.
    `advance` says that nothing earlier than an instant comes any more, `close` that nothing comes.
    """

    def __init__(
        self,
        query: RsepqlQuery,
        streams: Iterable[URIRef],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        evaluation: Evaluation | None = None,
        dictionary: Dictionary | None = None,
    ) -> None:
        self._evaluation = evaluation or Evaluation()
        self.query = self._evaluation.applied_to(query)
        readings = readings or Readings()
        self.dictionary = Dictionary(
            query.form.prologue.base, substitutes=readings.exists == "substituted"
        ) if dictionary is None else dictionary
        self._plan = planned(self.query, tuple(streams), kb or {}, readings, self.dictionary)
        self._schedule = Schedule(self._evaluation, self._plan.windows)
        self._batches: BatchRuntime | None = None
        self._one_by_one = False
        """True if it is known that batches are taken item-at-a-time."""
        self._latest: int | None = None
        self._arrivals = 0
        self.streams = self._plan.streams
        """The streams that the query is about; it looks at no others."""

    # --- items ------------------------------------------------------------------------------------

    def feed(self, item: StreamItem) -> list[TimedAnswer]:
        """Return the pending answers of the evaluation times before this item's."""
        time, latest = item.time, self._latest
        if item.iri not in self.streams:
            return []
        self.leave_columns()
        self.check(item)
        answers = [] if time == latest else self.advance(time)
        self._latest = time
        self._arrive(item)
        return answers

    def arrive(self, arrival: StreamItem | Watermark) -> list[TimedAnswer]:
        """Return the answers that an item or a watermark makes final."""
        if isinstance(arrival, Watermark):
            return self.advance(arrival.time)
        return self.feed(arrival)

    def feed_batch(self, batch: GraphBatch) -> list[TimedAnswer]:
        """Return the answers that these items make final: as of `feed`, item by item.

        A batch over the engine's own dictionary is not encoded again. What of other batches is to
        come has to be retained in the dictionary: it may be swept. Raises StreamError if one of the
        items cannot be the next, and takes none in then.
        """
        # Only batches pay for NumPy's start.
        from .columnar.runtime import out_of_order, over, those_of

        batch = those_of(self.streams, batch)
        if not len(batch):
            return []
        self._check(batch.kind, batch.streams[int(batch.stream[0])], int(batch.time[0]))
        if late := out_of_order(batch):
            raise too_late(*late)
        batches = self._going_by_batch(len(batch))
        if batches is None:
            # Terms may be forgotten between the items.
            return [answer for item in list(batch.items()) for answer in self.feed(item)]
        batches.arrive(over(self.dictionary, batch), self._latest)
        self._latest = int(batch.time[-1])
        answers = list(batches.evaluated(self._latest - 1, self._latest))
        self._forget_items()
        if self.dictionary.due:
            self._forget_terms()
        return answers

    def check(self, item: StreamItem) -> None:
        """Raise QueryError or StreamError if this item cannot be the next."""
        self._check(item.kind, item.iri, item.time)

    def _check(self, kind: TimeKind, iri: URIRef, time: int) -> None:
        if self._latest is None:
            check_measure(self.query, kind)
        elif time < self._latest:
            raise too_late(iri, time, self._latest)

    def advance(self, time: int) -> list[TimedAnswer]:
        """Return the answers that are final, since no item is earlier than `time` any more."""
        answers = list(self.evaluated(time - 1))
        if self.dictionary.due:
            self._forget_terms()
        return answers

    def close(self) -> list[TimedAnswer]:
        """Return the remaining answers at the end of the streams."""
        self.end()
        return list(self.evaluated(None))

    def end(self) -> None:
        """End the streams: `evaluated` may rely on it."""
        if self._latest is not None:
            self._schedule.end(self._latest)

    @property
    def is_done(self) -> bool:
        """True if there is no further evaluation time, whatever arrives."""
        evaluation = self._evaluation
        if evaluation.at is not None:
            return self._schedule.next() is None
        return (
            evaluation.last is not None
            and self._latest is not None
            and self._latest > evaluation.last
        )

    def statistics(self) -> Statistics:
        """Return the sizes of the state: bounded by the windows, however much was read."""
        if self._batches is not None and self._batches.active:
            held = self._batches
            return Statistics(held.items, held.occurrences, len(self.dictionary))
        return Statistics(
            sum(each.size for each in self._plan.windows),
            sum(each.size for each in self._plan.matchings),
            len(self.dictionary),
        )

    def _arrive(self, item: StreamItem) -> None:
        time, iri = item.time, item.iri
        for varying in self._plan.varying:
            if varying.stream == iri:
                varying.arrive(time, self.dictionary.index(item.graph).triples)
        for window, events in self._plan.on.get(iri, ()):
            if window.admits(time):
                position = window.arrive(time)
                if window.holds_items:
                    triples = self.dictionary.index(item.graph).triples
                    window.hold(WindowItem(position, time, triples))
                for matching, leaf in events:
                    matching.arrive(leaf, position, time, item.graph)
        self._schedule.arrive(iri, time)
        self._arrivals += 1
        if self._arrivals % IN_USE.arrivals == 0:
            self._forget_items()

    # --- batches ----------------------------------------------------------------------------------

    def _going_by_batch(self, items: int) -> BatchRuntime | None:
        """Return the runtime for a batch of `items` items; None: they are taken item-at-a-time."""
        if self._batches is None:
            if self._one_by_one:
                return None
            from .columnar.runtime import batch_runtime

            self._batches = batch_runtime(
                self._plan, self._schedule, self._evaluation, self.query.operator, self._due
            )
            self._one_by_one = self._batches is None
        if self._batches is not None and not self._batches.active:
            if items < IN_USE.handed:
                return None
            self._batches.import_state()
        return self._batches

    def leave_columns(self) -> None:
        """Move the state from columns to windows and event patterns."""
        if self._batches is not None and self._batches.active:
            self._batches.export_state()

    # --- evaluations ------------------------------------------------------------------------------

    def evaluated(self, until: int | None) -> Iterator[TimedAnswer]:
        """Yield the answers of the evaluation times up to `until`; only later items follow."""
        if self._batches is not None and self._batches.active:
            yield from self._batches.evaluated(until, self._latest)
            return
        for t in self._due(until, self._latest):
            answer = self._evaluate(t)
            if answer is not None:
                yield answer
            if self.dictionary.due:
                self._forget_terms()

    def _due(self, until: int | None, latest: int | None) -> Iterator[int]:
        """Yield the evaluation times up to `until`, each once; the latest item is at `latest`.
        """
        if until is None or (latest is not None and until > latest + MOST_TICKS):
            ticks = self._schedule.ticks(until)
            if ticks > MOST_TICKS:
                raise too_many(ticks)
        while (t := self._schedule.next()) is not None and (until is None or t <= until):
            if self._schedule.reports(t) and self._within_bounds(t):
                yield t

    def _within_bounds(self, t: int) -> bool:
        first, last = self._evaluation.first, self._evaluation.last
        return (first is None or first <= t) and (last is None or t <= last)

    def event_mappings(self) -> list[list[EventMapping]]:
        """Return the solutions (μ, t1, t2) of each MATCH at the latest evaluation."""
        self.leave_columns()
        return [matching.rows.events for matching in self._plan.matchings]

    def _evaluate(self, t: int) -> TimedAnswer | None:
        for varying in self._plan.varying:
            varying.move()
        for window in self._plan.windows:
            window.move(t)
        if self._plan.kept is not None:
            self._plan.kept.update()
        for matching in self._plan.matchings:
            matching.evaluate()
        self._plan.answers.update()
        content = self._plan.forming.content(self._plan.answers.reported(self.query.operator))
        if content is None and self._evaluation.empty:
            content = () if isinstance(self.query.form, SelectQuery) else frozenset()
        return None if content is None else TimedAnswer(t, content)

    # --- forgetting -------------------------------------------------------------------------------

    def _forget_items(self) -> None:
        """Evict the items that no later evaluation can see, also if none takes place."""
        if self._latest is None:
            return
        t = self._latest
        if self._evaluation.at is not None:
            t = max(t, self._schedule.next() or t)
        if self._batches is not None and self._batches.active:
            self._batches.evict_before(t, self._latest)
            return
        for window in self._plan.windows:
            position = window.evict_before(t)
            for matching in self._plan.matchings:
                matching.evict_before(window.name, position)

    def _forget_terms(self) -> None:
        """Evict terms that no state holds from the dictionary."""
        held: set[int] = set()
        for window in self._plan.windows:
            held.update(window.ids())
        for varying in self._plan.varying:
            held.update(varying.ids())
        for snapshot in self._plan.snapshots:
            held.update(snapshot.ids())
        for matching in self._plan.matchings:
            held.update(matching.ids())
        held.update(self._plan.answers.ids())
        if self._batches is not None:
            held.update(self._batches.ids())
        self.dictionary.retain(held)
        self.dictionary.sweep()
        self._plan.forming.forget()
