"""The result of a search for a distinguishing stream, as a value and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from ...semantics.model.errors import DenotaError
from ...semantics.model.pretty_printing import preformatted
from ...semantics.model.tuples import EventTuple
from ..cases.case import Case
from ..cases.rdf_text import graph_text, stream_text
from ..cases.tuple_sources import table_of
from ..explanations.plurals import counted
from ..languages.registry import part_of
from ..reports.differences import answers_table
from . import distinguish
from .search import Search, Side, Witness


def differences(a: Side, b: Side) -> list[str]:
    """Return the lines that only A (-) or only B (+) has; none for the same query and readings.

    The layout, the prefixes and the names of SPAseq's patterns and streams make no difference.
    """
    plain = getattr(part_of(a.language.name, "distinguish"), "plain", lambda query: query)
    if _lines(a, plain(a.query), {}) == _lines(b, plain(b.query), {}):
        return []
    prefixes = {**b.language.prefixes(b.query), **a.language.prefixes(a.query)}
    one, two = (_lines(side, side.query, prefixes) for side in (a, b))
    told = list(unified_diff(one, two, n=0, lineterm=""))[2:]
    return [line for line in told if not line.startswith("@@")]


def _lines(side: Side, query: Any, prefixes: Mapping[str, str]) -> list[str]:
    text = side.language.print(query, prefixes)
    return [line.strip() for line in text.splitlines()] + list(_readings(side))


def _readings(side: Side) -> Iterator[str]:
    named = side.language.reading_names(side.readings)
    for name, value in named.items():
        if name != "language":
            yield f"{name}={value}"


@dataclass(frozen=True, eq=False)
class Distinction:
    """Two queries under readings, the lines in which they differ, and a stream that shows it."""

    a: Side
    b: Side
    changes: tuple[str, ...]
    """The lines that only A (-) or only B (+) has; none if the queries are the same."""
    search: Search[Witness]

    def __bool__(self) -> bool:
        """Return whether a distinguishing stream was found."""
        return self.search.witness is not None

    @property
    def case(self) -> Case | None:
        """The distinguishing stream as a case of A's query, without expected results."""
        witness = self.search.witness
        return None if witness is None else witness_case(witness, self.a)

    def lines(self) -> Iterator[str]:
        """Yield the lines that `denota distinguish` prints."""
        yield from change_lines(self.changes)
        yield from self.search_lines()

    def search_lines(self) -> Iterator[str]:
        """Yield the lines that say what the search has found."""
        if not self.changes:
            return
        search, witness = self.search, self.search.witness
        if witness is None:
            tried = f"{counted(search.tried, 'stream')} tried"
            completed = (
                f"all streams of at most {counted(search.complete, 'event')}"
                if search.complete >= 0 else "not the streams of any number of events"
            )
            yield (
                f"No difference found within the time limit ({tried}; completed: {completed})."
                if search.out_of_time
                else f"No difference up to {counted(search.complete, 'event')} ({tried})."
            )
            return
        many, tried = counted(witness.events, "event"), f"{search.tried:,} streams tried"
        if search.complete >= witness.events - 1:
            yield f"Minimal distinguishing stream, {many} ({tried}, smallest first):"
        else:
            yield f"Distinguishing stream, {many} (no part can be removed; {tried}):"
        yield from witness_lines(witness, witness_case(witness, self.a), self.b)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def changes_between(a: Side, b: Side) -> tuple[str, ...]:
    """Return the lines that only A (-) or only B (+) has.

    Raises DenotaError if the queries are in different languages.
    """
    if a.language.name != b.language.name:
        raise DenotaError(
            f"A and B are in different languages ({a.language.title} and {b.language.title})"
        )
    return tuple(differences(a, b))


def change_lines(changes: Sequence[str]) -> Iterator[str]:
    """Yield the lines that are printed before the search."""
    if not changes:
        yield "A and B are the same query, read in the same way."
        return
    yield "A and B differ in:"
    yield from (f"  {line}" for line in changes)
    yield ""


def distinction(
    a: Side,
    b: Side,
    *,
    max_events: int | None = None,
    seconds: float = 60.0,
    progress: Callable[[int, int], None] = lambda events, tried: None,
) -> Distinction:
    """Search a smallest stream on which `a` and `b` differ; parameters as of `distinguish`."""
    changes = changes_between(a, b)
    if not changes:
        return Distinction(a, b, changes, Search())
    search = distinguish(a, b, max_events=max_events, seconds=seconds, progress=progress)
    return Distinction(a, b, changes, search)


def witness_case(witness: Witness, a: Side) -> Case:
    """Return the streams of a witness as a case of A's query."""
    prefixes = a.language.prefixes(a.query)
    if a.language.items != "tuples":
        prefixes = prefixes or {"": "http://example.org/"}
    return Case(
        a.language.name, a.query, witness.streams, witness.kb, a.readings, prefixes=prefixes
    )


def witness_lines(witness: Witness, case: Case, b: Side) -> Iterator[str]:
    """Yield the streams and background graphs of a witness, and the results that differ."""
    prefixes = {**b.language.prefixes(b.query), **case.prefixes}
    for name, text in _inputs(witness, prefixes):
        yield ""
        yield f"  {name}"
        yield from (f"    {line}" for line in text.splitlines())
    yield ""
    for side, error in (("A", witness.error_a), ("B", witness.error_b)):
        if error:
            yield f"{side}: error: {error}"
    if witness.note:
        yield witness.note
    own = case.language
    table = answers_table(
        case,
        [
            (label, answer)
            for label, only in (("only A", witness.only_a), ("only B", witness.only_b))
            for answer in own.answers(only, own.levels[0], partial=True)
        ],
    )
    if table is not None:
        yield from table.lines()


def _inputs(witness: Witness, prefixes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    tuples = any(isinstance(each, EventTuple) for s in witness.streams.values() for each in s)
    for name, items in witness.streams.items():
        if tuples:
            yield str(name), str(table_of(items, name).csv)
        else:
            yield str(name), stream_text(items, prefixes)
    for iri, graph in witness.kb.items():
        yield f"background {iri}", graph_text(graph, prefixes)
