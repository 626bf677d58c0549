"""From record batches to one dense symbol per event (CORE 4.4: the bit vector of an event).

Predicates about one attribute of strings are evaluated once for each distinct value; the others are
vectorised. What an event satisfies is folded, column by column, into one number: a table leads from
what the columns so far have been found to satisfy and the class of the next column to the next
number, and the last of them to the automaton's symbol. Tables are filled when a combination first
occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...semantics.ceql import syntax
from .columns import ArrowArray, Column, Strings, all_values
from .conditions import AllOf, AnyOf, Holds, OfType, Opposite, Test
from .terms import Leaf, Truths, Values, attributes_of, truths

Codes: TypeAlias = npt.NDArray[np.uint32]
Indices: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TypeIs:
    name: str


@dataclass(frozen=True, slots=True)
class StreamIs:
    name: str


Atom: TypeAlias = TypeIs | StreamIs | Leaf
"""What is evaluated on events; tests are Boolean combinations of atoms."""

_UNKNOWN = np.uint32(0xFFFFFFFF)
_BITS = 8  # predicates folded together
_REMEMBERED = 1 << 16  # distinct strings whose class is remembered, at most


def atoms_of(test: Test) -> list[Atom]:
    """The atoms of a test, each once."""
    found: dict[Atom, None] = {}

    def predicate(node: syntax.Predicate) -> None:
        match node:
            case syntax.And(left, right) | syntax.Or(left, right):
                predicate(left)
                predicate(right)
            case syntax.Not(operand):
                predicate(operand)
            case _:
                found[node] = None

    def visit(node: Test) -> None:
        match node:
            case OfType(name, stream):
                found[TypeIs(name)] = None
                if stream is not None:
                    found[StreamIs(stream)] = None
            case Holds(inner):
                predicate(inner)
            case Opposite(inner):
                visit(inner)
            case AllOf(tests) | AnyOf(tests):
                for each in sorted(tests, key=repr):
                    visit(each)

    visit(test)
    return list(found)


def decided_by(test: Test, atoms: Mapping[Atom, int]) -> Callable[[Sequence[bool]], bool]:
    """A function from the truths of the atoms, by their numbers, to that of the test."""

    def atom(node: Atom) -> Callable[[Sequence[bool]], bool]:
        number = atoms[node]
        return lambda truth: truth[number]

    def predicate(node: syntax.Predicate) -> Callable[[Sequence[bool]], bool]:
        match node:
            case syntax.And(left, right):
                first, second = predicate(left), predicate(right)
                return lambda truth: first(truth) and second(truth)
            case syntax.Or(left, right):
                first, second = predicate(left), predicate(right)
                return lambda truth: first(truth) or second(truth)
            case syntax.Not(operand):
                inner = predicate(operand)
                return lambda truth: not inner(truth)
            case _:
                return atom(node)

    match test:
        case OfType(name, None):
            return atom(TypeIs(name))
        case OfType(name, str(stream)):
            of_type, in_stream = atom(TypeIs(name)), atom(StreamIs(stream))
            return lambda truth: of_type(truth) and in_stream(truth)
        case Holds(node):
            return predicate(node)
        case Opposite(inner):
            opposite = decided_by(inner, atoms)
            return lambda truth: not opposite(truth)
        case AllOf(tests):
            every = [decided_by(each, atoms) for each in tests]
            return lambda truth: all(each(truth) for each in every)
        case AnyOf(tests):
            some = [decided_by(each, atoms) for each in tests]
            return lambda truth: any(each(truth) for each in some)
    raise TypeError(f"no test: {test!r}")


# --- columns as classes -----------------------------------------------------------------------


class _StringClasses:
    """The class of each string of a column: the truth of the column's atoms."""

    def __init__(self, source: str, atoms: Sequence[Atom]) -> None:
        self.source = source
        self.atoms = tuple(atoms)
        self.truths: list[tuple[bool, ...]] = []
        self._numbers: dict[tuple[bool, ...], int] = {}
        self._known: dict[str | None, int] = {}
        self._dictionary: ArrowArray = None
        self._table: Indices = np.zeros(1, np.intp)

    def classes(self, columns: Mapping[str, Column], rows: int) -> Indices | int:
        column = columns.get(self.source)
        if not isinstance(column, Strings):
            return self._class_of(None)
        table = self._table_of(column.dictionary)
        if column.valid is None:
            return table.take(column.codes)
        return table.take(np.where(column.valid, column.codes, table.size - 1))

    def _table_of(self, dictionary: ArrowArray) -> Indices:
        """By code, the class; the last one is that of a missing value."""
        if self._dictionary is not dictionary and (
            self._dictionary is None or not dictionary.equals(self._dictionary)
        ):
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            classes = [self._class_of(text) for text in dictionary.to_pylist()]
            self._table = np.array([*classes, self._class_of(None)], np.intp)
            self._dictionary = dictionary
        return self._table

    def _class_of(self, text: str | None) -> int:
        known = self._known.get(text)
        if known is None:
            truth = tuple(self._holds(atom, text) for atom in self.atoms)
            known = self._numbers.setdefault(truth, len(self.truths))
            if known == len(self.truths):
                self.truths.append(truth)
            self._known[text] = known
        return known

    def _holds(self, atom: Atom, text: str | None) -> bool:
        if isinstance(atom, TypeIs | StreamIs):
            return text == atom.name
        if text is None:
            return bool(truths(atom, {}))
        return bool(truths(atom, {self.source: Values("string", np.array(text, object))}))


