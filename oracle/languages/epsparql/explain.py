"""Why an EP-SPARQL query has a solution or has it not: the rules of its patterns (section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import product

from rdflib.term import BNode, URIRef, Variable

from ....semantics.epsparql.algebra import translate
from ....semantics.epsparql.background import background
from ....semantics.epsparql.closure import Closure
from ....semantics.epsparql.denotation import Active, evaluate
from ....semantics.epsparql.intervals import NEVER, Timed
from ....semantics.epsparql.occurrences import Occurrence, occurrences, timeless
from ....semantics.epsparql.syntax.analysis import inferable, queried
from ....semantics.epsparql.syntax.strata import strata
from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Form, Operator, TemporalPattern
from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.items import TimeKind
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ....semantics.model.terms import Triple
from ....semantics.rdf.expressions.context import Execution
from ....semantics.rdf.syntax.tree import Element, GroupGraphPattern, TriplesBlock
from ....semantics.rdf.syntax.variables import possible_variables
from ....semantics.streams.merging import merge_intervals
from ...cases.case import Case
from ...explanations.asked import AskedRow, comparable
from ...explanations.derivations import Event, Goal, Premise, Step, Way, checked
from ...explanations.intervals import IntervalExplainer
from ...explanations.patterns import Patterns
from ...explanations.triples import rests_on
from ...explanations.wording import Words
from ..interval_solutions import triple_mapping

_MANDATORY = {
    Operator.OPTIONALSEQ: 1, Operator.EQUALSOPTIONAL: 0, Operator.SEQOPTIONAL: 0,
}
"""Which operand of an operator with an optional one is not optional."""
_SIMULTANEOUS = frozenset({Operator.EQUALS, Operator.EQUALSOPTIONAL})


class EpsparqlExplainer(IntervalExplainer):
    """What can be said of one case's solutions."""

    @cached_property
    def patterns(self) -> ClosedStream:
        return ClosedStream(self.words, self.case)

    def presence(self, number: int) -> Goal:
        result = self.results[number - 1]
        if isinstance(result, bool):
            return self.patterns.where(EMPTY_MAPPING, None)
        assert isinstance(result, IntervalSolution)
        return self.found(result.mapping, result.interval, exact=True)

    def absence(self, asked: AskedRow) -> Goal:
        mu, interval = comparable(asked.mu), asked.when.get("interval")
        policy = self.case.readings.policy
        why = "what the query says besides WHERE makes it another solution"
        if policy != "unrestricted":
            why = f"it matches, but policy={policy} detects only some of what matches"

        def premises() -> Iterator[Premise]:
            if "boolean" in asked.when:
                yield self.patterns.where(EMPTY_MAPPING, None)
            else:
                yield self.found(mu, interval, exact=False)
            yield checked(False, false=f"WHERE has what agrees: {why}")

        return Goal(lambda: [Way("", premises())])

    def found(
        self, mu: SolutionMapping, interval: tuple[int, int] | None, *, exact: bool
    ) -> Goal:
        """That WHERE, or a rule, has what a solution is made of."""
        query: EpsparqlQuery = self.case.tree
        if query.form is Form.DESCRIBE:
            named = " and ".join(map(self.words.term, query.described))
            about = [Way(f"It is about {named}, which DESCRIBE names (SPARQL 16.4)")]
            return Goal(lambda: [
                Way("It is about what DESCRIBE finds (SPARQL 16.4)",
                    (self.patterns.where(EMPTY_MAPPING, None),)),
                *(about if named else ()),
            ])
        # A blank node that a rule makes is another one whenever the query is evaluated.
        known = comparable(mu)
        if query.select is None:
            return self.patterns.constructed(known, interval)
        scope = possible_variables(query.select.where)
        tried = [(mu, interval), (known, interval)]
        if exact:  # an aggregate spans all the solutions of its group
            tried.append((known, None))
        goals = [self.patterns.where(each.project(scope), when) for each, when in tried]
        return next((goal for goal in goals if goal.proof.holds), goals[0])


