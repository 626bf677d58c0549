"""Queries of CQELS-CEP: windows, sequences, what stands beside them, SELECT and CONSTRUCT.

Only combinations that have a meaning are made, so that every generated case is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

from rdflib.term import BNode, Literal, URIRef, Variable

from .....semantics.cqels.syntax.tree import (
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
from .....semantics.model.items import TimeKind
from .....semantics.model.trees import changed
from .....semantics.rdf.syntax.tree import (
    Arithmetic,
    Axis,
    AxisPath,
    Bind,
    Element,
    Exists,
    Expression,
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
from ....inputs.choices import COIN, Choices, Decided, NothingAllowed, Options, dropped, several
from ....inputs.graph_patterns import (
    ONE_BLOCK,
    PATHS,
    condition,
    graph_names,
    graph_pattern,
    has_blank,
)
from ....inputs.graphs import (
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
from ....inputs.sparql import expression
from ....inputs.streams import SECOND

_KINDS = (
    "cqels/window", ("range",) * 9 + ("slide",) * 3 + ("triples",) * 4 + ("all", "now")
)
_WIDTHS = ("cqels/width", (10, 4, 6, 3, 10, 5, 2, 1, 0, 4, 6))
_SLIDES = ("cqels/slide", (1, 2, 3, 4))
_SIZES = ("cqels/triples", (1, 2, 1, 3, 4))


def window_function(choices: Choices, kind: TimeKind = TimeKind.INTEGER) -> WindowFunction:
    """Draw a window expression, mostly [RANGE T], measured in this kind of time."""
    size = SECOND if kind is TimeKind.DATETIME else 1
    match choices.among(*_KINDS):
        case "slide":
            slide = Span(choices.among(*_SLIDES) * size, kind)
            return RangeWindow(Span(choices.among(*_WIDTHS) * size, kind), slide)
        case "triples":
            return TriplesWindow(choices.among(*_SIZES))
        case "now":
            return NowWindow()
        case "all":
            return AllWindow()
        case _:
            return RangeWindow(Span(choices.among(*_WIDTHS) * size, kind))


def of_width(ticks: int, function: WindowFunction, kind: TimeKind) -> WindowFunction:
    """Return the window as wide as that, where it has a width."""
    if not isinstance(function, RangeWindow):
        return function
    size = SECOND if kind is TimeKind.DATETIME else 1
    return RangeWindow(Span(ticks * size, kind), function.slide)


def width_of(function: WindowFunction) -> int | None:
    """Return the ticks for which an instantaneous item stays in a window; None if undefined."""
    match function:
        case RangeWindow(width):
            return width.value // (SECOND if width.kind is TimeKind.DATETIME else 1)
        case NowWindow():
            return 0
        case _:
            return None


def slide_of(function: WindowFunction) -> int | None:
    """Return every how many ticks a window moves, where it does not do so all the time."""
    if isinstance(function, RangeWindow) and function.slide is not None:
        return function.slide.value // (SECOND if function.slide.kind is TimeKind.DATETIME else 1)
    return None


GRAMMAR_VERSION: Final = 1
"""Changes whenever the drawing functions draw other queries, as certificates are of all of them."""

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

KINDS = ("cqels/time", (TimeKind.INTEGER,) * 7 + (TimeKind.DATETIME,))
_SHAPES = (
    "cqels/shape",
    ("in one", "in one", "in one", "pattern", "over windows", "over windows", "over windows",
     "joined windows", "joined windows", "background"),
)
_PLAIN = ("pattern", "background")
_JOINED = ("cqels/operators of joined windows", (1, 1, 1, 2))
_JOINS = ("cqels/windows are joined by", ("join", "union", "optional", "minus", "join", "union"))
_STREAMS = ("cqels/stream", (STREAMS[0], STREAMS[0], STREAMS[1]))
_LENGTHS = ("cqels/sequence", (2, 3, 2, 3, 3, 1, 4))
_OVER = ("cqels/windows in sequence", (2, 3, 3))
_NEGATED = ("cqels/negation", (None, "middle", "head", "tail", "middle", "head", "middle"))
_ENDS = tuple(each for each in _NEGATED[1] if each != "middle")
_PATTERNS = ("cqels/pattern", ("new",) * 5 + ("the one before",))
_APART = ("cqels/negated pattern", ("any", "apart"))
_WIDE = (
    "cqels/widths", ("any",) * 2 + ("one",) + ("negated are narrow",) * 2 + ("negated are wide",)
)
_CLAUSES = ("cqels/clauses", ("as they are used", "backwards"))
_BODIES = ("cqels/window's body", ("pattern", "pattern", "sequence"))
_ELEMENTS = ("cqels/window in sequence", ("pattern",) * 9 + ("sequence",))
_FILTERED = ("cqels/filtered sequence", (False,) * 5 + (True,))
_KINDS_BESIDE = ("background",) * 2 + ("optional window",) * 4 + (
    "optional", "minus", "union", "filter", "union of windows", "group of a window", "exists",
    "graph", "graph", "graph", "minus a window", "bind", "values", "same window",
)
_FURTHER = ("cqels/beside", (*(None,) * 4, *_KINDS_BESIDE))
_COUNTED = ("cqels/beside", _KINDS_BESIDE)
_TWO_MORE = ("cqels/beside that", (False,) * 4 + (True,))
_GRAPHS: Decided[URIRef | Variable] = (
    "cqels/graph", (BACKGROUNDS[0], Variable("g"), BACKGROUNDS[1])
)
_CONDITIONAL = ("cqels/condition of OPTIONAL", (False,) * 3 + (True,))
_SELECTED = ("cqels/select", (False,) * 4 + (True,))
_COMPUTED = ("cqels/SELECT AS", COIN)
_CONSTRUCTED = ("cqels/construct", (False,) * 6 + (True,))
_TEMPLATES = ("cqels/triples of a template", (1, 2))
_OUTPUT = ("cqels/output", COIN)
_BINDS = ("cqels/bind", ("sum", "sum", "copy"))
_OPERATORS = ("cqels/operator", (*(None,) * 8, *StreamOperator))
_DATASETS = (
    "cqels/dataset",
    (
        *(((), ()), (BACKGROUNDS[:1], ()), (BACKGROUNDS[:1], BACKGROUNDS[1:])) * 2,
        (BACKGROUNDS, ()), (BACKGROUNDS[:1], BACKGROUNDS[:1]), ((), BACKGROUNDS[:1]),
        (BACKGROUNDS, BACKGROUNDS[:1]),
    ),
)
COLUMNAR: Final[Options] = {
    **ONE_BLOCK,
    "cqels/shape": ("in one", "over windows"), "cqels/window": ("range", "all"),
    "cqels/negation": (None,), "cqels/window in sequence": ("pattern",),
    "cqels/operator": (None, StreamOperator.ISTREAM),
    "cqels/beside": (None, "background", "filter"), "cqels/duration": (0,),
}
"""The options of queries whose sequences an engine can evaluate by columns."""
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


class Forms(Protocol):
    """Draws the parts of a query that are no operators of the language."""

    def pattern(self, choices: Choices) -> GroupGraphPattern:
        """Draw a pattern on the items of a window."""

    def background(self, choices: Choices) -> GroupGraphPattern:
        """Draw triples outside windows."""

    def condition(self, choices: Choices, variables: Sequence[Variable]) -> Expression:
        """Draw a FILTER's condition over these variables."""


