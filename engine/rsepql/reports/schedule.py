"""ET, the instants at which a query is evaluated: whenever one of its windows reports."""

from __future__ import annotations

from collections.abc import Iterator

from ....semantics.model.errors import QueryError
from ....semantics.model.terms import URIRef
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ...checkpoints.declared import stateful
from ..windows.movement import MovingWindow
from .policies import Listed, Reporter, clocks, reporter


@stateful(parts=("reporters",), compiled=("_told",))
class Schedule:
    """The reporters of all windows, as one."""

    def __init__(self, evaluation: Evaluation, windows: list[MovingWindow]) -> None:
        reporters = list(_reporters(evaluation, windows))
        self.reporters = [each for _, each in reporters]
        self._told: dict[URIRef, list[Reporter]] = {}
        for stream, each in reporters:
            if stream is not None:
                self._told.setdefault(stream, []).append(each)

    def arrive(self, stream: URIRef, time: int) -> None:
        """An item arrives."""
        for each in self._told.get(stream, ()):
            each.arrive(time)

    def end(self, until: int) -> None:
        """No item comes any more; the last was at `until`."""
        for each in self.reporters:
            each.end(until)

    def next(self) -> int | None:
        """The next instant at which the query may be evaluated, as far as is known."""
        if len(self.reporters) == 1:
            return self.reporters[0].next()
        instants = [t for each in self.reporters if (t := each.next()) is not None]
        return min(instants, default=None)

    def reports(self, t: int) -> bool:
        """Whether the query is evaluated at `next()`, which is behind us from now on."""
        found = False
        for each in self.reporters:
            if each.next() == t:
                found |= each.reports(t)
        return found

    def ticks(self, until: int | None) -> int:
        """How many instants up to `until`, or the end, may report without an item."""
        return max((each.ticks(until) for each in self.reporters), default=0)


def _reporters(
    evaluation: Evaluation, windows: list[MovingWindow]
) -> Iterator[tuple[URIRef | None, Reporter]]:
    """Each reporter, and the stream whose items it must be told of."""
    if evaluation.at is not None:
        yield None, Listed(evaluation.at)
        return
    period = evaluation.period
    if evaluation.policy == "periodic" and period is None:
        ticking = [clock for each in windows for clock in clocks(each.function)]
        if not ticking:
            raise QueryError("policy periodic needs a period: no window of the query has a step")
        period = min(1 if each.step is None else each.step.value for each in ticking)
    found = False
    for window in windows:
        each = reporter(evaluation, window.content, period)
        if each is not None:
            found = True
            yield window.stream, each
    if evaluation.policy == "window-close" and not found:
        raise QueryError("policy window-close: no window of the query ever closes")
