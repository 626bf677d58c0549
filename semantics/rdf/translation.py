"""The translation of queries to the SPARQL algebra (SPARQL 1.1 Query, 18.2.2 to 18.2.5)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from rdflib.term import BNode, Variable

from ..model.mappings import SolutionMapping
from ..model.trees import remembering
from .algebra import (
    BGP,
    UNIT,
    AggregateJoin,
    Algebra,
    Distinct,
    Embedded,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    OrderBy,
    Project,
    Slice,
    Table,
    TriplePath,
    Union,
)
from .syntax import tree as s
from .syntax.scoping import is_grouped
from .syntax.variables import map_operands, selected_variables

# --- graph patterns (18.2.2) ---------------------------------------------------------------------


def translate(
    group: s.GroupGraphPattern,
    with_element: Callable[[Algebra, s.Element], Algebra] | None = None,
) -> Algebra:
    """18.2.2.6, Translate(GroupGraphPattern): element by element, the filters at the end.

    A language with further patterns gives its own `with_element`.
    """
    follow = with_element or followed_by
    result: Algebra = UNIT
    filters: list[s.Expression] = []
    block: list[s.TriplePattern] = []

    def with_block() -> Algebra:
        pattern = join(result, basic_graph_pattern(tuple(block)))
        block.clear()
        return pattern

    for element in group.elements:
        match element:
            case s.TriplesBlock(triples):
                block += triples
                continue
            case s.Filter(condition):
                filters.append(condition)
                continue
        result = follow(with_block() if block else result, element)
    if block:
        result = with_block()
    for condition in filters:
        result = Filter(condition, result)
    return result


@remembering
def translated(group: s.GroupGraphPattern) -> Algebra:
    """Translate(GroupGraphPattern) of SPARQL's own patterns."""
    return translate(group)


def followed_by(
    before: Algebra,
    element: s.Element,
    translate: Callable[[s.GroupGraphPattern], Algebra] = translate,
) -> Algebra:
    """Return the algebra of the pattern before an element, extended by that element."""
    match element:
        case s.OptionalPattern(pattern):
            inner, condition = optional(pattern, translate)
            return LeftJoin(before, inner, condition)
        case s.MinusPattern(pattern):
            return Minus(before, translate(pattern))
        case s.Bind(expression, variable):
            return extend(before, ((variable, expression),))
        case s.UnionPattern(alternatives):
            union = translate(alternatives[0])
            for alternative in alternatives[1:]:
                union = Union(union, translate(alternative))
            return join(before, union)
        case s.NamedGraphPattern(name, pattern):
            return join(before, Graph(name, translate(pattern)))
        case s.InlineData():
            return join(before, table(element))
        case s.SubSelect(query):
            return join(before, translate_select(query, translate))
        case s.EmbeddedPattern():
            return join(before, Embedded(element))
    raise AssertionError(f"no such element: {element!r}")


def optional(
    group: s.GroupGraphPattern, translate: Callable[[s.GroupGraphPattern], Algebra] = translate
) -> tuple[Algebra, s.Expression | None]:
    """18.2.2.6: an optional group without its FILTERs, and these: they see both sides."""
    conditions = [e.condition for e in group.elements if isinstance(e, s.Filter)]
    rest = tuple(e for e in group.elements if not isinstance(e, s.Filter))
    inner = translate(s.GroupGraphPattern(rest))
    if len(conditions) < 2:
        return inner, conditions[0] if conditions else None
    return inner, s.And(tuple(conditions))


def join(left: Algebra, right: Algebra) -> Algebra:
    """18.2.2.8: Join(Z, A) is A."""
    if left is UNIT:
        return right
    return left if right is UNIT else Join(left, right)


def extend(pattern: Algebra, assignments: tuple[tuple[Variable, s.Expression], ...]) -> Extend:
    """Extend(P, var, expr), joined with what P itself is extended by: it is one solution still."""
    if isinstance(pattern, Extend):
        return Extend(pattern.pattern, (*pattern.assignments, *assignments))
    return Extend(pattern, assignments)


def basic_graph_pattern(triples: tuple[s.TriplePattern, ...]) -> BGP:
    """18.2.2.5: adjacent triple patterns are one BGP, in which blank nodes act as variables."""
    blank: dict[BNode, Variable] = {}

    def part(term: Any) -> Any:
        if isinstance(term, BNode):
            # No query can write this name.
            return blank.setdefault(term, Variable(f"_:{term}"))
        return term

    paths = tuple(TriplePath(part(t.subject), part(t.predicate), part(t.object)) for t in triples)
    return BGP(paths, frozenset(blank.values()))


