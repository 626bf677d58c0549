"""The mapping of record batches to one dense symbol per event (CORE 4.4: an event's bit vector).

Predicates about one attribute of strings are evaluated once for each distinct value; the others are
vectorised. What an event satisfies is folded, column by column, into one number: a table leads from
what the columns so far have been found to satisfy and the class of the next column to the next
number, and the last of them to the automaton's symbol. Tables are filled when a combination first
occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ....semantics.ceql.syntax import tree as syntax
from ....semantics.model.trees import outermost
from ...kernels import compiled, sealed
from ..automaton.vcea import AllOf, AnyOf, Holds, OfType, Opposite, Test
from .columns import Codes as ClassCodes
from .columns import Column, Dictionary, Strings, Vocabulary, all_values
from .terms import Leaf, Truths, Values, attributes_of, truths

Codes: TypeAlias = npt.NDArray[np.uint32]
Indices: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TypeIs:
    name: str


@dataclass(frozen=True, slots=True)
class StreamIs:
    name: str


Atom: TypeAlias = TypeIs | StreamIs | Leaf
"""A test that is evaluated on events; tests are Boolean combinations of atoms."""

_EQUALITY = (syntax.ComparisonOperator.EQUAL, syntax.ComparisonOperator.NOT_EQUAL)

Decision: TypeAlias = Callable[[int], bool]

_UNKNOWN = np.uint32(0xFFFFFFFF)
_BITS = 8  # predicates folded together
_NO_CODES: Codes = np.zeros(0, np.uint32)
_NO_CLASS_CODES: ClassCodes = sealed(np.zeros(0, np.int32))
_ONE_CLASS: Indices = np.zeros(1, np.int64)


_ATOMS = (syntax.Comparison, syntax.Like, syntax.In, syntax.Range)


def atoms_of(test: Test) -> list[Atom]:
    """Return the atoms of a test, each once."""
    found: dict[Atom, None] = {}

    def visit(node: Test) -> None:
        match node:
            case OfType(name, stream):
                found[TypeIs(name)] = None
                if stream is not None:
                    found[StreamIs(stream)] = None
            case Holds(inner):
                found.update(dict.fromkeys(outermost(inner, *_ATOMS)))
            case Opposite(inner):
                visit(inner)
            case AllOf(tests) | AnyOf(tests):
                for each in sorted(tests, key=repr):
                    visit(each)

    visit(test)
    return list(found)


def decided_by(test: Test, atoms: Mapping[Atom, int]) -> Decision:
    """Return a function from the atoms' truths, bits by their numbers, to the test's."""
    parts = _Conjunction(atoms)
    parts.add(test)
    return parts.decision()


class _Conjunction:
    """Atoms that must hold, atoms that must not, and other tests."""

    def __init__(self, atoms: Mapping[Atom, int]) -> None:
        self._atoms = atoms
        self._holding = 0
        self._failing = 0
        self._others: list[Decision] = []

    def add(self, test: Test) -> None:
        match test:
            case OfType(name, stream):
                self._holding |= 1 << self._atoms[TypeIs(name)]
                if stream is not None:
                    self._holding |= 1 << self._atoms[StreamIs(stream)]
            case Holds(predicate):
                self._add_predicate(predicate)
            case Opposite(inner):
                self._others.append(_negated(decided_by(inner, self._atoms)))
            case AllOf(tests):
                for each in tests:
                    self.add(each)
            case AnyOf(tests):
                self._others.append(_some([decided_by(each, self._atoms) for each in tests]))

    def _add_predicate(self, node: syntax.Predicate) -> None:
        match node:
            case syntax.And(left, right):
                self._add_predicate(left)
                self._add_predicate(right)
            case syntax.Or(left, right):
                self._others.append(_some([self._inner(left), self._inner(right)]))
            case syntax.Not(syntax.And() | syntax.Or() | syntax.Not() as operand):
                self._others.append(_negated(self._inner(operand)))
            case syntax.Not(operand):
                self._failing |= 1 << self._atoms[cast(Atom, operand)]
            case _:
                self._holding |= 1 << self._atoms[node]

    def _inner(self, node: syntax.Predicate) -> Decision:
        parts = _Conjunction(self._atoms)
        parts._add_predicate(node)
        return parts.decision()

    def decision(self) -> Decision:
        holding, others = self._holding, self._others
        if holding & self._failing:
            return lambda truth: False
        cared = holding | self._failing
        if not others:
            return lambda truth: truth & cared == holding
        return lambda truth: truth & cared == holding and all(each(truth) for each in others)


def _negated(decision: Decision) -> Decision:
    return lambda truth: not decision(truth)


def _some(decisions: Sequence[Decision]) -> Decision:
    return lambda truth: any(each(truth) for each in decisions)


# --- columns as classes -----------------------------------------------------------------------


class _StringClasses:
    """The class of each string of a column: the truth of the column's atoms."""

    def __init__(self, source: str, atoms: Sequence[Atom]) -> None:
        self.source = source
        self.atoms = tuple(atoms)
        self.truths: list[tuple[bool, ...]] = []
        self._numbers: dict[tuple[bool, ...], int] = {}
        self._missing = self._class_of(tuple(_holds_of_nothing(atom) for atom in atoms))
        self._vocabulary: Vocabulary | Dictionary | None = None
        self._known = 0  # words of the vocabulary whose classes are in the table
        self._of_missing: Indices = np.array([self._missing], np.int64)
        self._table: Indices = np.full(16, self._missing, np.int64)

    def classes(self, columns: Mapping[str, Column]) -> tuple[ClassCodes, Indices]:
        """Return codes and the class of each code, from that of a missing string (code -1) on.

        Without codes all strings are missing.
        """
        column = columns.get(self.source)
        if not isinstance(column, Strings):
            return _NO_CLASS_CODES, self._of_missing
        if column.vocabulary is not self._vocabulary:
            self._vocabulary, self._known = column.vocabulary, 0
        if len(column.vocabulary) > self._known:
            self._learn(column.vocabulary.words(self._known))
        return column.codes, self._table

    def _learn(self, words: list[str]) -> None:
        begin, end = self._known + 1, self._known + 1 + len(words)
        if end > self._table.size:
            more = np.full(max(end, self._table.size), self._missing, np.int64)
            self._table = np.concatenate([self._table, more])
        texts = Values("string", np.array(words, object))
        by_atom = [self._holding(atom, words, texts) for atom in self.atoms]
        self._table[begin:end] = [self._class_of(truth) for truth in zip(*by_atom, strict=True)]
        self._known = end - 1

    def _holding(self, atom: Atom, words: list[str], texts: Values) -> list[bool]:
        if isinstance(atom, TypeIs | StreamIs):
            return [word == atom.name for word in words]
        compared = _compared_with_constant(atom)
        if compared is not None and isinstance(compared[2], str):
            equal, constant = compared[1], compared[2]
            return [(word == constant) is equal for word in words]
        holds = truths(atom, {self.source: texts})
        result: list[bool] = np.broadcast_to(holds, texts.data.shape).tolist()
        return result

    def _class_of(self, truth: tuple[bool, ...]) -> int:
        number = self._numbers.setdefault(truth, len(self.truths))
        if number == len(self.truths):
            self.truths.append(truth)
        return number


