"""All cases over an alphabet: every query on every streamset, one of each isomorphism class."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from rdflib.term import URIRef

from .....semantics.model.errors import ReadingError
from .....semantics.model.items import TimestampedGraph
from .....semantics.model.terms import Graph, Term, literal
from .....semantics.model.time import XSD
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import SequenceExpression, SpaseqQuery
from ....ranks.families import Family
from ....ranks.numbered_streams import NumberedStreams, Symbols, held
from ...enumerated_graphs import EXAMPLE, PREFIXES
from ...enumeration import Bounds, Enumeration
from ..alphabets import NOTHING_TO_MATCH, Alphabet, alphabet_named
from .expressions import gpm_count, sequence_expressions
from .queries import OBJECT, PREDICATE, Bodies, GpmNamings, query_of, stream_iri
from .streams import Symmetry, enumerated_streamsets
from .windows import window_choice

_NODES = "abcdefghijklm"


class SpaseqEnumeration(Enumeration[SpaseqQuery, Symmetry, Readings]):
    """`within` is ω, in events or in the streams' integer time; None puts all into one window.

    An event is (time, number of its stream, number of its graph among the alphabet's contents).
    """

    language, prefixes, readings_type = "spaseq", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.alphabet = alphabet_named(bounds.alphabet)
        self.window = window_choice(
            bounds.within, bounds.slide, events=bounds.events, readings=self.readings
        )
        self._shapes: dict[int, dict[int, list[SequenceExpression]]] = {}
        self._streams: dict[tuple[Symmetry, int], NumberedStreams] = {}

    @property
    def called(self) -> str:
        return self.alphabet.name

    def families(self, operators: int) -> list[Family[SpaseqQuery, Any, Symmetry]]:
        return [
            Family(
                len(expressions), GpmNamings(gpms, self.alphabet),
                partial(self._query, expressions),
            )
            for gpms, expressions in self._expressions(operators).items()
        ]

    def _query(
        self, expressions: Sequence[SequenceExpression], shape: int,
        naming: tuple[tuple[int, ...], Bodies],
    ) -> SpaseqQuery:
        return query_of(expressions[shape], *naming, self.alphabet, self.window)

    def _expressions(self, operators: int) -> dict[int, list[SequenceExpression]]:
        """The expressions that have a meaning, by how many GPMs they have: 3,092 of 4 operators."""
        if operators not in self._shapes:
            found: dict[int, list[SequenceExpression]] = {}
            for expression in sequence_expressions(operators):
                gpms = gpm_count(expression)
                if self._has_meaning(expression, gpms):
                    found.setdefault(gpms, []).append(expression)
            self._shapes[operators] = dict(sorted(found.items()))
        return self._shapes[operators]

    def _has_meaning(self, expression: SequenceExpression, gpms: int) -> bool:
        if self.readings.negation == "event":
            return True
        some = (0,) * gpms
        try:
            self.readings.applied_to(
                query_of(expression, some, Bodies(some, ()), self.alphabet, self.window)
            )
        except ReadingError:  # a negation that nothing stands beside, say
            return False
        return True

    def streams(self, about: Symmetry, events: int) -> NumberedStreams:
        if (about, events) not in self._streams:
            self._streams[about, events] = held(enumerated_streamsets(
                events, self.alphabet, self.window, self.readings.ties, about
            ))
        return self._streams[about, events]

    def written(self, about: Symmetry, streams: Symbols) -> str:
        return json.dumps({
            iri: "".join(
                f":g{number} prov:generatedAtTime {time} . "
                f":g{number} {{ {_graph_text(content, self.alphabet)} }}\n"
                for number, (time, _, content) in events
            )
            for iri, events in _by_stream(about, streams).items()
        })

    def items(self, about: Symmetry, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return {
            iri: tuple(
                _item(number, time, content, self.alphabet)
                for number, (time, _, content) in events
            )
            for iri, events in _by_stream(about, streams).items()
        }


def _by_stream(
    about: Symmetry, events: Symbols
) -> dict[URIRef, list[tuple[int, tuple[int, ...]]]]:
    """The numbered events of each stream; those that the query names are all there."""
    found: dict[URIRef, list[tuple[int, tuple[int, ...]]]] = {
        stream_iri(k): [] for k in range(about.named_streams)
    }
    for number, event in enumerate(events):
        found.setdefault(stream_iri(event[1]), []).append((number, event))
    return found


@cache
def _item(number: int, time: int, content: int, alphabet: Alphabet) -> TimestampedGraph:
    return TimestampedGraph(
        time, _graph(content, alphabet), name=URIRef(f"{EXAMPLE}g{number}")
    )


@cache
def _graph(number: int, alphabet: Alphabet) -> Graph:
    content = alphabet.contents[number]
    if content == NOTHING_TO_MATCH:
        nothing = URIRef(f"{EXAMPLE}z")
        return frozenset({(nothing, URIRef(f"{EXAMPLE}q"), nothing)})
    return frozenset(
        (URIRef(EXAMPLE + _NODES[s]), PREDICATE, _object_term(o, alphabet)) for s, o in content
    )


def _object_term(number: int, alphabet: Alphabet) -> Term:
    if alphabet.values:
        return literal(str(number + 1), XSD + "integer")
    return URIRef(EXAMPLE + _NODES[number]) if alphabet.edges else OBJECT


@cache
def _graph_text(number: int, alphabet: Alphabet) -> str:
    content = alphabet.contents[number]
    if content == NOTHING_TO_MATCH:
        return ":z :q :z"
    return " . ".join(f":{_NODES[s]} :p {_object(o, alphabet)}" for s, o in content)


def _object(number: int, alphabet: Alphabet) -> str:
    if alphabet.edges:
        return f":{_NODES[number]}"
    return str(number + 1) if alphabet.values else ":o"
