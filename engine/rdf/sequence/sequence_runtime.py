"""The runtime of a sequence: leaf tables in, rows out; arrays grow with the content of a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ...kernels import KERNELS
from ...tuning import IN_USE
from .compaction import copy, mark
from .item_step import Leaves, enter_nodes, step
from .join_conditions import KnownValues
from .partial_matches import (
    CELLS,
    GROUPS,
    INSTANT,
    ITEM,
    NODES,
    OUT,
    OUTPUT,
    PARTIALS,
    SCRATCH,
    UNTOLD,
    Scratch,
    partials,
    scratch,
)
from .program import SELECTED, Integers, Program

_FOUND: Final = 64
"""Groups that an item joins, for which there is room at first."""
_STEPS: Final = 8
"""What an item and a source cost, in the steps that kernels are charged."""


class Window(NamedTuple):
    """Windows [start + k·slide, start + k·slide + width], k ≥ 0, without the end if not `closed`;
    for a slide of 0 none are fixed, and a match spans at most the width."""

    slide: int
    start: int
    width: int
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """Answers: the item that completes each, the latest time at which it begins, its rows."""

    item: Integers
    first: Integers
    rows: Integers
    """[n, selected]"""


class SequenceRuntime:
    """Partial matches between two batches. All that it remembers is in `held`."""

    def __init__(self, program: Program, window: Window) -> None:
        self.program = program
        self.window = np.array(
            [window.slide, window.start, window.width, window.closed], np.int64
        )
        self._size = max(1, IN_USE.partial)
        self._pasts = max(1, IN_USE.pasts)
        self._found = min(_FOUND, self._pasts)
        self.held = partials(program, self._size)
        self._scratch = self._new_scratch()
        self._out = np.zeros(max(1, IN_USE.pasts) * self._answer, np.int64)

    @property
    def _answer(self) -> int:
        return 2 + int(self.program.sizes[SELECTED])

    def feed(
        self, times: Integers, ranks: Integers, places: Integers, words: Integers,
        known: KnownValues,
    ) -> Found:  # fmt: skip
        """Take in items, with their rows of each leaf; see `Leaves`."""
        registers = self.held.registers
        registers[ITEM] = registers[OUT] = 0
        leaves = Leaves(times, ranks, places, words, self.window)
        KERNELS.charge(_STEPS * len(times) * len(self.program.sources))
        while lacking := step(
            self.program, self.held, self._scratch, leaves, known.values, self._out
        ):
            if lacking == UNTOLD:
                known.answer()
            else:
                self._make_room(lacking)
        count = int(self.held.registers[OUT])
        table = self._out[: count * self._answer].reshape(count, self._answer).copy()
        return Found(
            np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]), table[:, 2:]
        )

    # --- room ------------------------------------------------------------------------------------

    def _make_room(self, lacking: int) -> None:
        if lacking == PARTIALS:
            self.compact()
            return
        if lacking == OUTPUT:
            self._out = np.concatenate((self._out, np.zeros_like(self._out)))
            return
        if lacking == SCRATCH:
            self._found *= 2
        else:
            self._pasts *= 2
        self._scratch = self._new_scratch()

    def make_room(self, size: int) -> None:
        """Room for so many partial matches; none is there yet."""
        self._size = max(self._size, size)
        self.held = partials(self.program, self._size)

    def compact(self) -> None:
        """Forget what no window can complete any more; grow if more than half is left."""
        held = self.held
        nodes, cells, groups = (
            np.zeros(int(held.registers[each]) + 1, np.int64) for each in (NODES, CELLS, GROUPS)
        )
        KERNELS.charge(len(nodes) + len(cells) + len(groups))
        needed = mark(self.program, held, nodes, cells)
        while 2 * needed > self._size:
            self._size *= 2
        self.held = partials(self.program, self._size)
        copy(self.program, held, nodes, cells, groups, self.held)
        self._scratch = self._new_scratch()

    def _new_scratch(self) -> Scratch:
        registers = self.held.registers
        while self._found <= int(registers[NODES] - registers[INSTANT]):
            self._found *= 2  # the nodes of the present instant are entered
        made = scratch(self.program, self._size, self._found, self._pasts)
        enter_nodes(self.program, self.held, made)
        return made