def _holds_of_nothing(atom: Atom) -> bool:
    """Return True if the atom holds for an event without the attribute."""
    if isinstance(atom, TypeIs | StreamIs) or _compared_with_constant(atom) is not None:
        return False
    return bool(truths(atom, {}))


def _compared_with_constant(atom: Atom) -> tuple[str, bool, syntax.Constant] | None:
    """Return the attribute, whether it is to be equal, and the constant."""
    match atom:
        case (
            syntax.Comparison(operation, syntax.Attribute(name), syntax.Literal(value))
            | syntax.Comparison(operation, syntax.Literal(value), syntax.Attribute(name))
        ) if operation in _EQUALITY:
            return name, operation is syntax.ComparisonOperator.EQUAL, value
    return None


class _BitClasses:
    """A few predicates as the bits of a class."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self.atoms: tuple[Atom, ...] = tuple(leaves)
        self._leaves = tuple(leaves)
        self.truths = [
            tuple(bool(number >> bit & 1) for bit in range(len(leaves)))
            for number in range(1 << len(leaves))
        ]
        self._classes = np.arange(-1, 1 << len(leaves), dtype=np.int64)

    def classes(self, columns: Mapping[str, Column]) -> tuple[ClassCodes, Indices]:
        """Return each event's bits as codes, their own classes; or no codes, one class."""
        result: Any = 0
        for bit, leaf in enumerate(self._leaves):
            names = attributes_of(leaf)
            values = all_values({n: columns[n] for n in names if n in columns})
            truth: Truths = truths(leaf, values)
            result = result + (truth.astype(np.uint8) << np.uint8(bit))
        result = np.asarray(result)
        if result.ndim == 0:
            return _NO_CLASS_CODES, np.array([result], np.int64)
        return sealed(result.astype(np.int32)), self._classes


