"""Queries of RSEP-QL (Def. 5): windows, graph patterns with WINDOW and MATCH, query forms.

Only combinations that have a meaning are made, so that every generated case is checked. Window
functions (Def. 3) are drawn here, with the time for which they hold an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rdflib.term import BNode, URIRef, Variable

from .....semantics.model.items import TimeKind
from .....semantics.rdf.syntax.tree import (
    Aggregate,
    AskQuery,
    ConstructQuery,
    DatasetClause,
    DescribeQuery,
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    OrderCondition,
    Projection,
    SelectQuery,
    SolutionModifier,
    SparqlQuery,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from .....semantics.rdf.syntax.variables import in_scope, possible_variables
from .....semantics.rsepql.syntax.tree import (
    Bounds,
    ConsumptionPolicy,
    CountWindow,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    MatchPattern,
    Moment,
    NestedWindow,
    RsepqlQuery,
    StreamOperator,
    TimeBasedWindow,
    WindowClause,
    WindowFunction,
    WindowPattern,
)
from ....inputs.choices import COIN, Choices, dropped
from ....inputs.graph_patterns import condition, graph_pattern
from ....inputs.graphs import AMOUNTS, BACKGROUNDS, LINK, PROLOGUE, QUANTITY, STREAMS, THINGS
from ....inputs.sparql import any_select, any_terms
from ....inputs.streams import SECOND, instant
from .events import WINDOWS, Bodies, event_pattern

_NESTED = (
    "rsepql/OF", ("none",) * 22 + ("any", "of count") * 2 + ("count of",) * 6 + ("several",)
)
_FUNCTIONS = (
    "rsepql/window",
    ("time", "landmark") + ("time",) * 5 + ("count", "count", "interval", "identity"),
)
_IN_COUNT = ("rsepql/window in a count", ("time", "time", "time", "interval", "landmark"))
_EVERY_OF = ("rsepql/every of", (2, 3, 2, 3, 1))
_BESIDE_COUNT = ("rsepql/window beside a count", ("time", "interval", "landmark", "count"))
_WIDTHS = ("rsepql/width", (5, 3, 7, 4, 10, 2, 1, 6))
_STEPS = ("rsepql/step", (1, None, 1, 2, 3, 5))
_STARTS = ("rsepql/start", (0, 0, 0, 0, 1, 2))
_BOUNDS = ("rsepql/bounds", (Bounds.OPEN_CLOSED,) * 3 + tuple(Bounds))
_SIZES = ("rsepql/elements", (2, 1, 3, 4))
_EVERY = ("rsepql/every", (1, 1, 2, 3))
_LANDMARKS = ("rsepql/landmark", (0, 0, 1, 3))
_BEGINNINGS = ("begin of BETWEEN", (0, 1, 0, 2, 3))
_LENGTHS = ("length of BETWEEN", (8, 5, 12, 3, 2, 1, 0))


def window_function(
    choices: Choices, operators: int | None = None, *, kind: TimeKind = TimeKind.INTEGER
) -> WindowFunction:
    """Draw a window function, perhaps with a number of OFs.

    Args:
        choices: chooses.
        operators: the number of its OFs; default: none or one.
        kind: what it is measured in.
    """
    if operators is None:
        nested = choices.among(*_NESTED)
        if nested == "count of":  # what a count steps over depends on what the inner one holds
            counted = CountWindow(choices.among(*_SIZES), choices.among(*_EVERY_OF))
            return NestedWindow(counted, _function(choices, choices.among(*_IN_COUNT), kind))
        if nested == "of count":  # what the outer one never shows has been counted all the same
            counted = CountWindow(choices.among(*_SIZES), choices.among(*_EVERY))
            return NestedWindow(_function(choices, choices.among(*_BESIDE_COUNT), kind), counted)
        operators = {"any": 1, "several": 2}.get(nested, 0)
    if not operators:
        return _function(choices, choices.among(*_FUNCTIONS), kind)
    return NestedWindow(
        _function(choices, choices.among(*_FUNCTIONS), kind),
        window_function(choices, operators - 1, kind=kind),
    )


def _function(choices: Choices, what: str, kind: TimeKind) -> WindowFunction:
    def length(ticks: int) -> Moment:
        return Moment(ticks * (SECOND if kind is TimeKind.DATETIME else 1), kind)

    def at(tick: int) -> Moment:
        return Moment(instant(tick, kind), kind)

    match what:
        case "time":
            step = choices.among(*_STEPS)
            if step is None and kind is TimeKind.DATETIME:
                step = 1  # a microsecond is too short a step for some policies
            start = choices.among(*_STARTS)
            return TimeBasedWindow(
                length(choices.among(*_WIDTHS)),
                None if step is None else length(step),
                at(start) if start else None,
                choices.among(*_BOUNDS),
            )
        case "identity":
            return IdentityWindow()
        case "interval":
            first = choices.among(*_BEGINNINGS)
            return IntervalWindow(at(first), at(first + choices.among(*_LENGTHS)))
        case "count":
            return CountWindow(choices.among(*_SIZES), choices.among(*_EVERY))
        case _:
            return LandmarkWindow(at(choices.among(*_LANDMARKS)))


def stepping(width: int, step: int, kind: TimeKind) -> TimeBasedWindow:
    """[RANGE width STEP step], in ticks."""
    unit = SECOND if kind is TimeKind.DATETIME else 1
    return TimeBasedWindow(Moment(width * unit, kind), Moment(step * unit, kind))


def time_based(function: WindowFunction) -> list[TimeBasedWindow]:
    """Return the time-based windows in a window."""
    match function:
        case TimeBasedWindow():
            return [function]
        case NestedWindow(outer, inner):
            return time_based(outer) + time_based(inner)
        case _:
            return []


def lets_go(function: WindowFunction) -> bool:
    """Return True if an item leaves the window some time."""
    match function:
        case TimeBasedWindow() | CountWindow() | IntervalWindow():
            return True
        case NestedWindow(outer, inner):
            return lets_go(outer) or lets_go(inner)
        case _:
            return False


def bounds_of(function: WindowFunction) -> list[int]:
    """Return the instants at which a window begins or ends by itself, in the streams' unit."""
    match function:
        case LandmarkWindow(start):
            return [start.value]
        case IntervalWindow(first, last):
            return [first.value, last.value]
        case NestedWindow(outer, inner):
            return bounds_of(outer) + bounds_of(inner)
        case TimeBasedWindow(_, _, start) if start is not None:
            return [start.value]
        case _:
            return []


