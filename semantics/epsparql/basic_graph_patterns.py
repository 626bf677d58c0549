"""BGP( list of triples ), over all choices of occurrences (section 4.2)."""

from __future__ import annotations

from typing import NamedTuple

from rdflib.term import URIRef, Variable

from ..model.mappings import SolutionMapping
from ..rdf import algebra as a
from ..rdf.evaluation import matched
from .intervals import EMPTY, Timed
from .occurrences import RdfStream
from .paths import walks
from .syntax.readings import Occurrences


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
    """The occurrences that a triple pattern can stand for, or the walks along its path."""
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
