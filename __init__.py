"""denota: the judge of complex event processing over RDF streams and tuples.

The package is the repository's root. Public names are loaded on first use, so that
``import denota`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import strategies as strategies
    from .oracle.answers.checking import check_answers as check_answers
    from .oracle.api import Report as Report
    from .oracle.api import batches as batches
    from .oracle.api import check as check
    from .oracle.api import count as count
    from .oracle.api import evaluate as evaluate
    from .oracle.api import parse as parse
    from .oracle.api import read_stream as read_stream
    from .oracle.api import run as run
    from .oracle.api import sample as sample
    from .oracle.api import write_parquet as write_parquet
    from .oracle.engines import Engine as Engine
    from .oracle.tasks import Task as Task
    from .semantics.errors import CaseError as CaseError
    from .semantics.errors import DenotaError as DenotaError
    from .semantics.errors import QueryError as QueryError
    from .semantics.errors import QueryWarning as QueryWarning
    from .semantics.errors import ReadingError as ReadingError
    from .semantics.errors import StreamError as StreamError
    from .semantics.errors import UnsupportedError as UnsupportedError

__version__ = "0.1.0"

_HOMES = {
    "parse": ".oracle.api",
    "read_stream": ".oracle.api",
    "evaluate": ".oracle.api",
    "run": ".oracle.api",
    "check": ".oracle.api",
    "check_answers": ".oracle.answers.checking",
    "count": ".oracle.api",
    "sample": ".oracle.api",
    "batches": ".oracle.api",
    "write_parquet": ".oracle.api",
    "Report": ".oracle.api",
    "Engine": ".oracle.engines",
    "Task": ".oracle.tasks",
    "DenotaError": ".semantics.errors",
    "QueryError": ".semantics.errors",
    "ReadingError": ".semantics.errors",
    "StreamError": ".semantics.errors",
    "CaseError": ".semantics.errors",
    "UnsupportedError": ".semantics.errors",
    "QueryWarning": ".semantics.errors",
}

__all__ = [
    "CaseError", "DenotaError", "Engine", "QueryError", "QueryWarning", "ReadingError",
    "Report", "StreamError", "Task", "UnsupportedError", "batches", "check", "count",
    "evaluate", "parse", "read_stream", "run", "sample", "strategies", "write_parquet",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "strategies":
        return import_module(".strategies", __name__)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'denota' has no attribute '{name}'")
    value: object = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
