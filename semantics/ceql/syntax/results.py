"""The results of a CEQL query: complex events ([i, j], D), or valuations ([i, j], μ)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Bindings: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""μ, as far as it is not empty: variables in alphabetical order, their positions ascending."""


@dataclass(frozen=True, slots=True, order=True)
class ComplexEvent:
    """([start, end], positions): the data of a complex event are the tuples at `positions`.

    Positions count from 0 in the merged stream and ascend. `bindings` is None under the complex
    event semantics (`output=complex-event`); under `output=valuation` it is μ, and `positions` is
    the union of its sets. A variable of one stream's events is called `S>R`.
    """

    end: int
    start: int
    positions: tuple[int, ...]
    bindings: Bindings | None = None
