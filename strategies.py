"""Hypothesis strategies for streams and queries: the public name of `denota.oracle.strategies`."""

from __future__ import annotations

from .oracle.strategies import *  # noqa: F403
from .oracle.strategies import __all__ as __all__
