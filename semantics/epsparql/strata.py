"""In which order rules can be applied: strata (what section 4.2's smallest closure presupposes).

A solution of an optional pattern that nothing joined, and of whatever else asks for absence, may be
lost when the stream grows. So a rule has to wait for those that can construct what it must not see.
Where the absence is of something earlier (SEQ, OPTIONALSEQ and EQUALSOPTIONAL are made for that:
timewise monotonicity), the instants of the stream are the order; where it is of something at the
same instant, or of anything at all (OPTIONAL, MINUS, NOT EXISTS, aggregates), rules must not depend
on themselves through it: then there is no smallest closure, and that is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from rdflib.term import BNode, URIRef, Variable

from ..errors import QueryError
from ..rdf import syntax as s
from ..rdf.variables import subexpressions
from .readings import LeftJoinReading
from .syntax import Operator, Rule, TemporalPattern


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rules that are applied together, after those of earlier strata.

    `timewise`: whatever they construct at an instant is certain as soon as it has passed. If not,
    it is one rule, which is applied when the stream has ended.
    """

    rules: tuple[int, ...]
    timewise: bool


class Dependence(IntEnum):
    """How a solution depends on an occurrence; the greater of two is the stricter."""

    PRESENCE = 0
    EARLIER_ABSENCE = 1
    ABSENCE = 2


@dataclass(frozen=True, slots=True)
class Use:
    """A triple pattern in a WHERE clause, and what the rule wants to know of it"""

    triple: s.TriplePattern
    dependence: Dependence


def strata(
    rules: tuple[Rule, ...],
    leftjoin: LeftJoinReading,
    inferable: frozenset[URIRef] = frozenset(),
    source: str | None = None,
) -> list[Stratum]:
    """The rules in the order in which they can be applied.

    `inferable` are the predicates that the background's schema may conclude from any triple. Raises
    QueryError, at a rule that depends on the absence of what it constructs itself.
    """
    timewise = [is_timewise(rule.where, leftjoin) for rule in rules]
    needs = [
        {
            j: max(found)
            for j, other in enumerate(rules)
            if (found := list(_dependences(rule, other, timewise[i], leftjoin, inferable)))
        }
        for i, rule in enumerate(rules)
    ]
    ordered: list[Stratum] = []
    for component in _components([set(each) for each in needs]):
        within = set(component)
        for i in sorted(within):
            if any(needs[i][j] is Dependence.ABSENCE for j in within & needs[i].keys()):
                raise QueryError(
                    "the rule depends on the absence of what it constructs itself: the stream has"
                    " no smallest closure",
                    source=source,
                    line=rules[i].position.line, column=rules[i].position.column,
                )
        ordered.append(Stratum(tuple(sorted(within)), all(timewise[i] for i in within)))
    return ordered


def _dependences(
    rule: Rule,
    other: Rule,
    timewise: bool,
    leftjoin: LeftJoinReading,
    inferable: frozenset[URIRef],
) -> Iterator[Dependence]:
    """How `rule` depends on what `other` constructs"""
    for use in uses(rule.where, leftjoin):
        if any(_may_match(made, use.triple, inferable) for made in other.template):
            yield use.dependence if timewise else Dependence.ABSENCE


def _may_match(
    made: s.TriplePattern, wanted: s.TriplePattern, inferable: frozenset[URIRef]
) -> bool:
    """Whether an instance of a template's triple may match a triple pattern"""
    if not isinstance(wanted.predicate, URIRef | Variable):
        return True  # a path may go along anything
    if wanted.predicate in inferable:
        return True
    return all(
        isinstance(mine, Variable | BNode) or isinstance(theirs, Variable | BNode)
        or mine == theirs
        for mine, theirs in (
            (made.subject, wanted.subject), (made.predicate, wanted.predicate),
            (made.object, wanted.object),
        )
    )


