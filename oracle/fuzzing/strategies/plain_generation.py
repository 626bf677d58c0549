"""Generating each example afresh.

Hypothesis makes most examples by mutating the one before, which suits small spaces of plain data.
Queries over streams are anything but that: afresh, as many examples are two and a half times as
many different queries. Alternative backends are not mutated, so its own generator is registered as
one.
"""

from __future__ import annotations

_NAME = "denota-plain"
_GENERATOR = "hypothesis.internal.conjecture.providers.HypothesisProvider"


def plain_backend() -> str:
    """The name of the backend to give to `hypothesis.settings(backend=…)`.

    Where Hypothesis has no such thing, its default backend: slower to find, but as right.
    """
    try:
        from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS
    except ImportError:
        return "hypothesis"
    AVAILABLE_PROVIDERS.setdefault(_NAME, _GENERATOR)
    return _NAME
