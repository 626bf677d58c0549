"""Definitions 7–16, each on a stream small enough to see the answer."""

import pytest

from denota.semantics.model.errors import QueryError, ReadingError, StreamError
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import URIRef, Variable
from denota.semantics.spaseq.denotation import evaluate
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.spaseq.syntax.results import Pair

NS = "http://example.org/"
IS = URIRef(NS + "is")
S, T = URIRef(NS + "s"), URIRef(NS + "t")


def stream(*events):
    """(1, "A"), (2, "B x") …: at 1 the event e1 is an A, at 2 the events x is a B."""
    return [
        TimestampedGraph(
            time,
            frozenset(
                (URIRef(NS + (names or [f"e{time}"])[0]), IS, URIRef(NS + kind))
                for kind, *names in map(str.split, kinds)
            ),
        )
        for time, *kinds in events
    ]


def query(sequence, within="100", select="*", names="ABCN", on="S"):
    gpms = " ".join(f"DEFINE GPM {n} ON {on} {{ ?{n.lower()} :is :{n} }}" for n in names)
    return parse(
        f"PREFIX : <{NS}> SELECT {select} WITHIN {within} FROM STREAM S :s FROM STREAM T :t "
        f"WHERE {{ SEQ({sequence}) {gpms} }}"
    )


def rows(pairs):
    """{(τ, {"a": "e1", …})} as sorted tuples, windows left out."""
    return sorted(
        {
            (pair.time, *sorted((str(v), short(t)) for v, t in mu.items()))
            for pair in pairs
            for mu in pair.solutions
        }
    )


def short(value):
    if isinstance(value, tuple):
        return " ".join(map(short, value))
    return value.removeprefix(NS)


def answers(sequence, *events, other=(), readings=None, **how):
    return rows(
        evaluate(
            query(sequence, **how), {S: stream(*events), T: stream(*other)},
            readings=Readings(**(readings or {})),
        )
    )


def a_b(*pairs):
    return [(j, ("a", f"e{i}"), ("b", f"e{j}")) for i, j in pairs]


def test_gpm_keeps_the_events_that_match():
    assert answers("A", (1, "A"), (2, "B"), (3, "A")) == [(1, ("a", "e1")), (3, ("a", "e3"))]


def test_an_event_with_several_mappings_is_one_pair():
    pairs = evaluate(query("A"), {S: stream((1, "A x", "A y"))})
    assert pairs == {
        Pair((1, 101), 1, frozenset(
            {SolutionMapping({Variable("a"): URIRef(NS + name)}) for name in "xy"}
        ))
    }


def test_conjunction_joins_one_timestamp():
    assert answers("A & B", (1, "A", "B"), (2, "A"), (3, "B")) == a_b((1, 1))


def test_disjunction_is_the_union():
    assert answers("A | B", (1, "A", "B"), (2, "B")) == [
        (1, ("a", "e1")), (1, ("b", "e1")), (2, ("b", "e2")),
    ]


EVENTS = ((1, "A"), (2, "A"), (3, "B"), (4, "B"))


def test_skip_till_any():
    assert answers("A : B", *EVENTS) == a_b((1, 3), (2, 3), (1, 4), (2, 4))


def test_skip_till_next():
    assert answers("A; B", *EVENTS) == a_b((1, 3), (2, 3))


def test_strict_contiguity():
    assert answers("A, B", *EVENTS) == a_b((2, 3))


def test_strict_contiguity_looks_at_every_stream():
    assert answers("A, B", (1, "A"), (3, "B"), other=[(2, "X")]) == []
    assert answers("A, B", (1, "A"), (3, "B"), other=[(1, "X"), (3, "X")]) == a_b((1, 3))


def test_operators_associate_to_the_left():
    # (A : B) , C: from the B at 2 there is B's 3 in between, from 3 there is nothing.
    events = ((1, "A"), (2, "B"), (3, "B"), (4, "C"))
    assert answers("A : B, C", *events) == [(4, ("a", "e1"), ("b", "e3"), ("c", "e4"))]
    assert answers("A; B, C", *events) == []


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("last", [(2, ("a", "e1"), ("b", "e2")), (3, ("a", "e1"), ("b", "e3"))]),
        ("join", [(2, ("a", "e1"), ("b", "e2"))]),
        ("collect", [(2, ("a", "e1"), ("b", "e2")), (3, ("a", "e1"), ("b", "e2 e3"))]),
    ],
)
def test_kleene_plus_in_a_sequence(reading, expected):
    events = ((1, "A"), (2, "B"), (3, "B"), (4, "X"), (5, "B"))
    assert answers("A, B+", *events, readings={"kleene": reading}) == expected


def test_kleene_plus_standing_alone_skips():
    found = answers("B+", (1, "B"), (2, "X"), (3, "B"), readings={"kleene": "collect"})
    assert found == [(1, ("b", "e1")), (3, ("b", "e1 e3")), (3, ("b", "e3"))]


def test_kleene_plus_under_join_may_skip_what_does_not_agree():
    events = ((1, "B x"), (2, "B y"), (3, "B x"))
    assert answers("B+, C", *events, (4, "C"), readings={"kleene": "join"}) == [
        (4, ("b", "x"), ("c", "e4"))
    ]


def test_kleene_plus_then_another_element():
    events = ((1, "A"), (2, "B"), (3, "B"), (4, "C"))
    assert answers("A, B+, C", *events) == [(4, ("a", "e1"), ("b", "e3"), ("c", "e4"))]


