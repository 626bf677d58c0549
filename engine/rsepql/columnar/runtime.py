"""The runtime over batches: columns in, the answers of the evaluations that become certain out.

It takes over from the runtime that goes item by item, which has the query's plan, and hands back
what it knows, so that items and batches may come in any mixture.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import URIRef, Variable
from ....semantics.model.trees import has
from ....semantics.rdf.syntax.tree import AskQuery, ConstructQuery, DescribeQuery, SelectQuery
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import CountWindow, StreamOperator
from ...rdf.columns.batch import Column, GraphBatch, batch_of
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.layout import Rows
from ..events.basic_patterns import Leaf
from ..events.compile import EventNode, Node, SequenceNode
from ..events.matching import Matching
from ..patterns import Matched
from ..plan import Plan
from ..reports.answers import LinearAnswers, RecomputedAnswers, difference
from ..reports.policies import Schedule
from .sequence_join import MatchColumns, OccurrenceColumns, SequenceColumns
from .windows import BatchSchedule, Due, is_columnar, pace

Change = tuple[MatchColumns, MatchColumns]
"""The insertions and retractions of a MATCH's solutions, each in the order of evaluations."""


class Answering(Protocol):
    """The computation of the answers at some evaluations from the changes of the event patterns."""

    maintains_rows: bool
    """True if the solutions of each MATCH are kept as they are at the latest evaluation."""

    def answers(self, instants: Column, changes: Sequence[Change]) -> Iterator[TimedAnswer]:
        """Return the answers at these instants, in their order."""


class AnsweringOneByOne:
    """Each evaluation at which anything changes is made as it is item by item."""

    maintains_rows = True

    def __init__(self, plan: Plan, operator: StreamOperator, *, empty: bool) -> None:
        self._plan = plan
        self._operator = operator
        self._nothing: tuple[()] | frozenset[object] | None = None
        if empty:
            self._nothing = () if isinstance(plan.form, SelectQuery) else frozenset()
        answers = plan.answers
        # Where nothing is matched yet there may be an answer, as a count.
        self._first = isinstance(answers, RecomputedAnswers)
        self._all = (
            empty
            or isinstance(plan.form, AskQuery)
            or operator is StreamOperator.RSTREAM
            or (isinstance(answers, RecomputedAnswers) and answers.always)
        )

    def answers(self, instants: Column, changes: Sequence[Change]) -> Iterator[TimedAnswer]:
        if self._all:
            evaluations = np.arange(len(instants))
        else:
            first = [np.zeros(1, np.int64)] if self._first else []
            changing = [each.evaluation for change in changes for each in change]
            evaluations = np.unique(np.concatenate(first + changing))
        cursors = [[_Cursor(each) for each in change] for change in changes]
        plan = self._plan
        for number, t in zip(
            evaluations.tolist(), instants[evaluations].tolist(), strict=True
        ):
            for matching, (gained, lost) in zip(plan.matchings, cursors, strict=True):
                matching.rows.change(gained.at(number), lost.at(number))
            plan.answers.update()
            content = plan.forming.content(plan.answers.reported(self._operator))
            if content is None:
                content = self._nothing  # type: ignore[assignment]
            if content is not None:
                yield TimedAnswer(t, content)


class _Cursor:
    """Event mappings in the order of evaluations."""

    def __init__(self, matches: MatchColumns) -> None:
        self._evaluations = matches.evaluation.tolist()
        self._events = matches.events
        self._next = 0

    def at(self, evaluation: int) -> list[tuple[tuple[int, ...], int, int]]:
        """Return the answers of an evaluation; evaluations are requested in order."""
        begin = end = self._next
        evaluations = self._evaluations
        while end < len(evaluations) and evaluations[end] == evaluation:
            end += 1
        self._next = end
        return self._events[begin:end]


