"""WITHIN as keys and thresholds: a run that starts at i may end at j iff key_i >= threshold_j.

Keys are unsigned: integers and floats are mapped to them in order; 0 is the key of an event that
cannot start anything, and the largest number is the threshold where nothing may end.

* EVENTS: the key is the position; no arrays are needed.
* Arrival time never falls, so neither do keys and thresholds, and what a window has left never
  comes back.
* An attribute may fall. Then a run that has left the window may come back into it, by the
  definition V(end) − V(start) ≤ ε. As long as the attribute has not fallen, nodes are forgotten as
  for time; once it has, none are, so that results stay exact. If it first falls to where runs have
  already been forgotten, an error says so. If the caller bounds the disorder, nodes are forgotten
  that much later; falling further is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...semantics.ceql.syntax.readings import WithinReading
from ...semantics.ceql.syntax.tree import WindowUnit, Within
from ...semantics.model.errors import StreamError, UnsupportedError
from ...semantics.model.tuples import UntimedError, out_of_order
from ..checkpoints.state_schema import stateful
from ..kernels import compiled, sealed
from .kernels.tables import Measured
from .kernels.tecs import Words
from .symbols.columns import Column
from .symbols.terms import Truths, Values

_BIAS = 1 << 63
NEVER = np.uint64((1 << 64) - 1)
NOTHING = np.uint64(0)
UNLIMITED = np.uint64((1 << 64) - 1)


@compiled
def falls(data: npt.NDArray[np.int64]) -> bool:
    """Return True if some integer is less than the one before it."""
    found = False
    for i in range(np.uint64(1), np.uint64(data.size)):
        found |= data[i] < data[i - np.uint64(1)]
    return found


def _sealed(measured: Measured) -> Measured:
    for array in measured[:3]:
        sealed(array)
    return measured


@stateful(
    kept=(
        "_seen", "_latest", "_floats", "_before", "_highest", "_greatest", "_fallen", "_least",
        "_drops",
    ),
    compiled=("within", "attribute", "extent", "_column", "_epsilon", "_disorder"),
    anew=("converts", "_rising"),
)
class Window:
    """The measure of a query's WITHIN clause, watched as events come in.

    `converts` is set where an attribute's integers have become floats: then it maps the keys so far
    to those from now on.
    """

    def __init__(
        self,
        within: Within | None,
        reading: WithinReading,
        time_column: str,
        disorder: int | None = None,
    ) -> None:
        self.within = within
        self.attribute: str | None = None
        self.extent = UNLIMITED
        self._column = time_column
        self._epsilon = 0
        self._disorder = disorder
        if within is not None:
            self._epsilon = within.value
            if within.unit is WindowUnit.ATTRIBUTE:
                self.attribute = self._column = within.attribute or ""
                self._epsilon -= 1 if reading == "core" else 0
            self.extent = np.uint64(max(0, self._epsilon))
        self.restart()

    def restart(self) -> None:
        """Discard all events."""
        self.converts: Callable[[Words], Words] | None = None
        self._seen = 0
        self._latest: int | None = None
        self._floats = False
        self._before = 0  # the highest threshold before the latest events
        self._highest = 0  # and among them
        self._greatest: Any = None  # where the disorder is bounded
        self._fallen = False
        self._rising: npt.NDArray[Any] | None = None  # of them it is known that they do not fall
        self._least = 0  # runs that start below it have been forgotten
        self._drops = False  # runs that leave the window are

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the window reads."""
        if self.within is None or self.within.unit is WindowUnit.EVENTS:
            return frozenset()
        return frozenset({self._column})

    def measured(self, columns: Mapping[str, Column], rows: int) -> Measured:
        """Raise StreamError for a missing or falling arrival time, where time is measured."""
        if self.within is None or self.within.unit is WindowUnit.EVENTS:
            return Measured(drops=True)
        column = columns.get(self._column)
        if self.within.unit is WindowUnit.TIME:
            result = self._by_time(column)
        else:
            result = self._by_attribute(column, rows)
        self._seen += rows
        return result

    def before_fall(self, columns: Mapping[str, Column], rows: int) -> int:
        """Return the number of events before an attribute decreases for the first time."""
        column = columns.get(self._column)
        if (
            self.attribute is None or self._fallen or self._disorder is not None
            or not isinstance(column, Values) or column.kind != "number"
        ):  # fmt: skip
            return rows
        data, valid = column.data, column.valid
        if valid is None and data.dtype == np.int64 and not falls(data):
            self._rising = data
            return rows
        known = np.isfinite(data) if valid is None else np.isfinite(data) & valid
        places = np.flatnonzero(known)
        falling = data[places[1:]] < data[places[:-1]]
        return int(places[1 + np.argmax(falling)]) if falling.any() else rows

    def _by_time(self, column: Column | None) -> Measured:
        if not isinstance(column, Values) or column.valid is not None:
            absent = 0
            if isinstance(column, Values) and column.valid is not None:
                absent = int(np.argmin(column.valid))
            raise UntimedError(f"tuple {self._seen + absent} has no arrival time")
        times = column.data
        before = int(times[0]) if self._latest is None else self._latest
        if times[0] < before or falls(times):
            falling = np.concatenate([[times[0] < before], times[1:] < times[:-1]])
            row = int(np.argmax(falling))
            earlier = before if row == 0 else times[row - 1]
            raise out_of_order(self._seen + row, int(times[row]), int(earlier))
        self._latest = int(times[-1])
        return Measured(times.view(np.uint64), drops=True)

    # --- attributes ---

    def _by_attribute(self, column: Column | None, rows: int) -> Measured:
        if not isinstance(column, Values) or column.kind != "number":
            return _sealed(Measured(np.zeros(rows, np.uint64), np.full(rows, NEVER)))
        data = column.data
        self._before = self._highest
        if data.dtype == np.float64:
            self._become_floats()
        if self._disorder is not None:
            self._keeps_promise(data, column.valid, self._disorder)
        if column.valid is None and not self._floats and self._rises(data):
            return Measured(data.view(np.uint64), drops=self._drops)
        if self._floats:
            keys, thresholds = _floating(data.astype(np.float64), self._epsilon)
        else:
            self._has_keys(data, column.valid)
            keys, thresholds = _whole(data, self._epsilon)
        if column.valid is not None:
            keys = np.where(column.valid, keys, NOTHING)
            thresholds = np.where(column.valid, thresholds, NEVER)
        self._watch(thresholds)
        measured = _sealed(Measured(keys, thresholds))
        return self.dropping(measured) if self._drops else measured

    def _has_keys(self, data: npt.NDArray[np.int64], valid: Truths | None) -> None:
        """Raise StreamError for the smallest and the largest integer, for which no key is left."""
        extreme = (data == -_BIAS) | (data == _BIAS - 1)
        if valid is not None:
            extreme &= valid
        if extreme.any():
            row = int(np.argmax(extreme))
            raise StreamError(
                f"tuple {self._seen + row} has {data[row]} in attribute '{self.attribute}', which"
                " measures the window: the smallest and the largest 64-bit integer are too far away"
            )

    def _become_floats(self) -> None:
        if self._floats:
            return
        self._floats = True
        if self._seen:
            self.converts = _float_keys
            for name in ("_before", "_highest", "_least"):
                key = np.array([getattr(self, name)], np.uint64)
                setattr(self, name, int(_float_keys(key)[0]))

    def _rises(self, data: npt.NDArray[np.int64]) -> bool:
        """Return True if the integers do not decrease; then `_highest` is theirs."""
        first, last = int(data[0]), int(data[-1])
        if self._fallen or self._epsilon < 0 or first == -_BIAS or last == _BIAS - 1:
            return False
        if max(first - self._epsilon + _BIAS, 1) < self._highest:
            return False
        if data is not self._rising and falls(data):
            return False
        self._highest = max(last - self._epsilon + _BIAS, 1)
        return True

    def _watch(self, thresholds: Words) -> None:
        """Notice where the attribute falls. Raises UnsupportedError where that is too late."""
        counted = thresholds[thresholds != NEVER]
        if not counted.size:
            return
        if self._disorder is None and (
            counted[0] < self._highest or (counted[1:] < counted[:-1]).any()
        ):
            self._fallen = True
            forgotten = np.full(counted.size, self._least, np.uint64)
            if self._drops:  # each event has forgotten what its window had left
                forgotten = np.maximum.accumulate(
                    np.append(np.uint64(self._highest), counted[:-1])
                )
            late = counted < forgotten
            if late.any():
                row = int(np.flatnonzero(thresholds != NEVER)[np.argmax(late)])
                raise UnsupportedError(
                    f"attribute '{self.attribute}' measures the window and falls at tuple"
                    f" {self._seen + row} to where runs have already been forgotten:"
                    " bound its disorder (the engine's option `disorder`)"
                )
        self._highest = max(self._highest, int(counted.max()))

    def _keeps_promise(
        self, data: npt.NDArray[Any], valid: Truths | None, disorder: int
    ) -> None:
        """Raise StreamError where the attribute falls by more than was declared."""
        places = np.flatnonzero(np.isfinite(data) if valid is None else np.isfinite(data) & valid)
        if not places.size:
            return
        values = data[places]
        before = values[0] if self._greatest is None else self._greatest
        greatest = np.maximum.accumulate(np.append(np.asarray(before, data.dtype), values))
        behind = greatest[:-1] - values
        if data.dtype == np.int64:  # a difference that overflows is right without its sign
            behind = np.where(greatest[:-1] > values, behind, 0).view(np.uint64)
        if (behind > disorder).any():
            row = int(places[np.argmax(behind > disorder)])
            raise StreamError(
                f"attribute '{self.attribute}' measures the window and falls at tuple"
                f" {self._seen + row} by more than its disorder of {disorder}"
            )
        self._greatest = greatest[-1]

    def dropping(self, measured: Measured) -> Measured:
        """Return the same for the events that are left after runs were evicted.

        While the attribute only rises, runs that have left the window need not be kept any longer.
        """
        if self.attribute is None or self._fallen or self._disorder is not None:
            return measured
        self._drops = True
        if not measured.thresholds.size:
            return measured._replace(drops=True)
        floors = measured.thresholds
        missing = floors == NEVER
        if missing.any():
            least = np.uint64(max(self._before, 1))
            floors = np.maximum.accumulate(np.where(missing, least, floors))
        return _sealed(measured._replace(floors=floors))

    # --- memory ---

    def forgettable(self, measured: Measured, row: int, position: int) -> int:
        """Return the key below which no start can matter any more, from this row on."""
        if self.within is None:
            return 0
        if self._fallen:
            return self._least
        if measured.thresholds.size:
            passed = measured.thresholds[: row + 1]
            passed = passed[passed != NEVER]
            least = max(self._before, int(passed.max())) if passed.size else self._before
        else:
            key = int(measured.keys[row]) ^ _BIAS if measured.keys.size else position + 1
            least = max(1, key - int(self.extent))
        if self._disorder is not None:
            least = self._lowered(least, self._disorder)
        self._least = max(self._least, least)
        return self._least

    def passed(self, position: int) -> int:
        """Return the key below which no start can matter any more, before the next event."""
        if self.within is None:
            return 0
        if self.within.unit is WindowUnit.EVENTS:
            return max(0, position + 1 - int(self.extent))
        if self.within.unit is WindowUnit.TIME:
            return max(1, (self._latest or 0) + _BIAS - self._epsilon)
        if self._drops and not self._fallen:
            return self._highest
        return self._least

    def _lowered(self, key: int, by: int) -> int:
        if not self._floats:
            return max(0, key - by)
        lowered = _float(np.array([key], np.uint64)) - by
        for _ in range(2):  # what was rounded
            lowered = np.nextafter(lowered, -np.inf)
        return int(_key(lowered)[0])


