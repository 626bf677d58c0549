"""A CEQL case, and what it is about: operators, clauses, readings and kinds of data.

Statistics of generated cases count these names; two discrepancies with different names of the query
and its readings are taken for different ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ....semantics.ceql.core_extensions import Choice, choices
from ....semantics.ceql.syntax.analysis import variables
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.tree import (
    And,
    AndCondition,
    Arithmetic,
    As,
    Attribute,
    CeqlQuery,
    Comparison,
    ComparisonOperator,
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
    Literal,
    Name,
    Negative,
    Not,
    NotCondition,
    NotFormula,
    Or,
    OrCondition,
    Projection,
    Range,
    Sequence,
    Strategy,
    WindowUnit,
)
from ....semantics.model.trees import find, has, parts
from ....semantics.model.tuples import EventTuple, merged
from ...cases.case import Case
from ..readings import reading_features


class CeqlCase(Case):
    """A CEQL query with its inputs: ⟦Q⟧(S), S merged from named streams, under some readings."""

    query: CeqlQuery

    def __init__(
        self,
        query: CeqlQuery,
        streams: Mapping[str, tuple[EventTuple, ...]],
        readings: Readings | None = None,
    ) -> None:
        super().__init__("ceql", query, streams, readings=readings or Readings())

    def merged(self) -> list[EventTuple]:
        """S"""
        return list(merged(self.stream_sources, self.tree.streams))

    def choices(self) -> tuple[Choice, ...]:
        """Return the results of the definitions, with the choices that they leave open."""
        return choices(self.tree, self.merged(), self.readings)


OPERATORS = {
    Sequence: ";", Contiguous: ":", Iteration: "+", ContiguousIteration: ":+", Disjunction: "OR",
    As: "AS", Filter: "FILTER", NotFormula: "NOT", Projection: "SELECT in a formula",
}
_CONSTRUCTS: dict[type, str] = {
    **OPERATORS, AndCondition: "θ AND θ", OrCondition: "θ OR θ", NotCondition: "NOT θ",
    And: "P AND P", Or: "P OR P", Not: "NOT P", Like: "LIKE", Range: "IN RANGE",
    Arithmetic: "arithmetic", Negative: "arithmetic",
}
_WORDS = {
    ";": "sequence", ":": "contiguous", "+": "iteration", ":+": "contiguous-iteration", "OR": "or",
    "FILTER": "filter", "NOT": "not", "SELECT in a formula": "projection",
}


CAPABILITIES = {
    "operators": frozenset({*OPERATORS.values(), "S>R", "nested +", "OR in +"}),
    "conditions": frozenset({"θ AND θ", "θ OR θ", "NOT θ", "θ on what is bound outside"}),
    "predicates": frozenset({
        "P AND P", "P OR P", "NOT P", "LIKE", "IN", "NOT IN", "IN RANGE", "interval", "arithmetic",
        "order of strings", "TRUE, FALSE", "comparison of terms",
    }),
    "strategies": frozenset(
        f"SELECT {each}" for each in Strategy if each is not Strategy.ALL
    ),
    "windows": frozenset({"no WITHIN", *(f"WITHIN {each}" for each in WindowUnit)}),
    "clauses": frozenset({
        "projection", "SELECT NONE", "PARTITION BY", "several lists", "LIMIT", "several streams",
        *(f"CONSUME BY {each}" for each in Consumption if each is not Consumption.NONE),
    }),
}  # fmt: skip
"""The features that a query may require of an engine, in groups (`capabilities`)."""


def further_needs(query: CeqlQuery) -> frozenset[str]:
    """Return the requirements of a query beside its `query_features`."""
    return frozenset(_further(query))


def query_features(query: CeqlQuery) -> frozenset[str]:
    """Return operators, kinds of conditions and predicates, clauses."""
    return frozenset(_of_query(query))


def operator_count(query: CeqlQuery) -> int:
    """Return the number of formulas of which its formula is made."""
    return len(list(find(query.formula, Formula)))


def data_features(case: CeqlCase) -> frozenset[str]:
    """Return coverage points of the streams: ties, empty streams, missing attributes, and so on."""
    return frozenset(_of_data(case))


def features(case: CeqlCase) -> frozenset[str]:
    """Return all features."""
    return query_features(case.query) | reading_features(case.readings) | data_features(case)


def title_of(query: CeqlQuery) -> str:
    """Return the query's formula and its unusual clauses, as a title shows them."""
    from ....semantics.model.pretty_printing import text_of

    clauses = sorted(each for each in _clauses(query) if each.split()[0].isupper())
    shown = f" with {', '.join(clauses)}" if clauses else ""
    return text_of(query.formula) + shown


