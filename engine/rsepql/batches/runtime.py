"""The runtime over batches: columns in, the answers of the evaluations that they make certain out.

It takes over from the runtime that goes item by item, which has the query's plan, and hands back
what it knows, so that items and batches may come in any mixture.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....semantics.model.trees import has
from ....semantics.rdf.syntax.tree import ConstructQuery, DescribeQuery, SelectQuery
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import CountWindow, StreamOperator
from ...rdf.columns.batch import GraphBatch
from ..events.compile import EventNode, Node, SequenceNode
from ..events.leaves import Leaf
from ..events.matching import Matching
from ..plan import Plan
from ..reports.answers import LinearAnswers
from ..reports.schedule import Schedule
from .answering import Answering, AnsweringOneByOne, AnsweringTogether, only_selects
from .chaining import SequenceColumns
from .moving import is_columnar
from .occurring import OccurrenceColumns
from .pacing import Due, Pace, pace


class BatchRuntime:
    """A plan on its windows and event patterns as columns, while it is `active`."""

    def __init__(
        self, plan: Plan, pace: Pace, evaluation: Evaluation, operator: StreamOperator
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

    def take_over(self) -> None:
        """Batches come now."""
        self.active = True
        for window in self._pace.windows:
            window.take_over()
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            for leaf in sequence.leaves:
                leaf.take_over()
            sequence.take_over()
            matching.release(rows=not self._answering.maintains_rows)

    def hand_back(self) -> None:
        """Items come now."""
        self.active = False
        for window in self._pace.windows:
            window.hand_back()
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            matching.take_back(
                {leaf.node.number: leaf.hand_back() for leaf in sequence.leaves},
                rows=not self._answering.maintains_rows,
            )
            sequence.hand_back()

    # --- items ----------------------------------------------------------------------------------

    def arrive(self, batch: GraphBatch, latest: int | None) -> None:
        """Items of the query's streams arrive; the one before them came at `latest`."""
        arrived = self._pace.arrive(batch, latest)
        for matching, sequence in zip(self._plan.matchings, self._sequences, strict=True):
            sequence.match([
                occurrences.arrive(batch, *arrived[self._places[leaf.window]])
                for leaf, occurrences in zip(_in_order(matching), sequence.leaves, strict=True)
            ])

    def forget_before(self, t: int, latest: int) -> None:
        """No evaluation is earlier than t any more, and no item than the latest."""
        for window in self._pace.windows:
            window.forget_before(t)
        for sequence in self._sequences:
            sequence.forget_before(latest)

    @property
    def items(self) -> int:
        """How many items are remembered, by their times."""
        return sum(window.size for window in self._pace.windows)

    @property
    def occurrences(self) -> int:
        """How many occurrences may take part in answers."""
        return sum(len(leaf) for sequence in self._sequences for leaf in sequence.leaves)

    def ids(self) -> Iterator[int]:
        """The term ids that are held, each once."""
        for sequence in self._sequences:
            yield from np.unique(sequence.ids()).tolist()

    # --- evaluations ----------------------------------------------------------------------------

    def evaluated(self, until: int | None, latest: int | None) -> Iterator[TimedAnswer]:
        """The answers of the evaluation times up to `until`; the latest item came at `latest`."""
        instants = self._pace.due(until, latest)
        if not len(instants):
            return iter(())
        changes = [sequence.update() for sequence in self._sequences]
        return self._answering.answers(instants, changes)


def batch_runtime(
    plan: Plan, schedule: Schedule, evaluation: Evaluation, operator: StreamOperator, due: Due
) -> BatchRuntime | None:
    """The runtime of a query over batches; None if it is one that goes item by item."""
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
