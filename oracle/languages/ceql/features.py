"""What a CEQL case is about: which operators, clauses, readings and situations it has.

Statistics of generated cases count these names; two discrepancies with different names of the query
and its readings are taken for different ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....semantics.ceql.syntax.analysis import subformulas
from ....semantics.ceql.syntax.tree import (
    And,
    AndCondition,
    Arithmetic,
    As,
    CeqlQuery,
    Comparison,
    Condition,
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    In,
    Interval,
    Iteration,
    Like,
    Negative,
    Not,
    NotCondition,
    NotFormula,
    Or,
    OrCondition,
    Predicate,
    Range,
    Sequence,
    Strategy,
    Term,
    VariableCondition,
)
from ..readings import reading_features
from .case import CeqlCase

OPERATORS = {
    Sequence: ";", Contiguous: ":", Iteration: "+", ContiguousIteration: ":+", Disjunction: "OR",
    As: "AS", Filter: "FILTER", NotFormula: "NOT",
}
_WORDS = {
    ";": "sequence", ":": "contiguous", "+": "iteration", ":+": "contiguous-iteration", "OR": "or",
    "FILTER": "filter", "NOT": "not",
}


def query_features(query: CeqlQuery) -> frozenset[str]:
    """Operators, kinds of conditions and predicates, clauses."""
    return frozenset(_of_query(query))


def operator_count(query: CeqlQuery) -> int:
    """How many formulas its formula is made of."""
    return sum(1 for _ in subformulas(query.formula))


def data_features(case: CeqlCase) -> frozenset[str]:
    """Situations of the streams: equal times, empty streams, missing attributes, and so on."""
    return frozenset(_of_data(case))


def features(case: CeqlCase) -> frozenset[str]:
    """All of it."""
    return query_features(case.query) | reading_features(case.readings) | data_features(case)


def title_of(query: CeqlQuery) -> str:
    """The query's formula and its unusual clauses, as a title shows them."""
    from ....semantics.ceql.syntax.printing import formula_to_text

    clauses = sorted(each for each in _clauses(query) if each.split()[0].isupper())
    shown = f" with {', '.join(clauses)}" if clauses else ""
    return formula_to_text(query.formula) + shown


def words_of(query: CeqlQuery) -> list[str]:
    """The query's operators as words."""
    found = query_features(query)
    words = [word for operator, word in _WORDS.items() if operator in found]
    if query.strategy is not Strategy.ALL:
        words.append(query.strategy.lower())
    return ["ceql", *words]


def _of_query(query: CeqlQuery) -> Iterator[str]:
    for phi in subformulas(query.formula):
        if type(phi) in OPERATORS:
            yield OPERATORS[type(phi)]
        match phi:
            case EventType(_, stream) if stream is not None:
                yield "S>R"
            case Iteration(inner) | ContiguousIteration(inner):
                if any(isinstance(p, Iteration | ContiguousIteration) for p in subformulas(inner)):
                    yield "nested +"
                if any(isinstance(p, Disjunction) for p in subformulas(inner)):
                    yield "OR in +"
            case Filter(_, condition):
                yield from _of_condition(condition)
            case _:
                pass
    yield from _clauses(query)


def _clauses(query: CeqlQuery) -> Iterator[str]:
    if query.strategy is not Strategy.ALL:
        yield f"SELECT {query.strategy}"
    if query.select is not None:
        yield "projection" if query.select else "SELECT NONE"
    if query.partition:
        yield "PARTITION BY"
        if len(query.partition) > 1:
            yield "several lists"
    if query.within is not None:
        yield f"WITHIN {query.within.unit}"
    if query.consume is not Consumption.NONE:
        yield f"CONSUME BY {query.consume}"
    if query.limit is not None:
        yield "LIMIT"
    if len(query.streams) > 1:
        yield "several streams"


def _of_condition(condition: Condition) -> Iterator[str]:
    match condition:
        case VariableCondition(_, predicate):
            yield from _of_predicate(predicate)
        case AndCondition(left, right) | OrCondition(left, right):
            yield "θ AND θ" if isinstance(condition, AndCondition) else "θ OR θ"
            yield from _of_condition(left)
            yield from _of_condition(right)
        case NotCondition(operand):
            yield "NOT θ"
            yield from _of_condition(operand)


def _of_predicate(predicate: Predicate) -> Iterator[str]:
    match predicate:
        case Comparison(_, left, right):
            yield from _of_term(left)
            yield from _of_term(right)
        case Like():
            yield "LIKE"
        case In(_, values, negated):
            yield "interval" if isinstance(values, Interval) else "NOT IN" if negated else "IN"
        case Range():
            yield "IN RANGE"
        case And(left, right) | Or(left, right):
            yield "P AND P" if isinstance(predicate, And) else "P OR P"
            yield from _of_predicate(left)
            yield from _of_predicate(right)
        case Not(operand):
            yield "NOT P"
            yield from _of_predicate(operand)


def _of_term(term: Term) -> Iterator[str]:
    if isinstance(term, Arithmetic | Negative):
        yield "arithmetic"


def _of_data(case: CeqlCase) -> Iterator[str]:
    names = {name for stream in case.streams.values() for t in stream for name in t.attributes}
    for stream in case.streams.values():
        if not stream:
            yield "empty stream"
        if any(names - set(t.attributes) for t in stream):
            yield "missing attribute"
        times = [t.time for t in stream]
        if len(set(times)) < len(times):
            yield "equal times"
    attributes = [a for names in case.query.partition for a in names]
    keys = [tuple(t.get(a) for a in attributes) for t in case.merged()]
    if any(None in key for key in keys):
        yield "tuple in no partition"
    if attributes and len({key for key in keys if None not in key}) > 1:
        yield "several partitions"
