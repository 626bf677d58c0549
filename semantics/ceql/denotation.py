"""The semantics of a CEQL query: section 2.2 of CORE with Table 2 (printed as Figure 2).

Which function is which definition, also in the files beside, is listed in semantics/README.md.
Where the paper is silent or its engines differ, docs/semantics/ceql.md says what we rule and which
case proves it. Slow on purpose: ⌈φ⌋(S) is made in full before SELECT and WITHIN look at it. What
the conditions of φ allow to be left out is a law, see `filter_pushdown`.

Selection strategies (Grez et al., TODS 2021) compare the data of complex events among matches with
one end position: what a strategy takes, it takes with every interval and every valuation that has
this data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Sequence as Rows
from itertools import pairwise
from math import isnan

from ..model.errors import Impossible
from ..model.tuples import EventTuple, Value, in_time_order
from .predicates import all_satisfy
from .syntax.readings import PartitionReading, Readings, WithinReading
from .syntax.results import ComplexEvent
from .syntax.tree import (
    AndCondition,
    As,
    CeqlQuery,
    Condition,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    Name,
    NotCondition,
    NotFormula,
    OrCondition,
    Projection,
    Sequence,
    Strategy,
    VariableCondition,
    WindowUnit,
    Within,
)
from .valuations import (
    Positions,
    Stream,
    Valuation,
    Valuations,
    complex_event,
    joined,
    projected,
    valuation,
    with_bindings,
)


def selected(matched: Valuations, strategy: Strategy, s: Stream) -> Valuations:
    """Return the matches that a strategy takes.

    ANY takes some one complex event, after WITHIN: see `core_extensions.choices`.
    """
    match strategy:
        case Strategy.ALL | Strategy.ANY:
            return matched
        case Strategy.STRICT:
            return frozenset(v for v in matched if is_block(v.data, s))
        case Strategy.NEXT:
            return unbeaten(matched, beats_next)
        case Strategy.LAST:
            return unbeaten(matched, beats_last)
        case Strategy.MAX:
            return unbeaten(matched, beats_max)


def is_block(data: Positions, s: Stream) -> bool:
    """STRICT: no tuple of the stream between two of the data is left out."""
    ordered = sorted(data)
    return all(s.adjacent(i, j) for i, j in pairwise(ordered))


def beats_next(winner: Positions, loser: Positions) -> bool:
    """≤next: the smallest position of the symmetric difference is the winner's."""
    difference = winner ^ loser
    return bool(difference) and min(difference) in winner


def beats_last(winner: Positions, loser: Positions) -> bool:
    """≤last: the largest position of the symmetric difference is the winner's."""
    difference = winner ^ loser
    return bool(difference) and max(difference) in winner


def beats_max(winner: Positions, loser: Positions) -> bool:
    """The winner's data strictly includes the loser's."""
    return winner > loser


def unbeaten(
    matched: Valuations, beats: Callable[[Positions, Positions], bool]
) -> Valuations:
    """Return the matches whose data no other match with the same end beats."""
    return frozenset(
        v for v in matched if not any(beats(w.data, v.data) for w in _rivals(v, matched))
    )


def _rivals(v: Valuation, matched: Iterable[Valuation]) -> Iterable[Valuation]:
    return (w for w in matched if w.end == v.end)


# --- queries --------------------------------------------------------------------------------------


def evaluate(
    query: CeqlQuery, stream: Rows[EventTuple], readings: Readings
) -> frozenset[ComplexEvent]:
    """⟦Q⟧(S) = ⋃_i ⟦Q⟧(S_i): "the union of the outputs generated for each substream"

    S is the merged stream of FROM, S1, S2, … are those of PARTITION BY. Raises `StreamError` if
    WITHIN measures arrival time and a tuple has none or is out of order.
    """
    s = timed(query, stream)
    return frozenset(
        result
        for s_i in partitions(s, query.partition, readings.partition)
        for result in results(query, s_i, readings)
    )


