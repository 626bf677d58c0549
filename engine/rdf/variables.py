"""Which variables a pattern may bind, must bind, mentions: all that join orders rest on."""

from __future__ import annotations

from collections.abc import Iterator

from ...semantics.model.terms import Variable
from ...semantics.rdf.syntax.tree import (
    Aggregate,
    And,
    Arithmetic,
    Bind,
    BuiltIn,
    Comparison,
    Element,
    Exists,
    Expression,
    Filter,
    FunctionCall,
    GroupGraphPattern,
    In,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    Not,
    OptionalPattern,
    Or,
    Projection,
    SelectQuery,
    Sign,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)

_VOLATILE = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})


def possible(pattern: GroupGraphPattern | Element) -> tuple[Variable, ...]:
    """The in-scope variables (SPARQL 1.1 Query, 18.2.1), in the order in which they appear."""
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
    """The variables of the solutions of a (sub-)select."""
    if query.projection is not None:
        return tuple(item.variable for item in query.projection)
    extra = query.values.variables if query.values is not None else ()
    return tuple(dict.fromkeys((*_possible(query.where), *extra)))


def certain(pattern: GroupGraphPattern | Element) -> frozenset[Variable]:
    """Variables bound in every solution (a safe lower bound)."""
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
    """Whether an aggregate occurs in the expression (not counting EXISTS's pattern)."""
    return any(isinstance(part, Aggregate) for part in subexpressions(expression))


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and all its parts, not descending into the pattern of EXISTS."""
    yield expression
    for operand in _operands(expression):
        yield from subexpressions(operand)


def _operands(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Or(operands) | And(operands):
            return operands
        case Not(operand) | Sign(_, operand):
            return (operand,)
        case Comparison(_, left, right) | Arithmetic(_, left, right):
            return (left, right)
        case In(operand, choices):
            return (operand, *choices)
        case BuiltIn(_, arguments) | FunctionCall(_, arguments):
            return arguments
        case Aggregate(_, operand):
            return () if operand is None else (operand,)
        case _:
            return ()


def volatile(expression: Expression) -> bool:
    """Whether two evaluations on the same row may differ."""
    return any(
        isinstance(part, BuiltIn) and part.name in _VOLATILE for part in subexpressions(expression)
    )


def expression_variables(expression: Expression) -> frozenset[Variable]:
    """The variables whose values an expression asks for; what EXISTS matches is not among them."""
    return frozenset(part for part in subexpressions(expression) if isinstance(part, Variable))


def mentioned(expression: Expression) -> frozenset[Variable]:
    """The variables of an expression; those that may correlate the pattern of EXISTS included."""
    inside = (
        occurring(part.pattern) for part in subexpressions(expression) if isinstance(part, Exists)
    )
    return expression_variables(expression).union(*inside)


def occurring(pattern: GroupGraphPattern | Element) -> frozenset[Variable]:
    """Every variable that occurs anywhere in the pattern: those that a substitution reaches."""
    return frozenset(_occurring(pattern))


def _occurring(pattern: GroupGraphPattern | Element) -> Iterator[Variable]:
    match pattern:
        case GroupGraphPattern(elements):
            for element in elements:
                yield from _occurring(element)
        case Filter(condition):
            yield from mentioned(condition)
        case OptionalPattern(inner) | MinusPattern(inner):
            yield from _occurring(inner)
        case NamedGraphPattern(name, inner):
            if isinstance(name, Variable):
                yield name
            yield from _occurring(inner)
        case UnionPattern(alternatives):
            for alternative in alternatives:
                yield from _occurring(alternative)
        case Bind(expression, variable):
            yield variable
            yield from mentioned(expression)
        case SubSelect(query):
            yield from _occurring_in_select(query)
        case TriplesBlock() | InlineData():
            yield from _possible(pattern)


def _occurring_in_select(query: SelectQuery) -> Iterator[Variable]:
    yield from _occurring(query.where)
    yield from projected(query)
    for key in query.modifier.group_by:
        if isinstance(key, Projection):
            yield key.variable
    for expression in _clause_expressions(query):
        yield from mentioned(expression)
    if query.values is not None:
        yield from query.values.variables


def _clause_expressions(query: SelectQuery) -> Iterator[Expression]:
    """The expressions of a select, those in its pattern aside."""
    modifier = query.modifier
    for item in (*(query.projection or ()), *modifier.group_by):
        if not isinstance(item, Projection):
            yield item
        elif item.expression is not None:
            yield item.expression
    yield from modifier.having
    for condition in modifier.order_by:
        yield condition.expression


def _parts(pattern: GroupGraphPattern | Element) -> Iterator[GroupGraphPattern | Element]:
    """The elements and groups directly inside, the patterns of EXISTS included."""
    match pattern:
        case GroupGraphPattern(elements):
            yield from elements
        case UnionPattern(alternatives):
            yield from alternatives
        case OptionalPattern(inner) | MinusPattern(inner) | NamedGraphPattern(_, inner):
            yield inner
        case SubSelect(query):
            yield query.where
    for expression in _own_expressions(pattern):
        for part in subexpressions(expression):
            if isinstance(part, Exists):
                yield part.pattern


def _own_expressions(pattern: GroupGraphPattern | Element) -> Iterator[Expression]:
    match pattern:
        case Filter(expression) | Bind(expression):
            yield expression
        case SubSelect(query):
            yield from _clause_expressions(query)


def reads_active_graph(pattern: GroupGraphPattern | Element) -> bool:
    """Whether the solutions depend on the graph that is active where the pattern stands."""
    match pattern:
        case TriplesBlock():
            return True
        case NamedGraphPattern():
            return False
        case _:
            return any(map(reads_active_graph, _parts(pattern)))


def is_volatile(pattern: GroupGraphPattern | Element) -> bool:
    """Whether two evaluations on the same graphs may differ."""
    return any(map(volatile, _own_expressions(pattern))) or any(map(is_volatile, _parts(pattern)))
