"""All small EP-SPARQL cases: each once, as many as are counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import pytest

from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.languages.epsparql.enumerate import ENUMERATION, EpsparqlEnumeration
from denota.oracle.languages.epsparql.enumerate.edge_streams import ToldApart, edge_streams
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


def texts(alphabet: str, operators: int) -> list[str]:
    enumeration = ENUMERATION(Bounds(alphabet=alphabet))
    found = [query for query, _ in enumeration.queries(operators)]
    written = list(map(to_text, found))
    assert len(set(written)) == len(written)
    step = len(found) // 40 + 1
    assert all(parse(to_text(query)) == query for query in found[::step])
    return [" ".join(text.split()).removeprefix("PREFIX : <http://example.org/> ")
            for text in written]


@pytest.mark.parametrize(("alphabet", "operators", "count", "some"), [
    # Of one form a FILTER stands behind what is made of two patterns, or of either side of it.
    ("durations", 2, 12 * 2 * (3 * 8 + 1), "SELECT * WHERE { ?x :A ?a . OPTIONAL { ?x :B ?b } "
     "FILTER ((GETENDTIME() - GETSTARTTIME()) <= 1) }"),
    ("triples", 1, 420, "SELECT * WHERE { ?x :A ?y . FILTER NOT EXISTS { ?y :B :n0 } }"),
    ("paths", 1, 5 * (4 + 2 * 2 + 2), "SELECT * WHERE { _:b :A/:B ?x }"),
    ("rules", 1, 27, "CONSTRUCT { ?x :A _:b } WHERE { ?x :B ?y } SELECT * WHERE { ?x :C ?y }"),
    ("answers", 1, 7 + 6 + 5 + 10 + 3 - 1, "DESCRIBE :n0 WHERE { ?x :A ?y }"),
    ("background", 1, 5 * (10 + 6 + 1), "SELECT * WHERE { ?x :A ?y . GRAPH ?g { ?x :K ?g } }"),
])
def test_queries_of_an_alphabet(alphabet: str, operators: int, count: int, some: str) -> None:
    found = texts(alphabet, operators)
    assert len(found) == count
    assert some in found


def test_rules_that_have_no_closure_are_left_out() -> None:
    found = texts("rules", 2)
    assert "CONSTRUCT { ?x :A ?z } WHERE { { ?x :A ?y } SEQ { ?y :A ?z } }" in found
    assert "CONSTRUCT { ?x :A ?y } WHERE { ?x :B ?y . MINUS { ?y :C ?z } }" in found
    # It asks for the absence of what it constructs, or makes a node of each node that it has made.
    assert "CONSTRUCT { ?x :A ?y } WHERE { ?x :B ?y . MINUS { ?y :A ?z } }" not in found
    assert "CONSTRUCT { ?x :A _:b } WHERE { ?x :A ?y . ?y :B ?z }" not in found


@pytest.mark.parametrize("bounds", [
    {"alphabet": "triples", "within": 1}, {"alphabet": "paths", "slide": 1},
    {"alphabet": "rules", "readings": {"policy": "recent"}},
])
def test_bounds_that_an_alphabet_does_not_have(bounds: dict[str, Any]) -> None:
    with pytest.raises(BoundsError, match=r"alphabet '|has a width"):
        ENUMERATION(Bounds(**bounds))


# (instant, letter, subject, object); what no query sees has no nodes.
Labelled = tuple[tuple[int, int, int, int], ...]


def labelled(told: ToldApart, events: int) -> Iterator[Labelled]:
    """Every stream over as many nodes as can be."""
    nodes = range(told.nodes + 2 * events)
    letters = [ord(letter) - ord("A") for letter in told.letters] + [25] * told.others
    graphs = [*product(letters, nodes, nodes), *([] if told.others else [(25, 0, 0)])]
    for instants in product(range(1, events + 1), repeat=events):
        if list(instants) == sorted(instants) and {*instants} == {*range(1, instants[-1] + 1)}:
            for chosen in product(graphs, repeat=events):
                yield tuple((at, *graph) for at, graph in zip(instants, chosen, strict=True))


def class_of(stream: Labelled, told: ToldApart) -> Labelled:
    """The least of what renaming makes of a stream, without an order at one instant."""
    named = range(told.nodes)
    seen = sorted({
        node for _, letter, *ends in stream if letter != 25 or told.others for node in ends
    } - {*named})
    images = []
    for image in permutations(range(told.nodes, told.nodes + len(seen))):
        new = {**dict(zip(named, named, strict=True)), **dict(zip(seen, image, strict=True))}
        images.append(tuple(sorted(
            (at, letter, s, o) if letter == 25 and not told.others
            else (at, letter, new[s], new[o])
            for at, letter, s, o in stream
        )))
    return min(images)


@pytest.mark.parametrize("told", [
    ToldApart("A"), ToldApart("AB"), ToldApart("A", nodes=1), ToldApart("A", others=True),
    ToldApart("A", nodes=1, others=True),
], ids=str)
@pytest.mark.parametrize("events", [1, 2])
def test_one_stream_of_each_class(told: ToldApart, events: int) -> None:
    listed: list[Labelled] = [
        tuple((end, letter, s, o) for end, _, letter, s, o in stream)
        for stream in edge_streams(told, events)
    ]
    found = {class_of(stream, told) for stream in listed}
    assert len(found) == len(listed)
    assert found == {class_of(stream, told) for stream in labelled(told, events)}


def test_terms_that_have_an_order_are_not_renamed() -> None:
    # At an instant or over three time units, from two nodes to 1 and 2; or what is not seen.
    graphs = 2 * 2 * 2 + 1
    told = ToldApart("A", ordered=True)
    assert len(edge_streams(told, 1)) == graphs
    assert len(edge_streams(told, 2)) == graphs * graphs + graphs * (graphs + 1) // 2
