"""How much work a SPAseq case makes, counted without doing it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from rdflib.term import URIRef

from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.oracle.languages.spaseq.cost_estimate import MOST_WORK, work
from denota.oracle.languages.spaseq.generate import spaseq_cases
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.model.terms import Graph
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

A, P, S = (URIRef(f"http://example.org/{name}") for name in "apS")
VALUES = [URIRef(f"http://example.org/v{k}") for k in range(4)]


def case(
    sequence: str, items: int, values: int = 1, within: str = "100", **readings: str
) -> SpaseqCase:
    query = parse(
        f"PREFIX : <http://example.org/> SELECT * WITHIN {within} FROM STREAM S :S WHERE "
        f"{{ SEQ({sequence}) DEFINE GPM A ON S {{ ?x :p ?y }} DEFINE GPM B ON S {{ ?z :p ?w }} }}"
    )
    graph: Graph = frozenset((A, P, value) for value in VALUES[:values])
    stream = tuple(TimestampedGraph(time, graph, TimeKind.INTEGER) for time in range(items))
    return SpaseqCase(query, {S: stream}, readings=Readings.of(readings))


@pytest.mark.parametrize(
    ("sequence", "pairs", "mappings"),
    [
        ("A", 0, 4),
        ("A : B", 16, 6),
        ("A , B", 16, 3),
        ("A ; B", 2 * 16, 3),
        ("A | B", 8, 8),
    ],
)
def test_pairs_are_counted(sequence: str, pairs: int, mappings: int) -> None:
    assert work(case(sequence, 4)) - work(case(sequence, 0)) == 100 + pairs + mappings


@pytest.mark.parametrize("within", ["100", "100 EVENTS"])
def test_what_would_take_ages_is_counted_at_once(within: str) -> None:
    ages = case("A+", 14, 4, within, kleene="collect")
    assert work(ages) > MOST_WORK
    assert work(ages.but(readings=Readings(kleene="last"))) <= MOST_WORK


def test_a_choice_of_solutions_counts_only_where_it_is_remembered() -> None:
    one, two = (case("A+", 10, values, kleene="collect") for values in (1, 2))
    assert work(two) > 100 * work(one)


def test_windows_count_even_if_nothing_is_in_them() -> None:
    query = case("A", 2)
    first, last = query.streams[S]
    far = TimestampedGraph(10**9, last.graph, TimeKind.INTEGER)
    assert work(query.but(streams={S: (first, far)})) > MOST_WORK


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spaseq_cases())
def test_no_mapping_is_made_that_was_not_counted(generated: SpaseqCase) -> None:
    made = sum(len(pair.solutions) for pair in generated.denotation())
    assert made <= work(generated)
