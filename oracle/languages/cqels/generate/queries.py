"""Queries of CQELS-CEP: sequences, what stands beside them, SELECT and CONSTRUCT.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, Literal, URIRef, Variable

from .....semantics.cqels.syntax.tree import (
    CqelsQuery,
    PatternElement,
    TripleSequence,
    WindowClause,
    WindowElement,
    WindowPattern,
    WindowSequence,
)
from .....semantics.model.items import TimeKind
from .....semantics.model.trees import changed
from .....semantics.rdf.syntax.tree import (
    Arithmetic,
    Axis,
    AxisPath,
    Bind,
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    InlineData,
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
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.rsepql.syntax.tree import StreamOperator
from ....fuzzing.strategies.choices import among, choice, dropped
from ....fuzzing.strategies.conditions import conditions
from ....fuzzing.strategies.graph_patterns import PATHS, graph_names, graph_patterns
from ....fuzzing.strategies.vocabulary import (
    AMOUNTS,
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    PROLOGUE,
    QUANTITY,
    RESOURCES,
    STREAMS,
    THINGS,
    name,
)
from .windows import of_width, width_of, window_functions

WINDOWS = (name("w1"), name("w2"), name("w3"), name("w4"))

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

_KINDS = choice("cqels/time", (TimeKind.INTEGER,) * 7 + (TimeKind.DATETIME,))
_SHAPES = choice(
    "cqels/shape",
    ("in one", "in one", "in one", "pattern", "over windows", "over windows", "over windows",
     "join", "union", "background"),
)
_STREAMS = choice("cqels/stream", (STREAMS[0], STREAMS[0], STREAMS[1]))
_LENGTHS = choice("cqels/sequence", (2, 3, 2, 3, 3, 1, 4))
_OVER = choice("cqels/windows in sequence", (2, 3, 3))
_NEGATED = choice("cqels/negation", (None, "middle", "head", "tail", "middle", "head", "middle"))
_PATTERNS = choice("cqels/pattern", ("new",) * 5 + ("the one before",))
_APART = choice("cqels/negated pattern", ("any", "apart"))
_WIDE = choice(
    "cqels/widths", ("any",) * 2 + ("one",) + ("negated are narrow",) * 2 + ("negated are wide",)
)
_CLAUSES = choice("cqels/clauses", ("as they are used", "backwards"))
_BODIES = choice("cqels/window's body", ("pattern", "pattern", "sequence"))
_ELEMENTS = choice("cqels/window in sequence", ("pattern",) * 9 + ("sequence",))
_FILTERED = choice("cqels/filtered sequence", (False,) * 5 + (True,))
_FURTHER = choice(
    "cqels/beside",
    (None,) * 4 + ("background",) * 2 + ("optional window",) * 4
    + ("optional", "minus", "union", "filter", "union of windows", "group of a window", "exists",
       "graph", "graph", "graph", "minus a window", "bind", "values", "same window"),
)
_TWO_MORE = choice("cqels/beside that", (False,) * 4 + (True,))
_GRAPHS: SearchStrategy[URIRef | Variable] = choice(
    "cqels/graph", (BACKGROUNDS[0], Variable("g"), BACKGROUNDS[1])
)
_CONDITIONAL = choice("cqels/condition of OPTIONAL", (False,) * 3 + (True,))
_SELECTED = choice("cqels/select", (False,) * 4 + (True,))
_CONSTRUCTED = choice("cqels/construct", (False,) * 6 + (True,))
_OPERATORS = choice("cqels/operator", (*(None,) * 8, *StreamOperator))
_DATASETS = choice(
    "cqels/dataset",
    (
        *(((), ()), (BACKGROUNDS[:1], ()), (BACKGROUNDS[:1], BACKGROUNDS[1:])) * 2,
        (BACKGROUNDS, ()), (BACKGROUNDS[:1], BACKGROUNDS[:1]), ((), BACKGROUNDS[:1]),
        (BACKGROUNDS, BACKGROUNDS[:1]),
    ),
)
_COIN = st.booleans()
_FURTHER_VARIABLES = (Variable("u"), Variable("v"))
_MOST_ALIKE = 3
_MOST_ELEMENTS = 6


class Scripted(NamedTuple):
    """An item that a query asks for: on a stream, and perhaps that it does not come.

    What is `joined` is to last where others do; in a sequence things come one after the other.
    """

    stream: URIRef
    pattern: GroupGraphPattern
    negated: bool
    optional: bool = False
    joined: bool = False


@dataclass
class _Drawing:
    """A query on the way: its windows, and the patterns in the order in which events ask them."""

    draw: DrawFn
    kind: TimeKind
    windows: list[WindowClause] = field(default_factory=list)
    script: list[Scripted] = field(default_factory=list)
    blanks: int = 0

    def pattern(self) -> GroupGraphPattern:
        """A pattern on the items of a window, where no GRAPH stands."""
        again = self.draw(_PATTERNS) != "new"
        if again and self.script and self.may_come_again(self.script[-1].pattern):
            return self.script[-1].pattern
        self.blanks += 1
        made = self.draw(graph_patterns(blank=BNode(f"e{self.blanks}")))
        kept = tuple(e for e in made.elements if not graph_names(GroupGraphPattern((e,))))
        return GroupGraphPattern(kept)

    def negated_pattern(self) -> GroupGraphPattern:
        """A pattern with a ! before it, now and then without a variable of what is before it."""
        pattern = self.pattern()
        if self.draw(_APART) == "any":
            return pattern
        seen = {v for asked in self.script for v in possible_variables(asked.pattern)}
        own = possible_variables(pattern)
        swapped: dict[Variable, Variable] = {}
        for sort in (THINGS, AMOUNTS):
            new = iter([v for v in (*sort, *_FURTHER_VARIABLES) if v not in seen | own])
            for one, other in zip((v for v in sort if v in seen & own), new, strict=False):
                swapped |= {one: other, other: one}
        return changed(pattern, lambda part: swapped.get(part, part))

    def may_come_again(self, pattern: GroupGraphPattern) -> bool:
        """Whether a pattern may stand once more: every item would be every element otherwise."""
        same = sum(asked.pattern == pattern for asked in self.script)
        return same < _MOST_ALIKE and not _has_blank(pattern)

    def window(self) -> WindowClause:
        function = self.draw(window_functions(self.kind))
        clause = WindowClause(WINDOWS[len(self.windows)], self.draw(_STREAMS), function)
        self.windows.append(clause)
        return clause

    def block(self, body: SearchStrategy[str] = _BODIES, negated: bool = False) -> WindowPattern:
        """A WINDOW block over a new window."""
        return self.block_on(self.window(), body, negated)

    def block_on(
        self, clause: WindowClause, body: SearchStrategy[str] = _BODIES, negated: bool = False
    ) -> WindowPattern:
        if self.draw(body) == "sequence":
            return WindowPattern(clause.name, self.sequence(clause))
        pattern = self.negated_pattern() if negated else self.pattern()
        self.script.append(Scripted(clause.stream, pattern, negated))
        return WindowPattern(clause.name, pattern)

    def joined(self, block: Callable[[], WindowPattern], optional: bool = False) -> WindowPattern:
        """A block of which solutions are joined with those of what stands before it."""
        place = len(self.script)
        made = block()
        if isinstance(made.body, GroupGraphPattern):
            asked = self.script[place]
            self.script[place] = asked._replace(optional=optional, joined=True)
        return made

    def sequence(self, clause: WindowClause) -> TripleSequence:
        length = min(self.draw(_LENGTHS), max(_MOST_ELEMENTS - len(self.script), 1))
        negated = self.negated(length)
        elements = []
        for place in range(length):
            pattern = self.negated_pattern() if place == negated else self.pattern()
            self.script.append(Scripted(clause.stream, pattern, place == negated))
            elements.append(PatternElement(pattern, place == negated))
        filters: tuple[Filter, ...] = ()
        if self.draw(_FILTERED):
            bound = {
                v for each in elements if not each.negated for v in possible_variables(each.pattern)
            }
            if bound:
                filters = (Filter(self.draw(conditions(sorted(bound)))),)
        return TripleSequence(tuple(elements), filters)

    def window_sequence(self) -> list[Element]:
        length = self.draw(_OVER)
        negated = self.negated(length)
        places = range(length)
        blocks = [self.block(_ELEMENTS, place == negated) for place in places]
        self.fit_widths(negated)
        sequence = WindowSequence(
            tuple(WindowElement(b.name, p == negated) for b, p in zip(blocks, places, strict=True))
        )
        return [*blocks, sequence]

    def negated(self, length: int) -> int | None:
        """Which element of a sequence has a ! before it."""
        place = self.draw(_NEGATED)
        if place is None or length == 1:
            return None
        if place == "middle":
            return 1 if length == 3 else length // 2 if length > 3 else None
        return 0 if place == "head" else length - 1

    def fit_widths(self, negated: int | None) -> None:
        """What a narrow window forbids it forgets before a wide one does what it forbade."""
        how = self.draw(_WIDE)
        widths = [w for each in self.windows if (w := width_of(each.function)) is not None]
        if how == "any" or not widths:
            return
        wide = max(max(widths), 4)
        for place, clause in enumerate(self.windows):
            narrow = how != "one" and (place == negated) == (how == "negated are narrow")
            function = of_width(wide // 2 if narrow else wide, clause.function, self.kind)
            self.windows[place] = replace(clause, function=function)

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
                made = OptionalPattern(self.conditional(self.background().elements, bound))
            case "optional window":
                block = self.joined(self.block, optional=True)
                seen = sorted({*block.variables(), *bound})
                made = OptionalPattern(self.conditional((block,), seen))
            case "minus a window":
                block = self.joined(self.block, optional=True)
                made = MinusPattern(GroupGraphPattern((block,)))
            case "group of a window":
                block = self.joined(self.block)
                seen = sorted(set(block.variables()))
                filters = [Filter(self.draw(conditions(seen)))] if seen else []
                made = UnionPattern((GroupGraphPattern((block, *filters)),))
            case "same window":
                clause = self.draw(among(self.windows)) if self.windows else self.window()
                # A block of its own group is not the one that a sequence names.
                block = self.joined(lambda: self.block_on(clause))
                made = UnionPattern((GroupGraphPattern((block,)),))
            case "minus":
                made = MinusPattern(self.background())
            case "union":
                made = UnionPattern((self.background(), self.background()))
            case "union of windows":
                block = self.joined(self.block)
                made = UnionPattern((GroupGraphPattern((block,)), self.background()))
            case "graph":
                graph: URIRef | Variable = self.draw(_GRAPHS)
                made = NamedGraphPattern(graph, self.background())
            case "exists":
                made = Filter(Exists(self.background(), self.draw(_COIN)))
            case "bind":
                amounts: list[Variable | Literal] = [v for v in bound if v in AMOUNTS]
                source = self.draw(among(amounts or [NUMBERS[0]]))
                made = Bind(Arithmetic("+", source, NUMBERS[0]), Variable("sum"))
            case "values":
                variable = self.draw(among(bound or THINGS[:1]))
                terms = NUMBERS if variable in AMOUNTS else RESOURCES
                made = InlineData((variable,), tuple((each,) for each in terms[:2]))
            case _:
                if not bound:
                    return []
                made = Filter(self.draw(conditions(bound)))
        return [] if dropped(self.draw) else [made]

    def conditional(
        self, elements: tuple[Element, ...], seen: Sequence[Variable]
    ) -> GroupGraphPattern:
        """A group, now and then with a filter, which sees what stands before OPTIONAL, too."""
        if self.draw(_CONDITIONAL) and seen:
            return GroupGraphPattern((*elements, Filter(self.draw(conditions(seen)))))
        return GroupGraphPattern(elements)


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


def drawn(draw: DrawFn, kind: TimeKind) -> tuple[CqelsQuery, list[Scripted]]:
    """A query, and the items that it asks for."""
    drawing = _Drawing(draw, kind)
    elements: list[Element]
    match draw(_SHAPES):
        case "over windows":
            elements = drawing.window_sequence()
        case "join":
            elements = [drawing.block(), drawing.joined(drawing.block)]
            drawing.fit_widths(1)
        case "union":
            blocks = drawing.block(), drawing.block()
            elements = [UnionPattern(tuple(GroupGraphPattern((block,)) for block in blocks))]
            drawing.fit_widths(1)
        case "background":
            elements = [drawing.background().elements[0]]
        case "pattern":
            elements = [drawing.block()]
        case _:
            clause = drawing.window()
            elements = [WindowPattern(clause.name, drawing.sequence(clause))]
    bound = sorted(
        {v for asked in drawing.script if not asked.negated
         for v in possible_variables(asked.pattern)}
    )
    elements += drawing.further(bound)
    if draw(_TWO_MORE):
        elements += drawing.further(bound)
    elements = _coalesced(_one_sum(elements))
    select: tuple[Projection, ...] | None = None
    if draw(_SELECTED) and bound:
        chosen = draw(st.lists(among(bound), min_size=1, max_size=2, unique=True))
        select = tuple(Projection(variable) for variable in chosen)
    windows = drawing.windows if draw(_CLAUSES) == "as they are used" else drawing.windows[::-1]
    default, named = draw(_DATASETS)
    query = CqelsQuery(
        select, tuple(windows), GroupGraphPattern(tuple(elements)), default, named,
        prologue=PROLOGUE, operator=draw(_OPERATORS),
    )
    if draw(_CONSTRUCTED):
        query = _constructing(draw, query, bound)
    if query.operator is not None and draw(_COIN):
        query = replace(query, output=STREAMS[1])
    return query, drawing.script


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


def _one_sum(elements: Sequence[Element]) -> list[Element]:
    """A variable is assigned once."""
    binds = [each for each in elements if isinstance(each, Bind)]
    return [each for each in elements if each not in binds[1:]]


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
    return drawn(draw, draw(_KINDS))[0]


def kinds() -> SearchStrategy[TimeKind]:
    """Integers, mostly."""
    return _KINDS


@st.composite
def navigations(draw: DrawFn) -> Path:
    """Paths of SPARQL, and nested regular expressions."""
    return draw(st.sampled_from((*PATHS, *NESTED_PATHS)))
