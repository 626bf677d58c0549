"""Selection strategies (Grez et al., TODS 2021), among matches with one end position.

They compare the data of complex events: what a strategy takes, it takes with every interval and
every valuation that has this data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from .syntax.tree import Strategy
from .valuations import Positions, Stream, Valuation, Valuations


def selected(matched: Valuations, strategy: Strategy, s: Stream) -> Valuations:
    """The matches that a strategy takes.

    ANY takes some one complex event, after WITHIN: see `core_extensions.choices`.
    """
    match strategy:
        case Strategy.ALL | Strategy.ANY:
            return matched
        case Strategy.STRICT:
            return frozenset(v for v in matched if is_block(v.data, s))
        case Strategy.NEXT:
            return unbeaten(matched, beats_next)
        case Strategy.LAST:
            return unbeaten(matched, beats_last)
        case Strategy.MAX:
            return unbeaten(matched, beats_max)


def is_block(data: Positions, s: Stream) -> bool:
    """STRICT: no tuple of the stream between two of the data is left out."""
    ordered = sorted(data)
    return all(s.adjacent(i, j) for i, j in pairwise(ordered))


def beats_next(winner: Positions, loser: Positions) -> bool:
    """≤next: the smallest position of the symmetric difference is the winner's."""
    difference = winner ^ loser
    return bool(difference) and min(difference) in winner


def beats_last(winner: Positions, loser: Positions) -> bool:
    """≤last: the largest position of the symmetric difference is the winner's."""
    difference = winner ^ loser
    return bool(difference) and max(difference) in winner


def beats_max(winner: Positions, loser: Positions) -> bool:
    """The winner's data strictly includes the loser's."""
    return winner > loser


def unbeaten(
    matched: Valuations, beats: Callable[[Positions, Positions], bool]
) -> Valuations:
    """The matches whose data no other match with the same end beats."""
    return frozenset(
        v for v in matched if not any(beats(w.data, v.data) for w in _rivals(v, matched))
    )


def _rivals(v: Valuation, matched: Iterable[Valuation]) -> Iterable[Valuation]:
    return (w for w in matched if w.end == v.end)
