"""Event patterns: equations (4) to (11) of RSEP-QL, sections 4.2 and 4.3.

⟨⟨E⟩⟩_W^t, or after a substitution ⟨⟨μ(E)⟩⟩_W^t, is `event_pattern(e, active, context, mu)`: E is
`e`, the active window W is `active`, and the `EvaluationContext` holds the windows and graphs at t.
Of an event mapping (μ, t1, t2), t1 and t2 are `start` and `end`. μ(E) is never written down: μ is
passed on to the graph patterns of E, at first the empty one.

Consumption policies (4.4) and the units that they leave are in consumption.py, ≺ is in
event_mappings.py.
"""

from __future__ import annotations

from ..model.errors import Impossible
from ..model.mappings import EMPTY_MAPPING, SolutionMapping
from .consumption import Unit, consumed, left
from .context import EvaluationContext
from .event_mappings import EventMapping, Events, Precedes, distinct, joined, reverse
from .syntax.tree import Event, EventPattern, First, Last, Sequence, SequenceOperator
from .window_functions import Interval, Nested, Window


def event_pattern(
    e: EventPattern, active: Window, context: EvaluationContext, mu: SolutionMapping = EMPTY_MAPPING
) -> Events:
    """⟨⟨μ(E)⟩⟩_W^t (Def. 7)"""
    match e:
        case Event(w_j) if context.input is not None:
            return basic_of_input(e, context.input[w_j], active, context, mu)
        case Event():
            return basic(e, active, context, mu)
        case First(e1):
            return first(event_pattern(e1, active, context, mu), context.precedes)
        case Last(e1):
            return last(event_pattern(e1, active, context, mu), context.precedes)
        case Sequence(SequenceOperator.UNRESTRICTED, e1, e2):
            return sequence(e1, e2, active, context, mu)
        case Sequence(SequenceOperator.NAIVE, e1, e2):
            return naive_sequence(e1, e2, active, context, mu)
        case Sequence(SequenceOperator.CHRONOLOGICAL, e1, e2):
            return chronological_sequence(e1, e2, active, context, mu)
        case Sequence(SequenceOperator.RECENT, e1, e2):
            return recent_sequence(e1, e2, active, context, mu)
    raise Impossible(f"not an event pattern: {e!r}")


# --- 4.2: event patterns -------------------------------------------------------------------------


def basic(e: Event, active: Window, context: EvaluationContext, mu: SolutionMapping) -> Events:
    """(4): ⟨⟨EVENT w_j P⟩⟩_W^t = {(μ, t_k, t_k) | μ ∈ ⟦P⟧_{G_k}, (G_k, t_k) ∈ W • W_j(S_ℓ, t)}"""
    return frozenset(
        EventMapping(nu, item.time, item.time)
        for item in active(context.contents[e.window], context.t)
        for nu in context.graph_pattern(e.pattern, item.graph, mu)
    )


def first(events: Events, precedes: Precedes) -> Events:
    """(5): ⟨⟨FIRST E⟩⟩ = {(μ, t1, t2) ∈ ⟨⟨E⟩⟩ | no (μ', t1', t2') ∈ ⟨⟨E⟩⟩ has
    (t1', t2') ≺ (t1, t2)}"""
    return frozenset(
        each for each in events if not any(precedes(other.span, each.span) for other in events)
    )


def last(events: Events, precedes: Precedes) -> Events:
    """(6): ⟨⟨LAST E⟩⟩ = {(μ, t1, t2) ∈ ⟨⟨E⟩⟩ | no (μ', t1', t2') ∈ ⟨⟨E⟩⟩ has
    (t1, t2) ≺ (t1', t2')}"""
    return first(events, reverse(precedes))


def sequence(
    e1: EventPattern, e2: EventPattern, active: Window, context: EvaluationContext,
    mu: SolutionMapping,
) -> Events:
    """(7): ⟨⟨E1 SEQ E2⟩⟩_W = {(μ1 ∪ μ2, t1, t4) | (μ2, t3, t4) ∈ ⟨⟨E2⟩⟩_W,
    (μ1, t1, t2) ∈ ⟨⟨μ2(E1)⟩⟩_{W*}}"""
    return frozenset(
        joined(event1, event2)
        for event2 in event_pattern(e2, active, context, mu)
        for event1 in preceding(e1, event2, active, context, mu)
    )


def up_to(t3: int, active: Window) -> Window:
    """W* = W⊔[0, t3 − 1] • W; without the lower bound, since dateTimes may be negative."""
    return Nested(Interval(None, t3 - 1), active)


