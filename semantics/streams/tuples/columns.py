"""The conversion of a table's columns to the layout of `tuples`: names, types, arrival times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...ceql.syntax.tree import AttributeType, StreamDeclaration
from ...model.errors import StreamError
from ...model.tuples import (
    HEARTBEAT,
    STREAM,
    TIME,
    TYPE,
    OutOfOrderError,
    RecordBatch,
    UntimedError,
    out_of_order,
    shown_arrival,
)

TIME_COLUMNS = ("time", "timestamp", "arrival_time")
"""The columns that hold the arrival time where nothing says which one does."""
TIMESTAMPS = {b"denota": b"timestamps"}
"""The metadata of arrival times that the source has as timestamps, not as numbers."""
_SECOND = 1_000_000_000


@dataclass
class TimeOrder:
    """The order of the arrival times in one reading of a stream, which may be of several files."""

    disorder: list[StreamError] = field(default_factory=list)
    """The first tuple that is earlier than a heartbeat or a tuple before it, and the first that is
    earlier than a tuple: errors where the order matters, and where heartbeats are read. The first
    tuple whose time cannot be read: an error where times matter."""
    latest: tuple[int, str] = (-(1 << 63), "")
    """The latest time of a tuple, and how it is written."""
    promised: tuple[int, str] = (-(1 << 63), "")
    """The latest time of a tuple or heartbeat, and how it is written."""

    def __post_init__(self) -> None:
        self.watched = not self.is_disordered  # whether the times so far are in order

    @property
    def is_disordered(self) -> bool:
        """True if a tuple is noted that is earlier than one before or than a heartbeat."""
        return any(isinstance(each, OutOfOrderError) for each in self.disorder)

    def note_unreadable(self, error: UntimedError) -> None:
        """Note a tuple whose time cannot be read, unless one is noted."""
        if not any(isinstance(each, UntimedError) for each in self.disorder):
            self.disorder.append(error)


@dataclass(frozen=True)
class Layout:
    """The options for reading the columns of a stream."""

    type_column: str = "type"
    time_column: str | None = None
    declaration: StreamDeclaration | None = None
    columns: frozenset[str] | None = None  # that are needed, None: all
    disorder: list[StreamError] = field(default_factory=list, compare=False)
    header: set[str] = field(default_factory=set, compare=False)
    """The names of all columns, of those that are passed over as well."""
    order: TimeOrder | None = field(default=None, compare=False)
    """The order of the files before, None for one of its own in each reading."""

    def needs(self, name: str, kind: AttributeType) -> bool:
        """Return True if a column must be read: for its values, or because it may hold the time."""
        if self.columns is None or name == self.type_column or name in self.columns:
            return True
        tells_time = kind is AttributeType.PRIMARY_TIME or name in (
            self.time_column, *TIME_COLUMNS
        )
        return tells_time and TIME in self.columns

    def declared_types(self, source: str) -> dict[str, AttributeType]:
        """Return the attributes' declared types; int and double together are double.

        Raises StreamError for an attribute that is of other types in different events: a column
        has one type.
        """
        types: dict[str, AttributeType] = {}
        first: dict[str, str] = {}
        for event in self.declaration.events if self.declaration else ():
            for name, kind in event.attributes:
                known = types.setdefault(name, kind)
                first.setdefault(name, event.name)
                if known is kind:
                    continue
                if {known, kind} == {AttributeType.INT, AttributeType.DOUBLE}:
                    types[name] = AttributeType.DOUBLE
                    continue
                raise StreamError(
                    f"attribute '{name}' is declared {known} in event {first[name]} and {kind} in"
                    f" event {event.name}: in one stream it must have one type",
                    source=source, line=event.position.line, column=event.position.column,
                )
        return types

    @property
    def only_event(self) -> str | None:
        """The event type of a stream that is declared to have only one."""
        events = self.declaration.events if self.declaration else ()
        return events[0].name if len(events) == 1 else None

    def check(self, names: Sequence[str], source: str, line: int = 0) -> None:
        """Raise StreamError if these cannot be the names of a stream's columns."""
        for place, name in enumerate(names):
            if name in names[:place]:
                raise StreamError(f"column '{name}' is there twice", source=source, line=line)
            if name in (TYPE, TIME, STREAM):
                raise StreamError(f"no column can be called '{name}'", source=source, line=line)
        shown = ", ".join(names) or "none"
        if self.type_column not in names and self.only_event is None:
            raise StreamError(
                f"no column '{self.type_column}' holds the event type (the columns are: {shown});"
                " name the one that does (--type-column)",
                source=source, line=line,
            )
        if self.time_column is not None and self.time_column not in names:
            raise StreamError(
                f"there is no column '{self.time_column}' (the columns are: {shown})",
                source=source, line=line,
            )


