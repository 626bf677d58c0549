"""Peers that Python imports, and the interpreters that have them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ..engine import EngineError

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
        """The command that serves a host; raises EngineError.

        Apart (-I) from the folder of `serving`, where peers' folders have the peers' names.
        """
        return [interpreter(self), "-I", str(_SERVING), str(host)]


def peer(engine: str, module: str) -> PythonPackage:
    """The package of an engine that the extra `peers` brings."""
    return PythonPackage(
        engine=engine,
        module=module,
        variable=VARIABLE,
        advice="pip install 'denota[peers]' in an environment of its own",
    )


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
