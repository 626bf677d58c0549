"""The assembly of items from quads: statements of one timestamped graph, and empty graphs.

An RDF graph may be empty (RDF 1.1 Concepts, 3), and an event of an empty graph still happens: it
stands between two others, and matches no pattern. Parsers report quads, so they pass over it; where
a time has no triples next to it, the text that was read tells whether there is an empty graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rdflib.term import BNode, URIRef

from ...model.errors import StreamError
from ...model.items import IntervalGraph, Item, TimeKind, TimestampedGraph, shown_time
from ...model.terms import Term, Triple
from ...model.time import parse_time
from ..files.documents import Document, Format
from ..live.watermarks import Watermark
from ..prefixes import PROV
from .json_ld import EMPTY_GRAPH_MARKER
from .quads import QuadReader

_TRIG_TOKEN = re.compile(
    r'''(?P<skipped>\#[^\n]*
        | """(?:[^"\\]|\\.|"{1,2}(?!"))*""" | \'\'\'(?:[^'\\]|\\.|'{1,2}(?!'))*\'\'\'
        | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
      | (?P<token> <[^<>"{}|^`\s]*> | [{}] | [^\s{}<>"'\#]+ )''',
    re.VERBOSE | re.DOTALL,
)
_ENDS_OF_LONG_STRINGS = tuple(map(re.compile, ('"""', "'''")))
_ENDS_OF_TOKENS = tuple(map(re.compile, ('"+', "'+", ">", "\n")))


def states_empty_graph(reader: QuadReader, format: Format, name: Term) -> bool:
    """Return True if the text since the item before the last states an empty graph so named."""
    if format is not Format.TRIG:
        return False
    document = reader.document
    text = b"".join(document.recent).decode("utf-8", "replace")
    return any(
        reader.graph_named(written) == name
        for start in _token_starts(text, document.recent_from_line_start)
        for written in set(_emptied(text[start:]))
    )


def _token_starts(text: str, from_line_start: bool) -> Iterator[int]:
    """Yield the offsets where a token might begin, if the text begins inside of one.

    Such a token is a string, an IRI or a comment.
    """
    yield 0
    for end in _ENDS_OF_LONG_STRINGS if from_line_start else _ENDS_OF_TOKENS:
        found = end.search(text)
        if found:
            yield found.end()


def _emptied(text: str) -> Iterator[str]:
    """Yield the names, as written, before `{ }`."""
    name = opened = ""
    for match in _TRIG_TOKEN.finditer(text):
        token = match["token"]
        if token is None:
            continue
        if token == "}" and opened:
            yield opened
        opened = name if token == "{" else ""
        name = token


GENERATED = URIRef(PROV + "generatedAtTime")
STARTED = URIRef(PROV + "startedAtTime")
ENDED = URIRef(PROV + "endedAtTime")
_IN_ORDER = (GENERATED, STARTED, ENDED)
TIME_PROPERTIES = frozenset(_IN_ORDER)
HEARTBEAT = URIRef("urn:denota:heartbeat")
"""`[] <urn:denota:heartbeat> TIME` in the default graph: no item earlier than TIME comes."""



class RecentNames:
    """The names of the last items of a stream, so many that a name that comes back is noticed."""

    def __init__(self, size: int = 1 << 16) -> None:
        self._size = size
        self._names: dict[Term, None] = {}

    def __contains__(self, name: Term) -> bool:
        return name in self._names

    def add(self, name: Term) -> None:
        """Remembers a name, and forgets the one remembered longest."""
        self._names[name] = None
        if len(self._names) > self._size:
            del self._names[next(iter(self._names))]


@dataclass(slots=True)
class _Unfinished:
    """The parts of one item read so far. `line` is that of its first statement."""

    name: Term
    line: int
    times: dict[Term, tuple[Term, int]] = field(default_factory=dict)
    triples: list[Triple] = field(default_factory=list)


class Names(Protocol):
    """The names of items that have been read."""

    def __contains__(self, name: Term) -> bool: ...

    def add(self, name: Term) -> None: ...


@dataclass(slots=True)
class Progress:
    """The progress of reading a document, between two items."""

    previous: Item | None = None
    """The last item; its graph does not matter any more."""
    complete: Names = field(default_factory=lambda: RecentNames())
    elsewhere: bool = False
    """True if the default graph has stated a triple that is not about the stream."""
    items: int | None = None
    """The number of items; None if it is not known from the document's beginning on."""


def items_of(
    document: Document, format: Format, scope: str | None
) -> Iterator[Item]:
    """Return the items of a document, which must be in time order."""
    return ItemReader(document, format, scope, Progress(items=0)).items()


class ItemReader:
    """The items of a document from some item on; `progress` is kept up to date."""

    def __init__(
        self, document: Document, format: Format, scope: str | None, progress: Progress, *,
        in_order: bool = True,
    ) -> None:
        self._document = document
        self._format = format
        self._by_line = format is Format.JSON_LINES
        self._reader = QuadReader(document, format, scope, whole=False)
        self._in_order = in_order
        self.line = 0
        """The line on which the item begins that was given last."""
        self.times: Sequence[str] = ()
        """The time of that item, or its start and its end, as they are written."""
        self._progress = progress
        self._current: _Unfinished | None = None

    def items(self) -> Iterator[Item]:
        """Yield the items, each as soon as the next one begins or the document ends."""
        progress = self._progress
        for s, p, o, g in self._reader:
            if g is None and p not in TIME_PROPERTIES:
                if p not in (EMPTY_GRAPH_MARKER, HEARTBEAT):
                    progress.elsewhere = True
                if p == HEARTBEAT:
                    yield from self._beats(o)
                continue
            name = s if g is None else g
            current = self._current
            if current is None or (
                (name is not current.name and name != current.name) or self._line_over(current)
            ):
                yield from self._ended()
                current = self._current = self._begun(name)
            if g is None:
                self._state_time(current, p, o)
                yield from self._timed(current)
            else:
                current.triples.append((s, p, o))
        yield from self._ended()
        if progress.elsewhere and progress.previous is None:
            raise self._error("expected named graphs with times, but all is in the default graph")

    def _line_over(self, item: _Unfinished) -> bool:
        """Return True if the item has ended because the next statement is on another line."""
        return self._by_line and item.line != self._document.line

    def _ended(self) -> Iterator[Item]:
        """Yield the item that is being read, which ends here."""
        current, self._current = self._current, None
        if current is not None:
            yield self._finished(current)

    def _timed(self, current: _Unfinished) -> Iterator[Item]:
        """Process the time of an item."""
        return iter(())

    def _beats(self, time: Term) -> Iterator[Item]:
        """Process a heartbeat, which is ignored in a bounded document."""
        return iter(())

    def _begun(self, name: Term) -> _Unfinished:
        if name in self._progress.complete:
            raise self._error(
                f"graph {name.n3()} comes back after another: an item's triples and its time must"
                " stand together"
            )
        return _Unfinished(name, self._document.line)

    def _state_time(self, item: _Unfinished, predicate: Term, value: Term) -> None:
        stated = item.times.setdefault(predicate, (value, self._document.line))
        if stated[0] != value:
            raise self._error(
                f"graph {item.name.n3()} has two times, {stated[0].n3()} and {value.n3()}"
            )
        if GENERATED in item.times and len(item.times) > 1:
            raise self._error(
                f"graph {item.name.n3()} has two times, prov:generatedAtTime and prov:startedAtTime"
                " or prov:endedAtTime"
            )

    def _finished(self, read: _Unfinished) -> Item:
        item = self._item(read)
        self._check_order(item, read)
        self._progress.previous = item
        self.line = read.line
        self.times = [str(read.times[p][0]) for p in _IN_ORDER if p in read.times]
        if self._progress.items is not None:
            self._progress.items += 1
        self._progress.complete.add(read.name)
        self._reader.forget()
        return item

    def _item(self, read: _Unfinished) -> Item:
        shown = read.name.n3()
        if not read.times:
            raise self._error(
                f"graph {shown} has no time: expected {shown} prov:generatedAtTime TIME in the"
                " default graph, next to the graph", read.line,
            )
        if len(read.triples) == 1 and read.triples[0][1] == EMPTY_GRAPH_MARKER:
            read.triples.clear()
        elif not read.triples and not states_empty_graph(self._reader, self._format, read.name):
            raise self._error(
                f"{shown} has a time, but there is no such graph next to it", read.line
            )
        assert isinstance(read.name, URIRef | BNode)
        graph = frozenset(read.triples)
        if GENERATED in read.times:
            time, kind = self._time(read, GENERATED)
            return TimestampedGraph(time, graph, kind, read.name)
        for missing in (STARTED, ENDED):
            if missing not in read.times:
                raise self._error(
                    f"graph {shown} has half an interval, without prov:"
                    + missing.removeprefix(PROV),
                    read.line,
                )
        (start, kind), (end, end_kind) = self._time(read, STARTED), self._time(read, ENDED)
        if kind is not end_kind:
            raise self._error(
                f"graph {shown} starts at an {kind} and ends at an {end_kind}", read.line
            )
        if end < start:
            raise self._error(f"graph {shown} ends before it starts", read.times[ENDED][1])
        return IntervalGraph(start, end, graph, kind, read.name)

    def _time(self, read: _Unfinished, predicate: URIRef) -> tuple[int, TimeKind]:
        value, line = read.times[predicate]
        try:
            return parse_time(value)
        except StreamError as error:
            number = self._progress.items
            place = "" if number is None else f"item {number + 1}, "
            message = f"{place}graph {read.name.n3()}: {error.message}"
            raise type(error)(message, source=self._document.source, line=line) from None

    def _check_order(self, item: Item, read: _Unfinished) -> None:
        previous = self._progress.previous
        if previous is None:
            return
        same_kind = item.kind is previous.kind
        # Of intervals the ends: an item arrives when it has ended.
        late = self._in_order and item.end < previous.end
        if same_kind and not late:
            return
        line = max(line for _, line in read.times.values())
        shown = read.name.n3()
        if not same_kind:
            raise self._error(
                f"graph {shown} has an xsd:{item.kind} as its time, but the graphs before it"
                f" have an xsd:{previous.kind}", line,
            )
        before = "" if previous.name is None else f" {previous.name.n3()}"
        raise self._error(
            f"graph {shown} at {shown_time(item)} comes after graph{before} at"
            f" {shown_time(previous)}: a stream must be in time order;"
            " set --max-out-of-orderness to sort the input", line,
        )

    def _error(self, message: str, line: int | None = None) -> StreamError:
        place = self._document.line if line is None else line
        return StreamError(message, source=self._document.source, line=place)


class LiveItems(ItemReader):
    """The items of a document that grows, each as soon as it is known to be complete; heartbeats.

    What it needs to know of the text, whoever reads it tells by calling `complete`.
    """

    def __init__(self, document: Document, format: Format, *, in_order: bool) -> None:
        super().__init__(document, format, None, Progress(), in_order=in_order)

    def __iter__(self) -> Iterator[Item | Watermark]:
        return self.items()

    def complete(self) -> Item | None:
        """Return the item being read at the end of the input, if it is complete."""
        current = self._current
        if current is None or not _has_times(current) or not (
            current.triples or states_empty_graph(self._reader, self._format, current.name)
        ):
            return None
        return next(self._ended(), None)

    def _begun(self, name: Term) -> _Unfinished:
        previous = self._progress.previous
        again = previous is not None and name == previous.name
        if again and not self._by_line:
            raise self._error(
                f"graph {name.n3()} goes on after it was complete: in a stream that is read while"
                " it grows, the time ends an item if it comes after the graph"
            )
        self._reader.keep_prologue()
        return super()._begun(name)

    def _timed(self, current: _Unfinished) -> Iterator[Item]:
        if current.triples and _has_times(current) and not self._by_line:
            yield from self._ended()

    def _beats(self, time: Term) -> Iterator[Any]:
        yield from self._ended()
        try:
            yield Watermark(parse_time(time)[0])
        except StreamError as error:
            raise error.at(self._document.source, self._document.line) from None


def _has_times(read: _Unfinished) -> bool:
    return GENERATED in read.times or len(read.times) == 2
