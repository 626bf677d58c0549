"""Shrinking SPAseq cases: which simplifications there are and in which order they are tried."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from ..spaseq_case import SpaseqCase
from .affirming import affirmed
from .data import fewer_events, fewer_triples, integer_times, plainer_times
from .greedy import Descent
from .measure import measure
from .queries import fewer_streams, plainer_settings, smaller_bodies, smaller_sequences
from .tidying import TIDYING
from .vocabulary import plainer_paths, plainer_terms, plainer_variables

PASSES: tuple[Callable[[SpaseqCase], Iterator[SpaseqCase]], ...] = (
    smaller_sequences,
    affirmed,
    fewer_events,
    integer_times,
    smaller_bodies,
    fewer_triples,
    fewer_streams,
    plainer_settings,
    plainer_paths,
    plainer_variables,
    plainer_terms,
    plainer_times,
)

def shrink_spaseq(
    case: SpaseqCase, fails: Callable[[SpaseqCase], bool], *, limit: int = 10_000
) -> SpaseqCase:
    """The simplest case found that `fails` still, after at most `limit` calls of `fails`.

    `fails(case)` must be true of the case itself and depend on nothing but the case.
    """
    descent = Descent(fails, passes=PASSES, measure=measure, identity=identity, limit=limit)
    simplest = descent.from_value(case)
    for tidy in TIDYING:
        tidied = tidy(simplest)
        if identity(tidied) != identity(simplest) and fails(tidied):
            simplest = tidied
    return simplest


def identity(case: SpaseqCase) -> Hashable:
    """A value that two cases share iff they are the same case."""
    return (
        case.query, frozenset(case.streams.items()), frozenset(case.kb.items()), case.readings,
        case.start,
    )
