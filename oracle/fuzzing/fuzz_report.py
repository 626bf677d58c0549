"""The findings of a run of the fuzzer, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from .clusters import Cluster, Discrepancy
from .coverage import Coverage
from .known_differences import KnownDifference


@dataclass
class FuzzReport:
    """The findings of a run so far.

    `languages` are those of the cases, `refused` those that were asked for and that the engine,
    which takes `takes`, does not take. `examples` counts the generated cases, `failing` those on
    which the engine failed, `unsupported` those that it does not take (`reasons` counts why),
    `passed_over` those that were not checked because it has said beforehand that it does not,
    `answered` those with a non-empty result, `shrinking` is whether a failing case is being shrunk
    right now. `seconds` is the time spent. `coverage` is, by language, which rules of its grammar
    cases have had inside which.

    `clusters` are the failing cases by their cause, without those of `known` differences, which
    `known_met` counts by name; `foretold` counts the cases that were not checked because one of
    them was to be expected. `endless` is a run that had no end but that somebody ends it.
    """

    engine: str
    languages: tuple[str, ...]
    seed: int
    version: str = ""
    examples: int = 0
    failing: int = 0
    unsupported: int = 0
    passed_over: int = 0
    answered: int = 0
    seconds: float = 0.0
    clusters: list[Cluster] = field(default_factory=list)
    interrupted: bool = False
    endless: bool = False
    shrinking: bool = False
    refused: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    reasons: Counter[str] = field(default_factory=Counter)
    coverage: dict[str, Coverage] = field(default_factory=dict)
    known: tuple[KnownDifference, ...] = ()
    known_met: Counter[str] = field(default_factory=Counter)
    foretold: Counter[str] = field(default_factory=Counter)
    wanted: int | None = None
    """The number of cases that was asked for."""
    time_limit: float | None = None
    """The time in seconds after which the run ends."""

    @property
    def out_of_time(self) -> bool:
        """True if the time limit ended the run."""
        return self.time_limit is not None and not self.interrupted and bool(self.languages) and (
            self.wanted is None or self.examples < self.wanted
        )

    @property
    def judged(self) -> int:
        """The number of cases that the engine took."""
        return self.examples - self.unsupported

    @property
    def failures(self) -> int:
        """The number of failing cases that no known difference explains."""
        return self.failing - self.known_met.total()

    @property
    def ok(self) -> bool:
        """Return whether cases were checked and every failure is a known difference."""
        return self.judged > 0 and not self.failures

    @property
    def discrepancies(self) -> list[Discrepancy]:
        """The clusters' witnesses."""
        return [cluster.witness for cluster in self.clusters]

    @property
    def never_met(self) -> tuple[KnownDifference, ...]:
        """The known differences that no case has shown."""
        return tuple(each for each in self.known if not self.known_met[each.name])


Progress: TypeAlias = Callable[[FuzzReport], None]
