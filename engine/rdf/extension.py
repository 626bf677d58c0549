"""In which order the parts of a group are evaluated, and which may go on from the rows at hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from ...semantics.model.errors import Impossible
from ...semantics.model.terms import Variable
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    EmbeddedPattern,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from .conditions import conjuncts
from .data.layout import Layout
from .variables import (
    certain,
    is_volatile,
    occurring,
    possible,
    reads_active_graph,
)

_JOINED = (InlineData, TriplesBlock, NamedGraphPattern, UnionPattern, SubSelect)


def split(group: GroupGraphPattern) -> tuple[list[Element], list[Expression]]:
    """The elements of a group without its filters, and the filters' conjuncts.

    A FILTER does not end a basic graph pattern (5.1.1), so blocks around it become one.
    """
    elements: list[Element] = []
    conditions: list[Expression] = []
    for element in group.elements:
        if isinstance(element, Filter):
            conditions.extend(conjuncts(element.condition))
        elif isinstance(element, TriplesBlock) and elements and (
            isinstance(previous := elements[-1], TriplesBlock)
        ):
            elements[-1] = TriplesBlock(previous.triples + element.triples)
        else:
            elements.append(element)
    return elements, conditions


def arranged(written: list[Element]) -> Iterator[list[Element]]:
    """The elements in the order of evaluation, those that are one step together.

    Join is commutative and associative: in a run of joined elements the cheap ones go first. A run
    of BIND extends one solution, in which BNODE(label) is one node.
    """
    for kind, run in groupby(unbraced(written), key=_role):
        elements = list(run)
        if kind is Bind:
            yield elements
        else:
            yield from ([each] for each in (sorted(elements, key=_cost) if kind else elements))


def _role(element: Element) -> type[Bind] | bool:
    return Bind if isinstance(element, Bind) else isinstance(element, _JOINED)


def unbraced(written: Sequence[Element]) -> Iterator[Element]:
    """{ { P BIND } Q } is { P BIND Q } where P has no filter."""
    first, *others = written or (None,)
    match first:
        case UnionPattern((GroupGraphPattern((*_, Bind()) as inner),)) if not any(
            isinstance(each, Filter) for each in inner
        ):
            yield from unbraced(inner)
            yield from others
        case _:
            yield from written


def _cost(element: Element) -> int:
    if isinstance(element, InlineData) and len(certain(element)) < len(element.variables):
        return len(_JOINED)
    return next(n for n, kind in enumerate(_JOINED) if isinstance(element, kind))


def decided(condition: Expression, scope: frozenset[Variable], layout: Layout) -> bool:
    """Whether later steps cannot change what the condition says about a row."""
    return not is_volatile(condition) and (occurring(condition) & scope) <= layout.certain


def may_extend(
    pattern: GroupGraphPattern | Element, outer: Collection[Variable], known: frozenset[Variable]
) -> bool:
    """Whether Join(rows, pattern) is the pattern evaluated from those rows on.

    `outer` are the variables that the rows may bind, `known` those that the pattern's group is
    certain to have bound before it. Joins and unions may always go on from other rows. OPTIONAL,
    MINUS and BIND may if all that they share with the rows is known: then what the rows bind is no
    news to them. A filter must not see more than it would if its group were evaluated alone.
    """
    match pattern:
        case GroupGraphPattern():
            return _group_may_extend(pattern, frozenset(outer))
        case TriplesBlock() | InlineData() | SubSelect():
            return True
        case UnionPattern(alternatives):
            return all(may_extend(each, outer, frozenset()) for each in alternatives)
        case NamedGraphPattern(name, inner):
            bound = {name} if isinstance(name, Variable) else ()
            return may_extend(inner, frozenset((*outer, *bound)), frozenset())
        case OptionalPattern(inner) | MinusPattern(inner):
            return not is_volatile(inner) and occurring(inner).intersection(outer) <= known
        case Bind(expression, variable):
            seen = occurring(expression).intersection(outer)
            return variable not in outer and seen <= known and not is_volatile(pattern)
        case Filter():
            raise Impossible("filters are taken out of their group first")
        case EmbeddedPattern():
            raise Impossible("a language replaces what it embeds first")


def _group_may_extend(group: GroupGraphPattern, outer: frozenset[Variable]) -> bool:
    elements, conditions = split(group)
    known: frozenset[Variable] = frozenset()
    for element in elements:
        if not may_extend(element, outer, known):
            return False
        known |= certain(element)
    body = GroupGraphPattern(tuple(elements))
    unsure = (frozenset(possible(body)) - known) & outer
    return not any(is_volatile(each) or occurring(each) & unsure for each in conditions)


def lasts(pattern: GroupGraphPattern | Element) -> bool:
    """Whether the pattern, evaluated on its own, has the same solutions on every default graph."""
    return not reads_active_graph(pattern) and not is_volatile(pattern)