class ClosedStream(Patterns[Timed]):
    """The patterns of a query over the stream and what its rules construct."""

    def __init__(self, words: Words, case: Case) -> None:
        super().__init__(words)
        self.query: EpsparqlQuery = case.tree
        items = list(merge_intervals(queried(self.query, case.streams)))
        known = background(case.kb, self.query.dataset, case.readings)
        active = Active(
            stream=occurrences(items) | known.stream,
            named={iri: timeless(graph) for iri, graph in known.named.items()},
            kind=items[0].kind if items else TimeKind.INTEGER,
            readings=case.readings,
            execution=Execution(self.query.prologue.base),
        )
        self.given = active.stream
        self.items = items
        self.rules = Closure(active, known.schema, self.query.rules)
        layers = strata(self.query.rules, case.readings.leftjoin, inferable(known.schema))
        self.active = replace(active, stream=self.rules.of(active.stream, layers))

    def where(self, mu: SolutionMapping, interval: tuple[int, int] | None) -> Goal:
        """That the WHERE clause has a solution that agrees, over this interval."""
        assert self.query.select is not None
        return self.group(
            self.query.select.where, mu,
            lambda psi: interval in (None, (psi.start, psi.end)) and psi.end != NEVER,
            f"over {self.words.interval(interval)}" if interval is not None else "at some time",
        )

    # --- solutions ------------------------------------------------------------------------------

    def solutions(self, group: GroupGraphPattern) -> list[Timed]:
        return evaluate(translate(group), self.active)

    def mapping(self, found: Timed) -> SolutionMapping:
        return found.mapping

    def order(self, found: Timed) -> object:
        return found.end, found.start, super().order(found)

    def interval(self, psi: Timed) -> str:
        if psi.end == NEVER:
            return "no time"
        return self.words.interval(map(int, (psi.start, psi.end)))

    def over(self, found: Timed) -> str:
        return "" if found.end == NEVER else f" over {self.interval(found)}"

    def matched(self, element: Element, found: Timed) -> str:
        text, when = self.words.text(element), self.over(found)
        shown = self.words.mapping(found.mapping)
        return f"{text} holds{when or ' ever'}" + f", with {shown}" * bool(found.mapping)

    def grounds(self, element: Element, found: Timed) -> Iterator[Step]:
        """Which triple of which instants matches which triple pattern."""
        if not isinstance(element, TriplesBlock):
            return
        # Those of the solution's own instants first, of the background last.
        there = [
            each for each in self.active.stream
            if each.end == NEVER or (found.start <= each.start and each.end <= found.end)
        ]
        graph = frozenset(each.triple for each in there)
        for rests in rests_on(GroupGraphPattern((element,)), found.mapping, graph, {}):
            held = (
                f"{self.words.triple(triple)}{self.when(triple, there)}"
                for triple in rests.triples
            )
            pattern = self.words.text(TriplesBlock((rests.pattern,)))
            yield Step(f"{pattern} is matched by {', '.join(held)}", detail=True)

    def when(self, triple: Triple, there: Iterable[Occurrence]) -> str:
        """Over which intervals a triple holds; "" for what holds ever."""
        spans = sorted(
            (each.start, each.end) for each in there
            if each.triple == triple and each.end != NEVER
        )
        shown = dict.fromkeys(self.words.interval(map(int, span)) for span in spans)
        return f" over {' or '.join(shown)}" if shown else ""

    def event(self, element: Element, found: Timed) -> Event | None:
        if found.end == NEVER or not isinstance(element, TriplesBlock):
            return None
        start, end = int(found.start), int(found.end)
        stream = next(
            (self.words.stream(each.iri) for each in self.items if each.start == start), ""
        )
        return Event(stream, start, end)

    # --- temporal patterns, rules ---------------------------------------------------------------

    def own(self, element: Element, mu: SolutionMapping) -> Goal | None:
        if isinstance(element, TemporalPattern):
            return Goal(lambda: self._temporal(element, mu))
        if isinstance(element, TriplesBlock) and self.query.rules:
            return Goal(lambda: self._concluded(element, mu), self.nowhere(element))
        return None

    def _temporal(self, pattern: TemporalPattern, mu: SolutionMapping) -> Iterator[Way]:
        """SeqJoin and its like: a solution of each side, in this order, or over one interval."""
        operator, mandatory = pattern.operator, _MANDATORY.get(pattern.operator)
        left, right = sides = pattern.alternatives
        wanted = self.agreeing([pattern], mu)
        found = [self.agreeing(side.elements, mu) for side in sides]
        for one, two in product(*found) if all(found) else ():
            yield Way("", (
                self._side(left, one), self._side(right, two),
                checked(one.compatible(two), false="they do not agree:"
                     f" {self.words.differing(one.mapping, two.mapping)}"),
                self._ordered(operator, one, two),
                checked(one.combined(two) in wanted, false=f"{operator} has another solution"),
            ))
        if mandatory is not None:
            for psi in found[mandatory]:
                yield Way("", (self._side(sides[mandatory], psi), checked(
                    psi in wanted, true=f"{operator} adds nothing to it",
                    false=f"with the optional part of {self.words.text(pattern)} it is another"
                    " solution",
                )))
            if not found[mandatory]:
                yield Way("", (self.group(sides[mandatory], mu),))
        elif not all(found):
            yield Way("", (self.group(left, mu), self.group(right, mu)))

    def _side(self, group: GroupGraphPattern, psi: Timed) -> Goal:
        return self.group(group, psi.mapping, lambda found: found == psi)

    def _ordered(self, operator: Operator, one: Timed, two: Timed) -> Premise:
        both = f"{self.interval(one)} and {self.interval(two)}"
        if operator in _SIMULTANEOUS:
            return checked(
                (one.start, one.end) == (two.start, two.end),
                true=f"{operator}: both hold over {self.interval(one)}",
                false=f"{operator} wants both over one interval, not {both}",
            )
        return checked(
            one.end < two.start,
            true=f"{operator}: {self.interval(one)} ends before {self.interval(two)} begins",
            false=f"{operator} wants the one to end before the other begins: {both}",
        )

    def _concluded(self, block: TriplesBlock, mu: SolutionMapping) -> Iterator[Way]:
        """A basic graph pattern, some of whose triples rules have constructed."""
        for psi in self.agreeing([block], mu)[:1]:
            said, event = self.matched(block, psi), self.event(block, psi)
            made = frozenset(
                each for each in self.active.stream - self.given
                if psi.start <= each.start and each.end <= psi.end
                and any(_is(each, triple, psi.mapping) for triple in block.triples)
            )
            rules = dict.fromkeys(filter(None, map(self.applications, made)))
            yield Way(
                said, (*self.grounds(block, psi), *map(self.applied, rules)),
                None if made else event,
            )

    def constructed(self, mu: SolutionMapping, interval: tuple[int, int] | None) -> Goal:
        """That a rule constructs such a triple."""
        wanted = [
            each for each in self.active.stream
            if interval in (None, (each.start, each.end))
            and triple_mapping(each.triple).compatible(mu)
        ]
        for made in sorted(wanted, key=lambda each: each.end):
            applications = self.applications(made)
            if applications:
                return self.applied(applications)
        return Goal(lambda: [
            Way("", (self.group(rule.where, EMPTY_MAPPING), checked(
                False, false=f"rule {number} constructs other triples, or over other intervals"
            ))) for number, rule in enumerate(self.query.rules, start=1)
        ])

    def applications(self, made: Occurrence) -> tuple[tuple[int, Timed], ...]:
        """The rules that construct an occurrence, each with the solution from which it does; none
        where the schema of the background concludes it."""
        return tuple(
            (number, psi) for number, rule in enumerate(self.query.rules)
            for psi in self.agreeing(rule.where.elements, EMPTY_MAPPING)
            if (psi.start, psi.end) == (made.start, made.end)
            and made.triple in {*self.rules.instances(number, psi)}
        )

    def applied(self, applications: Iterable[tuple[int, Timed]]) -> Goal:
        """That one of these rules has its solution without what it constructs itself."""
        def ways() -> Iterator[Way]:
            for number, psi in applications:
                triples = list(self.rules.instances(number, psi))
                made = {Occurrence(triple, psi.start, psi.end) for triple in triples}
                # The same stream with less in it: no rule is applied again.
                earlier = copy(self)
                earlier.active = replace(
                    self.active, stream=self.active.stream - (made - self.given)
                )
                where = self.query.rules[number].where
                body = earlier.group(
                    where, psi.mapping, lambda found, psi=psi: found == psi  # type: ignore[misc]
                )
                shown = " . ".join(" ".join(map(self.words.term, each)) for each in triples)
                yield Way(
                    f"Rule {number + 1} constructs {shown} over {self.interval(psi)}", (body,)
                )

        return Goal(ways)


def _is(made: Occurrence, triple: object, mu: SolutionMapping) -> bool:
    """Whether an occurrence is what a triple pattern has matched."""
    parts = (getattr(triple, name) for name in ("subject", "predicate", "object"))
    return all(
        mu.get(part, term) == term if isinstance(part, Variable) else
        isinstance(part, BNode) or not isinstance(part, URIRef) or part == term
        for part, term in zip(parts, made.triple, strict=True)
    )


EXPLAINER = EpsparqlExplainer