@dataclass
class _Drawing:
    """A query on the way: its windows, and the patterns in the order in which events ask them.

    With `forms`, these draw patterns, background triples and conditions; without them, they have
    any constructs.
    """

    choices: Choices
    kind: TimeKind
    forms: Forms | None = None
    windows: list[WindowClause] = field(default_factory=list)
    script: list[Scripted] = field(default_factory=list)
    blanks: int = 0

    def pattern(self) -> GroupGraphPattern:
        """Return a pattern on the items of a window, where no GRAPH stands."""
        if self.forms is not None:
            return self.forms.pattern(self.choices)
        again = self.choices.among(*_PATTERNS) != "new"
        if again and self.script and self.may_come_again(self.script[-1].pattern):
            return self.script[-1].pattern
        self.blanks += 1
        made = graph_pattern(
            self.choices, blank=BNode(f"e{self.blanks}"), nested_paths=True
        )
        kept = tuple(e for e in made.elements if not graph_names(GroupGraphPattern((e,))))
        return GroupGraphPattern(kept)

    def negated_pattern(self) -> GroupGraphPattern:
        """Return a negated pattern, sometimes without a variable of the element before it."""
        pattern = self.pattern()
        if self.forms is not None or self.choices.among(*_APART) == "any":
            return pattern
        seen = {v for asked in self.script for v in possible_variables(asked.pattern)}
        own = possible_variables(pattern)
        swapped: dict[Variable, Variable] = {}
        for sort in (THINGS, AMOUNTS):
            taken = {*seen, *own, *swapped}
            new = iter([v for v in (*sort, *_FURTHER_VARIABLES) if v not in taken])
            for one, other in zip((v for v in sort if v in seen & own), new, strict=False):
                swapped |= {one: other, other: one}
        return changed(pattern, lambda part: swapped.get(part, part))

    def may_come_again(self, pattern: GroupGraphPattern) -> bool:
        """Return True if a pattern may occur again: else every item would match every element."""
        same = sum(asked.pattern == pattern for asked in self.script)
        return same < _MOST_ALIKE and not has_blank(pattern)

    def window(self) -> WindowClause:
        function = window_function(self.choices, self.kind)
        name, streams = _STREAMS
        stream = self.choices.among(name, streams if self.windows else streams[:1])
        clause = WindowClause(WINDOWS[len(self.windows)], stream, function)
        self.windows.append(clause)
        return clause

    def block(self, body: Decided[str] = _BODIES, negated: bool = False) -> WindowPattern:
        """Return a WINDOW block over a new window."""
        return self.block_on(self.window(), body, negated)

    def block_on(
        self, clause: WindowClause, body: Decided[str] = _BODIES, negated: bool = False
    ) -> WindowPattern:
        if self.forms is None and self.choices.among(*body) == "sequence":
            return WindowPattern(clause.name, self.sequence(clause))
        pattern = self.negated_pattern() if negated else self.pattern()
        self.script.append(Scripted(clause.stream, pattern, negated))
        return WindowPattern(clause.name, pattern)

    def joined(self, block: Callable[[], WindowPattern], optional: bool = False) -> WindowPattern:
        """Return a block of which solutions are joined with those of what stands before it."""
        place = len(self.script)
        made = block()
        if isinstance(made.body, GroupGraphPattern):
            asked = self.script[place]
            self.script[place] = asked._replace(optional=optional, joined=True)
        return made

    def joined_windows(
        self, operators: int, *, joined: bool = False, optional: bool = False
    ) -> tuple[Element, ...]:
        """Return windows that are joined by a number of operators."""
        if not operators:
            return (self.joined(self.block, optional) if joined else self.block(),)
        how = self.choices.among(*_JOINS)
        left = self.choices.among("operators on the left", range(operators))
        first = self.joined_windows(left, joined=joined, optional=optional)
        second = self.joined_windows(
            operators - 1 - left, joined=joined or how != "union",
            optional=optional or how in ("optional", "minus"),
        )
        group = GroupGraphPattern(second)
        match how:
            case "union":
                return (UnionPattern((GroupGraphPattern(first), group)),)
            case "optional":
                seen = sorted(possible_variables(GroupGraphPattern((*first, *second))))
                return *first, OptionalPattern(self.conditional(second, seen))
            case "minus":
                return *first, MinusPattern(group)
        return *first, *(second if len(second) == 1 else (UnionPattern((group,)),))

    def sequence(self, clause: WindowClause, operators: int | None = None) -> TripleSequence:
        if operators is None:
            most = max(_MOST_ELEMENTS - len(self.script), 1)
            length = min(self.choices.among(*_LENGTHS), most)
        else:
            length = operators + 1
        negated = self.negated(length)
        elements = []
        for place in range(length):
            pattern = self.negated_pattern() if place == negated else self.pattern()
            self.script.append(Scripted(clause.stream, pattern, place == negated))
            elements.append(PatternElement(pattern, place == negated))
        filters: tuple[Filter, ...] = ()
        if self.choices.among(*_FILTERED):
            bound = {
                v for each in elements if not each.negated for v in possible_variables(each.pattern)
            }
            if bound:
                filters = (Filter(self.condition(sorted(bound))),)
        return TripleSequence(tuple(elements), filters)

    def window_sequence(self, operators: int | None) -> list[Element]:
        length = self.choices.among(*_OVER) if operators is None else operators + 1
        negated = self.negated(length)
        places = range(length)
        blocks = [self.block(_ELEMENTS, place == negated) for place in places]
        self.fit_widths(negated)
        sequence = WindowSequence(
            tuple(WindowElement(b.name, p == negated) for b, p in zip(blocks, places, strict=True))
        )
        return [*blocks, sequence]

    def negated(self, length: int) -> int | None:
        """Return the index of the negated element of a sequence; None if there is none."""
        if length == 1:
            return None
        name, places = _NEGATED
        place = self.choices.among(name, places if length > 2 else _ENDS)
        if place is None:
            return None
        if place == "middle":
            return self.choices.among("", range(1, length - 1))
        return 0 if place == "head" else length - 1

    def fit_widths(self, negated: int | None) -> None:
        """Set the window widths: negated items may expire earlier than others, or later."""
        how = self.choices.among(*_WIDE)
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
        if self.forms is not None:
            return self.forms.background(self.choices)
        triple = self.choices.among(*_BACKGROUND_TRIPLES)
        return GroupGraphPattern((TriplesBlock((triple,)),))

    def condition(self, variables: Sequence[Variable]) -> Expression:
        if self.forms is not None:
            return self.forms.condition(self.choices, variables)
        return condition(self.choices, variables)

    def further(self, bound: Sequence[Variable]) -> list[Element]:
        """Draw an element that stands beside the first window, or none."""
        kind = self.choices.among(*_FURTHER)
        made = None if kind is None else self.beside(kind, bound)
        return [] if made is None or dropped(self.choices) else [made]

    def beside(self, kind: str, bound: Sequence[Variable]) -> Element | None:
        if len(self.windows) == len(WINDOWS) and "window" in kind:
            return None
        match kind:
            case "background":
                return self.background().elements[0]
            case "optional":
                return OptionalPattern(self.conditional(self.background().elements, bound))
            case "optional window":
                block = self.joined(self.block, optional=True)
                seen = sorted({*block.variables(), *bound})
                return OptionalPattern(self.conditional((block,), seen))
            case "minus a window":
                block = self.joined(self.block, optional=True)
                return MinusPattern(GroupGraphPattern((block,)))
            case "group of a window":
                block = self.joined(self.block)
                seen = sorted(set(block.variables()))
                filters = [Filter(self.condition(seen))] if seen else []
                return UnionPattern((GroupGraphPattern((block, *filters)),))
            case "same window":
                clause = self.choices.among("", self.windows) if self.windows else self.window()
                # A block of its own group is not the one that a sequence names.
                block = self.joined(lambda: self.block_on(clause))
                return UnionPattern((GroupGraphPattern((block,)),))
            case "minus":
                return MinusPattern(self.background())
            case "union":
                return UnionPattern((self.background(), self.background()))
            case "union of windows":
                block = self.joined(self.block)
                return UnionPattern((GroupGraphPattern((block,)), self.background()))
            case "graph":
                graph: URIRef | Variable = self.choices.among(*_GRAPHS)
                return NamedGraphPattern(graph, self.background())
            case "exists":
                return Filter(Exists(self.background(), self.choices.among("", COIN)))
            case "bind":
                if bound and self.choices.among(*_BINDS) == "copy":
                    return Bind(self.choices.among("cqels/copied", bound), Variable("copy"))
                amounts: list[Variable | Literal] = [v for v in bound if v in AMOUNTS]
                source = self.choices.among("", amounts or [NUMBERS[0]])
                return Bind(Arithmetic("+", source, NUMBERS[0]), Variable("sum"))
            case "values":
                variable = self.choices.among("", bound or THINGS[:1])
                terms = NUMBERS if variable in AMOUNTS else RESOURCES
                return InlineData((variable,), tuple((each,) for each in terms[:2]))
            case _:
                return Filter(self.condition(bound)) if bound else None

    def conditional(
        self, elements: tuple[Element, ...], seen: Sequence[Variable]
    ) -> GroupGraphPattern:
        """Return a group, sometimes with a filter, which also sees bindings before OPTIONAL."""
        if self.choices.among(*_CONDITIONAL) and seen:
            return GroupGraphPattern((*elements, Filter(self.condition(seen))))
        return GroupGraphPattern(elements)


