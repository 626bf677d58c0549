"""CONSTRUCT rules and the closure clos_Q(S) of a stream under them (section 4.2).

The closure is the smallest set that includes S and, for every rule q, Ψ_q(Pq), the occurrences that
q constructs from its solutions over that set. Where rules ask for absence there may be no smallest
one (EPS-12); what is computed is the stratified one, stratum by stratum, and for rules that are
timewise monotone instant by instant: what they construct ends when the solution does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.terms import Graph, Term, Triple
from .algebra import translate
from .background import with_conclusions
from .evaluation import Active, evaluate
from .intervals import NEVER, Timed
from .occurrences import Occurrence, RdfStream
from .syntax.bounds import beyond, unbounded
from .syntax.strata import Stratum
from .syntax.tree import Rule


@dataclass
class Closure:
    """Applies rules; keeps which blank node a rule has made for which solution."""

    active: Active
    schema: Graph
    rules: tuple[Rule, ...]
    made: dict[tuple[int, BNode, Timed], BNode] = field(default_factory=dict)

    def of(self, stream: RdfStream, strata: list[Stratum]) -> RdfStream:
        """clos_Q(S), with what the background's schema concludes from each occurrence"""
        closed = with_conclusions(stream, self.schema)
        for stratum in strata:
            if stratum.timewise:
                closed = self.instant_by_instant(closed, stratum)
            else:
                closed = self.at_the_end(closed, stratum)
        return closed

    def at_the_end(self, stream: RdfStream, stratum: Stratum) -> RdfStream:
        """The closure under rules that look at the whole stream"""
        closed, rounds = stream, 0
        while True:
            new = self.step(closed, stratum)
            if not new:
                return closed
            closed = closed | new
            if not stratum.recursive:
                return closed
            rounds += 1
            if beyond(rounds, len(closed) - len(stream)):
                raise unbounded(self.rules[stratum.rules[0]], NEVER, self.active.kind)

    def step(
        self, closed: RdfStream, stratum: Stratum, ending: float | None = None
    ) -> RdfStream:
        """What the rules construct once and is new, with what follows from it by the schema"""
        made: RdfStream = frozenset().union(
            *(self.constructed(i, closed, ending) for i in stratum.rules)
        )
        return with_conclusions(made, self.schema) - closed

    def instant_by_instant(self, stream: RdfStream, stratum: Stratum) -> RdfStream:
        """The closure under rules that construct, from what has ended by t, what ends by t."""
        closed: RdfStream = frozenset()
        for t in sorted({occurrence.end for occurrence in stream}):
            closed = closed | {occurrence for occurrence in stream if occurrence.end == t}
            before, rounds = len(closed), 0
            while True:
                new = self.step(closed, stratum, t)
                if not new:
                    break
                rounds += 1
                closed = closed | new
                if beyond(rounds, len(closed) - before):
                    raise unbounded(self.rules[stratum.rules[0]], t, self.active.kind)
        return closed

    def constructed(
        self, i: int, stream: RdfStream, ending: float | None = None
    ) -> RdfStream:
        """Ψ_q(Pq): ⟨⟨s, p, o⟩, t, t'⟩ such that a solution ⟨μ, t, t'⟩ binds all variables of the
        template, and ⟨s, p, o⟩ ∈ μ(template); those that end at an instant, where one is given"""
        rule = self.rules[i]
        omega = evaluate(translate(rule.where), replace(self.active, stream=stream))
        return frozenset(
            Occurrence(triple, psi.start, psi.end)
            for psi in dict.fromkeys(omega)
            if ending is None or psi.end in (ending, NEVER)
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


