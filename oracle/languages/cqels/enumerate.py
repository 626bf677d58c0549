"""All CQELS-CEP cases up to a size: every query of an alphabet's restriction, on every streamset.

Patterns have the alphabet's forms. Where a query's letters are all that streams need to know of it,
graphs of one triple have them (`enumerated_graphs`). Otherwise an event is (time, number of its
stream, number of its graph, how long it has lasted), and those of one instant on one stream have an
order, as windows may count them.

An alphabet restricts the drawing functions, and has forms of patterns and graphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import Any, Final, NamedTuple, TypeAlias

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
from ....semantics.model.items import TimeKind
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import Graph
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax.tree import Expression, Filter, GroupGraphPattern, TriplePattern
from ...inputs.choices import COIN, Choices, NothingAllowed, Options
from ...inputs.forms import Forms, Placed, exchanged, graph, items, trig, triples, words
from ...inputs.graphs import BACKGROUNDS, NAMESPACE, STREAMS, name
from ...ranks.numbered_streams import NumberedStreams, Symbols, choices, held_one_by_one
from ..enumerated_graphs import (
    GAPS,
    NOTHING,
    STEPS,
    GraphAlphabet,
    GraphEnumeration,
    interval_streams,
    placed,
)
from ..enumeration import Bounds
from .generate.queries import GRAMMAR_VERSION, query

_PLAIN: Final[Options] = {
    "cqels/time": (TimeKind.INTEGER,), "cqels/operator": (None,), "cqels/output": (False,),
    "cqels/construct": (False,), "cqels/triples of a template": (1,),
    "cqels/subject of a template": (Variable("x"),),
    "cqels/object of a template": (Variable("x"), Variable("y")),
    "cqels/shape": ("pattern", "in one", "over windows", "joined windows"),
    "cqels/operators of joined windows": (1,), "cqels/filtered sequence": (False,),
    "cqels/stream": STREAMS[:1], "cqels/width": (1,), "cqels/slide": (2,),
    "cqels/triples": (1, 2), "cqels/widths": ("any",), "cqels/clauses": ("as they are used",),
    "cqels/beside": (), "cqels/bind": ("copy",), "cqels/copied": (Variable("x"),),
    "cqels/condition of OPTIONAL": (False,), "cqels/graph": (BACKGROUNDS[0], Variable("g")),
    "cqels/select": (False,), "cqels/dataset": (((), ()),),
}
"""Sequences and two joined windows, without clauses."""

_ACROSS: Final[Options] = {"cqels/shape": ("pattern", "over windows", "joined windows")}
_THINGS: Final = tuple(f"?x :{letter} ?{letter.lower()}" for letter in "ABCDE")
_NODES: Final = tuple(f"{node} {letter} o" for letter in "ABCDE" for node in "ab")

Background: TypeAlias = Mapping[str, str | tuple[tuple[int, str], ...]]
"""Graphs by their names: fixed, or by the instants at which they change."""


@dataclass(frozen=True)
class CqelsAlphabet(GraphAlphabet):
    """The patterns of windows, and the graphs of streams.

    Each pattern has a form that is in use or the first unused one. A stream has the graphs with the
    predicates of its patterns, and NOTHING. `elsewhere`: items come on a stream that no query
    names. `lasting`: items of at most so many windows may last. `functions` are windows, of which
    "wide" is [ALL] or, if bounds have a width, [RANGE N]; `gap` is the greatest between two items,
    by default one more than what windows can tell. `beside` are background triples, `conditions`
    those of filters, `backgrounds` the graphs beside the streams.
    """

    elsewhere: bool = False
    lasting: int = 0
    functions: tuple[str, ...] = ("wide",)
    gap: int | None = None
    beside: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    backgrounds: tuple[Background, ...] = ({},)

    def allowed(self, *, wide: bool) -> Options:
        """Return the whole restriction."""
        usual = "range" if wide else "all"
        functions = (usual if each == "wide" else each for each in self.functions)
        written = {
            "cqels/form of a pattern": self.forms, "cqels/form of a background": self.beside,
            "cqels/form of a condition": self.conditions, "cqels/window": tuple(functions),
        }
        return {**_PLAIN, **{name: each for name, each in written.items() if each}, **self.more}


def _knows(node: str) -> str:
    return f"{node} K k . k L {node}"


_D, _E = ((each,) for each in BACKGROUNDS)

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        CqelsAlphabet(STEPS.name, STEPS.summary),
        CqelsAlphabet(GAPS.name, GAPS.summary),
        CqelsAlphabet(
            "windows",
            "in CQELS-CEP: every window is [RANGE N], [RANGE N SLIDE N+1] (or as --slide says), "
            "[NOW] or [ALL], N being 1 unless --within says more; windows over one stream or two",
            {**_ACROSS, "cqels/stream": STREAMS[:2]},
            graphs=(*(f"s {letter} o" for letter in "ABCDE"), NOTHING), elsewhere=True,
            functions=("range", "slide", "now", "all"),
        ),
        CqelsAlphabet(
            "counts",
            "in CQELS-CEP: every window is [TRIPLES 1], [TRIPLES 2] or as in steps; items have one "
            "triple or two",
            graphs=(
                *(f"s {letter} o" for letter in "ABCDE"), NOTHING,
                *(f"s {one} o . s {other} o" for other in "BCDE" for one in "ABCD" if one < other),
                *(f"s {letter} o . {NOTHING}" for letter in "ABCDE"),
            ),
            functions=("triples", "wide"),
        ),
        CqelsAlphabet(
            "leaving",
            "in CQELS-CEP: every window is [ALL] or [RANGE N], and a stream operator is an "
            "operator; items of two windows may last",
            {**_ACROSS, "cqels/operator": (None, *StreamOperator)},
            graphs=tuple(f"s {letter} o" for letter in "ABCDE"), lasting=2,
            functions=("all", "range"), gap=1,
        ),
        CqelsAlphabet(
            "variables",
            "in CQELS-CEP: as steps, and patterns share variables or not, ?x :A ?y, ?x :B ?b; two "
            "nodes",
            forms=("?x :A ?y", *_THINGS[1:]), alike=True,
            graphs=(*(f"{s} A {o}" for s in "ab" for o in "ab"), *_NODES[2:]),
        ),
        CqelsAlphabet(
            "clauses",
            "in CQELS-CEP: windows in groups, and FILTER of a comparison of variables, at the end "
            "or in OPTIONAL, BIND, and CONSTRUCT, each at the end an operator; two nodes",
            {
                "cqels/shape": ("pattern", "joined windows"),
                "cqels/operators of joined windows": (1, 2), "cqels/construct": COIN,
                "cqels/beside": ("filter", "bind"), "cqels/condition of OPTIONAL": COIN,
            },
            forms=_THINGS, graphs=_NODES, alike=True, conditions=("?x = ?y", "?x != ?y"),
        ),
        CqelsAlphabet(
            "background",
            "in CQELS-CEP: windows are [ALL] or [RANGE N], beside two background graphs, fixed "
            "ones or such that change while items come; FROM, FROM NAMED and GRAPH; what stands "
            "beside the first window is an operator",
            {
                "cqels/shape": ("pattern", "background"), "cqels/beside": (
                    "background", "optional", "minus", "union of windows", "graph",
                    "optional window",
                ),
                "cqels/dataset": (
                    ((), ()), (_D, ()), ((*_D, *_E), ()), ((), _D), (_D, _E),
                ),
            },
            graphs=(*_NODES, NOTHING), functions=("all", "range"), gap=1,
            beside=("?s :K ?k", "?s :K ?k . ?k :L ?l"),
            backgrounds=tuple(
                {"g1": one, "g2": other} for one, other in (
                    (_knows("a"), _knows("b")), (_knows("a"), NOTHING),
                    (((2, _knows("a")),), _knows("b")),
                    (((1, _knows("a")), (2, _knows("b"))), _knows("a")),
                    (((1, _knows("a")), (3, f"{_knows('a')} . {_knows('b')}")),
                     ((2, _knows("b")),)),
                )
            ),
        ),
    )
}


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
