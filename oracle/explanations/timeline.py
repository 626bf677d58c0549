"""What a derivation rests on, on a line of time: streams, windows, events taken and passed over.

Time is drawn by order, not to scale: every instant at which something happens has a column.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from .derivations import Frame, Step

_MOST_COLUMNS = 48
_AROUND = 4


class Role(StrEnum):
    """What an item is to a derivation."""

    TAKEN = "taken"
    FAILING = "failing"
    REFUSED = "refused"
    PASSED = "passed"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Mark:
    """An item of a stream: from when to when, its name, what is in it; `number` is that of the
    event in the derivation's prose, 0 if it has none; `refused` is the condition for which a
    pattern refuses it."""

    start: int
    end: int
    name: str
    content: str = ""
    role: Role = Role.OTHER
    number: int = 0
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """A stream; `keys` are the names by which events speak of it."""

    name: str
    marks: tuple[Mark, ...]
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Chart:
    """Lanes over columns of time, with windows above them.

    `left_out` counts the instants that there are before and after.
    """

    lanes: tuple[Lane, ...]
    frames: tuple[Frame, ...]
    instants: tuple[int, ...]
    shown: Callable[[int], str]
    left_out: tuple[int, int] = (0, 0)

    def column(self, time: int) -> int:
        """The column of an instant, or of the next one."""
        return min(bisect_left(self.instants, time), len(self.instants) - 1)

    def columns(self, start: int, end: int) -> range:
        """The columns of the instants within [start, end]."""
        return range(bisect_left(self.instants, start), bisect_right(self.instants, end))


def timeline(
    lanes: Iterable[Lane], step: Step | None, shown: Callable[[int], str]
) -> Chart:
    """The timeline of a derivation, or of the nearest that there is to one."""
    told = [] if step is None else list(_events(step))
    if sum(each.holds for each in told) < 2:  # prose counts events if there are several
        told = [replace(each, number=0) for each in told]
    drawn = [replace(lane, marks=tuple(_roles(lane, told))) for lane in lanes]
    reached = [
        mark for lane in drawn for mark in lane.marks if mark.role in (Role.TAKEN, Role.FAILING)
    ]
    if reached:
        first, last = min(mark.start for mark in reached), max(mark.end for mark in reached)
        drawn = [
            replace(lane, marks=tuple(
                replace(mark, role=Role.PASSED)
                if mark.role is Role.OTHER and first <= mark.start and mark.end <= last else mark
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


def refused_marks(lanes: Iterable[Lane], step: Step | None) -> list[tuple[Lane, Mark]]:
    """Return the items that a pattern refuses, among those that a derivation reaches."""
    told = [] if step is None else list(_events(step))
    first, last = (
        (min(each.start for each in told), max(each.end for each in told)) if told else (None, None)
    )
    return [
        (lane, mark) for lane in lanes for mark in _roles(lane, told)
        if mark.role is Role.REFUSED
        and (first is None or last is None or (first <= mark.start and mark.end <= last))
    ]


@dataclass(frozen=True, slots=True)
class _Told:
    """An event of a derivation, with the number that prose gives it."""

    stream: str
    start: int
    end: int
    number: int
    holds: bool


def _events(step: Step) -> Iterator[_Told]:
    """In the order in which prose tells of them: what rests on events comes after them."""
    number = 0

    def those(part: Step) -> Iterator[_Told]:
        nonlocal number
        for premise in part.premises:
            yield from those(premise)
        if part.event is not None:
            number += part.holds
            yield _Told(
                part.event.stream, part.event.start, part.event.end, number * part.holds,
                part.holds,
            )

    yield from those(step)


def _roles(lane: Lane, told: Sequence[_Told]) -> Iterator[Mark]:
    for mark in lane.marks:
        its = [each for each in told if _is_of(each, lane) and _covers(mark, each)]
        taken = [each for each in its if each.holds]
        if taken:
            yield replace(mark, role=Role.TAKEN, number=taken[0].number)
        elif its:
            yield replace(mark, role=Role.FAILING)
        elif mark.refused:
            yield replace(mark, role=Role.REFUSED)
        else:
            yield mark


def _is_of(told: _Told, lane: Lane) -> bool:
    return not told.stream or told.stream in lane.keys


def _covers(mark: Mark, told: _Told) -> bool:
    """Whether an event is this item, of which a window may have clipped a part, or has it in it."""
    return (mark.start <= told.start and told.end <= mark.end) or (
        told.start <= mark.start and mark.end <= told.end
    )


def _ends(mark: Mark) -> tuple[int, int]:
    return mark.start, mark.end


def _range(times: Sequence[int], reached: Sequence[int]) -> tuple[int, int]:
    """Which columns are drawn: all, or those around what was reached."""
    if len(times) <= _MOST_COLUMNS:
        return 0, len(times)
    if not reached:
        return 0, _MOST_COLUMNS
    begin = max(0, bisect_left(times, min(reached)) - _AROUND)
    end = min(len(times), bisect_right(times, max(reached)) + _AROUND)
    return begin, min(end, begin + _MOST_COLUMNS)


def _within(lane: Lane, times: Sequence[int]) -> Lane:
    if not times:
        return lane
    marks = (mark for mark in lane.marks if mark.end >= times[0] and mark.start <= times[-1])
    return replace(lane, marks=tuple(marks))