def results(query: CeqlQuery, s: Stream, readings: Readings) -> frozenset[ComplexEvent]:
    """{C_V | V ∈ ⟦WHERE-SELECT-WITHIN⟧(S)}, "in that order"

    Under `strategy=after-within` the strategy of SELECT comes last; under `output=valuation` the
    results are V instead of C_V.
    """

    epsilon, ending = query.within, readings.within
    found = valuations(query.projected, s)  # π_L(φ): WHERE, and the list of SELECT
    if readings.strategy == "before-within":
        found = within(selected(found, query.strategy, s), epsilon, s, ending)
    else:
        found = selected(within(found, epsilon, s, ending), query.strategy, s)
    return frozenset(map(
        with_bindings if readings.output == "valuation" else complex_event, found
    ))


def timed(query: CeqlQuery, stream: Rows[EventTuple]) -> Stream:
    """S = t0 t1 t2 …, its arrival times in order where WITHIN measures them."""
    if query.within is not None and query.within.unit is WindowUnit.TIME:
        stream = list(in_time_order(stream))
    return Stream(dict(enumerate(stream)))


# --- PARTITION BY ---------------------------------------------------------------------------------


def partitions(s: Stream, lists: Rows[Rows[str]], reading: PartitionReading) -> list[Stream]:
    """S1, S2, …: maximal subsequences of S, t(a) = t'(a) ≠ NULL for t, t' in one, a in the clause

    They come in the order of their first tuples. Values are equal if they are of one type (an int
    and a double may be); NaN equals nothing, so that its tuple is alone. Without the clause S is
    the only one.
    """
    members: dict[tuple[tuple[str, Value], ...], dict[int, EventTuple]] = {}
    for i, t in s:
        found = [t.get(name) for name in asked(t, lists, reading)]
        values = [value for value in found if value is not None]
        if len(values) == len(found):
            key = tuple(("NaN", i) if _is_nan(v) else (_type(v), v) for v in values)
            members.setdefault(key, {})[i] = t
    return [Stream(tuples) for tuples in members.values()]


def asked(t: EventTuple, lists: Rows[Rows[str]], reading: PartitionReading) -> list[str]:
    """Return the attributes of t on which its partition turns: all that the clause mentions.

    Under `partition=core` it is one of each list, the first that t has.
    """
    if reading == "paper":
        return [name for names in lists for name in names]
    return [next((name for name in names if t.get(name) is not None), names[0]) for names in lists]


def _is_nan(value: Value) -> bool:
    # One NaN object is equal to itself inside a tuple.
    return isinstance(value, float) and isnan(value)