def _components(edges: list[set[int]]) -> list[list[int]]:
    """The strongly connected components, each after those that it points to (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[list[int]] = []

    def visit(v: int) -> None:
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(edges[v]):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            found.append(stack[at:])
            del stack[at:]

    for v in range(len(edges)):
        if v not in index:
            visit(v)
    return found


# --- what a pattern depends on -------------------------------------------------------------------


def is_timewise(group: s.GroupGraphPattern, leftjoin: LeftJoinReading) -> bool:
    """Whether later triples cannot take a solution of the pattern back (timewise monotonicity).

    That is so for all operators of section 4.2, with OPTIONAL as the paper has it; not for SPARQL's
    OPTIONAL, MINUS, EXISTS, aggregates, LIMIT and OFFSET.
    """
    for element in group.elements:
        match element:
            case s.Filter(expression) | s.Bind(expression):
                if _asks_for_graphs(expression):
                    return False
            case s.OptionalPattern(inner):
                if leftjoin == "default" or not is_timewise(inner, leftjoin):
                    return False
            case s.MinusPattern():
                return False
            case TemporalPattern(operator=Operator.SEQOPTIONAL):
                return False
            case s.UnionPattern(alternatives):
                if not all(is_timewise(inner, leftjoin) for inner in alternatives):
                    return False
            case s.SubSelect(query):
                if not is_timewise_select(query, leftjoin):
                    return False
    # GRAPH looks at the background alone, which does not grow.
    return True


def is_timewise_select(query: s.SelectQuery, leftjoin: LeftJoinReading) -> bool:
    """`is_timewise` of a SELECT with its modifiers"""
    modifier = query.modifier
    expressions: list[s.Expression] = [
        *(item.expression for item in query.projection or () if item.expression is not None),
        *modifier.having,
        *(condition.expression for condition in modifier.order_by),
    ]
    return not (
        modifier.group_by
        or any(isinstance(p, s.Aggregate) for e in expressions for p in subexpressions(e))
        or modifier.limit is not None
        or modifier.offset
        or any(map(_asks_for_graphs, expressions))
    ) and is_timewise(query.where, leftjoin)


def _asks_for_graphs(expression: s.Expression) -> bool:
    return any(isinstance(part, s.Exists) for part in subexpressions(expression))


def uses(
    group: s.GroupGraphPattern,
    leftjoin: LeftJoinReading,
    dependence: Dependence = Dependence.PRESENCE,
    earlier: bool = False,
) -> Iterator[Use]:
    """The triple patterns that are matched with the stream.

    `earlier`: what matches the group surely ends before the solutions of the whole pattern do.
    """

    def inner(
        pattern: s.GroupGraphPattern, *, absent: bool = False, ends_earlier: bool = False
    ) -> Iterator[Use]:
        sooner = earlier or ends_earlier
        level = Dependence.PRESENCE
        if absent or dependence is not Dependence.PRESENCE:
            level = Dependence.EARLIER_ABSENCE if sooner else Dependence.ABSENCE
        return uses(pattern, leftjoin, level, sooner)

    for element in group.elements:
        match element:
            case s.TriplesBlock(triples):
                for triple in triples:
                    yield Use(triple, dependence)
            case s.Filter(expression) | s.Bind(expression):
                yield from _uses_in(expression, leftjoin)
            case s.OptionalPattern(pattern):
                yield from inner(pattern, absent=True, ends_earlier=leftjoin == "paper")
            case s.MinusPattern(pattern):
                yield from inner(pattern, absent=True)
            case TemporalPattern((left, right), operator):
                match operator:
                    case Operator.SEQ:
                        yield from inner(left, ends_earlier=True)
                        yield from inner(right)
                    case Operator.EQUALS:
                        yield from inner(left)
                        yield from inner(right)
                    case Operator.OPTIONALSEQ:
                        yield from inner(left, absent=True, ends_earlier=True)
                        yield from inner(right)
                    case Operator.EQUALSOPTIONAL | Operator.SEQOPTIONAL:
                        yield from inner(left)
                        yield from inner(right, absent=True)
            case s.UnionPattern(alternatives):
                for alternative in alternatives:
                    yield from inner(alternative)
            case s.SubSelect(query):
                yield from inner(query.where)


def _uses_in(expression: s.Expression, leftjoin: LeftJoinReading) -> Iterator[Use]:
    for part in subexpressions(expression):
        if isinstance(part, s.Exists):
            yield from uses(part.pattern, leftjoin, Dependence.ABSENCE)
