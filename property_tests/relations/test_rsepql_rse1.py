"""RSE-1: what the recent policy can return, whatever the readings."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product

from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef, Variable

from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import Graph
from denota.semantics.model.trees import find
from denota.semantics.rsepql.clauses import streaming_dataset
from denota.semantics.rsepql.consumption_history import EventHistory
from denota.semantics.rsepql.denotation import evaluate
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.readings import Readings
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.semantics.rsepql.syntax.tree import MatchPattern
from denota.semantics.streams.rdf.graphs import parse_graph

from ..examples import examples

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


@examples(150)
@given(graphs, st.sampled_from(READINGS), st.sampled_from(("SEQC", "SEQR")))
def test_a_selection_policy_returns_a_mapping_once(
    stream: list[Graph], readings: Readings, operator: str
) -> None:
    """Two events of one mapping, such as those of :a2 in Figure 1, are never returned together."""
    for answer in answers(operator, stream, readings, (len(stream),)):
        assert isinstance(answer.content, tuple)
        assert max(Counter(answer.content).values()) == 1


FIGURE_1 = tuple(
    TimestampedGraph(time, frozenset().union(*(TRIPLES[k] for k in numbers)))
    for time, numbers in ((2, (0,)), (4, (1,)), (6, (2, 3)), (8, (3,)), (10, (2,)))
)
A1, A2, A2_LATER, A1_LATER = ("a1", 2, 6), ("a2", 4, 6), ("a2", 4, 8), ("a1", 2, 10)
Reported = tuple[frozenset[tuple[str, int, int]], frozenset[tuple[str, int, int]]]


def reported(
    operator: str, readings: Readings, consume: str = "", window: str = "FROM 1"
) -> Reported:
    """The events of Figure 1 that are new at 8, and at 10: the value of ?x, and the interval."""
    query = parse(
        f"PREFIX : <http://e/> SELECT * FROM NAMED WINDOW :w ON :s [{window}] WHERE {{"
        f" MATCH {{ EVENT :w {{ ?x :p ?y }} {operator} EVENT :w {{ ?y :q ?z }} }} }} {consume}"
    )
    (match,) = find(query.form, MatchPattern)
    e = match.event
    sds = streaming_dataset(query, {URIRef("http://e/s"): FIGURE_1}, {})
    history = EventHistory(e, query.consumption, sds, (8, 10), readings)
    told = [
        frozenset(
            (str(event.mu[Variable("x")]).rsplit("/", 1)[1], *event.span)
            for event in history.events(i)
        )
        for i in (0, 1)
    ]
    return told[0], told[1] - told[0]


def test_section_2_is_true_under_one_labelling_and_rivals_of_the_same_mapping() -> None:
    true = {
        (readings.rivals, labels)
        for readings in READINGS
        for labels in permutations((A1, A2, A2_LATER))
        if _all_of_section_2(*labels, readings)
    }
    assert true == {("same", (A2, A1, A2_LATER))}


def test_the_sentence_on_c_sparql_says_which_event_is_e3() -> None:
    for readings in READINGS:
        at_8, at_10 = reported("SEQN", readings, window="RANGE 7 STEP 1")
        assert (at_8, at_10) == ({A2_LATER}, frozenset())


def _all_of_section_2(
    e1: tuple[str, int, int], e2: tuple[str, int, int], e3: tuple[str, int, int],
    readings: Readings,
) -> bool:
    return (
        reported("SEQ", readings) == ({e1, e2, e3}, {A1_LATER})
        and reported("SEQC", readings, "CONSUME CHRONOLOGICAL") == ({e1, e2}, frozenset())
        and reported("SEQR", readings, "CONSUME RECENT") == ({e2, e3}, frozenset())
        and reported("SEQN", readings, window="RANGE 7 STEP 1") == ({e3}, frozenset())
    )


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
