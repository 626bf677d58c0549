"""All SPAseq cases up to a size: every query of an alphabet's restriction, on every streamset.

Bodies have the alphabet's forms; a variable or a stream is one that is in use or the first unused
one. An event is (time, number of its stream, number of its graph, 0 of the one that nothing
matches). Where no background tells the nodes a and b apart, of two streamsets that the exchange of
them makes of one another one is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Final

from rdflib.term import URIRef

from ....semantics.model.errors import ReadingError
from ....semantics.rdf.syntax.tree import GroupGraphPattern
from ....semantics.spaseq.syntax.parse import parse
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.tree import Extent, SpaseqQuery, WithinUnit
from ...inputs.choices import Choices, NothingAllowed
from ...inputs.forms import Forms, Placed, exchanged, graph, items, trig
from ...inputs.graphs import NAMESPACE, STREAMS, name
from ...ranks.numbered_streams import NumberedStreams, Symbols, check_held
from ..enumeration import Bounds, BoundsError, Enumeration
from .alphabets import ALPHABETS, GraphAlphabet
from .generate.queries import GRAMMAR_VERSION, query

EVERYTHING: Final = 100
"""Longer than any stream that can be enumerated in a lifetime, one instant an event."""

_NOTHING: Final = "z q z"


class SpaseqEnumeration(Enumeration[SpaseqQuery, int, Readings]):
    """`within` is ω, in events or in the streams' integer time; None puts all into one window.

    Streamsets depend on the number of streams that a query names.
    """

    language, prefixes, readings_type = "spaseq", {"": NAMESPACE}, Readings
    version = GRAMMAR_VERSION

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        if bounds.alphabet not in ("", *ALPHABETS):
            raise BoundsError(f"there is no alphabet '{bounds.alphabet}' in SPAseq")
        self.alphabet: GraphAlphabet = bounds.alphabet_of(self.language)
        self.allowed = self.alphabet.allowed
        if bounds.slide is not None and bounds.within is None:
            raise ReadingError("a SLIDE needs a WITHIN")
        unit = WithinUnit.EVENTS if bounds.events else WithinUnit.INTEGER
        self._within = Extent(EVERYTHING if bounds.within is None else bounds.within, unit)
        self._slide = None if bounds.slide is None else Extent(bounds.slide, unit)
        self.readings.applied_to(self._windowed(parse(_FORM % "")))
        self._graphs = (_NOTHING, *self.alphabet.graphs)
        self._streams: dict[int, NumberedStreams] = {}

    @property
    def called(self) -> str:
        return self.alphabet.name

    # --- queries ---------------------------------------------------------------------------------

    def drawn(self, choices: Choices, operators: int, variant: None) -> SpaseqQuery:
        found = self._windowed(query(choices, operators, bodies=self._bodies))
        try:
            self.readings.applied_to(found)
        except ReadingError:  # a negation that nothing stands beside, say
            raise NothingAllowed("a sequence without a meaning") from None
        return found

    def about(self, query: SpaseqQuery, variant: None) -> int:
        return len(query.streams)

    def _windowed(self, query: SpaseqQuery) -> SpaseqQuery:
        return replace(query, within=self._within, slide=self._slide)

    def _bodies(self, choices: Choices, names: Sequence[str]) -> list[GroupGraphPattern]:
        """Draw the bodies of GPMs, each of a form."""
        most = self.alphabet.most
        others = most[min(len(names), len(most)) - 1]
        forms = Forms("spaseq/form", self.alphabet.forms, others)
        things, values = list[str](), list[str]()
        return [_body(forms.drawn(choices, things, values)) for _ in names]

    # --- streams ---------------------------------------------------------------------------------

    def streams(self, about: int, events: int) -> NumberedStreams:
        if events not in self._streams:
            check_held(len(self._graphs) ** events, events)
            # One of each two that an exchange of nodes makes of one another.
            apart = self.alphabet.background  # tells the nodes apart
            turned = range(len(self._graphs)) if apart else exchanged(self._graphs)
            words = [
                word for word in product(range(len(self._graphs)), repeat=events)
                if word <= tuple(turned[graph] for graph in word)
            ]
            places = list(self._places(events))

            def made(number: int) -> Symbols:
                place, word = divmod(number, len(words))
                return tuple(
                    (time, stream, graph)
                    for (time, stream), graph in zip(places[place], words[word], strict=True)
                )

            self._streams[events] = NumberedStreams(range(len(places) * len(words)), made)
        return self._streams[events]

    def _places(self, events: int) -> Iterator[tuple[tuple[int, int], ...]]:
        """Return the time and the stream of each event, in every way."""
        longest = 1
        if not (self.bounds.within is None or self.bounds.events):
            # After a gap of ω + β (or 2ω) no window holds both ends, whatever the gap is.
            longest = self._within.value + (self._slide or self._within).value
        streams, apart = self.alphabet.streams, self.readings.ties == "error"
        check_held((longest * streams) ** max(events - 1, 0), events)

        def from_(time: int, stream: int, left: int) -> Iterator[tuple[tuple[int, int], ...]]:
            if not left:
                yield ()
                return
            first = left == events
            for gap in range(0, 1 if first else longest + 1):
                for on in range(0 if gap or first else stream + apart, streams):
                    for rest in from_(time + gap, on, left - 1):
                        yield ((time + gap, on), *rest)

        return from_(0, 0, events)

    def written(self, about: int, streams: Symbols) -> str:
        return trig(self._events(streams), STREAMS[:about])

    def items(self, about: int, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return items(self._events(streams), STREAMS[:about])

    def _events(self, streams: Symbols) -> Iterator[Placed]:
        for time, stream, number in streams:
            yield time, STREAMS[stream], self._graphs[number]

    def beside(self, about: int) -> Mapping[str, Any]:
        graphs = {name(local): graph(text) for local, text in self.alphabet.background}
        return {"kb": graphs} if graphs else {}


_FORM: Final = f"PREFIX : <{NAMESPACE}> " + (
    "SELECT * WITHIN 1 FROM STREAM S :s WHERE { SEQ(A) DEFINE GPM A ON S { %s } }"
)


@cache
def _body(text: str) -> GroupGraphPattern:
    pattern: GroupGraphPattern = parse(_FORM % text).definitions[0].pattern
    return pattern


ENUMERATION = SpaseqEnumeration
