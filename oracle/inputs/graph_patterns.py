"""The bodies of GPM expressions, drawn by choices: SPARQL group graph patterns (SPAseq Def. 6).

A body is a block of triple patterns, then sometimes a further construct, then filters. A filter
conjunct is local (its variables can all be bound by the body) or deferred (it speaks of a variable
of an earlier GPM).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.trees import find, has
from ...semantics.rdf.syntax.tree import (
    Aggregate,
    AlternativePath,
    And,
    Arithmetic,
    Bind,
    BuiltIn,
    Comparison,
    Element,
    Exists,
    Expression,
    Filter,
    GroupGraphPattern,
    In,
    InlineData,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
    NegatedPropertySet,
    Not,
    OneOrMorePath,
    OptionalPattern,
    Or,
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
from ...semantics.rdf.syntax.variables import possible_variables
from .choices import COIN, Choices, Decided, dropped, several
from .graphs import (
    AMOUNTS,
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    ODD_LITERALS,
    QUANTITY,
    RESOURCES,
    THINGS,
    name,
)
from .sparql import any_pattern, any_terms

_SUBJECTS = (THINGS[0], THINGS[0], THINGS[1], THINGS[0], THINGS[2], RESOURCES[0])
_THING_OBJECTS = (THINGS[1], THINGS[0], THINGS[2], THINGS[1], *RESOURCES)
_AMOUNT_OBJECTS = (*AMOUNTS, AMOUNTS[0], AMOUNTS[1], NUMBERS[0], NUMBERS[1])
_ANONYMOUS = BNode("e")


def _triples() -> tuple[TriplePattern, ...]:
    """Return every triple pattern that is generated, as often as it is, the plainest first.

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
_TRIPLE_PATTERNS = ("graphs/body triple", TRIPLE_PATTERNS)
_BODIES = ("graphs/body", ("usual",) * 4 + ("any",))
NO_BODY_OF_ANY_CONSTRUCTS: Final = {"graphs/body": ("any",)}
"""The options that are refused to an engine that lacks a construct of graph patterns."""
ONE_BLOCK: Final = {"graphs/body": ("usual",), "graphs/body construct": ("none",)}
"""Bodies of triple patterns and filters: engines can match such patterns on whole batches."""

_BLOCKS = (
    "graphs/body block", ("one",) * 9 + ("two",) * 2 + ("two of the same ends",)
)
_OPTIONAL = ("graphs/body optional", ("plain", "plain", "plain", "filtered"))

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
_PATHS = ("graphs/body path", PATHS)
_ELSEWHERE = name("z")
"""A resource that no data speak of."""
_PATH_STARTS: Decided[TermOrVariable] = ("", (*THINGS, _ELSEWHERE))
_PATH_THINGS: Decided[TermOrVariable] = ("", (*_THING_OBJECTS[:4], *RESOURCES, _ELSEWHERE))
_PATH_AMOUNTS: Decided[TermOrVariable] = ("", _AMOUNT_OBJECTS[:4])


def graph_pattern(
    choices: Choices,
    *,
    earlier: Sequence[Variable] = (),
    blank: BNode | None = None,
    backgrounds: tuple[URIRef, ...] = BACKGROUNDS[:1],
    nested_paths: bool = False,
) -> GroupGraphPattern:
    """Draw the body of a GPM expression.

    `earlier` are the variables that earlier GPMs may bind: deferred filters speak of them. `blank`
    is the blank node that the body may use (labels must not be shared between basic graph
    patterns). `backgrounds` are the names that GRAPH may use.
    """
    if choices.among(*_BODIES) == "any":
        terms = any_terms(choices, blank or "b", nested_paths=nested_paths)
        return any_pattern(choices, terms, earlier=earlier)
    block = [_triple_pattern(choices, blank)]
    size = choices.among(*_BLOCKS)
    if size != "one":
        another = _triple_pattern(choices, blank)
        if size == "two of the same ends":  # which are joined on two variables
            first, predicate = block[0], choices.among("", (KNOWN, LINK))
            another = TriplePattern(first.subject, predicate, first.object)
        if not dropped(choices):
            block.append(another)
    elements: list[Element] = [TriplesBlock(tuple(block))]
    construct = choices.among(*_CONSTRUCT)
    if construct != "none":
        made = _CONSTRUCTS[construct](choices, GroupGraphPattern(tuple(elements)), backgrounds)
        if not dropped(choices):
            if isinstance(made, TriplePattern):
                elements = [TriplesBlock((*block, made))]
            else:
                elements.append(made)
    elements.extend(_filters(choices, GroupGraphPattern(tuple(elements)), earlier))
    return GroupGraphPattern(tuple(elements))


def _triple_pattern(choices: Choices, blank: BNode | None = None) -> TriplePattern:
    pattern = choices.among(*_TRIPLE_PATTERNS)
    if pattern.subject == _ANONYMOUS:
        return TriplePattern(blank or THINGS[0], pattern.predicate, pattern.object)
    return pattern


def _group(*triples: TriplePattern) -> GroupGraphPattern:
    return GroupGraphPattern((TriplesBlock(triples),))


