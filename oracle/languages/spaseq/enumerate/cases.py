"""All cases over an alphabet: every query on every streamset, the smallest first.

The size of a case is its number of operators plus its number of events. Cases of one size come
block by block, a block being all queries with n operators on all streamsets with m events. A block
goes round and round through its queries, each time giving every one another streamset, so that the
beginning of a block is a fair sample of it; every pair of a query and a streamset comes once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from .....semantics.model.errors import ReadingError
from .....semantics.spaseq.syntax.printing import to_text
from .....semantics.spaseq.syntax.readings import Readings
from ....sweeps.corpus_file import CorpusRow, json_text
from ...enumeration import blocks
from ...readings import non_default
from .alphabet import NOTHING_TO_MATCH, Alphabet, Content
from .queries import EXAMPLE, EnumeratedQuery, enumerated_queries, stream_iri
from .streams import EnumeratedStreams, Symmetry, enumerated_streamsets
from .windows import WindowChoice, window_choice

_NODES = "abcdefghijklm"
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Enumeration:
    """What is enumerated: the alphabet, the bounds, the window and the readings.

    `within` is ω, in events if `events` is set, else in the streams' integer time; None puts all
    events into one window.
    """

    alphabet: Alphabet
    most_operators: int = 2
    most_events: int = 3
    within: int | None = None
    slide: int | None = None
    events: bool = False
    readings: Readings = field(default_factory=Readings)

    @property
    def window(self) -> WindowChoice:
        """The window of all queries; raises ReadingError if it contradicts the readings."""
        return window_choice(
            self.within, self.slide, events=self.events, readings=self.readings
        )


def enumerated_cases(enumeration: Enumeration) -> Iterator[CorpusRow]:
    """Every case within the bounds, one of each isomorphism class, the smallest first."""
    for operators, events in blocks(enumeration.most_operators, enumeration.most_events):
        yield from enumerated_block(enumeration, operators, events)


def enumerated_block(
    enumeration: Enumeration, operators: int, events: int
) -> Iterator[CorpusRow]:
    """Every case with exactly so many operators and events."""
    block = _Block(enumeration, operators, events)
    queries = block.queries()
    lengths = [len(block.streamsets(query)) for query in queries]
    texts: list[str] = []
    readings = json_text(non_default(enumeration.readings))
    listed = 0
    for turn in range(max(lengths, default=0)):
        for position, query in enumerate(queries):
            length = lengths[position]
            if turn < length:
                if turn == 0:
                    texts.append(to_text(query.query))
                start = int(position * _GOLDEN % 1 * length)
                yield CorpusRow(
                    id=f"{block.name}-{listed:07d}",
                    language="spaseq",
                    query=texts[position],
                    prefixes=_PREFIXES,
                    streams=block.streamsets(query)[(start + turn) % length],
                    readings=readings,
                    operators=operators,
                    events=events,
                )
                listed += 1


def case_count(enumeration: Enumeration, operators: int, events: int) -> int:
    """How many cases have exactly so many operators and events."""
    block = _Block(enumeration, operators, events)
    return sum(len(block.streamsets(query)) for query in block.queries())


_PREFIXES = json_text({"": EXAMPLE})


class _Block:
    def __init__(self, enumeration: Enumeration, operators: int, events: int) -> None:
        self.enumeration = enumeration
        self.operators = operators
        self.events = events
        self._streamsets: dict[Symmetry, tuple[str, ...]] = {}

    @property
    def name(self) -> str:
        return f"{self.enumeration.alphabet.name}-{self.operators}-{self.events}"

    def queries(self) -> list[EnumeratedQuery]:
        """The queries that have a meaning under the readings."""
        enumeration = self.enumeration
        candidates = enumerated_queries(self.operators, enumeration.alphabet, enumeration.window)
        return [query for query in candidates if _has_meaning(query, enumeration.readings)]

    def streamsets(self, query: EnumeratedQuery) -> tuple[str, ...]:
        """The streamsets for a query, as JSON; they depend on what the query can see only."""
        symmetry = Symmetry(query.named_streams, query.ordered)
        if symmetry not in self._streamsets:
            enumeration = self.enumeration
            found = enumerated_streamsets(
                self.events, enumeration.alphabet, enumeration.window, enumeration.readings.ties,
                symmetry,
            )
            self._streamsets[symmetry] = tuple(
                streams_text(streamset, symmetry.named_streams, enumeration.alphabet)
                for streamset in found
            )
        return self._streamsets[symmetry]


def _has_meaning(query: EnumeratedQuery, readings: Readings) -> bool:
    if readings.negation == "event":
        return True
    try:
        readings.applied_to(query.query)
    except ReadingError:  # a negation that nothing stands beside, say
        return False
    return True


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


__all__ = [
    "Enumeration", "blocks", "case_count", "enumerated_block", "enumerated_cases", "streams_text",
]
