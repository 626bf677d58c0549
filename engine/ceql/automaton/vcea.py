"""The valuation complex event automaton of a formula (CORE appendix A), and its transitions' tests.

FILTER conditions are about sets of tuples; pushed to the transitions that mark a tuple (CORE
appendix A) they become tests of one event.

The cases are the paper's. That of φ+ is completed: the state between two iterations has a loop
that skips events, and leads back to itself where an iteration is a single event; as printed, the
construction has neither, and R+ would be one R or two neighbouring ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, TypeAlias

from ....semantics.ceql.syntax.tree import (
    AndCondition,
    As,
    Attribute,
    Comparison,
    ComparisonOperator,
    Condition,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    Literal,
    Name,
    NotCondition,
    NotFormula,
    OrCondition,
    Predicate,
    Projection,
    Sequence,
    VariableCondition,
)


@dataclass(frozen=True, slots=True)
class OfType:
    """The event is of this type, and from this stream if one is named."""

    name: str
    stream: str | None


@dataclass(frozen=True, slots=True)
class Holds:
    """The event is in P."""

    predicate: Predicate


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of these; of none, TRUE."""

    tests: frozenset[Test]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Some one of these."""

    tests: frozenset[Test]


@dataclass(frozen=True, slots=True)
class Opposite:
    """Not this."""

    test: Test


Test: TypeAlias = OfType | Holds | AllOf | AnyOf | Opposite

ALWAYS = AllOf(frozenset())


def both(left: Test, right: Test) -> Test:
    """Return P ∧ P′, flat and without repetitions.

    >>> both(ALWAYS, OfType("A", None))
    OfType(name='A', stream=None)
    """
    parts: set[Test] = set()
    for test in (left, right):
        parts |= test.tests if isinstance(test, AllOf) else {test}
    return next(iter(parts)) if len(parts) == 1 else AllOf(frozenset(parts))


def opposite(test: Test) -> Test:
    """Return ¬P."""
    return test.test if isinstance(test, Opposite) else Opposite(test)


def may_hold_together(one: Test, other: Test) -> bool:
    """Return False only if no event satisfies both: they ask for two types, or two values of one
    attribute.

    >>> may_hold_together(OfType("A", None), OfType("B", None))
    False
    """
    asked: dict[object, object] = {}
    for test in (one, other):
        for part in test.tests if isinstance(test, AllOf) else (test,):
            match part:
                case OfType(name):
                    what, value = None, name
                case Holds(
                    Comparison(ComparisonOperator.EQUAL, Attribute(attribute), Literal(str(text)))
                ):
                    what, value = attribute, text
                case _:
                    continue
            if asked.setdefault(what, value) != value:
                return False
    return True


Labels = frozenset[str]
UNMARKED: Labels = frozenset()


class Transition(NamedTuple):
    """(p, P, L, q)"""

    source: int
    test: Test
    labels: Labels
    target: int


class Vcea(NamedTuple):
    """(Q, Δ, I, F) with Q = {0, …, states − 1}; no transition leads to an initial state."""

    states: int
    transitions: tuple[Transition, ...]
    initial: frozenset[int]
    final: frozenset[int]


def compile_formula(formula: Formula) -> Vcea:
    """Return a VCEA equivalent to the formula, with 0 as its only initial state.

    Every state is on a way to a final one, and no two are always reached together.
    """
    automaton = _compiled(formula)
    start = automaton.states
    transitions = (
        *(
            Transition(start, t.test, t.labels, t.target)
            for t in automaton.transitions
            if t.source in automaton.initial
        ),
        *automaton.transitions,
    )
    useful = _reachable({start}, ((t.source, t.target) for t in transitions))
    useful &= _reachable(automaton.final, ((t.target, t.source) for t in transitions))
    useful.add(start)
    transitions = tuple(t for t in transitions if t.source in useful and t.target in useful)
    together = _reached_together(useful, start, transitions)
    order = sorted(set(together.values()), key=lambda q: (q != start, q))
    number = {q: order.index(together[q]) for q in useful}
    kept = dict.fromkeys(
        Transition(number[t.source], t.test, t.labels, number[t.target]) for t in transitions
    )
    final = frozenset(number[q] for q in automaton.final if q in number)
    return Vcea(len(order), tuple(kept), frozenset({0}), final)


def _reached_together(
    states: set[int], start: int, transitions: tuple[Transition, ...]
) -> dict[int, int]:
    """Return for each state the least of those that exactly the same runs reach.

    The coarsest partition in which the states of a block have the same transitions into them from
    the same blocks. Such states can be one: with the transitions of all out of it.
    """
    block = {q: int(q == start) for q in states}
    while True:
        signatures: dict[int, set[object]] = {q: {block[q]} for q in states}
        for t in transitions:
            signatures[t.target].add((block[t.source], t.test, t.labels))
        numbers: dict[frozenset[object], int] = {}
        refined = {
            q: numbers.setdefault(frozenset(signatures[q]), len(numbers)) for q in sorted(states)
        }
        if len(numbers) == len(set(block.values())):
            break
        block = refined
    least: dict[int, int] = {}
    for q in sorted(states):
        least.setdefault(block[q], q)
    return {q: least[block[q]] for q in states}


def _reachable(begin: Iterable[int], steps: Iterable[tuple[int, int]]) -> set[int]:
    following: dict[int, set[int]] = {}
    for source, target in steps:
        following.setdefault(source, set()).add(target)
    reached = set(begin)
    ahead = list(reached)
    while ahead:
        for target in following.get(ahead.pop(), set()) - reached:
            reached.add(target)
            ahead.append(target)
    return reached


def skipping_stays(automaton: Vcea) -> bool:
    """Return True if in every set of states a run that does not mark an event stays or ends.

    Of a set of states that runs with the same marks are in, either all skip every event or none
    skips any. Decided on pairs of states, so that it holds whatever events will come.
    """
    loops = {t.source for t in automaton.transitions if _is_skip(t)}
    if any(not t.labels and t.source != 0 and not _is_skip(t) for t in automaton.transitions):
        return False
    leaving: dict[int, list[Transition]] = {}
    for t in automaton.transitions:
        if not _is_skip(t):
            leaving.setdefault(t.source, []).append(t)
    reached = {(0, 0)}
    ahead = [(0, 0)]
    while ahead:
        one, other = ahead.pop()
        for t, u in product(leaving.get(one, ()), leaving.get(other, ())):
            pair = (t.target, u.target)
            if (
                pair not in reached
                and all(q in leaving for q in pair)
                and bool(t.labels) == bool(u.labels)
                and (t is u or may_hold_together(t.test, u.test))
            ):
                if (t.target in loops) is not (u.target in loops):
                    return False
                reached.add(pair)
                ahead.append(pair)
    return True


def _is_skip(transition: Transition) -> bool:
    source, test, labels, target = transition
    return source == target and not labels and test == ALWAYS


def _compiled(formula: Formula) -> Vcea:
    match formula:
        case EventType(name, stream):
            labels = frozenset({name, str(Name(name, stream))})
            return _one_event(OfType(name, stream), labels)
        case As(inner, variable):
            return _relabelled(
                _compiled(inner), lambda labels: labels | {variable} if labels else labels
            )
        case Filter(inner, condition):
            return _filtered(_compiled(inner), condition, holds=True)
        case Disjunction(left, right):
            return _united(_compiled(left), _compiled(right))
        case Sequence(left, right):
            return _followed(_compiled(left), _compiled(right), skipping=True)
        case Contiguous(left, right):
            return _followed(_compiled(left), _compiled(right), skipping=False)
        case Iteration(inner):
            return _iterated(_compiled(inner), skipping=True)
        case ContiguousIteration(inner):
            return _iterated(_compiled(inner), skipping=False)
        case NotFormula(inner):
            return _one_event(opposite(_test_of(inner)), UNMARKED)
        case Projection(inner, variables):
            kept = frozenset(map(str, variables))
            return _relabelled(_compiled(inner), lambda labels: labels & kept)


def _one_event(test: Test, labels: Labels) -> Vcea:
    return Vcea(2, (Transition(0, test, labels, 1),), frozenset({0}), frozenset({1}))


def _relabelled(automaton: Vcea, relabel: Callable[[Labels], Labels]) -> Vcea:
    return Vcea(
        automaton.states,
        tuple(
            Transition(t.source, t.test, relabel(t.labels), t.target)
            for t in automaton.transitions
        ),
        automaton.initial,
        automaton.final,
    )


def _moved(automaton: Vcea, by: int) -> Vcea:
    """Return the same automaton with other numbers for its states."""
    return Vcea(
        automaton.states + by,
        tuple(
            Transition(t.source + by, t.test, t.labels, t.target + by)
            for t in automaton.transitions
        ),
        frozenset(q + by for q in automaton.initial),
        frozenset(q + by for q in automaton.final),
    )


def _united(left: Vcea, right: Vcea) -> Vcea:
    right = _moved(right, left.states)
    return Vcea(
        right.states,
        left.transitions + right.transitions,
        left.initial | right.initial,
        left.final | right.final,
    )


def _into(automaton: Vcea, target: int) -> tuple[Transition, ...]:
    """Return the transitions into final states, led to another state."""
    return tuple(
        Transition(t.source, t.test, t.labels, target)
        for t in automaton.transitions
        if t.target in automaton.final
    )


def _skip(state: int) -> Transition:
    return Transition(state, ALWAYS, UNMARKED, state)


def _followed(left: Vcea, right: Vcea, *, skipping: bool) -> Vcea:
    right = _moved(right, left.states)
    links = tuple(t for q in sorted(right.initial) for t in _into(left, q))
    loops = tuple(_skip(q) for q in sorted(right.initial)) if skipping else ()
    return Vcea(
        right.states,
        left.transitions + right.transitions + links + loops,
        left.initial,
        right.final,
    )


def _iterated(once: Vcea, *, skipping: bool) -> Vcea:
    between = once.states
    onwards = tuple(
        Transition(between, t.test, t.labels, t.target)
        for t in once.transitions
        if t.source in once.initial
    )
    again = Vcea(between + 1, once.transitions + onwards, once.initial, once.final)
    loops = (_skip(between),) if skipping else ()
    return Vcea(
        between + 1,
        again.transitions + _into(again, between) + loops,
        once.initial,
        once.final,
    )


# --- FILTER -----------------------------------------------------------------------------------


def _filtered(automaton: Vcea, condition: Condition, *, holds: bool) -> Vcea:
    """Return the runs whose valuations satisfy the condition, or do not satisfy it."""
    match condition:
        case VariableCondition(variable, predicate):
            if holds:
                return _all_satisfy(automaton, {str(variable): Holds(predicate)})
            return _some_fails(automaton, str(variable), predicate)
        case NotCondition(operand):
            return _filtered(automaton, operand, holds=not holds)
        case AndCondition(left, right) | OrCondition(left, right):
            if isinstance(condition, AndCondition) is holds:
                return _all_filtered(automaton, _conjuncts(condition, holds=holds))
            first = _filtered(automaton, left, holds=holds)
            return _united(first, _filtered(automaton, right, holds=holds))


def _conjuncts(condition: Condition, *, holds: bool) -> list[tuple[Condition, bool]]:
    """Return the conditions that must hold, or must not, if the condition is to hold, or not to."""
    match condition:
        case NotCondition(operand):
            return _conjuncts(operand, holds=not holds)
        case AndCondition(left, right) | OrCondition(left, right):
            if isinstance(condition, AndCondition) is holds:
                return [*_conjuncts(left, holds=holds), *_conjuncts(right, holds=holds)]
    return [(condition, holds)]


def _all_filtered(automaton: Vcea, conjuncts: Iterable[tuple[Condition, bool]]) -> Vcea:
    """Return the automaton under all conditions; those on variables are tested at once."""
    asked: dict[str, Test] = {}
    for condition, holds in conjuncts:
        if holds and isinstance(condition, VariableCondition):
            variable = str(condition.variable)
            asked[variable] = both(asked.get(variable, ALWAYS), Holds(condition.predicate))
        else:
            automaton = _filtered(automaton, condition, holds=holds)
    return _all_satisfy(automaton, asked)


def _all_satisfy(automaton: Vcea, asked: Mapping[str, Test]) -> Vcea:
    """Make transitions that put a tuple into a variable test the variable's predicates."""
    transitions = []
    for t in automaton.transitions:
        test = t.test
        for variable in sorted(t.labels & asked.keys()):
            test = both(test, asked[variable])
        asking = t if test is t.test else Transition(t.source, test, t.labels, t.target)
        transitions.append(asking)
    return Vcea(automaton.states, tuple(transitions), automaton.initial, automaton.final)


