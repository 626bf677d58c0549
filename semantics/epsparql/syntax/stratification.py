"""Stratification: the order of rule application that section 4.2's smallest closure presupposes.

A rule may construct, at one instant, what lets it construct again: with new blank nodes, or with
computed values, for ever. Definition and engine stop at the same bound.

A solution of an optional pattern that nothing joined, and of whatever else asks for absence, may be
lost when the stream grows. Then closed sets may have an intersection that is not closed, and there
is no smallest one (EPS-12). The stratified closure is a ruling: a rule waits for those that can
construct what it must not see. Where the absence is of something earlier (SEQ, OPTIONALSEQ and
EQUALSOPTIONAL are made for that: timewise monotonicity), the instants of the stream are the order;
where it is of something at the same instant, or of anything at all (OPTIONAL, MINUS, NOT EXISTS,
aggregates), rules must not depend on themselves through it, and that is an error.

EXISTS, a MINUS inside a NOT EXISTS and the like ask for presence: what is there stays there. But it
may come later than the solution ends, so that such rules have no instants to go by: they are
applied to the whole stream, again and again if they depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from rdflib.term import BNode, URIRef, Variable

from ...model.errors import Position, QueryError
from ...model.items import TimeKind
from ...model.time import format_time
from ...model.trees import find, outermost
from ...rdf.syntax import tree as s
from ...rdf.syntax.printing import to_text
from ...rdf.syntax.variables import clause_expressions, operands
from .readings import LeftJoinReading
from .tree import Operator, Rule, TemporalPattern

MOST_ROUNDS: Final = 100
"""The maximum number of rounds in which rules are applied to their own results at one instant."""

MOST_CONSTRUCTED: Final = 20_000
"""The maximum number of occurrences that rules may construct at one instant."""


def beyond(rounds: int, constructed: int) -> bool:
    """Return True if rules exceed the maximum number of rounds or constructed occurrences."""
    return rounds > MOST_ROUNDS or constructed > MOST_CONSTRUCTED


def unbounded(rule: Rule, t: float, kind: TimeKind) -> QueryError:
    """Return the error for rules that reach a bound at the instant t (−∞: at none, from background
    knowledge or over the whole stream)."""
    where = "" if t == float("-inf") else f" at {format_time(int(t), kind)}"
    return QueryError(
        f"the closure under the CONSTRUCT rules grows without bound{where}: stopped after"
        f" {MOST_ROUNDS} rounds or {MOST_CONSTRUCTED} occurrences of one instant",
        line=rule.position.line,
        column=rule.position.column,
    )


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rules that are applied together, after those of earlier strata.

    `timewise`: whatever they construct at an instant is certain as soon as it has passed. If not,
    they are applied when the stream has ended. `recursive`: they depend on what they construct;
    `monotone`: on nothing but its presence.
    """

    rules: tuple[int, ...]
    timewise: bool
    recursive: bool
    monotone: bool = True


class Dependence(IntEnum):
    """The dependence of a solution on an occurrence; the greater of two is the stricter."""

    PRESENCE = 0
    EARLIER_ABSENCE = 1
    ABSENCE = 2


@dataclass(frozen=True, slots=True)
class Construct:
    """A part of a pattern that does not grow with the stream, and where it stands."""

    name: str
    position: Position = Position()


@dataclass(frozen=True, slots=True)
class Use:
    """A triple pattern in a WHERE clause, what the rule wants to know of it, and by which construct
    it asks for more than presence"""

    triple: s.TriplePattern
    dependence: Dependence
    construct: Construct | None = None


def strata(
    rules: tuple[Rule, ...],
    leftjoin: LeftJoinReading,
    inferable: frozenset[URIRef] = frozenset(),
) -> list[Stratum]:
    """Return the rules in the order in which they can be applied.

    `inferable` are the predicates that the background's schema may conclude from any triple. Raises
    QueryError, at the construct by which rules ask for the absence of what they construct.
    """
    late = [next(untimely(rule.where, leftjoin), None) for rule in rules]
    needs = [
        {
            j: found
            for j, other in enumerate(rules)
            if (found := _needed(rule, other, leftjoin, inferable))
        }
        for rule in rules
    ]
    ordered: list[Stratum] = []
    for component in _components([set(each) for each in needs]):
        within = set(component)
        timewise = all(late[i] is None for i in within)
        certain = Dependence.EARLIER_ABSENCE if timewise else Dependence.PRESENCE
        inside = [
            (i, j, use)
            for i in sorted(within) for j in sorted(within & needs[i].keys())
            for use in needs[i][j]
        ]
        for i, j, use in inside:
            if use.dependence > certain:
                cycle = [i, *_way(needs, within, j, i)]
                raise _no_closure(rules, cycle, use, {i: late[i] for i in within})
        monotone = all(use.dependence is Dependence.PRESENCE for _, _, use in inside)
        ordered.append(Stratum(tuple(sorted(within)), timewise, bool(inside), monotone))
    return ordered