def _type(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "number"


# --- WHERE: Table 2 -------------------------------------------------------------------------------


def valuations(phi: Formula, s: Stream) -> Valuations:
    """⌈φ⌋(S)"""
    match phi:
        # ⌈R⌋(S): V(time) = [i, i], t_i(type) = R, V(R) = {i}, V(X) = ∅ for X ≠ R
        # ⌈S'>R⌋(S) asks that t_i came in S', and has V(S'>R) = {i} as well.
        case EventType(r, stream):
            variables = [r] if stream is None else [r, str(Name(r, stream))]
            return frozenset(
                valuation(i, i, {x: frozenset({i}) for x in variables})
                for i, t in s if t.type == r and stream in (None, t.stream)
            )
        # ⌈φ AS X⌋(S): V(time) = V'(time), V(X) = ⋃_Y V'(Y), V(Z) = V'(Z) for Z ≠ X
        case As(formula, x):
            return frozenset(
                valuation(v.start, v.end, {**dict(v.mu), x: v.data})
                for v in valuations(formula, s)
            )
        # ⌈φ FILTER θ⌋(S): V ∈ ⌈φ⌋(S), V ⊨ θ
        case Filter(formula, theta):
            return frozenset(v for v in valuations(formula, s) if holds(v, theta, s))
        # ⌈φ1 OR φ2⌋(S) = ⌈φ1⌋(S) ∪ ⌈φ2⌋(S)
        case Disjunction(left, right):
            return valuations(left, s) | valuations(right, s)
        case Sequence(left, right):
            return sequence(valuations(left, s), valuations(right, s), s)
        # ⌈φ+⌋(S) = ⌈φ⌋(S) ∪ ⌈φ ; φ+⌋(S)
        case Iteration(formula):
            return iteration(valuations(formula, s), sequence, s)
        # ⌈π_L(φ)⌋(S): V(time) = V'(time), V(X) = V'(X) for X ∈ L, V(X) = ∅ for X ∉ L
        case Projection(formula, names):
            chosen = [str(name) for name in names]
            return frozenset(projected(v, chosen) for v in valuations(formula, s))
        # What follows is of CORE's later language.
        case Contiguous(left, right):
            return contiguous(valuations(left, s), valuations(right, s), s)
        # ⌈φ:+⌋(S) = ⌈φ⌋(S) ∪ ⌈φ : φ:+⌋(S)
        case ContiguousIteration(formula):
            return iteration(valuations(formula, s), contiguous, s)
        # ⌈NOT(φ)⌋(S): V(time) = [i, i], no V' ∈ ⌈φ⌋(S) is at i, V(X) = ∅ for every X
        case NotFormula(formula):
            matched = {v.start for v in valuations(formula, s)}
            return frozenset(valuation(i, i, {}) for i, _ in s if i not in matched)


def sequence(first: Valuations, second: Valuations, s: Stream) -> Valuations:
    """⌈φ1 ; φ2⌋(S): V1(end) < V2(start), V(time) = [V1(start), V2(end)], V(X) = V1(X) ∪ V2(X)"""
    return frozenset(joined(v1, v2) for v1 in first for v2 in second if v1.end < v2.start)


def contiguous(first: Valuations, second: Valuations, s: Stream) -> Valuations:
    """⌈φ1 : φ2⌋(S): as ⌈φ1 ; φ2⌋(S), and no tuple of S stands between V1(end) and V2(start)"""
    return frozenset(
        joined(v1, v2) for v1 in first for v2 in second if s.adjacent(v1.end, v2.start)
    )


def iteration(
    once: Valuations, link: Callable[[Valuations, Valuations, Stream], Valuations], s: Stream
) -> Valuations:
    """⌈φ+⌋(S) = ⌈φ⌋(S) ∪ ⌈φ ; φ+⌋(S): `;` "one or more times over the same formula"

    φ:+ is the same of `:`.
    """
    result, times = once, once
    while times:  # ⌈φ⌋(S), ⌈φ ; φ⌋(S), ⌈φ ; (φ ; φ)⌋(S), …, until S is too short
        times = link(once, times, s)
        result |= times
    return result


def holds(v: Valuation, theta: Condition, s: Stream) -> bool:
    """V ⊨ θ

    "φ FILTER θ1 AND θ2 … as a shorthand for (φ FILTER θ1) FILTER θ2", and OR for that of
    φ FILTER θ1 OR φ FILTER θ2: so they are those of truth values. NOT is of CORE's later language.
    """
    match theta:
        case VariableCondition(x, predicate):  # V(X) ⊨ P
            return all_satisfy(s.at(v(str(x))), predicate)
        case AndCondition(left, right):
            return holds(v, left, s) and holds(v, right, s)
        case OrCondition(left, right):
            return holds(v, left, s) or holds(v, right, s)
        case NotCondition(operand):
            return not holds(v, operand, s)


# --- WITHIN ---------------------------------------------------------------------------------------


def within(
    matched: Valuations, epsilon: Within | None, s: Stream, reading: WithinReading
) -> Valuations:
    """⌈φ WITHIN ε⌋(S) = {V ∈ ⌈φ⌋(S) | V(end) − V(start) ≤ ε}"""
    if epsilon is None:
        return matched
    return frozenset(v for v in matched if is_within(v, epsilon, s, reading))


def is_within(v: Valuation, epsilon: Within, s: Stream, reading: WithinReading) -> bool:
    """V(end) − V(start) ≤ ε, in the measure that the clause names.

    EVENTS measures positions of the merged stream, also in a partition; time is arrival time; an
    attribute is measured by the values that the first and the last tuple of the interval have, so
    a decreasing one is always within, and one that is missing or no number never. Under
    `within=core` a window of an attribute is one less.
    """
    match epsilon.unit:
        case WindowUnit.EVENTS:
            return v.end - v.start <= epsilon.value
        case WindowUnit.TIME:
            first, last = s[v.start].time, s[v.end].time
            if first is None or last is None:
                raise Impossible("a tuple without arrival time in a window of time")
            return last - first <= epsilon.value
        case WindowUnit.ATTRIBUTE:
            a = epsilon.attribute or ""
            start, end = s[v.start].get(a), s[v.end].get(a)
            if isinstance(start, str | bool | None) or isinstance(end, str | bool | None):
                return False
            return end - start <= epsilon.value - (1 if reading == "core" else 0)
