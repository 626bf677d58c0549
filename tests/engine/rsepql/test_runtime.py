"""The runtime by example: when answers come, what is refused, what is remembered."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from random import Random
from types import FunctionType, MethodType, ModuleType

import pytest
from rdflib.term import URIRef

from denota.engine.rsepql import RsepqlEngine, run
from denota.engine.tuning import IN_USE
from denota.semantics.model.errors import DenotaError, QueryError, StreamError, UnsupportedError
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.rsepql.denotation import evaluate
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.readings import Readings
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.semantics.rsepql.syntax.tree import RsepqlQuery
from denota.semantics.streams.merging import merge

EX = "http://example.org/"
S, T = URIRef(EX + "s"), URIRef(EX + "t")
CLOSING = Evaluation(policy="window-close")


def name(local: str) -> URIRef:
    return URIRef(EX + local)


def item(time: int, *triples: str, kind: TimeKind = TimeKind.INTEGER) -> TimestampedGraph:
    """An item of triples such as "a p b"."""
    graph = frozenset(
        (name(s), name(p), name(o)) for s, p, o in (triple.split() for triple in triples)
    )
    return TimestampedGraph(time, graph, kind)


def query(text: str) -> RsepqlQuery:
    return parse(f"PREFIX : <{EX}> {text}")


def endless(*patterns: str, step: int = 1) -> Iterator[TimestampedGraph]:
    """Items without end, the nth with n for *."""
    for number in count():
        triple = patterns[number % len(patterns)].replace("*", str(number))
        yield item(number * step, triple)


def times(answers: list[TimedAnswer]) -> list[int]:
    return [answer.time for answer in answers]


SEQUENCE = """SELECT * FROM NAMED WINDOW :w ON :s [RANGE 4 STEP 1]
WHERE { MATCH { EVENT :w { ?x :p ?y } SEQ EVENT :w { ?y :q ?z } } }"""


# --- when answers come ---------------------------------------------------------------------------


def test_answers_come_from_unbounded_streams() -> None:
    answers = run(query("REGISTER ISTREAM :o AS " + SEQUENCE), {S: endless("a* p b", "b q c*")})
    assert [each.time for each in islice(answers, 4)] == [1, 3, 5, 7]


def test_an_answer_comes_with_the_next_later_item() -> None:
    engine = RsepqlEngine(query(SEQUENCE), [S])
    items = list(merge({S: [item(1, "a p b"), item(2, "b q c"), item(2, "b q d"), item(3)]},
                       ties="sequence"))
    assert [engine.feed(each) for each in items[:3]] == [[], [], []]
    (answer,) = engine.feed(items[3])
    assert answer.time == 2
    assert isinstance(answer.content, tuple)
    assert len(answer.content) == 2
    assert times(engine.close()) == [3]


def test_time_advances_without_items() -> None:
    engine = RsepqlEngine(query(SEQUENCE), [S], evaluation=CLOSING)
    for each in merge({S: [item(1, "a p b"), item(2, "b q c")]}, ties="sequence"):
        assert engine.feed(each) == []
    assert times(engine.advance(4)) == [2, 3]
    assert engine.advance(4) == []
    assert times(engine.close()) == [4]


def test_nothing_is_read_behind_the_last_listed_time() -> None:
    stream = endless("a* p b", "b q c*")
    answers = list(run(query(SEQUENCE), {S: stream}, evaluation=Evaluation(at=(3, 1))))
    assert times(answers) == [1, 3]
    assert next(stream).time == 5  # the item at 4 was read, it is what makes 3 certain


def test_nothing_is_read_behind_the_last_time_of_a_policy() -> None:
    answers = run(query(SEQUENCE), {S: endless("a* p b", "b q c*")}, evaluation=Evaluation(last=3))
    assert times(list(answers)) == [1, 2, 3]


def test_streams_that_the_query_is_not_about_are_left_alone() -> None:
    def untouched() -> Iterator[TimestampedGraph]:
        raise AssertionError("read")
        yield

    answers = run(query(SEQUENCE), {S: [item(1, "a p b"), item(2, "b q c")], T: untouched()})
    assert times(list(answers)) == [2]


def test_listed_times_behind_the_end_are_evaluated() -> None:
    wide = SEQUENCE.replace("[RANGE 4 STEP 1]", "[FROM 0]")
    items = [item(1, "a p b"), item(2, "b q c")]
    assert times(list(run(query(wide), {S: items}, evaluation=Evaluation(at=(9,))))) == [9]


# --- sequences over windows that do not move alike ------------------------------------------------


@pytest.mark.parametrize("operator", ["SEQ", "SEQN", "SEQC", "SEQR"])
@pytest.mark.parametrize("rivals", ["same", "any"])
@pytest.mark.parametrize("order", Readings.choices()["order"])
def test_what_a_coarser_window_lets_in_late_is_found(
    operator: str, rivals: str, order: str
) -> None:
    """At 6 the items at 4 and 5 enter :v, long after what follows them has entered :w."""
    text = f"""SELECT * FROM NAMED WINDOW :v ON :s [RANGE 9 STEP 6]
    FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 1]
    WHERE {{ MATCH {{ EVENT :v {{ ?x :p ?y }} {operator} EVENT :w {{ ?y :q ?z }} }} }}"""
    items = [
        item(1, "a p b"), item(2, "b q c"), item(3, "b q d"), item(4, "e p b"),
        item(5, "b q c", "f p b"), item(6, "b q c"), item(7, "b q d"), item(12),
    ]
    readings = Readings.of({"rivals": rivals, "order": order})
    same(text, items, readings, Evaluation())


@pytest.mark.parametrize("pattern", [
    "FIRST (EVENT :w { ?x :p ?y }) SEQ EVENT :w { ?y :q ?z }",
    "LAST (EVENT :w { ?x :p ?y }) SEQ EVENT :w { ?y :q ?z }",
    "(EVENT :w { ?x :p ?y } SEQC EVENT :w { ?y :q ?z }) SEQ EVENT :w { ?z :r ?u }",
    "(EVENT :w { ?x :p ?y } SEQR EVENT :w { ?y :q ?z }) SEQR EVENT :w { ?z :r ?u }",
    "EVENT :w { ?x :p ?y } SEQ (EVENT :w { ?y :q ?z } SEQC EVENT :w { ?z :r ?u })",
    "EVENT :w { ?x :p ?y } SEQC (EVENT :w { ?y :q ?z } SEQ EVENT :w { ?z :r ?u })",
    "(EVENT :w { ?x :p ?y } SEQN EVENT :w { ?y :q ?z }) SEQ EVENT :w { ?z :r ?u }",
])
@pytest.mark.parametrize("consume", ["", "CONSUME CHRONOLOGICAL"])
def test_nested_choices_are_made_again_when_what_they_rest_on_goes(
    pattern: str, consume: str
) -> None:
    text = f"""SELECT * FROM NAMED WINDOW :w ON :s [RANGE 7 STEP 1]
    WHERE {{ MATCH {{ {pattern} }} }} {consume}"""
    triples = ["a p b", "c p b", "b q d", "b q e", "d r f", "e r g"]
    random = Random(1)
    items = [item(n, *random.sample(triples, 2)) for n in range(24)]
    same(text, items, Readings(), Evaluation())


def test_an_event_that_asks_for_what_comes_later_is_scanned() -> None:
    text = """SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 1]
    WHERE { MATCH { EVENT :w { ?x :p ?y OPTIONAL { ?y :r ?z } } SEQ EVENT :w { ?y :q ?z } } }"""
    items = [item(1, "a p b", "b r c"), item(2, "b q d"), item(3, "b q c"), item(9)]
    same(text, items, Readings(), Evaluation())


def same(
    text: str, items: list[TimestampedGraph], readings: Readings, evaluation: Evaluation
) -> None:
    """The engine's answers are the definitions', and there are some."""
    asked = query(text)
    ours = bags(run(asked, {S: items}, {}, readings, evaluation))
    assert ours == bags(evaluate(asked, {S: items}, {}, readings, evaluation))
    assert ours


def bags(answers: Iterator[TimedAnswer]) -> list[tuple[int, Counter[SolutionMapping]]]:
    return [
        (answer.time, Counter(answer.content))
        for answer in answers
        if isinstance(answer.content, tuple)
    ]


# --- what is refused -----------------------------------------------------------------------------


def test_items_out_of_order_are_refused() -> None:
    with pytest.raises(StreamError, match="1"):
        list(run(query(SEQUENCE), {S: [item(2), item(1)]}))


def test_windows_in_other_units_than_the_stream_are_refused() -> None:
    times_in_microseconds = [item(1, kind=TimeKind.DATETIME)]
    with pytest.raises(QueryError, match="bare numbers") as caught:
        list(run(query(SEQUENCE), {S: times_in_microseconds}, evaluation=Evaluation(at=(0,))))
    assert caught.value.line == 1


def test_a_window_without_on_needs_the_only_stream() -> None:
    anywhere = query(SEQUENCE.replace("ON :s ", ""))
    assert times(list(run(anywhere, {S: [item(1, "a p b"), item(2, "b q c")]}))) == [2]
    with pytest.raises(QueryError, match="2 streams"):
        list(run(anywhere, {S: [], T: []}))


CLOSED = "SELECT * FROM NAMED WINDOW :w ON :s [{}] WHERE {{ WINDOW :w {{ ?x :p ?y }} }}"


@pytest.mark.parametrize(
    ("text", "evaluation", "second", "error", "said"),
    [
        ("SELECT * FROM :kb FROM NAMED WINDOW :w ON :s [ALL] WHERE { ?x :p ?y }", None, 1,
         QueryError, "kb"),
        (CLOSED.format("ALL"), CLOSING, 1, QueryError, "closes"),
        (CLOSED.format("ALL"), Evaluation(policy="periodic"), 1, QueryError, "period"),
        (CLOSED.format("RANGE 1"), CLOSING, 10**9, UnsupportedError, "longer steps"),
        (CLOSED.format("RANGE 1000000000"), CLOSING, 1, UnsupportedError, "longer steps"),
    ],
)
def test_graphs_and_policies_that_cannot_be_followed_are_refused(
    text: str, evaluation: Evaluation | None, second: int, error: type[DenotaError], said: str
) -> None:
    items = [item(1, "a p b"), *([item(second)] if second > 1 else [])]
    with pytest.raises(error, match=said):
        list(run(query(text), {S: items}, evaluation=evaluation))


# --- what is remembered --------------------------------------------------------------------------


def feed(engine: RsepqlEngine, count: int, *patterns: str) -> list[TimedAnswer]:
    items = islice(merge({S: endless(*patterns)}, ties="sequence"), count)
    return [answer for each in items for answer in engine.feed(each)]


@pytest.mark.parametrize("operator", ["SEQ", "SEQN", "SEQC", "SEQR"])
@pytest.mark.parametrize("consume", ["", "CONSUME RECENT"])
def test_memory_is_bounded_by_the_windows(
    operator: str, consume: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(IN_USE, "terms", 64)
    text = SEQUENCE.replace(" SEQ ", f" {operator} ") + consume
    engine = RsepqlEngine(query(text), [S])
    feed(engine, 2_000, "a* p b", "b q c*", "b r d*")
    held = engine.statistics()
    assert held.items < 40
    assert held.occurrences < 10
    assert held.terms < 150


def test_what_no_listed_time_can_see_is_not_kept() -> None:
    engine = RsepqlEngine(query(SEQUENCE), [S], evaluation=Evaluation(at=(10**6,)))
    feed(engine, 2_000, "a* p b", "b q c*")
    assert engine.statistics().items < 40


def test_a_landmark_window_grows_with_its_stream() -> None:
    text = SEQUENCE.replace("[RANGE 4 STEP 1]", "[FROM 0]").replace(":q", ":none")
    engine = RsepqlEngine(query(text), [S])
    feed(engine, 1_000, "a* p b")
    engine.close()
    assert engine.statistics().occurrences == 1_000


def test_what_is_consumed_leaves_a_landmark_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IN_USE, "terms", 64)
    text = SEQUENCE.replace("[RANGE 4 STEP 1]", "[FROM 0]") + " CONSUME CHRONOLOGICAL"
    engine = RsepqlEngine(query(text), [S])
    feed(engine, 1_000, "a* p b", "b q c*")
    engine.close()
    held = engine.statistics()
    assert held.items < 40
    assert held.occurrences == 0
    assert held.terms < 150


def test_what_is_reported_once_is_not_kept() -> None:
    """Under ISTREAM a landmark window keeps what has occurred, not what that has come to."""
    text = "REGISTER ISTREAM :o AS " + SEQUENCE.replace("[RANGE 4 STEP 1]", "[FROM 0]")
    engine = RsepqlEngine(query(text), [S])
    contents = [answer.content for answer in feed(engine, 400, "a* p b", "b q c*")]
    assert sum(len(each) for each in contents if isinstance(each, tuple)) == sum(range(1, 200))
    assert held_tuples(engine) < 10 * 400


def held_tuples(engine: RsepqlEngine) -> int:
    """How many tuples the engine leads to."""
    seen: set[int] = set()
    waiting: list[object] = [engine]
    tuples = 0
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, type | ModuleType | FunctionType | MethodType):
            continue
        seen.add(id(each))
        tuples += isinstance(each, tuple)
        waiting += gc.get_referents(each)
    return tuples