def preceding(
    e1: EventPattern, event2: EventMapping, active: Window, context: EvaluationContext,
    mu: SolutionMapping,
) -> Events:
    """⟨⟨μ2(E1)⟩⟩_{W*}, for an event (μ2, t3, t4)"""
    return event_pattern(e1, up_to(event2.start, active), context, mu.merge(event2.mu))


def match_pattern(events: Events) -> list[SolutionMapping]:
    """(8): ⟦MATCH E⟧^t = the bag of μ with (μ, t1, t2) ∈ ⟨⟨E⟩⟩_{W^id}^t"""
    return [each.mu for each in distinct(events)]


# --- 4.3: selection policies ---------------------------------------------------------------------


def naive_sequence(
    e1: EventPattern, e2: EventPattern, active: Window, context: EvaluationContext,
    mu: SolutionMapping,
) -> Events:
    """(9): ⟨⟨E1 SEQ^n E2⟩⟩_W = {(μ1 ∪ μ2, t1, t4) | (μ1, t1, t2) ∈ ⟨⟨LAST E1⟩⟩_W,
    (μ2, t3, t4) ∈ ⟨⟨LAST E2⟩⟩_W, μ1 ~ μ2, t2 < t3}"""
    return frozenset(
        joined(event1, event2)
        for event1 in event_pattern(Last(e1), active, context, mu)
        for event2 in event_pattern(Last(e2), active, context, mu)
        if event1.mu.compatible(event2.mu) and event1.end < event2.start
    )


def chronological_sequence(
    e1: EventPattern, e2: EventPattern, active: Window, context: EvaluationContext,
    mu: SolutionMapping,
) -> Events:
    """(10): ⟨⟨E1 SEQ^c E2⟩⟩_W = {(μ1 ∪ μ2, t1, t4) | (μ2, t3, t4) ∈ ⟨⟨E2⟩⟩_W,
    (μ1, t1, t2) ∈ ⟨⟨FIRST μ2(E1)⟩⟩_{W*}, and no rival (μ2', t3', t4') has (t3', t4') ≺ (t3, t4)}"""
    preceded = preceded_events(e1, e2, active, context, mu)
    return frozenset(
        joined(event1, event2)
        for event2 in preceded
        if not any(context.precedes(r.span, event2.span) for r in rivals(event2, preceded, context))
        for event1 in preceding(First(e1), event2, active, context, mu)
    )


def recent_sequence(
    e1: EventPattern, e2: EventPattern, active: Window, context: EvaluationContext,
    mu: SolutionMapping,
) -> Events:
    """(11): ⟨⟨E1 SEQ^r E2⟩⟩_W = {(μ1 ∪ μ2, t1, t4) | (μ2, t3, t4) ∈ ⟨⟨E2⟩⟩_W,
    (μ1, t1, t2) ∈ ⟨⟨LAST μ2(E1)⟩⟩_{W*}, and no rival (μ2', t3', t4') has (t3, t4) ≺ (t3', t4')}"""
    preceded = preceded_events(e1, e2, active, context, mu)
    return frozenset(
        joined(event1, event2)
        for event2 in preceded
        if not any(context.precedes(event2.span, r.span) for r in rivals(event2, preceded, context))
        for event1 in preceding(Last(e1), event2, active, context, mu)
    )


def preceded_events(
    e1: EventPattern, e2: EventPattern, active: Window, context: EvaluationContext,
    mu: SolutionMapping,
) -> Events:
    """{(μ2, t3, t4) ∈ ⟨⟨E2⟩⟩_W | ⟨⟨μ2(E1)⟩⟩_{W*} ≠ ∅}"""
    return frozenset(
        event2
        for event2 in event_pattern(e2, active, context, mu)
        if preceding(e1, event2, active, context, mu)
    )


def rivals(event2: EventMapping, preceded: Events, context: EvaluationContext) -> Events:
    """Return those that (μ2, t3, t4) is compared with: under `rivals=any` all that something
    compatible precedes (the literal sentence of 4.3), under `rivals=same` those of them with the
    same μ2."""
    if context.readings.rivals == "any":
        return preceded
    return frozenset(each for each in preceded if each.mu == event2.mu)


# --- 4.4: consumption policies -------------------------------------------------------------------


def basic_of_input(
    e: Event, left_over: frozenset[Unit], active: Window, context: EvaluationContext,
    mu: SolutionMapping,
) -> Events:
    """(12): as (4), on what I_i(w_j) has of G_k; each event with what would be consumed"""
    reading = context.readings.consumption
    return frozenset(
        EventMapping(nu, item.time, item.time, frozenset(
            (e.window, triple, item.time) for triple in consumed(e.pattern, G, mu.merge(nu))
        ))
        for item in active(context.contents[e.window], context.t)
        for G in (left(item, left_over, reading),)
        for nu in context.graph_pattern(e.pattern, G, mu)
    )