GRAMMAR_VERSION: Final = 1
"""Changes whenever the drawing functions draw other queries, as certificates are of all of them."""

KINDS = ("rsepql/time", (TimeKind.INTEGER,) * 6 + (TimeKind.DATETIME,))
_WINDOW_COUNTS = ("rsepql/windows asked", (1, 2, 2, 1, 2, 3))
_STREAM_COUNTS = ("rsepql/streams", (1, 2))
_ALIKE = (
    "rsepql/window functions", ("any", "any", "any", "one", "steps apart", "steps apart", "counts")
)
_APART = ("rsepql/steps apart", ((3, 1, 1), (2, 1, 3), (4, 1, 2), (1, 3, 2)))
_WIDTHS_APART = ("rsepql/width", (5, 7, 10, 4))
_SIZES_APART = ("rsepql/elements apart", (4, 6, 3, 8))
_IN_DEFAULT = ("rsepql/from window", (False,) * 5 + (True,))
_CONSUMING = ("rsepql/consuming", (False,) * 5 + (True,))
_POLICIES = (
    "rsepql/consumption", (ConsumptionPolicy.CHRONOLOGICAL, ConsumptionPolicy.RECENT)
)
_STREAM_OPERATORS = (
    "rsepql/operator", (StreamOperator.RSTREAM,) * 3 + tuple(StreamOperator)
)
_OUTPUT = ("rsepql/output", (False, False, False, True))
_SHAPES = (
    "rsepql/shape",
    (
        *("match",) * 12, "window", "window", "match window", "optional window", "window window",
        "union", "minus", "match match", "default", "default alone", "exists", "sub-select",
        "graph", "graphs", "variable", "match optional", "union of matches",
        "optional window", "match optional", "optional window", "match optional",
    ),
)
_OPTIONAL = (
    "rsepql/optional part", ("any", "on a condition", *("of what is bound",) * 6)
)
_FORMS = (
    "rsepql/form",
    ("all",) * 12
    + ("list", "list", "distinct", "count", "ask", "construct", "describe", "order", "any", "any"),
)
_LISTED = ("rsepql/listed", (1, 2, -1, -2))
"""The number of the first variables, or of the last (negative)."""
_COUNTED = ("rsepql/counted", ("by group", "all"))
_FILTERED = ("rsepql/filtered", (False,) * 5 + (True,))
_DATASETS = ("rsepql/dataset", (None,) * 7 + ("one", "two", "only named", "stream"))


