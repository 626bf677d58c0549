"""What a report is about: cases with the verdicts on them, and who was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..cases.case import Case
from ..explanations.plurals import counted
from ..judging.levels import Level
from ..judging.verdicts import Outcome, Verdict
from .tally import Tally, tally_of_cases


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with the verdict on it; `place` is the case's file as the user named it.

    `iri` is the test's own one, if it has one; `command` repeats the verdict; `like` counts the
    judged cases that it stands for, and `notes` say what is known of them.
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
class Judgement:
    """Everything that one engine was judged on.

    Where cases were generated or come from a corpus, `judged` are only those that tell something,
    shrunk, and `counted` are all; `origin` says then where they came from.
    """

    engine: str
    version: str
    level: Level
    judged: Sequence[Judged]
    seconds: float
    counted: Tally | None = None
    origin: str = ""

    @property
    def counts(self) -> dict[Outcome, int]:
        """How many cases had each verdict."""
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
        """Of each language how many cases had a verdict, where not each of them is listed."""
        if self.counted is not None:
            for language, counts in self.counted.languages.items():
                for outcome in Outcome:
                    if counts.of[outcome]:
                        yield language, outcome, counts.of[outcome]

    @property
    def against(self) -> bool:
        """Whether some verdict speaks against the engine."""
        return any(entry.verdict.against for entry in self.judged)

    @property
    def any_judged(self) -> bool:
        """Whether there is a case that the engine supports."""
        return any(entry.verdict.outcome is not Outcome.UNSUPPORTED for entry in self.judged)

    def summary(self) -> str:
        """One line for people."""
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
