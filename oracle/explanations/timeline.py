"""Timelines of derivations: streams, windows, matched and skipped events.

Time is shown in order, not to scale: every instant with an item has a column.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from .derivations import Frame, Step

_MAX_COLUMNS = 48
_MARGIN = 4


class Role(StrEnum):
    """The role of an item in a derivation."""

    MATCHED = "matched"
    REJECTED = "rejected"
    FILTERED = "filtered"
    SKIPPED = "skipped"
    UNUSED = "unused"


@dataclass(frozen=True, slots=True)
class Mark:
    """An item of a stream.

    `number` is that of the event in the text of the derivation, 0 without one; `rejected_by` is the
    condition by which a pattern rejects the item."""

    start: int
    end: int
    name: str
    content: str = ""
    role: Role = Role.UNUSED
    number: int = 0
    rejected_by: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """A stream; `keys` are the names by which events refer to it."""

    name: str
    marks: tuple[Mark, ...]
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Chart:
    """Lanes over columns of time, with windows above them.

    `omitted` counts the earlier and later instants.
    """

    lanes: tuple[Lane, ...]
    frames: tuple[Frame, ...]
    instants: tuple[int, ...]
    shown: Callable[[int], str]
    omitted: tuple[int, int] = (0, 0)

    def column(self, time: int) -> int:
        """Return the column of an instant, or of the next one."""
        return min(bisect_left(self.instants, time), len(self.instants) - 1)

    def columns(self, start: int, end: int) -> range:
        """Return the columns of the instants within [start, end]."""
        return range(bisect_left(self.instants, start), bisect_right(self.instants, end))


def timeline(
    lanes: Iterable[Lane], step: Step | None, shown: Callable[[int], str]
) -> Chart:
    """Return the timeline of a derivation, or of the closest failing derivation."""
    events = [] if step is None else list(_events(step))
    if sum(each.holds for each in events) < 2:  # the text numbers events if there are several
        events = [replace(each, number=0) for each in events]
    drawn = [replace(lane, marks=tuple(_roles(lane, events))) for lane in lanes]
    reached = [
        mark for lane in drawn for mark in lane.marks if mark.role in (Role.MATCHED, Role.REJECTED)
    ]
    if reached:
        first, last = min(mark.start for mark in reached), max(mark.end for mark in reached)
        drawn = [
            replace(lane, marks=tuple(
                replace(mark, role=Role.SKIPPED)
                if mark.role is Role.UNUSED and first <= mark.start and mark.end <= last else mark
                for mark in lane.marks
            ))
            for lane in drawn
        ]
    frames = [] if step is None else list(dict.fromkeys(
        frame for part in step.parts() for frame in part.frames
    ))
    times = sorted({time for lane in drawn for mark in lane.marks for time in _ends(mark)})
    begin, end = _range(times, [time for mark in reached for time in _ends(mark)])
    chosen = times[begin:end]
    return Chart(
        tuple(_within(lane, chosen) for lane in drawn), tuple(frames), tuple(chosen), shown,
        (begin, len(times) - end),
    )


def rejected_marks(lanes: Iterable[Lane], step: Step | None) -> list[tuple[Lane, Mark]]:
    """Return the items within the span of a derivation that a FILTER rejects."""
    events = [] if step is None else list(_events(step))
    first, last = (
        (min(each.start for each in events), max(each.end for each in events)) if events
        else (None, None)
    )
    return [
        (lane, mark) for lane in lanes for mark in _roles(lane, events)
        if mark.role is Role.FILTERED
        and (first is None or last is None or (first <= mark.start and mark.end <= last))
    ]


@dataclass(frozen=True, slots=True)
class _NumberedEvent:
    """An event of a derivation, with its number in the text."""

    stream: str
    start: int
    end: int
    number: int
    holds: bool


def _events(step: Step) -> Iterator[_NumberedEvent]:
    """Yield the events of a derivation in the order of its text."""
    number = 0

    def numbered(part: Step) -> Iterator[_NumberedEvent]:
        nonlocal number
        for premise in part.premises:
            yield from numbered(premise)
        if part.event is not None:
            number += part.holds
            yield _NumberedEvent(
                part.event.stream, part.event.start, part.event.end, number * part.holds,
                part.holds,
            )

    yield from numbered(step)


def _roles(lane: Lane, events: Sequence[_NumberedEvent]) -> Iterator[Mark]:
    for mark in lane.marks:
        its = [each for each in events if _is_of(each, lane) and _covers(mark, each)]
        matched = [each for each in its if each.holds]
        if matched:
            yield replace(mark, role=Role.MATCHED, number=matched[0].number)
        elif its:
            yield replace(mark, role=Role.REJECTED)
        elif mark.rejected_by:
            yield replace(mark, role=Role.FILTERED)
        else:
            yield mark


def _is_of(event: _NumberedEvent, lane: Lane) -> bool:
    return not event.stream or event.stream in lane.keys


def _covers(mark: Mark, event: _NumberedEvent) -> bool:
    """Return whether an event is this item, possibly clipped by a window, or contains it."""
    return (mark.start <= event.start and event.end <= mark.end) or (
        event.start <= mark.start and mark.end <= event.end
    )


def _ends(mark: Mark) -> tuple[int, int]:
    return mark.start, mark.end


def _range(times: Sequence[int], reached: Sequence[int]) -> tuple[int, int]:
    """Return the range of columns to show: all, or those around the reached items."""
    if len(times) <= _MAX_COLUMNS:
        return 0, len(times)
    if not reached:
        return 0, _MAX_COLUMNS
    begin = max(0, bisect_left(times, min(reached)) - _MARGIN)
    end = min(len(times), bisect_right(times, max(reached)) + _MARGIN)
    return begin, min(end, begin + _MAX_COLUMNS)


def _within(lane: Lane, times: Sequence[int]) -> Lane:
    if not times:
        return lane
    marks = (mark for mark in lane.marks if mark.end >= times[0] and mark.start <= times[-1])
    return replace(lane, marks=tuple(marks))
