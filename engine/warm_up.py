"""Warm-up: imports and JIT compilation on first use, excluded from the time of a query.

A worker that measures an engine sets a hook here, which stops its clock during a warm-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeAlias

Hook: TypeAlias = Callable[[], AbstractContextManager[None]]

_hook: Hook = nullcontext


def set_warm_up_hook(hook: Hook) -> None:
    """Run every later warm-up inside `hook()`."""
    global _hook
    _hook = hook


@contextmanager
def warm_up() -> Iterator[None]:
    """Run the block as a warm-up: imports or compilation."""
    with _hook():
        yield
