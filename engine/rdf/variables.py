"""The variables that a pattern may bind, must bind or mentions, which determine join orders."""

from __future__ import annotations

from collections.abc import Iterator

from ...semantics.model.terms import Variable
from ...semantics.model.trees import find, has
from ...semantics.rdf.syntax.tree import (
    Aggregate,
    Bind,
    BuiltIn,
    Element,
    Exists,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SelectQuery,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)

_VOLATILE = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})


def possible(pattern: GroupGraphPattern | Element) -> tuple[Variable, ...]:
    """Return the in-scope variables (SPARQL 1.1 Query, 18.2.1), in order of appearance."""
    return tuple(dict.fromkeys(_possible(pattern)))


def _possible(pattern: GroupGraphPattern | Element) -> Iterator[Variable]:
    match pattern:
        case GroupGraphPattern(elements):
            for element in elements:
                yield from _possible(element)
        case TriplesBlock(triples):
            for triple in triples:
                yield from _triple_variables(triple)
        case OptionalPattern(inner):
            yield from _possible(inner)
        case NamedGraphPattern(name, inner):
            if isinstance(name, Variable):
                yield name
            yield from _possible(inner)
        case UnionPattern(alternatives):
            for alternative in alternatives:
                yield from _possible(alternative)
        case Bind(_, variable):
            yield variable
        case InlineData(variables):
            yield from variables
        case SubSelect(query):
            yield from projected(query)
        case Filter() | MinusPattern():
            pass


def _triple_variables(triple: TriplePattern) -> Iterator[Variable]:
    for term in (triple.subject, triple.predicate, triple.object):
        if isinstance(term, Variable):
            yield term


def projected(query: SelectQuery) -> tuple[Variable, ...]:
    """Return the variables of the solutions of a (sub-)select."""
    if query.projection is not None:
        return tuple(item.variable for item in query.projection)
    extra = query.values.variables if query.values is not None else ()
    return tuple(dict.fromkeys((*_possible(query.where), *extra)))


def certain(pattern: GroupGraphPattern | Element) -> frozenset[Variable]:
    """Return variables bound in every solution (a safe lower bound)."""
    match pattern:
        case GroupGraphPattern(elements):
            return frozenset().union(*(certain(element) for element in elements))
        case TriplesBlock():
            return frozenset(_possible(pattern))
        case NamedGraphPattern(name, inner):
            return certain(inner) | ({name} if isinstance(name, Variable) else frozenset())
        case UnionPattern(alternatives):
            return frozenset.intersection(*(certain(each) for each in alternatives))
        case InlineData(variables, rows):
            return frozenset(
                variable
                for column, variable in enumerate(variables)
                if all(row[column] is not None for row in rows)
            )
        case SubSelect(query):
            return _certain_of_select(query)
        case _:
            return frozenset()


def _certain_of_select(query: SelectQuery) -> frozenset[Variable]:
    inner = certain(query.where)
    if query.values is not None:
        inner |= certain(query.values)
    if query.projection is None:
        return inner
    plain = frozenset(item.variable for item in query.projection if item.expression is None)
    if query.modifier.group_by:
        inner &= frozenset(key for key in query.modifier.group_by if isinstance(key, Variable))
    elif any(_aggregates(item.expression) for item in query.projection) or any(
        _aggregates(condition) for condition in query.modifier.having
    ):
        return frozenset()
    return plain & inner


def _aggregates(expression: Expression | None) -> bool:
    return expression is not None and has_aggregate(expression)


def has_aggregate(expression: Expression) -> bool:
    """Return True if an aggregate occurs in the expression (not counting EXISTS's pattern)."""
    return has(expression, Aggregate, but=Exists)


def is_volatile(tree: GroupGraphPattern | Element | Expression) -> bool:
    """Return True if two evaluations on the same row, or on the same graphs, may differ."""
    return any(call.name in _VOLATILE for call in find(tree, BuiltIn, but=TriplesBlock))


def expression_variables(expression: Expression) -> frozenset[Variable]:
    """Return the variables whose values an expression uses; those inside EXISTS are not."""
    return frozenset(find(expression, Variable, but=Exists))


def occurring(tree: GroupGraphPattern | Element | Expression) -> frozenset[Variable]:
    """Return every variable anywhere in the tree: those that a substitution reaches."""
    return frozenset(find(tree, Variable))


def reads_active_graph(pattern: GroupGraphPattern | Element) -> bool:
    """Return True if the solutions depend on the graph that is active where the pattern stands."""
    return has(pattern, TriplesBlock, but=NamedGraphPattern)
