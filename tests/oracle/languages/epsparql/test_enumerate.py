"""All small EP-SPARQL cases: each once, as many as are counted, as random ones are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from denota.oracle.inputs.choices import (
    Restricted,
    Restriction,
    every,
)
from denota.oracle.inputs.graphs import NUMBERS, THINGS
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.languages.epsparql.enumerate import ALPHABETS, ENUMERATION
from denota.oracle.languages.epsparql.generate.patterns import Shape, combined
from denota.oracle.ranks.space import Space
from denota.semantics.epsparql.syntax.printing import to_text
from denota.semantics.epsparql.syntax.tree import DURATION, Operator, Rule, TemporalPattern
from denota.semantics.model.items import TimeKind
from denota.semantics.model.trees import has
from denota.semantics.rdf.syntax import tree as s

ANY = s.GroupGraphPattern((s.TriplesBlock((s.TriplePattern(*THINGS),)),))
CONDITION = s.Filter(s.Comparison("<=", s.BuiltIn(DURATION, ()), NUMBERS[0]))


@cache  # all queries are drawn to be counted
def cases(operators=1, events=2, alphabet="steps", **bounds):
    return Space.of("epsparql", Bounds(operators, events, alphabet=alphabet, **bounds))


def texts(operators: int, **bounds: Any) -> list[str]:
    found = [to_text(query) for query, _ in ENUMERATION(Bounds(**bounds)).queries(operators)]
    assert len(set(found)) == len(found)
    return [
        " ".join(text.split()).removeprefix("PREFIX : <http://example.org/> ") for text in found
    ]


def patterns(operators: int, filtered: bool = True) -> Iterator[s.GroupGraphPattern]:
    """Every group of `steps` whose bodies are one, by what it is made of."""
    if not operators:
        yield ANY
        return
    if filtered:
        for inner in patterns(operators - 1, filtered=False):
            yield s.GroupGraphPattern((*inner.elements, CONDITION))
    for on_left in range(operators):
        for left, right in product(patterns(on_left), patterns(operators - 1 - on_left)):
            kept = (s.UnionPattern((left,)),) if CONDITION in left.elements else left.elements
            yield s.GroupGraphPattern((*kept, s.OptionalPattern(right)))
            several = (left,)
            if [type(each) for each in left.elements] == [s.UnionPattern]:
                several = left.elements[0].alternatives
            yield s.GroupGraphPattern((s.UnionPattern((*several, right)),))
            for operator in Operator:
                if operator is not Operator.SEQOPTIONAL:
                    yield s.GroupGraphPattern((TemporalPattern((left, right), operator),))


@pytest.mark.parametrize("operators", [0, 1, 2, 3])
def test_every_pattern_once(operators: int) -> None:
    def drawn(choices):
        restricted = Restricted(choices, Restriction(ALPHABETS["steps"].allowed))
        return combined(restricted, Shape(TimeKind.INTEGER), operators, lambda *_: ANY)

    listed = list(every(drawn))
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(patterns(operators))


@pytest.mark.parametrize(("alphabet", "operators", "some"), [
    ("steps", 2, "WHERE { ?s :A ?a . OPTIONAL { ?s :A ?a . FILTER (GETDURATION() <= 1) } }"),
    ("durations", 1, "WHERE { ?s :A ?a . FILTER (1 != GETDURATION()) }"),
    ("durations", 2, "WHERE { ?s :A ?a . ?s :B ?b . FILTER (GETDURATION() > 1) }"),
    ("triples", 1, "WHERE { ?x :A ?y . FILTER NOT EXISTS { ?y :A :a } }"),
    ("paths", 0, "WHERE { _:b :A/:B ?x }"),
    ("rules", 1, "CONSTRUCT { _:m :made ?x } WHERE { ?x :p ?y }"),
    ("rules", 1, "CONSTRUCT { ?x :k ?y } WHERE { ?x :p ?y } SELECT * WHERE { ?x :k ?y }"),
    ("answers", 0, "DESCRIBE ?x WHERE { ?x :q ?v1 }"),
    ("answers", 0, "(SUM(?v1) AS ?c0) WHERE { ?x :q ?v1 } GROUP BY ?x HAVING (COUNT(*) > 1)"),
    ("background", 0, "WHERE { ?x :p ?y . GRAPH ?g { ?x :k ?g } }"),
])
def test_queries_of_an_alphabet(alphabet: str, operators: int, some: str) -> None:
    assert any(some in text for text in texts(operators, alphabet=alphabet))


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_a_policy_is_about_sequences_of_instants(policy: str) -> None:
    found = [*texts(0, readings={"policy": policy}), *texts(1, readings={"policy": policy})]
    assert [text.partition("WHERE ")[2] for text in found] == [
        "{ ?s :A ?a }", "{ { ?s :A ?a } SEQ { ?s :A ?a } }", "{ { ?s :A ?a } SEQ { ?s :B ?b } }",
    ]


def test_rules_that_have_no_closure_are_left_out() -> None:
    found = texts(2, alphabet="rules")
    assert "CONSTRUCT { ?x :k ?z } WHERE { { ?x :k ?y } SEQ { ?y :p ?z } }" in found
    assert "CONSTRUCT { ?x :k ?y } WHERE { ?x :p ?y . MINUS { ?x :p ?z } }" in found
    # It asks for the absence of what it constructs.
    assert "CONSTRUCT { ?x :k ?y } WHERE { ?x :p ?y . MINUS { ?x :k ?z } }" not in found


def test_an_alphabet_is_about_what_it_needs() -> None:
    for alphabet, needed in (("durations", s.Filter), ("rules", Rule)):
        enumeration = cases(1, 2, alphabet).enumeration
        assert all(has(query, needed) for query, _ in enumeration.queries(1))


def test_durations_are_compared_with_what_is_asked_for() -> None:
    for within, told in ((None, 1), (0, 0), (5, 5)):
        assert any(f"GETDURATION() <= {told}" in text for text in texts(1, within=within))


@pytest.mark.parametrize("bounds", [
    {"alphabet": "triples", "within": 1}, {"alphabet": "paths", "slide": 1},
    {"alphabet": "rules", "readings": {"policy": "recent"}}, {"operators": 5},
])
def test_what_it_does_not_have_is_refused(bounds: dict[str, Any]) -> None:
    with pytest.raises(BoundsError, match=r"alphabet '|a window N wide|up to 4 operators"):
        ENUMERATION(Bounds(**bounds))


def test_streams_are_counted() -> None:
    """Of graphs that are edges of one predicate between two nodes, and of one that is not seen: one
    of two that an exchange of nodes makes of one another, without an order at one instant."""
    enumeration = cases(0, 2, "rules").enumeration
    turned = {0: 3, 1: 2, 2: 1, 3: 0, 4: 4}
    one = {min(graph, turned[graph]) for graph in turned}
    assert enumeration.count("p", 1) == len(one)
    apart = {min(word, (turned[word[0]], turned[word[1]])) for word in product(turned, repeat=2)}
    together = {
        min(word, tuple(sorted((turned[word[0]], turned[word[1]]))))
        for word in combinations_with_replacement(turned, 2)
    }
    assert enumeration.count("p", 2) == len(apart) + len(together)


def test_terms_that_have_an_order_are_not_renamed() -> None:
    # At an instant or over three time units, 1 and 2 of two nodes; or what is not seen.
    graphs = 2 * 3 + 1
    enumeration = cases(0, 2, "answers").enumeration
    assert enumeration.count("q", 1) == graphs
    assert enumeration.count("q", 2) == graphs * graphs + graphs * (graphs + 1) // 2
