"""Triple patterns against encoded graphs: the innermost loop.

A step extends rows by the matches of one triple pattern. Which of subject, predicate and object
are constants, are bound already, or are new is known at compile time; the usual shapes, those with
a constant predicate, have each their own loop.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ....semantics.model.terms import Variable
from ...tuning import IN_USE
from .dictionary import UNBOUND
from .graphs import EncodedTriple, IndexedGraph
from .layout import IdRow, Layout, Rows, Step, in_order, inject

Place: TypeAlias = int | Variable
"""A position of an encoded triple pattern: the id of a constant, or a variable."""


@dataclass(frozen=True, slots=True)
class EncodedPattern:
    """A triple pattern over ids."""

    subject: Place
    predicate: Place
    object: Place

    @property
    def places(self) -> tuple[Place, Place, Place]:
        """Subject, predicate, object."""
        return self.subject, self.predicate, self.object

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order of appearance."""
        return tuple(
            dict.fromkeys(place for place in self.places if isinstance(place, Variable))
        )

    def selectivity(self, known: Container[Variable]) -> int:
        """Return the pattern's selectivity for the known variables; joins are ordered by it."""
        weights = (4, 1, 4)
        return sum(
            weight
            for place, weight in zip(self.places, weights, strict=True)
            if not isinstance(place, Variable) or place in known
        )

    def compiled(self, layout: Layout) -> tuple[Step, Layout]:
        """Return the step that extends rows of the layout by the pattern's matches."""
        injection, layout = inject(self.variables, layout)
        after = layout.extended(self.variables, self.variables)
        uncertain = any(
            layout.position(variable) is not None and not layout.is_certain(variable)
            for variable in self.variables
        )
        if isinstance(self.predicate, Variable) or uncertain:
            return in_order([injection, _general(self, layout, after)]), after
        return in_order([injection, _with_predicate(self, self.predicate, layout)]), after


def _with_predicate(pattern: EncodedPattern, p: int, layout: Layout) -> Step:
    s, o = pattern.subject, pattern.object
    at_s = layout.position(s) if isinstance(s, Variable) else None
    at_o = layout.position(o) if isinstance(o, Variable) else None
    match s, o:
        case int(), int():
            return _both_constant(s, p, o)
        case int(), _:
            return _constant_new(s, p) if at_o is None else _constant_bound(s, p, at_o)
        case _, int():
            return _new_constant(p, o) if at_s is None else _bound_constant(at_s, p, o)
    if at_s is not None:
        return _bound_new(at_s, p) if at_o is None else _both_bound(at_s, p, at_o)
    if at_o is not None:
        return _new_bound(p, at_o)
    return _same_new(p) if s == o else _both_new(p)


def _both_new(p: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        if len(rows) == 1 and not rows[0]:
            return bucket[:]  # type: ignore[return-value]
        return [row + pair for row in rows for pair in bucket]

    return step


def _same_new(p: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        loops = [(s,) for s, o in graph.by_predicate.get(p, ()) if s == o]
        return [row + loop for row in rows for loop in loops]

    return step


def _bound_new(at: int, p: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        if len(bucket) <= IN_USE.scanned:
            return [(*row, o) for row in rows for s, o in bucket if s == row[at]]
        objects = graph.objects(p)
        return [(*row, o) for row in rows for o in objects.get(row[at], ())]

    return step


def _new_bound(p: int, at: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        if len(bucket) <= IN_USE.scanned:
            return [(*row, s) for row in rows for s, o in bucket if o == row[at]]
        subjects = graph.subjects(p)
        return [(*row, s) for row in rows for s in subjects.get(row[at], ())]

    return step


def _both_bound(one: int, p: int, other: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        pairs = bucket if len(bucket) <= IN_USE.scanned else graph.pairs(p)
        return [row for row in rows if (row[one], row[other]) in pairs]

    return step


def _constant_new(s: int, p: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        if len(bucket) <= IN_USE.scanned:
            found = [o for subject, o in bucket if subject == s]
        else:
            found = graph.objects(p).get(s, [])
        return [(*row, o) for row in rows for o in found]

    return step


def _new_constant(p: int, o: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        if len(bucket) <= IN_USE.scanned:
            found = [s for s, obj in bucket if obj == o]
        else:
            found = graph.subjects(p).get(o, [])
        return [(*row, s) for row in rows for s in found]

    return step


def _constant_bound(s: int, p: int, at: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        pairs = bucket if len(bucket) <= IN_USE.scanned else graph.pairs(p)
        return [row for row in rows if (s, row[at]) in pairs]

    return step


def _bound_constant(at: int, p: int, o: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        pairs = bucket if len(bucket) <= IN_USE.scanned else graph.pairs(p)
        return [row for row in rows if (row[at], o) in pairs]

    return step


def _both_constant(s: int, p: int, o: int) -> Step:
    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        bucket = graph.by_predicate.get(p)
        if bucket is None:
            return []
        pairs = bucket if len(bucket) <= IN_USE.scanned else graph.pairs(p)
        return rows if (s, o) in pairs else []

    return step


def _general(pattern: EncodedPattern, layout: Layout, after: Layout) -> Step:
    """Return the step for any shape: variable predicates, repeated or optional variables."""
    padding = (UNBOUND,) * (after.width - layout.width)
    # Per position: the column of its variable, or -1 and the constant.
    places = [
        (after.column(place), UNBOUND) if isinstance(place, Variable) else (-1, place)
        for place in pattern.places
    ]

    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        out: Rows = []
        for row in rows:
            wide = row + padding
            known = [constant if column < 0 else wide[column] for column, constant in places]
            for triple in candidates(graph, known[0], known[1], known[2]):
                extended = _bind(wide, places, triple)
                if extended is not None:
                    out.append(extended)
        return out

    return step


def _bind(row: IdRow, places: list[tuple[int, int]], triple: EncodedTriple) -> IdRow | None:
    values = list(row)
    for (column, constant), found in zip(places, triple, strict=True):
        wanted = constant if column < 0 else values[column]
        if wanted == UNBOUND:
            values[column] = found
        elif wanted != found:
            return None
    return tuple(values)


def candidates(graph: IndexedGraph, s: int, p: int, o: int) -> Iterable[EncodedTriple]:
    """Return triples that include all with the given ids, 0 standing for any."""
    if len(graph.triples) <= IN_USE.scanned:
        return graph.triples
    if p:
        if s:
            return [(s, p, found) for found in graph.objects(p).get(s, ())]
        if o:
            return [(found, p, o) for found in graph.subjects(p).get(o, ())]
        return [(subject, p, found) for subject, found in graph.by_predicate.get(p, ())]
    if s:
        return graph.by_subject.get(s, ())
    if o:
        return graph.by_object.get(o, ())
    return graph.triples
