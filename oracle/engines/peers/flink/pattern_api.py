"""FlinkCEP as an engine: SPAseq cases as patterns, and the events that it selects as pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .....semantics.rdf.mapping_sets import project
from .....semantics.spaseq.streamset import Instant
from .....semantics.spaseq.syntax.results import Pair
from .....semantics.spaseq.syntax.tree import SpaseqQuery
from ....cases.case import Case
from ...engine import TaskError
from ..event_patterns.elements import (
    PatternElement,
    elements,
    name_of,
    solutions,
    windows_asked,
)
from ..event_patterns.pattern_questions import PatternQuestion, builder_calls
from ..hosted import HostedEngine
from .contiguities import patterns
from .java_host import words
from .skipping import NO_SKIP, Strategy, Taken, are_left, strategies
from .ways import can_deny, greedily, groupable

Match: TypeAlias = tuple[tuple[Instant, ...], ...]
"""What each element of a pattern has taken."""


class Flink(HostedEngine):
    """FlinkCEP in a JVM of its own, asked one case after the other.

    Raises EngineError where its jars, a Java or a compiler for it are not to be had.
    """

    def __init__(self, timeout: float) -> None:
        super().__init__(
            words(), timeout, name="flink", language="spaseq", level="pair",
            capabilities=CAPABILITIES,
        )
        self._plan: Plan

    def question(self, case: Case) -> dict[str, Any]:
        self._plan = Plan(case)
        return self._plan.question.message()

    def translation(self, question: Mapping[str, Any]) -> str:
        return builder_calls(question["patterns"])

    def run(self, case: Case) -> list[Any]:
        answers = super().run(case)
        return self._plan.pairs(answers)


CAPABILITIES: Final = {
    # No kleene=collect: conditions of a pattern see values, no lists.
    "readings": [
        "ties=merge", "ties=sequence", "kleene=join", "window=match", "window=sliding",
        "window=tumbling-half-open", "negation=absence", "entailment=rdfs",
    ],
}  # fmt: skip


class Plan:
    """The patterns that say what a case asks; raises UnsupportedError where none do.

    Windows that are cut out of time are streams of their own. Under `window=match` Flink is given
    the whole stream, and its own `within`, which leaves out what takes as long as it says.
    """

    def __init__(self, case: Case) -> None:
        self.query: SpaseqQuery = case.tree
        self.question = PatternQuestion()
        self._runs: list[_Run] = []
        windows, within = windows_asked(case)
        for boundaries, context in windows:
            instants = sorted({event.time for event in context.streamset.events})
            negation = context.readings.negation
            for ways in patterns(self.query.sequence, negation, context.bindable):
                asked = {way: elements(parts, context) for way, parts in ways.items()}
                if "notNext" in asked and not can_deny(asked["notNext"], context):
                    del asked["notNext"]
                if (greedy := greedily(asked["plain"])) != asked["plain"]:
                    asked["greedy"] = greedy
                names = [name_of(place) for place in range(len(asked["plain"]))]
                skip = [NO_SKIP, *strategies(names)]
                if grouped := groupable(asked["plain"]):
                    asked["a group"] = asked["plain"]
                for way, found in asked.items():
                    said = skip if way == "plain" else [NO_SKIP]
                    first = grouped if way == "a group" else 0
                    self.question.add(
                        found, instants, within, skip=said, way=way, grouped=first
                    )
                self._runs.append(_Run(boundaries, instants, asked, names, skip))

    def pairs(self, answers: Iterable[Any]) -> list[Pair]:
        """The pairs of what Flink has found; what it finds twice is there twice.

        Raises TaskError where it finds one thing in one way and another in another.
        """
        once: set[Pair] = set()
        again: list[Pair] = []
        answered = iter(answers)
        for run in self._runs:
            matches = [run.taken("plain", match) for match in next(answered)]
            plain = run.selected(matches)
            for strategy in run.skip[1:]:
                told = [run.taken("plain", match) for match in next(answered)]
                if not are_left(told, matches, strategy, run.names):
                    how = f"{' of '.join(strategy)} leaves"
                    raise _contradiction(how, run.selected(told), plain)
            for way in [*run.asked][1:]:
                other = run.selected(run.taken(way, match) for match in next(answered))
                if _flat(other) != _flat(plain):
                    raise _contradiction(f"{way} selects", other, plain)
            for match, count in plain.items():
                pairs = list(self._pairs(run, match))
                once.update(pairs)
                again += pairs * (count - 1)
        return [*once, *again]

    def _pairs(self, run: _Run, match: Match) -> Iterator[Pair]:
        time, rank = match[-1][-1]
        select = self.query.select
        for omega in solutions(run.asked["plain"], match):
            shown = omega if select is None else project(omega, select)
            yield Pair(run.boundaries, time, shown, rank)


@dataclass(frozen=True)
class _Run:
    """A pattern over a window, in each of the ways that say it, and what may be skipped."""

    boundaries: tuple[int, int] | None
    instants: Sequence[Instant]
    asked: Mapping[str, Sequence[PatternElement]]
    names: Sequence[str]
    skip: Sequence[Strategy]

    def taken(self, way: str, match: Iterable[Sequence[int]]) -> Taken:
        """What each element takes, without the negative ones, which take nothing."""
        events = iter(match)
        return [
            next(events) for element in self.asked[way]
            if not element.is_guarded or next(events) == []
        ]

    def selected(self, matches: Iterable[Taken]) -> Counter[Match]:
        """Matches as the instants that their elements take."""
        return Counter(
            tuple(tuple(self.instants[number] for number in events) for events in match)
            for match in matches
        )


def _flat(matches: Counter[Match]) -> Counter[Match]:
    """What is selected, whatever by."""
    flat: Counter[Match] = Counter()
    for match, count in matches.items():
        flat[tuple((instant,) for taken in match for instant in taken)] += count
    return flat


def _contradiction(how: str, other: Counter[Match], plain: Counter[Match]) -> TaskError:
    theirs, ours = (
        [[list(taken) for taken in match] for match in sorted(matches.elements())]
        for matches in (other, plain)
    )
    return TaskError(f"contrary to its documentation, {how} {theirs} where all matches are {ours}")
