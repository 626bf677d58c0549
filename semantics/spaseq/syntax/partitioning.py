"""The queries that may be partitioned by key: those that are the union of their results for each.

A variable that every GPM binds is the key: the mappings of a match agree on it. An item of
another key joins nothing, so `;` (Def. 11) lets it by and `:` (Def. 10) never looks at it.
Strict contiguity, which Kleene plus asks for too (Def. 14), looks at every item. A pair's mappings
are of one item and never split, so an item is of one key; that is asked of each when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rdflib.term import BNode, URIRef, Variable

from ...model.errors import StreamError, UnsupportedError
from ...model.items import shown_time
from ...model.trees import find
from ...rdf.syntax.tree import TriplesBlock
from .readings import Readings
from .tree import (
    Definition,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SpaseqQuery,
    WithinUnit,
)


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
    """The key variable of a query, and where the graphs of items have its values."""

    variable: Any
    patterns: Sequence[KeyPattern]

    def key(self, item: Any) -> str | None:
        """Return an item's key, None if it matches no GPM; raises StreamError for several keys."""
        found = {
            term
            for pattern in self.patterns if pattern.stream == item.iri
            for term in _values(pattern, item.graph)
        }
        if len(found) > 1:
            first, second = sorted(term.n3() for term in found)[:2]
            raise StreamError(
                f"stream <{item.iri}>: the item at {shown_time(item)} has several keys"
                f" ?{self.variable} ({first}, {second}): its pair cannot be split (one item a key,"
                " please)"
            )
        return found.pop().n3() if found else None


def item_keys(query: SpaseqQuery, readings: Readings) -> ItemKeys:
    """Return the partitioning key of a query; raises UnsupportedError if there is none."""
    sequence = query.sequence
    if query.within.unit is WithinUnit.EVENTS:
        raise UnsupportedError("WITHIN n EVENTS counts the items of all keys")
    if any(step.operator is Operator.STRICT for step in sequence.steps):
        raise UnsupportedError(
            "',' is strict contiguity, which looks at the items of all keys (Def. 12)"
        )
    if any(True for _ in find(sequence, KleenePlus)):
        raise UnsupportedError(
            "Kleene plus is strictly contiguous over the items of all keys (Def. 14)"
        )
    if readings.negation == "event" and any(
        True for _ in find(sequence, Negation | OptionalEvent)
    ):
        raise UnsupportedError(
            "under negation=event '!' matches the items of any key: ask for"
            " --reading negation=absence"
        )
    used = {reference.name for reference in find(sequence, Reference)}
    patterns = {name: list(_binding(query, query.definition(name))) for name in sorted(used)}
    shared = [{each for each, _ in found} for found in patterns.values()]
    candidates: set[Variable] = set.intersection(*shared)
    selected = candidates if query.select is None else candidates.intersection(query.select)
    if not candidates:
        raise UnsupportedError(
            "no variable is the subject or object of a triple pattern in every GPM"
        )
    if not selected:
        names = ", ".join(f"?{each}" for each in sorted(candidates))
        raise UnsupportedError(f"the key has to be SELECTed, so that results tell it ({names})")
    variable = min(selected)
    return ItemKeys(variable, tuple(
        next(pattern for each, pattern in found if each == variable)
        for found in patterns.values()
    ))


def _binding(query: SpaseqQuery, definition: Definition) -> Iterator[tuple[Any, KeyPattern]]:
    """Yield the variables that every match of a GPM binds as it stands in a triple of the item."""
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
    asked = [
        (place, term)
        for place, term in enumerate((pattern.subject, pattern.predicate, pattern.object))
        if not isinstance(term, Variable | BNode)
    ]
    for triple in graph:
        if all(triple[place] == term for place, term in asked):
            yield triple[0 if pattern.of_subject else 2]