def _needed(
    rule: Rule, other: Rule, leftjoin: LeftJoinReading, inferable: frozenset[URIRef]
) -> list[Use]:
    """Return the uses in `rule` of the triples that `other` constructs."""
    return [
        use for use in uses(rule.where, leftjoin)
        if any(_may_match(made, use.triple, inferable) for made in other.template)
    ]


def _no_closure(
    rules: Sequence[Rule],
    cycle: Sequence[int],
    use: Use,
    late: Mapping[int, Construct | None],
) -> QueryError:
    """Return the error: which construct asks for the absence of what, and which rules make it."""

    def named(i: int) -> str:
        line = rules[i].position.line
        return f"rule {i + 1} (line {line} of the query)" if line else f"rule {i + 1}"

    construct = use.construct or Construct("the pattern")
    message = (
        "the rule depends on the absence of what it constructs itself:"
        f" {construct.name} looks for {{ {to_text(use.triple)} }}, which {named(cycle[1])}"
        " constructs"
    )
    if len(cycle) > 2:
        way = " → ".join(str(i + 1) for i in cycle)
        message += f"; the cycle of rules is {way}"
    if use.dependence is Dependence.EARLIER_ABSENCE:
        after, because = next(
            (i, found) for i in sorted(late) if (found := late[i]) is not None
        )
        message += (
            f"; {named(after)} looks at the whole stream by {because.name}, so that what it"
            " constructs is not known when its instant has passed"
        )
    place_of = construct.position if construct.position.line else rules[cycle[0]].position
    return QueryError(
        f"{message}; the stream has no smallest closure",
        line=place_of.line, column=place_of.column,
    )


def _way(
    needs: Sequence[dict[int, list[Use]]], within: set[int], start: int, goal: int
) -> list[int]:
    """Return the shortest way from rule to rule that it needs."""
    ways = [[start]]
    seen = {start}
    while True:
        way = ways.pop(0)
        if way[-1] == goal:
            return way
        for following in sorted(needs[way[-1]].keys() & within - seen):
            seen.add(following)
            ways.append([*way, following])


def _may_match(
    made: s.TriplePattern, wanted: s.TriplePattern, inferable: frozenset[URIRef]
) -> bool:
    """Return True if an instance of a template's triple may match a triple pattern."""
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
    """Return the strongly connected components, each after those that it points to (Tarjan)."""
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
    """Return True if the pattern is timewise monotonic.

    Then later triples neither retract a solution nor add one that has ended before.

    That is so for all operators of section 4.2, with OPTIONAL as the paper has it; not for SPARQL's
    OPTIONAL, MINUS, EXISTS, aggregates, LIMIT and OFFSET.
    """
    return next(untimely(group, leftjoin), None) is None


def is_timewise_select(query: s.SelectQuery, leftjoin: LeftJoinReading) -> bool:
    """`is_timewise` of a SELECT with its modifiers"""
    return next(_untimely_select(query, Position(), leftjoin), None) is None


def untimely(group: s.GroupGraphPattern, leftjoin: LeftJoinReading) -> Iterator[Construct]:
    """Yield the constructs by which the pattern is not timewise monotone."""
    for element in group.elements:
        match element:
            case s.Filter(expression) | s.Bind(expression):
                yield from _existential(expression)
            case s.OptionalPattern(inner, position):
                if leftjoin == "default":
                    yield Construct("OPTIONAL", position)
                yield from untimely(inner, leftjoin)
            case s.MinusPattern(_, position):
                yield Construct("MINUS", position)
            case s.UnionPattern(alternatives):
                if isinstance(element, TemporalPattern) and (
                    element.operator is Operator.SEQOPTIONAL
                ):
                    yield Construct("SEQOPTIONAL", element.position)
                for inner in alternatives:
                    yield from untimely(inner, leftjoin)
            case s.SubSelect(query, position):
                yield from _untimely_select(query, position, leftjoin)
    # GRAPH looks at the background alone, which does not grow.


def _untimely_select(
    query: s.SelectQuery, position: Position, leftjoin: LeftJoinReading
) -> Iterator[Construct]:
    yield from _over_all(query, position)
    for expression in clause_expressions(query):
        yield from _existential(expression)
    yield from untimely(query.where, leftjoin)


