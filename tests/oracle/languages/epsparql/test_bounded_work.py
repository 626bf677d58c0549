"""Which cases of EP-SPARQL are too much work for the definitions."""

from __future__ import annotations

from typing import Any

import pytest
from rdflib.term import URIRef

from denota.oracle.languages.epsparql.cost_estimate import affordable, work
from denota.oracle.languages.epsparql.features import EpsparqlCase
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.model.items import TimestampedGraph

P, Q = "<urn:p>", "<urn:q>"
RULES = (
    f"CONSTRUCT {{ ?x {Q} ?y }} WHERE {{ ?x {P} ?y }} "
    f"CONSTRUCT {{ ?x {Q} ?z }} WHERE {{ ?x ({P}|{Q})+ ?y . ?y {P}* ?z }} "
)


def case(query: str, items: int, **readings: Any) -> EpsparqlCase:
    nodes = [URIRef(f"urn:{local}") for local in "abc"]
    stream = tuple(
        TimestampedGraph(t, frozenset({(nodes[t % 3], URIRef("urn:p"), nodes[(t + 1) % 3])}))
        for t in range(items)
    )
    return EpsparqlCase(parse(query), {URIRef("urn:s"): stream}, {}, Readings(**readings))


@pytest.mark.parametrize("query", [
    f"SELECT * WHERE {{ ?x {P} ?y }}",
    f"SELECT * WHERE {{ {{ ?x {P} ?y }} SEQ {{ ?y {P} ?z }} FILTER (GETDURATION() < 9) }}",
    f"SELECT * WHERE {{ ?x {P}+ ?y }}",
])
def test_what_is_usual_is_affordable(query: str) -> None:
    assert affordable(case(query, 9))


@pytest.mark.parametrize("query", [
    f"{RULES} SELECT * WHERE {{ ?x {Q} ?y }}",
    f"SELECT * WHERE {{ ?x ({P}*/^{P})* ?y . ?y ({P}*/^{P})* ?z . ?z ({P}*/^{P})* ?x }}",
    f"SELECT * WHERE {{ ?x ?a ?y . ?u ?b ?v FILTER EXISTS {{ ?x {P}* ?y . ?u {P}* ?v }} }}",
])
def test_walks_in_walks_are_too_much_on_a_longer_stream(query: str) -> None:
    assert affordable(case(query, 1))
    assert not affordable(case(query, 40))


def test_a_longer_stream_is_more_work() -> None:
    query = f"SELECT * WHERE {{ ?x {P}+ ?y }}"
    assert work(case(query, 4)) < work(case(query, 8)) < work(case(query, 16))


def test_solutions_that_count_for_each_choice_multiply() -> None:
    """Joined groups with blank nodes took 15 GB, though they had few solutions as a set."""
    group = f"{{ _:a {P} ?x . _:b {P} ?y . _:c {P} ?x }} {{ _:d {P} ?x . _:e {P} ?y }}"
    renamed = group.replace("_:", "_:other")
    query = f"ASK WHERE {{ {{ {group} }} EQUALS {{ {renamed} }} }}"
    assert affordable(case(query, 1, occurrences="each"))
    assert not affordable(case(query, 9, occurrences="each"))
