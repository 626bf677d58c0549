"""Which queries may be evaluated key by key, and what one key's engine evaluates.

CEQL's PARTITION BY says that a match lies in one partition (CORE section 2.2). What looks across
partitions all the same is refused: CONSUME BY ANY, LIMIT, SELECT ANY. Positions are those of the
merged stream, so each tuple carries its own, and WITHIN n EVENTS measures that.

In SPAseq a variable that every GPM binds is the key: the mappings of a match agree on it. An item
of another key joins nothing, so `;` (Def. 11) lets it by and `:` (Def. 10) never looks at it.
Strict contiguity, which Kleene plus asks for too (Def. 14), looks at every item. A pair's mappings
are of one item and never split, so an item is of one key; that is asked of each when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

from .....semantics.ceql.syntax.tree import Consumption, WindowUnit
from .....semantics.model.errors import UnsupportedError
from .....semantics.model.items import shown_time
from .....semantics.model.trees import find

POSITION = "@position"
"""The column of a tuple's position in the merged stream."""

EARLIEST, LATEST = 1, 1 << 47
_SHIFT = 1 << 46


def on_the_clock(time: int, a_millisecond: int, *, up: bool = False) -> int:
    """A time as Spark's event time counts it: milliseconds, all of them after 1970.

    Spark's first watermark is 1970's first millisecond, and nothing may come before it.
    """
    whole = -(-time // a_millisecond) if up else time // a_millisecond
    return min(max(whole + _SHIFT, EARLIEST), LATEST)


def refused(why: str) -> UnsupportedError:
    return UnsupportedError(f"--spark runs a query key by key: {why}")


def group_name(key: str, groups: int | None) -> str:
    """What has one state: a key by itself, or one of so many groups of keys."""
    return key if groups is None else str(crc32(key.encode("utf-8", "surrogatepass")) % groups)


# --- CEQL -------------------------------------------------------------------------------------


def check_tuples(query: Any, readings: Any) -> None:
    """Raises UnsupportedError for a CEQL query that is not the union of its partitions."""
    if not query.partition:
        raise refused("this one has no PARTITION BY")
    if query.consume is Consumption.ANY:
        raise refused("CONSUME BY ANY forgets events of all partitions")
    if query.limit is not None:
        raise refused("which results LIMIT leaves depends on those of other partitions")
    if query.strategy.name == "ANY":
        raise refused("which result SELECT ANY takes is an engine's choice, and may be another")
    if readings.partition == "core" and any(len(names) > 1 for names in query.partition):
        raise refused("under partition=core the attributes of a list are no key")


def of_one_partition(query: Any, readings: Any) -> Any:
    """The query that one key's engine evaluates."""
    within = query.within
    if within is None or within.unit is not WindowUnit.EVENTS:
        return query
    more = 1 if readings.within == "core" else 0  # which an attribute's window is narrower by
    by_position = replace(
        within, value=within.value + more, unit=WindowUnit.ATTRIBUTE, attribute=POSITION
    )
    return replace(query, within=by_position)


def tuple_keys(batch: Any, names: Iterable[str]) -> Iterator[str | None]:
    """The key of each tuple; None for one that is in no partition.

    Equal values have equal keys; where that is hard to say others have, too: the engine of a key
    partitions for itself.
    """
    columns = []
    for name in names:
        if name not in batch.schema.names:
            return iter([None] * batch.num_rows)
        columns.append([_text(value) for value in batch.column(name).to_pylist()])
    return (None if None in row else "\x1f".join(row) for row in zip(*columns, strict=True))


def _text(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value if value is None else f"'{value}"
    return str(value) if isinstance(value, bool) else repr(float(value))


# --- SPAseq -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeyPattern:
    """A triple pattern of a GPM on `stream` that binds the key as its subject or its object."""

    stream: Any
    subject: Any
    predicate: Any
    object: Any
    of_subject: bool


@dataclass(frozen=True)
class ItemKeys:
    """The key variable of a SPAseq query, and where the graphs of items have its values."""

    variable: Any
    patterns: Sequence[KeyPattern]

    def key(self, item: Any) -> str | None:
        """The key of an item, None if it matches no GPM; raises StreamError for one of several."""
        found = {
            term
            for pattern in self.patterns if pattern.stream == item.iri
            for term in _values(pattern, item.graph)
        }
        if len(found) > 1:
            from .....semantics.model.errors import StreamError

            first, second = sorted(term.n3() for term in found)[:2]
            raise StreamError(
                f"stream <{item.iri}>: the item at {shown_time(item)} has several keys"
                f" ?{self.variable} ({first}, {second}): --spark cannot split its pair (one item a"
                " key, please)"
            )
        return found.pop().n3() if found else None


def item_keys(query: Any, readings: Any) -> ItemKeys:
    """By what a SPAseq query is partitioned; raises UnsupportedError for one that cannot be."""
    from rdflib.term import Variable

    from .....semantics.spaseq.syntax.tree import (
        KleenePlus,
        Negation,
        Operator,
        OptionalEvent,
        Reference,
        WithinUnit,
    )

    sequence = query.sequence
    if query.within.unit is WithinUnit.EVENTS:
        raise refused("WITHIN n EVENTS counts the items of all keys")
    if any(step.operator is Operator.STRICT for step in sequence.steps):
        raise refused("',' is strict contiguity, which looks at the items of all keys (Def. 12)")
    if any(True for _ in find(sequence, KleenePlus)):
        raise refused("Kleene plus is strictly contiguous over the items of all keys (Def. 14)")
    if readings.negation == "event" and any(
        True for _ in find(sequence, Negation | OptionalEvent)
    ):
        raise refused("under negation=event '!' matches the items of any key: ask for"
                      " --reading negation=absence")
    used = {reference.name for reference in find(sequence, Reference)}
    patterns = {name: list(_binding(query, query.definition(name))) for name in sorted(used)}
    shared = [{each for each, _ in found} for found in patterns.values()]
    candidates: set[Variable] = set.intersection(*shared)
    selected = candidates if query.select is None else candidates.intersection(query.select)
    if not candidates:
        raise refused("no variable is the subject or object of a triple pattern in every GPM")
    if not selected:
        names = ", ".join(f"?{each}" for each in sorted(candidates))
        raise refused(f"the key has to be SELECTed, so that results tell it ({names})")
    variable = min(selected)
    return ItemKeys(variable, tuple(
        next(pattern for each, pattern in found if each == variable)
        for found in patterns.values()
    ))


def _binding(query: Any, definition: Any) -> Iterator[tuple[Any, KeyPattern]]:
    """The variables that every match of a GPM binds as it stands in a triple of the item."""
    from rdflib.term import URIRef, Variable

    from .....semantics.rdf.syntax.tree import TriplesBlock

    stream = query.stream_iri(definition.stream)
    for element in definition.pattern.elements:
        if not isinstance(element, TriplesBlock):
            continue
        for triple in element.triples:
            if not isinstance(triple.predicate, URIRef | Variable):
                continue  # of a path its ends need not be in a triple
            for term, of_subject in ((triple.subject, True), (triple.object, False)):
                if isinstance(term, Variable):
                    yield term, KeyPattern(
                        stream, triple.subject, triple.predicate, triple.object, of_subject
                    )


def _values(pattern: KeyPattern, graph: Any) -> Iterator[Any]:
    from rdflib.term import BNode, Variable

    asked = [
        (place, term)
        for place, term in enumerate((pattern.subject, pattern.predicate, pattern.object))
        if not isinstance(term, Variable | BNode)
    ]
    for triple in graph:
        if all(triple[place] == term for place, term in asked):
            yield triple[0 if pattern.of_subject else 2]
