"""All cases over an alphabet: every query on every streamset.

A block is all queries with n operators on all streamsets with m events. It goes through its queries
again and again, each time with another streamset for each, so that its beginning is a fair sample
of it. Every pair of a query and a streamset is there once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

from .....semantics.model.errors import ReadingError
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import SpaseqQuery
from ...enumerated_graphs import PREFIXES
from ...enumeration import Bounds, Enumeration
from ..alphabets import NOTHING_TO_MATCH, Alphabet, Content, alphabet_named
from .queries import enumerated_queries, stream_iri
from .streams import EnumeratedStreams, Symmetry, enumerated_streamsets
from .windows import window_choice

_NODES = "abcdefghijklm"
_GOLDEN = 0.6180339887498949


class SpaseqEnumeration(Enumeration[SpaseqQuery, Symmetry, Readings]):
    """`within` is ω, in events or in the streams' integer time; None puts all into one window."""

    language, prefixes, readings_type = "spaseq", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.alphabet = alphabet_named(bounds.alphabet)
        self.window = window_choice(
            bounds.within, bounds.slide, events=bounds.events, readings=self.readings
        )
        self._streams: dict[tuple[Symmetry, int], tuple[str, ...]] = {}

    @property
    def called(self) -> str:
        return self.alphabet.name

    def queries(self, operators: int) -> Iterator[tuple[SpaseqQuery, Symmetry]]:
        for each in enumerated_queries(operators, self.alphabet, self.window):
            if self._has_meaning(each.query):
                yield each.query, Symmetry(each.named_streams, each.ordered)

    def _has_meaning(self, query: SpaseqQuery) -> bool:
        if self.readings.negation == "event":
            return True
        try:
            self.readings.applied_to(query)
        except ReadingError:  # a negation that nothing stands beside, say
            return False
        return True

    def streams(self, about: Symmetry, events: int) -> tuple[str, ...]:
        if (about, events) not in self._streams:
            found = enumerated_streamsets(
                events, self.alphabet, self.window, self.readings.ties, about
            )
            self._streams[about, events] = tuple(
                streams_text(each, about.named_streams, self.alphabet) for each in found
            )
        return self._streams[about, events]

    def cases(self, operators: int, events: int) -> Iterator[tuple[str, str]]:
        found = [
            (self.text(query), self.streams(about, events))
            for query, about in self.queries(operators)
        ]
        for turn in range(max((len(streams) for _, streams in found), default=0)):
            for position, (text, streams) in enumerate(found):
                if turn < len(streams):
                    start = int(position * _GOLDEN % 1 * len(streams))
                    yield text, streams[(start + turn) % len(streams)]


def streams_text(streamset: EnumeratedStreams, named_streams: int, alphabet: Alphabet) -> str:
    """The streams as a JSON object, IRI -> TriG; those that the query names are all there."""
    texts: dict[str, list[str]] = {str(stream_iri(k)): [] for k in range(named_streams)}
    for number, (instant, stream, content) in enumerate(streamset.events):
        graph = _graph_text(content, alphabet)
        time = streamset.times[instant]
        texts.setdefault(str(stream_iri(stream)), []).append(
            f":g{number} prov:generatedAtTime {time} . :g{number} {{ {graph} }}\n"
        )
    return json.dumps({iri: "".join(events) for iri, events in texts.items()})


@cache
def _graph_text(content: Content, alphabet: Alphabet) -> str:
    if content == NOTHING_TO_MATCH:
        return ":z :q :z"
    return " . ".join(f":{_NODES[s]} :p {_object(o, alphabet)}" for s, o in content)


def _object(number: int, alphabet: Alphabet) -> str:
    if alphabet.edges:
        return f":{_NODES[number]}"
    return str(number + 1) if alphabet.values else ":o"
