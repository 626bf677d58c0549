"""All CQELS-CEP cases up to a size: every query of an alphabet's restriction, on every streamset.

Patterns have the alphabet's forms. Where a query's letters are all that streams need to know of it,
graphs of one triple have them (`enumerated_graphs`). Otherwise an event is (time, number of its
stream, number of its graph, how long it has lasted), and those of one instant on one stream have an
order, as windows may count them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

from rdflib.term import URIRef, Variable

from ....semantics.cqels.syntax.parse import parse
from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import (
    CqelsQuery,
    RangeWindow,
    Span,
    WindowClause,
    WindowPattern,
)
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import Graph
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax.tree import Expression, Filter, GroupGraphPattern, TriplePattern
from ...inputs.choices import Choices, NothingAllowed
from ...inputs.forms import Forms, Placed, exchanged, graph, items, trig, triples, words
from ...inputs.graphs import NAMESPACE, STREAMS, name
from ...ranks.numbered_streams import NumberedStreams, Symbols, choices, held_one_by_one
from ..enumerated_graphs import NOTHING, GraphEnumeration, interval_streams, placed
from ..enumeration import Bounds
from .alphabets import CqelsAlphabet
from .generate.queries import GRAMMAR_VERSION, query


class About(NamedTuple):
    """The letters of a query's patterns on each of its streams, whether a window slides and items
    may last, and the number of its background."""

    read: tuple[tuple[int, str], ...]
    slides: bool
    lasting: bool
    background: int


class CqelsEnumeration(GraphEnumeration[CqelsQuery, About, Readings]):
    """`within` is the width of windows; without it they are 1 wide, or [ALL] in some alphabets."""

    language, prefixes, readings_type = "cqels", {"": NAMESPACE}, Readings
    version, most_operators = GRAMMAR_VERSION, 3

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.alphabet: CqelsAlphabet = bounds.alphabet_of(self.language)
        if bounds.events or "slide" not in self.alphabet.functions:
            bounds.only_wide(
                f"windows of the alphabet '{self.alphabet.name}' are N wide, without SLIDE"
            )
        self.allowed = self.alphabet.allowed(wide=bounds.within is not None)
        self._width = 1 if bounds.within is None else bounds.within
        self._slide = bounds.slide or self._width + 1
        self.variants = range(len(self.alphabet.backgrounds))
        self._streams: dict[tuple[About, int], NumberedStreams] = {}

    # --- queries ---------------------------------------------------------------------------------

    def drawn(self, choices: Choices, operators: int, variant: int) -> CqelsQuery:
        found = query(choices, operators, forms=_Parts(self.alphabet))
        if variant and not has(found.where, TriplePattern, but=WindowPattern):
            raise NothingAllowed("the background is not asked")
        return replace(found, windows=tuple(map(self._as_wide, found.windows)))

    def _as_wide(self, window: WindowClause) -> WindowClause:
        function = window.function
        if not isinstance(function, RangeWindow):
            return window
        slide = None if function.slide is None else Span(self._slide)
        return replace(window, function=RangeWindow(Span(self._width), slide))

    def about(self, query: CqelsQuery, variant: int) -> About:
        on = {each.name: STREAMS.index(each.stream) for each in query.windows}
        read: dict[int, set[str]] = {}
        for window in find(query.where, WindowPattern):
            letters = (str(each.predicate)[-1] for each in find(window, TriplePattern))
            read.setdefault(on[window.name], set()).update(letters)
        functions = [each.function for each in query.windows]
        return About(
            tuple((stream, "".join(sorted(read[stream]))) for stream in sorted(read)),
            any(isinstance(each, RangeWindow) and each.slide is not None for each in functions),
            len(functions) <= self.alphabet.lasting, variant,
        )

    # --- streams ---------------------------------------------------------------------------------

    def streams(self, about: About, events: int) -> NumberedStreams:
        if not self.alphabet.graphs:
            [(_, letters)] = about.read
            return self.of_letters(interval_streams, letters, events)
        key = about._replace(background=0), events
        if key not in self._streams:
            self._streams[key] = held_one_by_one(self._words(*key), events, 4)
        return self._streams[key]

    def _words(self, about: About, events: int) -> Iterator[Symbols]:
        graphs, ranges = self.alphabet.graphs, "range" in self.allowed["cqels/window"]
        gap = self._width + 1 if ranges else 1
        if self.alphabet.gap is not None:
            gap = self.alphabet.gap
        first = 1
        if about.slides and events:
            first, gap = self._slide, self._width + self._slide
        times = (
            tuple(accumulate(steps))[:events]
            for steps in choices(range(1, first + 1), range(gap + 1), events)
        )
        turned = exchanged(graphs) if self.alphabet.alike else range(len(graphs))
        return words(times, events, list(self._contents(about)), turned)

    def _contents(self, about: About) -> Iterator[tuple[int, ...]]:
        """Return what an item may be: its stream, its graph, and how long it has lasted."""
        first, _ = about.read[0]
        for stream, letters in about.read:
            for number, text in enumerate(self.alphabet.graphs):
                held = {each for _, each, _ in triples(text)} - {"Z"}
                if held <= set(letters) and (held or stream == first):
                    for lasted in (0, 1) if about.lasting and held else (0,):
                        yield stream, number, lasted
        if self.alphabet.elsewhere:
            yield len(STREAMS) - 1, self.alphabet.graphs.index(NOTHING), 0

    def _events(self, streams: Symbols) -> Iterator[Placed]:
        if not self.alphabet.graphs:
            return placed(streams)
        graphs = self.alphabet.graphs
        return (
            ((time - lasted, time), STREAMS[stream], graphs[number])
            for time, stream, number, lasted in streams
        )

    def _named(self, about: About) -> list[URIRef]:
        return [STREAMS[stream] for stream, _ in about.read]

    def written(self, about: About, streams: Symbols) -> str:
        return trig(self._events(streams), self._named(about))

    def items(self, about: About, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return items(self._events(streams), self._named(about))

    def beside(self, about: About) -> Mapping[str, Any]:
        background = self.alphabet.backgrounds[about.background]
        return {"kb": _graphs(background)} if background else {}


def _graphs(background: Any) -> dict[URIRef, Graph | TemporalGraph]:
    return {
        name(local): graph(said) if isinstance(said, str)
        else TemporalGraph(tuple((time, graph(text)) for time, text in said))
        for local, said in background.items()
    }


# --- forms ---------------------------------------------------------------------------------------

_FORM: Final = f"PREFIX : <{NAMESPACE}> " + (
    "SELECT * FROM NAMED WINDOW :w ON :s [ALL] WHERE { WINDOW :w { %s } }"
)


class _Parts:
    """Draws the parts of one query, each of a form."""

    def __init__(self, alphabet: CqelsAlphabet) -> None:
        self._alphabet = alphabet
        self._patterns = Forms(
            "cqels/form of a pattern", alphabet.forms, alphabet.others, in_order=True
        )
        self._things: list[str] = []

    def pattern(self, choices: Choices) -> GroupGraphPattern:
        return _pattern(self._patterns.drawn(choices, self._things, []))

    def background(self, choices: Choices) -> GroupGraphPattern:
        return _pattern(choices.among("cqels/form of a background", self._alphabet.beside))

    def condition(self, choices: Choices, variables: Sequence[Variable]) -> Expression:
        found = _condition(choices.among("cqels/form of a condition", self._alphabet.conditions))
        if not set(find(found, Variable)) <= set(variables):
            raise NothingAllowed("not in scope")
        return found


@cache
def _pattern(text: str) -> GroupGraphPattern:
    pattern: Any = next(find(parse(_FORM % text).where, WindowPattern)).body
    assert isinstance(pattern, GroupGraphPattern)
    return pattern


@cache
def _condition(text: str) -> Expression:
    return next(find(_pattern(f"?x ?p ?y FILTER({text})"), Filter)).condition


ENUMERATION = CqelsEnumeration
