"""Variables of patterns and expressions (SPARQL 1.1 Query, 18.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rdflib.term import Variable

from ...model.errors import QueryWarning
from ...model.trees import children, find, mapped, outermost, parts
from . import tree as s


def possible_variables(group: s.GroupGraphPattern) -> frozenset[Variable]:
    """Return the variables in scope of the pattern: those that a solution may bind (18.2.1)."""
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
    """Return the variables that a SELECT projects; for * those in scope of pattern and VALUES."""
    if query.projection is not None:
        return tuple(dict.fromkeys(item.variable for item in query.projection))
    values = query.values.variables if query.values is not None else ()
    return tuple(dict.fromkeys((*_in_scope(query.where), *values)))


def mentioned_variables(tree: s.GroupGraphPattern | s.Expression) -> frozenset[Variable]:
    """Return every variable in a pattern or expression, in scope or not (in MINUS, say)."""
    return frozenset(find(tree, Variable))


def unbound_conditions(tree: object, *, but: Iterable[object] = ()) -> Iterator[QueryWarning]:
    """Warn of each variable of a FILTER that no pattern binds; some FILTERs are left out."""
    bound = set(find(tree, Variable, but=s.Filter))
    left_out = set(map(id, but))
    for element in find(tree, s.Filter):
        if id(element) in left_out:
            continue
        for variable in sorted(set(find(element.condition, Variable, but=s.Exists)) - bound):
            yield QueryWarning(
                "unbound-condition",
                f"the FILTER needs ?{variable}, which no pattern of the query binds",
                element.position,
            )


def operands(expression: s.Expression) -> tuple[s.Expression, ...]:
    """Return the direct sub-expressions, from left to right, without those in an EXISTS."""
    return () if isinstance(expression, s.Exists) else tuple(children(expression))


def map_operands(
    expression: s.Expression, change: Callable[[s.Expression], s.Expression]
) -> s.Expression:
    """Return the same expression with its direct operands changed."""
    return expression if isinstance(expression, s.Exists) else mapped(expression, change)


def subexpressions(expression: s.Expression) -> Iterator[s.Expression]:
    """Return the expression and all its parts; what stands inside an EXISTS is not entered."""
    return parts(expression, but=s.Exists)


def conjuncts(condition: s.Expression) -> tuple[s.Expression, ...]:
    """R1, R2, … of R1 && R2 && …"""
    if isinstance(condition, s.And):
        return tuple(part for operand in condition.operands for part in conjuncts(operand))
    return (condition,)


def within(group: s.GroupGraphPattern, bound: frozenset[Variable]) -> s.GroupGraphPattern:
    """Return the group without the conditions that need a variable that is not among these."""
    kept: list[s.Element] = []
    for element in group.elements:
        if not isinstance(element, s.Filter):
            kept.append(element)
            continue
        kept.extend(
            s.Filter(condition, element.position) for condition in conjuncts(element.condition)
            if bound.issuperset(find(condition, Variable, but=s.Exists))
        )
    return s.GroupGraphPattern(tuple(kept))


def self_contained(group: s.GroupGraphPattern) -> s.GroupGraphPattern:
    """Return the group without the conditions on variables that it cannot bind."""
    return within(group, possible_variables(group))


def element_expressions(element: s.Element) -> tuple[s.Expression, ...]:
    """Return the expressions directly inside an element."""
    match element:
        case s.Filter(expression) | s.Bind(expression):
            return (expression,)
        case s.SubSelect(query):
            return clause_expressions(query)
    return ()


def clause_expressions(query: s.SparqlQuery) -> tuple[s.Expression, ...]:
    """Return the expressions of a query's clauses, those in its pattern aside."""
    projected = query.projection if isinstance(query, s.SelectQuery) else None
    modifier = query.modifier
    clauses = (*(projected or ()), *modifier.group_by, *modifier.having, *modifier.order_by)
    expressions = (
        each.expression if isinstance(each, s.Projection | s.OrderCondition) else each
        for each in clauses
    )
    return tuple(each for each in expressions if each is not None)


def existential_groups(expression: s.Expression) -> tuple[s.GroupGraphPattern, ...]:
    """Return the groups of the EXISTS in an expression; what stands inside these is not entered."""
    return tuple(exists.pattern for exists in outermost(expression, s.Exists))


def inner_groups(element: s.Element) -> tuple[s.GroupGraphPattern, ...]:
    """Return the groups directly inside an element; those of its expressions are not among them."""
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
