"""Peers: other people's engines, each in a process of its own in which a host asks it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from ...cases.case import Case
from ...judging.levels import Level
from ..capabilities import capabilities_of
from ..child_process import ChildEngine
from ..engine import EngineError

_SERVING: Final = Path(__file__).with_name("serving.py")


class HostedEngine(ChildEngine):
    """A peer behind a host that is asked in the peer's own terms (`question`).

    `capabilities` is what the adapter takes of `language`, as an adapter's hello says it.
    """

    def __init__(
        self,
        words: Sequence[str],
        timeout: float,
        *,
        name: str,
        language: str,
        level: Level,
        capabilities: Mapping[str, Sequence[str]],
    ) -> None:
        # Some write logs where they are started.
        self._folder = tempfile.TemporaryDirectory(prefix=f"denota-{name}-")
        super().__init__(words, timeout=timeout, folder=self._folder.name)
        self.name = name
        self.languages = (language,)
        self.level = level
        self.capabilities[language] = capabilities_of(language, capabilities)

    def question(self, case: Case) -> dict[str, Any]:
        """The case in the peer's terms; raises UnsupportedError where it has none."""
        raise NotImplementedError

    def result(self, case: Case, found: Any) -> Any:
        """One of the host's results as the language has it."""
        return found

    def run(self, case: Case) -> list[Any]:
        return [self.result(case, found) for found in super().run(case)]

    def close(self) -> None:
        super().close()
        self._folder.cleanup()

    def _message(self, case: Case) -> dict[str, Any]:
        about = {"type": "case", "id": case.id, "language": case.language_name}
        return {**about, **self.question(case)}


@dataclass(frozen=True)
class PythonPackage:
    """A peer that Python imports as `module`, perhaps under another interpreter than this one.

    That is the one that the environment variable names, this one, or the first of `programs` that
    has the module; `advice` says how to get it.
    """

    engine: str
    module: str
    variable: str
    advice: str
    programs: tuple[str, ...] = ()

    def words(self, host: Path) -> list[str]:
        """The command that serves a host; raises EngineError.

        Apart (-I) from the folder of `serving`, where peers' folders have the peers' names.
        """
        return [interpreter(self), "-I", str(_SERVING), str(host)]


@cache
def interpreter(package: PythonPackage) -> str:
    """A Python that has the package; raises EngineError."""
    named = os.environ.get(package.variable)
    if named is not None:
        if not _has(named, package.module):
            raise EngineError(
                f"engine '{package.engine}': {package.variable}={named} has no {package.module}"
            )
        return named
    if find_spec(package.module) is not None:
        return sys.executable
    for program in package.programs:
        found = shutil.which(program)
        if found is not None and _has(found, package.module):
            return found
    raise EngineError(
        f"engine '{package.engine}': there is no Python with {package.module}"
        f" ({package.advice}, or name one in {package.variable})"
    )


def _has(python: str, module: str) -> bool:
    program = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    try:
        return subprocess.run([python, "-I", "-c", program], check=False).returncode == 0
    except OSError:
        return False
