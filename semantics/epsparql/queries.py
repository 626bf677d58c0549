"""The results of an EP-SPARQL query (Anicic et al., section 4.2).

    ⟦Q⟧_S = the solutions of the SELECT over clos_Q(S)

a bag of ⟨μ, tα, tω⟩, projected and modified as by SPARQL. What has no time, since no occurrence
contributes to it, is no result. ASK says whether there is one; DESCRIBE returns the part of
clos_Q(S) that is about the resources of the solutions.

Where the paper is silent or contradicts itself, docs/semantics/epsparql.md says what we rule.

The detection policies chronological and recent go by way of RSEP-QL. ETALIS detects when something
arrives. So the translated sequence is evaluated at every instant of the stream, with what the
policy has consumed at earlier ones being gone, and its solutions are those of all these
evaluations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rdflib.term import BNode, URIRef

from ..model.errors import StreamError
from ..model.interval_solutions import IntervalSolution
from ..model.items import Item, TimeKind, TimestampedGraph
from ..model.mappings import SolutionMapping
from ..model.terms import Graph, Term
from ..rdf import algebra as a
from ..rdf import translation
from ..rdf.expressions.context import Execution
from ..rsepql.clauses import streaming_dataset
from ..rsepql.consumption_history import EventHistory
from ..rsepql.event_mappings import distinct
from ..rsepql.syntax.readings import Readings as RsepqlReadings
from ..rsepql.syntax.tree import MatchPattern, Moment
from ..streams.merging import StreamItem, merge_intervals
from .algebra import Algebra, Given, translate_select
from .background import Background, background, conclusions, with_conclusions
from .closure import Closure, stratified
from .denotation import Active
from .denotation import evaluate as evaluate_pattern
from .intervals import NEVER, Timed
from .modifiers import in_sequence
from .occurrences import Occurrence, RdfStream, occurrences, timeless
from .operators import Bag
from .syntax.analysis import check_times, inferable, queried, refuse
from .syntax.readings import Policy, Readings
from .syntax.results import CONSTRUCTED
from .syntax.stratification import strata
from .syntax.to_rsepql import chain_of, to_rsepql
from .syntax.tree import EpsparqlQuery, Form

_STREAM = URIRef("urn:denota:stream")


def detected(
    query: EpsparqlQuery, policy: Policy, items: Sequence[StreamItem], known: Background
) -> Bag:
    """⟨μ, t1, t2⟩ of the query's sequence, without the FILTERs of the whole of it"""
    select = query.select
    chain = chain_of(query)
    if any(item.start < item.end for item in items):
        raise StreamError(
            f"policy={policy} is about what happens at instants, an item has an interval"
        )
    if not items or select is None:
        return []
    bare = replace(query, select=replace(select, where=chain.group), dataset=None)
    translated = to_rsepql(bare, policy, _STREAM, Moment(items[0].end, items[0].kind))
    stream = [
        TimestampedGraph(item.end, _with_conclusions(item.graph, known.schema), item.kind)
        for item in items
    ]
    sds = streaming_dataset(translated, {_STREAM: stream}, known.named)
    (match,) = translated.form.where.elements if translated.form.where is not None else ()
    assert isinstance(match, MatchPattern)
    times = sorted({item.time for item in stream})
    history = EventHistory(
        match.event, translated.consumption, sds, times, RsepqlReadings()
    )
    return [
        Timed(event.mu, event.start, event.end)
        for i in range(len(times))
        for event in distinct(history.events(i))
    ]


def _with_conclusions(graph: Graph, schema: Graph) -> Graph:
    if not schema:
        return graph
    return graph.union(*(conclusions(triple, schema) for triple in graph))


_DEFAULT = Readings()


def evaluate(
    query: EpsparqlQuery,
    streams: Mapping[URIRef, Iterable[Item]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings = _DEFAULT,
) -> list[IntervalSolution] | list[bool]:
    """Return the bag of solutions of a query over streams and background graphs, by end, then
    start; of ASK whether there are any.

    Of the streams, the query's FROM STREAM clauses choose; without one there must be no more than
    one stream. Raises QueryError, StreamError and ReadingError.
    """
    omega = solutions(query, streams, kb or {}, readings)
    if query.form is Form.ASK:
        return [any(psi.end != NEVER for psi in omega)]
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
        found = under_policy(query, items, active, known)
        if query.form is not Form.DESCRIBE:
            return found
        return described(found, query.described, with_conclusions(active.stream, known.schema))
    closure = Closure(active, known.schema, query.rules)
    ordered = strata(query.rules, readings.leftjoin, inferable(known.schema))
    closed = stratified(closure, active.stream, ordered)
    if query.select is None:
        return constructed(closure, closed)
    found = evaluate_pattern(translate_select(query.select), replace(active, stream=closed))
    return found if query.form is not Form.DESCRIBE else described(found, query.described, closed)


def under_policy(
    query: EpsparqlQuery, items: list[StreamItem], active: Active, known: Background
) -> list[Timed]:
    """Return the solutions of the SELECT over what a policy detects of its sequence."""
    from .queries import detected
    from .syntax.to_rsepql import chain_of

    chain = chain_of(query)
    found: Algebra = Given(tuple(detected(query, active.readings.policy, items, known)))
    assert query.select is not None
    for each in chain.filters:
        found = a.Filter(each.condition, found)  # type: ignore[arg-type]
    return evaluate_pattern(translation.translate_select(query.select, lambda _: found), active)  # type: ignore[arg-type,return-value]


def constructed(closure: Closure, closed: RdfStream) -> list[Timed]:
    """Return the triples that the rules construct, ⋃ Ψ_q(Pq), as solutions without a SELECT."""
    return as_solutions(frozenset().union(
        *(closure.constructed(i, closed) for i in range(len(closure.rules)))
    ))


def described(
    omega: list[Timed], named: Iterable[URIRef], closed: RdfStream
) -> list[Timed]:
    """SPARQL 16.4 over an RDF stream: the occurrences whose subject is one of the resources that
    the solutions bind or the query names, or a blank node that such an occurrence leads to"""
    waiting: set[Term] = {*named}
    for psi in omega:
        waiting |= {t for t in psi.mapping.values() if isinstance(t, URIRef | BNode)}
    resources: set[Term] = set()
    about: set[Occurrence] = set()
    while waiting:
        resources |= waiting
        said = {occurrence for occurrence in closed if occurrence.triple[0] in waiting}
        about |= said
        objects = {occurrence.triple[2] for occurrence in said}
        waiting = {each for each in objects - resources if isinstance(each, BNode)}
    return as_solutions(about)


def as_solutions(found: Iterable[Occurrence]) -> list[Timed]:
    """Return occurrences as solutions that bind ?subject, ?predicate and ?object."""
    return [
        Timed(
            SolutionMapping(zip(CONSTRUCTED, occurrence.triple, strict=True)),
            occurrence.start,
            occurrence.end,
        )
        for occurrence in found
    ]