def query(
    choices: Choices,
    operators: int | None = None,
    *,
    kind: TimeKind | None = None,
    bodies: Bodies | None = None,
) -> RsepqlQuery:
    """Draw a query, perhaps with a number of operators: those of event patterns, and OFs.

    Args:
        choices: chooses.
        operators: the number of its operators; default: any.
        kind: what windows are measured in, as streams are; default: either kind.
        bodies: draws the bodies of EVENT and WINDOW; default: of any constructs.
    """
    chosen_kind = choices.among(*KINDS)
    kind = chosen_kind if kind is None else kind
    streams = STREAMS[: choices.among(*_STREAM_COUNTS)]
    names = WINDOWS[: choices.among(*_WINDOW_COUNTS)]
    shape = choices.among(*_SHAPES)
    consumed = choices.among(*_CONSUMING)
    consumption = choices.among(*_POLICIES) if consumed else ConsumptionPolicy.UNRESTRICTED
    dataset = _dataset(choices)
    asked: tuple[URIRef, ...] = BACKGROUNDS[:1]
    if dataset is not None:
        # Names that the dataset has not, too: GRAPH must not find them.
        asked = tuple(dict.fromkeys((*dataset.named, *BACKGROUNDS)))
    where, left = _where(choices, shape, names, consumed, asked, operators, bodies)
    functions = _functions(choices, len(names), left, kind)
    clauses = tuple(
        WindowClause(
            window,
            streams[k % len(streams)],
            function,
            in_default=choices.among(*_IN_DEFAULT) or shape.startswith("default"),
        )
        for k, (window, function) in enumerate(zip(names, functions, strict=True))
    )
    form = _form(choices, where)
    if dataset is not None:
        form = replace(form, dataset=dataset)
    operator = choices.among(*_STREAM_OPERATORS)
    output = STREAMS[1] if operators is None and choices.among(*_OUTPUT) else None
    return RsepqlQuery(form, clauses, operator, consumption, output, PROLOGUE)


def _functions(
    choices: Choices, count: int, left: int | None, kind: TimeKind
) -> list[WindowFunction]:
    """Draw window functions with so many OFs in all, if a number is said."""
    functions: list[WindowFunction] = []
    for more in reversed(range(count)):
        own = None
        if left is not None:
            options: Sequence[int] = range(left + 1) if more else (left,)
            own = choices.among("operators of a window", options)
            left -= own
        functions.append(window_function(choices, own, kind=kind))
    alike = choices.among(*_ALIKE)
    if alike == "one":
        return [functions[0]] * count
    if alike in ("steps apart", "counts"):  # so that what is earlier is seen later
        steps = choices.among(*_APART)[:count]
        return [
            CountWindow(choices.among(*_SIZES_APART), step) if alike == "counts"
            else stepping(choices.among(*_WIDTHS_APART), step, kind) for step in steps
        ]
    return functions


def _dataset(choices: Choices) -> DatasetClause | None:
    match choices.among(*_DATASETS):
        case "one":
            return DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[:1])
        case "two":
            return DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[1:])
        case "only named":
            return DatasetClause((), BACKGROUNDS[1:])
        case "stream":  # a time-varying graph (Def. 2)
            varying = STREAMS[2:]
            return choices.among("rsepql/time-varying graph", (
                DatasetClause(varying, BACKGROUNDS[:1]), DatasetClause((), varying),
            ))
        case _:
            return None


