"""Property paths that no triple patterns can stand for, over occurrences.

What is walked is worked out anew whenever something has come that may be a part of it, and compared
with what was known: paths of any length have no cheaper way here. A path of single steps is a block
of triple patterns instead (`compile`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from ...semantics.model.terms import URIRef, Variable
from ...semantics.rdf.syntax.tree import (
    AlternativePath,
    InversePath,
    NegatedPropertySet,
    OneOrMorePath,
    Path,
    SequencePath,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from ..checkpoints.state_schema import stateful
from ..rdf.data.layout import IdRow, Layout
from .nodes import FOREVER, NEVER, Filtered, Node, Occurrence, Test, TimedRows, passing

Step: TypeAlias = tuple[int, int, float, float, object]
"""from, to, start, end, and by which way (for how often it counts)"""


class Walker:
    """Evaluates paths over a list of occurrences."""

    def __init__(self, encode: Callable[[URIRef], int], occurrences: list[Occurrence]) -> None:
        self._encode = encode
        self._occurrences = occurrences
        self._found: dict[tuple[Path, int | None, int | None], list[Step]] = {}

    def steps(self, path: Path, x: int | None, y: int | None) -> list[Step]:
        """Return the pairs that the path joins; an end that is given is an id."""
        asked = path, x, y
        if asked not in self._found:  # a closure asks its inner path from each node
            self._found[asked] = [
                step for step in self._steps(path, x, y)
                if x in (None, step[0]) and y in (None, step[1])
            ]
        return self._found[asked]

    def _steps(self, path: Path, x: int | None, y: int | None) -> Iterable[Step]:
        match path:
            case URIRef():
                link = self._encode(path)
                return [(s, o, a, b, None) for s, p, o, a, b in self._occurrences if p == link]
            case InversePath(inner):
                return [(t, f, a, b, way) for f, t, a, b, way in self.steps(inner, y, x)]
            case SequencePath((only,)):
                return self.steps(only, x, y)
            case SequencePath((first, *rest)):
                return self._sequence(first, SequencePath(tuple(rest)), x, y)
            case AlternativePath(alternatives):
                return [
                    (f, t, a, b, (i, way))
                    for i, inner in enumerate(alternatives)
                    for f, t, a, b, way in self.steps(inner, x, y)
                ]
            case NegatedPropertySet(forward, inverse):
                return self._not_along(forward, inverse)
            case ZeroOrOnePath(inner):
                return _needed(
                    self._nothing(x, y) | {(*s[:4], None) for s in self.steps(inner, x, y)}
                )
            case ZeroOrMorePath(inner):
                return _needed(self._nothing(x, y) | self._far(inner, x, y))
            case OneOrMorePath(inner):
                return _needed(self._far(inner, x, y))
        raise AssertionError(f"no such path: {path!r}")

    def _sequence(self, first: Path, rest: Path, x: int | None, y: int | None) -> list[Step]:
        seconds: dict[int, list[Step]] = {}
        for step in self.steps(rest, None, y):
            seconds.setdefault(step[0], []).append(step)
        return [
            (f, end, min(a, c), max(b, d), (via, way, other))
            for f, via, a, b, way in self.steps(first, x, None)
            for _, end, c, d, other in seconds.get(via, ())
        ]

    def _not_along(
        self, forward: tuple[URIRef, ...], inverse: tuple[URIRef, ...]
    ) -> Iterator[Step]:
        ahead, back = set(map(self._encode, forward)), set(map(self._encode, inverse))
        for s, p, o, a, b in self._occurrences:
            if (forward or not inverse) and p not in ahead:
                yield s, o, a, b, p
            if inverse and p not in back:
                yield o, s, a, b, ("^", p)

    def _nothing(self, x: int | None, y: int | None) -> set[Step]:
        """Return the path of length 0."""
        given = x if x is not None else y
        if given is not None:
            return {(given, given, FOREVER, NEVER, None)}
        return {
            (node, node, a, b, None) for s, _, o, a, b in self._occurrences for node in (s, o)
        }

    def _far(self, path: Path, x: int | None, y: int | None) -> set[Step]:
        """Return the path one or more times."""
        if x is None and y is not None:
            return {(t, f, a, b, None) for f, t, a, b, _ in self._from(InversePath(path), y)}
        if x is not None:
            return self._from(path, x)
        here = self._nothing(None, None)
        found: set[Step] = set()
        still: set[int] = set()
        for node in {step[0] for step in here}:
            for step in self._from(path, node):
                if step[3] == NEVER and step[0] == step[1]:
                    still.add(node)
                else:
                    found.add(step)
        return found | {step for step in here if step[0] in still}

    def _from(self, path: Path, origin: int) -> set[Step]:
        found: set[Step] = set()
        ahead: list[tuple[int, float, float]] = [(origin, FOREVER, NEVER)]
        nexts: dict[int, list[Step]] = {}
        while ahead:
            node, start, end = ahead.pop()
            if node not in nexts:
                nexts[node] = self.steps(path, node, None)
            for _, further, a, b, _ in nexts[node]:
                step = (origin, further, min(start, a), max(end, b), None)
                if step not in found:
                    found.add(step)
                    ahead.append((further, step[2], step[3]))
        return found


def _needed(found: set[Step]) -> set[Step]:
    """Return the steps without those over time between ends also joined without time."""
    timeless = {step[:2] for step in found if step[3] == NEVER}
    return {step for step in found if step[3] == NEVER or step[:2] not in timeless}


@stateful(
    kept=("_occurrences", "_known", "_ways", "_begun"),
    compiled=("_path", "_ends", "_outer", "_encode", "_tests"),
)
class PathNode(Node):
    """X path Y, the way hidden in a last column."""

    timewise = True

    def __init__(
        self,
        subject: int | Variable,
        path: Path,
        object_: int | Variable,
        way: Variable,
        encode: Callable[[URIRef], int],
        *,
        outer: dict[Variable, int],
    ) -> None:
        self._path = path
        self._ends = subject, object_
        variables = tuple(dict.fromkeys(v for v in self._ends if isinstance(v, Variable)))
        self.layout = Layout((*variables, way), frozenset((*variables, way)))
        self._outer = [(i, outer[v]) for i, v in enumerate(variables) if v in outer]
        self._encode = encode
        self._occurrences: list[Occurrence] = []
        self._known: Counter[Step] = Counter()
        self._ways: dict[object, int] = {}
        self._tests: list[Test] = []
        self._begun = False

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        if not occurrences and self._begun:
            return []
        self._begun = True
        self._occurrences += occurrences
        subject, object_ = self._ends
        x = None if isinstance(subject, Variable) else subject
        y = None if isinstance(object_, Variable) else object_
        now = Counter(Walker(self._encode, self._occurrences).steps(self._path, x, y))
        fresh = now - self._known
        self._known = now
        out: TimedRows = []
        for (f, t, start, end, way), count in fresh.items():
            if subject == object_ and isinstance(subject, Variable) and f != t:
                continue
            # 1 for no way in particular: 0 would be unbound.
            number = self._ways.setdefault(way, len(self._ways) + 1)
            ends = [n for n, v in ((f, subject), (t, object_)) if isinstance(v, Variable)]
            if len(ends) == 2 and subject == object_:
                ends.pop()
            if all(ends[i] == wanted for i, wanted in self._outer):
                out += [((*ends, number), start, end)] * count
        return passing(self._tests, out)

    def settle(self, t: float) -> TimedRows:
        return []

    def forget(self, t: float) -> None:
        pass

    def held(self) -> Iterator[IdRow]:
        return (occurrence[:3] for occurrence in self._occurrences)

    def absorb(self, test: Filtered) -> bool:
        self._tests.append(test.compiled(self.layout))
        return True