def table(data: s.InlineData) -> Table:
    """18.2.2.7: UNDEF leaves its variable unbound."""
    return Table(tuple(
        SolutionMapping({
            v: t for v, t in zip(data.variables, row, strict=True) if t is not None
        })
        for row in data.rows
    ))


# --- SELECT (18.2.4 and 18.2.5) ------------------------------------------------------------------


def translate_select(
    query: s.SelectQuery,
    translate: Callable[[s.GroupGraphPattern], Algebra] = translate,
) -> Algebra:
    """Translate a SELECT query, or a sub-select.

    A language with further patterns gives its own translation of groups.
    """
    assignments = tuple(
        (item.variable, item.expression)
        for item in query.projection or ()
        if item.expression is not None
    )
    projected = frozenset(selected_variables(query))
    pattern = translate_modified(query, assignments, projected, translate)
    if query.distinct:
        pattern = Distinct(pattern)
    return sliced(pattern, query.modifier)


def translate_modified(
    query: s.SparqlQuery,
    assignments: tuple[tuple[Variable, s.Expression], ...],
    projected: frozenset[Variable] | None,
    translate: Callable[[s.GroupGraphPattern], Algebra] = translate,
) -> Algebra:
    """18.2.4 and 18.2.5.1-2: grouping, HAVING, VALUES, SELECT expressions, ORDER BY, projection."""
    where = query.where if query.where is not None else s.GroupGraphPattern()
    pattern = translate(where)
    modifier = query.modifier
    having, order_by = modifier.having, modifier.order_by
    grouping = tuple(_key(item) for item in modifier.group_by)
    keys = {v for v, _ in grouping if v is not None}
    grouped = is_grouped(query)
    if grouped:
        named = _Aggregates(keys)
        having = tuple(named.in_expression(e) for e in having)
        assignments = tuple(map(named.in_assignment, assignments))
        order_by = tuple(
            s.OrderCondition(named.in_expression(c.expression), c.descending) for c in order_by
        )
        # (expr AS ?k) binds ?k in the solutions that are grouped: later keys and aggregates see it.
        computed = tuple((v, e) for v, e in grouping if v is not None and v != e)
        if computed:
            pattern = extend(pattern, computed)
        grouping = tuple((v, e if v is None else v) for v, e in grouping)
        pattern = AggregateJoin(grouping, tuple(named.found), pattern)
    for condition in having:
        pattern = Filter(condition, pattern)
    if query.values is not None:
        pattern = join(pattern, table(query.values))
    if assignments:
        pattern = extend(pattern, assignments)
    if order_by:
        pattern = OrderBy(pattern, order_by)
    if projected is None:
        return pattern
    return Project(pattern, projected, projected & keys if grouped else projected)


def sliced(pattern: Algebra, modifier: s.SolutionModifier) -> Algebra:
    """18.2.5.5: OFFSET and LIMIT"""
    if modifier.limit is None and modifier.offset == 0:
        return pattern
    return Slice(pattern, modifier.offset, modifier.limit)


def _key(item: s.Projection | s.Expression) -> tuple[Variable | None, s.Expression]:
    if isinstance(item, s.Projection):
        assert item.expression is not None  # a bare variable is an expression
        return item.variable, item.expression
    return (item if isinstance(item, Variable) else None), item


class _Aggregates:
    """18.2.4.1: an aggregate becomes agg_i, a variable that is no key Sample(variable).

    Nor is it Sample(variable) where SELECT has named it before (18.2.4.4): such a variable is
    another one than that of the pattern.
    """

    def __init__(self, keys: set[Variable]) -> None:
        self.known = set(keys)
        self.found: list[tuple[Variable, s.Aggregate]] = []
        # No query can write these names.
        self._names = (Variable(f"agg {i}") for i in count(1))

    def in_assignment(
        self, assignment: tuple[Variable, s.Expression]
    ) -> tuple[Variable, s.Expression]:
        """(expr AS var), from which on var is known"""
        variable, expression = assignment
        changed = self.in_expression(expression)
        self.known.add(variable)
        return variable, changed

    def in_expression(self, expression: s.Expression) -> s.Expression:
        if isinstance(expression, s.Aggregate):
            return self._named(expression)
        if isinstance(expression, Variable) and expression not in self.known:
            return self._named(s.Aggregate("SAMPLE", expression))
        return map_operands(expression, self.in_expression)

    def _named(self, aggregate: s.Aggregate) -> Variable:
        for variable, known in self.found:
            if known == aggregate:
                return variable
        variable = next(self._names)
        self.found.append((variable, aggregate))
        return variable