_LEAST_KEY = np.uint64(1)
_LARGEST_KEY = np.uint64((1 << 64) - 2)


def _whole(data: npt.NDArray[np.int64], epsilon: int) -> tuple[Words, Words]:
    """Return keys of 64-bit integers, and the keys of data − ε.

    The smallest and the largest integer, for which none is left, have those of their neighbours;
    they are there only where a value is missing.
    """
    keys = np.clip(data.view(np.uint64) ^ np.uint64(_BIAS), _LEAST_KEY, _LARGEST_KEY)
    epsilon = max(-_BIAS, min(epsilon, _BIAS - 1))
    shifted = data - np.int64(epsilon)  # wraps round where it overflows
    thresholds = shifted.view(np.uint64) ^ np.uint64(_BIAS)
    if epsilon >= 0:
        thresholds[shifted > data] = _LEAST_KEY
    else:
        thresholds[shifted < data] = NEVER
    return keys, np.maximum(thresholds, _LEAST_KEY)


def _floating(data: npt.NDArray[np.float64], epsilon: int) -> tuple[Words, Words]:
    """Return keys of floats, and for each as an end the key of the least start within ε.

    That is the least x with fl(data − x) <= ε: data − ε up to rounding, and searched from there.
    """
    bound = float(epsilon)
    if bound > epsilon:
        bound = float(np.nextafter(bound, -np.inf))
    keys = _key(data)
    keys[~(data > -np.inf)] = 0
    thresholds = np.full(data.size, NEVER)
    ends = np.flatnonzero(data < np.inf)
    with np.errstate(all="ignore"):
        thresholds[ends] = _least_starts(data[ends], bound)
    return keys, thresholds


