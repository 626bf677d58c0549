"""The runtime over batches: columns in, the answers of the evaluations that they make certain out.

It takes over from the runtime that goes item by item, which has the query's plan, and hands back
what it knows, so that items and batches may come in any mixture.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import URIRef
from ....semantics.rdf.syntax.tree import ConstructQuery, DescribeQuery, SelectQuery
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import StreamOperator
from ...rdf.columns.batch import Column, GraphBatch
from ..events.compile import EventNode, Node, SequenceNode
from ..events.leaves import Leaf
from ..events.matching import Matching
from ..plan import Plan
from ..reports.answers import LinearAnswers
from ..reports.policies import ContentChange
from ..reports.schedule import Schedule
from .answering import Answering, AnsweringOneByOne, AnsweringTogether, only_selects
from .chaining import SequenceColumns
from .moving import WindowColumns, is_columnar
from .occurring import OccurrenceColumns


class BatchRuntime:
    """A plan on its windows and event patterns as columns, while it is `active`."""

    def __init__(
        self, plan: Plan, schedule: Schedule, evaluation: Evaluation, operator: StreamOperator
    ) -> None:
        self.active = False
        self._plan = plan
        self._evaluation = evaluation
        self._windows = [
            WindowColumns(window, reporter)
            for window, reporter in zip(plan.windows, schedule.reporters, strict=True)
            if isinstance(reporter, ContentChange)
        ]
        named = {
            window.name: columns
            for window, columns in zip(plan.windows, self._windows, strict=True)
        }
        self._answering = _answering(plan, evaluation, operator)
        together = not self._answering.maintains_rows
        self._sequences = [
            SequenceColumns(
                [
                    OccurrenceColumns(leaf.node, leaf.matcher, named[leaf.window])
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

    def take_over(self) -> None:
        """Batches come now."""
        self.active = True
        for window in self._windows:
            window.take_over()
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            for leaf in sequence.leaves:
                leaf.take_over()
            sequence.take_over()
            matching.release(rows=not self._answering.maintains_rows)

    def hand_back(self) -> None:
        """Items come now."""
        self.active = False
        for window in self._windows:
            window.hand_back()
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            matching.take_back(
                {leaf.node.number: leaf.hand_back() for leaf in sequence.leaves},
                rows=not self._answering.maintains_rows,
            )
            sequence.hand_back()

    # --- items ----------------------------------------------------------------------------------

    def arrive(self, batch: GraphBatch) -> None:
        """Items arrive; those of other streams than the query's are passed over."""
        mine: dict[WindowColumns, tuple[NDArray[np.bool_], Column]] = {}
        for window in self._windows:
            of_stream = batch.stream == _number(batch, window.stream)
            times = batch.time[of_stream]
            position = np.zeros(len(batch), np.int64)
            position[of_stream] = window.arrive(times)
            admitted = window.admitted(times)
            if admitted is not None:
                of_stream[of_stream] = admitted
            mine[window] = of_stream, position
        for sequence in self._sequences:
            sequence.match([leaf.arrive(batch, *mine[leaf.window]) for leaf in sequence.leaves])

    def forget_before(self, t: int) -> None:
        """No evaluation is earlier than t any more."""
        for window in self._windows:
            window.forget_before(t)
        for sequence in self._sequences:
            sequence.forget_before(t)

    @property
    def items(self) -> int:
        """How many items are remembered, by their times."""
        return sum(window.size for window in self._windows)

    @property
    def occurrences(self) -> int:
        """How many occurrences may take part in answers."""
        return sum(len(leaf) for sequence in self._sequences for leaf in sequence.leaves)

    def ids(self) -> Iterator[int]:
        """The term ids that are held, each once."""
        for sequence in self._sequences:
            yield from np.unique(sequence.ids()).tolist()

    # --- evaluations ----------------------------------------------------------------------------

    def evaluated(self, until: int | None) -> Iterator[TimedAnswer]:
        """The answers of the evaluation times up to `until`."""
        due = np.concatenate([window.due(until) for window in self._windows])
        instants = np.unique(due) if len(self._windows) > 1 else due
        first, last = self._evaluation.first, self._evaluation.last
        if first is not None:
            instants = instants[instants >= first]
        if last is not None:
            instants = instants[instants <= last]
        if not len(instants):
            return iter(())
        for window in self._windows:
            window.move(instants)
        changes = [sequence.update() for sequence in self._sequences]
        return self._answering.answers(instants, changes)


def batch_runtime(
    plan: Plan, schedule: Schedule, evaluation: Evaluation, operator: StreamOperator
) -> BatchRuntime | None:
    """The runtime of a query over batches; None if it is one that goes item by item."""
    possible = (
        evaluation.at is None
        and evaluation.policy == "content-change"
        and not plan.varying
        and plan.kept is None
        and bool(plan.matchings)
        and not isinstance(plan.form, DescribeQuery)
        and not any(window.holds_items for window in plan.windows)
        and all(is_columnar(window.function) for window in plan.windows)
        and all(map(_is_plain, plan.matchings))
    )
    return BatchRuntime(plan, schedule, evaluation, operator) if possible else None


def _answering(plan: Plan, evaluation: Evaluation, operator: StreamOperator) -> Answering:
    if (
        isinstance(plan.answers, LinearAnswers)
        and operator is not StreamOperator.RSTREAM
        and not evaluation.empty
        and isinstance(plan.form, SelectQuery | ConstructQuery)
        and only_selects(plan.select)
    ):
        (matching,) = plan.matchings
        if len({leaf.window for leaf in matching.leaves}) == 1:
            return AnsweringTogether(plan, operator, matching.variables)
    return AnsweringOneByOne(plan, operator, empty=evaluation.empty)


def _is_plain(matching: Matching) -> bool:
    """Whether it is a SEQ of EVENTs, unrestricted, whose patterns bind all their variables."""
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
    """The EVENTs of a sequence, the first of them first."""
    return (matching.leaves[number] for number in matching.root.leaves)


def _number(batch: GraphBatch, stream: URIRef) -> int:
    return batch.streams.index(stream) if stream in batch.streams else -1