_Classes: TypeAlias = _StringClasses | _BitClasses


@compiled
def fold(
    before: Codes,  # of these three, empty: the same for every event
    first: ClassCodes,
    second: ClassCodes,
    first_classes: Indices,  # by code plus one, or the class of every event
    second_classes: Indices,
    first_width: int,
    second_width: int,
    table: Codes,  # by number, first class and second class
    begin: int,
    numbers: Codes,
) -> int:
    """Return each event's number by the one before and two classes; stop at an unknown one."""
    started, has_first, has_second = before.size > 0, first.size > 0, second.size > 0
    for i in range(begin, numbers.size):
        cell = first_classes[np.uint64(first[i] + 1)] if has_first else first_classes[0]
        if started:
            cell += np.int64(before[i]) * first_width
        cell *= second_width
        cell += second_classes[np.uint64(second[i] + 1)] if has_second else second_classes[0]
        number = table[np.uint64(cell)]
        if number == _UNKNOWN:
            return i
        numbers[i] = number
    return numbers.size


class _Fold:
    """(number so far, classes of the next columns) → next number, found out when it first occurs.

    Of one or two columns.
    """

    def __init__(self, factors: Sequence[_Classes], number: Callable[..., int]) -> None:
        self._factors = factors
        self._number = number
        self._shape = (1, 1, 1)
        self._table: Codes = np.full(1, _UNKNOWN, np.uint32)

    def numbers(
        self, before: Codes, columns: Mapping[str, Column], prefixes: int, rows: int
    ) -> Codes:
        """Return the number of each event; `prefixes` is how many numbers exist before."""
        factors = self._factors
        first, first_classes = factors[0].classes(columns)
        second, second_classes, known = _NO_CLASS_CODES, _ONE_CLASS, 1
        if len(factors) > 1:
            second, second_classes = factors[1].classes(columns)
            known = len(factors[1].truths)
        shape = self._shape
        if prefixes > shape[0] or len(factors[0].truths) > shape[1] or known > shape[2]:
            self._make_room((prefixes, len(factors[0].truths), known))
        _, width, depth = self._shape
        numbers = np.empty(rows, np.uint32)
        at = 0
        while True:
            at = fold(
                before, first, second, first_classes, second_classes, width, depth, self._table,
                at, numbers,
            )  # fmt: skip
            if at == rows:
                return numbers
            key = [
                int(before[at]) if before.size else 0,
                int(first_classes[first[at] + 1 if first.size else 0]),
                int(second_classes[second[at] + 1 if second.size else 0]),
            ]
            cell = (key[0] * width + key[1]) * depth + key[2]
            self._table[cell] = self._number(key[0], *key[1 : 1 + len(factors)])

    def _make_room(self, least: tuple[int, int, int]) -> None:
        shape = [
            has if need <= has else max(need, 2 * has)
            for has, need in zip(self._shape, least, strict=True)
        ]
        grown = np.full(shape, _UNKNOWN, np.uint32)
        height, width, depth = self._shape
        grown[:height, :width, :depth] = self._table.reshape(self._shape)
        self._table, self._shape = grown.reshape(-1), (shape[0], shape[1], shape[2])


