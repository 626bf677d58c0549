"""The results of a SPAseq query: pairs (τ, Ω), per window (SPAseq Def. 16)."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.mappings import Solutions


@dataclass(frozen=True, slots=True)
class Pair:
    """(τ, π_V(Ω)) of one window, or of their union.

    `window` is the pair of time boundaries; under WITHIN n EVENTS it is the pair of positions
    (k·n, (k+1)·n−1) in the merged streamset; under `window=match` and `answers=union` it is None.
    `rank` is k of (τ, k) under `ties=sequence`, else 0.
    """

    window: tuple[int, int] | None
    time: int
    solutions: Solutions
    rank: int = 0
