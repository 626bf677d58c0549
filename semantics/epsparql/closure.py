"""CONSTRUCT rules and the closure clos_Q(S) of a stream under them (section 4.2).

The closure is the smallest set that includes S and, for every rule q, Ψ_q(Pq), the occurrences that
q constructs from its solutions over that set. Where rules ask for absence there may be no smallest
one (EPS-12): stratified.py says which it is then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.terms import Graph, Term, Triple
from .algebra import translate
from .background import with_conclusions
from .denotation import Active, evaluate
from .intervals import NEVER, Timed
from .occurrences import Occurrence, RdfStream
from .syntax.stratification import beyond, unbounded
from .syntax.tree import Rule


@dataclass
class Closure:
    """Applies rules; keeps which blank node a rule has made for which solution."""

    active: Active
    schema: Graph
    rules: tuple[Rule, ...]
    made: dict[tuple[int, BNode, Timed], BNode] = field(default_factory=dict)

    def least(self, stream: RdfStream, rules: Sequence[int], t: float = NEVER) -> RdfStream:
        """The least set that includes S and all Ψ_q(Pq) over it; t is the instant at which they
        construct, if it is one"""
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
