"""BGP( list of triples ), over all choices of occurrences (section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rdflib.term import URIRef, Variable

from ..model.mappings import SolutionMapping, Value
from ..model.terms import Term
from ..rdf import algebra as a
from .intervals import Timed
from .occurrences import RdfStream
from .paths import walks
from .syntax.readings import Occurrences

Bindings = dict[Variable, Value]


@dataclass(frozen=True, slots=True)
class _Choice:
    """μ so far, tα and tω of the occurrences chosen, and the ways that paths took."""

    bindings: Bindings
    start: float = math.inf
    end: float = -math.inf
    ways: tuple[object, ...] = ()

    def key(self) -> object:
        return frozenset(self.bindings.items()), self.start, self.end, self.ways


def basic_graph_pattern(
    bgp: a.BGP, stream: RdfStream, outer: SolutionMapping, reading: Occurrences
) -> list[Timed]:
    """⟨μ, tα, tω⟩ such that there are occurrences of all triples of μ(BGP), tα the first of their
    starts and tω the last of their ends.

    It is one solution for each μ (and each assignment of blank nodes) and interval, or with
    `occurrences=each` one for each choice. What `outer` binds restricts μ (within EXISTS).
    """
    mentioned = {
        part for t in bgp.triples for part in (t.subject, t.path, t.object)
        if isinstance(part, Variable)
    }
    choices = [_Choice({v: t for v, t in outer.items() if v in mentioned})]
    for triple in bgp.triples:
        choices = [
            further for choice in choices for further in _with_triple(choice, triple, stream)
        ]
        if reading == "some":
            choices = list({choice.key(): choice for choice in choices}.values())
    return [
        Timed(
            SolutionMapping({v: t for v, t in choice.bindings.items() if v not in bgp.blank}),
            choice.start,
            choice.end,
        )
        for choice in choices
    ]


def _with_triple(
    choice: _Choice, triple: a.TriplePath, stream: RdfStream
) -> Iterator[_Choice]:
    """The choice with each occurrence that the next triple pattern, or path, can stand for."""
    subject, path, object_ = triple.subject, triple.path, triple.object
    if not isinstance(path, URIRef | Variable):
        x = None if isinstance(subject, Variable) else subject
        y = None if isinstance(object_, Variable) else object_
        for walk in walks(stream, path, x, y):
            bindings = _matched(choice.bindings, ((subject, walk.x), (object_, walk.y)))
            if bindings is not None:
                yield _Choice(
                    bindings, min(choice.start, walk.start), max(choice.end, walk.end),
                    (*choice.ways, walk.way),
                )
        return
    patterns = (subject, path, object_)
    for occurrence in stream:
        bindings = _matched(choice.bindings, zip(patterns, occurrence.triple, strict=True))
        if bindings is not None:
            yield _Choice(
                bindings, min(choice.start, occurrence.start), max(choice.end, occurrence.end),
                choice.ways,
            )


def _matched(
    bindings: Bindings, places: Iterable[tuple[object, Term]]
) -> Bindings | None:
    """The bindings, extended so that each pattern term is the term at its place; else None."""
    extended = bindings
    for pattern, term in places:
        if not isinstance(pattern, Variable):
            if pattern != term:
                return None
        elif pattern in extended:
            if extended[pattern] != term:
                return None
        else:
            extended = {**extended, pattern: term}
    return extended
