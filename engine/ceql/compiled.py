"""Hot loops: plain Python functions over NumPy arrays, compiled by Numba and cached on disk.

Only modules with kernels import this one, and they are imported where an engine is made: nothing
else of the package waits for Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


# Kernels make no arrays, so none is counted: counting references is atomic and costs more than what
# the loops do (`_nrt`: Numba's runtime, which counts).
_OPTIONS: Any = {"cache": True, "_nrt": False}


def compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, compiled at its first call; later processes read it from Numba's cache.

    Bounds are checked where NUMBA_BOUNDSCHECK=1 is set (with a NUMBA_CACHE_DIR of its own: the
    cache does not tell the two apart).
    """
    return cast(Callable[Parameters, Result], numba.njit(**_OPTIONS)(function))


def inlined(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A short helper, copied into each kernel that calls it."""
    return cast(
        Callable[Parameters, Result], numba.njit(inline="always", **_OPTIONS)(function)
    )
