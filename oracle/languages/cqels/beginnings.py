"""The beginnings of CQELS-CEP's event clauses, and of each one queries that demand less."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ....semantics.cqels.syntax.analysis import blocks
from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    PatternElement,
    TripleSequence,
    WindowElement,
    WindowPattern,
    WindowSequence,
)
from ....semantics.rdf.syntax.tree import Element, GroupGraphPattern, UnionPattern
from ..base import NOT_IN_WINDOW, TOGETHER, Beginning, Relaxed
from ..group_beginnings import GroupBeginnings, Unit, separate


class Part(NamedTuple):
    """An element of a sequence: a group as a UNION of one, or a WINDOW block."""

    element: Element
    negated: bool = False


def beginnings(query: CqelsQuery, readings: Readings) -> list[Beginning]:
    """Return the pattern of the query with its beginnings."""
    return [_Beginnings(query, readings, query.prologue).group(query.where)]


class _Beginnings(GroupBeginnings[CqelsQuery]):
    APART = "not over intervals that intersect"

    def over(self, group: GroupGraphPattern) -> CqelsQuery:
        return replace(
            self.query, select=None, template=None, operator=None, output=None, distinct=False,
            where=group,
        )

    def units(self, elements: Sequence[Element]) -> Sequence[Unit]:
        # A sequence matches together with the WINDOW blocks that it names.
        named = blocks(GroupGraphPattern(tuple(elements)))
        return [
            (each, *(named[name] for name in dict.fromkeys(part.name for part in each.elements)))
            if isinstance(each, WindowSequence) else (each,)
            for each in elements
            if not isinstance(each, WindowPattern) or named.get(each.name) is not each
        ]

    def own(self, unit: Unit) -> Beginning | None:
        match unit:
            case (WindowPattern(body=TripleSequence(elements, filters)) as window,):
                found = self._sequence(
                    [Part(UnionPattern((each.pattern,)), each.negated) for each in elements],
                    lambda parts: (replace(window, body=_triple_sequence(parts)),),
                )
                if not filters:
                    return found
                why = f"{self.text(filters)} is never true"
                return Beginning(
                    "", self.text(replace(window, body=TripleSequence(elements))),
                    self.asked(GroupGraphPattern(unit)), (self.relaxed(why, found.query),), (found,)
                )
            case (WindowPattern(),):
                alone = self.leaf(unit)
                return alone._replace(relaxed=(self._everywhere(NOT_IN_WINDOW, alone.query),))
            case (WindowSequence(named), *windows):
                blocks_of = {each.name: each for each in windows if isinstance(each, WindowPattern)}
                return self._sequence(
                    [Part(blocks_of[each.name], each.negated) for each in named], _window_sequence
                )
        return None

    def _sequence(self, parts: Sequence[Part], unit: Callable[[Sequence[Part]], Unit]) -> Beginning:
        """Return a sequence's last beginning; a negated element belongs to the one behind it."""
        found: Beginning | None = None
        begun = 0
        for number, last in enumerate(parts, 1):
            if last.negated and number < len(parts):
                continue
            before, now = parts[:begun], parts[:number]
            text = self._shown([last])
            query = self._asked(unit(now))
            if last.negated and found is not None:
                why = f"not without {self._shown([last], '')} after it"
                found = Beginning(
                    "", self._shown(before), query, (self.relaxed(why, found.query),), (found,)
                )
            else:
                alone = self.own((last.element,)) or self.leaf(unit([last]), text)
                found = Beginning(
                    self._shown(before), text, query, tuple(self._relaxed(before, now, unit)),
                    (alone,) if found is None else (found, alone),
                ) if number > 1 else alone
            begun = number
        assert found is not None  # a sequence has an element that is not negated
        return found

    def _relaxed(
        self, before: Sequence[Part], now: Sequence[Part], unit: Callable[[Sequence[Part]], Unit]
    ) -> Iterator[Relaxed]:
        *_, last = now
        if negated := now[len(before):-1]:
            where = "between them" if before else "before it"
            yield self.relaxed(
                f"not without {self._shown(negated, '')} {where}",
                self._asked(unit([*before, last])),
            )
        yield self._everywhere(NOT_IN_WINDOW, self._asked(unit(now)))
        elements = [each.element for each in before if not each.negated]
        shared, (other,) = separate(elements, [last.element])
        if shared:
            apart = [*now[:-1], Part(other)]
            yield self.relaxed(f"not with the same {shared}", self._asked(unit(apart)))
        least = [each for each in before if not each.negated]
        yield self._everywhere(TOGETHER, self._asked(unit([*least, Part(other)])))

    def _asked(self, unit: Unit) -> CqelsQuery:
        return self.asked(GroupGraphPattern(unit))

    def _everywhere(self, but: str, query: CqelsQuery) -> Relaxed:
        """Demand a pattern over windows that hold each item."""
        windows = [replace(each, function=AllWindow()) for each in query.windows]
        return self.relaxed(but, replace(query, windows=tuple(windows)))

    def _shown(self, parts: Sequence[Part], mark: str = "!") -> str:
        shown = [mark * each.negated + self.text(_written(each.element)) for each in parts]
        return f"SEQ({', '.join(shown)})" if len(shown) > 1 else "".join(shown)


def _written(element: Element) -> Element | GroupGraphPattern:
    """Return a group without further braces around it."""
    return element.alternatives[0] if isinstance(element, UnionPattern) else element


def _triple_sequence(parts: Sequence[Part]) -> TripleSequence:
    return TripleSequence(tuple(
        PatternElement(each.element.alternatives[0], each.negated)
        for each in parts if isinstance(each.element, UnionPattern)
    ))


def _window_sequence(parts: Sequence[Part]) -> Unit:
    windows = [each.element for each in parts if isinstance(each.element, WindowPattern)]
    names = [WindowElement(w.name, p.negated) for w, p in zip(windows, parts, strict=True)]
    return WindowSequence(tuple(names)), *{each.name: each for each in windows}.values()
