"""The columns of record batches as NumPy arrays; strings as integer codes, equal in every batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....semantics.model.errors import StreamError
from ...checkpoints.state_schema import stateful
from ...kernels import compiled, eight_bytes, inlined, sealed
from ...tuning import IN_USE
from ..kernels.tecs import Words
from .terms import Truths, Values

Codes: TypeAlias = npt.NDArray[np.int32]
Bytes: TypeAlias = npt.NDArray[np.uint8]

MISSING = -1
_LEAST = 8  # bytes of data; fewer are filled up
_ENTRY = np.uint64(3)  # the string as a number (or its hash), its length, its code plus one
_SHORT = np.uint64(8)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_BYTE = np.uint64(8)
_WORD = np.uint64(64)

# Registers of a vocabulary.
KNOWN = 0  # how many strings it has
USED = 1  # how many bytes they take
NEXT = 2  # the index of the string to go on from
CLOSED = 3  # 1: what it does not have gets the number after the last
REGISTERS = 4

DONE = 0
FULL = 1  # the table, the list of ends or the memory of bytes is full


@inlined
def place_of(word: np.uint64, length: np.uint64, mask: np.uint64) -> np.uint64:
    place: np.uint64 = ((word ^ word >> _HALF) + length) * _MIX >> _HALF & mask
    return place


# One function: where it is in the strings, the table and the bytes changes together at every step.
@compiled
def encode_strings(
    offsets: Codes,  # Arrow's: string i lies in data[offsets[i]:offsets[i + 1]]
    data: Bytes,  # of at least eight bytes
    valid: npt.NDArray[np.bool_],  # empty: all are
    state: Words,
    table: Words,  # open addressing; the capacity is a power of two
    ends: Words,  # by code: where the known string ends in `memory`
    memory: Bytes,
    codes: Codes,  # result; MISSING where it is not valid
) -> int:
    """Number strings in the order of their first occurrence."""
    mask = np.uint64(table.size) // _ENTRY - _ONE
    checked = valid.size > 0
    closed = state[CLOSED] != _ZERO
    count = np.uint64(codes.size)
    last = np.uint64(data.size) - _SHORT
    i = state[NEXT]
    while i < count:
        if checked and not valid[i]:
            codes[i] = MISSING
            i += _ONE
            continue
        begin, end = np.uint64(offsets[i]), np.uint64(offsets[i + _ONE])
        length = end - begin
        word = _ZERO
        if length > _SHORT:
            at = begin
            while at + _SHORT < end:
                word = (word ^ eight_bytes(data, at)) * _MIX
                word ^= word >> _HALF
                at += _SHORT
            word = (word ^ eight_bytes(data, end - _SHORT)) * _MIX
        elif length != _ZERO:
            if begin <= last:
                word = eight_bytes(data, begin) << (_WORD - length * _BYTE)
            else:  # the string ends where the data do
                word = eight_bytes(data, last)
                word = word >> (begin - last) * _BYTE << (_WORD - length * _BYTE)
        place = place_of(word, length, mask)
        while True:
            entry = place * _ENTRY
            code = table[entry + _TWO]
            if code == _ZERO:
                known = state[KNOWN]
                if closed:
                    code = known + _ONE
                    break
                if (
                    known == np.uint64(ends.size)
                    or state[USED] + length + _SHORT > np.uint64(memory.size)
                ):
                    state[NEXT] = i
                    return FULL
                to = state[USED]
                for offset in range(length):
                    memory[to + np.uint64(offset)] = data[begin + np.uint64(offset)]
                state[USED] = to + length
                ends[known] = state[USED]
                state[KNOWN] = known + _ONE
                code = known + _ONE
                table[entry] = word
                table[entry + _ONE] = length
                table[entry + _TWO] = code
                break
            if table[entry] == word and table[entry + _ONE] == length:
                if length <= _SHORT:
                    break
                stored = ends[code - _ONE] - length
                at = _SHORT
                while at < length and eight_bytes(memory, stored + at - _SHORT) == eight_bytes(
                    data, begin + at - _SHORT
                ):
                    at += _SHORT
                if at >= length and eight_bytes(memory, stored + length - _SHORT) == eight_bytes(
                    data, end - _SHORT
                ):
                    break
            place = (place + _ONE) & mask
        codes[i] = np.int32(code - _ONE)
        i += _ONE
    return DONE


@compiled
def place_anew(old: Words, table: Words) -> None:
    """Put the entries of a table into a larger one."""
    mask = np.uint64(table.size) // _ENTRY - _ONE
    for at in range(_ZERO, np.uint64(old.size), _ENTRY):
        if old[at + _TWO] == _ZERO:
            continue
        place = place_of(old[at], old[at + _ONE], mask)
        while table[place * _ENTRY + _TWO] != _ZERO:
            place = (place + _ONE) & mask
        for word in range(_ENTRY):
            table[place * _ENTRY + np.uint64(word)] = old[at + np.uint64(word)]


@stateful(kept=("_state", "_table", "_ends", "_memory"))
class Vocabulary:
    """The strings of a column so far, numbered from 0.

    A closed one has these `words` and no others: all other strings get the number after the last.
    """

    def __init__(self, words: Collection[str] | None = None) -> None:
        self._state = np.zeros(REGISTERS, np.uint64)
        self._make_room(128, 4096)
        if words is not None:
            self._close(words)

    def _make_room(self, strings: int, size: int) -> None:
        """Allocate an empty vocabulary for a number of strings (a power of two) and bytes."""
        self._table: Words = np.zeros(6 * strings, np.uint64)
        self._ends: Words = np.zeros(strings, np.uint64)
        self._memory: Bytes = np.zeros(size, np.uint8)

    def _close(self, words: Iterable[str]) -> None:
        encoded = [word.encode("utf-8", "surrogatepass") for word in dict.fromkeys(words)]
        offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
        self.codes(offsets, b"".join(encoded), None)
        self._state[CLOSED] = 1

    def resumed(self) -> None:
        """Raise ValueError where the arrays do not fit one another: kernels check no bounds."""
        strings, room = self._ends.size, self._table.size
        known, used = int(self._state[KNOWN]), int(self._state[USED])
        entries = self._table.reshape(-1, int(_ENTRY))
        codes = entries[:, 2]
        ends = self._ends[codes[codes > 0].astype(np.int64) - 1] if known <= strings else None
        if (
            not strings or strings & (strings - 1) or room != 6 * strings or known > strings
            or used > self._memory.size or (codes > known).any() or ends is None
            or (ends > used).any() or (entries[codes > 0, 1] > ends).any()
        ):
            raise ValueError("the arrays of a vocabulary do not fit one another")

    def __len__(self) -> int:
        """Return the number of codes, including the one of all other strings."""
        return int(self._state[KNOWN]) + int(self._state[CLOSED])

    @property
    def is_full(self) -> bool:
        """True when the table should be replaced: codes are temporary."""
        return int(self._state[KNOWN]) > IN_USE.strings and not self._state[CLOSED]

    def words(self, first: int = 0) -> list[str]:
        """Return the strings from this code on; for all others, one that is longer than any."""
        known = int(self._state[KNOWN])
        ends = [int(self._ends[first - 1]) if first else 0]
        ends += self._ends[first:known].tolist()
        memory = self._memory[: ends[-1]].tobytes()
        found = [
            memory[begin:end].decode("utf-8", "surrogatepass")
            for begin, end in pairwise(ends)
        ]
        if self._state[CLOSED] and first <= known:
            found.append("?" * (int(self._state[USED]) + 1))
        return found

    def encoded(self, first: int = 0) -> tuple[Codes, Any]:
        """Return the strings from this code on as Arrow stores them: begins, ends, bytes."""
        known = int(self._state[KNOWN])
        ends = self._ends[first:known].astype(np.int32)
        begin = np.int32(self._ends[first - 1] if first else 0)
        return np.append(begin, ends), self._memory

    def only(self, codes: npt.NDArray[np.int64]) -> Vocabulary:
        """Return a vocabulary of these strings in this order."""
        begins = np.append(np.uint64(0), self._ends)[codes].astype(np.int64)
        lengths = self._ends[codes].astype(np.int64) - begins
        offsets = np.append(0, np.cumsum(lengths))
        places = np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1])
        chosen = Vocabulary()
        chosen._make_room(self._ends.size, self._memory.size)
        chosen.codes(offsets.astype(np.int32), self._memory[places], None)
        return chosen

    def codes(self, offsets: Codes, data: Any, valid: npt.NDArray[np.bool_] | None) -> Codes:
        """Return the codes of the strings that Arrow keeps in these buffers."""
        codes = np.empty(offsets.size - 1, np.int32)
        validity = np.zeros(0, np.bool_) if valid is None else valid
        as_bytes = np.frombuffer(data, np.uint8)
        if as_bytes.size < _LEAST:
            as_bytes = np.concatenate([as_bytes, np.zeros(_LEAST, np.uint8)])
        offsets, as_bytes = sealed(offsets), sealed(as_bytes)
        self._state[NEXT] = 0
        while encode_strings(
            offsets, as_bytes, validity, self._state, self._table, self._ends, self._memory, codes,
        ):  # fmt: skip
            self._grow(int(self._state[USED]) + int(offsets[-1] - offsets[0]) + 8)
        return sealed(codes)

    def _grow(self, bytes_at_most: int) -> None:
        """Double the capacity that was too small."""
        if int(self._state[KNOWN]) == self._ends.size:
            self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
            old, self._table = self._table, np.zeros(2 * self._table.size, np.uint64)
            place_anew(old, self._table)
            return
        grown = np.zeros(max(2 * self._memory.size, min(bytes_at_most, 1 << 20)), np.uint8)
        grown[: self._memory.size] = self._memory
        self._memory = grown


RecordBatch: TypeAlias = Any
ArrowArray: TypeAlias = Any


_FEW = 64


class Dictionary:
    """The strings of a dictionary-encoded column: Arrow's dictionary, as words by their codes."""

    def __init__(self, dictionary: ArrowArray) -> None:
        self._dictionary = dictionary
        self._place = _place(dictionary)
        self._words: list[str] = dictionary.to_pylist()

    def holds(self, dictionary: ArrowArray) -> bool:
        """Return True if these are the same strings; the very same memory is not compared."""
        if len(dictionary) > _FEW and _place(dictionary) == self._place:
            return True
        same: bool = dictionary.equals(self._dictionary)
        return same

    def __len__(self) -> int:
        return len(self._words)

    def words(self, first: int = 0) -> list[str]:
        return self._words[first:]

    def encoded(self, first: int = 0) -> tuple[Codes, Any]:
        """Return the strings from this code on as Arrow stores them: begins, ends, bytes."""
        return _strings_of(self._dictionary.cast(pa.string())[first:])


