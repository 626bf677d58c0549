"""CONSTRUCT rules and the closure clos_Q(S) of a stream under them (section 4.2).

The closure is the smallest set that includes S and, for every rule q, Ψ_q(Pq), the occurrences that
q constructs from its solutions over that set. Where rules ask for absence there may be no smallest
one (EPS-12): then it is the stratified closure, a ruling, made stratum by stratum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.errors import QueryError
from ..model.terms import Graph, Term, Triple
from .algebra import translate
from .background import with_conclusions
from .denotation import Active, evaluate
from .intervals import NEVER, Timed
from .occurrences import Occurrence, RdfStream
from .syntax.stratification import Stratum, beyond, unbounded
from .syntax.tree import Rule


@dataclass
class Closure:
    """Applies rules; keeps which blank node a rule has made for which solution."""

    active: Active
    schema: Graph
    rules: tuple[Rule, ...]
    made: dict[tuple[int, BNode, Timed], BNode] = field(default_factory=dict)

    def least(self, stream: RdfStream, rules: Sequence[int], t: float = NEVER) -> RdfStream:
        """Return the least set that includes S and all Ψ_q(Pq) over it; t is the instant at which
        they construct, if it is one"""
        closed, rounds = stream, 0
        while new := self.step(closed, rules):
            closed |= new
            rounds += 1
            if beyond(rounds, len(closed) - len(stream)):
                raise unbounded(self.rules[rules[0]], t, self.active.kind)
        return closed

    def step(self, closed: RdfStream, rules: Sequence[int]) -> RdfStream:
        """⋃ Ψ_q(Pq) over a set, and what follows from it by the schema, without the set"""
        made: RdfStream = frozenset().union(*(self.constructed(i, closed) for i in rules))
        return with_conclusions(made, self.schema) - closed

    def constructed(self, i: int, stream: RdfStream) -> RdfStream:
        """Ψ_q(Pq): ⟨⟨s, p, o⟩, t, t'⟩ such that a solution ⟨μ, t, t'⟩ binds all variables of the
        template, and ⟨s, p, o⟩ ∈ μ(template)"""
        rule = self.rules[i]
        omega = evaluate(translate(rule.where), replace(self.active, stream=stream))
        return frozenset(
            Occurrence(triple, psi.start, psi.end)
            for psi in dict.fromkeys(omega)
            for triple in self.instances(i, psi)
        )

    def instances(self, i: int, psi: Timed) -> Iterator[Triple]:
        """μ(template); a blank node is a new one for each solution."""
        template = self.rules[i].template
        parts = [part for t in template for part in (t.subject, t.predicate, t.object)]
        if any(isinstance(part, Variable) and part not in psi.mapping for part in parts):
            return
        for t in template:
            s, p, o = (self.instance(part, i, psi) for part in (t.subject, t.predicate, t.object))
            if isinstance(s, URIRef | BNode) and isinstance(p, URIRef):
                yield s, p, o

    def instance(self, part: object, i: int, psi: Timed) -> Term:
        """μ(part)"""
        if isinstance(part, BNode):
            return self.made.setdefault((i, part, psi), BNode())
        term = psi.mapping[part] if isinstance(part, Variable) else part
        assert isinstance(term, URIRef | BNode | Literal)
        return term


def stratified(closure: Closure, stream: RdfStream, strata: Iterable[Stratum]) -> RdfStream:
    """clos_Q(S), with what the background's schema concludes from each occurrence"""
    closed = with_conclusions(stream, closure.schema)
    for stratum in strata:
        if not (stratum.recursive or stratum.timewise):
            closed |= closure.step(closed, stratum.rules)
        elif not stratum.monotone:
            closed = instant_by_instant(closure, closed, stratum)
        else:
            try:
                closed = closure.least(closed, stratum.rules)
            except QueryError:
                if not stratum.timewise:
                    raise  # if it is, the bound is one instant's
                closed = instant_by_instant(closure, closed, stratum)
    return closed


def instant_by_instant(closure: Closure, stream: RdfStream, stratum: Stratum) -> RdfStream:
    """Return the closure under rules that construct, from what has ended by t, what ends by t: they
    may ask for the absence of what they have constructed earlier."""
    closed: RdfStream = frozenset()
    for t in sorted({each.end for each in stream}):
        at_t = {each for each in stream if each.end == t}
        closed = closure.least(closed | at_t, stratum.rules, t)
    return closed
