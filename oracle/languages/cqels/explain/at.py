"""The patterns of a CQELS-CEP query at a time: the cases (3) to (17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from rdflib.term import URIRef

from .....semantics.cqels.denotation import SINCE_EVER, Scene, stream_pattern, where, window
from .....semantics.cqels.event_clauses import translated, window_specification
from .....semantics.cqels.operators import Omega, lies_between
from .....semantics.cqels.syntax.analysis import blocks, holds_windows
from .....semantics.cqels.syntax.tree import (
    CqelsQuery,
    TripleSequence,
    WindowPattern,
    WindowSequence,
)
from .....semantics.cqels.windows import Element as HeldItem
from .....semantics.cqels.windows import window_content
from .....semantics.model.interval_solutions import IntervalSolution
from .....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from .....semantics.model.shown import text_of
from .....semantics.rdf.expressions.evaluation import holds
from .....semantics.rdf.syntax.tree import Element, Filter, GroupGraphPattern
from ....explanations.derivations import Event, Frame, Goal, Step, Way, checked
from ....explanations.patterns import OnGraph, Patterns
from ....explanations.triples import grounds
from ....explanations.wording import MOST, Words


@dataclass
class Part:
    """An element of a sequence: its text, its solutions, and how one of them is derived."""

    text: str
    omega: Omega
    negated: bool
    clause: URIRef
    pattern: GroupGraphPattern | None = None


class At(Patterns[IntervalSolution]):
    """The patterns of a query at a time t."""

    def __init__(self, words: Words, query: CqelsQuery, scene: Scene) -> None:
        super().__init__(words)
        self.query, self.scene = query, scene
        self.blocks = blocks(query.where)

    # --- solutions ------------------------------------------------------------------------------

    def elements(self, group: GroupGraphPattern) -> Sequence[Element]:
        # A block that a sequence names is part of the sequence.
        named = blocks(group)
        self.blocks = {**self.blocks, **named}
        return [
            each for each in group.elements
            if not (isinstance(each, WindowPattern) and each.name in named)
        ]

    def solutions(self, group: GroupGraphPattern) -> Iterable[IntervalSolution]:
        named = {
            part.name for each in group.elements if isinstance(each, WindowSequence)
            for part in each.elements
        }
        needed = [block for name, block in self.blocks.items() if name in named]
        whole = GroupGraphPattern((*needed, *(e for e in group.elements if e not in needed)))
        return where(translated(replace(self.query, where=whole)), self.scene)

    def mapping(self, found: IntervalSolution) -> SolutionMapping:
        return found.mapping

    def order(self, found: IntervalSolution) -> object:
        return found.start, found.end, super().order(found)

    def over(self, found: IntervalSolution) -> str:
        return f" over {self.interval(found.interval)}"

    def interval(self, interval: tuple[int, int]) -> str:
        shown = ("ever" if b == SINCE_EVER else self.words.instant(b) for b in interval)
        return f"[{', '.join(shown)}]"

    def matched(self, element: Element, found: IntervalSolution) -> str:
        if holds_windows(element):
            return f"{self.words.text(element)} is matched over {self.interval(found.interval)}"
        since = self.scene.since
        when = "ever" if since == SINCE_EVER else self.words.instant(since)
        return f"The background has {self.words.text(element)}, unchanged since {when} (case (17))"

    def grounds(self, element: Element, found: IntervalSolution) -> Iterable[Step]:
        if holds_windows(element):
            return ()
        background = self.scene.background
        return grounds(
            self.words, GroupGraphPattern((element,)), found.mapping, background.graph,
            background.dataset.named,
        )

    def nowhere(self, element: Element) -> str:
        if holds_windows(element):
            return super().nowhere(element)
        return f"The background has no {self.words.text(element)} (case (17))"

    # --- event clauses --------------------------------------------------------------------------

    def own(
        self, element: Element, mu: SolutionMapping, whole: IntervalSolution | None = None
    ) -> Goal | None:
        match element:
            case WindowPattern(name, TripleSequence() as body):
                clause = self.query.window(name)
                stream = self.scene.streams.get(clause.stream, ())
                parts = [
                    Part(
                        self.words.text(each.pattern),
                        stream_pattern(each.pattern, stream, clause.function, self.scene),
                        each.negated, name, each.pattern,
                    ) for each in body.elements
                ]
                return Goal(lambda: self.sequence(parts, body.filters, mu))
            case WindowPattern(name, GroupGraphPattern() as pattern):
                return self.single(self.block(name, element, negated=False, pattern=pattern), mu)
            case WindowSequence(elements):
                blocks = [
                    self.block(each.name, self.blocks[each.name], negated=each.negated)
                    for each in elements
                ]
                return Goal(lambda: self.sequence(blocks, (), mu))
        return None

    def block(
        self, name: URIRef, block: WindowPattern, *, negated: bool,
        pattern: GroupGraphPattern | None = None,
    ) -> Part:
        omega = window(window_specification(block, self.query), self.scene)
        body = block.body if isinstance(block.body, GroupGraphPattern) else None
        text = self.words.text(pattern) if pattern else self.words.term(name)
        return Part(text, omega, negated, name, pattern or body)

    def single(self, part: Part, mu: SolutionMapping) -> Goal:
        """That a part matches an item; else how near each item that its window holds comes."""
        def ways() -> Iterator[Way]:
            found = self.among(part.omega, mu)
            for each in found[:1]:
                yield Way("", (self.matches(part, each),))
            if not found and part.pattern is not None:
                for item in self.items(part.clause):
                    name = self.called(part.clause, item)
                    yield Way(premises=(OnGraph(
                        self.words, self.scene.graph_pattern, item.graph,
                        f" by {name} (case (16))", self.scene.graph_pattern.named,
                    ).group(part.pattern, mu),))

        return Goal(ways, f"{part.text} matches no item that agrees (case (16))")

    def matches(self, part: Part, found: IntervalSolution) -> Step:
        when = self.interval(found.interval)
        items = [
            item for item in self.items(part.clause)
            if (item.start, item.end) == found.interval and part.pattern is not None
            and found.mapping in self.scene.graph_pattern(part.pattern, item.graph)
        ]
        what = f" {self.called(part.clause, items[0])}" if items else ""
        stream = self.words.stream(self.query.window(part.clause).stream)
        rests = () if part.pattern is None else grounds(
            self.words, part.pattern, found.mapping,
            frozenset().union(*(item.graph for item in items[:1])),
            self.scene.graph_pattern.named,
        )
        return Step(
            f"{part.text} matches{what} over {when} (case (16))", tuple(rests),
            Event(stream, *found.interval),
        )

    def sequence(
        self, parts: Sequence[Part], filters: Sequence[Filter], mu: SolutionMapping
    ) -> Iterator[Way]:
        """One solution of each part, in order, without what is negated (cases (3) to (15))."""
        positive = [part for part in parts if not part.negated]
        found = [self.among(part.omega, mu) for part in positive]
        for missing in [part for part, each in zip(positive, found, strict=True) if not each][:1]:
            yield Way("", (self.single(missing, mu),))
        for chosen in product(*found):
            yield Way("", self.in_order(parts, positive, chosen, filters))

    def in_order(
        self, parts: Sequence[Part], positive: Sequence[Part],
        chosen: Sequence[IntervalSolution], filters: Sequence[Filter],
    ) -> Iterator[Step]:
        mu, last = EMPTY_MAPPING, None
        for part, each in zip(positive, chosen, strict=True):
            yield self.matches(part, each)
            if last is not None:
                yield checked(each.mapping.compatible(mu), false="they do not join:"
                           f" {self.words.differing(mu, each.mapping)}")
                yield checked(
                    last.end < each.start, false=f"{self.interval(last.interval)} does not end"
                    f" before {self.interval(each.interval)} begins, t2 < t3 (SEQ)",
                )
            mu, last = mu.merge(each.mapping), each
        for place, part in enumerate(parts):
            if part.negated:
                yield self.without(part, place, mu, chosen)
        for condition in filters:
            seen = self._seen(condition.condition, replace(chosen[-1], mapping=mu))
            text = self.words.text(condition)
            yield checked(holds(condition.condition, mu), true=f"{text} is true with {seen}",
                       false=f"{text} is not true with {seen}")

    def without(
        self, part: Part, place: int, mu: SolutionMapping, chosen: Sequence[IntervalSolution]
    ) -> Step:
        """NO_HEAD, NO_TAIL or SEQ_WO: what is negated is not where it must not be."""
        before, after = chosen[:place], chosen[place:]
        inside = self.scene.readings.inside
        if not before:
            said = "nothing that agrees has ended before (NO_HEAD)"
        elif not after:
            said = "nothing that agrees has started afterwards (NO_TAIL)"
        else:
            said = f"nothing that agrees lies in between (SEQ_WO, inside={inside})"

        def against(each: IntervalSolution) -> bool:
            if not before:
                return each.end < after[0].start
            if not after:
                return before[-1].end < each.start and each.end <= self.scene.t
            return lies_between(before[-1], each, after[0], inside)

        met = [each for each in self.among(part.omega, mu) if against(each)]
        return checked(
            not met, true=f"!{part.text}: {said}",
            false=f"!{part.text} is against it: {'; '.join(map(self.shown, met[:MOST]))}",
        )

    # --- items ----------------------------------------------------------------------------------

    def among(self, omega: Omega, mu: SolutionMapping) -> list[IntervalSolution]:
        return sorted((e for e in omega if e.mapping.compatible(mu)), key=self.order)  # type: ignore[arg-type]

    def items(self, name: URIRef) -> list[HeldItem]:
        clause = self.query.window(name)
        stream = self.scene.streams.get(clause.stream, ())
        held = window_content(clause.function, stream, self.scene.t)
        return sorted(held, key=lambda each: (each.end, each.start))

    def called(self, name: URIRef, item: HeldItem) -> str:
        stream = self.query.window(name).stream
        return self.words.item(stream, item.graph, item.start, item.end)

    def frames(self) -> Iterator[Frame]:
        """What the windows hold, to be drawn."""
        for clause in self.query.windows:
            held = self.items(clause.name)
            if held:
                name = f"{self.words.term(clause.name)} [{text_of(clause.function)}]"
                yield Frame(
                    f"{name} at {self.words.instant(self.scene.t)}",
                    min(each.start for each in held), max(each.end for each in held),
                )

    def held(self, name: URIRef) -> list[str]:
        return [
            f"{self.called(name, each)} over {self.interval((each.start, each.end))}"
            for each in self.items(name)
        ]
