"""The beginnings of RSEP-QL's event patterns, and of each one queries that demand less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ....semantics.model.trees import changed
from ....semantics.rdf.syntax.tree import GroupGraphPattern, SelectQuery
from ....semantics.rdf.syntax.variables import self_contained, within
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    Event,
    EventPattern,
    First,
    IdentityWindow,
    Last,
    MatchPattern,
    RsepqlQuery,
    Sequence,
    SequenceOperator,
    StreamOperator,
)
from ..base import NOT_IN_WINDOW, TOGETHER, Beginning, Relaxed
from ..group_beginnings import GroupBeginnings, Unit, separate


def beginnings(query: RsepqlQuery, readings: Readings) -> list[Beginning]:
    """Return the pattern of the query with its beginnings, whatever CONSUME leaves of it."""
    if query.form.where is None:
        return []
    return [_Beginnings(query, readings, query.prologue).group(query.form.where)]


class _Beginnings(GroupBeginnings[RsepqlQuery]):
    APART = "not at one evaluation time"

    def over(self, group: GroupGraphPattern) -> RsepqlQuery:
        return replace(
            self.query, form=SelectQuery(None, group, dataset=self.query.form.dataset),
            operator=StreamOperator.RSTREAM, consumption=ConsumptionPolicy.UNRESTRICTED,
        )

    def own(self, unit: Unit) -> Beginning | None:
        return self._event(unit[0].event) if isinstance(unit[0], MatchPattern) else None

    def _event(self, e: EventPattern) -> Beginning:
        match e:
            case Event():
                alone = self.leaf([_match(e)], self.text(e))
                return alone._replace(relaxed=(self._everywhere(NOT_IN_WINDOW, e),))
            case First(inner) | Last(inner):  # one of the events of each is first, or last
                return self._event(inner)
            case Sequence(_, left, right):
                return Beginning(
                    self.text(left), self.text(right), self._asked(e), tuple(self._relaxed(e)),
                    (self._event(left), self._event(right)),
                )

    def _asked(self, e: EventPattern) -> RsepqlQuery:
        return self.asked(GroupGraphPattern((_match(e),)))

    def _relaxed(self, e: Sequence) -> Iterator[Relaxed]:
        chosen = _unselected(e)
        if chosen != e:
            yield self.relaxed("not among the events that are selected", self._asked(chosen))
        yield self._everywhere(NOT_IN_WINDOW, e)
        shared, (other,) = separate([_match(e.left)], [_match(e.right)])
        apart = replace(e, right=other.event)
        if shared:
            yield self.relaxed(f"not with the same {shared}", self._asked(apart))
        alone = _with(e, self_contained)
        if alone != _restricted(e):
            but = "a FILTER on variables of several patterns is never true"
            yield self.relaxed(but, self._asked(alone))
        yield self._everywhere(TOGETHER, _unselected(_with(apart, self_contained)))

    def _everywhere(self, but: str, e: EventPattern) -> Relaxed:
        """Demand a pattern over windows that hold each item."""
        whole = self._asked(e)
        windows = [replace(each, function=IdentityWindow()) for each in whole.windows]
        return self.relaxed(but, replace(whole, windows=tuple(windows)), anytime=True)


def _match(e: EventPattern) -> MatchPattern:
    return MatchPattern(_restricted(e))


def _restricted(e: EventPattern) -> EventPattern:
    """Return E without the conditions on variables that it does not bind."""
    bound = frozenset(MatchPattern(e).variables())
    return _with(e, lambda pattern: within(pattern, bound))


def _with(
    e: EventPattern, change: Callable[[GroupGraphPattern], GroupGraphPattern]
) -> EventPattern:
    return changed(e, lambda part: (
        replace(part, pattern=change(part.pattern)) if isinstance(part, Event) else part
    ), but=GroupGraphPattern)


def _unselected(e: EventPattern) -> EventPattern:
    """Return E without FIRST and LAST, and with SEQ as its only operator."""
    def unselected(part: EventPattern) -> EventPattern:
        match part:
            case First(inner) | Last(inner):
                return inner
            case Sequence():
                return replace(part, operator=SequenceOperator.UNRESTRICTED)
        return part

    return changed(e, unselected, but=GroupGraphPattern)
