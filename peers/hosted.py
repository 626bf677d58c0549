"""Third-party engines, each in a process of its own in which a host asks it."""

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

from ..oracle.cases.case import Case
from ..oracle.checking.levels import Level
from ..oracle.engines.adapter_client import AdapterEngine
from ..oracle.engines.capabilities import capabilities_of
from ..oracle.engines.engine import EngineError


class HostedEngine(AdapterEngine):
    """A peer behind a host that is asked in the peer's own terms (`question`).

    `capabilities` is what the adapter takes of `language`, as an adapter's hello says it.
    """

    side_by_side = 2
    """The number of processes that test it at the same time; 1: this process."""

    at_once = 1
    """The number of processes that each engine asks at the same time: more than one if it waits."""

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

    def another(self) -> HostedEngine:
        """Return an engine like this one, with a process of its own."""
        kind: Any = type(self)
        made: HostedEngine = kind(self.timeout)
        return made

    def question(self, case: Case) -> dict[str, Any]:
        """Return the case in the peer's terms; raises UnsupportedError where it has none."""
        raise NotImplementedError

    def translation(self, question: Mapping[str, Any]) -> str:
        """Return the query of a question, as a user of the peer would write it."""
        return str(question["query"])

    def result(self, case: Case, found: Any) -> Any:
        """Return one of the host's results as the language has it."""
        return found

    def run(self, case: Case) -> list[Any]:
        return [self.result(case, found) for found in super().run(case)]

    def close(self) -> None:
        super().close()
        self._folder.cleanup()

    def _message(self, case: Case) -> dict[str, Any]:
        about = {"type": "case", "id": case.id, "language": case.language_name}
        question = self.question(case)
        # Set before the peer is asked: a report shows it also if the peer crashes.
        self.translated = self.translation(question)
        return {**about, **question}


# --- engines that Python imports ------------------------------------------------------------------

_SERVING: Final = Path(__file__).with_name("serving.py")

VARIABLE: Final = "DENOTA_PEERS_PYTHON"
"""Names the interpreter that has the peers from PyPI that share one environment."""


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
        """Return the command that serves a host; raises EngineError.

        Apart (-I) from the folder of `serving`, where adapters have the peers' names.
        """
        return [interpreter(self), "-I", str(_SERVING), str(host)]


def peer(engine: str, module: str) -> PythonPackage:
    """Return the package of an engine that the extra `peers` brings."""
    return PythonPackage(
        engine=engine,
        module=module,
        variable=VARIABLE,
        advice="pip install 'denota[peers]' in an environment of its own",
    )


@cache
def interpreter(package: PythonPackage) -> str:
    """Return a Python that has the package; raises EngineError."""
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
