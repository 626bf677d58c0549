"""Explanations of SPAseq matches: the windows of Def. 16 and their content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from .....semantics.model.items import TimeKind
from .....semantics.rdf.mapping_sets import project
from .....semantics.spaseq.context import contexts
from .....semantics.spaseq.decomposition import chains
from .....semantics.spaseq.denotation import evaluate
from .....semantics.spaseq.stateful_filters import TimedSolutions
from .....semantics.spaseq.syntax.results import Pair
from .....semantics.spaseq.syntax.tree import Extent, SpaseqQuery, WithinUnit
from ....explanations.derivations import Frame, Goal, Step, Way, check
from ....explanations.explainer import Explainer, FoundRow, RequestedRow, covers
from ....results.json_objects import sort_key
from .elements import SpaseqWords
from .sequences import Rules

_EVER = 1 << 62


class SpaseqExplainer(Explainer):
    """The explainer of SPAseq matches: pairs (τ, Ω), each mapping of Ω a row."""

    noun = "match"
    a_noun = "a match"

    @cached_property
    def words(self) -> SpaseqWords:
        return SpaseqWords(self.case)

    def rows_of(self, number: int, result: Pair) -> Iterable[FoundRow]:
        when = {"time": result.time, "rank": result.rank, "window": result.window}
        return [FoundRow(number, mu, when) for mu in sorted(result.solutions, key=sort_key)]

    def result_text(self, number: int) -> str:
        pair: Pair = self.results[number - 1]
        at = self.words.event_time((pair.time, pair.rank))
        return f"at {at}, {self.words.solutions(pair.solutions)}"

    def presence(self, number: int) -> Goal:
        return self.derivation(self.results[number - 1])

    def derivation(self, pair: Pair) -> Goal:
        """Return the goal of a pair of ⟦Q⟧."""
        select = self.case.tree.select

        def is_pair(found: TimedSolutions) -> bool:
            omega = found.omega if select is None else project(found.omega, select)
            return found.time == (pair.time, pair.rank) and omega == pair.solutions

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if pair.window in (None, boundaries):
                    for found in filter(is_pair, rules.pairs[-1]):
                        yield Way(
                            partial(self.span_text, boundaries),
                            (rules.derivation(len(rules.elements) - 1, found),),
                            frames=self.frames(boundaries),
                        )

        return Goal(ways)

    def windows(self) -> Iterator[tuple[tuple[int, int] | None, Rules]]:
        """Yield the rules in each window, for each chain of the sequence."""
        case = self.case
        for boundaries, context in contexts(
            case.tree, case.streams, case.kb, case.readings, case.evaluation.get("from")
        ):
            for chain in chains(case.tree.sequence, context.readings.negation):
                yield boundaries, Rules(self.words, chain, context)

    def span_text(
        self, boundaries: tuple[int, int] | None, held: Sequence[Step]
    ) -> str:
        """Return the span of a match and its window (Def. 16)."""
        times = [event.start for step in held for event in step.events]
        first, last = (self.words.instant(bound) for bound in (min(times), max(times)))
        span = f"The match spans [{first}, {last}]"
        reading = f"(Def. 16, window={self.case.readings.window})"
        if boundaries is None:
            return f"{span}, not more than WITHIN allows {reading}."
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            shown = f"items {boundaries[0]} to {boundaries[1]} of the merged streams"
        else:
            shown = f"window {self.words.interval(boundaries)}"
        return f"{span}, inside the {shown} {reading}."

    # --- absence --------------------------------------------------------------------------------

    def absence(self, request: RequestedRow) -> Goal:
        time, window = request.when.get("time"), request.when.get("window")
        items = [item for stream in self.case.streams.values() for item in stream]
        at = "" if time is None else f" at {self.words.instant(time)}"

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if window in (None, boundaries) and any(
                    time in (None, event.time[0]) for event in rules.context.streamset.events
                ):
                    yield Way(
                        premises=(
                            rules.ending(len(rules.elements) - 1, request),
                            check(False, false="it matches with other bindings than"
                                  f" {self.words.mapping(request.mu)}"),
                        ),
                        context=self.window_text(boundaries),
                        frames=self.frames(boundaries),
                    )

        none = f"No window contains an event{at} (Def. 16)."
        if not items:
            none = "The streams contain no events."
        elif not any(time in (None, item.time) for item in items):
            none = f"No event has timestamp{at[3:]}; a match has that of its last event (Def. 7)."
        return Goal(ways, none)

    def frames(self, boundaries: tuple[int, int] | None) -> tuple[Frame, ...]:
        """Return the window for the timeline; a window of items has none."""
        if boundaries is None or self.case.tree.within.unit is WithinUnit.EVENTS:
            return ()
        return (Frame(f"window {self.words.interval(boundaries)}", *boundaries),)

    def window_text(self, boundaries: tuple[int, int] | None) -> str:
        if boundaries is None:
            return ""
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            return f"In the items [{boundaries[0]}, {boundaries[1]}]"
        return f"In the window {self.words.interval(boundaries)}"

    def remarks(self, request: RequestedRow) -> Iterator[str]:
        yield from super().remarks(request)
        kinds = {item.kind for stream in self.case.streams.values() for item in stream}
        unit = WithinUnit.MICROSECONDS if TimeKind.DATETIME in kinds else WithinUnit.INTEGER
        unbounded: SpaseqQuery = replace(self.case.tree, within=Extent(_EVER, unit), slide=None)
        case = self.case
        for pair in evaluate(
            unbounded, case.streams, case.kb, replace(case.readings, window="match"),
            case.evaluation.get("from"),
        ):
            if request.when.get("time") in (None, pair.time) and any(
                covers(request.mu, mu) for mu in pair.solutions
            ):
                yield (
                    "All events match, but no single window contains them"
                    f" (Def. 16, window={case.readings.window})."
                )
                return