class Arranger:
    """Puts batches of typed columns into the layout; what the first one decides holds for all.

    `place` tells the line of a row of a batch, 0 where the source has no lines; `raw` is the batch
    as the source has it, where the attributes of `batch` have been converted.
    """

    def __init__(self, layout: Layout, source: str) -> None:
        self.layout = layout
        self.source = source
        self._time: str | None = None
        self._scale = _SECOND
        self._asked = False  # whether the user says that the column holds times
        self._decided = False
        self._seen = 0
        self._order = layout.order or TimeOrder(layout.disorder)

    def arranged(
        self, batch: RecordBatch, place: Callable[[int], int], raw: RecordBatch | None = None
    ) -> RecordBatch:
        """Return the batch in the layout of `tuples`."""
        import pyarrow as pa

        raw = batch if raw is None else raw
        if not self._decided:
            self._decide(raw, place)
        columns: dict[str, Any] = {TYPE: self._types(batch, place)}
        if self._time is not None:
            columns[TIME] = self._times(raw, place)
            if self._order.watched and self._time in raw.schema.names and raw.num_rows:
                self._watch(columns[TIME], columns[TYPE], raw.column(self._time), place)
        for name in batch.schema.names:
            if name != self.layout.type_column:
                columns[name] = batch.column(name)
        self._seen += batch.num_rows
        arranged = pa.RecordBatch.from_pydict(columns)
        if self._time in raw.schema.names and pa.types.is_timestamp(
            raw.schema.field(self._time).type
        ):
            times = pa.field(TIME, pa.int64(), metadata=TIMESTAMPS)
            schema = arranged.schema.set(arranged.schema.get_field_index(TIME), times)
            arranged = arranged.cast(schema)
        return arranged

    def _types(self, batch: RecordBatch, place: Callable[[int], int]) -> Any:
        import pyarrow as pa

        name = self.layout.type_column
        if name not in batch.schema.names:
            return pa.array([self.layout.only_event] * batch.num_rows, pa.string())
        column = batch.column(name)
        if not pa.types.is_string(column.type) and not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        if column.null_count:
            row = column.is_null().to_pylist().index(True)
            raise StreamError(
                f"tuple {self._seen + row} has no event type (column '{name}' is empty)",
                source=self.source, line=place(row),
            )
        return column

    # --- arrival times ---

    def _decide(self, batch: RecordBatch, place: Callable[[int], int]) -> None:
        self._decided = True
        if self.layout.columns is not None and TIME not in self.layout.columns:
            return
        declared = self.layout.declared_types(self.source)
        primary = [name for name, kind in declared.items() if kind is AttributeType.PRIMARY_TIME]
        if self.layout.time_column is not None:
            self._time, self._asked = self.layout.time_column, True
        elif primary:
            self._time, self._scale, self._asked = primary[0], 1, True
        else:
            self._time = next((n for n in TIME_COLUMNS if self._can_be_time(batch, n, place)), None)
        if self._time is not None and self._time not in batch.schema.names:
            raise StreamError(
                f"there is no column '{self._time}', which is declared to hold the arrival time",
                source=self.source,
            )

    def _can_be_time(
        self, batch: RecordBatch, name: str, place: Callable[[int], int]
    ) -> bool:
        if name not in batch.schema.names or name == self.layout.type_column:
            return False
        column = batch.column(name)
        if column.null_count == len(column):
            return False
        try:
            self._times_of(column, strict=True)
        except _NotTimes as error:
            self._order.note_unreadable(self._unreadable(name, error, place))
            return False
        except _TooFine:
            pass  # it holds times; `_times` says which of them will not do
        return True

    def _times(self, raw: RecordBatch, place: Callable[[int], int]) -> Any:
        import pyarrow as pa

        if self._time not in raw.schema.names:
            return pa.nulls(raw.num_rows, pa.int64())
        try:
            return self._times_of(raw.column(self._time), strict=self._asked)
        except (_NotTimes, _TooFine) as error:
            raise self._unreadable(self._time, error, place) from None

    def _unreadable(
        self, name: str | None, error: _NotTimes | _TooFine, place: Callable[[int], int]
    ) -> UntimedError:
        """Return the error of a column whose values are not times."""
        which, line = "", 0
        if error.row is not None:
            line, tuple_ = place(error.row), self._seen + error.row
            which = f" (row {tuple_ + 1})" if line else f" (tuple {tuple_})"
        return UntimedError(
            f"column '{name}' cannot hold arrival times: {error}{which}",
            source=self.source, line=line,
        )

    def _watch(self, times: Any, types: Any, raw: Any, place: Callable[[int], int]) -> None:
        """Note the first tuples that are earlier than one before, or than a heartbeat.

        The query decides whether disorder is an error, and its evaluator does not know the lines.
        A tuple without a time is another error; the watch ends there.
        """
        order = self._order
        if times.null_count:
            order.watched = False
            times = times[: times.is_null().to_pylist().index(True)]
            if raw[len(times)].is_valid:
                self._note_unreadable(raw, place)
            else:
                row = len(times)
                order.note_unreadable(UntimedError(
                    f"tuple {self._seen + row} has no arrival time: column '{self._time}' is empty",
                    source=self.source, line=place(row),
                ))
        if not len(times):
            return
        data, last = _integers(times), len(times) - 1
        falls = data[0] < order.promised[0] or (data[1:] < data[:-1]).any()
        if not falls and types[last].as_py() != HEARTBEAT:
            order.latest = order.promised = int(data[last]), _written(raw[last], data[last])
            return

        def written(time: int, row: int | None, before: tuple[int, str]) -> tuple[int, str]:
            return before if row is None else (time, _written(raw[row], time))

        def note(row: int, latest: tuple[int, str]) -> None:
            time = int(data[row])
            order.disorder.append(out_of_order(
                self._seen + row, time, latest[0], source=self.source, line=place(row),
                written=(_written(raw[row], time), latest[1]),
            ))

        latest: tuple[int, int | None] = order.latest[0], None
        promised: tuple[int, int | None] = order.promised[0], None
        for row, (time, type_) in enumerate(zip(data.tolist(), types.to_pylist(), strict=False)):
            if type_ != HEARTBEAT:
                first = time < promised[0] and not order.is_disordered
                if first:
                    note(row, written(*promised, order.promised))
                if time < latest[0]:
                    if not first or latest[0] < promised[0]:
                        note(row, written(*latest, order.latest))
                    order.watched = False
                    return
                latest = time, row
            if time >= promised[0]:
                promised = time, row
        order.latest = written(*latest, order.latest)
        order.promised = written(*promised, order.promised)

    def _note_unreadable(self, raw: Any, place: Callable[[int], int]) -> None:
        try:
            self._times_of(raw, strict=True)
        except _NotTimes as error:
            self._order.note_unreadable(self._unreadable(self._time, error, place))

    def _times_of(self, column: Any, *, strict: bool) -> Any:
        import pyarrow as pa

        kind = column.type
        scale = self._scale
        if pa.types.is_timestamp(kind):
            if kind.unit == "ns":
                _check_whole_microseconds(column)
            try:
                return column.cast(pa.timestamp("ns", kind.tz)).cast(pa.int64())
            except pa.ArrowInvalid:
                raise _NotTimes("a moment is too far away to be counted in nanoseconds") from None
        if pa.types.is_integer(kind):
            column = column.cast(pa.int64())
            if scale == 1:
                return column
            import pyarrow.compute as pc

            try:
                return pc.multiply_checked(column, _scalar(scale))
            except pa.ArrowInvalid:
                raise _NotTimes("a number is too large to be seconds") from None
        if pa.types.is_floating(kind):
            import pyarrow.compute as pc

            seconds = pc.round(pc.multiply(column, _scalar(float(scale))))
            try:
                return seconds.cast(pa.int64())
            except pa.ArrowInvalid:
                raise _NotTimes("a number is no time") from None
        if not any(
            each(kind)
            for each in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        ):
            raise _NotTimes(f"it is of type {kind}")
        times = [_nanoseconds(text, row, strict) for row, text in enumerate(column.to_pylist())]
        return pa.array(times, pa.int64())


