"""Strategies for the bodies of GPM expressions: SPARQL group graph patterns (SPAseq Def. 6).

A body is a block of triple patterns, then sometimes a further construct, then filters. A filter
conjunct is local (its variables can all be bound by the body) or deferred (it speaks of a variable
of an earlier GPM).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.rdf.syntax import (
    Aggregate,
    AlternativePath,
    Arithmetic,
    Bind,
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    InlineData,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
    NegatedPropertySet,
    OneOrMorePath,
    OptionalPattern,
    Path,
    Projection,
    SelectQuery,
    SequencePath,
    SolutionModifier,
    SubSelect,
    TermOrVariable,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from ...semantics.rdf.variables import possible_variables
from .choices import among
from .conditions import conditions
from .vocabulary import (
    AMOUNTS,
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    PREDICATES,
    QUANTITY,
    RESOURCES,
    THINGS,
    name,
)

_PREDICATES = st.sampled_from((LINK, QUANTITY, QUANTITY, LINK, KNOWN))
_SUBJECTS: SearchStrategy[TermOrVariable] = st.sampled_from(
    (THINGS[0], THINGS[0], THINGS[1], THINGS[0], THINGS[2], RESOURCES[0])
)
_THING_OBJECTS: SearchStrategy[TermOrVariable] = st.sampled_from(
    (THINGS[1], THINGS[0], THINGS[2], THINGS[1], *RESOURCES)
)
_AMOUNT_OBJECTS: SearchStrategy[TermOrVariable] = st.sampled_from(
    (*AMOUNTS, AMOUNTS[0], AMOUNTS[1], NUMBERS[0], NUMBERS[1])
)
_TRIPLE_COUNTS = st.sampled_from((1, 1, 2, 1))
_COIN = st.booleans()
_RARELY = st.sampled_from((False, False, False, True))
_ODDITIES = st.sampled_from(("blank", "blank", "predicate"))
_BACKGROUND_KINDS = st.sampled_from(("known",) * 7 + ("variable", "variable", "unknown"))
_ODD = st.sampled_from((False,) * 11 + (True,))

PATHS: tuple[Path, ...] = (
    InversePath(LINK),
    SequencePath((LINK, QUANTITY)),
    AlternativePath((LINK, KNOWN)),
    OneOrMorePath(LINK),
    ZeroOrOnePath(LINK),
    ZeroOrMorePath(LINK),
    SequencePath((InversePath(LINK), QUANTITY)),
    NegatedPropertySet((QUANTITY,), ()),
)
_PATHS = st.sampled_from(PATHS)


@st.composite
def graph_patterns(
    draw: DrawFn,
    *,
    earlier: Sequence[Variable] = (),
    blank: BNode | None = None,
    backgrounds: Sequence[URIRef] = BACKGROUNDS[:1],
) -> GroupGraphPattern:
    """Bodies of GPM expressions.

    `earlier` are the variables that earlier GPMs may bind: deferred filters speak of them. `blank`
    is the blank node that the body may use (labels must not be shared between basic graph
    patterns). `backgrounds` are the names that GRAPH may use.
    """
    count = draw(_TRIPLE_COUNTS)
    block = [_triple_pattern(draw, blank) for _ in range(count)]
    elements: list[Element] = [TriplesBlock(tuple(block))]
    construct = draw(_CONSTRUCTS)
    if construct is not None:
        made = construct(draw, GroupGraphPattern(tuple(elements)), backgrounds)
        if isinstance(made, TriplePattern):
            elements = [TriplesBlock((*block, made))]
        else:
            elements.append(made)
    elements.extend(_filters(draw, GroupGraphPattern(tuple(elements)), earlier))
    return GroupGraphPattern(tuple(elements))


def _triple_pattern(draw: DrawFn, blank: BNode | None = None) -> TriplePattern:
    subject: TermOrVariable = draw(_SUBJECTS)
    predicate: TermOrVariable = draw(_PREDICATES)
    target = draw(_AMOUNT_OBJECTS if predicate == QUANTITY else _THING_OBJECTS)
    if draw(_ODD):
        match draw(_ODDITIES):
            case "blank" if blank is not None:
                subject = blank
            case _:
                predicate = Variable("r")
    return TriplePattern(subject, predicate, target)


def _group(*triples: TriplePattern) -> GroupGraphPattern:
    return GroupGraphPattern((TriplesBlock(triples),))


# --- constructs that stand beside the block of triple patterns -----------------------------------

_Construct = Callable[[DrawFn, GroupGraphPattern, Sequence[URIRef]], Element | TriplePattern]


def _optional(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    inner: list[Element] = [TriplesBlock((_triple_pattern(draw),))]
    if draw(_RARELY):
        # The condition of a left join may speak of the outer group's variables (SPARQL, 18.2.2.6).
        visible = sorted(
            possible_variables(body) | possible_variables(GroupGraphPattern(tuple(inner)))
        )
        if visible:
            inner.append(Filter(draw(conditions(visible))))
    return OptionalPattern(GroupGraphPattern(tuple(inner)))


def _union(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    return UnionPattern((_group(_triple_pattern(draw)), _group(_triple_pattern(draw))))


def _nested_group(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    return UnionPattern((_group(_triple_pattern(draw)),))


def _minus(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    return MinusPattern(_group(_triple_pattern(draw)))


def _graph(draw: DrawFn, body: GroupGraphPattern, backgrounds: Sequence[URIRef]) -> Element:
    named: URIRef | Variable = draw(among(backgrounds))
    match draw(_BACKGROUND_KINDS):
        case "variable":
            named = Variable("g")
        case "unknown":
            named = name("nowhere")
    return NamedGraphPattern(named, _group(_triple_pattern(draw)))


def _bind(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    free = [v for v in AMOUNTS if v not in possible_variables(body)]
    variable = free[0] if free else Variable("o")
    amounts = sorted(v for v in possible_variables(body) if v in AMOUNTS)
    sources: list[Literal | Variable] = [*amounts, NUMBERS[0]]
    source = draw(among(sources))
    added = Arithmetic("+", source, NUMBERS[0])
    return Bind(added if draw(_COIN) else source, variable)


def _values(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    variable = draw(among(sorted(possible_variables(body)) or [THINGS[0]]))
    terms = NUMBERS if variable in AMOUNTS else RESOURCES
    rows = draw(st.lists(among((*terms, None)), min_size=1, max_size=2, unique=True))
    return InlineData((variable,), tuple((row,) for row in rows))


def _path(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> TriplePattern:
    path = draw(_PATHS)
    amount = isinstance(path, SequencePath)
    return TriplePattern(draw(_SUBJECTS), path, draw(_AMOUNT_OBJECTS if amount else _THING_OBJECTS))


def _sub_select(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    inner = _group(TriplePattern(THINGS[0], LINK, THINGS[1]))
    if draw(_COIN):
        count = Projection(Variable("c"), Aggregate("COUNT", THINGS[1]))
        query = SelectQuery(
            (Projection(THINGS[0]), count), inner, SolutionModifier(group_by=(THINGS[0],))
        )
    else:
        query = SelectQuery((Projection(THINGS[0]),), inner, distinct=True)
    # Grammar rule [54]: a sub-select has a group to itself.
    return UnionPattern((GroupGraphPattern((SubSelect(query),)),))


def _exists(draw: DrawFn, body: GroupGraphPattern, _: Sequence[URIRef]) -> Element:
    # EXISTS cannot look at another event, so it has no variable of another GPM.
    own = {*possible_variables(body), *RESOURCES, *NUMBERS, *PREDICATES}
    drawn = _triple_pattern(draw)
    own_pattern = TriplePattern(
        drawn.subject if drawn.subject in own else Variable("s"),
        drawn.predicate if drawn.predicate in own else Variable("v"),
        drawn.object if drawn.object in own else Variable("o"),
    )
    return Filter(Exists(_group(own_pattern), negated=draw(_COIN)))


_CONSTRUCTS = st.sampled_from(
    (None,) * 24
    + (_optional, _union, _graph, _graph, _optional, _minus, _bind, _values, _path, _nested_group)
    + (_exists, _sub_select)
)


# --- filters -------------------------------------------------------------------------------------


def _filters(
    draw: DrawFn, body: GroupGraphPattern, earlier: Sequence[Variable]
) -> list[Element]:
    own = sorted(possible_variables(body))
    foreign = [v for v in earlier if v not in own]
    kinds = ["none"] * 8
    if own:
        kinds += ["local"] * 2
    if foreign:
        kinds += ["deferred"] * 3
    filters: list[Element] = []
    kind = draw(among(kinds))
    if kind == "none":
        return filters
    if kind == "local":
        filters.append(Filter(draw(conditions(own))))
    else:
        comparable = [v for v in foreign if any((v in AMOUNTS) == (w in AMOUNTS) for w in own)]
        filters.append(Filter(draw(conditions([*own, *foreign], must_use=comparable or foreign))))
    if own and draw(_ODD):
        filters.append(Filter(draw(conditions(own))))
    return filters


# --- walking over patterns -----------------------------------------------------------------------


def graph_names(pattern: GroupGraphPattern) -> set[URIRef | Variable]:
    """The names (or variables) that stand behind GRAPH, at any depth."""
    names: set[URIRef | Variable] = set()
    for element in pattern.elements:
        match element:
            case NamedGraphPattern(graph_name, inner):
                names |= {graph_name} | graph_names(inner)
            case OptionalPattern(inner) | MinusPattern(inner) | Filter(Exists(inner)):
                names |= graph_names(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    names |= graph_names(alternative)
            case _:
                pass
    return names