def _place(dictionary: ArrowArray) -> tuple[Any, ...]:
    """Return the address of an array; while it is held, nothing else can have that address."""
    addresses = (buffer and buffer.address for buffer in dictionary.buffers())
    return dictionary.type, dictionary.offset, len(dictionary), *addresses


class Strings(NamedTuple):
    """A column of strings: row i is word `codes[i]`, or missing where that is MISSING.

    Codes mean the same as long as `vocabulary` is the same object, which may grow.
    """

    codes: Codes
    vocabulary: Vocabulary | Dictionary
    nulls: bool = True  # whether one may be missing

    def rows(self, begin: int, end: int) -> Strings:
        return Strings(self.codes[begin:end], self.vocabulary, self.nulls)

    def taken(self, which: npt.NDArray[np.uint32]) -> Strings:
        return Strings(self.codes[which], self.vocabulary, self.nulls)

    @property
    def valid(self) -> Truths | None:
        """The mask of the values that are not missing; None: all."""
        if not self.nulls:
            return None
        valid: Truths = self.codes != MISSING
        return None if valid.all() else valid


Column: TypeAlias = Values | Strings


class Reader:
    """Reads the columns that are needed from batches; remembers schemas and vocabularies.

    `constants` names columns of which other strings than these need not be told apart.
    """

    def __init__(
        self, needed: frozenset[str], constants: Mapping[str, Collection[str]] | None = None
    ) -> None:
        self._needed = needed
        self._constants = constants or {}
        self._schema: Any = None
        self._plan: list[tuple[int, str, Callable[[ArrowArray], Column]]] = []
        self._vocabularies: dict[str, Vocabulary | Dictionary] = {}

    def columns(self, batch: RecordBatch) -> dict[str, Column]:
        """Return the needed columns; one that holds only missing values may be left out.

        Integers of any width are int64, floating and decimal numbers float64, dates and times
        integers of their own unit. Raises StreamError for values that are no numbers, strings or
        booleans.
        """
        schema = batch.schema
        if schema is not self._schema and not (self._schema and schema.equals(self._schema)):
            self._schema = schema
            self._plan = [
                (at, name, way)
                for at, name in enumerate(schema.names)
                if name in self._needed
                and (way := self._way(name, schema.field(at).type)) is not None
            ]
        return {name: way(batch.column(at)) for at, name, way in self._plan}

    def _way(self, name: str, kind: Any) -> Callable[[ArrowArray], Column] | None:
        types = pa.types
        if types.is_null(kind):
            return None
        if types.is_dictionary(kind):
            if types.is_string(kind.value_type) or types.is_large_string(kind.value_type):
                dtype = _DTYPES[str(kind.index_type)]
                return lambda array: self._encoded(name, dtype, array)
            if types.is_string_view(kind.value_type):  # Arrow cannot take from these
                plain = pa.dictionary(kind.index_type, pa.string())
                dtype = _DTYPES[str(kind.index_type)]
                return lambda array: self._encoded(name, dtype, array.cast(plain))
            inner = self._way(name, kind.value_type)
            return None if inner is None else lambda array: inner(array.dictionary_decode())
        if types.is_string(kind):
            return lambda array: self._strings(name, array)
        if types.is_large_string(kind) or types.is_string_view(kind):
            return lambda array: self._strings(name, array.cast(pa.string()))
        if types.is_boolean(kind):
            return _booleans
        if types.is_int64(kind):
            return lambda array: Values("number", _raw(array, _INT64), _valid(array))
        if types.is_float64(kind):
            return lambda array: Values("number", _raw(array, _FLOAT64), _valid(array))
        return _converted(name, kind)

    def _strings(self, name: str, array: ArrowArray) -> Strings:
        vocabulary = self._vocabularies.get(name)
        if not isinstance(vocabulary, Vocabulary) or vocabulary.is_full:
            vocabulary = self._vocabularies[name] = Vocabulary(self._constants.get(name))
        valid = _valid(array)
        codes = vocabulary.codes(*_strings_of(array), valid)
        return Strings(codes, vocabulary, valid is not None)

    def _encoded(self, name: str, dtype: Any, array: ArrowArray) -> Strings:
        known = self._vocabularies.get(name)
        dictionary = array.dictionary
        if dictionary.null_count:
            return self._encoded(name, _INT32, array.dictionary_decode().dictionary_encode())
        if not isinstance(known, Dictionary) or not known.holds(dictionary):
            known = self._vocabularies[name] = Dictionary(dictionary)
        codes = _raw(array, dtype)
        if dtype is not _INT32:
            codes = sealed(codes.astype(np.int32))
        valid = _valid(array)
        if valid is None:
            return Strings(codes, known, False)
        return Strings(sealed(np.where(valid, codes, np.int32(MISSING))), known)


