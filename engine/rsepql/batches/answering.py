"""The answers of the evaluations that a batch makes certain, by what each gains and loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import Variable
from ....semantics.rdf.syntax.tree import AskQuery, SelectQuery
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import StreamOperator
from ...rdf.columns.batch import Column
from ...rdf.data.layout import Rows
from ..patterns import Matched
from ..plan import Plan
from ..reports.answers import RecomputedAnswers, difference
from .found import MatchColumns

Change = tuple[MatchColumns, MatchColumns]
"""What the solutions of a MATCH gain and lose, each in the order of evaluations"""


class Answering(Protocol):
    """From the changes of the event patterns at some evaluations to the answers of these."""

    maintains_rows: bool
    """Whether the solutions of each MATCH are kept as they are at the latest evaluation"""

    def answers(self, instants: Column, changes: Sequence[Change]) -> Iterator[TimedAnswer]:
        """The answers at these instants, in their order."""


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
        """Those of an evaluation, which are asked for in order."""
        begin = end = self._next
        evaluations = self._evaluations
        while end < len(evaluations) and evaluations[end] == evaluation:
            end += 1
        self._next = end
        return self._events[begin:end]


class AnsweringTogether:
    """Where a query selects variables of its one MATCH: the rows of all evaluations at once.

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
    """Whether solutions are those of a MATCH, some of their variables left out."""
    return (
        len(select.where.elements) == 1
        and isinstance(select.where.elements[0], Matched)
        and select.values is None
        and not select.reduced
        and all(each.expression is None for each in select.projection or ())
    )
