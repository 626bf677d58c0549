"""All SPAseq cases up to a size: every query of an alphabet's restriction, on every streamset.

Bodies have the alphabet's forms; a variable or a stream is one that is in use or the first unused
one. An event is (time, number of its stream, number of its graph, 0 of the one that nothing
matches). Where no background tells the nodes a and b apart, of two streamsets that the exchange of
them makes of one another one is listed.

An alphabet restricts the drawing functions, and has forms of bodies and graphs of events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, product
from typing import Any, Final

from rdflib.term import URIRef

from ....semantics.model.errors import ReadingError
from ....semantics.rdf.syntax.tree import GroupGraphPattern
from ....semantics.spaseq.syntax.parse import parse
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.tree import Extent, SpaseqQuery, WithinUnit
from ...inputs.choices import Choices, NothingAllowed, Options
from ...inputs.forms import Forms, Placed, exchanged, graph, items, trig
from ...inputs.graphs import NAMESPACE, STREAMS, name
from ...ranks.numbered_streams import NumberedStreams, Symbols, check_held
from ..enumeration import Bounds, BoundsError, Enumeration
from .generate.queries import GRAMMAR_VERSION, query

_PLAIN: Final[Options] = {
    "spaseq/inside": ("anything",), "spaseq/mentions": (False,),
    # As & and | are n-ary, an operand of one is never the same one again.
    "spaseq/operand of and": ("not", "optional", "or"),
    "spaseq/operand of or": ("not", "optional", "and"),
    "spaseq/streams": (1,), "spaseq/stream of a GPM": ("first unused",),
    "spaseq/clauses": ("used",), "spaseq/select": (False,), "most variables selected": (1,),
    "spaseq/unit": (WithinUnit.INTEGER,), "spaseq/width": (10,), "spaseq/slide": (None,),
}


@dataclass(frozen=True)
class GraphAlphabet:
    """The bodies of GPMs, and the graphs of events.

    `forms` are bodies, the plain one first; a query has at most as many others as `most` says for
    one GPM, for two, …, and at last for all greater numbers; `inputs.forms.filled` says what their
    variables are. `graphs` are triples by the names of their terms. `background` has graphs by
    their names. `more` replaces entries of the plain table.
    """

    name: str
    summary: str
    forms: tuple[str, ...]
    graphs: tuple[str, ...]
    most: tuple[int, ...] = (1,)
    background: tuple[tuple[str, str], ...] = ()
    more: Options = field(default_factory=dict)

    @property
    def allowed(self) -> Options:
        """The whole restriction."""
        return {**_PLAIN, "spaseq/form": self.forms, **self.more}

    @property
    def streams(self) -> int:
        """The number of streams that events come on."""
        return max(int(str(count)) for count in self.allowed["spaseq/streams"])


def _up_to_two(*triples: str) -> tuple[str, ...]:
    pairs: Sequence[str] = [" . ".join(pair) for pair in combinations(triples, 2)]
    return (*triples, *pairs)


_NODES = ("a p o", "b p o")
_EDGES = _up_to_two("a p a", "a p b", "b p a", "b p b")
_KEYS = ("?x :p :o", "?new :p :o FILTER (?new != ?earlier)")
_APART = "?x :p :o FILTER (?x != ?other)"
_TWO: Final[Options] = {"spaseq/streams": (2,)}

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        GraphAlphabet(
            "keys",
            "bodies {?x :p :o}, variables shared or not, at most one FILTER (?x != ?y) on an "
            "earlier GPM; graphs of one or two nodes, or of none that matches; two streams",
            _KEYS, _up_to_two(*_NODES), more=_TWO,
        ),
        GraphAlphabet(
            "values",
            "bodies {?x :p ?v}, ?x shared or not, ?v the GPM's own, at most one FILTER (?v < ?w) "
            "on an earlier GPM; graphs of up to two triples over two nodes and the values 1 and 2; "
            "two streams",
            ("?x :p ?value", "?x :p ?value FILTER (?value < ?less)"),
            _up_to_two("a p 1", "a p 2", "b p 1", "b p 2"), more=_TWO,
        ),
        GraphAlphabet(
            "edges",
            "bodies {?x :p ?y}, all variables shared or not, at most one FILTER (?x != ?y) on an "
            "earlier GPM; graphs of up to two edges between two nodes; two streams",
            (
                "?x :p ?y", "?new :p ?x FILTER (?new != ?earlier)",
                "?x :p ?new FILTER (?new != ?earlier)",
            ),
            _EDGES, more=_TWO,
        ),
        GraphAlphabet("single", "as keys, on one stream", _KEYS, _up_to_two(*_NODES)),
        GraphAlphabet(
            "joins",
            "bodies {?x :p ?y} or, in queries of up to two GPMs, {?x :p ?y . ?y :p ?z}, variables "
            "shared or not; graphs of up to two edges between two nodes, or of none that matches; "
            "one stream",
            ("?x :p ?y", "?x :p ?y . ?y :p ?z"), _EDGES, (1, 2, 0),
        ),
        GraphAlphabet(
            "optionals",
            "bodies {?x :p :o}, of up to three GPMs at most two with OPTIONAL {?y :q :o}, UNION "
            "{?y :p :o} or a FILTER (?x != ?y) on another GPM, variables shared or not; graphs of "
            "one node, with :q of one or of none, or of none that matches; one stream",
            (
                "?x :p :o", "?x :p :o OPTIONAL { ?y :q :o }", "{ ?x :p :o } UNION { ?y :p :o }",
                _APART,
            ),
            (*_NODES, *(f"{node} . {other} q o" for node in _NODES for other in "ab")),
            (1, 2, 2, 0),
        ),
        GraphAlphabet(
            "filters",
            "bodies {:s :p ?x}, variables shared or not, or FILTER EXISTS {:s :p ?g}, and FILTERs "
            "?x < ?y, ?x >= ?y, ?x != ?y, ?x = ?y + 1 and !BOUND(?y) on another GPM, at most two "
            "(one of three GPMs); graphs of the values 1 and 2, or of none that matches; one "
            "stream",
            (
                ":s :p ?x", "FILTER EXISTS { :s :p ?g }",
                *(f":s :p ?x FILTER ({condition})" for condition in (
                    "?x < ?other", "?x >= ?other", "?x != ?other", "?x = ?other + 1",
                    "!BOUND(?other)",
                )),
            ),
            _up_to_two("s p 1", "s p 2"), (1, 2, 1, 0),
        ),
        GraphAlphabet(
            "background",
            "bodies {?x :p :o}, at most two others (one of three GPMs) with GRAPH :k {?x :q ?y}, "
            "with the same in an OPTIONAL, or with GRAPH ?g {?x :q ?y}, variables shared or not; "
            "two background graphs; graphs of one or two nodes, or of none that matches; one "
            "stream",
            (
                "?x :p :o", "?x :p :o GRAPH :k { ?x :q ?y }",
                "?x :p :o OPTIONAL { GRAPH :k { ?x :q ?y } }", "?x :p :o GRAPH ?g { ?x :q ?y }",
            ),
            _up_to_two(*_NODES), (1, 2, 1, 0),
            background=(("k", "a q b"), ("l", "a q a . b q a")),
        ),
        GraphAlphabet(
            "sequences",
            "bodies {?x :p :o}, variables shared or not, in sequences without & and |; with one "
            "FILTER (?x != ?y) on another GPM (of up to three), or SELECT of one variable; graphs "
            "of one node, or of none that matches; one stream",
            ("?x :p :o", _APART), _NODES, (1, 1, 1, 0),
            more={
                "spaseq/operators of an atom": (0, 1), "spaseq/select": (False, True),
                "spaseq/first atom": ("plus", "not", "optional"),
                "spaseq/atom": ("plus", "not", "optional"),
            },
        ),
    )
}


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
