"""Parts that are drawn in full and then kept or dropped.

Hypothesis shrinks the sequence of choices behind a value. If a part that goes took its choices with
it, all later ones would shift and mean something else; dropped by a choice of its own, it goes
alone. So the first, simplest choice is to drop.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

_DROPPED: SearchStrategy[bool] = st.sampled_from((True,) + (False,) * 19)


def dropped(draw: DrawFn) -> bool:
    """Whether the part drawn just before goes: seldom, but as soon as it may when shrinking."""
    return draw(_DROPPED)