# --- constructs that stand beside the block of triple patterns -----------------------------------

_Construct = Callable[[Choices, GroupGraphPattern, tuple[URIRef, ...]], Element | TriplePattern]


def _optional(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    inner: list[Element] = [TriplesBlock((_triple_pattern(choices),))]
    if choices.among(*_OPTIONAL) == "filtered":
        # The condition of a left join may speak of the outer group's variables (SPARQL, 18.2.2.6).
        visible = sorted(
            possible_variables(body) | possible_variables(GroupGraphPattern(tuple(inner)))
        )
        if visible:
            inner.append(Filter(condition(choices, visible)))
    return OptionalPattern(GroupGraphPattern(tuple(inner)))


def _union(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    return UnionPattern((_group(_triple_pattern(choices)), _group(_triple_pattern(choices))))


def _nested_group(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    return UnionPattern((_group(_triple_pattern(choices)),))


def _minus(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    if choices.among("graphs/body minus", ("shares", "shares", "apart")) == "apart":
        return MinusPattern(_group(TriplePattern(Variable("u"), LINK, Variable("v"))))
    return MinusPattern(_group(_triple_pattern(choices)))


def _graph(choices: Choices, body: GroupGraphPattern, backgrounds: tuple[URIRef, ...]) -> Element:
    named = choices.among("graphs/body graph", _graph_names(backgrounds))
    return NamedGraphPattern(named, _group(_triple_pattern(choices)))


def _graph_names(backgrounds: tuple[URIRef, ...]) -> tuple[URIRef | Variable, ...]:
    """Return the names for GRAPH: a graph, any graph, one that does not exist."""
    return (*backgrounds * 7, Variable("g"), Variable("g"), THINGS[1], name("nowhere"))


def _bind(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    free = [v for v in AMOUNTS if v not in possible_variables(body)]
    variable = free[0] if free else Variable("o")
    amounts = sorted(v for v in possible_variables(body) if v in AMOUNTS)
    sources: list[Literal | Variable] = [*amounts, NUMBERS[0]]
    source = choices.among("", sources)
    added = Arithmetic("+", source, NUMBERS[0])
    return Bind(added if choices.among("", COIN) else source, variable)


def _values(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    variable = choices.among("", sorted(possible_variables(body)) or [THINGS[0]])
    terms = NUMBERS if variable in AMOUNTS else RESOURCES
    rows = several(choices, (*terms, None), 2)
    return InlineData((variable,), tuple((row,) for row in rows))


def _path(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> TriplePattern:
    path = choices.among(*_PATHS)
    targets = _PATH_AMOUNTS if isinstance(path, SequencePath) else _PATH_THINGS
    return TriplePattern(choices.among(*_PATH_STARTS), path, choices.among(*targets))


def _sub_select(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    inner = _group(TriplePattern(THINGS[0], LINK, THINGS[1]))
    if choices.among("graphs/body sub-select", ("distinct", "count")) == "count":
        count = Projection(Variable("c"), Aggregate("COUNT", THINGS[1]))
        query = SelectQuery(
            (Projection(THINGS[0]), count), inner, SolutionModifier(group_by=(THINGS[0],))
        )
    else:
        query = SelectQuery((Projection(THINGS[0]),), inner, distinct=True)
    # Grammar rule [54]: a sub-select has a group to itself.
    return UnionPattern((GroupGraphPattern((SubSelect(query),)),))


def _exists(choices: Choices, body: GroupGraphPattern, _: tuple[URIRef, ...]) -> Element:
    return Filter(Exists(_group(_triple_pattern(choices)), negated=choices.among("", COIN)))


_CONSTRUCTS: Final[dict[str, _Construct]] = {
    "OPTIONAL": _optional, "UNION": _union, "GRAPH": _graph, "MINUS": _minus, "BIND": _bind,
    "VALUES": _values, "property path": _path, "nested group": _nested_group, "EXISTS": _exists,
    "sub-select": _sub_select,
}
_CONSTRUCT: Final = "graphs/body construct", (
    *("none",) * 16, *("OPTIONAL", "GRAPH") * 2,
    *(name for name in _CONSTRUCTS if name not in ("OPTIONAL", "GRAPH")),
)


# --- filters -------------------------------------------------------------------------------------


def _filters(
    choices: Choices, body: GroupGraphPattern, earlier: Sequence[Variable]
) -> list[Element]:
    own = sorted(possible_variables(body))
    foreign = [v for v in earlier if v not in own]
    filters: list[Element] = []
    kinds = choices.among(*_FILTER_KINDS)
    if "local" in kinds and own:
        filters += _unless_dropped(choices, condition(choices, own))
    if "deferred" in kinds and foreign:
        near = [v for v in foreign if any((v in AMOUNTS) == (w in AMOUNTS) for w in own)]
        either = condition(choices, [*own, *foreign], must_use=near or foreign)
        filters += _unless_dropped(choices, either)
    return filters


FILTER_KINDS: Final[tuple[tuple[str, ...], ...]] = (
    ((),) * 20 + (("local",),) * 3 + (("deferred",),) * 6 + (("local", "deferred"),)
)
_FILTER_KINDS = ("graphs/body filters", FILTER_KINDS)


def _unless_dropped(choices: Choices, made: Expression) -> list[Element]:
    return [] if dropped(choices) else [Filter(made)]


# --- conditions ----------------------------------------------------------------------------------

_ORDERINGS = ("condition/ordering", ("<", "=", ">", "<=", ">=", "!="))
_EQUALITIES = ("condition/equality", ("=", "!="))
_SUMS = ("condition/arithmetic", ("+", "-", "*", "/"))
_SHAPES = (
    "condition/shape",
    ("one", "one", "one", "one", "one", "one", "and", "or", "not", "in", "fallback"),
)


def condition(
    choices: Choices, variables: Sequence[Variable], must_use: Sequence[Variable] = ()
) -> Expression:
    """Draw a FILTER's condition over `variables` (SPARQL 1.1 Query, 17).

    At least one of `must_use` occurs in it, if any are given. `AMOUNTS` are bound to numbers, other
    variables to resources; a condition mixes the two sorts only rarely, since type errors make a
    filter false.
    """
    required = list(must_use) or list(variables)
    shape = choices.among(*_SHAPES)
    if shape == "and":
        return And((_comparison(choices, variables, required), _comparison(choices, variables, [])))
    if shape == "or":
        return Or((_comparison(choices, variables, required), _comparison(choices, variables, [])))
    if shape == "not":
        return Not(_comparison(choices, variables, required))
    if shape == "in":
        chosen = choices.among("", required)
        listed = tuple(several(choices, _values_like(chosen, variables), 2, again=True))
        return In(chosen, listed, negated=choices.among("", COIN))
    if shape == "fallback":
        chosen = choices.among("", required)
        return Comparison("=", BuiltIn("COALESCE", (chosen, NUMBERS[0])), NUMBERS[0])
    return _comparison(choices, variables, required)


def _comparison(
    choices: Choices, variables: Sequence[Variable], required: Sequence[Variable]
) -> Expression:
    left = choices.among("", required or variables)
    if left not in AMOUNTS:
        return _about_a_thing(choices, left, variables)
    if choices.among(*_OF_AMOUNTS) == "bound":
        return _bound(choices, left)
    term = _sum(choices, left, variables) if choices.among(*_RARELY) else left
    right = _value(choices, left, variables)
    if isinstance(right, Variable) and choices.among(*_RARELY):
        right = _sum(choices, right, variables)
    return Comparison(choices.among(*_ORDERINGS), term, right)


_RARELY = ("condition/computes", (False, False, False, True))
_OF_AMOUNTS = ("condition/of an amount", (*("compare",) * 5, "bound"))
_OF_THINGS = (
    "condition/of a thing", ("compare", "compare", "compare", "bound", "kind", "same")
)
_KINDS = ("condition/kind", ("ISIRI", "ISBLANK", "ISLITERAL"))


def _about_a_thing(choices: Choices, left: Variable, variables: Sequence[Variable]) -> Expression:
    match choices.among(*_OF_THINGS):
        case "bound":
            return _bound(choices, left)
        case "kind":
            return BuiltIn(choices.among(*_KINDS), (left,))
        case "same":
            return BuiltIn("SAMETERM", (left, _value(choices, left, variables)))
        case _:
            return Comparison(choices.among(*_EQUALITIES), left, _value(choices, left, variables))


def _bound(choices: Choices, variable: Variable) -> Expression:
    bound = BuiltIn("BOUND", (variable,))
    return Not(bound) if choices.among("", COIN) else bound


def _sum(choices: Choices, term: Expression, variables: Sequence[Variable]) -> Expression:
    return Arithmetic(choices.among(*_SUMS), term, _value(choices, AMOUNTS[0], variables))


def _value(choices: Choices, like: Variable, variables: Sequence[Variable]) -> Expression:
    return choices.among("", _values_like(like, variables))


def _values_like(like: Variable, variables: Sequence[Variable]) -> Sequence[Expression]:
    """Return other variables and constants, mostly of the sort of `like`."""
    amount = like in AMOUNTS
    others = [v for v in variables if v != like and (v in AMOUNTS) == amount]
    constants: list[Expression] = [*RESOURCES]
    if amount:
        constants = [*(NUMBERS[1], *NUMBERS, NUMBERS[1]) * 5, *ODD_LITERALS]
    # As many variables as constants, twice over.
    often = 2 * len(constants) // len(others) if others else 0
    return [*others, *constants, *others * often]


# --- walking over patterns -----------------------------------------------------------------------


def has_blank(pattern: GroupGraphPattern) -> bool:
    """Return whether a pattern has blank nodes, whose labels belong to one pattern."""
    return has(pattern, BNode)


def graph_names(pattern: GroupGraphPattern) -> set[URIRef | Variable]:
    """Return the names (or variables) that stand behind GRAPH, at any depth."""
    return {each.name for each in find(pattern, NamedGraphPattern)}