class AnsweringTogether:
    """The answers of a query that selects variables of its one MATCH: all evaluations at once.

    `columns` are those of the query's solutions, `variables` those of the event pattern's.
    """

    maintains_rows = False

    def __init__(
        self, plan: Plan, operator: StreamOperator, variables: Sequence[Variable]
    ) -> None:
        self._forming = plan.forming
        self._shrinks = operator is StreamOperator.DSTREAM
        self._picks = [
            variables.index(each) if each in variables else len(variables)
            for each in plan.forming.columns
        ]

    def answers(self, instants: Column, changes: Sequence[Change]) -> Iterator[TimedAnswer]:
        ((gained, lost),) = changes
        if self._shrinks:
            gained, lost = lost, gained
        if not len(gained):
            return
        bounds = np.flatnonzero(np.diff(gained.evaluation, prepend=-1))
        evaluations = gained.evaluation[bounds]
        rows = list(map(tuple, self._picked(gained.rows)))
        # A solution that is gained and lost at one evaluation is neither.
        against = self._against(lost, evaluations)
        content = self._forming.content
        ends = [*bounds[1:].tolist(), len(rows)]
        for number, t, begin, end in zip(
            evaluations.tolist(), instants[evaluations].tolist(), bounds.tolist(), ends,
            strict=True,
        ):
            reported: Rows = rows[begin:end]
            if number in against:
                reported = difference(reported, against[number])
            answer = content(reported)
            if answer is not None:
                yield TimedAnswer(t, answer)

    def _against(self, lost: MatchColumns, evaluations: Column) -> dict[int, Rows]:
        lost = lost[np.isin(lost.evaluation, evaluations)]
        found: dict[int, Rows] = {}
        for evaluation, row in zip(
            lost.evaluation.tolist(), self._picked(lost.rows), strict=True
        ):
            found.setdefault(evaluation, []).append(tuple(row))
        return found

    def _picked(self, rows: NDArray[np.int64]) -> list[list[int]]:
        padded = np.column_stack((rows, np.zeros(len(rows), np.int64)))
        picked: list[list[int]] = padded[:, self._picks].tolist()
        return picked


def only_selects(select: SelectQuery) -> bool:
    """Return True if solutions are those of a MATCH, some of their variables left out."""
    return (
        len(select.where.elements) == 1
        and isinstance(select.where.elements[0], Matched)
        and select.values is None
        and not select.reduced
        and all(each.expression is None for each in select.projection or ())
    )


def those_of(streams: Collection[URIRef], batch: GraphBatch) -> GraphBatch:
    """Return the items of these streams."""
    wanted = np.array([iri in streams for iri in batch.streams], np.bool_)
    if wanted.all():
        return batch
    items = wanted[batch.stream]
    sizes = np.diff(batch.offsets)
    triples = np.repeat(items, sizes)
    return GraphBatch(
        batch.dictionary, batch.kind, batch.streams, batch.stream[items], batch.time[items],
        batch.start[items], batch.rank[items],
        np.concatenate(([0], np.cumsum(sizes[items]))),
        batch.subject[triples], batch.predicate[triples], batch.object[triples],
    )


def out_of_order(batch: GraphBatch) -> tuple[URIRef, int, int] | None:
    """Return the first late item: its stream, its time, and the time of the item before it."""
    times = batch.time
    falls = np.flatnonzero(times[1:] < times[:-1])
    if not len(falls):
        return None
    before, at = int(falls[0]), int(falls[0]) + 1
    return batch.streams[int(batch.stream[at])], int(times[at]), int(times[before])


def over(dictionary: Dictionary, batch: GraphBatch) -> GraphBatch:
    """Return the same items with ids of this dictionary."""
    if batch.dictionary is dictionary:
        return batch
    return batch_of(list(batch.items()), dictionary)