_BACKGROUND_TRIPLES = "", (
    [TriplePattern(s, p, o) for p in (KNOWN, LINK) for s in THINGS[:2] for o in THINGS]
    + [
        TriplePattern(s, path, o)
        for path in (*PATHS, *NESTED_PATHS) for s in THINGS[:2] for o in (THINGS[1], RESOURCES[0])
    ]
)


def drawn(
    choices: Choices, kind: TimeKind, operators: int | None = None, forms: Forms | None = None
) -> tuple[CqelsQuery, list[Scripted]]:
    """Return a query, perhaps with a number of operators, and the items that it asks for."""
    drawing = _Drawing(choices, kind, forms)
    left = operators
    name, reports = _OPERATORS
    report = choices.among(name, reports if left != 0 else (None,))
    if left is not None:
        left -= report is not None
    name, built = _CONSTRUCTED
    constructed = choices.among(name, built if left != 0 else (False,))
    if left is not None:
        left -= constructed
    elements, left = _shaped(choices, drawing, left)
    bound = sorted(
        {v for asked in drawing.script if not asked.negated
         for v in possible_variables(asked.pattern)}
    )
    if left is None:
        elements += drawing.further(bound)
        if choices.among(*_TWO_MORE):
            elements += drawing.further(bound)
    for _ in range(left or 0):
        beside = drawing.beside(choices.among(*_COUNTED), bound)
        if beside is None:
            raise NothingAllowed("nothing can stand beside that")
        elements.append(beside)
    if operators is not None and (not drawing.windows or _one_sum(elements) != elements):
        raise NothingAllowed("no windows, or a variable that is assigned twice")
    elements = _coalesced(_one_sum(elements))
    select: tuple[Projection, ...] | None = None
    if choices.among(*_SELECTED) and bound:
        chosen = several(choices, bound, 2)
        select = tuple(Projection(variable) for variable in chosen)
        if choices.among(*_COMPUTED):
            computed = expression(choices, bound, choices.among("cqels/depth", (1, 0, 2)))
            select = (*select, Projection(Variable("computed"), computed))
    windows = drawing.windows
    if choices.among(*_CLAUSES) == "backwards":
        windows = windows[::-1]
    default, named = choices.among(*_DATASETS)
    distinct = select is not None and not constructed and choices.among("", COIN)
    made = CqelsQuery(
        select, tuple(windows), GroupGraphPattern(tuple(elements)), default, named, distinct,
        PROLOGUE, operator=report,
    )
    if constructed:
        made = _constructing(choices, made, bound)
    if report is not None and choices.among(*_OUTPUT):
        made = replace(made, output=STREAMS[1])
    return made, drawing.script


