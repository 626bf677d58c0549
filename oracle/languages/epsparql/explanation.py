"""Why a solution of an EP-SPARQL query is one, and why none: its patterns, one by one.

Each pattern is asked on its own, over the closed stream, for what agrees with the solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rdflib.term import Variable

from ....semantics.epsparql.algebra import translate
from ....semantics.epsparql.background import background
from ....semantics.epsparql.closure import Closure
from ....semantics.epsparql.evaluation import Active, evaluate
from ....semantics.epsparql.intervals import NEVER, Timed
from ....semantics.epsparql.occurrences import occurrences, timeless
from ....semantics.epsparql.syntax.analysis import inferable, queried
from ....semantics.epsparql.syntax.strata import strata
from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Operator, TemporalPattern
from ....semantics.model.interval_solutions import Interval, IntervalSolution
from ....semantics.model.items import TimeKind
from ....semantics.model.mappings import SolutionMapping
from ....semantics.rdf.expressions.context import Execution
from ....semantics.rdf.syntax.printing import to_text
from ....semantics.rdf.syntax.shortening import Shortener
from ....semantics.rdf.syntax.tree import (
    Element,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    Prologue,
    UnionPattern,
)
from ....semantics.streams.interval_merging import merge_intervals
from ...cases.tasks import Task
from ...cases.turtle_terms import shortened
from ...explanations.asked import comparable

_MOST = 3

_MANDATORY = {
    Operator.OPTIONALSEQ: 1, Operator.EQUALSOPTIONAL: 0, Operator.SEQOPTIONAL: 0,
}
"""Which operand of an operator with an optional one is not optional."""

_WANTS = {
    Operator.SEQ: "SEQ wants the one to end before the other begins",
    Operator.EQUALS: "EQUALS wants both over one interval",
}


class Explanation:
    """What can be said of one task's solutions."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.query: EpsparqlQuery = task.tree
        self.prefixes = {**task.prefixes, **task.language.prefixes(task.tree)}
        self.shorten = Shortener(Prologue(prefixes=tuple(self.prefixes.items())))
        items = list(merge_intervals(queried(self.query, task.streams)))
        known = background(task.kb, self.query.dataset, task.readings)
        active = Active(
            stream=occurrences(items) | known.stream,
            named={iri: timeless(graph) for iri, graph in known.named.items()},
            kind=items[0].kind if items else TimeKind.INTEGER,
            readings=task.readings,
            execution=Execution(self.query.prologue.base),
        )
        layers = strata(self.query.rules, task.readings.leftjoin, inferable(known.schema))
        closed = Closure(active, known.schema, self.query.rules).of(active.stream, layers)
        self.active = replace(active, stream=closed)

    # --- words ------------------------------------------------------------------------------

    def interval(self, interval: tuple[float, float]) -> str:
        """[t1, t2], as people read it."""
        if interval[1] == NEVER:
            return "no time"
        return f"[{', '.join(self.task.shown_instant(int(bound)) for bound in interval)}]"

    def mapping(self, mu: SolutionMapping) -> str:
        """μ in short."""
        columns: Sequence[Variable] = self.task.language.columns(self.query)
        order = [v for v in columns if v in mu] + sorted(v for v in mu if v not in columns)
        return ", ".join(
            f"?{v} = {shortened(mu[v], self.prefixes)}"  # type: ignore[arg-type]
            for v in order
        ) or "nothing bound"

    def text(self, tree: Element | GroupGraphPattern) -> str:
        return self.shorten(" ".join(to_text(tree).split()))

    def timed(self, psi: Timed) -> str:
        return f"{self.mapping(psi.mapping)} over {self.interval((psi.start, psi.end))}"

    # --- presence ---------------------------------------------------------------------------

    def presence(self, solution: IntervalSolution) -> Iterator[str]:
        """What of the query's patterns agrees with it."""
        mu = solution.mapping
        for group in self.groups():
            yield from self.held(group, mu)

    def groups(self) -> list[GroupGraphPattern]:
        if self.query.select is None:
            return [rule.where for rule in self.query.rules]
        return [self.query.select.where]

    def held(self, group: GroupGraphPattern, mu: SolutionMapping) -> Iterator[str]:
        for element in group.elements:
            if isinstance(element, UnionPattern):
                for alternative in element.alternatives:
                    yield from self.held(alternative, mu)
            elif not isinstance(element, Filter | OptionalPattern | MinusPattern):
                for psi in self.agreeing(GroupGraphPattern((element,)), mu)[:1]:
                    yield f"{self.text(element)} holds over {self.interval((psi.start, psi.end))}"

    # --- absence ----------------------------------------------------------------------------

    def absence(self, interval: Interval | None, mu: SolutionMapping) -> Iterator[str]:
        """Why it is no solution."""
        if self.task.readings.policy != "unrestricted":
            yield f"policy={self.task.readings.policy} detects only some of what matches."
        told = False
        for group in self.groups():
            for line in self.lacking(group, mu if self.query.select is not None else None):
                told = True
                yield line
        if not told:
            yield (
                "WHERE has what agrees with it; the interval, or what else the query says (its"
                " expressions, groups, modifiers), makes it another solution."
            )

    def lacking(self, group: GroupGraphPattern, mu: SolutionMapping | None) -> Iterator[str]:
        """Why a group has nothing that agrees; nothing where it has."""
        if self.agreeing(group, mu):
            return
        for element in group.elements:
            if isinstance(element, Filter | OptionalPattern | MinusPattern):
                continue
            if not self.agreeing(GroupGraphPattern((element,)), mu):
                yield from self.element(element, mu)
                return
        optional = tuple(e for e in group.elements if not isinstance(e, Filter | MinusPattern))
        found = self.agreeing(GroupGraphPattern(optional), mu)
        if not found:
            yield f"The parts of {self.text(group)} agree with it, but not with one another."
            return
        for element in group.elements:
            if isinstance(element, Filter | MinusPattern) and not self.agreeing(
                GroupGraphPattern((*optional, element)), mu
            ):
                shown = "; or ".join(map(self.timed, found[:_MOST]))
                yield f"{self.text(element)} lets none of these be: {shown}"
                return
        yield f"The conditions of {self.text(group)} do not hold of one solution together."

    def element(self, element: Element, mu: SolutionMapping | None) -> Iterator[str]:
        match element:
            case TemporalPattern(operator=operator):
                yield from self.temporal(element, operator, mu)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    yield from self.lacking(alternative, mu)
            case _:
                yield f"{self.text(element)} holds nowhere so that it agrees."

    def temporal(
        self, pattern: TemporalPattern, operator: Operator, mu: SolutionMapping | None
    ) -> Iterator[str]:
        mandatory = _MANDATORY.get(operator)
        sides = pattern.alternatives if mandatory is None else (pattern.alternatives[mandatory],)
        for side in sides:
            if not self.agreeing(side, mu):
                yield from self.lacking(side, mu)
                return
        if mandatory is not None:
            yield f"With the optional part of {self.text(pattern)} it is another solution."
            return
        left, right = (self.agreeing(side, mu) for side in sides)
        pairs = [(one, two) for one in left for two in right if one.compatible(two)]
        if not pairs:
            yield f"{self.timed(left[0])}, and {self.timed(right[0])} do not agree."
        for one, two in pairs[:_MOST]:
            yield f"{self.timed(one)}, and {self.timed(two)}: {_WANTS[operator]}."

    def agreeing(self, group: GroupGraphPattern, mu: SolutionMapping | None) -> list[Timed]:
        """What is compatible with μ, in the order of time."""
        asked = comparable(mu) if mu is not None else None
        found = evaluate(translate(group), self.active)
        return sorted(
            (psi for psi in found if asked is None or psi.mapping.compatible(asked)),
            key=lambda psi: (psi.end, psi.start),
        )


__all__ = ["Explanation"]
