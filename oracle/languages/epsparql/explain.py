"""Explanations of EP-SPARQL solutions, over the stream closed under its rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, filterfalse, product

from rdflib.term import Literal, URIRef, Variable

from ....semantics.epsparql.algebra import translate
from ....semantics.epsparql.background import background
from ....semantics.epsparql.closure import Closure, stratified
from ....semantics.epsparql.denotation import Active, evaluate
from ....semantics.epsparql.intervals import NEVER, Timed
from ....semantics.epsparql.occurrences import Occurrence, RdfStream, occurrences, timeless
from ....semantics.epsparql.syntax.analysis import inferable, queried
from ....semantics.epsparql.syntax.stratification import strata
from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Form, Operator, TemporalPattern
from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.items import TimeKind
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ....semantics.model.terms import Triple
from ....semantics.rdf.expressions.context import Execution
from ....semantics.rdf.syntax.tree import Element, GroupGraphPattern, TriplePattern, TriplesBlock
from ....semantics.rdf.syntax.variables import possible_variables
from ....semantics.streams.merging import merge_intervals
from ...cases.case import Case
from ...explanations.derivations import Event, Goal, Premise, Step, Way, check
from ...explanations.explainer import IntervalExplainer, RequestedRow, comparable
from ...explanations.patterns import Patterns
from ...explanations.triples import rests_on
from ...explanations.wording import Words
from ..interval_solutions import triple_mapping


@dataclass
class RecordedClosure(Closure):
    """The closure, with the stream over which rules first constructed each occurrence.

    Derivations over that stream use only earlier occurrences, so that no derivation is cyclic.
    """

    before: dict[Occurrence, RdfStream] = field(default_factory=dict)

    def step(self, closed: RdfStream, rules: Sequence[int]) -> RdfStream:
        new = super().step(closed, rules)
        for each in new:
            self.before.setdefault(each, closed)
        return new

    def age(self, occurrence: Occurrence) -> int:
        """Return the number of earlier occurrences; 0 for an occurrence of the input."""
        return len(self.before.get(occurrence, ()))


def choose(
    patterns: Iterable[TriplePattern], psi: Timed, stream: RdfStream, closure: RecordedClosure
) -> list[Occurrence]:
    """Return an occurrence for each triple pattern that together span a solution's interval.

    The choice prefers old occurrences: input, or results of few rules.
    """
    inside = sorted(
        (each for each in stream if psi.start <= each.start and each.end <= psi.end),
        key=lambda each: (closure.age(each), each.start, each.end, str(each.triple)),
    )
    fitting = [[each for each in inside if _matches(each, t, psi.mapping)] for t in patterns]
    fitting = [found for found in fitting if found]
    oldest = [found[0] for found in fitting]
    spanning: list[list[Occurrence]] = []
    places = range(len(fitting))
    for i, j in product(places, places):
        # Two occurrences reach the ends, or one reaches both.
        first = _first(fitting[i], psi.start, psi.end if i == j else None)
        last = first if i == j else _first(fitting[j], None, psi.end)
        if first is not None and last is not None:
            other = {i: first, j: last}
            spanning.append([other.get(place, each) for place, each in enumerate(oldest)])
    best = min(spanning, key=lambda each: sum(map(closure.age, {*each})), default=oldest)
    return list(dict.fromkeys(best))


def _first(
    found: Iterable[Occurrence], start: float | None, end: float | None
) -> Occurrence | None:
    """Return the first occurrence with this start and end; None is any time."""
    return next(
        (each for each in found if start in (None, each.start) and end in (None, each.end)), None
    )


def _matches(made: Occurrence, pattern: TriplePattern, mu: SolutionMapping) -> bool:
    """Return whether an occurrence matches a triple pattern with μ."""
    parts = pattern.subject, pattern.predicate, pattern.object
    return all(
        mu.get(part, term) == term if isinstance(part, Variable) else
        part == term if isinstance(part, URIRef | Literal) else True
        for part, term in zip(parts, made.triple, strict=True)
    )


_MANDATORY = {
    Operator.OPTIONALSEQ: 1, Operator.EQUALSOPTIONAL: 0, Operator.SEQOPTIONAL: 0,
}
"""The mandatory operand of each operator with an optional operand."""
_SIMULTANEOUS = frozenset({Operator.EQUALS, Operator.EQUALSOPTIONAL})


class ClosedStream(Patterns[Timed]):
    """The rules of a query's patterns over the stream and the results of its rules."""

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
        self.rules = RecordedClosure(active, known.schema, self.query.rules)
        self.derivations: dict[Occurrence, Goal] = {}
        layers = strata(self.query.rules, case.readings.leftjoin, inferable(known.schema))
        self.active = replace(active, stream=stratified(self.rules, active.stream, layers))

    def where(self, mu: SolutionMapping, interval: tuple[int, int] | None) -> Goal:
        """Return the goal of a compatible solution of the WHERE clause over an interval."""
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

    def match_text(self, element: Element, found: Timed) -> str:
        text, when = self.words.text(element), self.over(found)
        shown = self.words.mapping(found.mapping)
        return f"{text} holds{when or ' always'}" + f", with {shown}" * bool(found.mapping)

    def grounds(self, element: Element, found: Timed) -> Iterator[Step]:
        """Yield the matching triples of each triple pattern, with their intervals."""
        if not isinstance(element, TriplesBlock):
            return
        # Triples at the solution's own instants first, background triples last.
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
            yield Step(f"{pattern} matches {', '.join(held)}", detail=True)

    def when(self, triple: Triple, there: Iterable[Occurrence]) -> str:
        """Return the intervals of a triple; "" for a triple of the background."""
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

    def language_rule(
        self, element: Element, mu: SolutionMapping, whole: Timed | None = None
    ) -> Goal | None:
        if isinstance(element, TemporalPattern):
            return Goal(lambda: self._temporal(element, mu, whole))
        if isinstance(element, TriplesBlock) and self.query.rules:
            return Goal(lambda: self._block(element, mu, whole), self.no_match_text(element))
        return None

    def within(self, found: list[Timed], whole: Timed | None) -> list[Timed]:
        """Return the solutions over the interval of the group's solution, or else inside it."""
        if whole is None:
            return found
        same = [psi for psi in found if (psi.start, psi.end) == (whole.start, whole.end)]
        inside = [psi for psi in found if whole.start <= psi.start and psi.end <= whole.end]
        return same or inside or found

    def _temporal(
        self, pattern: TemporalPattern, mu: SolutionMapping, whole: Timed | None
    ) -> Iterator[Way]:
        """Yield pairs of solutions of the operands, in order or over one interval."""
        operator, mandatory = pattern.operator, _MANDATORY.get(pattern.operator)
        left, right = sides = pattern.alternatives
        wanted = {*self.within(self.compatible([pattern], mu), whole)}
        found = lefts, rights = [self.compatible(side.elements, mu) for side in sides]

        def is_wanted(pair: tuple[Timed, Timed]) -> bool:
            one, two = pair
            return one.compatible(two) and one.combined(two) in wanted

        # There may be more than MAX_WAYS pairs: pairs with a wanted result come first.
        pairs = chain(
            filter(is_wanted, product(lefts, rights)),
            filterfalse(is_wanted, product(lefts, rights)),
        )
        for one, two in pairs if all(found) else ():
            yield Way("", (
                self._side(left, one), self._side(right, two),
                check(one.compatible(two), false="incompatible bindings:"
                      f" {self.words.differing(one.mapping, two.mapping)}"),
                self._order(operator, one, two),
                check(one.combined(two) in wanted, false=f"{operator} has another solution"),
            ))
        if mandatory is not None:
            for psi in found[mandatory]:
                yield Way("", (self._side(sides[mandatory], psi), check(
                    psi in wanted, true=f"{operator} adds no bindings",
                    false=f"the optional part of {self.words.text(pattern)} leads to another"
                    " solution",
                )))
            if not found[mandatory]:
                yield Way("", (self.group(sides[mandatory], mu),))
        elif not all(found):
            yield Way("", (self.group(left, mu), self.group(right, mu)))

    def _side(self, group: GroupGraphPattern, psi: Timed) -> Goal:
        return self.group(group, psi.mapping, lambda found: found == psi)

    def _order(self, operator: Operator, one: Timed, two: Timed) -> Premise:
        both = f"{self.interval(one)} and {self.interval(two)}"
        if operator in _SIMULTANEOUS:
            return check(
                (one.start, one.end) == (two.start, two.end),
                true=f"{operator}: both operands hold over {self.interval(one)}",
                false=f"{operator} requires both operands over one interval, not {both}",
            )
        return check(
            one.end < two.start,
            true=f"{operator}: {self.interval(one)} ends before {self.interval(two)} starts",
            false=f"{operator} requires the first operand to end before the second starts: {both}",
        )

    def _block(
        self, block: TriplesBlock, mu: SolutionMapping, whole: Timed | None
    ) -> Iterator[Way]:
        """Yield a match of a basic graph pattern, with the rules that constructed its triples."""
        for psi in self.within(self.compatible([block], mu), whole)[:1]:
            text, event = self.match_text(block, psi), self.event(block, psi)
            rests = choose(block.triples, psi, self.active.stream, self.rules)
            made = [each for each in rests if each in self.rules.before]
            derived = [self.derivation(each) for each in made if self.applications(each)]
            yield Way(text, (*self.grounds(block, psi), *derived), None if made else event)

    def construction(self, mu: SolutionMapping, interval: tuple[int, int] | None) -> Goal:
        """Return the goal of a triple that a rule constructs."""
        wanted = [
            each for each in self.active.stream
            if interval in (None, (each.start, each.end))
            and triple_mapping(each.triple).compatible(mu)
        ]
        for made in sorted(wanted, key=lambda each: each.end):
            if self.applications(made):
                return self.derivation(made)
        return Goal(lambda: [
            Way("", (self.group(rule.where, EMPTY_MAPPING), check(
                False, false=f"rule {number} constructs other triples, or over other intervals"
            ))) for number, rule in enumerate(self.query.rules, start=1)
        ])

    def applications(self, made: Occurrence) -> list[tuple[int, Timed]]:
        """Return the rules that construct an occurrence, each with the solution of its body.

        The list is empty for an occurrence of the input or of an RDFS rule."""
        earlier = self.earlier(made)
        return [
            (number, psi) for number, rule in enumerate(self.query.rules)
            for psi in earlier.compatible(rule.where.elements, EMPTY_MAPPING)
            if (psi.start, psi.end) == (made.start, made.end)
            and made.triple in {*self.rules.instances(number, psi)}
        ]

    def earlier(self, made: Occurrence) -> ClosedStream:
        """Return the rules over the stream from which rules first constructed an occurrence.

        For an occurrence of the input, it is the whole stream.
        """
        earlier = copy(self)
        stream = self.rules.before.get(made, self.active.stream)
        earlier.active = replace(self.active, stream=stream)
        return earlier

    def derivation(self, made: Occurrence) -> Goal:
        """Return the goal of a rule that constructs an occurrence from earlier ones."""
        def ways() -> Iterator[Way]:
            earlier = self.earlier(made)
            for number, psi in self.applications(made):
                body = earlier.group(
                    self.query.rules[number].where, psi.mapping,
                    lambda found, psi=psi: found == psi,  # type: ignore[misc]
                )
                triples = self.rules.instances(number, psi)
                shown = " . ".join(" ".join(map(self.words.term, each)) for each in triples)
                yield Way(
                    f"Rule {number + 1} constructs {shown} over {self.interval(psi)}", (body,)
                )

        return self.derivations.setdefault(made, Goal(ways))


