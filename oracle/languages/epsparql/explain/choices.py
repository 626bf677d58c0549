"""Choices of the occurrences of a solution, preferring those that need few rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from rdflib.term import Literal, URIRef, Variable

from .....semantics.epsparql.closure import Closure
from .....semantics.epsparql.intervals import Timed
from .....semantics.epsparql.occurrences import Occurrence, RdfStream
from .....semantics.model.mappings import SolutionMapping
from .....semantics.rdf.syntax.tree import TriplePattern


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