def _shaped(
    choices: Choices, drawing: _Drawing, left: int | None
) -> tuple[list[Element], int | None]:
    """Return windows or background triples, and the number of operators that are left."""
    name, shapes = _SHAPES
    shape = choices.among(name, shapes if left != 0 else _PLAIN)
    own = left
    if shape in _PLAIN:
        own = 0
    elif left is not None:
        most = min(left, len(WINDOWS) - 1)
        own = choices.among(f"cqels/operators of {shape}", range(1, most + 1))
    match shape:
        case "over windows":
            elements = drawing.window_sequence(own)
        case "joined windows":
            own = choices.among(*_JOINED) if own is None else own
            elements = list(drawing.joined_windows(own))
            drawing.fit_widths(1)
        case "background":
            elements = [drawing.background().elements[0]]
        case "pattern":
            elements = [drawing.block()]
        case _:
            clause = drawing.window()
            elements = [WindowPattern(clause.name, drawing.sequence(clause, own))]
    return elements, None if left is None else left - (own or 0)


def _constructing(choices: Choices, query: CqelsQuery, bound: Sequence[Variable]) -> CqelsQuery:
    """Return the query with CONSTRUCT: triples of bound terms, of a blank node, of new terms."""
    parts: list[URIRef | Variable | BNode] = [RESOURCES[0], BNode("m"), *bound]
    template = tuple(
        TriplePattern(
            choices.among("cqels/subject of a template", parts[:3]), LINK,
            choices.among("cqels/object of a template", parts),
        )
        for _ in range(choices.among(*_TEMPLATES))
    )
    named = (part for t in template for part in (t.subject, t.object))
    variables = dict.fromkeys(part for part in named if isinstance(part, Variable))
    return replace(query, template=template, select=tuple(map(Projection, variables)))


