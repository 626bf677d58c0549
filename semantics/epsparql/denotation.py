"""The semantics of a pattern over a stream: the algebra of section 4.2, and the rest of SPARQL 1.1.

A bag of solutions Ψ is a list. Where SPARQL 1.1 has an operator that the paper does not speak of,
it works on the mappings as SPARQL says, and a solution keeps its interval; an aggregate spans all
solutions of its group.

BGP is over all choices of occurrences. Property paths are SPARQL 1.1's (18.4), over occurrences: a
pair of ends spans the occurrences on the way between them, as a basic graph pattern would that
writes the way out. A zero-length path spans the occurrences that its node stands in; at a term that
the query gives it has no time. As in SPARQL the arbitrary-length paths return sets, here of ends
and intervals, where ends that are joined without time need no interval beside; the others count how
often they were found, by different nodes on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from rdflib.term import URIRef, Variable

from ..model.items import TimeKind
from ..model.mappings import EMPTY_MAPPING, SolutionMapping
from ..model.terms import Term
from ..rdf import algebra as a
from ..rdf.evaluation import matched
from ..rdf.expressions.context import Context, Execution
from ..rdf.expressions.evaluation import is_true
from ..rdf.syntax import tree as s
from .algebra import (
    Algebra,
    EqJoin,
    EqLeftJoin,
    Given,
    SeqJoin,
    SeqLeftJoin,
    SeqRightJoin,
    translate,
)
from .intervals import EMPTY, NEVER, Timed, reading
from .modifiers import aggregate_join, extended, in_sequence, order_by
from .occurrences import Occurrence, RdfStream
from .operators import (
    Bag,
    Condition,
    after,
    before,
    eq_join,
    eq_left_join,
    join,
    left_join,
    left_join_closed,
    left_join_paper,
    minus,
    selected,
    seq_join,
    seq_right_join,
    seq_right_join_paper,
    union,
)
from .syntax.readings import Occurrences, Readings


@dataclass(frozen=True, slots=True)
class Walk:
    """A pair of ends, the interval between them, and which way it went (for the multiplicity)."""

    x: Term
    y: Term
    start: float
    end: float
    way: object = None

    def then(self, other: Walk) -> Walk:
        """This walk, and from its end the other."""
        return Walk(
            self.x, other.y, min(self.start, other.start), max(self.end, other.end),
            (self.y, self.way, other.way),
        )

    def without_way(self) -> Walk:
        """As one of a set of ends and intervals."""
        return Walk(self.x, self.y, self.start, self.end)


@lru_cache(maxsize=1024)  # a closure asks its inner path from each node, again at each depth
def walks(
    stream: RdfStream, path: s.Path, x: Term | None, y: Term | None
) -> tuple[Walk, ...]:
    """⟦Path(X, path, Y)⟧; an end that the query gives is a term, a variable is None."""
    return tuple(
        walk for walk in _walks(stream, path, x, y)
        if x in (None, walk.x) and y in (None, walk.y)
    )


def _walks(
    stream: RdfStream, path: s.Path, x: Term | None, y: Term | None
) -> Iterator[Walk]:
    match path:
        case URIRef():
            yield from (_along(o) for o in stream if o.triple[1] == path)
        case s.InversePath(inner):
            yield from (
                Walk(w.y, w.x, w.start, w.end, w.way) for w in walks(stream, inner, y, x)
            )
        case s.SequencePath(steps):
            yield from _sequence(stream, steps, x, y)
        case s.AlternativePath(alternatives):
            for i, inner in enumerate(alternatives):
                for w in walks(stream, inner, x, y):
                    yield Walk(w.x, w.y, w.start, w.end, (i, w.way))
        case s.NegatedPropertySet(forward, inverse):
            yield from _negated_property_set(stream, forward, inverse)
        case s.ZeroOrOnePath(inner):
            once = {walk.without_way() for walk in walks(stream, inner, x, y)}
            yield from _needed(_zero_length(stream, x, y) | once)
        case s.ZeroOrMorePath(inner):
            yield from _needed(
                _zero_length(stream, x, y) | _one_or_more(stream, inner, x, y)
            )
        case s.OneOrMorePath(inner):
            yield from _needed(_one_or_more(stream, inner, x, y))


def _along(occurrence: Occurrence) -> Walk:
    subject, _, object_ = occurrence.triple
    return Walk(subject, object_, occurrence.start, occurrence.end)


def _against(occurrence: Occurrence) -> Walk:
    subject, _, object_ = occurrence.triple
    return Walk(object_, subject, occurrence.start, occurrence.end, ("^", occurrence.triple[1]))


def _sequence(
    stream: RdfStream, steps: tuple[s.Path, ...], x: Term | None, y: Term | None
) -> Iterator[Walk]:
    """X P / Q Y: Join(X P ?v, ?v Q Y) with a fresh variable v; from the last step to the first."""
    starts = (x, *(None for _ in steps[1:]))
    ends = (*(None for _ in steps[1:]), y)
    found: Sequence[Walk] | None = None
    for start, step, end in reversed(list(zip(starts, steps, ends, strict=True))):
        one = walks(stream, step, start, end)
        found = one if found is None else [
            first.then(last) for first in one for last in found if first.y == last.x
        ]
    yield from found or ()


def _negated_property_set(
    stream: RdfStream, forward: tuple[URIRef, ...], inverse: tuple[URIRef, ...]
) -> Iterator[Walk]:
    """X !(iri1|…|^iri2|…) Y."""
    for occurrence in stream:
        predicate = occurrence.triple[1]
        if (forward or not inverse) and predicate not in forward:
            yield replace(_along(occurrence), way=predicate)
        if inverse and predicate not in inverse:
            yield _against(occurrence)


def _zero_length(stream: RdfStream, x: Term | None, y: Term | None) -> set[Walk]:
    """X path{0} Y."""
    given = x if x is not None else y
    if given is not None:
        return {Walk(given, given, math.inf, -math.inf)} if y in (None, given) else set()
    return {
        Walk(node, node, occurrence.start, occurrence.end)
        for occurrence in stream
        for node in (occurrence.triple[0], occurrence.triple[2])
    }


def _one_or_more(
    stream: RdfStream, path: s.Path, x: Term | None, y: Term | None
) -> set[Walk]:
    """X path+ Y."""
    if x is None and y is not None:
        backwards = _from(stream, s.InversePath(path), y)
        return {Walk(walk.y, walk.x, walk.start, walk.end) for walk in backwards}
    if x is not None:
        return _from(stream, path, x)
    still = _zero_length(stream, None, None)
    found = {walk for node in {walk.x for walk in still} for walk in _from(stream, path, node)}
    # Zero steps of zero length at a variable's value are as that value occurs, not without time.
    standing = {walk for walk in found if walk.end == NEVER and walk.x == walk.y}
    nodes = {walk.x for walk in standing}
    return (found - standing) | {walk for walk in still if walk.x in nodes}


def _from(stream: RdfStream, path: s.Path, start: Term) -> set[Walk]:
    """ALP: the walks of one or more steps from a term, each end and interval visited once."""
    found: set[Walk] = set()
    frontier = [Walk(start, start, math.inf, -math.inf)]
    while frontier:
        walk = frontier.pop()
        for step in walks(stream, path, walk.y, None):
            further = walk.then(step).without_way()
            if further not in found:
                found.add(further)
                frontier.append(further)
    return found


def _needed(found: set[Walk]) -> set[Walk]:
    """Without walks that take time between ends that are joined without time as well."""
    timeless = {(walk.x, walk.y) for walk in found if walk.end == NEVER}
    return {walk for walk in found if walk.end == NEVER or (walk.x, walk.y) not in timeless}


class Choice(NamedTuple):
    """⟨μ, tα, tω⟩ of the occurrences chosen for some triples, and the ways that paths took."""

    psi: Timed
    ways: tuple[object, ...] = ()


def basic_graph_pattern(
    bgp: a.BGP, stream: RdfStream, outer: SolutionMapping, reading: Occurrences
) -> list[Timed]:
    """⟨μ, tα, tω⟩ such that there are occurrences of all triples of μ(BGP), tα the first of their
    starts and tω the last of their ends.

    It is one solution for each μ (and each assignment of blank nodes) and interval, or with
    `occurrences=each` one for each choice. What `outer` binds restricts μ (within EXISTS).
    """
    choices = [Choice(EMPTY)]
    for triple in bgp.triples:
        further = triple_pattern(triple, stream)
        choices = [
            Choice(one.psi.combined(other.psi), one.ways + other.ways)
            for one in choices
            for other in further
            if one.psi.compatible(other.psi)
        ]
        if reading == "some":
            choices = list(dict.fromkeys(choices))
    return [
        psi.with_mapping(psi.mapping.without(bgp.blank))
        for psi, _ in choices
        if psi.mapping.compatible(outer)
    ]


def triple_pattern(triple: a.TriplePath, stream: RdfStream) -> list[Choice]:
    """Return the occurrences that a triple pattern can stand for, or the walks along its path."""
    subject, path, object_ = triple.subject, triple.path, triple.object
    if isinstance(path, URIRef | Variable):
        return [
            Choice(Timed(mu, each.start, each.end))
            for each in stream
            if (mu := matched((subject, path, object_), each.triple)) is not None
        ]
    x = None if isinstance(subject, Variable) else subject
    y = None if isinstance(object_, Variable) else object_
    return [
        Choice(Timed(mu, walk.start, walk.end), (walk.way,))
        for walk in walks(stream, path, x, y)
        if (mu := matched((subject, object_), (walk.x, walk.y))) is not None
    ]


@dataclass(frozen=True, slots=True)
class Active:
    """S and what else a pattern is evaluated over, in one execution of a query.

    `named` are the background graphs that GRAPH names, without time. `outer` is the solution that
    EXISTS is asked about, else empty.
    """

    stream: RdfStream
    named: Mapping[URIRef, RdfStream]
    kind: TimeKind
    readings: Readings
    execution: Execution = field(default_factory=Execution)
    outer: SolutionMapping = EMPTY_MAPPING

    def context(self) -> Context:
        """Return the context of expressions, for one solution."""
        return Context(self.execution, self.exists)

    def exists(self, pattern: s.GroupGraphPattern, mu: SolutionMapping) -> bool:
        """18.6, exists(P): has P, with μ substituted, a solution, over whichever interval?"""
        within = replace(self, outer=self.seen(mu))
        found = evaluate(translate(pattern), within)
        return any(within.outer.compatible(inner.mapping) for inner in found)

    def seen(self, mu: SolutionMapping) -> SolutionMapping:
        """μ, completed by what it does not bind of the outer solution"""
        return SolutionMapping({**self.outer, **mu}) if self.outer else mu

    def condition(self, F: s.Expression | None) -> Condition:
        """(μ ⋈ μ')(σ(F)) = true; σ reads the interval of ψ', or as printed (`optionalfilter=paper`)
        that of ψ. No F is true."""
        if F is None:
            return lambda psi, other: True
        printed = self.readings.optionalfilter == "paper"

        def true(psi: Timed, other: Timed) -> bool:
            mu = psi.mapping if other is psi else psi.mapping.merge(other.mapping)
            sigma = reading(F, psi if printed else other, self.kind)
            return is_true(sigma, self.seen(mu), self.context())

        return true


LEFT_JOINS = {"default": left_join, "paper": left_join_paper, "closed": left_join_closed}
"""LeftJoin, by the reading `leftjoin`"""

SEQ_RIGHT_JOINS = {"group": seq_right_join, "paper": seq_right_join_paper}
"""SeqRightJoin, by the reading `optionalfilter`"""


# One judgement: an arm an operator.
def evaluate(pattern: Algebra, active: Active) -> Bag:
    """Ψ of a pattern, operator by operator"""

    def value(inner: Algebra) -> Bag:
        return evaluate(inner, active)

    readings = active.readings

    def given(omega: Bag) -> Bag:
        """Ψ as section 4.2 has it, a set of solutions (`solutions=sets`), or as SPARQL's bag

        The operators of a pattern keep apart what is apart: multiplicities show in modifiers alone.
        """
        return omega if readings.solutions == "bags" else list(dict.fromkeys(omega))

    match pattern:
        case a.BGP():
            return basic_graph_pattern(pattern, active.stream, active.outer, readings.occurrences)
        case a.Filter(F, inner):
            return selected(active.condition(F), value(inner))
        case a.Join(left, right):
            return join(value(left), value(right))
        case a.Union(left, right):
            return union(value(left), value(right))
        case a.LeftJoin(left, right, F):
            return LEFT_JOINS[readings.leftjoin](value(left), value(right), active.condition(F))
        case a.Minus(left, right):
            return minus(value(left), value(right))
        case SeqJoin(left, right):
            return seq_join(value(left), value(right))
        case SeqRightJoin(optional, mandatory, F):
            return SEQ_RIGHT_JOINS[readings.optionalfilter](
                value(optional), value(mandatory), active.condition(F), after
            )
        case SeqLeftJoin(mandatory, optional, F):  # SEQOPTIONAL of query (7), hypothetical
            return SEQ_RIGHT_JOINS[readings.optionalfilter](
                value(optional), value(mandatory), active.condition(F), before
            )
        case EqJoin(left, right):
            return eq_join(value(left), value(right))
        case EqLeftJoin(mandatory, optional, F):
            return eq_left_join(value(mandatory), value(optional), active.condition(F))
        case Given(solutions):
            return list(solutions)
        case a.Graph(name, inner):
            return named_graph(name, inner, active)
        case a.Extend(inner, assignments):
            return [extended(psi, assignments, active) for psi in value(inner)]
        case a.Table(rows):
            return [Timed(mu) for mu in rows if mu.compatible(active.outer)]
        case a.AggregateJoin(keys, aggregates, inner):
            return aggregate_join(keys, aggregates, given(value(inner)), active)
        case a.OrderBy(inner, conditions):
            return order_by(in_sequence(given(value(inner))), conditions, active)
        case a.Project(inner, variables, visible):
            # What is not visible is another variable than the one outside.
            projected = replace(active, outer=active.outer.project(visible))
            return [
                psi.with_mapping(psi.mapping.project(variables))
                for psi in given(evaluate(inner, projected))
            ]
        case a.Distinct(inner):
            return list(dict.fromkeys(value(inner)))
        case a.Slice(inner, start, length):
            omega = value(inner) if _is_ordered(inner) else in_sequence(value(inner))
            return omega[start : None if length is None else start + length]
    raise AssertionError(f"no such operator: {pattern!r}")


# --- SPARQL 1.1's other operators ----------------------------------------------------------------


def named_graph(name: URIRef | Variable, pattern: Algebra, active: Active) -> Bag:
    """GRAPH name P: over a background graph, which has no time

    Within EXISTS, a variable may have a value already: then over the graph of that name.
    """
    if not isinstance(name, Variable):
        graph = active.named.get(name)
        return [] if graph is None else evaluate(pattern, replace(active, stream=graph))
    found: Bag = []
    for iri, graph in active.named.items():
        if active.outer.get(name, iri) != iri:
            continue
        omega = evaluate(pattern, replace(active, stream=graph))
        found += join(omega, [EMPTY.with_mapping(SolutionMapping({name: iri}))])
    return found


def _is_ordered(pattern: Algebra) -> bool:
    match pattern:
        case a.OrderBy():
            return True
        case a.Project(inner) | a.Distinct(inner):
            return _is_ordered(inner)
    return False
