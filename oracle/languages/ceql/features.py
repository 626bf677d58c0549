"""What a CEQL case is about: which operators, clauses, readings and situations it has.

Statistics of generated cases count these names; two discrepancies with different names of the query
and its readings are taken for different ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....semantics.ceql.syntax.tree import (
    And,
    AndCondition,
    Arithmetic,
    As,
    CeqlQuery,
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
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
    Range,
    Sequence,
    Strategy,
)
from ....semantics.model.trees import find, has, parts
from ..readings import reading_features
from .case import CeqlCase

OPERATORS = {
    Sequence: ";", Contiguous: ":", Iteration: "+", ContiguousIteration: ":+", Disjunction: "OR",
    As: "AS", Filter: "FILTER", NotFormula: "NOT",
}
_CONSTRUCTS: dict[type, str] = {
    **OPERATORS, AndCondition: "θ AND θ", OrCondition: "θ OR θ", NotCondition: "NOT θ",
    And: "P AND P", Or: "P OR P", Not: "NOT P", Like: "LIKE", Range: "IN RANGE",
    Arithmetic: "arithmetic", Negative: "arithmetic",
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
    return len(list(find(query.formula, Formula)))


def data_features(case: CeqlCase) -> frozenset[str]:
    """Situations of the streams: equal times, empty streams, missing attributes, and so on."""
    return frozenset(_of_data(case))


def features(case: CeqlCase) -> frozenset[str]:
    """All of it."""
    return query_features(case.query) | reading_features(case.readings) | data_features(case)


def title_of(query: CeqlQuery) -> str:
    """The query's formula and its unusual clauses, as a title shows them."""
    from ....semantics.model.shown import text_of

    clauses = sorted(each for each in _clauses(query) if each.split()[0].isupper())
    shown = f" with {', '.join(clauses)}" if clauses else ""
    return text_of(query.formula) + shown


def words_of(query: CeqlQuery) -> list[str]:
    """The query's operators as words."""
    found = query_features(query)
    words = [word for operator, word in _WORDS.items() if operator in found]
    if query.strategy is not Strategy.ALL:
        words.append(query.strategy.lower())
    return ["ceql", *words]


def _of_query(query: CeqlQuery) -> Iterator[str]:
    for part in parts(query.formula):
        if type(part) in _CONSTRUCTS:
            yield _CONSTRUCTS[type(part)]
        match part:
            case EventType(_, stream) if stream is not None:
                yield "S>R"
            case Iteration(inner) | ContiguousIteration(inner):
                if has(inner, Iteration, ContiguousIteration):
                    yield "nested +"
                if has(inner, Disjunction):
                    yield "OR in +"
            case In(_, values, negated):
                yield "interval" if isinstance(values, Interval) else "NOT IN" if negated else "IN"
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


def _of_data(case: CeqlCase) -> Iterator[str]:
    streams = case.stream_sources.values()
    names = {name for stream in streams for t in stream for name in t.attributes}
    for stream in streams:
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
