"""Strategies for CQELS-CEP: windows, sequences, queries, and cases that often have answers.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    NowWindow,
    PatternElement,
    RangeWindow,
    Span,
    TripleSequence,
    TriplesWindow,
    WindowClause,
    WindowElement,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from ....semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import EMPTY_GRAPH, Graph
from ....semantics.rdf.syntax.tree import (
    Axis,
    AxisPath,
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
    NestedPath,
    NodeTest,
    OneOrMorePath,
    OptionalPattern,
    Path,
    Projection,
    SequencePath,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
    ZeroOrMorePath,
)
from ....semantics.rdf.syntax.variables import possible_variables
from ....semantics.rsepql.syntax.tree import StreamOperator
from ...fuzzing.strategies.choices import among
from ...fuzzing.strategies.conditions import conditions
from ...fuzzing.strategies.dropping import dropped
from ...fuzzing.strategies.graph_patterns import PATHS, graph_names, graph_patterns
from ...fuzzing.strategies.instances import Usual, instance
from ...fuzzing.strategies.streams import SECOND, instant
from ...fuzzing.strategies.terms import graphs
from ...fuzzing.strategies.vocabulary import (
    BACKGROUNDS,
    KNOWN,
    LINK,
    PROLOGUE,
    QUANTITY,
    RESOURCES,
    STREAMS,
    THINGS,
    name,
)
from .case import CqelsCase

WINDOWS = (name("w1"), name("w2"), name("w3"))

NESTED_PATHS: tuple[Path, ...] = (
    NestedPath(LINK, QUANTITY),
    NestedPath(InversePath(LINK), KNOWN),
    OneOrMorePath(SequencePath((NodeTest(LINK, RESOURCES[0]), LINK))),
    SequencePath((InversePath(LINK), NodeTest(QUANTITY), LINK)),
    AxisPath(Axis.NEXT, label=LINK),
    AxisPath(Axis.NEXT, inverse=True, nested=AxisPath(Axis.EDGE)),
    AxisPath(Axis.SELF, nested=LINK),
    SequencePath((AxisPath(Axis.EDGE), AxisPath(Axis.NODE, label=RESOURCES[0]))),
    AxisPath(Axis.NODE, inverse=True),
    OneOrMorePath(SequencePath((AxisPath(Axis.NEXT), AxisPath(Axis.SELF, nested=KNOWN)))),
    ZeroOrMorePath(AxisPath(Axis.EDGE, label=RESOURCES[1])),
)

_WIDE = 40
_RARELY = st.sampled_from((False,) * 5 + (True,))
_COIN = st.booleans()
_SHAPES = st.sampled_from(
    ("in one", "in one", "in one", "pattern", "over windows", "over windows", "join",
     "background")
)
_LENGTHS = st.sampled_from((2, 3, 2, 3, 3, 1, 4))
_NEGATED = st.sampled_from((None, 1, None, 0, 1, 2))
_UNITS = st.sampled_from((TimeKind.INTEGER,) * 7 + (TimeKind.DATETIME,))
_WIDTHS = (10, 4, 10, 3, 10, 6, 10, 2, 10, 1, 10, 0)
_SLIDES = (None,) * 6 + (1, 2, 3)
_FURTHER = st.sampled_from(
    (None, None, "background", "background", "background", "optional", "minus", "union", "filter",
     "optional window", "optional window", "union of windows", "group of a window", "exists",
     "graph", "minus a window")
)
_GRAPHS: SearchStrategy[URIRef | Variable] = st.sampled_from((BACKGROUNDS[0], Variable("g")))


# --- windows and sequences -----------------------------------------------------------------------


def window_functions(kind: TimeKind = TimeKind.INTEGER) -> SearchStrategy[WindowFunction]:
    """Window expressions, mostly [RANGE T], measured in this kind of time."""
    size = SECOND if kind is TimeKind.DATETIME else 1
    ranges: list[WindowFunction] = [
        RangeWindow(
            Span(width * size, kind), None if slide is None else Span(slide * size, kind)
        )
        for width, slide in product(_WIDTHS, _SLIDES)
    ]
    others: list[WindowFunction] = [
        NowWindow(), AllWindow(), TriplesWindow(1), TriplesWindow(2), TriplesWindow(3),
    ]
    return st.sampled_from(ranges + others * 3)


@dataclass
class _Drawing:
    """A query on the way: its windows, and the patterns in the order in which events ask them."""

    draw: DrawFn
    kind: TimeKind
    windows: list[WindowClause] = field(default_factory=list)
    script: list[tuple[URIRef, GroupGraphPattern, bool]] = field(default_factory=list)
    blanks: int = 0

    def pattern(self, earlier: Sequence[Variable] = ()) -> GroupGraphPattern:
        """A pattern on the items of a window, where no GRAPH stands."""
        self.blanks += 1
        made = self.draw(graph_patterns(blank=BNode(f"e{self.blanks}")))
        kept = tuple(e for e in made.elements if not graph_names(GroupGraphPattern((e,))))
        return GroupGraphPattern(kept)

    def window(self) -> WindowClause:
        stream = self.draw(among((STREAMS[0], STREAMS[0], STREAMS[1])))
        function = self.draw(window_functions(self.kind))
        clause = WindowClause(WINDOWS[len(self.windows)], stream, function)
        self.windows.append(clause)
        return clause

    def block(self, negated: bool = False, *, plain: bool = False) -> WindowPattern:
        """A WINDOW block over a new window."""
        clause = self.window()
        body = self.one(clause, negated) if plain or self.draw(_COIN) else self.sequence(clause)
        return WindowPattern(clause.name, body)

    def one(self, clause: WindowClause, negated: bool = False) -> GroupGraphPattern:
        pattern = self.pattern()
        self.script.append((clause.stream, pattern, negated))
        return pattern

    def sequence(self, clause: WindowClause) -> TripleSequence:
        length, negated = self.draw(_LENGTHS), self.draw(_NEGATED)
        if length == 1 or (negated is not None and negated >= length):
            negated = None
        elements = []
        for place in range(length):
            same = self.script and self.draw(_RARELY)
            pattern = self.script[-1][1] if same and not _has_blank(self.script[-1][1]) else (
                self.pattern()
            )
            self.script.append((clause.stream, pattern, place == negated))
            elements.append(PatternElement(pattern, place == negated))
        filters: tuple[Filter, ...] = ()
        if self.draw(_RARELY):
            bound = {
                v for each in elements if not each.negated for v in possible_variables(each.pattern)
            }
            if bound:
                filters = (Filter(self.draw(conditions(sorted(bound)))),)
        return TripleSequence(tuple(elements), filters)

    def window_sequence(self) -> list[Element]:
        length = self.draw(st.sampled_from((2, 3, 3)))
        negated = self.draw(_NEGATED)
        places = range(length)
        blocks = [self.block(place == negated, plain=True) for place in places]
        sequence = WindowSequence(
            tuple(WindowElement(b.name, p == negated) for b, p in zip(blocks, places, strict=True))
        )
        return [*blocks, sequence]

    # --- what stands beside the windows ---

    def background(self) -> GroupGraphPattern:
        triple = self.draw(_BACKGROUND_TRIPLES)
        return GroupGraphPattern((TriplesBlock((triple,)),))

    def further(self, bound: Sequence[Variable]) -> list[Element]:
        kind = self.draw(_FURTHER)
        if kind is None or (len(self.windows) == len(WINDOWS) and "window" in kind):
            return []
        match kind:
            case "background":
                made: Element = self.background().elements[0]
            case "optional":
                inner: tuple[Element, ...] = self.background().elements
                if bound and self.draw(_RARELY):
                    condition = self.draw(conditions(bound))
                    inner = (*inner, Filter(condition))
                made = OptionalPattern(GroupGraphPattern(inner))
            case "optional window":
                made = OptionalPattern(GroupGraphPattern((self.block(),)))
            case "minus a window":
                made = MinusPattern(GroupGraphPattern((self.block(),)))
            case "group of a window":
                block = self.block()
                seen = sorted(set(block.variables()))
                filters = [Filter(self.draw(conditions(seen)))] if seen else []
                made = UnionPattern((GroupGraphPattern((block, *filters)),))
            case "minus":
                made = MinusPattern(self.background())
            case "union":
                made = UnionPattern((self.background(), self.background()))
            case "union of windows":
                made = UnionPattern(
                    (GroupGraphPattern((self.block(plain=True),)), self.background())
                )
            case "graph":
                graph: URIRef | Variable = self.draw(_GRAPHS)
                made = NamedGraphPattern(graph, self.background())
            case "exists":
                made = Filter(Exists(self.background(), self.draw(_COIN)))
            case _:
                if not bound:
                    return []
                made = Filter(self.draw(conditions(bound)))
        return [] if dropped(self.draw) else [made]


def _has_blank(pattern: GroupGraphPattern) -> bool:
    return any(
        isinstance(part, BNode)
        for element in pattern.elements if isinstance(element, TriplesBlock)
        for triple in element.triples
        for part in (triple.subject, triple.object)
    )


_BACKGROUND_TRIPLES = st.sampled_from(
    [TriplePattern(s, p, o) for p in (KNOWN, LINK) for s in THINGS[:2] for o in THINGS]
    + [
        TriplePattern(s, path, o)
        for path in (*PATHS, *NESTED_PATHS) for s in THINGS[:2] for o in (THINGS[1], RESOURCES[0])
    ]
)


def _drawn(draw: DrawFn, kind: TimeKind) -> tuple[CqelsQuery, _Drawing]:
    drawing = _Drawing(draw, kind)
    shape = draw(_SHAPES)
    elements: list[Element]
    if shape == "over windows":
        elements = drawing.window_sequence()
    elif shape == "join":
        elements = [drawing.block(plain=True), drawing.block(plain=True)]
    elif shape == "background":
        elements = [drawing.background().elements[0]]
    elif shape == "pattern":
        elements = [drawing.block(plain=True)]
    else:
        clause = drawing.window()
        elements = [WindowPattern(clause.name, drawing.sequence(clause))]
    bound = sorted(
        {v for _, pattern, negated in drawing.script if not negated
         for v in possible_variables(pattern)}
    )
    elements += drawing.further(bound)
    if draw(_RARELY):
        elements += drawing.further(bound)
    elements = _coalesced(elements)
    select: tuple[Projection, ...] | None = None
    if bound and draw(_RARELY):
        chosen = draw(st.lists(among(bound), min_size=1, max_size=2, unique=True))
        select = tuple(Projection(variable) for variable in chosen)
    query = CqelsQuery(
        select, tuple(drawing.windows), GroupGraphPattern(tuple(elements)),
        draw(st.sampled_from(((), BACKGROUNDS[:1], BACKGROUNDS[:1], ()))), prologue=PROLOGUE,
        operator=draw(_OPERATORS),
    )
    if draw(_RARELY):
        query = _constructing(draw, query, bound)
    if query.operator is not None and draw(_COIN):
        query = replace(query, output=STREAMS[1])
    return query, drawing


_OPERATORS = st.sampled_from((*(None,) * 12, *StreamOperator))


def _constructing(draw: DrawFn, query: CqelsQuery, bound: Sequence[Variable]) -> CqelsQuery:
    """The query with CONSTRUCT: triples of what it binds, of a blank node, of what no triple has"""
    parts: list[URIRef | Variable | BNode] = [RESOURCES[0], BNode("m"), *bound]
    template = tuple(
        TriplePattern(draw(among(parts[:3])), LINK, draw(among(parts)))
        for _ in range(draw(st.sampled_from((1, 2))))
    )
    named = (part for t in template for part in (t.subject, t.object))
    variables = dict.fromkeys(part for part in named if isinstance(part, Variable))
    return replace(query, template=template, select=tuple(map(Projection, variables)))


def _coalesced(elements: Sequence[Element]) -> list[Element]:
    """Adjacent triples are one block, as a parser reads them."""
    blocks: list[Element] = []
    for element in elements:
        if blocks and isinstance(element, TriplesBlock) and isinstance(blocks[-1], TriplesBlock):
            blocks[-1] = TriplesBlock(blocks[-1].triples + element.triples)
        else:
            blocks.append(element)
    return blocks


@st.composite
def cqels_queries(draw: DrawFn) -> CqelsQuery:
    """CQELS-CEP queries."""
    return _drawn(draw, draw(_UNITS))[0]


@st.composite
def navigations(draw: DrawFn) -> Path:
    """Paths of SPARQL, and nested regular expressions."""
    return draw(st.sampled_from((*PATHS, *NESTED_PATHS)))


# --- cases ---------------------------------------------------------------------------------------

_GAPS = st.sampled_from((1, 2, 1, 2, 3, 0))
_DURATIONS = st.sampled_from((0, 0, 0, 1, 2, 4, 9))
_LOOKS = st.sampled_from(("left out", *("",) * 12, "twice"))
_NEGATED_COMES = st.sampled_from((False, False, True))
_ROUNDS = st.sampled_from((1, 1, 2))
_NOISE = st.sampled_from((0, 0, 1, 2))
_AT = st.sampled_from((None,) * 4 + ("some", "all", "some"))
_BACKGROUND_KINDS = st.sampled_from(("constant",) * 4 + ("changing", "absent"))


@st.composite
def interval_streams(
    draw: DrawFn, *, document: URIRef = STREAMS[0], kind: TimeKind = TimeKind.INTEGER,
    max_size: int = 5,
) -> tuple[Item, ...]:
    """Streams of instants and intervals, in the order of their ends."""
    drawn = [
        (draw(st.integers(0, 2 * max_size)), draw(_DURATIONS), draw(graphs(document)))
        for _ in range(draw(st.integers(0, max_size)))
    ]
    return stream_of(drawn, kind)


def stream_of(
    events: Sequence[tuple[int, int, Graph]], kind: TimeKind
) -> tuple[Item, ...]:
    """Items that end at a tick and have lasted for so many, as a stream."""
    return tuple(
        TimestampedGraph(instant(end, kind), graph, kind) if not lasted
        else IntervalGraph(instant(end - lasted, kind), instant(end, kind), graph, kind)
        for end, lasted, graph in sorted(events, key=lambda event: event[0])
    )


@st.composite
def cqels_cases(draw: DrawFn) -> CqelsCase:
    """Cases of CQELS-CEP that have a meaning, on streams that their queries often match."""
    kind = draw(_UNITS)
    query, drawing = _drawn(draw, kind)
    usual: Usual = {}
    events = _scripted(draw, drawing, usual)
    streams = {
        clause.stream: stream_of(
            [(end, lasted, graph) for s, end, lasted, graph in events if s == clause.stream], kind
        )
        for clause in query.windows
    }
    case = CqelsCase(
        query=query,
        streams=streams,
        kb=_kb(draw, query, usual, kind),
        readings=Readings(inside=draw(st.sampled_from(("closed", "closed", "open")))),
        at=_times(draw, events, kind),
    )
    return case if draw(_RARELY) else _likelier(case)


def _likelier(case: CqelsCase) -> CqelsCase:
    """The case, or if it has no answer one that has: with wider windows, evaluated on arrival,
    without filters, or without what else is not the windows'."""
    if case.denotation():
        return case
    wider = replace(case, query=_wider(case.query), at=None)
    bare = replace(wider, query=replace(
        wider.query, where=_without(wider.query.where, Filter)
    ))
    barest = replace(bare, query=replace(bare.query, where=_without(
        bare.query.where, TriplesBlock | MinusPattern | NamedGraphPattern
    )))
    return next((each for each in (wider, bare, barest) if each.denotation()), case)


