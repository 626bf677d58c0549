"""Streams of tuples (CORE section 2.2): an event type, attributes, and perhaps an arrival time.

A stream is read in record batches of one layout, and row by row from the same batches, so that an
engine and the definitions see the same values:

    @type     string, never null: the event type
    @time     int64, nanoseconds: the arrival time (only where the stream has one)
    @stream   string: the stream's name (only where it has one)
    …         the attributes under their own names: bool, int64, double or string; null is missing
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

from .errors import StreamError
from .time import format_datetime

Value: TypeAlias = bool | int | float | str
"""The value of an attribute; a missing one is not there."""

TYPE, TIME, STREAM = "@type", "@time", "@stream"
"""The columns of a batch that are not attributes."""

HEARTBEAT = "@heartbeat"
"""The event type of a row that is a watermark, and no event."""

RecordBatch: TypeAlias = Any  # pyarrow's, which is imported only where it is needed

_ROWS = 1 << 14


@dataclass(frozen=True, slots=True)
class EventTuple:
    """t: its `type`, t(a) for each of its `attributes`, its arrival `time` in nanoseconds.

    A `time` of None is not known; `stream` is the name of its stream.
    """

    type: str
    attributes: Mapping[str, Value] = field(default_factory=dict)
    time: int | None = None
    stream: str | None = None

    def get(self, attribute: str) -> Value | None:
        """t(a), None where the tuple is not defined on a."""
        return self.attributes.get(attribute)


class Tuples:
    """A stream of tuples, as batches or as rows; it can be read again if what it reads can."""

    def __init__(
        self,
        batches: Callable[[], Iterator[RecordBatch]],
        source: str,
        of_columns: Callable[[frozenset[str]], Iterator[RecordBatch]] | None = None,
        disorder: Sequence[StreamError] = (),
        header: AbstractSet[str] = frozenset(),
    ) -> None:
        self._batches = batches
        self._of_columns = of_columns
        self.source = source
        self.disorder = disorder
        """The first tuple that is earlier than the one before, or that has no arrival time, once
        the reader has seen it."""
        self.header = header
        """The names of all columns, if the reader has seen them without reading each."""

    def batches(self, columns: frozenset[str] | None = None) -> Iterator[RecordBatch]:
        """Return the stream's record batches in the layout above. Raises StreamError on reading.

        Who needs only some columns may name them: where that is faster, others are not read.
        """
        if columns is None or self._of_columns is None:
            return self._batches()
        return self._of_columns(columns)

    def one_by_one(self) -> Tuples | None:
        """Return the same in batches of one if rows come one by one; None if all are present."""
        return None

    def __iter__(self) -> Iterator[EventTuple]:
        for batch in self.batches():
            yield from rows(batch)


def rows(batch: RecordBatch) -> Iterator[EventTuple]:
    """Yield the tuples of a batch."""
    columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
    types = columns.pop(TYPE)
    nothing = [None] * len(types)
    times = columns.pop(TIME, nothing)
    streams = columns.pop(STREAM, nothing)
    for row, (type_, time, stream) in enumerate(zip(types, times, streams, strict=True)):
        attributes = {
            name: column[row] for name, column in columns.items() if column[row] is not None
        }
        yield EventTuple(type_, attributes, time, stream)


def batches(
    tuples: Iterable[EventTuple], size: int = _ROWS, source: str = "<tuples>", *, first: int = 0
) -> Iterator[RecordBatch]:
    """Yield batches of at most `size` of these tuples; every attribute has one type in all of them.

    An attribute that is an int here and a double there is a double. Raises StreamError for one that
    is of other types in different tuples, for an int beyond 64 bits, and for one that no double
    equals where it must be one. `first` is the position of the first of them, for messages.
    """
    import pyarrow as pa

    tuples = list(tuples)
    types = _attribute_types(tuples, source, first)
    arrow = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    for start in range(0, len(tuples), size):
        part = tuples[start : start + size]
        columns = {TYPE: pa.array([each.type for each in part], pa.string())}
        if any(each.time is not None for each in tuples):
            columns[TIME] = pa.array([each.time for each in part], pa.int64())
        if any(each.stream is not None for each in tuples):
            columns[STREAM] = pa.array([each.stream for each in part], pa.string())
        for name, kind in types.items():
            values = [each.get(name) for each in part]
            try:
                columns[name] = pa.array(values, arrow[kind])
            except (OverflowError, ValueError) as error:  # Arrow's own errors are ValueErrors
                at = next((i for i, value in enumerate(values) if not _fits(value, kind)), 0)
                raise StreamError(
                    f"attribute '{name}' of tuple {first + start + at} is {values[at]!r}, which is"
                    f" no {_KINDS[kind]}",
                    source=source,
                ) from error
        yield pa.RecordBatch.from_pydict(columns)


def of_one_type(
    tuples: Iterable[EventTuple], *, first: int = 0
) -> Iterator[list[EventTuple]]:
    """Yield the tuples in runs in which every attribute keeps its type.

    Two streams may have an attribute of one name and of different types: merged, they have no batch
    in common. An int and a double are one in one stream, not in two: a large int of the one need be
    no double because the other has some. Raises StreamError, as `batches` does, for one that
    changes its type in one stream.
    """
    run: list[EventTuple] = []
    kinds: dict[str, tuple[type, str | None]] = {}  # with the stream that has it so
    of_stream: dict[tuple[str | None, str], type] = {}
    for position, each in enumerate(tuples, start=first):
        own = {
            name: kind
            for name, value in each.attributes.items() if (kind := type(value)) in _KINDS
        }
        for name, kind in own.items():
            known = of_stream.setdefault((each.stream, name), kind)
            if not _is_one(kind, known):
                raise _of_two_types(name, kind, known, position, "<tuples>")
        for name, kind in own.items():
            known, stream = kinds.get(name, (kind, each.stream))
            if kind is not known and stream != each.stream:
                yield run
                run, kinds = [], {}
                break
        run.append(each)
        kinds.update((name, (kind, each.stream)) for name, kind in own.items())
    if run:
        yield run


def with_stream(batch: RecordBatch, name: str) -> RecordBatch:
    """Return the batch with the name of its stream."""
    import pyarrow as pa

    names = pa.array([name] * batch.num_rows, pa.string())
    if STREAM in batch.schema.names:
        return batch.set_column(batch.schema.get_field_index(STREAM), STREAM, names)
    return batch.append_column(STREAM, names)


def without_heartbeats(batch: RecordBatch) -> RecordBatch:
    """Return the batch without rows that are no events."""
    types = batch.column(TYPE)
    words = getattr(types, "dictionary", types).buffers()[-1]
    if words is None or HEARTBEAT.encode() not in words.to_pybytes():
        return batch
    return batch.take([row for row, each in enumerate(types.to_pylist()) if each != HEARTBEAT])


_KINDS = {bool: "truth value", int: "64-bit integer", float: "double", str: "text"}


def _fits(value: Value | None, kind: type) -> bool:
    """Return True if a column of this type can hold the value as it is."""
    if value is None or kind is bool:
        return True
    if kind is str:
        return not any("\ud800" <= letter <= "\udfff" for letter in str(value))
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63 and (kind is int or abs(value) <= 1 << 53)
    return True


def _attribute_types(
    tuples: Sequence[EventTuple], source: str, first: int
) -> dict[str, type]:
    types: dict[str, type] = {}
    for position, each in enumerate(tuples, start=first):
        for name, value in each.attributes.items():
            if value is None:
                continue
            kind = type(value)
            if kind not in _KINDS:
                raise StreamError(
                    f"attribute '{name}' of tuple {position} is {value!r}: a value is a number, a"
                    " string or a boolean",
                    source=source,
                )
            known = types.setdefault(name, kind)
            if not _is_one(kind, known):
                raise _of_two_types(name, kind, known, position, source)
            types[name] = float if float in (kind, known) else kind
    return types


def _is_one(kind: type, known: type) -> bool:
    return kind is known or {kind, known} == {int, float}


def _of_two_types(name: str, kind: type, known: type, position: int, source: str) -> StreamError:
    return StreamError(
        f"attribute '{name}' is a {kind.__name__} in tuple {position}, but a {known.__name__}"
        " before",
        source=source,
    )


def merged(
    streams: Mapping[str, Iterable[EventTuple]], order: Sequence[str] = ()
) -> Iterator[EventTuple]:
    """FROM: the streams as one, each tuple with the name of its stream.

    `order` names the streams that are read (by default all, as given); one that is not given is
    empty. Tuples come by arrival time, ties in this order. Streams without arrival times follow one
    another in this order. Raises StreamError where a stream is not in the order of its own times,
    or where some streams only have times.
    """
    import heapq

    chosen = [name for name in order or streams if name in streams]
    if len(chosen) == 1:
        return named(streams[chosen[0]], chosen[0])
    heads: list[tuple[str, Iterator[EventTuple], bool]] = []
    for name in chosen:
        stream = named(streams[name], name)
        first = next(stream, None)
        if first is not None:
            heads.append((name, _before(first, stream), first.time is not None))
    timed = [name for name, _, has_time in heads if has_time]
    untimed = [name for name, _, has_time in heads if not has_time]
    if timed and untimed:
        raise StreamError(
            f"stream '{timed[0]}' has arrival times and stream '{untimed[0]}' has none:"
            " they cannot be merged"
        )
    if untimed:
        return (each for _, stream, _ in heads for each in stream)
    ordered = [_keyed(in_time_order(stream, name), n) for n, (name, stream, _) in enumerate(heads)]
    return (each for _, each in heapq.merge(*ordered, key=lambda pair: pair[0]))


def named(stream: Iterable[EventTuple], name: str) -> Iterator[EventTuple]:
    """Yield the tuples of a stream, with its name."""
    for each in stream:
        yield EventTuple(each.type, each.attributes, each.time, name)


def in_time_order(stream: Iterable[EventTuple], name: str | None = None) -> Iterator[EventTuple]:
    """Yield the tuples of a stream, checked one by one to have non-decreasing arrival times."""
    called = "the stream" if name is None else f"stream '{name}'"
    latest: int | None = None
    for position, each in enumerate(stream):
        if each.time is None:
            raise UntimedError(f"tuple {position} of {called} ({each.type}) has no arrival time")
        if latest is not None and each.time < latest:
            raise out_of_order(f"{position} of {called} ({each.type})", each.time, latest, name)
        latest = each.time
        yield each


class UntimedError(StreamError):
    """A tuple without an arrival time."""


class OutOfOrderError(StreamError):
    """A tuple that is earlier than the one before."""

    times: tuple[int, int] | None = None
    """Its arrival time and that of the one before, in nanoseconds."""
    stream: str | None = None
    """The name of the stream, if it is one of several."""


def out_of_order(
    number: object, time: int, latest: int, stream: str | None = None, *,
    written: tuple[str, str] | None = None, source: str | None = None, line: int = 0,
) -> OutOfOrderError:
    """Return the error of a tuple that is earlier than the one before.

    Args:
        number: the position of the tuple, from 0.
        time, latest: its arrival time and that of the one before, in nanoseconds.
        written: the two as the source has them.
    """
    shown, before = written or (shown_arrival(time), shown_arrival(latest))
    error = OutOfOrderError(
        f"tuple {number} is out of order: {shown} after {before};"
        " set --max-out-of-orderness to sort the input",
        source=source, line=line,
    )
    error.times, error.stream = (time, latest), stream
    return error


def shown_arrival(time: int) -> str:
    """Return an arrival time in nanoseconds as a dateTime, or in seconds if it is before 1971.

    Numbers of seconds and dateTimes are read as nanoseconds since 1970.

    >>> shown_arrival(1_767_225_601_000_000_000), shown_arrival(1_500_000_000)
    ('2026-01-01T00:00:01Z', '1.5 s')
    """
    if time < _YEAR:
        return f"{Decimal(time).scaleb(-9).normalize():f} s"
    return format_datetime(time // 1_000)


_YEAR = 365 * 86_400 * 10**9


def _before(first: EventTuple, rest: Iterator[EventTuple]) -> Iterator[EventTuple]:
    yield first
    yield from rest


def _keyed(
    stream: Iterator[EventTuple], place: int
) -> Iterator[tuple[tuple[int, int], EventTuple]]:
    for each in stream:
        assert each.time is not None
        yield (each.time, place), each