def _over_all(query: s.SelectQuery, position: Position) -> Iterator[Construct]:
    """Yield the constructs of a SELECT that depend on all of its solutions."""
    modifier = query.modifier
    for aggregate in find(clause_expressions(query), s.Aggregate, but=s.Exists):
        yield Construct(f"the aggregate {aggregate.name}", position)
    if modifier.group_by:
        yield Construct("GROUP BY", position)
    if modifier.limit is not None:
        yield Construct("LIMIT", position)
    if modifier.offset:
        yield Construct("OFFSET", position)


def _existential(expression: s.Expression) -> Iterator[Construct]:
    for part in outermost(expression, s.Exists):
        yield Construct("NOT EXISTS" if part.negated else "EXISTS", part.position)


@dataclass(frozen=True, slots=True)
class _UseContext:
    """The context of a pattern.

    `sign`: solutions of the pattern make solutions of the whole (1), take them away (-1), or both
    (0); of the constructs that do not add, `construct` is the innermost. `earlier`: what matches
    surely ends before the solutions of the whole do.
    """

    leftjoin: LeftJoinReading
    sign: int = 1
    earlier: bool = False
    construct: Construct | None = None

    def inside(self, sign: int, construct: Construct, *, earlier: bool = False) -> _UseContext:
        """Inside a construct that does not add."""
        return replace(
            self, sign=self.sign * sign, earlier=self.earlier or earlier, construct=construct
        )

    def use(self, triple: s.TriplePattern) -> Use:
        """Return a triple pattern of the pattern."""
        if self.sign == 1:
            return Use(triple, Dependence.PRESENCE)
        absence = Dependence.EARLIER_ABSENCE if self.earlier else Dependence.ABSENCE
        return Use(triple, absence, self.construct)


def uses(group: s.GroupGraphPattern, leftjoin: LeftJoinReading) -> Iterator[Use]:
    """Return the triple patterns on the stream, and how the solutions depend on them."""
    return _uses(group, _UseContext(leftjoin))


def _uses(group: s.GroupGraphPattern, context: _UseContext) -> Iterator[Use]:
    for element in group.elements:
        match element:
            case s.TriplesBlock(triples):
                yield from map(context.use, triples)
            case s.Filter(expression):
                yield from _uses_in_condition(expression, context)
            case s.Bind(expression):
                yield from _uses_in_value(expression, context)
            case s.OptionalPattern(pattern, position):
                sooner = context.leftjoin == "paper"
                optional = Construct("OPTIONAL", position)
                yield from _uses(pattern, context.inside(0, optional, earlier=sooner))
            case s.MinusPattern(pattern, position):
                yield from _uses(pattern, context.inside(-1, Construct("MINUS", position)))
            case TemporalPattern((left, right), operator, position):
                construct = Construct(str(operator), position)
                match operator:
                    case Operator.SEQ:
                        yield from _uses(left, replace(context, earlier=True))
                        yield from _uses(right, context)
                    case Operator.EQUALS:
                        yield from _uses(left, context)
                        yield from _uses(right, context)
                    case Operator.OPTIONALSEQ:
                        yield from _uses(left, context.inside(0, construct, earlier=True))
                        yield from _uses(right, context)
                    case Operator.EQUALSOPTIONAL | Operator.SEQOPTIONAL:
                        yield from _uses(left, context)
                        yield from _uses(right, context.inside(0, construct))
            case s.UnionPattern(alternatives):
                for alternative in alternatives:
                    yield from _uses(alternative, context)
            case s.SubSelect(query, position):
                whole = next(_over_all(query, position), None)
                yield from _uses(query.where, context.inside(0, whole) if whole else context)
                for expression in clause_expressions(query):
                    yield from _uses_in_value(expression, context)


def _uses_in_condition(expression: s.Expression, context: _UseContext) -> Iterator[Use]:
    """Yield the uses in a condition that must be true: && and || add, ! removes, others do both."""
    match expression:
        case s.Exists(pattern, negated, position):
            if negated:
                context = context.inside(-1, Construct("NOT EXISTS", position))
            yield from _uses(pattern, context)
        case s.And(parts) | s.Or(parts):
            for part in parts:
                yield from _uses_in_condition(part, context)
        case s.Not(part):
            negated_at = next(_existential(part), Construct("!"))
            turned = context.inside(-1, replace(negated_at, name="!EXISTS"))
            yield from _uses_in_condition(part, turned)
        case _:
            yield from _uses_in_value(expression, context)


def _uses_in_value(expression: s.Expression, context: _UseContext) -> Iterator[Use]:
    """Yield the uses in an expression whose value is used: it may add and remove solutions."""
    if isinstance(expression, s.Exists):
        value = Construct("the value of EXISTS", expression.position)
        yield from _uses(expression.pattern, context.inside(0, value))
    for operand in operands(expression):
        yield from _uses_in_value(operand, context)