def _wider(query: CqelsQuery) -> CqelsQuery:
    def wide(window: WindowClause) -> WindowClause:
        function = window.function
        if not isinstance(function, RangeWindow):
            return replace(window, function=AllWindow())
        size = SECOND if function.width.kind is TimeKind.DATETIME else 1
        return replace(
            window, function=RangeWindow(Span(_WIDE * size, function.width.kind), function.slide)
        )

    return replace(query, windows=tuple(map(wide, query.windows)))


def _without(where: GroupGraphPattern, kinds: Any) -> GroupGraphPattern:
    def bare(element: Element) -> Element:
        if not isinstance(element, WindowPattern):
            return element
        body = element.body
        if isinstance(body, TripleSequence):
            parts = tuple(
                replace(part, pattern=_without(part.pattern, Filter)) for part in body.elements
            )
            return replace(element, body=TripleSequence(parts))
        return replace(element, body=_without(body, Filter))

    return GroupGraphPattern(
        tuple(bare(element) for element in where.elements if not isinstance(element, kinds))
    )


def _scripted(
    draw: DrawFn, drawing: _Drawing, usual: Usual
) -> list[tuple[URIRef, int, int, Graph]]:
    """Events in the order in which the query's patterns ask for them, and a few others."""
    tick = 0
    events: list[tuple[URIRef, int, int, Graph]] = []
    for _ in range(draw(_ROUNDS)):
        for stream, pattern, negated in drawing.script:
            looks = draw(_LOOKS)
            lasted = draw(_DURATIONS)
            graph = instance(draw, pattern, stream, usual)
            comes = draw(_NEGATED_COMES) if negated else looks != "left out"
            for _ in range(comes + (comes and looks == "twice")):
                tick += draw(_GAPS)
                events.append((stream, tick, lasted, graph))
    for _ in range(draw(_NOISE)):
        stream = draw(among((STREAMS[0], STREAMS[1])))
        events.append(
            (stream, draw(st.integers(0, tick + 2)), draw(_DURATIONS), draw(graphs(stream)))
        )
    return events