def _strings_of(array: ArrowArray) -> tuple[Codes, Any]:
    """Return the offset of each string and the end of the last one; and the bytes."""
    _, offsets, data = array.buffers()
    size = len(array) + 1
    starts = np.frombuffer(offsets, np.int32, size, 4 * array.offset)
    return starts, b"" if data is None else data


def _booleans(array: ArrowArray) -> Values:
    values, valid = _truths(array), _valid(array)
    if valid is not None:
        values &= valid
    return Values("boolean", values, valid)


def _converted(name: str, kind: Any) -> Callable[[ArrowArray], Column]:
    types = pa.types
    steps: list[Any]
    dtype: Any
    if types.is_floating(kind) or types.is_decimal(kind):
        steps, dtype = [pa.float64()], _FLOAT64
    elif types.is_date32(kind) or types.is_time32(kind):
        steps, dtype = [pa.int32(), pa.int64()], _INT64
    elif types.is_integer(kind) or (types.is_temporal(kind) and not types.is_interval(kind)):
        steps, dtype = [pa.int64()], _INT64
    else:
        raise StreamError(
            f"column '{name}' is of type {kind}: a value is a number, a string or a boolean"
        )

    def convert(array: ArrowArray) -> Values:
        try:
            for step in steps:
                array = array.cast(step)
        except pa.ArrowInvalid as error:
            raise StreamError(f"column '{name}' cannot be read: {error}") from None
        return Values("number", _raw(array, dtype), _valid(array))

    return convert


