"""What may find a fault: fuzzing, the corpus, laws, properties, unit tests."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .faults import Fault

GRAPH_PATTERNS = "sparql"
_RDF = ("spaseq", "rsepql", "cqels", "epsparql")

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "graphs": (GRAPH_PATTERNS, *_RDF),
    **{name: (name,) for name in (*_RDF, "ceql")},
}
"""In what cases of what languages a part's faults may show."""

FOLDERS: Mapping[str, str] = {
    **{name: name for name in (*_RDF, "ceql")}, "graphs": "rdf",
}
"""The folder of a part in the engine, and in the tests."""

_GUARD = 600  # seconds of processor time after which a process is taken to hang: the fault shows


@dataclass(frozen=True)
class Kill:
    """What came of one fault and one killer.

    `cases`, `operators` and `items` are fuzzing's: cases until the fault was found, and the size of
    the shrunk witness. `seconds` is processor time: of fuzzing until the fault was found, of others
    the whole process.
    """

    fault: str
    by: str
    killed: bool
    seconds: float
    cases: int | None = None
    operators: int | None = None
    items: int | None = None
    language: str | None = None

    def __str__(self) -> str:
        if not self.killed:
            return f"not by {self.by} ({self.seconds:.0f} s)"
        after = f" after {self.cases} cases" if self.cases is not None else ""
        return f"by {self.by}{after} ({self.seconds:.1f} s)"


@dataclass(frozen=True)
class Killer:
    """One way to look for a fault; `command` says what to run in the copy, and where its tests are.

    A test run with exit code 5 has collected nothing: there is nothing that could find the fault.
    """

    name: str
    command: Callable[[Fault, Path], Sequence[str]]

    def run(self, fault: Fault, copy: Path) -> Kill:
        command = self.command(fault, copy)
        if not command:
            return Kill(fault.name, self.name, False, 0.0)
        with tempfile.TemporaryDirectory(prefix="denota-numba-") as kernels:
            code, seconds = _process(command, copy, _environment(fault, copy, kernels))
        return Kill(fault.name, self.name, code not in (0, 5), seconds)


def _environment(fault: Fault, copy: Path, kernels: str) -> Mapping[str, str]:
    """Compiled kernels are kept by file: one that calls a changed one would be taken unchanged.

    So kernels with a fault run as the Python that they are.
    """
    environment = {
        **os.environ, "PYTHONPATH": str(copy / ".typing"), "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if fault.part == "ceql":
        environment |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": kernels}
    return environment


def _process(
    command: Sequence[str], copy: Path, environment: Mapping[str, str]
) -> tuple[int, float]:
    """The exit code and the processor time of a process and its children."""
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (_GUARD, _GUARD))

    process = subprocess.Popen(
        command, cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, preexec_fn=limited,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def _corpus(fault: Fault, copy: Path) -> Sequence[str]:
    names = [name for name in LANGUAGES[fault.part] if name != GRAPH_PATTERNS]
    folders = [
        str(folder.relative_to(copy)) for name in names for folder in copy.glob(f"corpus/*/{name}")
    ]
    return [sys.executable, "-m", "denota", "check", *sorted(folders)]


def _pytest(*patterns: str, laws: bool | None = None) -> Callable[..., Sequence[str]]:
    def command(fault: Fault, copy: Path) -> Sequence[str]:
        folder = FOLDERS[fault.part]
        paths = [
            path for pattern in patterns for path in copy.glob(pattern.format(folder))
            if laws is None or ("laws" in path.name) == laws
        ]
        if not paths:
            return []
        return [
            sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
            *sorted({str(path.relative_to(copy)) for path in paths}),
        ]

    return command


_PROPERTIES = (
    "property_tests/{}/test_*.py", "property_tests/*/{}/**/test_*.py",
    "property_tests/judging/test_{}*.py", "property_tests/laws/test_laws_*.py",
)

KILLERS = (
    Killer("corpus", _corpus),
    Killer("laws", _pytest(*_PROPERTIES, laws=True)),
    Killer("properties", _pytest(*_PROPERTIES, laws=False)),
    Killer("unit", _pytest("tests/engine/{}", "tests/oracle/languages/{}")),
)
"""In the order in which they are asked, each by processes of their own; fuzzing, which draws its
cases once for all faults, is `replay`."""

FUZZ = "fuzz"
NAMES = (FUZZ, *(killer.name for killer in KILLERS))
"""All ways to look for a fault."""
