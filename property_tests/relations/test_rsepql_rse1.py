"""RSE-1: what the recent policy can return, whatever the readings."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.semantics.rdf.terms import Graph
from denota.semantics.rsepql.denotation import evaluate
from denota.semantics.rsepql.evaluation import Evaluation
from denota.semantics.rsepql.parse import parse
from denota.semantics.rsepql.readings import Readings
from denota.semantics.rsepql.results import TimedAnswer
from denota.semantics.streams.graphs import parse_graph
from denota.semantics.streams.items import TimestampedGraph

READINGS = [
    Readings.of(dict(zip(Readings.choices(), values, strict=True)))
    for values in product(*Readings.choices().values())
]
TRIPLES = [
    parse_graph(f"{text} .", {"": "http://e/"})
    for text in (
        ":a1 :p :b1", ":a2 :p :b2", ":b1 :q :c1", ":b2 :q :c2", ":b1 :q :c2", ":a2 :p :b1",
    )
]


def answers(
    operator: str, graphs: list[Graph], readings: Readings, at: tuple[int, ...], consume: str = ""
) -> list[TimedAnswer]:
    """Of E1 `operator` E2 over a landmark window, the graphs coming at 1, 2, …"""
    query = parse(
        "PREFIX : <http://e/> SELECT * FROM NAMED WINDOW :w ON :s [FROM 0] WHERE {"
        f" MATCH {{ EVENT :w {{ ?x :p ?y }} {operator} EVENT :w {{ ?y :q ?z }} }} }} {consume}"
    )
    stream = tuple(TimestampedGraph(t, graph) for t, graph in enumerate(graphs, start=1))
    return list(evaluate(query, {URIRef("http://e/s"): stream}, {}, readings, Evaluation(at=at)))


graphs = st.lists(
    st.frozensets(st.sampled_from([t for g in TRIPLES for t in g]), max_size=3), max_size=6
)


@settings(max_examples=150)
@given(graphs, st.sampled_from(READINGS), st.sampled_from(("SEQC", "SEQR")))
def test_a_selection_policy_returns_a_mapping_once(
    stream: list[Graph], readings: Readings, operator: str
) -> None:
    """So e2 and e3, one mapping over two intervals, are never returned together."""
    for answer in answers(operator, stream, readings, (len(stream),)):
        assert isinstance(answer.content, tuple)
        assert max(Counter(answer.content).values()) == 1


def test_no_reading_returns_what_section_2_says_of_recent() -> None:
    """e2 and e3 at 8 and nothing at 10; items at 2, 4, 6, 8, 10 are here at 1 to 5."""
    e1, e2, e6, e8, e10 = (
        frozenset().union(*(TRIPLES[k] for k in numbers))
        for numbers in ((0,), (1,), (2, 3), (3,), (2,))
    )
    seen = set()
    for readings in READINGS:
        found = answers("SEQR", [e1, e2, e6, e8, e10], readings, (4, 5), "CONSUME RECENT")
        contents = {answer.time: answer.content for answer in found}
        seen.add((readings.rivals, len(contents[4]), 5 in contents))  # type: ignore[arg-type]
    # e1 and e3 and then nothing, or e3 alone and then e4: one half of the sentence each.
    assert seen == {("same", 2, False), ("any", 1, True)}


def test_no_stream_of_two_items_or_two_triples_tells_the_rivals_apart() -> None:
    everything = [t for g in TRIPLES for t in g]
    small = [frozenset(chosen) for size in range(3) for chosen in combinations(everything, size)]
    for pair in product(small, repeat=2):
        assert _agree(list(pair))
    single = [frozenset(), *TRIPLES]
    for stream in product(single, repeat=3):
        if sum(map(len, stream)) < 3:
            assert _agree(list(stream))


def test_three_items_of_one_triple_do() -> None:
    assert not _agree([TRIPLES[0], TRIPLES[2], TRIPLES[4]])


def _agree(stream: list[Graph]) -> bool:
    at = (len(stream),)
    same, other = (
        answers("SEQR", stream, Readings.of({"rivals": rivals}), at) for rivals in ("same", "any")
    )
    return [Counter(a.content) for a in same] == [Counter(a.content) for a in other]  # type: ignore[arg-type]
