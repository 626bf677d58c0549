"""Complex event processing over RDF streams and tuples: definitions, a fast engine, and tests.

`run` evaluates a query with the production engine, `evaluate` with the definitions of its paper:

    >>> import denota
    >>> query = denota.parse("SELECT * FROM S WHERE A ; B FILTER A[x > 1]")
    >>> streams = {"S": [{"type": "A", "x": 2}, {"type": "B", "x": 0}]}
    >>> found = list(denota.run(query, streams))
    >>> set(found) == denota.evaluate(query, streams)
    True
    >>> denota.check(query, streams, found).ok
    True

`explain` says why a result is one, and `stream` takes items one by one. `Engine` is the protocol of
an engine under test, and `assert_agrees` tests it on cases that `denota.strategies` generates.
Invalid input raises a DenotaError. `denota --help` lists the commands; docs/ explains them.
"""

from __future__ import annotations

# Public names are loaded on first use, so that `import denota` costs nothing.
TYPE_CHECKING = False  # what type checkers take for true, without the cost of typing

if TYPE_CHECKING:
    from . import strategies as strategies
    from .engine.checkpoints.checkpoint_files import CheckpointError as CheckpointError
    from .oracle.api import Report as Report
    from .oracle.api import batches as batches
    from .oracle.api import check as check
    from .oracle.api import count as count
    from .oracle.api import distinguish as distinguish
    from .oracle.api import draw as draw
    from .oracle.api import evaluate as evaluate
    from .oracle.api import explain as explain
    from .oracle.api import parse as parse
    from .oracle.api import read_stream as read_stream
    from .oracle.api import run as run
    from .oracle.api import sample as sample
    from .oracle.api import write_parquet as write_parquet
    from .oracle.cases.case import Case as Case
    from .oracle.cases.case import Task as Task
    from .oracle.checking.case_checker import assert_agrees as assert_agrees
    from .oracle.cli.run.cell_magic import load_ipython_extension as load_ipython_extension
    from .oracle.engines.engine import Engine as Engine
    from .oracle.engines.live_query import LiveQuery as LiveQuery
    from .oracle.engines.live_query import restore as restore
    from .oracle.engines.live_query import stream as stream
    from .oracle.recorded_output.check_recorded import check_recorded as check_recorded
    from .oracle.results.query_results import Results as Results
    from .semantics.model.errors import CaseError as CaseError
    from .semantics.model.errors import DenotaError as DenotaError
    from .semantics.model.errors import QueryError as QueryError
    from .semantics.model.errors import QueryWarning as QueryWarning
    from .semantics.model.errors import ReadingError as ReadingError
    from .semantics.model.errors import StreamError as StreamError
    from .semantics.model.errors import UnsupportedError as UnsupportedError

__version__ = "0.1.0"

_HOMES = {
    "parse": ".oracle.api",
    "read_stream": ".oracle.api",
    "evaluate": ".oracle.api",
    "explain": ".oracle.api",
    "distinguish": ".oracle.api",
    "draw": ".oracle.api",
    "run": ".oracle.api",
    "check": ".oracle.api",
    "assert_agrees": ".oracle.checking.case_checker",
    "check_recorded": ".oracle.recorded_output.check_recorded",
    "count": ".oracle.api",
    "sample": ".oracle.api",
    "batches": ".oracle.api",
    "write_parquet": ".oracle.api",
    "load_ipython_extension": ".oracle.cli.run.cell_magic",
    "Report": ".oracle.api",
    "Results": ".oracle.results.query_results",
    "Engine": ".oracle.engines.engine",
    "LiveQuery": ".oracle.engines.live_query",
    "stream": ".oracle.engines.live_query",
    "restore": ".oracle.engines.live_query",
    "CheckpointError": ".engine.checkpoints.checkpoint_files",
    "Case": ".oracle.cases.case",
    "Task": ".oracle.cases.case",
    "DenotaError": ".semantics.model.errors",
    "QueryError": ".semantics.model.errors",
    "ReadingError": ".semantics.model.errors",
    "StreamError": ".semantics.model.errors",
    "CaseError": ".semantics.model.errors",
    "UnsupportedError": ".semantics.model.errors",
    "QueryWarning": ".semantics.model.errors",
}

_FORMER = {"check_answers": "check_recorded"}
"""Former names of public names."""

__all__ = [
    "Case", "CaseError", "CheckpointError", "DenotaError", "Engine", "LiveQuery", "QueryError",
    "QueryWarning", "ReadingError", "Report", "Results", "StreamError", "Task",
    "UnsupportedError", "assert_agrees", "batches", "check", "check_recorded", "count",
    "distinguish", "draw", "evaluate", "explain", "parse", "read_stream", "restore", "run",
    "sample", "strategies", "stream", "write_parquet",
]


if not TYPE_CHECKING:  # to a checker, which sees the imports above, any other name is an error

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name == "strategies":
            return import_module(".strategies", __name__)
        attribute = _FORMER.get(name, name)
        home = _HOMES.get(attribute)
        if home is None:
            raise AttributeError(f"module 'denota' has no attribute '{name}'")
        value: object = getattr(import_module(home, __name__), attribute)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
