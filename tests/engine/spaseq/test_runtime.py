"""The production engine's own promises: early, incremental, shared, lazy, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from rdflib.term import URIRef, Variable

from denota.engine.spaseq import SpaseqEngine, run
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.model.terms import literal
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.streams.merging import StreamItem, merge

EX = "http://example.org/"
S, T = URIRef(EX + "s"), URIRef(EX + "t")
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def query(sequence: str, within: str = "100", select: str = "*", slide: str = ""):
    return parse(
        f"""PREFIX : <{EX}>
        SELECT {select} WITHIN {within} {slide} FROM STREAM S :s FROM STREAM T :t
        WHERE {{ SEQ({sequence})
          DEFINE GPM A ON S {{ ?a :p ?x }}
          DEFINE GPM B ON S {{ ?b :q ?y }}
          DEFINE GPM D ON S {{ ?d :p ?u }}
          DEFINE GPM E ON S {{ ?e :p ?v }}
          DEFINE GPM C ON T {{ ?c :r ?z }}
          DEFINE GPM G ON S {{ ?g :p ?w . FILTER (?w > ?x) }} }}"""
    )


def event(time: int, predicate: str, value: int = 0, subject: str = "e") -> TimestampedGraph:
    term = literal(str(value), INTEGER)
    return TimestampedGraph(
        time, frozenset({(URIRef(f"{EX}{subject}{time}"), URIRef(EX + predicate), term)})
    )


def feed(engine: SpaseqEngine, items: Iterable[TimestampedGraph], *others: TimestampedGraph):
    """The pairs of items on the stream S, and of others on T."""
    streams = {S: items, **({T: others} if others else {})}
    merged = merge(streams, ties="error", order=tuple(streams))
    return [pair for item in merged for pair in engine.feed(item)]


def values(pairs, name: str) -> list[tuple[int, str]]:
    return sorted(
        (pair.time, str(mu[Variable(name)])) for pair in pairs for mu in pair.solutions
    )


def test_a_match_is_out_before_the_next_item_is_asked_for():
    asked: list[int] = []

    def stream() -> Iterator[TimestampedGraph]:
        for item in (event(1, "p"), event(2, "q"), event(3, "q")):
            asked.append(item.time)
            yield item

    matches = run(query("A; B"), {S: stream()})
    assert next(matches).time == 2
    assert asked == [1, 2]


def test_partial_matches_that_differ_only_in_their_past_are_one():
    engine = SpaseqEngine(query("A: D: E: B", "1000", "?b"))
    feed(engine, [event(t, "p") for t in range(60)])
    # 60 events make 60·59·58/6 runs of A: D: E; a group an edge suffices, as nothing is joined.
    assert engine.statistics().groups == 3
    assert engine.statistics().nodes <= 3 * 60
    (pair,) = engine.feed(StreamItem(S, 99, 0, event(99, "q").graph, TimeKind.INTEGER))
    assert pair.time == 99


def test_shared_partial_matches_enumerate_every_distinct_answer():
    engine = SpaseqEngine(query("A: G: G", "1000", "?a ?g"))
    items = [event(t, "p", t) for t in range(12)]
    # ?g is shared by both G, so G: G needs one subject at two times: there is none.
    assert feed(engine, items) == []
    once = list(run(query("A: G", "1000", "?a ?g"), {S: items}))
    assert len(once) == 12 * 11 // 2


def test_a_kleene_plus_of_many_iterations_needs_no_recursion():
    items = [event(0, "p"), *(event(t, "q", t) for t in range(1, 5001))]
    pairs = list(run(query("A; B+", "10000", "?a ?y"), {S: items}))
    assert len(pairs) == 5000
    last = list(run(query("A; B+; C", "10000", "?y"), {S: items, T: [event(6000, "r")]}))
    assert len(last) == 5000


@pytest.mark.parametrize(
    ("sequence", "times", "others", "matched"),
    [
        # a conjunction matches no pattern until its streams are there
        ("B & C", (1, 2), [event(2, "r"), event(3, "r")], ["B", "C"]),
        # a pattern is not matched while nothing waits for it
        ("A; B", range(5), [], []),
    ],
)
def test_a_pattern_is_matched_when_it_is_needed(sequence, times, others, matched):
    engine = SpaseqEngine(query(sequence))
    calls: list[str] = []

    def counted(leaf):
        solve = leaf.solve
        return lambda graph: calls.append(leaf.name) or solve(graph)

    for leaf in engine.automaton.leaves:
        leaf.solve = counted(leaf)
    feed(engine, [event(t, "q") for t in times], *others)
    assert sorted(name for name in calls if name != "A") == matched


@pytest.mark.parametrize("window", ["tumbling", "match", "tumbling-half-open"])
def test_what_is_remembered_is_bounded_by_the_window(window):
    engine = SpaseqEngine(query("A: B+", "50", "?a ?b"), readings=Readings.of({"window": window}))
    largest = [0, 0]
    items = (event(t, "pq"[t % 2], t) for t in range(6000))
    for count, item in enumerate(merge({S: items}, ties="error", order=(S,))):
        engine.feed(item)
        half = count // 3000
        largest[half] = max(largest[half], engine.statistics().nodes)
    assert largest[1] <= largest[0] <= 2 * 51
    assert engine.statistics().terms < 40_000


def test_contiguous_iterations_for_ever_keep_no_chain():
    """Each instant has an A and continues the chain of C: only the window's part may stay."""
    engine = SpaseqEngine(
        query("A, C+; B", "20", "?b"), readings=Readings.of({"window": "match"})
    )
    streams = {
        S: (event(t, "p", t) for t in range(3000)),
        T: (event(t, "r", t) for t in range(3000)),
    }
    from denota.engine.spaseq.runs import ids_held

    for item in merge(streams, ties="error", order=(S, T)):
        engine.feed(item)
    runs = engine._open[0]
    assert len(ids_held(runs._live())) < 500


