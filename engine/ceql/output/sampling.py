"""Uniform samples of the complex events of a stream, without enumerating the others."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any, TypeAlias

from ....semantics.ceql.syntax.results import ComplexEvent
from ..runtime import CeqlEngine
from .records import Row, complex_events

Trigger: TypeAlias = tuple[int, int, int]
"""The position of an event, the root of what it completes, the least start key."""

_SMALL = -30.0  # a logarithm of w: below it log(1 - w) is -w in 64 bits
_MANTISSA = 52


class Sampler:
    """Keeps a sample of what an engine finds: each set of `size` complex events is as likely.

    A reservoir (Li's algorithm L), which draws how many complex events to pass over; what it comes
    to rest on is read off the tECS by its number in the order of enumeration. The same seed takes
    the same sample of the same stream, however the stream is cut.
    """

    def __init__(self, engine: CeqlEngine, size: int, seed: int | None = None) -> None:
        if size < 0:
            raise ValueError(f"a sample of {size} complex events")
        self.engine = engine
        self.size = size
        self.seen = 0
        """The number of complex events so far."""
        self._random = random.Random(seed)
        self._kept: list[Row] = []
        self._log_weight = 0.0
        self._next = 0  # the number of the next complex event to keep

    def feed(self, batch: Any) -> None:
        """Take events in."""
        for _ in self.engine.advancing(batch):
            drawn: dict[int, tuple[Trigger, int]] = {}  # by place in the sample
            filled = len(self._kept)
            for trigger, count in zip(*self.engine.counted(), strict=True):
                while self.size and self._next < self.seen + count:
                    place = filled if filled < self.size else self._random.randrange(self.size)
                    drawn[place] = trigger, self._next - self.seen
                    filled = max(filled, place + 1)
                    self._step(filled)
                self.seen += count
            self._keep(drawn)

    def result(self) -> list[ComplexEvent]:
        """Return the sample so far, by ends; all complex events if they are no more."""
        batches = self.engine.rows(iter(sorted(self._kept, key=lambda row: (row.end, row))))
        return [event for batch in batches for event in complex_events(batch)]

    def _step(self, filled: int) -> None:
        """Go to the next complex event to keep."""
        self._next += 1
        if filled == self.size:
            self._log_weight += math.log(1 - self._random.random()) / self.size
            self._next += self._passed_over()

    def _keep(self, drawn: Mapping[int, tuple[Trigger, int]]) -> None:
        """Take those that were drawn last out of the tECS, before it changes."""
        numbers: dict[Trigger, list[int]] = {}
        for trigger, number in drawn.values():
            numbers.setdefault(trigger, []).append(number)
        rows = {
            (trigger, number): row
            for trigger, chosen in numbers.items()
            for number, row in zip(chosen, self.engine.numbered(trigger, chosen), strict=True)
        }
        for place in sorted(drawn):
            self._kept[place : place + 1] = [rows[drawn[place]]]

    def _passed_over(self) -> int:
        """Return ⌊log U / log(1 − w)⌋, of any length: w is known by its logarithm.

        Beyond 53 bits the lower ones are drawn, so that no number is more likely than its
        neighbours.
        """
        drawn = -math.log(1 - self._random.random())
        if self._log_weight > _SMALL:
            return int(drawn / -math.log1p(-math.exp(min(self._log_weight, -1e-16))))
        if not drawn:
            return 0
        whole, rest = divmod((math.log(drawn) - self._log_weight) / math.log(2), 1)
        mantissa, bits = int(2 ** (rest + _MANTISSA)), int(whole) - _MANTISSA
        if bits <= 0:
            return mantissa >> -bits
        return mantissa << bits | self._random.getrandbits(bits)