class EpsparqlExplainer(IntervalExplainer):
    """The explainer of one case's solutions."""

    @cached_property
    def patterns(self) -> ClosedStream:
        return ClosedStream(self.words, self.case)

    def presence(self, number: int) -> Goal:
        result = self.results[number - 1]
        if isinstance(result, bool):
            return self.patterns.where(EMPTY_MAPPING, None)
        assert isinstance(result, IntervalSolution)
        return self.solution(result.mapping, result.interval, exact=True)

    def absence(self, request: RequestedRow) -> Goal:
        mu, interval = comparable(request.mu), request.when.get("interval")
        policy = self.case.readings.policy
        why = "the query form or a solution modifier changes it"
        if policy != "unrestricted":
            why = f"policy={policy} detects only some of the matches"

        def premises() -> Iterator[Premise]:
            if "boolean" in request.when:
                yield self.patterns.where(EMPTY_MAPPING, None)
            else:
                yield self.solution(mu, interval, exact=False)
            yield check(False, false=f"WHERE returns a compatible solution: {why}")

        return Goal(lambda: [Way("", premises())])

    def solution(
        self, mu: SolutionMapping, interval: tuple[int, int] | None, *, exact: bool
    ) -> Goal:
        """Return the goal of a solution of WHERE or of a rule."""
        query: EpsparqlQuery = self.case.tree
        if query.form is Form.DESCRIBE:
            named = " and ".join(map(self.words.term, query.described))
            about = [Way(f"DESCRIBE names {named} (SPARQL 16.4)")]
            return Goal(lambda: [
                Way("DESCRIBE describes the solutions of WHERE (SPARQL 16.4)",
                    (self.patterns.where(EMPTY_MAPPING, None),)),
                *(about if named else ()),
            ])
        # Each evaluation constructs other blank nodes.
        known = comparable(mu)
        if query.select is None:
            return self.patterns.construction(known, interval)
        scope = possible_variables(query.select.where)
        candidates = [(mu, interval), (known, interval)]
        if exact:  # an aggregate spans all the solutions of its group
            candidates.append((known, None))
        goals = [self.patterns.where(each.project(scope), when) for each, when in candidates]
        return next((goal for goal in goals if goal.proof.holds), goals[0])


EXPLAINER = EpsparqlExplainer