def _constants(atoms: Iterable[Atom]) -> dict[str, frozenset[str]]:
    """Return the strings of attributes that are only compared with constants for equality."""
    found: dict[str, frozenset[str]] = {}
    others: set[str] = set()
    for atom in atoms:
        if isinstance(atom, TypeIs | StreamIs):
            continue
        values: tuple[syntax.Constant, ...]
        compared = _compared_with_constant(atom)
        if compared is not None:
            name, values = compared[0], (compared[2],)
        elif isinstance(atom, syntax.In) and isinstance(atom.values, tuple):
            name, values = atom.attribute.name, atom.values
        else:
            others |= attributes_of(atom)
            continue
        texts = frozenset(value for value in values if isinstance(value, str))
        found[name] = found.get(name, frozenset()) | texts
    return {name: texts for name, texts in found.items() if name not in others}


class _Plan:
    """The conversion of the batches of one schema to symbols."""

    def __init__(
        self,
        factors: Sequence[_Classes],
        atoms: Mapping[Atom, int],
        symbol: Callable[[int], int],
    ) -> None:
        self._factors = factors
        self._bits = [[1 << atoms[atom] for atom in factor.atoms] for factor in factors]
        self._symbol = symbol
        steps = _in_pairs(factors)
        self._folds = [_Fold(step, self._numbering(depth)) for depth, step in enumerate(steps)]
        self._prefixes: list[list[tuple[int, ...]]] = [[()], *([] for _ in steps)]
        self._numbers: list[dict[tuple[int, ...], int]] = [{} for _ in steps]

    def symbols(self, columns: Mapping[str, Column], rows: int) -> Codes:
        if not self._folds:  # no event can do anything
            return np.full(rows, self._symbol(0), np.uint32)
        numbers = _NO_CODES
        for each, prefixes in zip(self._folds, self._prefixes, strict=False):
            numbers = each.numbers(numbers, columns, len(prefixes), rows)
        return numbers

    def _numbering(self, depth: int) -> Callable[..., int]:
        return lambda before, *classes: self._number(depth, before, classes)

    def _number(self, depth: int, before: int, classes: tuple[int, ...]) -> int:
        prefix = self._prefixes[depth][before] + classes
        if depth + 1 < len(self._folds):
            known = self._numbers[depth]
            if prefix not in known:
                known[prefix] = len(known)
                self._prefixes[depth + 1].append(prefix)
            return known[prefix]
        truth = 0
        for factor, bits, number in zip(self._factors, self._bits, prefix, strict=True):
            held = zip(bits, factor.truths[number], strict=True)
            truth |= sum(bit for bit, holds in held if holds)
        return self._symbol(truth)


def _in_pairs(factors: Sequence[_Classes]) -> list[tuple[_Classes, ...]]:
    """Combine the columns in order, two at a time unless that makes too many classes."""
    steps: list[tuple[_Classes, ...]] = []
    for factor in factors:
        if (
            steps
            and len(steps[-1]) == 1
            and not (isinstance(factor, _BitClasses) and isinstance(steps[-1][0], _BitClasses))
        ):
            steps[-1] = (*steps[-1], factor)
        else:
            steps.append((factor,))
    return steps


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
        self._constants = _constants(atoms)
        self._tests = [decided_by(test, self._atoms) for test in tests]
        self._plans: dict[Hashable, _Plan] = {}

    @property
    def constants(self) -> dict[str, frozenset[str]]:
        """The columns of which only matters which of some strings stands there: these strings."""
        types = frozenset(atom.name for atom in self._atoms if isinstance(atom, TypeIs))
        streams = frozenset(atom.name for atom in self._atoms if isinstance(atom, StreamIs))
        of_events = {self.type_column: types, self._stream_column: streams}
        return {
            name: self._constants.get(name, frozenset()) | of_events.get(name, frozenset())
            for name in {*self._constants, *of_events}
            if name in self._constants or name not in self.attributes
        }

    def of(self, columns: Mapping[str, Column], rows: int) -> Codes:
        """Return the symbols of a batch that has these columns."""
        strings = tuple([name for name, column in columns.items() if isinstance(column, Strings)])
        plan = self._plans.get(strings)
        if plan is None:
            plan = self._plans[strings] = self._plan(frozenset(strings))
        return plan.symbols(columns, rows)

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

    def _symbol_of(self, truth: int) -> int:
        return self._symbol([test(truth) for test in self._tests])
