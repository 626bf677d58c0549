"""Streams of tuples from what users, cases and the adapter protocol give; and tuples as CSV."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...semantics.ceql.syntax.tree import (
    AttributeType,
    CeqlQuery,
    EventDeclaration,
    StreamDeclaration,
)
from ...semantics.model.errors import StreamError
from ...semantics.model.tuples import HEARTBEAT, TYPE, EventTuple, Tuples, batches
from ...semantics.streams.files.data_frames import arrow_of
from ...semantics.streams.tuples.columns import Layout
from ...semantics.streams.tuples.reader import parse_tuples, read_tuples
from ...semantics.streams.tuples.tables import row_batches
from .embedded_text import Table, Text

if TYPE_CHECKING:
    from ..languages.base import AbsentName

_Part = TypeVar("_Part")

TIME = "arrival_time"
"""The attribute by which a generated stream says its arrival times."""

_TYPES = {
    bool: AttributeType.BOOLEAN, int: AttributeType.INT, float: AttributeType.DOUBLE,
    str: AttributeType.STRING,
}


def tuples_of(source: Any, name: str, query: CeqlQuery | None = None) -> Tuples:
    """Return a stream from a text, a file, a `Table`, Arrow data, event tuples or mappings.

    A mapping is as a line of a file, with the event type under `type`. Arrow data, rows and batches
    may come one by one. `query` may declare the stream of this name.
    """
    if isinstance(source, Tuples):
        return source
    declared = None
    if query is not None:
        declared = next((d for d in query.declarations if d.name == name), None)
    if isinstance(source, Text):
        with source.errors_here():
            return _parsed(source.text, None, declared, f"stream {name}")
    if isinstance(source, Table):
        if isinstance(source.csv, Path):
            return read_tuples(source.csv, declaration=source.declaration or declared)
        return _parsed(source.csv, source.declaration, declared, f"stream {name}")
    table = arrow_of(source)
    if table is not None:
        return read_tuples(table, declaration=declared, source=f"stream {name}")
    if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        return read_tuples(source, declaration=declared)
    return _of_rows(source, name, declared)


def declaration_of(texts: Iterable[tuple[str, str]], stream: str) -> StreamDeclaration | None:
    """Return the declaration of a stream in these texts (with their sources); a single one suits
    every stream."""
    from ...semantics.ceql.syntax.parse import parse_declaration

    found = [parse_declaration(text, source=source) for text, source in texts]
    named = [declaration for declaration in found if declaration.name == stream]
    if named or len(found) != 1:
        return named[0] if named else None
    return found[0]


@lru_cache(maxsize=1024)
def _parsed(
    text: str, written: str | None, declared: StreamDeclaration | None, source: str
) -> Tuples:
    return parse_tuples(text, declaration=written or declared, source=source)


_ROWS = 1 << 10  # rows are taken together, at most
_MAX_NAMED_ROWS = 1 << 20  # of a stream whose names are looked at


class _Rows(Tuples):
    """Event tuples that are in memory, or that come from an iterable."""

    def __init__(self, given: Iterable[EventTuple], source: str, size: int = _ROWS) -> None:
        super().__init__(self._as_batches, source)
        self._given = given
        self._size = size

    def one_by_one(self) -> Tuples | None:
        return _Rows(self._given, self.source, 1) if isinstance(self._given, Iterator) else None

    def __iter__(self) -> Iterator[EventTuple]:
        for position, each in enumerate(self._given):
            if not isinstance(each, EventTuple):
                raise StreamError(
                    f"tuple {position} is {_brief(each)}: a tuple is an EventTuple, or all are"
                    " mappings",
                    source=self.source,
                )
            yield each

    def _as_batches(self) -> Iterator[Any]:
        given = iter(self)
        seen = 0
        while rows := list(islice(given, self._size)):
            yield from batches(rows, self._size, self.source, first=seen)
            seen += len(rows)


class KeptTuples(Tuples):
    """A stream whose batches are kept as they are read."""

    def __init__(self, stream: Tuples) -> None:
        super().__init__(self._keeping, stream.source, disorder=stream.disorder)
        self._stream = stream
        self._kept: list[Any] = []

    def _keeping(self) -> Iterator[Any]:
        for batch in self._stream.batches():
            self._kept.append(batch)
            yield batch

    def again(self) -> Tuples:
        """Return the tuples that have been read."""
        return Tuples(lambda: iter(self._kept), self.source)


@dataclass
class TupleNames:
    """The event types and the attributes of tuples.

    Attributes:
        wanted: the types and the attributes that are looked for, None: all.
        unread: the number of streams of which not all tuples have been noted.
        header: further names of columns, which need not have values.
    """

    types: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    wanted: tuple[frozenset[str], frozenset[str]] | None = None
    unread: int = 0
    header: set[str] = field(default_factory=set)

    @property
    def is_complete(self) -> bool:
        """True if all wanted names have been seen."""
        if self.wanted is None:
            return False
        types, attributes = self.wanted
        return types <= self.types and attributes <= self.attributes

    def note(self, batch: Any) -> None:
        """Add the names of a batch."""
        column = batch.column(TYPE)
        # `unique` would import pyarrow.compute.
        self.types.update(getattr(column, "dictionary", column).to_pylist())
        self.attributes.update(
            name for name in batch.schema.names
            if name[:1] != "@" and batch.column(name).null_count < batch.num_rows
        )

    def note_tuple(self, each: EventTuple) -> None:
        """Add the names of a tuple."""
        self.types.add(each.type)
        self.attributes.update(each.attributes)


class NotedTuples(Tuples):
    """A stream whose names are noted as it is read, as long as some are looked for.

    Of a stream of more than 1,048,576 tuples not all names are noted. One that is `live` is unread
    until it ends.
    """

    def __init__(self, stream: Tuples, names: TupleNames, *, live: bool = False) -> None:
        super().__init__(
            lambda: self._noted(stream.batches(), names.note, len), stream.source,
            of_columns=lambda columns: self._noted(stream.batches(columns), names.note, len),
            disorder=stream.disorder,
        )
        self._stream = stream
        self._names = names
        self._live = live
        names.unread += live

    def one_by_one(self) -> Tuples | None:
        singly = self._stream.one_by_one()
        return None if singly is None else NotedTuples(singly, self._names)

    def __iter__(self) -> Iterator[EventTuple]:
        return self._noted(self._stream, self._names.note_tuple, lambda _: 1)

    def _noted(
        self, parts: Iterable[_Part], note: Callable[[_Part], None], size: Callable[[_Part], int]
    ) -> Iterator[_Part]:
        rows = 0
        self._names.unread += not self._live
        parts = iter(parts)
        for part in parts:
            if self._names.is_complete or rows > _MAX_NAMED_ROWS:
                yield part
                yield from parts
                break
            note(part)
            rows += size(part)
            yield part
        self._names.unread -= rows <= _MAX_NAMED_ROWS
        self._names.header |= self._stream.header


def noted(
    language: Any, query: CeqlQuery, streams: Mapping[Any, Any]
) -> tuple[dict[Any, Any], TupleNames]:
    """Return the streams, and the names of the query that they have when they have been read."""
    types = frozenset(each.part for each in language.patterns(query))
    names = TupleNames(wanted=(types, frozenset(language.attributes(query))))
    found = dict(streams)
    for name, stream in streams.items():
        if isinstance(stream, Tuples):
            found[name] = NotedTuples(stream, names)
        elif hasattr(stream, "given"):
            stream.given = NotedTuples(stream.given, names, live=True)
        else:  # of messages
            names.unread += 1
    return found, names


def absent_names(
    language: Any, query: CeqlQuery, seen: TupleNames,
    again: Callable[[], Iterable[Tuples]] | None = None,
) -> list[AbsentName]:
    """Return the names of the query that no tuple has, each with the nearest that one has.

    Args:
        seen: the names of the tuples.
        again: the streams once more, since only attributes of the query may have been read.
    """
    if seen.unread or seen.is_complete:
        return []
    attributes = seen.attributes
    if again is not None and not attributes.issuperset(language.attributes(query)):
        for stream in again():
            names = TupleNames()
            for _ in NotedTuples(stream, names).batches():
                pass
            attributes = attributes | names.attributes
    attributes = attributes | (seen.header - {*language.attributes(query)})
    return list(language.absent_names(query, seen.types - {HEARTBEAT}, attributes))


class TuplesInMemory(Tuples):
    """The tuples of a generated case: what engines read of them is what a file of them says."""

    def __init__(self, given: Sequence[EventTuple], name: str) -> None:
        super().__init__(
            lambda: self._written.batches(), f"stream {name}",
            of_columns=lambda columns: self._written.batches(columns),
        )
        self._given = given
        self._name = name

    @cached_property
    def _written(self) -> Tuples:
        table = _table(self._given, self._name)
        return _parsed(str(table.csv), table.declaration, None, self.source)

    def __iter__(self) -> Iterator[EventTuple]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


class _Mappings(Tuples):
    """Rows as mappings that are in memory, or that come from an iterator."""

    def __init__(
        self, given: Iterable[Mapping[str, Any]], layout: Layout, source: str, size: int = _ROWS
    ) -> None:
        super().__init__(
            lambda: row_batches(given, size=size, layout=layout, source=source), source,
            disorder=layout.disorder,
        )
        self._given = given
        self._layout = layout

    def one_by_one(self) -> Tuples | None:
        if not isinstance(self._given, Iterator):
            return None
        return _Mappings(self._given, self._layout, self.source, 1)


def _of_rows(
    source: Iterable[Any], name: str, declaration: StreamDeclaration | None
) -> Tuples:
    """Return the tuples of rows; a sequence may be read again, other iterables once."""
    called = f"stream {name}"
    given = source if isinstance(source, Sequence) else iter(source)
    head = next(iter(given), None)
    if head is None:
        return Tuples(lambda: iter(()), called)
    if isinstance(given, Iterator):
        given = chain((head,), given)
    if isinstance(head, EventTuple):
        return _Rows(given, called)
    layout = Layout(declaration=declaration)
    if isinstance(head, Mapping):
        return _Mappings(given, layout, called)
    if hasattr(head, "schema"):
        return _of_tables(given, layout, called)
    raise StreamError(
        f"a tuple is an EventTuple or a mapping with its event type under 'type', not"
        f" {_brief(head)}"
    )


def _of_tables(
    given: Iterable[Any], layout: Layout, source: str
) -> Tuples:
    from ...semantics.streams.tuples.tables import table_batches

    pieces = (
        batch
        for table in given
        for batch in (table.to_batches() if hasattr(table, "to_batches") else (table,))
    )
    return Tuples(
        lambda: table_batches(pieces, layout, source), source, disorder=layout.disorder
    )


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


# --- as text --------------------------------------------------------------------------------------


def csv_message(source: Any, name: str) -> dict[str, str]:
    """Return {"csv": …, "declaration": …}: a text as it is, a file or tuples as a text."""
    if isinstance(source, Text):
        return {"csv": source.text}
    table = source if isinstance(source, Table) and isinstance(source.csv, str) else _table(
        tuple(tuples_of(source, name)), name
    )
    told = {"csv": str(table.csv)}
    if table.declaration is not None:
        told["declaration"] = table.declaration
    return told


def table_of(source: Any, name: str = "S") -> Table:
    """Return a table as it is; tuples as CSV with a declaration, which reads as the same tuples."""
    return source if isinstance(source, Table) else _table(tuple(source), name)


def _table(tuples: Sequence[EventTuple], name: str) -> Table:
    from ...semantics.model.pretty_printing import text_of

    kinds: dict[str, AttributeType] = {}
    events: dict[str, dict[str, None]] = {}
    for each in tuples:
        own = events.setdefault(each.type, {})
        for attribute, value in each.attributes.items():
            kind = _TYPES[type(value)]
            if kinds.setdefault(attribute, kind) is not kind:
                kinds[attribute] = AttributeType.DOUBLE
            own[attribute] = None
    timed = any(each.time is not None for each in tuples)
    columns = [TIME, *kinds] if timed and TIME not in kinds else [*kinds]
    if timed:
        kinds[TIME] = AttributeType.PRIMARY_TIME
        for own in events.values():
            own[TIME] = None
    declaration = StreamDeclaration(
        name,
        tuple(
            EventDeclaration(event, tuple((a, kinds[a]) for a in columns if a in own))
            for event, own in events.items()
        ) or (EventDeclaration("A", ()),),
    )
    header = ["type", *columns]
    lines = [",".join(map(_quoted, header))]
    for each in tuples:
        lines.append(",".join([_quoted(each.type), *(_cell(each, column) for column in columns)]))
    return Table("\n".join(lines) + "\n", text_of(declaration).rstrip())


def _cell(each: EventTuple, column: str) -> str:
    if column == TIME and each.time is not None:
        return str(each.time)
    value = each.get(column)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    if text and not any(letter in text for letter in ',"\r\n'):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
