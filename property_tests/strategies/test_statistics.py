"""What is generated: often matching, every construct, every reading, every situation."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef

from denota.oracle.cases.expectations import ExpectedResults
from denota.oracle.fuzzing.strategies.plain_generation import plain_backend
from denota.oracle.judging.judge import expectation_of
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.oracle.languages.spaseq.features import OPERATORS, features
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import Graph
from denota.semantics.spaseq.syntax.analysis import check_query
from denota.strategies import graphs, spaseq_cases, streams, streamsets, terms

EXAMPLES = 1_000

SITUATIONS = (
    "nested BOp", "+ on a BOp", "+ first", "+ after an operand", "local filter", "deferred filter",
    "shared variable", "OPTIONAL", "UNION", "MINUS", "GRAPH", "GRAPH ?g", "BIND", "VALUES",
    "EXISTS", "property path", "sub-select", "blank node in a pattern", "WITHIN EVENTS",
    "dateTime", "SLIDE", "SELECT list", "ties=merge", "ties=sequence", "kleene=join",
    "kleene=collect", "window=tumbling-half-open", "window=match", "window=sliding",
    "negation=absence", "entailment=rdfs", "blank node in data", "equal times across streams",
    "ties in a stream", "empty stream", "absent stream", "unnamed stream", "event on a boundary",
    "several windows", "start", "background graph",
)


@pytest.fixture(scope="module")
def generated() -> list[SpaseqCase]:
    cases: list[SpaseqCase] = []

    @seed(0)
    @settings(
        max_examples=EXAMPLES, phases=[Phase.generate], database=None, deadline=None,
        suppress_health_check=list(HealthCheck), backend=plain_backend(),
    )
    @given(spaseq_cases())
    def collect(case: SpaseqCase) -> None:
        cases.append(case)

    collect()
    return cases


def test_many_cases_have_a_result(generated: list[SpaseqCase]) -> None:
    """Not all: what leaves a window, or misses it by one, is worth as much as a match."""
    answered = sum(bool(case.denotation()) for case in generated)
    assert answered > len(generated) / 2


def test_every_operator_is_in_many_cases(generated: list[SpaseqCase]) -> None:
    counts = Counter(name for case in generated for name in features(case))
    assert {op: counts[op] for op in OPERATORS if counts[op] < len(generated) / 10} == {}


def test_every_operator_is_in_many_matching_cases(generated: list[SpaseqCase]) -> None:
    matching = [features(case) for case in generated if case.denotation()]
    counts = Counter(name for names in matching for name in names)
    assert {op: counts[op] for op in OPERATORS if counts[op] < len(generated) / 20} == {}


def test_every_construct_reading_and_situation_occurs(generated: list[SpaseqCase]) -> None:
    counts = Counter(name for case in generated for name in features(case))
    assert {name: counts[name] for name in SITUATIONS if counts[name] < len(generated) / 100} == {}


def test_every_case_has_a_meaning(generated: list[SpaseqCase]) -> None:
    for case in generated:
        assert isinstance(expectation_of(case), ExpectedResults), case


def test_warnings_are_the_exception(generated: list[SpaseqCase]) -> None:
    """But for streams that no GPM is on: their events count for `,` and are there on purpose."""
    warned = sum(
        any(
            "no GPM is on" not in warning.message
            for warning in check_query(
                case.query, list(case.streams), list(case.kb), case.readings
            )
        )
        for case in generated
    )
    assert warned < len(generated) / 2


# --- streams, graphs and terms -------------------------------------------------------------------


@given(streamsets())
def test_streams_are_ordered_and_without_ties(
    streamset: dict[URIRef, tuple[TimestampedGraph, ...]],
) -> None:
    for stream in streamset.values():
        times = [item.time for item in stream]
        assert times == sorted(set(times))


@given(st.data())
def test_blank_nodes_stay_in_their_document(data: st.DataObject) -> None:
    one, other = URIRef("http://example.org/s1"), URIRef("http://example.org/s2")
    assert not blank_nodes(data.draw(graphs(one))) & blank_nodes(data.draw(graphs(other)))


def blank_nodes(graph: Graph) -> set[BNode]:
    return {term for triple in graph for term in triple if isinstance(term, BNode)}


@pytest.mark.parametrize("kind", [URIRef, BNode, Literal])
def test_terms_are_of_all_kinds(kind: type) -> None:
    assert isinstance(find(terms(), lambda term: isinstance(term, kind)), kind)


def test_streams_may_tie_where_that_has_a_meaning() -> None:
    def has_ties(stream: tuple[TimestampedGraph, ...]) -> bool:
        return len({item.time for item in stream}) < len(stream)

    assert len(find(streams(ties="sequence"), has_ties)) == 2
