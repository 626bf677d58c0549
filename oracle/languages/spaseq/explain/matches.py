"""Why a SPAseq query has a match or has it not: the windows of Def. 16, and what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from .....semantics.model.items import TimeKind
from .....semantics.rdf.mapping_sets import project
from .....semantics.spaseq.chains import chains
from .....semantics.spaseq.context import contexts
from .....semantics.spaseq.deferral import TimedSolutions
from .....semantics.spaseq.denotation import evaluate
from .....semantics.spaseq.syntax.results import Pair
from .....semantics.spaseq.syntax.tree import Extent, SpaseqQuery, WithinUnit
from ....explanations.asked import AskedRow, FoundRow, covers
from ....explanations.derivations import Frame, Goal, Step, Way, checked
from ....explanations.telling import Explainer
from ....results.json_objects import sort_key
from .sequences import Rules
from .words import SpaseqWords

_EVER = 1 << 62


class SpaseqExplainer(Explainer):
    """Matches of SPAseq: pairs (τ, Ω), each mapping of Ω a row."""

    noun = "match"

    @cached_property
    def words(self) -> SpaseqWords:
        return SpaseqWords(self.case)

    def rows_of(self, number: int, result: Pair) -> Iterable[FoundRow]:
        when = {"time": result.time, "rank": result.rank, "window": result.window}
        return [FoundRow(number, mu, when) for mu in sorted(result.solutions, key=sort_key)]

    def result(self, number: int) -> str:
        pair: Pair = self.results[number - 1]
        at = self.words.event_time((pair.time, pair.rank))
        return f"at {at}, {self.words.solutions(pair.solutions)}"

    def presence(self, number: int) -> Goal:
        return self.derived(self.results[number - 1])

    def derived(self, pair: Pair) -> Goal:
        """That a pair is one of ⟦Q⟧."""
        select = self.case.tree.select

        def is_it(found: TimedSolutions) -> bool:
            omega = found.omega if select is None else project(found.omega, select)
            return found.time == (pair.time, pair.rank) and omega == pair.solutions

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if pair.window in (None, boundaries):
                    for found in filter(is_it, rules.pairs[-1]):
                        yield Way(
                            partial(self.in_window, boundaries),
                            (rules.derived(len(rules.elements) - 1, found),),
                            frames=self.frames(boundaries),
                        )

        return Goal(ways)

    def windows(self) -> Iterator[tuple[tuple[int, int] | None, Rules]]:
        """The rules in each window, of each way to read the sequence."""
        case = self.case
        for boundaries, context in contexts(
            case.tree, case.streams, case.kb, case.readings, case.evaluation.get("from")
        ):
            for chain in chains(case.tree.sequence, context.readings.negation):
                yield boundaries, Rules(self.words, chain, context)

    def in_window(
        self, boundaries: tuple[int, int] | None, held: Sequence[Step]
    ) -> str:
        """Def. 16"""
        times = [event.start for step in held for event in step.events]
        first, last = (self.words.instant(bound) for bound in (min(times), max(times)))
        span = f"All of it, {first}" + (f" to {last}" if last != first else "")
        reading = f"(Def. 16, window={self.case.readings.window})"
        if boundaries is None:
            return f"{span}, spans no more than WITHIN allows {reading}."
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            shown = f"items {boundaries[0]} to {boundaries[1]} of the merged streams"
        else:
            shown = self.words.interval(boundaries)
        return f"{span}, lies in the window {shown} {reading}."

    # --- absence --------------------------------------------------------------------------------

    def absence(self, asked: AskedRow) -> Goal:
        time, window = asked.when.get("time"), asked.when.get("window")
        items = [item for stream in self.case.streams.values() for item in stream]
        at = "" if time is None else f" at {self.words.instant(time)}"

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if window in (None, boundaries) and any(
                    time in (None, event.time[0]) for event in rules.context.streamset.events
                ):
                    yield Way(
                        premises=(
                            rules.ending(len(rules.elements) - 1, asked),
                            checked(False, false=f"It matches so, and not with"
                                    f" {self.words.mapping(asked.mu)}."),
                        ),
                        supposing=self.in_which(boundaries),
                        frames=self.frames(boundaries),
                    )

        none = f"No window holds an event{at} (Def. 16)."
        if not items:
            none = "There is no event."
        elif not any(time in (None, item.time) for item in items):
            none = f"No event has time{at[3:]}; a match has the time of its last event (Def. 7)."
        return Goal(ways, none)

    def frames(self, boundaries: tuple[int, int] | None) -> tuple[Frame, ...]:
        """The window, to be drawn; one that counts items has no times."""
        if boundaries is None or self.case.tree.within.unit is WithinUnit.EVENTS:
            return ()
        return (Frame(f"window {self.words.interval(boundaries)}", *boundaries),)

    def in_which(self, boundaries: tuple[int, int] | None) -> str:
        if boundaries is None:
            return ""
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            return f"In the items [{boundaries[0]}, {boundaries[1]}]"
        return f"In the window {self.words.interval(boundaries)}"

    def aside(self, asked: AskedRow) -> Iterator[str]:
        yield from super().aside(asked)
        kinds = {item.kind for stream in self.case.streams.values() for item in stream}
        unit = WithinUnit.MICROSECONDS if TimeKind.DATETIME in kinds else WithinUnit.INTEGER
        unbounded: SpaseqQuery = replace(self.case.tree, within=Extent(_EVER, unit), slide=None)
        case = self.case
        for pair in evaluate(
            unbounded, case.streams, case.kb, replace(case.readings, window="match"),
            case.evaluation.get("from"),
        ):
            if asked.when.get("time") in (None, pair.time) and any(
                covers(asked.mu, mu) for mu in pair.solutions
            ):
                yield (
                    "Without windows it would be a match, but no one window holds all its events"
                    f" (Def. 16, window={case.readings.window})."
                )
                return