# One table: a kind of body each.
def _where(
    choices: Choices, shape: str, windows: Sequence[URIRef], consumed: bool,
    backgrounds: tuple[URIRef, ...], left: int | None, bodies: Bodies | None,
) -> tuple[GroupGraphPattern, int | None]:
    """Draw what stands in WHERE, and return how many operators are left."""
    labels = iter("abcdef")

    def match() -> Element:
        nonlocal left
        own = None
        if left is not None:
            own = choices.among("operators of a match", range(left, -1, -1))
            left -= own
        return MatchPattern(
            event_pattern(
                choices, own, windows=windows, consumed=consumed, label=next(labels),
                backgrounds=backgrounds, bodies=bodies,
            )
        )

    def body() -> GroupGraphPattern:
        if bodies is not None:
            return bodies(choices, 1)[0]
        blank = BNode(f"{next(labels)}w")
        return graph_pattern(choices, blank=blank, backgrounds=backgrounds)

    def window(place: int = 0) -> WindowPattern:
        at = choices.among("rsepql/window asked", (0, 0, 1, 2))
        return WindowPattern(windows[(place + at) % len(windows)], body())

    def group(*elements: Element) -> GroupGraphPattern:
        return GroupGraphPattern(elements)

    def optional(beside: Element, inner: WindowPattern) -> Element:
        """Return an element that some solutions have and others do not."""
        how = choices.among(*_OPTIONAL)
        known = sorted(possible_variables(group(beside)))
        things = [each for each in known if each in THINGS]
        asked = sorted({*known, *possible_variables(inner.pattern)})
        if how == "on a condition" and asked:
            return OptionalPattern(group(inner, Filter(condition(choices, asked))))
        if how == "of what is bound" and things:
            free = next((each for each in AMOUNTS if each not in known), AMOUNTS[0])
            triple = TriplePattern(choices.among("", things), QUANTITY, free)
            return OptionalPattern(group(replace(inner, pattern=group(TriplesBlock((triple,))))))
        return OptionalPattern(group(inner))

    elements: list[Element] = []
    match shape:
        case "window":
            elements = [window()]
        case "match window":
            elements = [match(), window()]
        case "window window":
            elements = [window(), window(1)]
        case "optional window":
            first = window()
            elements = [first, optional(first, window(1))]
        case "match optional":
            matching = match()
            elements = [matching, optional(matching, window())]
        case "union":
            elements = [UnionPattern((group(match()), group(window())))]
        case "union of matches":
            elements = [UnionPattern((group(match()), group(match())))]
        case "minus":
            elements = [match(), MinusPattern(group(window()))]
        case "match match":
            elements = [match(), match()]
        case "default":
            elements = [*body().elements, window()]
        case "default alone":
            elements = [*body().elements]
        case "exists":
            elements = [match(), Filter(Exists(group(window()), negated=choices.among("", COIN)))]
        case "sub-select":
            count = Projection(Variable("matches"), Aggregate("COUNT", None))
            inner = SelectQuery(
                (Projection(THINGS[0]), count), group(match()),
                SolutionModifier(group_by=(THINGS[0],)),
            )
            elements = [window(), UnionPattern((group(SubSelect(inner)),))]
        case "graph":
            elements = [match(), NamedGraphPattern(backgrounds[0], body())]
        case "graphs":
            elements = [match(), NamedGraphPattern(Variable("g"), body())]
        case "variable":
            elements = [WindowPattern(Variable("w"), body())]
        case _:
            elements = [match()]
    made = GroupGraphPattern(tuple(elements))
    bound = sorted(possible_variables(made))
    if choices.among(*_FILTERED) and bound:
        asked = Filter(condition(choices, bound))
        if not dropped(choices):
            made = GroupGraphPattern((*elements, asked))
    return made, left


def _form(choices: Choices, where: GroupGraphPattern) -> SparqlQuery:
    bound = in_scope(where)
    many = choices.among(*_LISTED)
    listed = tuple(map(Projection, bound[:many] if many > 0 else bound[many:]))
    match choices.among(*_FORMS):
        case "list" if bound:
            return SelectQuery(listed, where)
        case "distinct" if bound:
            return SelectQuery(listed, where, distinct=True)
        case "count":
            count = Projection(Variable("count"), Aggregate("COUNT", None))
            # Without groups there is an answer whenever it is asked for.
            if not bound or choices.among(*_COUNTED) == "all":
                return SelectQuery((count,), where)
            return SelectQuery(
                (Projection(bound[0]), count), where, SolutionModifier(group_by=(bound[0],))
            )
        case "order" if bound:
            order = SolutionModifier(order_by=tuple(map(OrderCondition, bound)))
            return SelectQuery(None, where, order)
        case "any":
            return any_select(choices, any_terms(choices, "q"), where)
        case "ask":
            return AskQuery(where)
        case "construct" if bound:
            template = (TriplePattern(bound[0], LINK, bound[-1]),)
            return ConstructQuery(template, where)
        case "describe" if bound:
            return DescribeQuery((bound[0],), where)
    return SelectQuery(None, where)