def words_of(query: CeqlQuery) -> list[str]:
    """Return the query's operators as words."""
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


def _further(query: CeqlQuery) -> Iterator[str]:
    if query.within is None:
        yield "no WITHIN"
    for comparison in find(query.formula, Comparison):
        if not _asks_an_attribute(comparison):
            yield "comparison of terms"
        constants = [each.value for each in find(comparison, Literal)]
        if any(isinstance(value, bool) for value in constants):
            yield "TRUE, FALSE"
        equality = (ComparisonOperator.EQUAL, ComparisonOperator.NOT_EQUAL)
        if any(isinstance(value, str) for value in constants) and (
            comparison.operator not in equality
        ):
            yield "order of strings"
    for each in find(query.formula, Filter):
        bound = variables(each.formula)
        if any(str(name) not in bound for name in find(each.condition, Name)):
            yield "θ on what is bound outside"


def _asks_an_attribute(comparison: Comparison) -> bool:
    """Return True if it compares an attribute with a value."""
    sides = [
        each.operand if isinstance(each, Negative) and isinstance(each.operand, Literal) else each
        for each in (comparison.left, comparison.right)
    ]
    return {type(each) for each in sides} == {Attribute, Literal}


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
    asked = {each.name for each in find(case.query, Attribute)}
    if asked - names:
        yield "attribute that no tuple has"
    if _compares_types(case.query, kinds_of(streams)):
        yield "comparison of different types"
    for stream in streams:
        if not stream:
            yield "empty stream"
        if any(names - set(t.attributes) for t in stream):
            yield "missing attribute"
        times = [t.time for t in stream]
        if len(set(times)) < len(times):
            yield "equal times"
    attributes = [a for names in case.query.partition for a in names]
    in_order = merged(case.stream_sources, case.tree.streams)
    keys = [tuple(t.get(a) for a in attributes) for t in in_order]
    if any(None in key for key in keys):
        yield "tuple in no partition"
    if attributes and len({key for key in keys if None not in key}) > 1:
        yield "several partitions"


def kinds_of(streams: Iterable[Iterable[EventTuple]]) -> dict[str, set[str]]:
    """Return the kinds of each attribute's values: numbers, strings, truths."""
    kinds: dict[str, set[str]] = {}
    for stream in streams:
        for each in stream:
            for name, value in each.attributes.items():
                kinds.setdefault(name, set()).add(kind_of(value))
    return kinds


def kind_of(value: object) -> str:
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _compares_types(query: CeqlQuery, kinds: dict[str, set[str]]) -> bool:
    """Return True if a predicate compares values of different kinds."""
    for predicate in find(query.formula, Comparison, Range, In, Like, Arithmetic, Negative):
        met = {kind_of(each.value) for each in find(predicate, Literal)}
        for attribute in find(predicate, Attribute):
            met |= kinds.get(attribute.name, set())
        match predicate:
            case In(_, tuple() as values):
                met |= set(map(kind_of, values))
            case In() | Arithmetic() | Negative():
                met.add("number")
            case Like():
                met.add("text")
        if len(met) > 1:
            return True
    return False
