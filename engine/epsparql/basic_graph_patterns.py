"""Basic graph patterns over occurrences: triples indexed by predicate and by what joins them.

A new occurrence is tried as each triple pattern of the block; the other patterns are looked up
among the occurrences so far, in an order in which each shares a variable with those before it where
that is possible. An occurrence that several patterns match is used once per combination: patterns
before the one at hand look at older occurrences only, those after it at the new one too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...semantics.model.terms import Variable
from ..checkpoints.state_schema import stateful
from ..rdf.basic_graph_patterns import JoinOrder
from ..rdf.data.layout import IdRow, Layout
from .nodes import NEVER, Filtered, Node, Occurrence, Test, TimedRow, TimedRows, passing

Place: TypeAlias = int | Variable
"""The id of a term, or a variable."""
Pattern: TypeAlias = tuple[Place, Place, Place]
Stored: TypeAlias = tuple[int, Occurrence]
"""An occurrence with its number in the order of arrival."""


@stateful(
    kept=("number", "_static", "_dynamic", "_order"),
    compiled=("patterns", "horizons", "_predicates"),
)
class Store:
    """The occurrences that blocks of several triple patterns look up; one for a tree of nodes."""

    def __init__(self) -> None:
        self.patterns: list[Pattern] = []
        self.horizons: list[Callable[[], int | None]] = []
        self.number = 0
        self._static: dict[object, list[Stored]] = {}
        self._dynamic: dict[object, deque[Stored]] = {}
        self._predicates: set[int] | None = set()
        self._order: deque[tuple[float, list[object]]] = deque()
        """Of what is in `_dynamic`, by arrival: its start, and where it is found"""

    def register(self, patterns: Sequence[Pattern], horizon: Callable[[], int | None]) -> None:
        """Register patterns that are looked up here, and the maximum span of their solutions."""
        self.horizons.append(horizon)
        for _, predicate, _ in patterns:
            if isinstance(predicate, Variable):
                self._predicates = None
            elif self._predicates is not None:
                self._predicates.add(predicate)

    def add(self, occurrence: Occurrence) -> int:
        """Return the number of the occurrence."""
        self.number += 1
        s, p, o, _, end = occurrence
        if not self.horizons or (self._predicates is not None and p not in self._predicates):
            return self.number
        stored = self.number, occurrence
        keys: list[object] = [("p", p), ("ps", p, s), ("po", p, o)]
        if self._predicates is None:
            keys += [(), ("s", s), ("o", o)]
        if end == NEVER:
            for key in keys:
                self._static.setdefault(key, []).append(stored)
            return self.number
        for key in keys:
            self._dynamic.setdefault(key, deque()).append(stored)
        self._order.append((occurrence[3], keys))
        return self.number

    def look_up(self, s: int | None, p: int | None, o: int | None) -> Iterator[Stored]:
        """Yield the occurrences that have these terms, among others."""
        key: object
        if p is not None:
            key = ("ps", p, s) if s is not None else ("po", p, o) if o is not None else ("p", p)
        else:
            key = ("s", s) if s is not None else ("o", o) if o is not None else ()
        yield from self._static.get(key, ())
        yield from self._dynamic.get(key, ())

    def occurrences(self) -> list[Occurrence]:
        """Return the occurrences that are looked up, by arrival."""
        numbered = {
            number: occurrence
            for table in (self._static, self._dynamic)
            for key, stored in table.items() if isinstance(key, tuple) and key[:1] == ("p",)
            for number, occurrence in stored
        }
        return [numbered[number] for number in sorted(numbered)]

    def timeless(self) -> bool:
        """Return True if one of the occurrences has no time."""
        return bool(self._static)

    def asks_for(self, predicate: int) -> bool:
        """Return True if occurrences with the predicate are looked up."""
        return bool(self.horizons) and (self._predicates is None or predicate in self._predicates)

    def horizon(self) -> int | None:
        """Return the maximum span of a solution of any block; None if there is none."""
        widths = [horizon() for horizon in self.horizons]
        if None in widths:
            return None
        return max((width for width in widths if width is not None), default=None)

    def forget(self, t: float) -> None:
        """Evict the occurrences that are too old for every block."""
        width = self.horizon()
        if width is None:
            return
        low = t - width
        order = self._order
        while order and order[0][0] < low:
            for key in order.popleft()[1]:
                stored = self._dynamic[key]
                stored.popleft()
                if not stored:
                    del self._dynamic[key]

    def held(self) -> Iterator[IdRow]:
        """Yield the ids of the occurrences."""
        for table in (self._static, self._dynamic):
            for stored in table.values():
                for _, occurrence in stored:
                    yield occurrence[:3]


@dataclass(slots=True)
class _Step:
    """A look-up of one pattern, when some variables are bound."""

    pattern: Pattern
    older: bool
    """whether it must be older than the new occurrence"""


class _Plan:
    """The steps behind one pattern; each is chosen when it is first taken."""

    def __init__(self, steps: Iterator[_Step]) -> None:
        self._chosen: list[_Step] = []
        self._waiting = steps

    def __iter__(self) -> Iterator[_Step]:
        yield from self._chosen
        for step in self._waiting:
            self._chosen.append(step)
            yield step


@stateful(anew=("numbered",))
@dataclass(slots=True)
class Batch:
    """Occurrences with their numbers, as the blocks of one tree see them."""

    numbered: list[Stored] = field(default_factory=list)


@stateful(
    kept=("_seen",), parts=("_store", "_batch"),
    compiled=(
        "patterns", "_all", "_at", "_picks", "_each", "outer", "_width", "_tests", "_plans",
        "_order", "_unbound", "_constants", "conditions",
    ),
)
class Block(Node):
    """BGP(t1, …, tn): rows over all its variables; those in `hidden` are not for others to see
    (blank nodes, and the nodes on the way of a path)."""

    timewise = True

    def __init__(
        self,
        patterns: Sequence[Pattern],
        hidden: frozenset[Variable],
        store: Store,
        batch: Batch,
        *,
        each: bool,
        outer: dict[Variable, int],
    ) -> None:
        self.patterns = tuple(patterns) if each else _two_of_each(patterns)
        columns = tuple(dict.fromkeys(
            place for pattern in patterns for place in pattern if isinstance(place, Variable)
        ))
        self._all = columns
        self._at = {variable: i for i, variable in enumerate(columns)}
        visible = tuple(v for v in columns if v not in hidden)
        self._picks = [self._at[v] for v in visible]
        self.layout = Layout(visible, frozenset(visible))
        self._store = store
        self._batch = batch
        self._each = each
        self.outer = [(self._at[v], number) for v, number in outer.items() if v in self._at]
        self._width: int | None = None
        self._seen: set[tuple[tuple[int, ...], float, float]] = set()
        self._tests: list[Test] = []
        self.conditions: list[Filtered] = []
        """The conditions pushed down into it: the same as its tests, compiled for its own rows."""
        self._order = JoinOrder(
            [[p for p in each if isinstance(p, Variable)] for each in self.patterns],
            self._selectivity,
        )
        self._plans = [_Plan(self._plan(i)) for i in range(len(self.patterns))]
        self._unbound = (0,) * len(columns)
        self._constants = [
            [(at, place) for at, place in enumerate(each) if not isinstance(place, Variable)]
            for each in self.patterns
        ]
        if len(self.patterns) > 1:
            store.register(self.patterns, lambda: self._width)

    @property
    def all_columns(self) -> tuple[Variable, ...]:
        """The variables, hidden ones included."""
        return self._all

    @property
    def each(self) -> bool:
        """True if each choice of occurrences counts."""
        return self._each

    @property
    def width(self) -> int | None:
        """The maximum span of a solution; None if there is none."""
        return self._width

    @property
    def store(self) -> Store:
        """The store of its occurrences."""
        return self._store

    def in_order(self) -> list[Pattern]:
        """Return the patterns, each sharing a variable with earlier ones where possible."""
        return [self.patterns[0], *(step.pattern for step in self._plans[0])]

    def exchange(self, seen: set[TimedRow]) -> set[TimedRow]:
        """Replace the rows found at this instant; return the old ones."""
        seen, self._seen = self._seen, seen
        return seen

    def _plan(self, first: int) -> Iterator[_Step]:
        """Yield the other patterns in lookup order: the most bound one first."""
        bound = {place for place in self.patterns[first] if isinstance(place, Variable)}
        for i in self._order.starting_with(bound, but=first):
            yield _Step(self.patterns[i], i < first)

    def _selectivity(self, i: int, bound: Container[Variable]) -> int:
        return sum(
            not isinstance(place, Variable) or place in bound for place in self.patterns[i]
        )

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        out: TimedRows = []
        for number, occurrence in self._batch.numbered:
            for first in range(len(self.patterns)):
                self._match(first, number, occurrence, out)
        return passing(self._tests, out) if out else out

    def _match(
        self, first: int, number: int, occurrence: Occurrence, out: TimedRows
    ) -> None:
        for at, constant in self._constants[first]:  # before a row is copied
            if occurrence[at] != constant:
                return
        row = self._bound(self.patterns[first], occurrence, self._unbound)
        if row is None:
            return
        low = NEVER
        if self._width is not None and occurrence[4] != NEVER:
            low = occurrence[4] - self._width
        found: Iterable[TimedRow] = [(row, occurrence[3], occurrence[4])]
        for step in self._plans[first]:
            further: TimedRows = []
            for ids, start, end in found:
                s, p, o = (
                    (ids[self._at[place]] or None) if isinstance(place, Variable) else place
                    for place in step.pattern
                )
                for other, stored in self._store.look_up(s, p, o):
                    if other > number or (step.older and other == number) or stored[3] < low:
                        continue
                    extended = self._bound(step.pattern, stored, ids)
                    if extended is not None:
                        further.append((extended, min(start, stored[3]), max(end, stored[4])))
            if not further:
                return
            # Which occurrences led to a row says nothing of how it goes on; their choices multiply
            # with each pattern.
            found = further if self._each else dict.fromkeys(further)
        for ids, start, end in found:
            self._emit(ids, start, end, out)

    def _emit(self, ids: IdRow, start: float, end: float, out: TimedRows) -> None:
        if any(ids[column] != number for column, number in self.outer):
            return
        if not self._each and len(self.patterns) > 1:
            key = (ids, start, end)
            if key in self._seen:
                return
            self._seen.add(key)
        out.append((tuple([ids[pick] for pick in self._picks]), start, end))

    def _bound(
        self, pattern: Pattern, occurrence: Occurrence, ids: IdRow
    ) -> IdRow | None:
        """Return the ids with the pattern's variables bound, None if it does not match."""
        values = None
        for place, term in zip(pattern, occurrence[:3], strict=True):
            if not isinstance(place, Variable):
                if place != term:
                    return None
                continue
            column = self._at[place]
            known = (values or ids)[column]
            if known:
                if known != term:
                    return None
                continue
            if values is None:
                values = list(ids)
            values[column] = term
        return tuple(values) if values is not None else ids

    def settle(self, t: float) -> TimedRows:
        return []

    def forget(self, t: float) -> None:
        # A solution ends with the last of its occurrences, so that none comes twice later on.
        self._seen.clear()

    def held(self) -> Iterator[IdRow]:
        return (row for row, _, _ in self._seen)

    def bound(self, width: int) -> None:
        self._width = width if self._width is None else min(self._width, width)

    def absorb(self, test: Filtered) -> bool:
        self.conditions.append(test)
        self._tests.append(test.compiled(self.layout))
        return True


def _two_of_each(patterns: Sequence[Pattern]) -> tuple[Pattern, ...]:
    """Return the patterns, at most twice each.

    Of the occurrences that one pattern matches, only the earliest and the latest matter to the
    interval of a solution.
    """
    kept: Counter[Pattern] = Counter()
    for pattern in patterns:
        kept[pattern] = min(kept[pattern] + 1, 2)
    return tuple(kept.elements())