def _least_starts(ends: npt.NDArray[np.float64], bound: float) -> Words:
    smallest, largest = _key(np.array([-np.finfo(np.float64).max, np.inf]))
    found = np.clip(_key(ends - bound), smallest, largest)

    def within(starts: Words, which: Any = slice(None)) -> npt.NDArray[np.bool_]:
        result: npt.NDArray[np.bool_] = ends[which] - _float(starts) <= bound
        return result

    right = within(found) & ((found == smallest) | ~within(found - np.uint64(1)))
    for i in np.flatnonzero(~right).tolist():
        low, high = int(smallest), int(largest)
        while low < high:
            middle = (low + high) // 2
            if within(np.array([middle], np.uint64), slice(i, i + 1))[0]:
                high = middle
            else:
                low = middle + 1
        found[i] = low
    return found


def _key(data: npt.NDArray[np.float64]) -> Words:
    """Return floats as unsigned integers in the same order; the two zeros are one."""
    bits = (data + 0.0).view(np.int64)
    ordered = np.where(bits < 0, bits ^ np.int64((1 << 63) - 1), bits)
    return np.asarray(ordered).view(np.uint64) ^ np.uint64(_BIAS)


def _float(keys: Words) -> npt.NDArray[np.float64]:
    bits = (keys ^ np.uint64(_BIAS)).view(np.int64)
    return np.asarray(np.where(bits < 0, bits ^ np.int64((1 << 63) - 1), bits)).view(np.float64)


def _float_keys(keys: Words) -> Words:
    """Return the keys of floats for those of integers; 0 stays."""
    integers = (keys ^ np.uint64(_BIAS)).view(np.int64)
    return np.where(keys == 0, keys, _key(integers.astype(np.float64)))