def _one_sum(elements: Sequence[Element]) -> list[Element]:
    """Return the elements without a second BIND: a variable is assigned once."""
    binds = [each for each in elements if isinstance(each, Bind)]
    return [each for each in elements if each not in binds[1:]]


def _coalesced(elements: Sequence[Element]) -> list[Element]:
    """Merge adjacent triples into one block, as a parser reads them."""
    blocks: list[Element] = []
    for element in elements:
        if blocks and isinstance(element, TriplesBlock) and isinstance(blocks[-1], TriplesBlock):
            blocks[-1] = TriplesBlock(blocks[-1].triples + element.triples)
        else:
            blocks.append(element)
    return blocks


def query(
    choices: Choices, operators: int | None = None, *, forms: Forms | None = None
) -> CqelsQuery:
    """Draw a query, perhaps with a number of operators.

    The operators are joins of windows, elements of a sequence after its first, elements beside
    windows, CONSTRUCT, and a stream operator.

    Args:
        choices: chooses.
        operators: the number of its operators; default: any.
        forms: draws patterns, background triples and conditions; default: of any constructs.
    """
    return drawn(choices, choices.among(*KINDS), operators, forms)[0]


def navigation(choices: Choices) -> Path:
    """Draw a path of SPARQL, or a nested regular expression."""
    return choices.among("", (*PATHS, *NESTED_PATHS))
