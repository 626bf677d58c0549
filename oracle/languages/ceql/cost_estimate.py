"""The cost of evaluating a formula of CEQL by the definitions, estimated beforehand.

Table 2 makes every valuation there is, and nested iteration makes them many: a handful of tuples
can keep the oracle busy for minutes. What follows counts derivations instead of making valuations.
It looks at the types of the tuples alone, as if every condition held, so that it counts too many
rather than too few, and the same on every machine.

Generated cases are no more work than `MOST_WORK`. A stream that somebody brings may be: there the
oracle makes use of a law (`feasible`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ....semantics.ceql.filter_pushdown import pushed
from ....semantics.ceql.syntax.tree import (
    As,
    CeqlQuery,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    NotFormula,
    Projection,
    Strategy,
)
from ....semantics.ceql.syntax.tree import Sequence as Followed

MOST_WORK = 300_000
"""The number of pairs that take the oracle about a second."""

Spans: TypeAlias = Counter[tuple[int, int]]
"""The number of derivations over each interval."""


@dataclass(frozen=True, slots=True)
class _Derived:
    """The derivations of a formula, and how many pairs had to be looked at for them."""

    spans: Spans
    pairs: int


def feasible(query: CeqlQuery, types: Sequence[str]) -> CeqlQuery:
    """Return the query, or, if Table 2 is too costly, its `pushed` form: ⟦pushed(φ)⟧ = ⟦φ⟧."""
    if work(query, types) <= MOST_WORK:
        return query
    return replace(query, formula=pushed(query.formula))


def work(query: CeqlQuery, types: Sequence[str], most: int = MOST_WORK) -> int:
    """Return an upper bound of the pairs of valuations examined on tuples of these types.

    Beyond `most` it is only known to be beyond: no more is counted.
    """
    derived = _derived(query.formula, types, most)
    if query.strategy in (Strategy.ALL, Strategy.ANY) or derived.pairs > most:
        return derived.pairs
    ending: Counter[int] = Counter()
    for (_, end), count in derived.spans.items():
        ending[end] += count
    # A strategy compares those that end together.
    return derived.pairs + sum(count * count for count in ending.values())


def _derived(phi: Formula, types: Sequence[str], most: int) -> _Derived:
    match phi:
        case EventType(name):
            return _Derived(Counter((i, i) for i, kind in enumerate(types) if kind == name), 0)
        case NotFormula():
            return _Derived(Counter((i, i) for i in range(len(types))), len(types))
        case As(inner) | Filter(inner) | Projection(inner):
            return _derived(inner, types, most)
        case Disjunction(left, right):
            one, two = _derived(left, types, most), _derived(right, types, most)
            return _Derived(one.spans + two.spans, one.pairs + two.pairs)
        case Followed(left, right) | Contiguous(left, right):
            # What stands between neighbours may be in another partition: `:` is counted like `;`.
            return _joined(_derived(left, types, most), _derived(right, types, most), most)
        case Iteration(inner) | ContiguousIteration(inner):
            return _iterated(_derived(inner, types, most), most)


def _joined(one: _Derived, two: _Derived, most: int) -> _Derived:
    spans: Spans = Counter()
    pairs = one.pairs + two.pairs + one.spans.total() * two.spans.total()
    if pairs > most:
        return _Derived(spans, pairs)
    for (start, end), first in one.spans.items():
        for (begin, last), second in two.spans.items():
            if end < begin:
                spans[start, last] += first * second
    return _Derived(spans, pairs)


def _iterated(once: _Derived, most: int) -> _Derived:
    """φ+ is φ or φ ; φ+, from the last start to the first."""
    spans: Spans = Counter()
    pairs = once.pairs
    for (start, end), first in sorted(once.spans.items(), reverse=True):
        spans[start, end] += first
        for (after, last), second in list(spans.items()):
            if end < after:
                spans[start, last] += first * second
        pairs = once.pairs + once.spans.total() * spans.total()
        if pairs > most:
            break
    return _Derived(spans, pairs)
