"""The four faults that CSRBench's oracle is known for, each as a recording that must not pass."""

import pytest

from denota.oracle.recorded_output.schedules import Policy


@pytest.fixture
def right(busy):
    """Windows of two seconds [0,2), [2,4), [4,6), reported as they close."""
    return [
        (2000, [busy.row("a", 10)]),
        (4000, [busy.row("b", 20), busy.row("c", 30)]),
        (6000, [busy.row("d", 40)]),
    ]


def test_the_recording_without_a_fault_is_right(busy, right):
    verdict = busy.judge("RANGE 2s STEP 2s", *right, delay="100ms")
    assert verdict.ok
    assert {r.setting.policy for r in verdict.right} >= {Policy.WINDOW_CLOSE}


# --- 1: timestamps are compared ------------------------------------------------------------------


def test_right_rows_at_wrong_times_are_wrong(busy, right):
    late = [(time + 5000, rows) for time, rows in right]
    verdict = busy.judge("RANGE 2s STEP 2s", *late, setting="sparqlstream")
    assert not verdict.ok
    assert not verdict.nearest.missing
    assert not verdict.nearest.unexpected
    assert len(verdict.nearest.misplaced) == 4
    assert all(m.came - m.due > 1_000_000 for m in verdict.nearest.misplaced)


def test_a_single_late_answer_is_found_and_measured(busy, right):
    right[1] = (5500, right[1][1])
    verdict = busy.judge("RANGE 2s STEP 2s", *right, setting="sparqlstream")
    assert not verdict.ok
    assert {(m.due, m.came) for m in verdict.nearest.misplaced} == {(4_000_000, 5_500_000)}
    assert not verdict.nearest.missing
    assert not verdict.nearest.unexpected
    assert busy.judge("RANGE 2s STEP 2s", *right, delay="1500ms").ok


def test_an_answer_before_its_time_is_early(busy, right):
    right[1] = (3900, right[1][1])
    verdict = busy.judge("RANGE 2s STEP 2s", *right, setting="sparqlstream", delay="0s")
    assert not verdict.ok
    assert any(m.came < m.due for m in verdict.nearest.misplaced)


# --- 2: bags are bags ----------------------------------------------------------------------------


def test_a_row_too_often_is_unexpected(busy, right):
    right[0] = (2000, [busy.row("a", 10), busy.row("a", 10)])
    verdict = busy.judge("RANGE 2s STEP 2s", *right)
    assert not verdict.ok
    (extra,) = verdict.nearest.unexpected
    assert extra.time == 2_000_000
    assert not verdict.nearest.missing


def test_a_row_too_seldom_is_missing(busy):
    # Two sensors read the same: without ?s, the answer holds the same row twice.
    busy.measures({2: {"b": 20, "e": 20}})
    once = [(2000, [{"v": busy.row("a", 10)["v"]}]), (4000, [{"v": busy.row("b", 20)["v"]},
            {"v": busy.row("c", 30)["v"]}]), (6000, [{"v": busy.row("d", 40)["v"]}])]
    verdict = busy.judge("RANGE 2s STEP 2s", *once, select="?v")
    assert not verdict.ok
    assert [m.time for m in verdict.nearest.missing] == [4_000_000]
    once[1][1].append({"v": busy.row("b", 20)["v"]})
    assert busy.judge("RANGE 2s STEP 2s", *once, select="?v").ok


# --- 3: an empty answer does not pass by default -------------------------------------------------


def test_nothing_recorded_is_wrong(busy):
    verdict = busy.judge("RANGE 2s STEP 2s")
    assert not verdict.ok
    assert verdict.note == "nothing was recorded"
    assert verdict.nearest.missing


@pytest.mark.parametrize("allow_empty", [False, True])
def test_empty_answers_where_rows_are_due_are_wrong(busy, allow_empty):
    empty = [(2000, []), (4000, []), (6000, [])]
    assert not busy.judge("RANGE 2s STEP 2s", *empty, allow_empty=allow_empty).ok


def test_a_setting_that_asks_for_nothing_makes_silence_no_better(busy):
    # The windows (0,1), (1,2), … of whole seconds hold nothing: all empty is what they ask for.
    empty = [(second * 1000, []) for second in range(1, 7)]
    assert not busy.judge("RANGE 1s STEP 1s", *empty).ok
    assert not busy.judge("RANGE 1s STEP 1s", *empty, allow_empty=True).ok


def test_silence_is_right_where_there_is_nothing_to_say_and_one_asks_for_it(busy):
    empty = [(2000, []), (4000, []), (6000, [])]
    hot = "?s :reads ?v FILTER (?v > 100)"
    unasked = busy.judge("RANGE 2s STEP 2s", *empty, pattern=hot)
    assert not unasked.ok
    assert "there is nothing to answer" in unasked.note
    assert busy.judge("RANGE 2s STEP 2s", *empty, pattern=hot, allow_empty=True).ok


def test_stopping_early_is_wrong(busy, right):
    verdict = busy.judge("RANGE 2s STEP 2s", *right[:2], setting="sparqlstream")
    assert not verdict.ok
    assert [m.time for m in verdict.nearest.missing] == [6_000_000]


# --- 4: equal numbers do not make different IRIs equal -------------------------------------------


def test_another_sensor_with_the_same_number_is_another_row(busy, right):
    right[2] = (6000, [busy.row("x", 40)])
    verdict = busy.judge("RANGE 2s STEP 2s", *right, setting="sparqlstream")
    assert not verdict.ok
    (missing,), (unexpected,) = verdict.nearest.missing, verdict.nearest.unexpected
    assert missing.time == unexpected.time == 6_000_000
    assert missing.row != unexpected.row


def test_a_number_may_come_in_another_datatype(busy, right):
    right[0] = (2000, [busy.row("a", "10.0", "double")])
    right[2] = (6000, [busy.row("d", "40.", "decimal")])
    assert busy.judge("RANGE 2s STEP 2s", *right).ok


@pytest.mark.parametrize(
    "value",
    [
        {"type": "literal", "value": "10"},
        {"type": "uri", "value": "10"},
        {"type": "literal", "value": "11", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
        {"type": "literal", "value": "null"},
        None,
    ],
)
def test_what_only_looks_like_the_number_is_wrong(busy, right, value):
    row = {**busy.row("a", 10), "v": value}
    right[0] = (2000, [row])
    assert not busy.judge("RANGE 2s STEP 2s", *right).ok
