"""Explanations of CQELS-CEP results: cases (1) to (17), and stream operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from rdflib.term import URIRef

from ....semantics.cqels.denotation import (
    SINCE_EVER,
    EvaluationContext,
    projected,
    query_at,
    stream_pattern,
    where,
    window,
    window_content,
)
from ....semantics.cqels.denotation import Element as HeldItem
from ....semantics.cqels.event_clauses import translated, window_specification
from ....semantics.cqels.operators import Omega, lies_between
from ....semantics.cqels.queries import contexts
from ....semantics.cqels.syntax.analysis import blocks, holds_windows
from ....semantics.cqels.syntax.tree import (
    CqelsQuery,
    TripleSequence,
    WindowPattern,
    WindowSequence,
)
from ....semantics.model.interval_solutions import IntervalResult, IntervalSolution, Reported
from ....semantics.model.items import IntervalGraph
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ....semantics.model.pretty_printing import text_of
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.rdf.expressions.evaluation import holds
from ....semantics.rdf.isomorphism import isomorphic
from ....semantics.rdf.queries import construct
from ....semantics.rdf.syntax.tree import Element, Filter, GroupGraphPattern
from ...explanations.derivations import Event, Frame, Goal, Premise, Step, Way, check
from ...explanations.explainer import IntervalExplainer, RequestedRow, comparable
from ...explanations.patterns import OnGraph, Patterns
from ...explanations.triples import grounds
from ...explanations.wording import Words
from .language import evaluation_times


@dataclass
class Part:
    """An element of a sequence, with its text, solutions, window and pattern."""

    text: str
    omega: Omega
    negated: bool
    clause: URIRef
    pattern: GroupGraphPattern | None = None


class At(Patterns[IntervalSolution]):
    """The rules of a query's patterns at a time t."""

    def __init__(self, words: Words, query: CqelsQuery, context: EvaluationContext) -> None:
        super().__init__(words)
        self.query, self.context = query, context
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
        return where(translated(replace(self.query, where=whole)), self.context)

    def mapping(self, found: IntervalSolution) -> SolutionMapping:
        return found.mapping

    def order(self, found: IntervalSolution) -> object:
        return found.start, found.end, super().order(found)

    def over(self, found: IntervalSolution) -> str:
        return f" over {self.interval(found.interval)}"

    def interval(self, interval: tuple[int, int]) -> str:
        shown = ("start" if b == SINCE_EVER else self.words.instant(b) for b in interval)
        return f"[{', '.join(shown)}]"

    def match_text(self, element: Element, found: IntervalSolution) -> str:
        if holds_windows(element):
            return f"{self.words.text(element)} matches over {self.interval(found.interval)}"
        since = self.context.since
        when = "from the start" if since == SINCE_EVER else f"since {self.words.instant(since)}"
        text = self.words.text(element)
        return f"The background graph contains {text}, unchanged {when} (case (17))"

    def grounds(self, element: Element, found: IntervalSolution) -> Iterable[Step]:
        if holds_windows(element):
            return ()
        background = self.context.background
        return grounds(
            self.words, GroupGraphPattern((element,)), found.mapping, background.graph,
            background.dataset.named,
        )

    def no_match_text(self, element: Element) -> str:
        if holds_windows(element):
            return super().no_match_text(element)
        return f"The background graph does not contain {self.words.text(element)} (case (17))"

    # --- event clauses --------------------------------------------------------------------------

    def language_rule(
        self, element: Element, mu: SolutionMapping, whole: IntervalSolution | None = None
    ) -> Goal | None:
        match element:
            case WindowPattern(name, TripleSequence() as body):
                clause = self.query.window(name)
                stream = self.context.streams.get(clause.stream, ())
                parts = [
                    Part(
                        self.words.text(each.pattern),
                        stream_pattern(each.pattern, stream, clause.function, self.context),
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
        omega = window(window_specification(block, self.query), self.context)
        body = block.body if isinstance(block.body, GroupGraphPattern) else None
        text = self.words.text(pattern) if pattern else self.words.term(name)
        return Part(text, omega, negated, name, pattern or body)

    def single(self, part: Part, mu: SolutionMapping) -> Goal:
        """Return the goal of a part; its failing ways are the items of its window."""
        def ways() -> Iterator[Way]:
            found = self.compatible_of(part.omega, mu)
            for each in found[:1]:
                yield Way("", (self.matches(part, each),))
            if not found and part.pattern is not None:
                for item in self.items(part.clause):
                    name = self.item_name(part.clause, item)
                    yield Way(premises=(OnGraph(
                        self.words, self.context.graph_pattern, item.graph,
                        f" {name} (case (16))", self.context.graph_pattern.named,
                    ).group(part.pattern, mu),))

        return Goal(ways, f"{part.text} matches no compatible item (case (16))")

    def matches(self, part: Part, found: IntervalSolution) -> Step:
        when = self.interval(found.interval)
        items = [
            item for item in self.items(part.clause)
            if (item.start, item.end) == found.interval and part.pattern is not None
            and found.mapping in self.context.graph_pattern(part.pattern, item.graph)
        ]
        name = f" {self.item_name(part.clause, items[0])}" if items else ""
        stream = self.words.stream(self.query.window(part.clause).stream)
        rests = () if part.pattern is None else grounds(
            self.words, part.pattern, found.mapping,
            frozenset().union(*(item.graph for item in items[:1])),
            self.context.graph_pattern.named,
        )
        return Step(
            f"{part.text} matches{name} over {when} (case (16))", tuple(rests),
            Event(stream, *found.interval),
        )

    def sequence(
        self, parts: Sequence[Part], filters: Sequence[Filter], mu: SolutionMapping
    ) -> Iterator[Way]:
        """Yield combinations of solutions, in order and without negations (cases (3) to (15))."""
        positive = [part for part in parts if not part.negated]
        found = [self.compatible_of(part.omega, mu) for part in positive]
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
                yield check(each.mapping.compatible(mu), false="incompatible bindings:"
                            f" {self.words.differing(mu, each.mapping)}")
                yield check(
                    last.end < each.start, false=f"{self.interval(last.interval)} does not end"
                    f" before {self.interval(each.interval)} starts, t2 < t3 (SEQ)",
                )
            mu, last = mu.merge(each.mapping), each
        for place, part in enumerate(parts):
            if part.negated:
                yield self.without(part, place, mu, chosen)
        for condition in filters:
            values = self._values(condition.condition, replace(chosen[-1], mapping=mu))
            text = self.words.text(condition)
            yield check(holds(condition.condition, mu), true=f"{text} is true with {values}",
                        false=f"{text} is not true with {values}")

    def without(
        self, part: Part, place: int, mu: SolutionMapping, chosen: Sequence[IntervalSolution]
    ) -> Step:
        """Test that a negated part has no match (NO_HEAD, NO_TAIL or SEQ_WO)."""
        before, after = chosen[:place], chosen[place:]
        inside = self.context.readings.inside
        if not before:
            text = "no compatible match ends before (NO_HEAD)"
        elif not after:
            text = "no compatible match starts afterwards (NO_TAIL)"
        else:
            text = f"no compatible match in between (SEQ_WO, inside={inside})"

        def violates(each: IntervalSolution) -> bool:
            if not before:
                return each.end < after[0].start
            if not after:
                return before[-1].end < each.start and each.end <= self.context.t
            return lies_between(before[-1], each, after[0], inside)

        found = [each for each in self.compatible_of(part.omega, mu) if violates(each)]
        return check(
            not found, true=f"Negation !{part.text}: {text}",
            false=f"Negation !{part.text}: violated by {self._list(found)}",
        )

    # --- items ----------------------------------------------------------------------------------

    def compatible_of(self, omega: Omega, mu: SolutionMapping) -> list[IntervalSolution]:
        return sorted((e for e in omega if e.mapping.compatible(mu)), key=self.order)  # type: ignore[arg-type]

    def items(self, name: URIRef) -> list[HeldItem]:
        clause = self.query.window(name)
        stream = self.context.streams.get(clause.stream, ())
        held = window_content(clause.function, stream, self.context.t)
        return sorted(held, key=lambda each: (each.end, each.start))

    def item_name(self, name: URIRef, item: HeldItem) -> str:
        stream = self.query.window(name).stream
        return self.words.item(stream, item.graph, item.start, item.end)

    def frames(self) -> Iterator[Frame]:
        """Yield the contents of the windows, for the timeline."""
        for clause in self.query.windows:
            held = self.items(clause.name)
            if held:
                name = f"{self.words.term(clause.name)} [{text_of(clause.function)}]"
                yield Frame(
                    f"{name} at {self.words.instant(self.context.t)}",
                    min(each.start for each in held), max(each.end for each in held),
                )

    def content(self, name: URIRef) -> list[str]:
        return [
            f"{self.item_name(name, each)} over {self.interval((each.start, each.end))}"
            for each in self.items(name)
        ]


class CqelsExplainer(IntervalExplainer):
    """The explainer of one case's results."""

    @cached_property
    def contexts(self) -> list[EvaluationContext]:
        case = self.case
        return list(contexts(
            case.tree, case.streams, case.kb, case.readings, evaluation_times(case.evaluation)
        ))

    # --- results --------------------------------------------------------------------------------

    def presence(self, number: int) -> Goal:
        result: IntervalResult = self.results[number - 1]
        at = result.time if isinstance(result, Reported) else None
        element = result.element if isinstance(result, Reported) else result
        operator = self.case.tree.operator

        def ways() -> Iterator[Way]:
            for place, context in enumerate(self.contexts):
                if at not in (None, context.t):
                    continue
                # DSTREAM emits solutions of the previous evaluation.
                source = self.contexts[place - 1] if operator is StreamOperator.DSTREAM else context
                for solution in self.answers(source):
                    if self.makes(solution, element):
                        yield Way(
                            f"It is a solution at {self.words.instant(source.t)} (case (1))",
                            (self.whole(solution, source), *self.emission(solution, place)),
                            frames=tuple(At(self.words, self.case.tree, source).frames()),
                        )

        return Goal(ways)

    def answers(self, context: EvaluationContext) -> list[IntervalSolution]:
        return sorted(query_at(self.case.tree, context), key=lambda each: (each.end, each.start))

    def makes(self, solution: IntervalSolution, element: object) -> bool:
        """Return whether SELECT or CONSTRUCT returns a result for a solution."""
        if not isinstance(element, IntervalGraph):
            return solution == element
        made = construct(self.case.tree.template, [solution.mapping])
        return solution.interval == (element.start, element.end) and (
            isomorphic(made, element.graph)
        )

    def whole(self, solution: IntervalSolution, context: EvaluationContext) -> Goal:
        """Return the goal of the solution of WHERE whose projection is this solution."""
        query: CqelsQuery = self.case.tree
        patterns = At(self.words, query, context)
        full = next(
            each for each in sorted(
                where(translated(query), context), key=lambda each: (each.start, each.end)
            )
            if each.end == solution.end and solution.mapping in {
                made.mapping for made in projected(frozenset({each}), query.select, context)
            }
        )
        return patterns.group(
            query.where, full.mapping, lambda found: found.interval == full.interval
        )

    def emission(self, solution: IntervalSolution, place: int) -> Iterator[Step]:
        """Yield the comparison by ISTREAM or DSTREAM with the previous evaluation."""
        operator = self.case.tree.operator
        if operator in (None, StreamOperator.RSTREAM):
            return
        now, before = self.contexts[place], self.contexts[place - 1] if place else None
        at = "" if before is None else f" at {self.words.instant(before.t)}"
        if operator is StreamOperator.ISTREAM:
            yield check(
                before is None or solution not in self.answers(before),
                true=f"ISTREAM emits it: it was not a solution{at or ' before'}",
                false=f"ISTREAM does not emit it: it was already a solution{at}",
            )
        else:
            yield check(
                solution not in self.answers(now),
                true=f"DSTREAM emits it at {self.words.instant(now.t)}: it is no longer a solution",
                false="DSTREAM does not emit it: it is still a solution",
            )

    def absence(self, request: RequestedRow) -> Goal:
        interval, at = request.when.get("interval"), request.when.get("at")
        query: CqelsQuery = self.case.tree
        mu = comparable(request.mu) if query.template is None else EMPTY_MAPPING

        def ways() -> Iterator[Way]:
            wanted = at if at is not None else interval and interval[1]
            if not self.contexts:
                return
            place = next(
                (i for i, context in enumerate(self.contexts) if wanted is not None
                 and context.t >= wanted), len(self.contexts) - 1
            )
            context = self.contexts[place]
            patterns = At(self.words, query, context)
            yield Way(
                premises=self.premises(patterns, mu, request, place),
                context=f"At {self.words.instant(context.t)}",
                frames=tuple(patterns.frames()),
            )

        return Goal(ways, "The query is never evaluated: the streams have no items")

    def premises(
        self, patterns: At, mu: SolutionMapping, request: RequestedRow, place: int
    ) -> Iterator[Premise]:
        context, query = self.contexts[place], patterns.query
        for clause in query.windows:
            content = ", ".join(patterns.content(clause.name)) or "no items"
            yield Step(
                f"The window {self.words.term(clause.name)} [{text_of(clause.function)}]"
                f" contains {content} (section 4.1)"
            )
        interval = request.when.get("interval")
        yield patterns.group(
            query.where, mu.project(frozenset(self.words.columns)),
            lambda found: interval in (None, found.interval),
            f"over {self.words.interval(interval)}" if interval is not None else "",
        )
        for solution in self.answers(context):
            if solution.mapping.compatible(mu) and interval in (None, solution.interval):
                yield from self.emission(solution, place)
        if query.template is not None:
            yield check(False, false="CONSTRUCT makes no such triple from the solutions of WHERE")
        at = request.when.get("at")
        yield check(at in (None, context.t), false="the query is not evaluated at"
                   f" {self.words.instant(at)}")
        yield check(False, false="the SELECT clause projects it to another solution")


EXPLAINER = CqelsExplainer