_INT32, _INT64, _FLOAT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)
_DTYPES = {
    "int8": np.dtype(np.int8), "int16": np.dtype(np.int16), "int32": _INT32, "int64": _INT64,
    "uint8": np.dtype(np.uint8), "uint16": np.dtype(np.uint16), "uint32": np.dtype(np.uint32),
    "uint64": np.dtype(np.uint64),
}  # fmt: skip


def _raw(array: ArrowArray, dtype: Any) -> npt.NDArray[Any]:
    """Return the values as stored; those at missing values are arbitrary."""
    buffer = array.buffers()[1]
    size = len(array)
    if buffer is None or not size:
        return sealed(np.zeros(size, dtype))
    return sealed(np.frombuffer(buffer, dtype, size, array.offset * dtype.itemsize))


def _valid(array: ArrowArray) -> Truths | None:
    if not array.null_count:
        return None
    return _truths(array.is_valid())


def _truths(array: ArrowArray) -> Truths:
    """Return the truth values; those at missing values are arbitrary.

    Arrow's own `to_numpy` imports pandas where it is installed, which takes 0.2 s.
    """
    return _raw(array.cast(pa.uint8()), np.dtype(np.uint8)).view(np.bool_).copy()


def all_values(columns: Mapping[str, Column]) -> dict[str, Values]:
    """Return the columns as values, strings as objects: for the few predicates that compare two."""
    return {
        name: _texts(column) if isinstance(column, Strings) else column
        for name, column in columns.items()
    }


def _texts(column: Strings) -> Values:
    words = np.array([*column.vocabulary.words(), ""], dtype=object)
    return Values("string", words[column.codes], column.valid)
