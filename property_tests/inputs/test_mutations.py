"""No input ends in a traceback, or ends the interpreter: it is read, or is a DenotaError."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import settings

from . import mutating

CHILD = Path(mutating.__file__)


def _count() -> int:
    """How many mutants of each format: some in `ci`, many in `deep`."""
    return 30 if settings.get_current_profile_name() == "ci" else 3_000


def test_mutants_are_read_or_refused() -> None:
    count, formats = _count(), list(mutating.formats())
    read = subprocess.run(
        [sys.executable, str(CHILD), "0", str(count), *formats],
        capture_output=True, text=True, check=False, errors="replace",
    )
    lines = read.stdout.splitlines()
    assert [
        (before, line) for before, line in pairwise(lines) if line.startswith(("raises", "says"))
    ] == []
    assert read.returncode == 0, f"{lines[-1]} ended the interpreter: {read.stderr[-500:]}"
    assert lines == [f"{format} {number}" for format in formats for number in range(count)]


def test_mutants_differ_and_come_again() -> None:
    mutants = [mutating.mutant(b"type,x\nA,1\n", number) for number in range(100)]
    assert len(set(mutants)) > 80
    assert mutants == [mutating.mutant(b"type,x\nA,1\n", number) for number in range(100)]


@pytest.mark.parametrize("format", list(mutating.formats()))
def test_what_is_mutated_is_valid(format: str) -> None:
    seeds, read = mutating.formats()[format]
    assert seeds
    for seed in seeds:
        read(seed)
