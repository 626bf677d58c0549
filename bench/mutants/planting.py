"""Planting a fault: the engine is imported with it, in a process that is forked for that."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .faults import ROOT, Fault, planted

ENGINE = "denota.engine"

_IMPORTED_ANEW = (
    ENGINE, "denota.semantics.streams.live", "denota.semantics.streams.rdf",
    "denota.semantics.streams.tuples", "denota.oracle.cases.tuple_sources",
    "denota.oracle.engines.driving", "denota.oracle.engines.live_query",
    "denota.oracle.engines.resumable_run",
)
"""Modules and packages that may have a fault, and those that import names from them.

The oracle evaluates a case without them: the streams of a drawn case need no reader.
"""

_SLOWER = 10  # times as long by the clock as on the processor: others run on the machine, too


class Planted(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports one module with a fault in it."""

    def __init__(self, fault: Fault) -> None:
        self.path = str(ROOT / fault.path)
        super().__init__(f"denota.{fault.module}", self.path)
        self.source = planted((ROOT / fault.path).read_text(encoding="utf-8"), fault)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != self.name:
            return None
        folder = [str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=folder
        )

    def get_code(self, fullname: str) -> Any:
        return compile(self.source, self.path, "exec", dont_inherit=True)


def without_engine() -> int:
    """Forget the engine's modules and its readers, so that a child imports them anew.

    Nothing of them may have run before: an object that exists has the class without a fault.
    Returns the number of modules.
    """
    here = [
        name for name in sys.modules
        if any(name == each or name.startswith(f"{each}.") for each in _IMPORTED_ANEW)
    ]
    for name in here:
        del sys.modules[name]
    return len(here)


def forked(
    fault: Fault | None, work: Callable[[], int], seconds: float, *, quiet: bool = True
) -> tuple[int, float]:
    """What a child with the fault returns, and its processor time.

    A child that takes more processor time than `seconds`, or waits for ever, ends with a signal,
    and the code is negative, as it is for one that has crashed.
    """
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 1
        try:
            limit = int(seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_SLOWER * limit)
            if quiet:
                _silence()
            if fault is not None:
                sys.meta_path.insert(0, Planted(fault))
            code = work()
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
