"""The columns of a record batch as NumPy arrays: numbers without copying, strings as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...semantics.errors import StreamError
from .terms import Truths, Values

RecordBatch: TypeAlias = Any
ArrowArray: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Strings:
    """A column of strings: row i is `dictionary[codes[i]]`, missing where `valid[i]` is false."""

    codes: npt.NDArray[np.integer[Any]]
    dictionary: ArrowArray
    valid: Truths | None

    def rows(self, begin: int, end: int) -> Strings:
        valid = None if self.valid is None else self.valid[begin:end]
        return Strings(self.codes[begin:end], self.dictionary, valid)


Column: TypeAlias = Values | Strings


def column_of(array: ArrowArray, name: str) -> Column | None:
    """The column, None if it holds nothing but missing values.

    Integers of any width are int64, floating and decimal numbers float64, dates and times integers
    of their own unit. Raises StreamError for values that are no numbers, strings or booleans.
    """
    kind = array.type
    types = pa.types
    if types.is_null(kind):
        return None
    if types.is_dictionary(kind):
        if types.is_string(kind.value_type) or types.is_large_string(kind.value_type):
            return Strings(_raw(array.indices), array.dictionary, _valid(array))
        array = array.dictionary_decode()
        kind = array.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        encoded = array.dictionary_encode()
        return Strings(_raw(encoded.indices), encoded.dictionary, _valid(array))
    if types.is_boolean(kind):
        filled = array.fill_null(False) if array.null_count else array
        return Values("boolean", filled.to_numpy(zero_copy_only=False), _valid(array))
    if not types.is_int64(kind) and not types.is_float64(kind):
        array = _converted(array, name)
    return Values("number", _raw(array), _valid(array))


def _converted(array: ArrowArray, name: str) -> ArrowArray:
    kind = array.type
    types = pa.types
    try:
        if types.is_floating(kind) or types.is_decimal(kind):
            return array.cast(pa.float64())
        if types.is_date32(kind) or types.is_time32(kind):
            return array.cast(pa.int32()).cast(pa.int64())
        if types.is_integer(kind) or types.is_temporal(kind):
            return array.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise StreamError(f"column '{name}' cannot be read: {error}") from None
    raise StreamError(
        f"column '{name}' is of type {kind}: a value is a number, a string or a boolean"
    )


_DTYPES = {
    pa.int8(): np.int8, pa.int16(): np.int16, pa.int32(): np.int32, pa.int64(): np.int64,
    pa.uint8(): np.uint8, pa.uint16(): np.uint16, pa.uint32(): np.uint32, pa.uint64(): np.uint64,
    pa.float64(): np.float64,
}  # fmt: skip


def _raw(array: ArrowArray) -> npt.NDArray[Any]:
    """The values as they lie in memory, whatever stands where one is missing."""
    dtype = _DTYPES[array.type]
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype)[array.offset : array.offset + len(array)]


def _valid(array: ArrowArray) -> Truths | None:
    if not array.null_count:
        return None
    result: Truths = array.is_valid().to_numpy(zero_copy_only=False)
    return result


def texts(column: Strings) -> Values:
    """A column of strings as objects: for the few predicates that compare two of them."""
    words = np.array([*column.dictionary.to_pylist(), ""], dtype=object)
    codes = column.codes
    if column.valid is not None:
        codes = np.where(column.valid, codes, -1)
    return Values("string", words[codes], column.valid)


def all_values(columns: Mapping[str, Column]) -> dict[str, Values]:
    return {
        name: texts(column) if isinstance(column, Strings) else column
        for name, column in columns.items()
    }
