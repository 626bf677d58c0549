"""A stream that counts, to try a query on: so many tuples a second, like Spark's rate source.

What the tuples hold follows from their numbers. Only when they come does the clock decide.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from ...model.errors import StreamError
from .addresses import Address
from .byte_sources import StopSignal

_NUMBER = re.compile(r"0*[1-9][0-9]{0,17}")
_AT_ONCE = 1 << 8


@dataclass(frozen=True)
class Pace:
    """The options of `rate://?rows-per-second=R&rows=N&keys=K`; without N there is no end."""

    per_second: int
    rows: int | None
    keys: int

    @staticmethod
    def of(address: Address) -> Pace:
        """Raise StreamError for an invalid rate."""
        address.check_options("rows-per-second", "rows", "keys")
        if address.host or address.path:
            raise StreamError("expected options, as in rate://?keys=10", source=address.name)
        for name, text in address.options.items():
            if not _NUMBER.fullmatch(text):
                raise StreamError(
                    f"{name}={text}: expected a number, at least 1", source=address.name
                )
        told = {name: int(text) for name, text in address.options.items()}
        return Pace(told.get("rows-per-second", 1), told.get("rows"), told.get("keys", 1))


class Rate:
    """The tuples at an address, as JSON Lines.

    The tuple v = 0, 1, 2, … is of the type Rate. It has the `value` v, the `key` v mod K, and
    arrives v/R seconds after 1970 began. It comes v/R seconds after the first one. But `again()`
    have come to the run before this one: they are not waited for, and the next counts as the first.
    """

    def __init__(
        self, address: Address, stop: StopSignal, *, again: Callable[[], int] = lambda: 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pace = Pace.of(address)
        self._stop = stop
        self._again = again
        self._clock = clock
        self._began: float | None = None
        self._next = 0

    def read_available(self, seconds: float | None) -> bytes | None:
        """Return the tuples that are due, b"" at the end; None if none is due within `seconds`."""
        first, pace = self._next, self._pace
        if first == pace.rows:
            return b""
        if self._began is None:
            self._began = self._clock()
        again = self._again()
        wait = max(first - again, 0) / pace.per_second - (self._clock() - self._began)
        if wait > 0:
            self._stop.wait(wait if seconds is None else min(wait, seconds))
            if seconds is not None and seconds < wait:
                return None
        due = again + int((self._clock() - self._began) * pace.per_second) + 1
        end = min(max(due, first + 1), first + _AT_ONCE)
        self._next = end if pace.rows is None else min(end, pace.rows)
        return b"".join(map(self._line, range(first, self._next)))

    def close(self) -> None:
        """Nothing is held."""

    def _line(self, value: int) -> bytes:
        return b'{"type": "Rate", "time": %a, "value": %d, "key": %d}\n' % (
            value / self._pace.per_second, value, value % self._pace.keys
        )
