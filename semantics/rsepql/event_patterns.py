"""What event patterns mean: ⟨⟨E⟩⟩_W^t (RSEP-QL Def. 7, equations 4 to 7 and 9 to 12).

Naming: μ is `mu`, E is `e`, the active window W is `active`; of an event mapping (μ, t1, t2) the
interval is `start`, `end`. ⟨⟨μ(E)⟩⟩ is always evaluated for some μ whose variables are replaced in
E by their values, at first the empty one. What takes part in an event is kept beside it: a
consumption policy asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rdflib.term import BNode, URIRef, Variable

from ..errors import Impossible
from ..rdf import algebra
from ..rdf.context import Execution
from ..rdf.evaluation import Evaluation, basic_graph_pattern, evaluate_algebra
from ..rdf.mappings import EMPTY_MAPPING, SolutionMapping
from ..rdf.syntax import GroupGraphPattern, TermOrVariable, TriplePattern, TriplesBlock
from ..rdf.terms import EMPTY_GRAPH, Dataset, Graph, Triple
from ..rdf.variables import mentioned_variables
from ..streams.items import TimestampedGraph
from ..streams.windows import Interval, Nested, Window
from . import syntax as s
from .consumption import Input, left, unit
from .orders import Precedes, Span, order_named, reverse
from .readings import Readings


@dataclass(frozen=True, slots=True)
class EventMapping:
    """(μ, t1, t2)"""

    mu: SolutionMapping
    start: int
    end: int

    @property
    def span(self) -> Span:
        """(t1, t2)"""
        return self.start, self.end


Part: TypeAlias = tuple[URIRef, Triple, int]
"""A triple of an item in a window: what takes part in an event."""

Events: TypeAlias = Mapping[EventMapping, frozenset[Part]]
"""A set of event mappings, each with what takes part in it, however it comes about."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What event patterns are evaluated over at t: W_j(S_ℓ, t) by name, D for GRAPH, 𝒫's choice.

    `input` is None under 𝒫^u. `known` remembers ⟦μ(P)⟧_G for as long as one t is evaluated.
    """

    t: int
    contents: Mapping[URIRef, Sequence[TimestampedGraph]]
    dataset: Dataset
    readings: Readings
    input: Input | None = None
    known: dict[tuple[int, Graph, SolutionMapping], list[tuple[SolutionMapping, Graph]]] = field(
        default_factory=dict
    )

    @property
    def precedes(self) -> Precedes:
        """≺"""
        return order_named(self.readings.order)

    def seen(self, w: URIRef, item: TimestampedGraph) -> Graph:
        """(12): G_k, or what a consumption policy leaves of it."""
        if self.input is None:
            return item.graph
        return left(item, self.input[w], self.readings.consumption)

    def used(self, events: Events) -> Input:
        """What took part in these events, by window."""
        parts = frozenset[Part]().union(*events.values())
        return {
            w: frozenset(
                unit(triple, time, self.readings.consumption)
                for name, triple, time in parts if name == w
            )
            for w in self.contents
        }


def event_pattern(
    e: s.EventPattern, active: Window, scene: Scene, mu: SolutionMapping = EMPTY_MAPPING
) -> Events:
    """⟨⟨μ(E)⟩⟩_W^t"""
    match e:
        case s.Event():
            return basic(e, active, scene, mu)
        case s.First(operand):
            return first(event_pattern(operand, active, scene, mu), scene.precedes)
        case s.Last(operand):
            return last(event_pattern(operand, active, scene, mu), scene.precedes)
        case s.Sequence(operator, e1, e2):
            return _SEQUENCES[operator](e1, e2, active, scene, mu)
    raise Impossible(f"not an event pattern: {e!r}")


def basic(e: s.Event, active: Window, scene: Scene, mu: SolutionMapping) -> Events:
    """(4): ⟨⟨EVENT w_j P⟩⟩_W^t = {(μ, t_k, t_k) | μ ∈ ⟦P⟧_{G_k}, (G_k, t_k) ∈ W • W_j(S_ℓ, t)}"""
    return _collected(
        (EventMapping(nu, item.time, item.time), _parts(e.window, triples, item.time))
        for item in active(scene.contents[e.window], scene.t)
        for nu, triples in solutions(e, scene.seen(e.window, item), scene, mu)
    )


def first(events: Events, precedes: Precedes) -> Events:
    """(5): those of ⟨⟨E⟩⟩ with no (μ', t1', t2') ∈ ⟨⟨E⟩⟩ such that (t1', t2') ≺ (t1, t2)"""
    return {
        each: parts for each, parts in events.items()
        if not any(precedes(other.span, each.span) for other in events)
    }


def last(events: Events, precedes: Precedes) -> Events:
    """(6): those of ⟨⟨E⟩⟩ with no (μ', t1', t2') ∈ ⟨⟨E⟩⟩ such that (t1, t2) ≺ (t1', t2')"""
    return first(events, reverse(precedes))


# --- sequences -----------------------------------------------------------------------------------


def up_to(t3: int, active: Window) -> Window:
    """W* = W⊔[0, t3 − 1] • W; without the lower bound, since dateTimes may be negative."""
    return Nested(Interval(None, t3 - 1), active)


def sequence(
    e1: s.EventPattern, e2: s.EventPattern, active: Window, scene: Scene, mu: SolutionMapping
) -> Events:
    """(7): ⟨⟨E1 SEQ E2⟩⟩_W = {(μ1 ∪ μ2, t1, t4) | (μ2, t3, t4) ∈ ⟨⟨E2⟩⟩_W and (μ1, t1, t2) ∈
    ⟨⟨μ2(E1)⟩⟩_{W*}}"""
    return _collected(
        _joined(event1, event2)
        for event2 in event_pattern(e2, active, scene, mu).items()
        for event1 in preceding(e1, event2[0], active, scene, mu).items()
    )


def naive_sequence(
    e1: s.EventPattern, e2: s.EventPattern, active: Window, scene: Scene, mu: SolutionMapping
) -> Events:
    """(9): ⟨⟨E1 SEQ^n E2⟩⟩_W = {(μ1 ∪ μ2, t1, t4) | (μ1, t1, t2) ∈ ⟨⟨LAST E1⟩⟩_W, (μ2, t3, t4) ∈
    ⟨⟨LAST E2⟩⟩_W, μ1 ~ μ2, t2 < t3}"""
    return _collected(
        _joined(event1, event2)
        for event1 in event_pattern(s.Last(e1), active, scene, mu).items()
        for event2 in event_pattern(s.Last(e2), active, scene, mu).items()
        if event1[0].mu.compatible(event2[0].mu) and event1[0].end < event2[0].start
    )


def chronological_sequence(
    e1: s.EventPattern, e2: s.EventPattern, active: Window, scene: Scene, mu: SolutionMapping
) -> Events:
    """(10): ⟨⟨E1 SEQ^c E2⟩⟩_W = {(μ1 ∪ μ2, t1, t4) | (μ2, t3, t4) is a first one among its rivals,
    (μ1, t1, t2) ∈ ⟨⟨FIRST μ2(E1)⟩⟩_{W*}}"""
    return _selecting(s.First(e1), e2, active, scene, mu, scene.precedes)


def recent_sequence(
    e1: s.EventPattern, e2: s.EventPattern, active: Window, scene: Scene, mu: SolutionMapping
) -> Events:
    """(11): as (10), with the last one and LAST"""
    return _selecting(s.Last(e1), e2, active, scene, mu, reverse(scene.precedes))


def _selecting(
    e1: s.EventPattern,
    e2: s.EventPattern,
    active: Window,
    scene: Scene,
    mu: SolutionMapping,
    beats: Precedes,
) -> Events:
    """(10) and (11), `e1` being FIRST E1 or LAST E1: (μ2, t3, t4) that no rival beats.

    The rivals are those of ⟨⟨E2⟩⟩_W that something compatible precedes: under `rivals=same` those
    with the same μ2, under `rivals=any` all.
    """
    pairs = [
        (event2, choices)
        for event2 in event_pattern(e2, active, scene, mu).items()
        if (choices := preceding(e1, event2[0], active, scene, mu))
    ]
    same = scene.readings.rivals == "same"
    return _collected(
        _joined(event1, event2)
        for event2, choices in pairs
        if not any(
            beats(rival.span, event2[0].span)
            for (rival, _), _ in pairs
            if not same or rival.mu == event2[0].mu
        )
        for event1 in choices.items()
    )


def preceding(
    e1: s.EventPattern, event2: EventMapping, active: Window, scene: Scene, mu: SolutionMapping
) -> Events:
    """⟨⟨μ2(E1)⟩⟩_{W*}, for an event (μ2, t3, t4)"""
    return event_pattern(e1, up_to(event2.start, active), scene, mu.merge(event2.mu))


_SEQUENCES = {
    s.SequenceOperator.UNRESTRICTED: sequence,
    s.SequenceOperator.NAIVE: naive_sequence,
    s.SequenceOperator.CHRONOLOGICAL: chronological_sequence,
    s.SequenceOperator.RECENT: recent_sequence,
}


def _joined(
    event1: tuple[EventMapping, frozenset[Part]], event2: tuple[EventMapping, frozenset[Part]]
) -> tuple[EventMapping, frozenset[Part]]:
    (one, parts1), (two, parts2) = event1, event2
    return EventMapping(one.mu.merge(two.mu), one.start, two.end), parts1 | parts2


def _collected(found: Iterable[tuple[EventMapping, frozenset[Part]]]) -> Events:
    """A set of event mappings: what comes about in several ways is one, of all their parts."""
    events: dict[EventMapping, frozenset[Part]] = {}
    for event, parts in found:
        events[event] = events.get(event, frozenset()) | parts
    return events


# --- ⟦μ(P)⟧_G, and the triples that take part ----------------------------------------------------


def solutions(
    e: s.Event, graph: Graph, scene: Scene, mu: SolutionMapping
) -> list[tuple[SolutionMapping, Graph]]:
    """⟦μ(P)⟧_G, each solution with the triples of G that a consumption policy would consume.

    The variables of μ are replaced as EXISTS replaces them (SPARQL 1.1 Query, 18.6), so that the
    filters of P may ask for what μ binds.
    """
    mu = mu.project(mentioned_variables(e.pattern))
    key = id(e), graph, mu
    if key not in scene.known:
        execution = Execution(substitutes=scene.readings.exists == "substituted")
        substituted = Evaluation(scene.dataset, graph, execution, outer=mu)
        found = evaluate_algebra(algebra.translate(e.pattern), substituted)
        consuming = scene.input is not None
        scene.known[key] = [
            (nu, consumed(e.pattern, graph, mu.merge(nu)) if consuming else EMPTY_GRAPH)
            for nu in found if nu.compatible(mu)
        ]
    return scene.known[key]


def consumed(pattern: GroupGraphPattern, graph: Graph, mu: SolutionMapping) -> Graph:
    """The triples μ(P) ⊆ G of the triple patterns of P, for every choice of its blank nodes."""
    block = tuple(
        _with_variables(triple)
        for element in pattern.elements if isinstance(element, TriplesBlock)
        for triple in element.triples
    )
    active = Evaluation(Dataset(graph), graph, outer=mu)
    found = basic_graph_pattern(algebra.basic_graph_pattern(block), active)
    return frozenset(
        _instance(triple, mu.merge(each)) for each in found for triple in block
    )


def _with_variables(triple: TriplePattern) -> TriplePattern:
    """The same, with variables that no query can write for its blank nodes."""

    def part(term: TermOrVariable) -> TermOrVariable:
        return Variable(f"_:{term}") if isinstance(term, BNode) else term

    return TriplePattern(part(triple.subject), triple.predicate, part(triple.object))


def _instance(triple: TriplePattern, mu: SolutionMapping) -> Triple:
    subject, predicate, object_ = (
        mu[part] if isinstance(part, Variable) else part
        for part in (triple.subject, triple.predicate, triple.object)
    )
    return subject, predicate, object_  # type: ignore[return-value]


def _parts(w: URIRef, triples: Graph, time: int) -> frozenset[Part]:
    return frozenset((w, triple, time) for triple in triples)
