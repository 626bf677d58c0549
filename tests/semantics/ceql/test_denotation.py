"""The definitions, one by one, on streams that a person can follow."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest

from denota.semantics.ceql.core_extensions import choices, evaluate, nearest
from denota.semantics.ceql.denotation import valuations
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.readings import Readings
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.valuations import Stream
from denota.semantics.model.errors import ReadingError, StreamError
from denota.semantics.model.tuples import EventTuple, Value

FIGURE_3 = [
    ("SELL", "MSFT", 101), ("SELL", "MSFT", 102), ("SELL", "INTC", 80), ("BUY", "INTC", 80),
    ("SELL", "AMZN", 1900), ("SELL", "INTC", 81), ("SELL", "AMZN", 1920),
]
STOCK = [EventTuple(kind, {"name": name, "price": price}) for kind, name, price in FIGURE_3]
Q1 = """
SELECT {} FROM Stock
WHERE SELL AS msft ; SELL AS intel ; SELL AS amzn
FILTER msft[name = 'MSFT'] AND msft[price > 100] AND intel[name = 'INTC']
   AND amzn[name = 'AMZN'] AND amzn[price < 2000]
"""


def events(word: str, **attributes: Iterable[Value | None]) -> list[EventTuple]:
    """A tuple for each letter; the n-th has the n-th value of each attribute."""
    return [
        EventTuple(kind, {a: v for a, v in zip(attributes, row, strict=True) if v is not None})
        for kind, *row in zip(word, *attributes.values(), strict=True)
    ]


def found(text: str, stream: list[EventTuple], **readings: str) -> list[tuple[int, ...]]:
    """The results, each as start, end and positions."""
    result = evaluate(parse(text), stream, Readings.of(readings))
    return [(each.start, each.end, *each.positions) for each in sorted(result)]


def matched(formula: str, word: str) -> list[tuple[int, ...]]:
    return found(f"SELECT * WHERE {formula}", events(word))


def test_the_six_runs_of_figure_3():
    assert found(Q1.format("*"), STOCK) == [
        (0, 4, 0, 2, 4), (1, 4, 1, 2, 4),
        (0, 6, 0, 2, 6), (0, 6, 0, 5, 6), (1, 6, 1, 2, 6), (1, 6, 1, 5, 6),
    ]


# --- Table 2 --------------------------------------------------------------------------------------


def test_an_event_type_binds_itself():
    (v,) = valuations(parse("SELECT * WHERE B").formula, Stream(dict(enumerate(events("AB")))))
    assert (v.start, v.end, v("B"), v("A")) == (1, 1, frozenset({1}), frozenset())


def test_as_gathers_all_that_is_bound():
    (v,) = valuations(
        parse("SELECT * WHERE (A ; B) AS x").formula, Stream(dict(enumerate(events("ACB"))))
    )
    assert v("x") == {0, 2}
    assert v("A") == {0}


@pytest.mark.parametrize(
    ("formula", "word", "results"),
    [
        ("A ; B", "ACB", [(0, 2, 0, 2)]),
        ("A : B", "ACB", []),
        ("A : B", "CAB", [(1, 2, 1, 2)]),
        ("A OR B", "AB", [(0, 0, 0), (1, 1, 1)]),
        ("A+", "AAA", [(0, 0, 0), (0, 1, 0, 1), (1, 1, 1), (0, 2, 0, 1, 2), (0, 2, 0, 2),
                       (1, 2, 1, 2), (2, 2, 2)]),
        ("A:+", "AAA", [(0, 0, 0), (0, 1, 0, 1), (1, 1, 1), (0, 2, 0, 1, 2), (1, 2, 1, 2),
                        (2, 2, 2)]),
        ("(A ; B)+", "ABAB", [(0, 1, 0, 1), (0, 3, 0, 1, 2, 3), (0, 3, 0, 3), (2, 3, 2, 3)]),
        ("(A+ OR B)+ ; C", "ABC", [(0, 2, 0, 1, 2), (0, 2, 0, 2), (1, 2, 1, 2)]),
        ("NOT(A)", "ABA", [(1, 1)]),
        ("A : NOT(B) : C", "ABCADC", [(3, 5, 3, 5)]),
        ("NOT(B) : A", "BACA", [(2, 3, 3)]),
    ],
)
def test_operators(formula: str, word: str, results: list[tuple[int, ...]]):
    assert matched(formula, word) == results


def test_a_condition_asks_something_of_every_tuple_of_its_variable():
    stream = events("AAA", x=(1, 5, 9))
    assert found("SELECT * WHERE A+ AS a FILTER a[x > 4]", stream) == [
        (1, 1, 1), (1, 2, 1, 2), (2, 2, 2)
    ]


def test_a_condition_on_an_empty_variable_holds():
    text = "SELECT * WHERE A AS a OR B FILTER a[x > 4]"
    assert found(text, events("AB", x=(1, 1))) == [(1, 1, 1)]


def test_conditions_combine_as_truth_values():
    stream = events("AB", x=(1, 2))
    for condition, there in (
        ("A[x = 1] AND B[x = 1]", False), ("A[x = 2] OR B[x = 2]", True),
        ("NOT A[x = 2]", True), ("NOT c[x = 2]", False),
    ):
        query = f"SELECT * WHERE A ; B FILTER {condition} OR C AS c"
        assert bool(found(query, stream)) is there


def test_the_negation_of_a_condition_says_that_some_tuple_fails_it():
    stream = events("AA", x=(1, 9))
    assert found("SELECT * WHERE A+ AS a FILTER NOT a[x > 4]", stream) == [(0, 0, 0), (0, 1, 0, 1)]


def test_not_takes_a_filter():
    stream = events("AA", x=(1, 9))
    assert found("SELECT * WHERE NOT(A FILTER A[x > 4])", stream) == [(0, 0)]


def test_an_event_type_of_one_stream():
    stream = [EventTuple("A", {}, None, "S"), EventTuple("A", {}, None, "T")]
    assert found("SELECT * WHERE T>A", stream) == [(1, 1, 1)]
    (event,) = evaluate(parse("SELECT * WHERE T>A"), stream, Readings(output="valuation"))
    assert event.bindings == (("A", (1,)), ("T>A", (1,)))


# --- clauses --------------------------------------------------------------------------------------


def test_projection_keeps_what_is_selected():
    assert found("SELECT b WHERE A AS a ; B AS b", events("AB")) == [(0, 1, 1)]
    assert found("SELECT a, b[x] WHERE A AS a ; B AS b", events("AB")) == [(0, 1, 0, 1)]
    assert found("SELECT NONE WHERE A ; B", events("AB")) == [(0, 1)]


def test_valuations_tell_what_complex_events_forget():
    query = parse("SELECT a, b WHERE (A AS a ; A AS b) OR (A AS b ; A AS a)")
    assert len(evaluate(query, events("AA"))) == 1
    assert evaluate(query, events("AA"), Readings(output="valuation")) == {
        ComplexEvent(1, 0, (0, 1), (("a", (0,)), ("b", (1,)))),
        ComplexEvent(1, 0, (0, 1), (("a", (1,)), ("b", (0,)))),
    }


def test_partitions_agree_on_every_attribute_of_every_list():
    stream = events("ABAB", x=(1, 1, 1, None), y=("p", "q", "q", "q"))
    assert found("SELECT * WHERE A ; B PARTITION BY [x]", stream) == [(0, 1, 0, 1)]
    assert found("SELECT * WHERE B ; A PARTITION BY [x], [y]", stream) == [(1, 2, 1, 2)]
    assert found("SELECT * WHERE A ; B PARTITION BY [x, y]", stream) == []


def test_in_a_partition_contiguity_is_that_of_the_partition_and_events_those_of_the_stream():
    stream = events("ABB", x=(1, 2, 1))
    assert found("SELECT * WHERE A : B PARTITION BY [x]", stream) == [(0, 2, 0, 2)]
    assert found("SELECT STRICT * WHERE A ; B PARTITION BY [x]", stream) == [(0, 2, 0, 2)]
    assert found("SELECT * WHERE A : B PARTITION BY [x] WITHIN 1 EVENTS", stream) == []


def test_values_of_different_types_are_in_different_partitions():
    stream = events("AAA", x=(1, 1.0, "1"))
    assert found("SELECT * WHERE A ; A PARTITION BY [x]", stream) == [(0, 1, 0, 1)]


def test_nan_is_in_a_partition_by_itself_also_if_it_is_one_object():
    stream = events("AAA", x=(math.nan, 1.0, math.nan))
    assert found("SELECT * WHERE A ; A PARTITION BY [x]", stream) == []
    assert len(found("SELECT * WHERE A PARTITION BY [x]", stream)) == 3


@pytest.mark.parametrize(
    ("within", "results"),
    [
        ("1 EVENTS", [(1, 2, 1, 2)]),
        ("2 EVENTS", [(0, 2, 0, 2), (1, 2, 1, 2)]),
        ("5 [x]", [(1, 2, 1, 2)]),
        ("9 [x]", [(0, 2, 0, 2), (1, 2, 1, 2)]),
        ("9 [y]", []),
    ],
)
def test_windows(within: str, results: list[tuple[int, ...]]):
    stream = events("AAB", x=(1, 5, 10))
    assert found(f"SELECT * WHERE A ; B WITHIN {within}", stream) == results


def test_a_window_of_an_attribute_is_one_less_in_core():
    stream = events("AB", x=(0, 10))
    assert found("SELECT * WHERE A ; B WITHIN 10 [x]", stream) == [(0, 1, 0, 1)]
    assert found("SELECT * WHERE A ; B WITHIN 10 [x]", stream, within="core") == []
    assert found("SELECT * WHERE A ; B WITHIN 1 EVENTS", stream, within="core") == [(0, 1, 0, 1)]


def test_an_attribute_need_not_grow():
    stream = events("ABB", x=(5, 0, 7))
    assert found("SELECT * WHERE A ; B WITHIN 1 [x]", stream) == [(0, 1, 0, 1)]


def test_windows_of_time_need_arrival_times_in_order():
    times = [EventTuple("A", {}, 0), EventTuple("B", {}, 60_000_000_000)]
    assert found("SELECT * WHERE A ; B WITHIN 1 MINUTE", times) == [(0, 1, 0, 1)]
    assert found("SELECT * WHERE A ; B WITHIN 59 SECONDS", times) == []
    with pytest.raises(StreamError, match=r"tuple 0 of the stream .* has no arrival time"):
        found("SELECT * WHERE A WITHIN 1 MINUTE", events("A"))
    with pytest.raises(StreamError, match=r"tuple 1 of .* is out of order: 0 s after 60 s"):
        found("SELECT * WHERE A WITHIN 1 MINUTE", times[::-1])


# --- strategies -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "results"),
    [
        ("ALL", [(0, 4, 0, 2, 4), (1, 4, 1, 2, 4), (0, 6, 0, 2, 6), (0, 6, 0, 5, 6),
                 (1, 6, 1, 2, 6), (1, 6, 1, 5, 6)]),
        ("NEXT", [(0, 4, 0, 2, 4), (0, 6, 0, 2, 6)]),
        ("LAST", [(1, 4, 1, 2, 4), (1, 6, 1, 5, 6)]),
        ("STRICT", []),
        ("MAX", [(0, 4, 0, 2, 4), (1, 4, 1, 2, 4), (0, 6, 0, 2, 6), (0, 6, 0, 5, 6),
                 (1, 6, 1, 2, 6), (1, 6, 1, 5, 6)]),
    ],
)
def test_strategies_on_figure_3(strategy: str, results: list[tuple[int, ...]]):
    assert found(Q1.format(f"{strategy} *"), STOCK) == results


def test_max_takes_what_nothing_includes():
    assert found("SELECT MAX * WHERE A+ ; B", events("AAB")) == [(0, 2, 0, 1, 2)]


def test_a_strategy_comes_before_within_or_after_it():
    text = "SELECT NEXT * WHERE A ; B WITHIN 1 EVENTS"
    assert found(text, events("AAB")) == []
    assert found(text, events("AAB"), strategy="after-within") == [(1, 2, 1, 2)]


def test_strategies_compare_data_and_keep_every_interval_with_it():
    text = "SELECT NEXT b WHERE A ; B AS b"
    assert found(text, events("AAB")) == [(0, 2, 2), (1, 2, 2)]


# --- consumption and choices ----------------------------------------------------------------------


def test_consumption_forgets_all_up_to_the_trigger():
    assert found("SELECT * WHERE A ; B CONSUME BY ANY", events("AABBAB")) == [
        (0, 2, 0, 2), (1, 2, 1, 2), (4, 5, 4, 5)
    ]


def test_consumption_by_partition():
    stream = events("AABBB", x=(1, 2, 1, 2, 1))
    text = "SELECT * WHERE A ; B PARTITION BY [x] CONSUME BY "
    assert found(text + "NONE", stream) == [(0, 2, 0, 2), (1, 3, 1, 3), (0, 4, 0, 4)]
    assert found(text + "PARTITION", stream) == [(0, 2, 0, 2), (1, 3, 1, 3)]
    assert found(text + "ANY", stream) == [(0, 2, 0, 2)]


def test_what_within_drops_triggers_nothing():
    stream = events("AB", x=(0, 9)) + events("B", x=(1,))
    assert found("SELECT * WHERE A ; B WITHIN 5 [x] CONSUME BY ANY", stream) == [(0, 2, 0, 2)]


def test_any_takes_one_of_an_end_position_and_limit_so_many():
    stream = events("AAAB")
    (one,) = choices(parse("SELECT ANY * WHERE A ; B"), stream)
    assert (len(one.candidates), one.count) == (3, 1)
    (two,) = choices(parse("SELECT * WHERE A ; B LIMIT 2"), stream)
    assert (len(two.candidates), two.count) == (3, 2)
    assert len(evaluate(parse("SELECT * WHERE A ; B LIMIT 2"), stream)) == 2


def test_limit_may_bound_the_whole_output():
    text = "SELECT * WHERE A ; B LIMIT 3"
    assert len(found(text, events("AABB"))) == 4
    assert len(found(text, events("AABB"), limit="query")) == 3


def test_the_nearest_right_result():
    stream = events("AAAB")
    open_ = choices(parse("SELECT * WHERE A ; B LIMIT 2"), stream)
    first, second, third = sorted(open_[0].candidates)
    wrong = ComplexEvent(3, 3, (3,))
    assert nearest(open_, [third, second]) == [second, third]
    assert nearest(open_, [third]) == [third, first]
    assert nearest(open_, [first, second, third]) == [first, second]
    assert nearest(open_, [wrong]) == [first, second]


def test_readings_that_do_not_exist():
    with pytest.raises(ReadingError, match="CEQL has no reading 'window'"):
        Readings.of({"window": "match"})
    with pytest.raises(ReadingError, match="reading 'within' has no value 'java'"):
        Readings.of({"within": "java"})
