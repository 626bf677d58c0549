"""FlinkCEP as an engine: SPAseq cases as patterns, and the events that it selects as pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from .....semantics.rdf.mapping_sets import project
from .....semantics.spaseq.context import Context, contexts
from .....semantics.spaseq.streamset import Event, Instant, Streamset
from .....semantics.spaseq.syntax.results import Pair
from .....semantics.spaseq.syntax.tree import SpaseqQuery
from ....cases.case import Case
from ...capabilities import vocabulary
from ..hosted import HostedEngine
from .contiguities import patterns
from .elements import PatternElement, PatternQuestion, elements, solutions
from .java_host import words


class Flink(HostedEngine):
    """FlinkCEP in a JVM of its own, asked one case after the other.

    Raises EngineError where its jars, a Java or a compiler for it are not to be had.
    """

    def __init__(self, timeout: float) -> None:
        super().__init__(
            words(), timeout, name="flink", language="spaseq", level="pair",
            capabilities=CAPABILITIES,
        )
        self._plan: Plan | None = None

    def run(self, case: Case) -> list[Any]:
        self._plan = plan = Plan(case)
        return plan.pairs(super().run(case))

    def question(self, case: Case) -> dict[str, Any]:
        return (self._plan or Plan(case)).question.message()


CAPABILITIES: Final = {
    # Where both sides of | match, an event is two things at once, and one event to Flink.
    "operators": sorted(vocabulary("spaseq")["operators"] - {"|"}),
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
        self._runs: list[tuple[tuple[int, int] | None, list[Instant], list[PatternElement]]] = []
        windows = list(
            contexts(self.query, case.streams, case.kb, case.readings, case.evaluation.get("from"))
        )
        within = None
        if case.readings.window == "match" and windows:
            windows = [(None, _everything([context for _, context in windows]))]
            within = self.query.within.value + 1
        for boundaries, context in windows:
            instants = sorted({event.time for event in context.streamset.events})
            negation = context.readings.negation
            for parts in patterns(self.query.sequence, negation, context.bindable):
                found = elements(parts, context)
                self.question.add(found, instants, within)
                self._runs.append((boundaries, instants, found))

    def pairs(self, answers: Sequence[Any]) -> list[Pair]:
        """The pairs of what Flink has found; what it finds twice is there twice."""
        once: set[Pair] = set()
        again: list[Pair] = []
        for (boundaries, instants, found), answer in zip(self._runs, answers, strict=True):
            matches = Counter(_selected(match, found) for match in answer)
            for match, count in matches.items():
                taken = [[instants[number] for number in events] for events in match]
                pairs = list(self._pairs(boundaries, taken, found))
                once.update(pairs)
                again += pairs * (count - 1)
        return [*once, *again]

    def _pairs(
        self,
        boundaries: tuple[int, int] | None,
        match: Sequence[Sequence[Instant]],
        found: Sequence[PatternElement],
    ) -> Iterator[Pair]:
        time, rank = match[-1][-1]
        for omega in solutions(found, match):
            select = self.query.select
            yield Pair(boundaries, time, omega if select is None else project(omega, select), rank)


def _selected(match: Any, found: Sequence[PatternElement]) -> tuple[tuple[int, ...], ...]:
    """The events of each element; a notFollowedBy has none."""
    events = iter(match)
    selected = []
    for element in found:
        if element.part.absent:
            next(events)
        selected.append(tuple(next(events)))
    return tuple(selected)


def _everything(windows: Sequence[Context]) -> Context:
    """All that is in the windows, as one."""
    events: dict[Event, None] = {}
    for context in windows:
        events |= dict.fromkeys(context.streamset.events)
    ordered = sorted(events, key=lambda event: event.time)
    return replace(windows[0], streamset=Streamset(ordered))