def _integers(column: Any) -> Any:
    """Return an int64 column without nulls as NumPy has it; `to_numpy` imports pandas."""
    import numpy as np

    return np.frombuffer(column.buffers()[1], np.int64, len(column), 8 * column.offset)


def _written(cell: Any, time: Any) -> str:
    """Return a time as its column has it, or as it is shown otherwise."""
    value = cell.as_py()
    return value if isinstance(value, str) else shown_arrival(int(time))


def _scalar(value: int | float) -> Any:
    """Return an Arrow scalar, made without what imports pandas where it is installed (0.2 s)."""
    import numpy as np
    import pyarrow as pa

    kind = pa.int64() if isinstance(value, int) else pa.float64()
    data = np.array([value], kind.to_pandas_dtype())
    return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(data)])[0]


class _NotTimes(Exception):
    """A column that cannot be read as times; `row` is the one that cannot, if it is known."""

    def __init__(self, reason: str, row: int | None = None) -> None:
        super().__init__(reason)
        self.row = row


class _TooFine(Exception):
    """A moment that is no whole number of microseconds, in this row."""

    def __init__(self, moment: str, row: int) -> None:
        super().__init__(moment)
        self.row = row


def _check_whole_microseconds(column: Any) -> None:
    import pyarrow as pa

    try:
        column.cast(pa.timestamp("us", column.type.tz))
    except pa.ArrowInvalid:
        nanoseconds = column.cast(pa.int64()).to_pylist()
        row = next(k for k, n in enumerate(nanoseconds) if n is not None and n % 1_000)
        raise _TooFine(
            f"{nanoseconds[row]} nanoseconds since 1970 is finer than a microsecond", row
        ) from None


def _nanoseconds(text: str | None, row: int, strict: bool) -> int | None:
    from ...model.time import TooFineError, parse_datetime

    if text is None:
        return None
    try:
        return parse_datetime(text.strip().replace(" ", "T", 1)) * 1_000
    except TooFineError as error:
        raise _TooFine(error.message, row) from None
    except StreamError as error:
        if not strict:
            return None
        raise _NotTimes(error.message, row) from None