class BatchRuntime:
    """A plan on its windows and event patterns as columns, while it is `active`."""

    def __init__(
        self, plan: Plan, pace: BatchSchedule, evaluation: Evaluation, operator: StreamOperator
    ) -> None:
        self.active = False
        self._plan = plan
        self._pace = pace
        self._places = {window.name: place for place, window in enumerate(plan.windows)}
        self._answering = _answering(plan, evaluation, operator)
        together = not self._answering.maintains_rows
        self._sequences = [
            SequenceColumns(
                [
                    OccurrenceColumns(
                        leaf.node, leaf.matcher, pace.windows[self._places[leaf.window]]
                    )
                    for leaf in _in_order(matching)
                    if isinstance(leaf.node, EventNode) and leaf.matcher is not None
                ],
                matching.variables,
                mappings_only=together,
                only_grows=matching.rows.only_grows,
            )
            for matching in plan.matchings
        ]

    # --- from items to columns, and back ----------------------------------------------------------

    def import_state(self) -> None:
        """Import the state to process batches."""
        self.active = True
        for window in self._pace.windows:
            window.import_state()
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            for leaf in sequence.leaves:
                leaf.import_state()
            sequence.import_state()
            matching.release(rows=not self._answering.maintains_rows)

    def export_state(self) -> None:
        """Export the state to process single items."""
        self.active = False
        for window in self._pace.windows:
            window.export_state()
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            matching.take_back(
                {leaf.node.number: leaf.export_state() for leaf in sequence.leaves},
                rows=not self._answering.maintains_rows,
            )
            sequence.export_state()

    # --- items ----------------------------------------------------------------------------------

    def arrive(self, batch: GraphBatch, latest: int | None) -> None:
        """Add items of the query's streams; the previous item came at `latest`."""
        arrived = self._pace.arrive(batch, latest)
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            sequence.match([
                occurrences.arrive(batch, *arrived[self._places[leaf.window]])
                for leaf, occurrences in zip(_in_order(matching), sequence.leaves, strict=True)
            ])

    def evict_before(self, t: int, latest: int) -> None:
        """Evict state: no evaluation is earlier than t any more, and no item than the latest."""
        for window in self._pace.windows:
            window.evict_before(t)
        for sequence in self._sequences:
            sequence.evict_before(latest)

    @property
    def items(self) -> int:
        """The number of items in the state, by their times."""
        return sum(window.size for window in self._pace.windows)

    @property
    def occurrences(self) -> int:
        """The number of occurrences that may take part in answers."""
        return sum(len(leaf) for sequence in self._sequences for leaf in sequence.leaves)

    def ids(self) -> Iterator[int]:
        """Yield the term ids that are held, each once."""
        for sequence in self._sequences:
            yield from np.unique(sequence.ids()).tolist()

    # --- evaluations ----------------------------------------------------------------------------

    def evaluated(self, until: int | None, latest: int | None) -> Iterator[TimedAnswer]:
        """Return the answers up to the time `until`; `latest` is the last item's time."""
        instants = self._pace.due(until, latest)
        if not len(instants):
            return iter(())
        changes = [sequence.update() for sequence in self._sequences]
        return self._answering.answers(instants, changes)


def batch_runtime(
    plan: Plan, schedule: Schedule, evaluation: Evaluation, operator: StreamOperator, due: Due
) -> BatchRuntime | None:
    """Return the runtime of a query over batches; None if it runs item at a time."""
    possible = (
        not plan.varying
        and plan.kept is None
        and bool(plan.matchings)
        and not isinstance(plan.form, DescribeQuery)
        and not any(window.holds_items for window in plan.windows)
        and all(map(is_columnar, plan.windows))
        and all(map(_is_plain, plan.matchings))
    )
    if not possible:
        return None
    return BatchRuntime(plan, pace(plan, schedule, evaluation, due), evaluation, operator)


def _answering(plan: Plan, evaluation: Evaluation, operator: StreamOperator) -> Answering:
    if (
        isinstance(plan.answers, LinearAnswers)
        and operator is not StreamOperator.RSTREAM
        and not evaluation.empty
        and isinstance(plan.form, SelectQuery | ConstructQuery)
        and only_selects(plan.select)
    ):
        (matching,) = plan.matchings
        (window, *others) = {leaf.window for leaf in matching.leaves}
        functions = {each.name: each.function for each in plan.windows}
        if not others and not has(functions[window], CountWindow):
            # All ways to find a mapping begin at one time, and so are lost together.
            return AnsweringTogether(plan, operator, matching.variables)
    return AnsweringOneByOne(plan, operator, empty=evaluation.empty)


def _is_plain(matching: Matching) -> bool:
    """Return True if it is an unrestricted SEQ of EVENTs whose patterns bind all variables."""
    return not matching.consumes and _is_sequence(matching.root) and all(
        isinstance(leaf.node, EventNode)
        and leaf.matcher is not None
        and leaf.matcher.certain >= frozenset(leaf.matcher.columns)
        for leaf in matching.leaves
    )


def _is_sequence(node: Node) -> bool:
    match node:
        case EventNode():
            return True
        case SequenceNode():
            return _is_sequence(node.left) and _is_sequence(node.right)
        case _:
            return False


def _in_order(matching: Matching) -> Iterator[Leaf]:
    """Return the EVENTs of a sequence, the first of them first."""
    return (matching.leaves[number] for number in matching.root.leaves)