def test_items_out_of_order_are_a_clear_error():
    engine = SpaseqEngine(query("A; B"))
    first, second = merge({S: [event(1, "p"), event(2, "p")]}, ties="error", order=(S,))
    engine.feed(second)
    with pytest.raises(DenotaError, match="at 1 comes after one at 2"):
        engine.feed(first)


def test_a_bare_number_measures_no_datetime_stream():
    item = TimestampedGraph(1_000_000, event(1, "p").graph, TimeKind.DATETIME)
    with pytest.raises(DenotaError, match="WITHIN 30 MINUTES"):
        list(run(query("A"), {S: [item]}))


def test_equal_times_of_different_streams_in_either_order():
    one = list(run(query("B & C"), {S: [event(5, "q")], T: [event(5, "r")]}))
    other = list(run(query("B & C"), {T: [event(5, "r")], S: [event(5, "q")]}))
    assert one == other
    assert [pair.time for pair in one] == [5]


def test_windows_by_position_cut_an_instant():
    """n = 1: the two items at 5 are in two windows, so they never meet in a conjunction."""
    streams = {S: [event(5, "q")], T: [event(5, "r")]}
    assert list(run(query("B & C", "1 EVENTS"), streams)) == []
    (pair,) = run(query("B & C", "2 EVENTS"), streams)
    assert pair.window == (0, 1)


def test_two_runs_of_one_query_at_a_time_do_not_meet():
    asked = query("A; B")
    first = run(asked, {S: [event(1, "p"), event(2, "q"), event(3, "p"), event(4, "q")]})
    assert next(first).time == 2
    second = run(asked, {S: [event(t, "pq"[t % 2], t) for t in range(10, 14)]})
    assert next(second).time == 11
    assert next(first).time == 4
    assert [pair.time for pair in second] == [13]
    assert list(first) == []


def test_a_run_that_was_given_up_leaves_nothing_behind():
    asked = query("A; B")
    given_up = run(asked, {S: [event(1, "p"), event(2, "q"), event(9, "p")]})
    next(given_up)
    given_up.close()
    assert list(run(asked, {S: [event(3, "q"), event(4, "q")]})) == []
