"""Is a recording exactly what a setting asks for? If so, for which window starts, and how late?

The recorded answers are taken in order. An answer that is due is one relation, or, for engines that
report each row on its own, several; a relation never mixes answers that are due at different times.
So it is determined which relation belongs to which answer, and it remains to see whether there is a
window start for which every relation comes when its answer is due, or at most the delay later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .expected.predictions import Expectation
from .expected.schedules import Starts
from .expected.snapshots import Bag


@dataclass(frozen=True, slots=True)
class Reported:
    """A relation of the recording, its rows as they are compared."""

    time: int
    rows: Bag
    size: int


@dataclass(frozen=True, slots=True)
class Fit:
    """The recording is right for these window starts (None: for any).

    Its answers come between `least` and `most` after they are due, if the windows start as late as
    they may.
    """

    starts: Starts | None
    least: int
    most: int


def fit(expectation: Expectation, reported: Sequence[Reported], delay: int) -> Fit | None:
    """How the recording fits, or None if it does not. A delay is at most `delay`."""
    pairs = _paired(expectation, reported)
    if pairs is None:
        return None
    lateness = [came - due for due, came in pairs]
    if not lateness:
        return Fit(expectation.starts, 0, 0)
    least, most = min(lateness), max(lateness)
    if expectation.starts is None or not expectation.moves:
        return Fit(expectation.starts, least, most) if least >= 0 and most <= delay else None
    earliest, latest = expectation.starts.earliest, expectation.starts.latest
    low, high = max(0, most - delay), min(latest - earliest, least)
    if low > high:
        return None
    return Fit(Starts(earliest + low, earliest + high), least - high, most - high)


def _paired(
    expectation: Expectation, reported: Sequence[Reported]
) -> list[tuple[int, int]] | None:
    """The times (due, came) of what belongs together; None where something does not."""
    pairs: list[tuple[int, int]] = []
    j, n = 0, len(reported)
    for i, answer in enumerate(expectation.answers):
        if j == n:
            return pairs if i >= expectation.required else None
        if not answer.size:
            if reported[j].size:
                return None
            pairs.append((answer.time, reported[j].time))
            j += 1
            continue
        open_rows: Bag = answer.rows
        left = answer.size
        while left:
            if j == n or not reported[j].size or not reported[j].rows <= open_rows:
                return None
            pairs.append((answer.time, reported[j].time))
            left -= reported[j].size
            if left:
                open_rows = Counter(open_rows)
                open_rows.subtract(reported[j].rows)
            j += 1
    return pairs if j == n else None
