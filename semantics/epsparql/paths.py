"""Property paths over occurrences: SPARQL 1.1's (18.4), with the interval of what is walked.

A pair of ends spans the occurrences on the way between them, as a basic graph pattern would that
writes the way out. A zero-length path spans the occurrences that its node stands in; at a term that
the query gives it has no time. As in SPARQL the arbitrary-length paths return sets, here of ends
and intervals, where ends that are joined without time need no interval beside; the others count how
often they were found, by different nodes on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..model.terms import Term, URIRef
from ..rdf.syntax import tree as s
from .intervals import NEVER
from .occurrences import Occurrence, RdfStream


@dataclass(frozen=True, slots=True)
class Walk:
    """A pair of ends, the interval between them, and which way it went (for the multiplicity)."""

    x: Term
    y: Term
    start: float
    end: float
    way: object = None

    def then(self, other: Walk) -> Walk:
        """This walk, and from its end the other"""
        return Walk(
            self.x, other.y, min(self.start, other.start), max(self.end, other.end),
            (self.y, self.way, other.way),
        )

    def without_way(self) -> Walk:
        """As one of a set of ends and intervals"""
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
    """X P / Q Y: Join(X P ?v, ?v Q Y) with a fresh variable v; from the last step to the first"""
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
    """X !(iri1|…|^iri2|…) Y"""
    for occurrence in stream:
        predicate = occurrence.triple[1]
        if (forward or not inverse) and predicate not in forward:
            yield replace(_along(occurrence), way=predicate)
        if inverse and predicate not in inverse:
            yield _against(occurrence)


def _zero_length(stream: RdfStream, x: Term | None, y: Term | None) -> set[Walk]:
    """X path{0} Y"""
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
    """X path+ Y"""
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
    """Without walks that take time between ends that are joined without time as well"""
    timeless = {(walk.x, walk.y) for walk in found if walk.end == NEVER}
    return {walk for walk in found if walk.end == NEVER or (walk.x, walk.y) not in timeless}
