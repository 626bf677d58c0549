"""What a SPAseq query means: the definitions of the paper's section 5, one function each.

| definition | function |
|---|---|
| Defs. 1–3, events, streams, streamsets | `streamset.Event`, `events_of`, `Streamset` |
| Def. 5, sets of mappings | `rdf.mappings` |
| Def. 6, graph patterns | `rdf.evaluation`, `gpm.graph_pattern` |
| Def. 7, GPM expressions; Def. 15, Graph | `gpm.gpm` |
| Defs. 8, 9, conjunction and disjunction | `binary.conjunction`, `disjunction` |
| Defs. 10–12, event selection strategies | `selection.skip_till_any`, `skip_till_next`, \
`strict_contiguity` |
| Defs. 13, 14, Kleene plus | `kleene.standalone`, `sequence.followed` |
| Def. 16, queries | `evaluate` |
| Appendix B, negation and optional | `binary.negation`, `optional`, `absence` |

Where the paper is silent or contradicts itself, docs/semantics/spaseq.md says what we rule and
which case proves it. Slow on purpose: nothing here is indexed, compiled or incremental.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rdflib.term import URIRef, Variable

from ..errors import QueryError
from ..rdf.entailment import entailed
from ..rdf.mappings import Solutions, project
from ..rdf.terms import Graph
from ..rdf.variables import possible_variables
from ..streams.items import TimeKind, TimestampedGraph
from ..streams.merging import merge
from .context import Context
from .deferral import GpmExpression, gpm_expression
from .readings import Readings
from .results import Pair
from .sequence import sequence
from .streamset import Event, Streamset, events_of, merged
from .syntax import Extent, SpaseqQuery, WithinUnit
from .windows import windows


def evaluate(
    query: SpaseqQuery,
    streams: Mapping[URIRef, Sequence[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    start: int | None = None,
) -> frozenset[Pair]:
    """Def. 16: ⟦Q⟧^t = ⋃_k {(τ, π_V(Ω)) | (τ, Ω) ∈ ⟦SeqExp⟧ over [t + k·ω, t + (k+1)·ω]}.

    `streams` is Σ, `kb` the background graphs by name, `start` is t, in the streams' own unit (by
    default the earliest timestamp of Σ). Raises `ReadingError` if a reading does not suit the
    query, `StreamError` if a stream is not one by Def. 2, `QueryError` if ω and the timestamps
    are of different kinds.
    """
    result = set()
    for boundaries, context in contexts(query, streams, kb, readings, start):
        for pair in sequence(query.sequence, context):
            (time, rank), omega = pair.time, pair.omega
            solutions = omega if query.select is None else project(omega, query.select)
            result.add(Pair(boundaries, time, solutions, rank))
    return frozenset(result)


def contexts(
    query: SpaseqQuery,
    streams: Mapping[URIRef, Sequence[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    start: int | None = None,
) -> Iterator[tuple[tuple[int, int] | None, Context]]:
    """The windows of Def. 16: their boundaries, and what SeqExp is evaluated over in each."""
    readings = (readings or Readings()).applied_to(query)
    events = _events(query, streams, readings)
    if start is None:
        start = events[0].time[0] if events else 0
    events = [event for event in events if event.time[0] >= start]
    gpms, bindable = _gpm_expressions(query)
    gamma = {name: entailed(graph, readings.entailment) for name, graph in (kb or {}).items()}
    matches: dict[tuple[str, Graph], Solutions] = {}
    for boundaries, held, beginning in windows(query, events, start, readings):
        sigma = Streamset(held)
        yield (
            boundaries,
            Context(sigma, gamma, gpms, bindable, readings, beginning, matches),
        )


def _events(
    query: SpaseqQuery, streams: Mapping[URIRef, Sequence[TimestampedGraph]], readings: Readings
) -> list[Event]:
    """Defs. 2 and 3: the events of Σ in time order."""
    clauses = [clause.iri for clause in query.streams]
    # `merge` says what is wrong with a stream. It also ranks and orders the items, but the engine
    # relies on that: here it is judged, so both are done again.
    kinds = {item.kind for item in merge(streams, readings.ties, clauses)}
    for kind in kinds:
        _check_unit(query.within, kind)
        _check_unit(query.slide or query.within, kind)
    events = {name: events_of(name, stream, readings.ties) for name, stream in streams.items()}
    return merged(events, clauses)


def _check_unit(extent: Extent, kind: TimeKind) -> None:
    fits = {WithinUnit.INTEGER: TimeKind.INTEGER, WithinUnit.MICROSECONDS: TimeKind.DATETIME}
    if fits.get(extent.unit, kind) is kind:
        return
    written = "a bare number" if extent.unit is WithinUnit.INTEGER else "a duration"
    wanted = "a bare number" if kind is TimeKind.INTEGER else "a duration such as 30 MINUTES"
    raise QueryError(
        f"the window is {written}, but the streams have {kind} times, which need {wanted}",
        line=extent.position.line,
        column=extent.position.column,
    )


@lru_cache(maxsize=256)
def _gpm_expressions(
    query: SpaseqQuery,
) -> tuple[dict[str, GpmExpression], dict[str, frozenset[Variable]]]:
    gpms = {
        each.name: gpm_expression(each, query.stream_iri(each.stream))
        for each in query.definitions
    }
    bindable = {each.name: possible_variables(each.pattern) for each in query.definitions}
    return gpms, bindable
