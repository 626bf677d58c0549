"""How many cases had each verdict, by what they asked of an engine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...semantics.model.errors import DenotaError
from ..cases.texts import Text
from ..engines.capabilities import OTHER_GROUPS, Names, needs_of, vocabulary
from ..judging.verdicts import Outcome
from ..languages.registry import is_language

READINGS = "readings"
DEFAULTS = "the defaults"
"""The name in the group `readings` of a case that asks for no other one."""


def asked_of(case: Any) -> Names:
    """What a case asks of an engine; nothing is known of a query that cannot be read."""
    try:
        needs = needs_of(case.parsed() if isinstance(case.query, Text) else case)
    except DenotaError:
        return {}
    return {**needs, READINGS: needs[READINGS] or frozenset({DEFAULTS})}


def groups_of(language: str) -> tuple[str, ...]:
    """The groups of what can be asked in a language, in their order."""
    return (*(vocabulary(language) if is_language(language) else ()), *OTHER_GROUPS)


@dataclass(slots=True)
class Counts:
    """How many cases had each verdict."""

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
    def against(self) -> int:
        """Those whose verdict speaks against the engine."""
        return sum(count for outcome, count in self.of.items() if outcome.against)


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
        """So many more cases with this verdict, which ask for these names by group."""
        self.languages[language].of[outcome] += number
        for group, names in asked.items():
            for name in names:
                self.names[language, group, name].of[outcome] += number

    @property
    def outcomes(self) -> Counter[Outcome]:
        """The verdicts on all cases."""
        return sum((counts.of for counts in self.languages.values()), Counter())

    def asked(self, language: str, group: str) -> set[str]:
        """The names of a group that cases in a language asked for."""
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
    """The tally of cases with their verdicts."""
    tally = Tally()
    for case, outcome in judged:
        tally.add(case.language_name, asked_of(case), outcome)
    return tally