def _some_fails(automaton: Vcea, variable: str, predicate: Predicate) -> Vcea:
    """Return two copies: runs enter the second once a tuple of the variable fails the condition."""
    after = automaton.states
    fails = opposite(Holds(predicate))
    transitions: list[Transition] = []
    for t in automaton.transitions:
        transitions.append(Transition(t.source + after, t.test, t.labels, t.target + after))
        if variable in t.labels:
            holding = both(t.test, Holds(predicate))
            transitions.append(Transition(t.source, holding, t.labels, t.target))
            failing = both(t.test, fails)
            transitions.append(Transition(t.source, failing, t.labels, t.target + after))
        else:
            transitions.append(t)
    final = frozenset(q + after for q in automaton.final)
    return Vcea(2 * automaton.states, tuple(transitions), automaton.initial, final)


def _test_of(formula: EventType | Filter) -> Test:
    """Return the test that R FILTER θ applies to its one event."""
    tests: set[Test] = set()
    conditions: list[Condition] = []
    inner: Formula = formula
    while isinstance(inner, Filter):
        conditions.append(inner.condition)
        inner = inner.formula
    if isinstance(inner, EventType):
        tests.add(OfType(inner.name, inner.stream))
        variables = {inner.name, str(Name(inner.name, inner.stream))}
        tests |= {_condition_test(condition, variables) for condition in conditions}
    return AllOf(frozenset(tests))


def _condition_test(condition: Condition, variables: set[str]) -> Test:
    match condition:
        case VariableCondition(variable, predicate):
            return Holds(predicate) if str(variable) in variables else ALWAYS
        case NotCondition(operand):
            return opposite(_condition_test(operand, variables))
        case AndCondition(left, right):
            sides = (_condition_test(left, variables), _condition_test(right, variables))
            return AllOf(frozenset(sides))
        case OrCondition(left, right):
            sides = (_condition_test(left, variables), _condition_test(right, variables))
            return AnyOf(frozenset(sides))
