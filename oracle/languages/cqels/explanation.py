"""Why a solution of a CQELS-CEP query is one, and why none, by the cases of the paper.

Each event clause is asked on its own for what agrees with the solution: which items its patterns
match, whether they are in order, what stands where a negation wants nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from ....semantics.cqels.context import SINCE_EVER, Context
from ....semantics.cqels.denotation import at_time, contexts, event_sequence, group, projected
from ....semantics.cqels.operators import Omega
from ....semantics.cqels.patterns import background_pattern, content, stream_pattern, window
from ....semantics.cqels.sequences import positive
from ....semantics.cqels.syntax.analysis import blocks, holds_windows
from ....semantics.cqels.syntax.printing import window_to_text
from ....semantics.cqels.syntax.tree import (
    CqelsQuery,
    TripleSequence,
    WindowPattern,
    WindowSequence,
)
from ....semantics.cqels.windows import Element as HeldItem
from ....semantics.model.interval_solutions import Interval, IntervalSolution
from ....semantics.model.items import IntervalGraph
from ....semantics.model.mappings import SolutionMapping
from ....semantics.rdf.syntax.printing import to_text
from ....semantics.rdf.syntax.shortening import Shortener
from ....semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    Prologue,
    TriplesBlock,
    UnionPattern,
)
from ...cases.tasks import Task
from ...cases.turtle_terms import shortened
from ...explanations.asked import comparable
from .language import evaluation_times

Part: TypeAlias = tuple[str, Omega, bool]
"""An element of a sequence: how it is called, its solutions, and whether it is negated."""

_MOST = 3


class Explanation:
    """What can be said of one task's solutions."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.query: CqelsQuery = task.tree
        self.prefixes = {**task.prefixes, **task.language.prefixes(task.tree)}
        self.shorten = Shortener(Prologue(prefixes=tuple(self.prefixes.items())))
        self.contexts = list(contexts(
            self.query, task.streams, task.kb, task.readings, evaluation_times(task.evaluation)
        ))

    # --- words ------------------------------------------------------------------------------

    def term(self, term: object) -> str:
        return shortened(term, self.prefixes)  # type: ignore[arg-type]

    def interval(self, interval: Interval) -> str:
        """[t1, t2], as people read it."""
        shown = (
            "ever" if bound == SINCE_EVER else self.task.shown_instant(bound) for bound in interval
        )
        return f"[{', '.join(shown)}]"

    def mapping(self, mu: SolutionMapping) -> str:
        """μ in short."""
        columns: Sequence[Variable] = self.task.language.columns(self.query)
        order = [v for v in columns if v in mu] + sorted(v for v in mu if v not in columns)
        return ", ".join(f"?{v} = {self.term(mu[v])}" for v in order) or "nothing bound"

    def solution(self, solution: IntervalSolution) -> str:
        """⟨μ, [t1, t2]⟩ in short."""
        return f"{self.mapping(solution.mapping)} over {self.interval(solution.interval)}"

    def name(self, stream: URIRef, held: HeldItem) -> str:
        """The name of an item that a window holds, as it is in its file."""
        for item in self.task.streams.get(stream, ()):
            start, end = (
                (item.start, item.end) if isinstance(item, IntervalGraph)
                else (item.time, item.time)
            )
            around = start <= held.start and held.end <= end
            if around and item.graph == held.graph and isinstance(item.name, URIRef):
                return self.term(item.name)
        return "a graph"

    def text(self, tree: Element | GroupGraphPattern) -> str:
        return self.shorten(" ".join(to_text(tree).split()))

    # --- presence ---------------------------------------------------------------------------

    def presence(self, solution: IntervalSolution) -> Iterator[str]:
        """What makes it a solution."""
        for context in self.contexts:
            if solution not in at_time(self.query, context):
                continue
            yield f"It is found at {self.task.shown_instant(context.t)} (case (1))."
            full = self.unprojected(solution, context)
            for element in self.query.where.elements:
                yield from self.said_of(element, full, context)
            return

    def unprojected(self, solution: IntervalSolution, context: Context) -> SolutionMapping:
        """A mapping of the WHERE clause that the solution is the projection of."""
        found = [
            each
            for each in group(self.query.where, context)
            if solution.mapping in
            {p.mapping for p in projected(frozenset({each}), self.query.select, context)}
            and each.end == solution.end
        ]
        return min(found, key=lambda each: each.start).mapping if found else solution.mapping

    def said_of(
        self, element: Element, mu: SolutionMapping, context: Context
    ) -> Iterator[str]:
        named = blocks(self.query.where)
        match element:
            case WindowPattern(name) if name in named:
                return
            case WindowPattern() | WindowSequence():
                yield from self.chain(self.parts(element, context), mu, context)
            case TriplesBlock() if self.agreeing(self.static(element, context), mu):
                since = context.background.since
                when = "ever" if since == SINCE_EVER else self.task.shown_instant(since)
                yield f"The background has {self.text(element)}, unchanged since {when} (case (17))"
            case _:
                return

    def chain(
        self, parts: Sequence[Part], mu: SolutionMapping, context: Context
    ) -> Iterator[str]:
        """One way in which the parts of a sequence agree with μ, in order."""
        last: int | None = None
        for name, omega, negated in parts:
            agreeing = self.agreeing(omega, mu)
            if negated:
                yield f"!{name}: {self.nothing(parts)}"
                continue
            later = [each for each in agreeing if last is None or last < each.start]
            if later:
                last = later[0].end
                yield f"{name} matches over {self.interval(later[0].interval)} (case (16))"

    def nothing(self, parts: Sequence[Part]) -> str:
        place = next(i for i, part in enumerate(parts) if part[2])
        if place == 0:
            return "nothing that agrees has ended before (NO_HEAD)"
        if place == len(parts) - 1:
            return "nothing that agrees has started afterwards (NO_TAIL)"
        inside = self.task.readings.inside
        return f"nothing that agrees lies in between (SEQ_WO, inside={inside})"

    # --- absence ----------------------------------------------------------------------------

    def absence(self, interval: Interval | None, mu: SolutionMapping) -> Iterator[str]:
        """Why it is no solution."""
        if not self.contexts:
            yield "The query is never evaluated: no item arrives."
            return
        mu = comparable(mu)
        asked = self.contexts[-1].t if interval is None else interval[1]
        context = next((each for each in self.contexts if each.t >= asked), self.contexts[-1])
        yield f"At {self.task.shown_instant(context.t)}:"
        yield from self.held(context)
        named = blocks(self.query.where)
        for element in self.query.where.elements:
            match element:
                case WindowPattern(name) if name in named:
                    continue
                case WindowPattern() | WindowSequence():
                    yield from self.refused(element, mu, context)
                case Filter() | Bind() | OptionalPattern() | MinusPattern() | UnionPattern():
                    continue
                case _ if not holds_windows(element):
                    if not self.agreeing(self.static(element, context), mu):
                        yield f"The background has no {self.text(element)} that agrees (case (17))"

    def held(self, context: Context) -> Iterator[str]:
        for clause in self.query.windows:
            held = sorted(content(clause, context), key=lambda each: (each.end, each.start))
            items = [
                f"{self.name(clause.stream, each)} over {self.interval((each.start, each.end))}"
                for each in held
            ]
            shown = ", ".join(items) or "nothing"
            yield f"The window {self.term(clause.name)} [{window_to_text(clause.function)}]" \
                f" holds {shown} (section 4.1)"

    def refused(
        self, element: WindowPattern | WindowSequence, mu: SolutionMapping, context: Context
    ) -> Iterator[str]:
        """Which part of an event clause has nothing to offer."""
        parts = self.parts(element, context)
        for name, omega, negated in parts:
            if not negated and not self.agreeing(omega, mu):
                yield f"{name} matches no item that agrees (case (16))"
                return
        positives = positive([omega for _, omega, negated in parts if not negated])
        if not self.agreeing(positives, mu):
            yield "What matches does not come in this order, t2 < t3 (SEQ)"
            return
        whole = (
            window(element, context) if isinstance(element, WindowPattern)
            else event_sequence(element, blocks(self.query.where), context)
        )
        if self.agreeing(whole, mu):
            return
        for name, omega, negated in parts:
            against = self.agreeing(omega, mu)
            if negated and against:
                shown = "; ".join(self.solution(each) for each in against[:_MOST])
                yield f"!{name} is against it: {shown}"

    # --- parts ------------------------------------------------------------------------------

    def parts(
        self, element: WindowPattern | WindowSequence, context: Context
    ) -> list[Part]:
        """The elements of a sequence, or a pattern alone."""
        if isinstance(element, WindowSequence):
            named = blocks(self.query.where)
            return [
                (self.term(part.name), window(named[part.name], context), part.negated)
                for part in element.elements
            ]
        clause = self.query.window(element.name)
        if not isinstance(element.body, TripleSequence):
            return [(self.text(element.body), window(element, context), False)]
        return [
            (
                self.text(part.pattern), stream_pattern(part.pattern, clause, context),
                part.negated,
            )
            for part in element.body.elements
        ]

    def static(self, element: Element, context: Context) -> Omega:
        return background_pattern(GroupGraphPattern((element,)), context)

    def agreeing(self, omega: Omega, mu: SolutionMapping) -> list[IntervalSolution]:
        """What is compatible with μ, in the order of time."""
        return sorted(
            (each for each in omega if each.mapping.compatible(mu)),
            key=lambda each: (each.start, each.end),
        )
