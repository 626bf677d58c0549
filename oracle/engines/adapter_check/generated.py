"""Cases that are generated for what the program says that it takes."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from ...cases.case import Case
from ...fuzzing.rounds import random_cases
from ...inputs.swarms import Swarm
from ..capabilities import Names, lacking, left_out
from .program import Program

GENERATED = 40
"""The number of cases that are generated, to find some that suit."""

_KEPT = 12


def generated_cases(program: Program, name: str) -> tuple[Case, ...]:
    """Return a few cases of a language, the same for each program with the same capabilities."""
    capabilities = program.capabilities(name)
    return _made(name, tuple(sorted(capabilities.items())))


@lru_cache(maxsize=8)
def _made(name: str, groups: tuple[tuple[str, frozenset[str]], ...]) -> tuple[Case, ...]:
    capabilities: Names = dict(groups)
    without = left_out(name, capabilities)
    cases = random_cases(name, "adapter check", GENERATED, Swarm(), without)
    return tuple(islice((case for case in cases if not lacking(case, capabilities)), _KEPT))
