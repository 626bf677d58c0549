"""How much time matters: the instants of a stream, up to what a window can tell apart.

The windows of an enumerated query start at the first event, at time 0. Two choices of instants are
the same to it if the same events share windows; the earliest choice stands for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from .....semantics.model.errors import ReadingError
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import Extent, WithinUnit

# Longer than any stream that can be enumerated in a lifetime, one instant an event.
EVERYTHING = 100

Contents: TypeAlias = tuple[tuple[int, int], ...]
"""What each window holds that holds anything: its first and its last instant, by number."""


@dataclass(frozen=True, slots=True)
class WindowChoice:
    """The window of all queries of a corpus: WITHIN, SLIDE and the reading of both."""

    within: Extent
    slide: Extent | None
    reading: str

    @property
    def measures_time(self) -> bool:
        """Whether anything but the order of events matters."""
        return self.within.unit is WithinUnit.INTEGER and self.within.value < EVERYTHING

    @property
    def orders_streams(self) -> bool:
        """Whether events of one time are told apart by the names of their streams."""
        return self.within.unit is WithinUnit.EVENTS


def window_choice(
    within: int | None, slide: int | None, *, events: bool, readings: Readings
) -> WindowChoice:
    """The window `within` (None: all events are in one) under these readings.

    Raises ReadingError if the readings and the window do not go together.
    """
    unit = WithinUnit.EVENTS if events else WithinUnit.INTEGER
    reading = readings.window
    if slide is not None and reading == "tumbling":
        reading = "sliding"
    if reading == "sliding" and slide is None:
        raise ReadingError("window=sliding needs a SLIDE")
    if reading != "sliding" and slide is not None:
        raise ReadingError(f"window={reading} has no SLIDE")
    if events and reading in ("match", "tumbling-half-open"):
        raise ReadingError(f"WITHIN … EVENTS has no reading window={reading}")
    if within is None and slide is not None:
        raise ReadingError("a SLIDE needs a WITHIN")
    extent = Extent(EVERYTHING if within is None else within, unit)
    return WindowChoice(extent, None if slide is None else Extent(slide, unit), reading)


def instants(count: int, window: WindowChoice) -> Iterator[tuple[int, ...]]:
    """Every choice of `count` ascending instants from 0, up to what the window can tell apart."""
    if not window.measures_time or count == 0:
        yield tuple(range(count))
        return
    # After a gap of ω + β (or 2ω) no window holds both ends, whatever the gap is.
    longest = window.within.value + (window.slide or window.within).value
    seen: set[Contents] = set()
    for times in sorted(_ascending(count, longest), key=lambda times: (times[-1], times)):
        contents = tuple(window_contents(times, window))
        if contents not in seen:
            seen.add(contents)
            yield times


def _ascending(count: int, longest: int) -> Iterator[tuple[int, ...]]:
    for gaps in product(range(1, longest + 1), repeat=count - 1):
        times = [0]
        for gap in gaps:
            times.append(times[-1] + gap)
        yield tuple(times)


def window_contents(times: tuple[int, ...], window: WindowChoice) -> Iterator[tuple[int, int]]:
    """What the windows hold that hold anything, in the windows' order (readings of SPAseq 16)."""
    within = window.within.value
    if window.reading == "match":
        for first, start in enumerate(times):
            last = max(k for k, time in enumerate(times) if time - start <= within)
            yield first, last
        return
    step = window.slide.value if window.slide is not None else within
    for start in range(0, times[-1] + 1, step):
        end = start + within - (1 if window.reading == "tumbling-half-open" else 0)
        held = [k for k, time in enumerate(times) if start <= time <= end]
        if held:
            yield held[0], held[-1]
