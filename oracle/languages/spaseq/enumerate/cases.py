"""All cases over an alphabet: every query on every streamset, one of each isomorphism class."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from rdflib.term import URIRef

from .....semantics.model.errors import ReadingError
from .....semantics.model.items import TimestampedGraph
from .....semantics.model.terms import Graph, Term, literal
from .....semantics.model.time import XSD
from .....semantics.model.trees import find
from .....semantics.rdf.syntax.tree import GroupGraphPattern
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    SequenceExpression,
    SpaseqQuery,
)
from ....ranks.families import Family
from ....ranks.numbered_streams import NumberedStreams, Symbols, held
from ...enumerated_graphs import EXAMPLE, PREFIXES
from ...enumeration import Bounds, BoundsError, Enumeration
from ..alphabets import FormAlphabet, alphabet_named
from ..alphabets.event_graphs import NOTHING_TO_MATCH, EventGraphs, Names
from ..alphabets.forms import triples_of
from .expressions import gpm_count, sequence_expressions
from .forms import FormedBodies, FormNamings, patterns
from .queries import Bodies, GpmNamings, body_of, query_of, stream_iri, variable
from .streams import Symmetry, enumerated_streamsets
from .windows import window_choice

_MOST_OPERATORS = 6
"""Expressions are listed: those of six operators take 10 s, of seven more than a minute."""


class SpaseqEnumeration(Enumeration[SpaseqQuery, Symmetry, Readings]):
    """`within` is ω, in events or in the streams' integer time; None puts all into one window.

    An event is (time, number of its stream, number of its graph among the alphabet's contents).
    """

    language, prefixes, readings_type = "spaseq", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        if bounds.operators > _MOST_OPERATORS:
            raise BoundsError(
                f"SPAseq is enumerated up to {_MOST_OPERATORS} operators, not {bounds.operators}"
            )
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
            self._family(gpms, expressions)
            for gpms, expressions in self._expressions(operators).items()
        ]

    def _family(
        self, gpms: int, expressions: Sequence[SequenceExpression]
    ) -> Family[SpaseqQuery, Any, Symmetry]:
        alphabet = self.alphabet
        if isinstance(alphabet, FormAlphabet):
            def formed(shape: int, naming: FormedBodies) -> SpaseqQuery:
                select = None if naming.select is None else variable(naming.select)
                bodies = patterns(naming.bodies)
                return query_of(expressions[shape], (0,) * gpms, bodies, self.window, select)

            return Family(len(expressions), FormNamings(gpms, alphabet), formed)

        def query(shape: int, naming: tuple[tuple[int, ...], Bodies]) -> SpaseqQuery:
            streams, numbers = naming
            bodies = [body_of(gpm, numbers, alphabet) for gpm in range(gpms)]
            return query_of(expressions[shape], streams, bodies, self.window)

        return Family(len(expressions), GpmNamings(gpms, alphabet), query)

    def _expressions(self, operators: int) -> dict[int, list[SequenceExpression]]:
        """The expressions that have a meaning, by how many GPMs they have: 3,092 of 4 operators."""
        if operators not in self._shapes:
            found: dict[int, list[SequenceExpression]] = {}
            for expression in sequence_expressions(operators):
                gpms = gpm_count(expression)
                if self._taken(expression) and self._has_meaning(expression, gpms):
                    found.setdefault(gpms, []).append(expression)
            self._shapes[operators] = dict(sorted(found.items()))
        return self._shapes[operators]

    def _taken(self, expression: SequenceExpression) -> bool:
        """Whether the alphabet has such expressions."""
        sequences = isinstance(self.alphabet, FormAlphabet) and self.alphabet.sequences
        return not (sequences and any(find(expression, Conjunction, Disjunction)))

    def _has_meaning(self, expression: SequenceExpression, gpms: int) -> bool:
        if self.readings.negation == "event":
            return True
        bodies = [GroupGraphPattern(())] * gpms
        try:
            self.readings.applied_to(query_of(expression, (0,) * gpms, bodies, self.window))
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

    def beside(self, about: Symmetry) -> Mapping[str, Any]:
        return {"kb": self._background} if self._background else {}

    @cached_property
    def _background(self) -> dict[URIRef, Graph]:
        graphs = self.alphabet.background if isinstance(self.alphabet, FormAlphabet) else ()
        return {URIRef(EXAMPLE + name): _graph_of(triples_of(text)) for name, text in graphs}


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
def _item(number: int, time: int, content: int, alphabet: EventGraphs) -> TimestampedGraph:
    return TimestampedGraph(
        time, _graph(content, alphabet), name=URIRef(f"{EXAMPLE}g{number}")
    )


@cache
def _graph(number: int, alphabet: EventGraphs) -> Graph:
    return _graph_of(_names(number, alphabet))


def _graph_of(names: Names) -> Graph:
    """The graph of these triples."""
    return frozenset((URIRef(EXAMPLE + s), URIRef(EXAMPLE + p), _term(o)) for s, p, o in names)


def _term(name: str) -> Term:
    return literal(name, XSD + "integer") if name.isdigit() else URIRef(EXAMPLE + name)


@cache
def _graph_text(number: int, alphabet: EventGraphs) -> str:
    return " . ".join(
        f":{s} :{p} {o if o.isdigit() else f':{o}'}" for s, p, o in _names(number, alphabet)
    )


def _names(number: int, alphabet: EventGraphs) -> Names:
    content = alphabet.contents[number]
    return (("z", "q", "z"),) if content == NOTHING_TO_MATCH else alphabet.names(content)