class _BitClasses:
    """A few predicates as the bits of a class."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self.atoms: tuple[Atom, ...] = tuple(leaves)
        self._leaves = tuple(leaves)
        self.truths = [
            tuple(bool(number >> bit & 1) for bit in range(len(leaves)))
            for number in range(1 << len(leaves))
        ]

    def classes(self, columns: Mapping[str, Column], rows: int) -> Indices | int:
        values = _Lazily(columns)
        result: Any = 0
        for bit, leaf in enumerate(self._leaves):
            truth: Truths = truths(leaf, values.restricted(attributes_of(leaf)))
            result = result + (truth.astype(np.uint8) << np.uint8(bit))
        result = np.asarray(result)
        return int(result) if result.ndim == 0 else result.astype(np.intp)


class _Lazily:
    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = columns

    def restricted(self, names: frozenset[str]) -> dict[str, Values]:
        return all_values({n: self._columns[n] for n in names if n in self._columns})


_Classes: TypeAlias = _StringClasses | _BitClasses


class _Fold:
    """(number so far, class of the next column) → next number, found out when it first occurs."""

    def __init__(self) -> None:
        self.table: Codes = np.full((1, 1), _UNKNOWN, np.uint32)

    def numbers(
        self,
        before: Any,
        classes: Any,
        prefixes: int,
        known: int,
        number: Callable[[int, int], int],
    ) -> Any:
        height, width = self.table.shape
        if known > width:
            grown = np.full((height, max(known, 2 * width)), _UNKNOWN, np.uint32)
            grown[:, :width] = self.table
            self.table, width = grown, grown.shape[1]
        if prefixes > height:
            extra = np.full((max(height, prefixes - height), width), _UNKNOWN, np.uint32)
            self.table = np.concatenate([self.table, extra])
        flat = self.table.reshape(-1)
        at = before * width + classes if np.ndim(before) or before else classes
        found = flat.take(at)
        if np.size(found) and np.max(found) == _UNKNOWN:
            occurs = np.zeros(flat.size, np.bool_)
            occurs[at] = True
            for cell in np.flatnonzero(occurs & (flat == _UNKNOWN)).tolist():
                flat[cell] = number(*divmod(cell, width))
            found = flat.take(at)
        return found


class _Plan:
    """How the batches of one schema become symbols."""

    def __init__(
        self,
        factors: Sequence[_Classes],
        atoms: Mapping[Atom, int],
        symbol: Callable[[Sequence[bool]], int],
    ) -> None:
        self.factors = factors
        self._places = [[atoms[atom] for atom in factor.atoms] for factor in factors]
        self._atoms = len(atoms)
        self._symbol = symbol
        self._folds = [_Fold() for _ in factors]
        self._prefixes: list[list[tuple[int, ...]]] = [[()], *([] for _ in factors)]
        self._numbers: list[dict[tuple[int, ...], int]] = [{} for _ in factors]

    def symbols(self, columns: Mapping[str, Column], rows: int) -> Codes:
        if not self.factors:  # no event can do anything
            return np.full(rows, self._symbol([]), np.uint32)
        so_far: Any = 0
        for depth, factor in enumerate(self.factors):
            classes = factor.classes(columns, rows)

            def number(before: int, number_of_class: int, depth: int = depth) -> int:
                return self._number(depth, before, number_of_class)

            so_far = self._folds[depth].numbers(
                so_far, classes, len(self._prefixes[depth]), len(factor.truths), number
            )
        if np.ndim(so_far) == 0:
            return np.full(rows, so_far, np.uint32)
        result: Codes = so_far
        return result

    def _number(self, depth: int, before: int, of_class: int) -> int:
        prefix = (*self._prefixes[depth][before], of_class)
        if depth + 1 < len(self.factors):
            known = self._numbers[depth]
            if prefix not in known:
                known[prefix] = len(known)
                self._prefixes[depth + 1].append(prefix)
            return known[prefix]
        truth = [False] * self._atoms
        for factor, places, number in zip(self.factors, self._places, prefix, strict=True):
            for place, holds in zip(places, factor.truths[number], strict=True):
                truth[place] = holds
        return self._symbol(truth)


class Symbols:
    """One dense symbol for each event of a batch."""

    def __init__(
        self, tests: Sequence[Test], symbol: Callable[[Sequence[bool]], int], type_column: str,
        stream_column: str,
    ) -> None:  # fmt: skip
        self._symbol = symbol
        self.type_column = type_column
        self._stream_column = stream_column
        atoms = dict.fromkeys(atom for test in tests for atom in atoms_of(test))
        self._atoms = {atom: number for number, atom in enumerate(atoms)}
        self.attributes = frozenset(
            name
            for atom in atoms
            if not isinstance(atom, TypeIs | StreamIs)
            for name in attributes_of(atom)
        )
        """The attributes that the query's predicates read."""
        self._tests = [decided_by(test, self._atoms) for test in tests]
        self._plans: dict[Hashable, _Plan] = {}

    def of(self, columns: Mapping[str, Column], rows: int) -> Codes:
        """The symbols of a batch that has these columns."""
        strings = frozenset(n for n, column in columns.items() if isinstance(column, Strings))
        if strings not in self._plans:
            self._plans[strings] = self._plan(strings)
        return self._plans[strings].symbols(columns, rows)

    def _plan(self, strings: frozenset[str]) -> _Plan:
        by_column: dict[str, list[Atom]] = {}
        leaves: list[Leaf] = []
        for atom in self._atoms:
            match atom:
                case TypeIs():
                    by_column.setdefault(self.type_column, []).append(atom)
                case StreamIs():
                    by_column.setdefault(self._stream_column, []).append(atom)
                case _:
                    names = attributes_of(atom)
                    if len(names) == 1 and names <= strings:
                        by_column.setdefault(next(iter(names)), []).append(atom)
                    else:
                        leaves.append(atom)
        factors: list[_Classes] = [
            _StringClasses(source, atoms) for source, atoms in by_column.items()
        ]
        for at in range(0, len(leaves), _BITS):
            factors.append(_BitClasses(leaves[at : at + _BITS]))
        return _Plan(factors, self._atoms, self._symbol_of)

    def _symbol_of(self, truth: Sequence[bool]) -> int:
        return self._symbol([test(truth) for test in self._tests])
