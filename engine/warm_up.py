"""Warm-up: imports and compilation on first use, counted to no query.

Whoever keeps an engine's time watches here, and stops the clock meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeAlias

Watch: TypeAlias = Callable[[], AbstractContextManager[None]]

_watch: Watch = nullcontext


def watched_by(watch: Watch) -> None:
    """From now on everything that gets an engine ready is done inside `watch()`."""
    global _watch
    _watch = watch


@contextmanager
def getting_ready() -> Iterator[None]:
    """What is done inside is no part of a query's work."""
    with _watch():
        yield
