"""The features of a SPAseq case: its operators, constructs, readings and kinds of data.

Statistics of generated cases count these names; two discrepancies with different names of the query
and its readings are taken for different ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rdflib.term import BNode, URIRef, Variable

from ....semantics.model.trees import parts
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.variables import mentioned_variables, possible_variables
from ....semantics.spaseq.syntax.scoping import atoms
from ....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    SpaseqQuery,
    WithinUnit,
)
from ..rdf_languages import GRAPH_PATTERN_FEATURES, graph_pattern_features
from ..readings import reading_features
from .case import SpaseqCase

OPERATORS = (",", ";", ":", "+", "&", "|", "!", "?")


CAPABILITIES = {
    "operators": frozenset({
        *OPERATORS, "+ first", "+ after an operand", "+ on a BOp", "nested BOp",
    }),
    "patterns": GRAPH_PATTERN_FEATURES | {"shared variable"},
    "filters": frozenset({"local filter", "deferred filter"}),
    "windows": frozenset({"WITHIN EVENTS", "dateTime", "SLIDE"}),
    "clauses": frozenset({"SELECT list"}),
}  # fmt: skip
"""The features that a query may require of an engine, in groups (`capabilities`)."""


def query_features(query: SpaseqQuery) -> frozenset[str]:
    """Return operators, constructs of graph patterns, kinds of filters, windows, projection."""
    return frozenset(_of_query(query))


def operator_count(query: SpaseqQuery) -> int:
    """Return the number of operators in the query's sequence."""
    from .case import operator_count

    return operator_count(query.sequence)


def data_features(case: SpaseqCase) -> frozenset[str]:
    """Return coverage points of the streams: equal timestamps, boundary events, and so on."""
    return frozenset(_of_data(case))


def features(case: SpaseqCase) -> frozenset[str]:
    """Return all features."""
    return query_features(case.query) | reading_features(case.readings) | data_features(case)


def title_of(query: SpaseqQuery) -> str:
    """Return the query's sequence, as a title shows it."""
    from ....semantics.model.pretty_printing import text_of

    return f"SEQ({text_of(query.sequence)})"


def words_of(query: SpaseqQuery) -> list[str]:
    """Return the query's operators as words."""
    found = query_features(query)
    return ["seq", *(_WORDS[operator] for operator in OPERATORS if operator in found)]


_WORDS = {
    ",": "strict", ";": "next", ":": "any", "+": "kleene", "&": "and", "|": "or", "!": "not",
    "?": "optional",
}


# --- the query -----------------------------------------------------------------------------------


def _of_query(query: SpaseqQuery) -> Iterator[str]:
    for step in query.sequence.steps:
        yield step.operator
    for position, atom in enumerate(atoms(query.sequence)):
        for part in parts(atom):
            yield from _of_atom(part)
        if isinstance(atom, KleenePlus):
            yield "+ after an operand" if position else "+ first"
    bound_before: set[Variable] = set()
    for definition in query.definitions:
        own = possible_variables(definition.pattern)
        if own & bound_before:
            yield "shared variable"
        bound_before |= own
        for part in parts(definition.pattern, but=(s.SubSelect, s.Exists)):
            yield from graph_pattern_features(part)
        yield from _of_filters(definition.pattern)
    if query.within.unit is not WithinUnit.INTEGER:
        yield "WITHIN EVENTS" if query.within.unit is WithinUnit.EVENTS else "dateTime"
    if query.slide is not None:
        yield "SLIDE"
    if query.select is not None:
        yield "SELECT list"


def _of_atom(part: Any) -> Iterator[str]:
    match part:
        case KleenePlus(operand):
            yield "+"
            if isinstance(operand, Conjunction | Disjunction):
                yield "+ on a BOp"
        case Negation():
            yield "!"
        case OptionalEvent():
            yield "?"
        case Conjunction(operands) | Disjunction(operands):
            yield "&" if isinstance(part, Conjunction) else "|"
            if any(isinstance(each, Conjunction | Disjunction) for each in operands):
                yield "nested BOp"


def _of_filters(group: s.GroupGraphPattern) -> Iterator[str]:
    own = possible_variables(group)
    for element in group.elements:
        if isinstance(element, s.Filter):
            condition = element.condition
            conjuncts = condition.operands if isinstance(condition, s.And) else (condition,)
            for conjunct in conjuncts:
                local = mentioned_variables(conjunct) <= own
                yield "local filter" if local else "deferred filter"


# --- the data ------------------------------------------------------------------------------------


def _of_data(case: SpaseqCase) -> Iterator[str]:
    named = [clause.iri for clause in case.query.streams]
    times: dict[int, set[URIRef]] = {}
    for name, items in case.streams.items():
        if not items:
            yield "empty stream"
        if name not in named:
            yield "unnamed stream"
        for item in items:
            times.setdefault(item.time, set()).add(name)
            if any(isinstance(term, BNode) for triple in item.graph for term in triple):
                yield "blank node in data"
        if len({item.time for item in items}) < len(items):
            yield "ties in a stream"
    if any(name not in case.streams for name in named):
        yield "absent stream"
    if any(len(names) > 1 for names in times.values()):
        yield "equal times across streams"
    if case.kb:
        yield "background graph"
    start = case.evaluation.get("from")
    if start is not None:
        yield "start"
    if times and case.query.within.unit is not WithinUnit.EVENTS:
        width = case.query.within.value
        start = min(times) if start is None else start
        if any(time > start and (time - start) % width == 0 for time in times):
            yield "event on a boundary"
        if max(times) > start + width:
            yield "several windows"
