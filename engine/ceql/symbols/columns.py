"""The columns of record batches as NumPy arrays: numbers without copying, strings as codes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....semantics.model.errors import StreamError
from ...kernels import sealed
from .strings import MISSING, Codes, Vocabulary
from .terms import Truths, Values

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
        """Whether these are the same strings; of the very same memory they are not compared."""
        if len(dictionary) > _FEW and _place(dictionary) == self._place:
            return True
        same: bool = dictionary.equals(self._dictionary)
        return same

    def __len__(self) -> int:
        return len(self._words)

    def words(self, first: int = 0) -> list[str]:
        return self._words[first:]

    def encoded(self, first: int = 0) -> tuple[Codes, Any]:
        """The strings from this code on as Arrow has them: where they begin and end, in bytes."""
        return _strings_of(self._dictionary.cast(pa.string())[first:])


def _place(dictionary: ArrowArray) -> tuple[Any, ...]:
    """Where an array lies in memory; as long as it is held, nothing else can lie there."""
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
        """Which are not missing; None: all."""
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
        """The columns that are needed; one that holds only missing values may be left out.

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
    """Where in the bytes each string begins and the last one ends; the bytes."""
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
    """The values as they lie in memory, whatever stands where one is missing."""
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
    """Truth values, whatever stands where one is missing.

    Arrow's own `to_numpy` imports pandas where it is installed, which takes 0.2 s.
    """
    return _raw(array.cast(pa.uint8()), np.dtype(np.uint8)).view(np.bool_).copy()


def all_values(columns: Mapping[str, Column]) -> dict[str, Values]:
    """The columns as values, strings as objects: for the few predicates that compare two."""
    return {
        name: _texts(column) if isinstance(column, Strings) else column
        for name, column in columns.items()
    }


def _texts(column: Strings) -> Values:
    words = np.array([*column.vocabulary.words(), ""], dtype=object)
    return Values("string", words[column.codes], column.valid)
