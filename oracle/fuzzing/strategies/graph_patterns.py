"""Strategies for the bodies of GPM expressions: SPARQL group graph patterns (SPAseq Def. 6).

A body is a block of triple patterns, then sometimes a further construct, then filters. A filter
conjunct is local (its variables can all be bound by the body) or deferred (it speaks of a variable
of an earlier GPM).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, Literal, URIRef, Variable

from ....semantics.model.trees import find
from ....semantics.rdf.syntax.tree import (
    Aggregate,
    AlternativePath,
    Arithmetic,
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
from ....semantics.rdf.syntax.variables import possible_variables
from .choices import among, choice, dropped
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

_SUBJECTS = (THINGS[0], THINGS[0], THINGS[1], THINGS[0], THINGS[2], RESOURCES[0])
_THING_OBJECTS = (THINGS[1], THINGS[0], THINGS[2], THINGS[1], *RESOURCES)
_AMOUNT_OBJECTS = (*AMOUNTS, AMOUNTS[0], AMOUNTS[1], NUMBERS[0], NUMBERS[1])
_ANONYMOUS = BNode("e")


def _triples() -> tuple[TriplePattern, ...]:
    """Every triple pattern that is generated, as often as it is, the plainest first.

    No more than 127, from where on Hypothesis prefers the first ones.
    """
    links = [TriplePattern(s, LINK, o) for s in _SUBJECTS for o in _THING_OBJECTS]
    amounts = [TriplePattern(s, QUANTITY, o) for s in _SUBJECTS for o in _AMOUNT_OBJECTS]
    known = [TriplePattern(s, KNOWN, o) for s in _SUBJECTS for o in _THING_OBJECTS[:3]]
    anonymous = [TriplePattern(_ANONYMOUS, QUANTITY, o) for o in _AMOUNT_OBJECTS[:3]]
    free = [TriplePattern(s, Variable("r"), o) for s in THINGS for o in _THING_OBJECTS[:1]]
    return (*links, *amounts, *known, *anonymous, *free)


TRIPLE_PATTERNS: Final = _triples()
# One choice a triple pattern: the fewer choices, the further Hypothesis gets in shrinking.
_TRIPLE_PATTERNS = choice("graphs/body triple", TRIPLE_PATTERNS)
_BLOCKS = choice("graphs/body block", ("one", "one", "one", "two"))
_COIN = st.booleans()
_OPTIONAL = choice("graphs/body optional", ("plain", "plain", "plain", "filtered"))

PATHS: tuple[Path, ...] = (
    InversePath(LINK),
    SequencePath((LINK, QUANTITY)),
    AlternativePath((LINK, KNOWN)),
    OneOrMorePath(LINK),
    ZeroOrOnePath(LINK),
    ZeroOrMorePath(LINK),
    SequencePath((InversePath(LINK), QUANTITY)),
    NegatedPropertySet((QUANTITY,), ()),
    OneOrMorePath(AlternativePath((LINK, KNOWN))),
    SequencePath((ZeroOrMorePath(LINK), QUANTITY)),
    ZeroOrMorePath(InversePath(KNOWN)),
    ZeroOrOnePath(SequencePath((LINK, LINK))),
    NegatedPropertySet((), (QUANTITY,)),
)
_PATHS = choice("graphs/body path", PATHS)
_ELSEWHERE = name("z")
"""A resource that no data speak of."""
_PATH_STARTS: SearchStrategy[TermOrVariable] = among((*THINGS, _ELSEWHERE))
_PATH_THINGS: SearchStrategy[TermOrVariable] = among(
    (*_THING_OBJECTS[:4], *RESOURCES, _ELSEWHERE)
)
_PATH_AMOUNTS: SearchStrategy[TermOrVariable] = among(_AMOUNT_OBJECTS[:4])


@st.composite
def graph_patterns(
    draw: DrawFn,
    *,
    earlier: Sequence[Variable] = (),
    blank: BNode | None = None,
    backgrounds: tuple[URIRef, ...] = BACKGROUNDS[:1],
) -> GroupGraphPattern:
    """Bodies of GPM expressions.

    `earlier` are the variables that earlier GPMs may bind: deferred filters speak of them. `blank`
    is the blank node that the body may use (labels must not be shared between basic graph
    patterns). `backgrounds` are the names that GRAPH may use.
    """
    block = [_triple_pattern(draw, blank)]
    if draw(_BLOCKS) == "two":
        another = _triple_pattern(draw, blank)
        if not dropped(draw):
            block.append(another)
    elements: list[Element] = [TriplesBlock(tuple(block))]
    construct = draw(_CONSTRUCTS)
    if construct is not None:
        made = construct(draw, GroupGraphPattern(tuple(elements)), backgrounds)
        if not dropped(draw):
            if isinstance(made, TriplePattern):
                elements = [TriplesBlock((*block, made))]
            else:
                elements.append(made)
    elements.extend(_filters(draw, GroupGraphPattern(tuple(elements)), earlier))
    return GroupGraphPattern(tuple(elements))


def _triple_pattern(draw: DrawFn, blank: BNode | None = None) -> TriplePattern:
    pattern = draw(_TRIPLE_PATTERNS)
    if pattern.subject == _ANONYMOUS:
        return TriplePattern(blank or THINGS[0], pattern.predicate, pattern.object)
    return pattern


def _group(*triples: TriplePattern) -> GroupGraphPattern:
    return GroupGraphPattern((TriplesBlock(triples),))


# --- constructs that stand beside the block of triple patterns -----------------------------------

_Construct = Callable[[DrawFn, GroupGraphPattern, tuple[URIRef, ...]], Element | TriplePattern]


def _optional(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    inner: list[Element] = [TriplesBlock((_triple_pattern(draw),))]
    if draw(_OPTIONAL) == "filtered":
        # The condition of a left join may speak of the outer group's variables (SPARQL, 18.2.2.6).
        visible = sorted(
            possible_variables(body) | possible_variables(GroupGraphPattern(tuple(inner)))
        )
        if visible:
            inner.append(Filter(draw(conditions(visible))))
    return OptionalPattern(GroupGraphPattern(tuple(inner)))


def _union(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    return UnionPattern((_group(_triple_pattern(draw)), _group(_triple_pattern(draw))))


def _nested_group(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    return UnionPattern((_group(_triple_pattern(draw)),))


def _minus(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    if draw(choice("graphs/body minus", ("shares", "shares", "apart"))) == "apart":
        return MinusPattern(_group(TriplePattern(Variable("u"), LINK, Variable("v"))))
    return MinusPattern(_group(_triple_pattern(draw)))


def _graph(draw: DrawFn, body: GroupGraphPattern, backgrounds: tuple[URIRef, ...]) -> Element:
    named = draw(choice("graphs/body graph", _graph_names(backgrounds)))
    return NamedGraphPattern(named, _group(_triple_pattern(draw)))


def _graph_names(backgrounds: tuple[URIRef, ...]) -> tuple[URIRef | Variable, ...]:
    """What GRAPH may name: a graph, any graph, one that there is not"""
    return (*backgrounds * 7, Variable("g"), Variable("g"), THINGS[1], name("nowhere"))


def _bind(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    free = [v for v in AMOUNTS if v not in possible_variables(body)]
    variable = free[0] if free else Variable("o")
    amounts = sorted(v for v in possible_variables(body) if v in AMOUNTS)
    sources: list[Literal | Variable] = [*amounts, NUMBERS[0]]
    source = draw(among(sources))
    added = Arithmetic("+", source, NUMBERS[0])
    return Bind(added if draw(_COIN) else source, variable)


def _values(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    variable = draw(among(sorted(possible_variables(body)) or [THINGS[0]]))
    terms = NUMBERS if variable in AMOUNTS else RESOURCES
    rows = draw(st.lists(among((*terms, None)), min_size=1, max_size=2, unique=True))
    return InlineData((variable,), tuple((row,) for row in rows))


def _path(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> TriplePattern:
    path = draw(_PATHS)
    targets = _PATH_AMOUNTS if isinstance(path, SequencePath) else _PATH_THINGS
    return TriplePattern(draw(_PATH_STARTS), path, draw(targets))


def _sub_select(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    inner = _group(TriplePattern(THINGS[0], LINK, THINGS[1]))
    if draw(choice("graphs/body sub-select", ("distinct", "count"))) == "count":
        count = Projection(Variable("c"), Aggregate("COUNT", THINGS[1]))
        query = SelectQuery(
            (Projection(THINGS[0]), count), inner, SolutionModifier(group_by=(THINGS[0],))
        )
    else:
        query = SelectQuery((Projection(THINGS[0]),), inner, distinct=True)
    # Grammar rule [54]: a sub-select has a group to itself.
    return UnionPattern((GroupGraphPattern((SubSelect(query),)),))


def _exists(draw: DrawFn, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    # EXISTS cannot look at another event, so it has no variable of another GPM.
    own = {*possible_variables(body), *RESOURCES, *NUMBERS, *PREDICATES}
    drawn = _triple_pattern(draw)
    own_pattern = TriplePattern(
        drawn.subject if drawn.subject in own else Variable("s"),
        drawn.predicate if drawn.predicate in own else Variable("v"),
        drawn.object if drawn.object in own else Variable("o"),
    )
    return Filter(Exists(_group(own_pattern), negated=draw(_COIN)))


_CONSTRUCTS = choice(
    "graphs/body construct",
    (None,) * 16
    + (_optional, _union, _graph, _graph, _optional, _minus, _bind, _values, _path, _nested_group)
    + (_exists, _sub_select)
)


# --- filters -------------------------------------------------------------------------------------


def _filters(
    draw: DrawFn, body: GroupGraphPattern, earlier: Sequence[Variable]
) -> list[Element]:
    own = sorted(possible_variables(body))
    foreign = [v for v in earlier if v not in own]
    filters: list[Element] = []
    kinds = draw(_FILTER_KINDS)
    if "local" in kinds and own:
        filters += _unless_dropped(draw, conditions(own))
    if "deferred" in kinds and foreign:
        near = [v for v in foreign if any((v in AMOUNTS) == (w in AMOUNTS) for w in own)]
        either = conditions([*own, *foreign], must_use=near or foreign)
        filters += _unless_dropped(draw, either)
    return filters


FILTER_KINDS: Final[tuple[tuple[str, ...], ...]] = (
    ((),) * 20 + (("local",),) * 3 + (("deferred",),) * 6 + (("local", "deferred"),)
)
_FILTER_KINDS = choice("graphs/body filters", FILTER_KINDS)


def _unless_dropped(draw: DrawFn, made: SearchStrategy[Expression]) -> list[Element]:
    condition = draw(made)
    return [] if dropped(draw) else [Filter(condition)]


# --- walking over patterns -----------------------------------------------------------------------


def graph_names(pattern: GroupGraphPattern) -> set[URIRef | Variable]:
    """The names (or variables) that stand behind GRAPH, at any depth."""
    return {each.name for each in find(pattern, NamedGraphPattern)}