@pytest.mark.parametrize(
    ("how", "windows"),
    [
        ({}, {(1, 11), (11, 21)}),
        ({"readings": Readings(window="tumbling-half-open")}, {(11, 21)}),
        ({"readings": Readings(window="match")}, {None}),
        ({"start": 6}, {(6, 16)}),
        ({"start": 12}, set()),
    ],
)
def test_the_windows_of_an_event_on_a_border(how, windows):
    events = stream((1, "X"), (11, "A"))
    assert {pair.window for pair in evaluate(query("A", "10"), {S: events}, **how)} == windows


def test_sliding_windows():
    events = stream((0, "X"), (7, "A"))
    pairs = evaluate(query("A", "10 SLIDE 3"), {S: events})
    assert {pair.window for pair in pairs} == {(0, 10), (3, 13), (6, 16)}
    gaps = evaluate(query("A", "2 SLIDE 5"), {S: stream((0, "X"), (3, "A"), (6, "A"))})
    assert {(pair.window, pair.time) for pair in gaps} == {((5, 7), 6)}


def test_windows_of_items():
    events = stream((1, "A"), (5, "B"), (6, "A"), (7, "B"))
    tumbling = evaluate(query("A; B", "3 EVENTS"), {S: events})
    assert {(pair.window, pair.time) for pair in tumbling} == {((0, 2), 5)}
    sliding = evaluate(query("A; B", "2 EVENTS SLIDE 1 EVENT"), {S: events})
    assert {(pair.window, pair.time) for pair in sliding} == {((0, 1), 5), ((2, 3), 7)}


def test_a_window_far_away_costs_nothing():
    events = stream((0, "A"), (10**15, "A"), (10**15 + 1, "B"))
    assert answers("A; B", (0, "A"), (10**15, "A"), (10**15 + 1, "B"), within="2") == [
        (10**15 + 1, ("a", f"e{10**15}"), ("b", f"e{10**15 + 1}"))
    ]
    assert len(evaluate(query("A", "2"), {S: events})) == 3  # 10^15 is a border of two


def test_the_span_of_a_match():
    assert answers("A : B", *EVENTS, within="2", readings={"window": "match"}) == a_b(
        (1, 3), (2, 3), (2, 4)
    )


def test_negation_as_an_event():
    assert answers("A; N!", (1, "A"), (2, "N"), (3, "X"), (4, "X")) == [(3, ("a", "e1"))]


def test_optional_as_an_event():
    assert answers("A, B?", (1, "A"), (2, "B"), (3, "A"), (4, "X")) == [
        (2, ("a", "e1"), ("b", "e2")), (4, ("a", "e3")),
    ]


@pytest.mark.parametrize("operator", [":", ";"])
def test_negation_as_absence(operator):
    events = ((1, "A"), (2, "B"), (3, "A"), (4, "N"), (5, "B"))
    absence = {"negation": "absence"}
    found = answers(f"A {operator} N! {operator} B", *events, readings=absence)
    assert found == a_b((1, 2))


def test_optional_as_absence_or_presence():
    found = answers(
        "A : N? : B", (1, "A"), (2, "N"), (3, "B"), (4, "A"), (5, "B"),
        readings={"negation": "absence"},
    )
    assert found == sorted([
        (3, ("a", "e1"), ("b", "e3"), ("n", "e2")),
        (5, ("a", "e1"), ("b", "e5"), ("n", "e2")),
        (5, ("a", "e4"), ("b", "e5")),
    ])


def test_projection_drops_duplicates_and_keeps_empty_mappings():
    pairs = evaluate(query("A", select="?zz"), {S: stream((1, "A x", "A y"))})
    assert [pair.solutions for pair in pairs] == [frozenset({SolutionMapping()})]


def test_no_items_no_results():
    assert evaluate(query("A"), {}) == frozenset()
    assert evaluate(query("A!"), {S: []}) == frozenset()


def test_a_stream_that_is_not_there_is_empty():
    assert answers("A | B", (1, "B"), names="AB") == [(1, ("b", "e1"))]


def test_ties():
    ties = stream((1, "A"), (1, "B"))
    with pytest.raises(StreamError, match="ties=merge"):
        evaluate(query("A, B"), {S: ties})
    assert evaluate(query("A, B"), {S: ties}, readings=Readings(ties="merge")) == frozenset()
    (pair,) = evaluate(query("A, B"), {S: ties}, readings=Readings(ties="sequence"))
    assert (pair.time, pair.rank) == (1, 1)


def test_streams_out_of_order():
    with pytest.raises(StreamError, match="comes after"):
        evaluate(query("A"), {S: stream((2, "A"), (1, "A"))})


def test_the_unit_of_the_window():
    moment = [TimestampedGraph(0, frozenset(), TimeKind.DATETIME)]
    with pytest.raises(QueryError, match="bare number, but the streams have dateTime times"):
        evaluate(query("A", "10"), {S: moment})
    with pytest.raises(QueryError, match="a duration, but the streams have integer times"):
        evaluate(query("A", "10 s"), {S: stream((1, "A"))})


def test_a_reading_that_does_not_suit_the_query():
    with pytest.raises(ReadingError, match="two elements"):
        evaluate(query("A, N!"), {S: stream((1, "A"))}, readings=Readings(negation="absence"))