def _times(
    draw: DrawFn, events: Sequence[tuple[URIRef, int, int, Graph]], kind: TimeKind
) -> tuple[int, ...] | None:
    how = draw(_AT)
    if how is None:
        return None
    last = max((end for _, end, _, _ in events), default=0) + 3
    ticks = range(last) if how == "all" else sorted(
        draw(st.lists(st.integers(0, last), min_size=1, max_size=3, unique=True))
    )
    return tuple(instant(tick, kind) for tick in ticks)


def _kb(
    draw: DrawFn, query: CqelsQuery, usual: Usual, kind: TimeKind
) -> dict[URIRef, Graph | TemporalGraph]:
    static = [
        element for element in query.where.elements
        if not isinstance(element, WindowPattern | WindowSequence)
    ]
    if not static:
        return {}
    how = draw(_BACKGROUND_KINDS)
    kb: dict[URIRef, Graph | TemporalGraph] = {}
    for place, graph_name in enumerate(BACKGROUNDS):
        if how == "absent" or (place and not draw(_RARELY)):
            continue
        made = EMPTY_GRAPH.union(*(
            instance(draw, GroupGraphPattern(_asked(element)), graph_name, usual)
            for element in static
        ), draw(graphs(graph_name, max_size=2)))
        if how == "changing" and not place:
            ticks = sorted(draw(st.lists(st.integers(0, 9), min_size=1, max_size=2, unique=True)))
            others = [made, *(draw(graphs(graph_name, max_size=2)) for _ in ticks[1:])]
            changes = zip(ticks, others, strict=True)
            kb[graph_name] = TemporalGraph(
                tuple((instant(tick, kind), graph) for tick, graph in changes), kind
            )
        else:
            kb[graph_name] = made
    return kb


def _asked(element: Element) -> tuple[Element, ...]:
    match element:
        case NamedGraphPattern(_, inner) | Filter(Exists(inner)) | OptionalPattern(inner):
            return tuple(e for e in inner.elements if isinstance(e, TriplesBlock))
        case _:
            return (element,) if isinstance(element, TriplesBlock | UnionPattern) else ()


strategy = cqels_cases
