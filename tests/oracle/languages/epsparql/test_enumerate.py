"""All small EP-SPARQL cases: each once, as many as are counted."""

from __future__ import annotations

import pytest

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.epsparql.enumerate import EpsparqlEnumeration
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.printing import to_text


def test_queries() -> None:
    # A filter, or six operators on A and A or B; then a filter on the six, six on a filter and a
    # pattern, or on three patterns in two shapes, of which words of three letters there are five.
    for operators, count in ((0, 1), (1, 1 + 6 * 2), (2, 6 * 2 + 6 * 2 * 2 + 36 * 2 * 5)):
        found = [query for query, _ in EpsparqlEnumeration(Bounds(within=5)).queries(operators)]
        assert len(found) == len({to_text(query) for query in found}) == count
        assert all(parse(to_text(query)) == query for query in found)


def test_where_a_filter_stands() -> None:
    texts = [
        " ".join(to_text(query).split())
        for query, _ in EpsparqlEnumeration(Bounds(within=5)).queries(2)
    ]
    optional = "OPTIONAL { ?x :A ?a . FILTER (GETDURATION() <= 5) }"
    assert any(text.endswith(f"WHERE {{ ?x :A ?a . {optional} }}") for text in texts)
    assert any(text.endswith("OPTIONAL { ?x :B ?b } FILTER (GETDURATION() <= 5) }")
               for text in texts)


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_a_policy_is_about_sequences_of_instants(policy: str) -> None:
    enumeration = EpsparqlEnumeration(Bounds(readings={"policy": policy}))
    queries = {
        " ".join(to_text(query).split()).partition("WHERE ")[2]
        for operators in range(3) for query, _ in enumeration.queries(operators)
    }
    assert {"{ ?x :A ?a }", "{ { ?x :A ?a } SEQ { ?x :B ?b } }"} <= queries
    # It says nothing of other operators, nor of FILTERs on durations.
    assert not any({"EQUALS", "OPTIONALSEQ", "FILTER"} & {*query.split()} for query in queries)
