"""The result of a run: cases and their verdicts, the engine under test, and counts by verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...semantics.model.errors import DenotaError
from ..cases.case import Case
from ..cases.embedded_text import Text
from ..checking.levels import Level
from ..checking.verdicts import Outcome, Verdict
from ..engines.capabilities import OTHER_GROUPS, Names, needs_of, vocabulary
from ..explanations.plurals import counted
from ..languages.registry import is_language

READINGS = "readings"
DEFAULTS = "the defaults"
"""The name in the group `readings` of a case that asks for no other one."""


def asked_of(case: Any) -> Names:
    """Return the features that a case requires; none are known of a query that cannot be read."""
    try:
        needs = needs_of(case.parsed() if isinstance(case.query, Text) else case)
    except DenotaError:
        return {}
    return {**needs, READINGS: needs[READINGS] or frozenset({DEFAULTS})}


def groups_of(language: str) -> tuple[str, ...]:
    """Return the groups of what can be asked in a language, in their order."""
    return (*(vocabulary(language) if is_language(language) else ()), *OTHER_GROUPS)


@dataclass(slots=True)
class Counts:
    """The number of cases with each verdict."""

    of: Counter[Outcome] = field(default_factory=Counter)

    @property
    def judged(self) -> int:
        """Those that the engine took."""
        return self.of.total() - self.of[Outcome.UNSUPPORTED]

    @property
    def unsupported(self) -> int:
        """Those that it did not take."""
        return self.of[Outcome.UNSUPPORTED]

    @property
    def failures(self) -> int:
        """Return the number of failures."""
        return sum(count for outcome, count in self.of.items() if outcome.is_failure)


@dataclass
class Tally:
    """The counts of one engine: of each language, and of each name in each of its groups."""

    languages: defaultdict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    names: defaultdict[tuple[str, str, str], Counts] = field(
        default_factory=lambda: defaultdict(Counts)
    )

    def add(
        self, language: str, asked: Mapping[str, Any], outcome: Outcome, number: int = 1
    ) -> None:
        """Add `number` cases with this verdict, which ask for these names by group."""
        self.languages[language].of[outcome] += number
        for group, names in asked.items():
            for name in names:
                self.names[language, group, name].of[outcome] += number

    @property
    def outcomes(self) -> Counter[Outcome]:
        """The verdicts on all cases."""
        return sum((counts.of for counts in self.languages.values()), Counter())

    def asked(self, language: str, group: str) -> set[str]:
        """Return the names of a group that cases in a language asked for."""
        return {
            name for other, its, name in self.names if (other, its) == (language, group)
        }

    def update(self, other: Tally) -> None:
        """Count what another tally has counted as well."""
        for name, counts in other.languages.items():
            self.languages[name].of.update(counts.of)
        for key, counts in other.names.items():
            self.names[key].of.update(counts.of)


def tally_of_cases(judged: Iterable[tuple[Any, Outcome]]) -> Tally:
    """Return the tally of cases with their verdicts."""
    tally = Tally()
    for case, outcome in judged:
        tally.add(case.language_name, asked_of(case), outcome)
    return tally


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case with the verdict on it; `place` is the case's file as the user named it.

    `iri` is the test's own one, if it has one; `command` repeats the verdict; `like` counts the
    checked cases that it stands for, and `notes` say what is known of them.
    """

    case: Case
    verdict: Verdict
    place: str
    iri: str | None = None
    command: str = ""
    like: int = 1
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.case.title or self.case.id


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything that one engine was checked on.

    Where cases were generated or come from a corpus, `checked` are only those that tell something,
    shrunk, and `counted` are all; `origin` says then where they came from.
    """

    engine: str
    version: str
    level: Level
    judged: Sequence[CaseResult]
    seconds: float
    counted: Tally | None = None
    origin: str = ""

    @property
    def counts(self) -> dict[Outcome, int]:
        """The number of cases with each verdict."""
        counted = (
            Counter(entry.verdict.outcome for entry in self.judged) if self.counted is None
            else self.counted.outcomes
        )
        return {outcome: counted[outcome] for outcome in Outcome if counted[outcome]}

    @property
    def tally(self) -> Tally:
        """The verdicts by language and by what cases ask for."""
        return self.counted or tally_of_cases(
            (entry.case, entry.verdict.outcome) for entry in self.judged
        )

    def unlisted(self) -> Iterator[tuple[str, Outcome, int]]:
        """Yield for each language the number of verdicts, where not all are listed."""
        if self.counted is not None:
            for language, counts in self.counted.languages.items():
                for outcome in Outcome:
                    if counts.of[outcome]:
                        yield language, outcome, counts.of[outcome]

    @property
    def has_failures(self) -> bool:
        """Return whether any verdict is a failure."""
        return any(entry.verdict.is_failure for entry in self.judged)

    @property
    def any_judged(self) -> bool:
        """True if there is a case that the engine supports."""
        return any(entry.verdict.outcome is not Outcome.UNSUPPORTED for entry in self.judged)

    def summary(self) -> str:
        """Return one line for people."""
        number = sum(self.counts.values())
        counts = ", ".join(f"{count} {WORDS[o]}" for o, count in self.counts.items()) or "none"
        who = f"{self.engine} {self.version}".strip()
        return (
            f"{counted(number, 'case')}: {counts}"
            f" ({who}, comparison level: {self.compared()}, {self.seconds:.1f} s)"
        )

    def compared(self) -> str:
        """Return the comparison levels; that of the engine if no case was compared."""
        counted = Counter(e.verdict.level for e in self.judged if e.verdict.level is not None)
        return " and ".join(level for level, _ in counted.most_common()) or self.level


WORDS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.UNSUPPORTED: "unsupported",
    Outcome.TIMEOUT: "timed out",
    Outcome.CRASH: "crashed",
}
