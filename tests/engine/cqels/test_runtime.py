"""The engine of CQELS-CEP over long streams: when answers come, what is remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count, islice

import pytest
from rdflib.term import URIRef, Variable

from denota.engine.cqels import run
from denota.engine.cqels.compile import Planner
from denota.engine.cqels.streaming_query import RunningCqels
from denota.engine.cqels.windows import Item as Item_
from denota.semantics.cqels.queries import evaluate
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.cqels.syntax.tree import CqelsQuery
from denota.semantics.model.errors import QueryError, StreamError
from denota.semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from denota.semantics.model.temporal_graphs import TemporalGraph
from denota.semantics.model.terms import Graph
from denota.semantics.streams.live.watermarks import Watermark
from denota.semantics.streams.merging import interval_items
from denota.semantics.streams.rdf.graphs import parse_graph

EX = "http://example.org/"
S = URIRef(EX + "s")


def query(where: str, window: str = "RANGE 20") -> CqelsQuery:
    return parse(
        f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :W ON :s [{window}]"
        f" FROM NAMED WINDOW :V ON :s [RANGE 7] WHERE {{ {where} }}"
    )


def graph(*triple: str) -> Graph:
    s, p, o = (URIRef(EX + part) for part in triple)
    return frozenset({(s, p, o)})


def forever(fresh: bool = False) -> Iterator[Item]:
    """Reports of nine vehicles without end, some over an interval."""
    for t in count():
        vehicle = f"v{t % 9}"
        place = f"p{t}" if fresh else f"p{t % 4}"
        said = graph(vehicle, "at" if t % 3 else "left", place)
        yield IntervalGraph(t - t % 5, t, said) if t % 7 == 0 else TimestampedGraph(t, said)


SEQUENCES = [
    "WINDOW :W { SEQ({?v :at ?x}, {?v :at ?y}) }",
    "WINDOW :W { SEQ({?v :at ?x}, !{?v :left ?z}, {?v :at ?y}) }",
    "WINDOW :W { SEQ(!{?v :left ?z}, {?v :at ?x}) }",
    "WINDOW :W { SEQ({?v :at ?x}, !{?v :left ?z}) }",
    "WINDOW :W { ?v :at ?x } WINDOW :V { ?w :left ?x }",
    "WINDOW :W { ?v :at ?x } OPTIONAL { WINDOW :V { ?v :left ?y } }",
    "WINDOW :W { ?v :at ?x } MINUS { WINDOW :V { ?v :left ?y } }",
    "WINDOW :W { SEQ({?v :at ?x}, {?w :at ?y}) FILTER (?v != ?w) }",
    "{ WINDOW :W { ?v :at ?x } } UNION { WINDOW :V { ?v :left ?x } }",
]


PAIRS = "WINDOW :W { SEQ({?v :at ?x}, {?w :at ?y}) }"
WINDOWS = ("RANGE 5", "RANGE 9 SLIDE 4", "NOW", "ALL", "TRIPLES 5", "RANGE 3 TUMBLING")


@pytest.mark.parametrize(
    ("where", "window", "count", "at"),
    [(where, "RANGE 20", 60, [3, 17, 18, 41]) for where in SEQUENCES]
    + [(PAIRS, window, 40, [3, 9, 10, 30]) for window in WINDOWS],
)
def test_the_engine_agrees(where: str, window: str, count: int, at: list[int]) -> None:
    items, tree = list(islice(forever(), count)), query(where, window)
    for times in (None, at):
        expected = Counter(evaluate(tree, {S: items}, at=times))
        assert Counter(run(tree, {S: items}, at=times)) == expected


@pytest.mark.parametrize("where", SEQUENCES)
def test_memory_is_bounded_by_the_windows(where: str) -> None:
    running = RunningCqels(query(where))
    engine = running.engine
    seen = []

    def watched() -> Iterator[object]:
        for number, item in enumerate(interval_items(islice(forever(fresh=True), 3_000), S)):
            yield item
            if number % 500 == 499:
                seen.append(engine.statistics())

    for _ in running.over(watched()):
        pass
    for name in ("items", "rows", "reported"):
        figures = [getattr(each, name) for each in seen]
        assert max(figures[2:]) <= 1.25 * max(figures[:2]) + 10, (name, figures)


def test_terms_that_nobody_holds_are_forgotten() -> None:
    tree = query("WINDOW :W { ?v :at ?x }")
    running = RunningCqels(tree)
    engine = running.engine
    items = interval_items(islice(forever(fresh=True), 20_000), S)
    last = None
    for solution in running.over(items):
        last = solution
    assert engine.statistics().terms < 17_000
    assert last is not None
    assert str(last.mapping[Variable("x")]) == f"{EX}p19999"


def test_items_come_behind_what_says_that_none_is_earlier() -> None:
    tree = query("WINDOW :W { ?v :at ?x }")
    first, second = interval_items(islice(forever(), 1, 3), S)
    items = [first, Watermark(1), Watermark(2), second]
    found = list(RunningCqels(tree).over(items))
    assert found == list(RunningCqels(tree).over([first, second]))
    assert len(found) == 2


def test_an_answer_comes_when_the_next_time_begins() -> None:
    """Not before: another item of the same time may forbid or add something."""
    tree = query("WINDOW :W { SEQ({?v :at ?x}, {?v :at ?y}) }")
    taken: list[Item] = []

    def watched() -> Iterator[Item]:
        for item in forever():
            taken.append(item)
            yield item

    answers = run(tree, {S: watched()})
    first = next(answers)
    assert len(taken) == first.end + 2


def test_a_query_that_is_asked_of_an_endless_stream() -> None:
    tree = query("WINDOW :W { SEQ({?v :at ?x}, !{?v :left ?z}, {?v :at ?y}) }")
    found = list(islice(run(tree, {S: forever()}), 50))
    assert len(set(found)) == 50


def test_the_background_is_matched_once_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Planner] = []
    plan = Planner.plan
    monkeypatch.setattr(Planner, "plan", lambda self: plans.append(self) or plan(self))
    tree = query("WINDOW :W { ?v :at ?x } ?v :kind/:sub* ?k")
    first = parse_graph(":v1 :kind :bus . :bus :sub :vehicle .", {"": EX})
    second = parse_graph(":v1 :kind :tram .", {"": EX})
    changing = TemporalGraph(((4, first), (15, second), (99, first)))
    items = list(islice(forever(), 40))
    emitted = list(run(tree, {S: items}, {URIRef(EX + "map"): changing}))
    assert set(emitted) == evaluate(tree, {S: items}, {URIRef(EX + "map"): changing})
    assert {each.start >= 15 for each in emitted} == {True, False}
    assert len(plans) == 3  # before the first change, and after each of the two that come


def test_an_item_is_touched_when_it_comes_and_when_it_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    touched: Counter[int] = Counter()
    show = Item_.show

    def counted(item: Item_, interval: tuple[int, int] | None) -> None:
        touched[item.number] += 1
        show(item, interval)

    monkeypatch.setattr(Item_, "show", counted)
    tree = query("WINDOW :W { SEQ({?v :at ?x}, !{?v :left ?z}, {?v :at ?y}) }", "RANGE 50")
    instants = [TimestampedGraph(t, graph(f"v{t % 9}", "at", "x")) for t in range(500)]
    assert list(run(tree, {S: instants}))
    assert set(touched.values()) == {1, 2}
    assert sum(count == 1 for count in touched.values()) == 51  # those still in the window


def test_solutions_that_rest_on_no_window_last() -> None:
    tree = query("{ WINDOW :W { ?v :at ?x } } UNION { ?v :kind ?k }")
    kb = {URIRef(EX + "map"): parse_graph(":v1 :kind :bus .", {"": EX})}
    items = list(islice(forever(), 10))
    emitted = list(run(tree, {S: items}, kb))
    assert set(emitted) == evaluate(tree, {S: items}, kb)
    assert sum(each.start == 0 and len(each.mapping) == 2 for each in emitted) >= 10


def test_what_is_wrong_with_a_stream_is_said_when_it_is_met() -> None:
    tree = query("WINDOW :W { ?v :at ?x }")
    items = [
        TimestampedGraph(5, graph("v", "at", "x")), TimestampedGraph(6, graph("v", "at", "y")),
        IntervalGraph(1, 4, graph("v", "at", "z")),
    ]
    answers = run(tree, {S: items})
    assert next(answers).end == 5
    with pytest.raises(StreamError, match=r"\[1, 4\] comes after .* at 6: .* order of their ends"):
        list(answers)


def test_times_of_another_kind() -> None:
    tree = query("WINDOW :W { ?v :at ?x }")
    dated = [TimestampedGraph(5, graph("v", "at", "x"), TimeKind.DATETIME)]
    with pytest.raises(QueryError, match="is a bare number, but the streams have dateTime times"):
        list(run(tree, {S: dated}))
    kb = {URIRef(EX + "map"): TemporalGraph(((1, graph("a", "b", "c")),), TimeKind.DATETIME)}
    with pytest.raises(QueryError, match="changes at dateTime times"):
        list(run(tree, {S: [TimestampedGraph(5, graph("v", "at", "x"))]}, kb))


def test_several_streams_are_merged_by_ends() -> None:
    other = URIRef(EX + "u")
    tree = parse(
        f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :W ON :s [RANGE 9]"
        " FROM NAMED WINDOW :V ON :u [RANGE 9] WHERE {"
        " WINDOW :W { ?v :at ?x } WINDOW :V { ?v :at ?y } SEQ(:W, !:V) }"
    )
    streams = {S: list(islice(forever(), 20)), other: list(islice(forever(), 3, 30))}
    assert Counter(run(tree, streams)) == Counter(evaluate(tree, streams))
