"""What an EP-SPARQL query returns (Anicic et al., section 4.2).

    ⟦Q⟧_S = the solutions of the SELECT over clos_Q(S)

a bag of ⟨μ, tα, tω⟩, projected and modified as by SPARQL. What has no time, since no occurrence
contributes to it, is no result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rdflib.term import URIRef

from ..rdf import algebra as a
from ..rdf.context import Execution
from ..rdf.mappings import SolutionMapping
from ..rdf.terms import Graph
from ..streams.interval_merging import IntervalItem, merge_intervals
from ..streams.interval_solutions import IntervalSolution
from ..streams.items import Item, TimeKind
from .algebra import Algebra, Given, translate_select
from .analysis import check_times, inferable, queried, refuse
from .background import Background, background
from .closure import Closure
from .evaluation import Active, in_sequence
from .evaluation import evaluate as evaluate_pattern
from .intervals import NEVER, Timed
from .occurrences import RdfStream, occurrences, timeless
from .readings import Readings
from .results import CONSTRUCTED
from .strata import strata
from .syntax import EpsparqlQuery

_DEFAULT = Readings()


def evaluate(
    query: EpsparqlQuery,
    streams: Mapping[URIRef, Iterable[Item]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings = _DEFAULT,
) -> list[IntervalSolution]:
    """The bag of solutions of a query over streams and background graphs, by end, then start.

    Of the streams, the query's FROM STREAM clauses choose; without one there must be no more than
    one stream. Raises QueryError, StreamError and ReadingError.
    """
    omega = solutions(query, streams, kb or {}, readings)
    return [
        IntervalSolution(int(psi.start), int(psi.end), psi.mapping)
        for psi in in_sequence(omega)
        if psi.end != NEVER
    ]


def solutions(
    query: EpsparqlQuery,
    streams: Mapping[URIRef, Iterable[Item]],
    kb: Mapping[URIRef, Graph],
    readings: Readings,
) -> list[Timed]:
    """⟦Q⟧_S with those solutions that have no time"""
    refuse(query, readings)
    items = list(merge_intervals(queried(query, streams)))
    kind = items[0].kind if items else TimeKind.INTEGER
    check_times(query, kind)
    known = background(kb, query.dataset, readings)
    active = Active(
        stream=occurrences(items) | known.stream,
        named={iri: timeless(graph) for iri, graph in known.named.items()},
        kind=kind,
        readings=readings,
        execution=Execution(query.prologue.base),
    )
    if readings.policy != "unrestricted":
        return under_policy(query, items, active, known)
    closure = Closure(active, known.schema, query.rules)
    closed = closure.of(
        active.stream, strata(query.rules, readings.leftjoin, inferable(known.schema))
    )
    if query.select is None:
        return constructed(closure, closed)
    return evaluate_pattern(translate_select(query.select), replace(active, stream=closed))


def under_policy(
    query: EpsparqlQuery, items: list[IntervalItem], active: Active, known: Background
) -> list[Timed]:
    """The solutions of the SELECT over what a policy detects of its sequence"""
    from .policies import detected
    from .to_rsepql import chain_of

    chain = chain_of(query)
    found: Algebra = Given(tuple(detected(query, active.readings.policy, items, known)))
    assert query.select is not None
    for each in chain.filters:
        found = a.Filter(each.condition, found)  # type: ignore[arg-type]
    return evaluate_pattern(a.translate_select(query.select, lambda _: found), active)  # type: ignore[arg-type,return-value]


def constructed(closure: Closure, closed: RdfStream) -> list[Timed]:
    """What the rules construct, ⋃ Ψ_q(Pq), as solutions for a query that has no SELECT"""
    found = frozenset().union(
        *(closure.constructed(i, closed) for i in range(len(closure.rules)))
    )
    return [
        Timed(
            SolutionMapping(zip(CONSTRUCTED, occurrence.triple, strict=True)),
            occurrence.start,
            occurrence.end,
        )
        for occurrence in found
    ]
