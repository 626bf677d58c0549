"""Variables of patterns and expressions (SPARQL 1.1 Query, 18.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rdflib.term import Variable

from . import tree as s


def possible_variables(group: s.GroupGraphPattern) -> frozenset[Variable]:
    """The variables that are in scope of the pattern: those that a solution may bind (18.2.1)."""
    return frozenset(in_scope(group))


def in_scope(group: s.GroupGraphPattern) -> tuple[Variable, ...]:
    """`possible_variables`, in the order of their first appearance (what SELECT * lists)."""
    return tuple(dict.fromkeys(_in_scope(group)))


def _in_scope(group: s.GroupGraphPattern) -> Iterator[Variable]:
    for element in group.elements:
        yield from element_variables(element)


def element_variables(element: s.Element) -> Iterator[Variable]:
    """18.2.1, the table, row by row: the variables in scope of one element of a group."""
    match element:
        case s.TriplesBlock(triples):
            for triple in triples:
                for part in (triple.subject, triple.predicate, triple.object):
                    if isinstance(part, Variable):
                        yield part
        case s.Filter() | s.MinusPattern():
            return
        case s.OptionalPattern(pattern):
            yield from _in_scope(pattern)
        case s.UnionPattern(alternatives):
            for alternative in alternatives:
                yield from _in_scope(alternative)
        case s.NamedGraphPattern(name, pattern):
            if isinstance(name, Variable):
                yield name
            yield from _in_scope(pattern)
        case s.Bind(_, variable):
            yield variable
        case s.InlineData(variables):
            yield from variables
        case s.SubSelect(query):
            yield from selected_variables(query)
        case s.EmbeddedPattern():
            yield from element.variables()


def selected_variables(query: s.SelectQuery) -> tuple[Variable, ...]:
    """The variables that a SELECT projects; for * those in scope of its pattern and its VALUES."""
    if query.projection is not None:
        return tuple(dict.fromkeys(item.variable for item in query.projection))
    values = query.values.variables if query.values is not None else ()
    return tuple(dict.fromkeys((*_in_scope(query.where), *values)))


def expression_variables(expression: s.Expression) -> frozenset[Variable]:
    """Every variable that the expression mentions, also inside EXISTS."""
    return frozenset(_mentioned(expression))


def mentioned_variables(group: s.GroupGraphPattern) -> frozenset[Variable]:
    """Every variable that the pattern mentions, in scope or not (in FILTER or MINUS, say)."""
    return frozenset(_mentioned_in(group))


def _mentioned(expression: s.Expression) -> Iterator[Variable]:
    if isinstance(expression, Variable):
        yield expression
    elif isinstance(expression, s.Exists):
        yield from _mentioned_in(expression.pattern)
    else:
        for operand in operands(expression):
            yield from _mentioned(operand)


def operands(expression: s.Expression) -> tuple[s.Expression, ...]:
    """The direct sub-expressions, from left to right."""
    match expression:
        case s.Or(inner) | s.And(inner):
            return inner
        case s.Not(operand) | s.Sign(_, operand):
            return (operand,)
        case s.Comparison(_, left, right) | s.Arithmetic(_, left, right):
            return (left, right)
        case s.In(operand, choices):
            return (operand, *choices)
        case s.BuiltIn(_, arguments) | s.FunctionCall(_, arguments):
            return arguments
        case s.Aggregate(_, None):
            return ()
        case s.Aggregate(_, operand) if operand is not None:
            return (operand,)
    return ()


def subexpressions(expression: s.Expression) -> Iterator[s.Expression]:
    """The expression and all its parts; what stands inside an EXISTS is not entered."""
    yield expression
    for operand in operands(expression):
        yield from subexpressions(operand)


def existential_groups(expression: s.Expression) -> tuple[s.GroupGraphPattern, ...]:
    """The groups of the EXISTS in an expression; what stands inside these is not entered."""
    return tuple(p.pattern for p in subexpressions(expression) if isinstance(p, s.Exists))


def inner_groups(element: s.Element) -> tuple[s.GroupGraphPattern, ...]:
    """The groups directly inside an element; those of its expressions are not among them."""
    match element:
        case s.OptionalPattern(pattern) | s.MinusPattern(pattern):
            return (pattern,)
        case s.NamedGraphPattern(_, pattern):
            return (pattern,)
        case s.UnionPattern(alternatives):
            return alternatives
        case s.SubSelect(query):
            return (query.where,)
        case s.EmbeddedPattern():
            return element.groups()
    return ()


def _mentioned_in(group: s.GroupGraphPattern) -> Iterator[Variable]:
    for element in group.elements:
        yield from element_variables(element)
        for inner in inner_groups(element):
            yield from _mentioned_in(inner)
        match element:
            case s.Filter(expression) | s.Bind(expression):
                yield from _mentioned(expression)
            case s.SubSelect(query):
                yield from _mentioned_by_clauses(query)


def _mentioned_by_clauses(query: s.SelectQuery) -> Iterator[Variable]:
    modifier = query.modifier
    expressions: Iterable[s.Expression | s.Projection] = (
        *(query.projection or ()),
        *modifier.group_by,
        *modifier.having,
        *(condition.expression for condition in modifier.order_by),
    )
    for item in expressions:
        if isinstance(item, s.Projection):
            yield item.variable
            if item.expression is not None:
                yield from _mentioned(item.expression)
        else:
            yield from _mentioned(item)
    if query.values is not None:
        yield from query.values.variables
