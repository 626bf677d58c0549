"""Recordings made by hand under one setting each: the tester must find that setting, and its t0."""

import pytest

from denota.oracle.recorded_output.schedules import (
    Extent,
    FirstWindow,
    Policy,
    Starts,
    Trigger,
    WindowEnds,
)
from denota.semantics.rsepql.syntax.tree import StreamOperator

SECOND = 1_000_000


def found(verdict, **choices):
    """The settings with these choices under which the recording is right."""
    return [
        right for right in verdict.right
        if all(getattr(right.setting, name) == value for name, value in choices.items())
    ]


def holds(right, second):
    return any(s.earliest <= second * SECOND <= s.latest for s in right.starts)


def test_the_window_start_is_found(busy):
    """Windows (1,3], (3,5] of an engine that started at 1 s."""
    rows = {name: [busy.row(name, value)] for name, value in zip("bcd", (20, 30, 40), strict=True)}
    verdict = busy.judge(
        "RANGE 2s STEP 2s", (3000, rows["b"] + rows["c"]), (5000, rows["d"]), delay="0s"
    )
    (right,) = found(
        verdict, policy=Policy.WINDOW_CLOSE, operator=StreamOperator.RSTREAM,
        bounds=WindowEnds.OPEN_CLOSED, empty_answers=False,
    )
    assert right.starts == (Starts(SECOND, SECOND),)
    assert (right.least, right.most) == (0, 0)
    assert not found(verdict, bounds=WindowEnds.CLOSED_OPEN, operator=StreamOperator.RSTREAM)


def test_a_start_between_two_readings_is_an_interval(busy):
    """All that lies between 1 s and 2 s makes the same windows; only when they close differs."""
    a, b, c, d = (busy.row(name, value) for name, value in zip("abcd", (10, 20, 30, 40),
                                                               strict=True))
    verdict = busy.judge(
        "RANGE 2s STEP 2s", (1700, [a]), (3700, [b, c]), (5700, [d]), delay="500ms"
    )
    (right,) = found(
        verdict, policy=Policy.WINDOW_CLOSE, operator=StreamOperator.RSTREAM,
        bounds=WindowEnds.CLOSED_CLOSED, empty_answers=False,
    )
    assert right.starts == (Starts(-800_000, -300_000),)


@pytest.mark.parametrize(
    ("bounds", "third"),
    [
        (WindowEnds.OPEN_CLOSED, "d"), (WindowEnds.CLOSED_OPEN, "c"),
        (WindowEnds.CLOSED_CLOSED, "cd"), (WindowEnds.OPEN_OPEN, ""),
    ],
)
def test_the_ends_of_windows(station, bounds, third):
    """t0 = 1 s: the windows over [1,3], [3,5], [5,7] share their ends."""
    values = {0: "a", 1: "x", 2: "b", 3: "c", 4: "e", 5: "d", 6: "f", 7: "g"}
    station.measures({second: {name: second} for second, name in values.items()})
    inner = {3: "b", 5: "e", 7: "f"}
    ends = {3: ("x", "c"), 5: ("c", "d"), 7: ("d", "g")}
    seconds = {name: second for second, name in values.items()}
    answers = []
    for close, name in inner.items():
        first, last = ends[close]
        held = [name]
        held += [first] if bounds.begin_included else []
        held += [last] if bounds.end_included else []
        answers.append((close * 1000, [station.row(n, seconds[n]) for n in held]))
    if (bounds.begin_included and not bounds.end_included) or bounds is WindowEnds.CLOSED_CLOSED:
        answers.append((9000, [station.row("g", 7)]))
    verdict = station.judge("RANGE 2s STEP 2s", *answers, delay="0s")
    right = [
        r for r in found(verdict, policy=Policy.WINDOW_CLOSE, operator=StreamOperator.RSTREAM)
        if holds(r, 1)
    ]
    assert {r.setting.bounds for r in right} == {bounds}


def test_empty_answers(busy):
    answers = [(1000, [busy.row("a", 10)]), (2000, []), (3000, [busy.row("b", 20)]),
               (4000, [busy.row("c", 30)]), (5000, []), (6000, [busy.row("d", 40)])]
    told = busy.judge("RANGE 1s STEP 1s", *answers, delay="0s")
    assert {r.setting.empty_answers for r in told.right} == {True}
    silent = busy.judge("RANGE 1s STEP 1s", *[a for a in answers if a[1]], delay="0s")
    assert {r.setting.empty_answers for r in found(silent, policy=Policy.WINDOW_CLOSE)} == {False}


def test_after_the_stream_an_engine_may_stop_or_go_on(busy):
    answers = [(2000, [busy.row("a", 10)]), (4000, [busy.row("b", 20), busy.row("c", 30)]),
               (6000, [busy.row("d", 40)])]
    for extra in ([], [(8000, [])], [(8000, []), (10_000, [])]):
        verdict = busy.judge("RANGE 2s STEP 2s", *answers, *extra, setting="csparql")
        assert verdict.ok
        closing = found(verdict, policy=Policy.NON_EMPTY_CONTENT)
        assert bool(closing) is (not extra)  # empty windows are no content


def test_a_gap_after_the_stream_is_a_gap(busy):
    answers = [(2000, [busy.row("a", 10)]), (4000, [busy.row("b", 20), busy.row("c", 30)]),
               (6000, [busy.row("d", 40)]), (12_000, [])]
    assert not busy.judge("RANGE 2s STEP 2s", *answers).ok


@pytest.mark.parametrize(("operator", "expected"), [
    (StreamOperator.RSTREAM, ["a", "a", "b", "bc", "c", "d", "d"]),
    (StreamOperator.ISTREAM, ["a", "", "b", "c", "", "d", ""]),
    (StreamOperator.DSTREAM, ["", "", "a", "", "b", "c", ""]),
])
def test_stream_operators_of_sliding_windows(busy, operator, expected):
    """[RANGE 2s STEP 1s] over [t0 + k, t0 + k + 2) from t0 = -1 s on."""
    values = {"a": 10, "b": 20, "c": 30, "d": 40}
    answers = [
        ((second + 1) * 1000, [busy.row(name, values[name]) for name in names])
        for second, names in enumerate(expected)
    ]
    verdict = busy.judge("RANGE 2s STEP 1s", *answers, delay="0s")
    right = found(
        verdict, policy=Policy.WINDOW_CLOSE, operator=operator, bounds=WindowEnds.CLOSED_OPEN,
        empty_answers=True, first=FirstWindow.FULL,
    )
    assert any(holds(r, -1) for r in right)


def test_the_first_window_may_close_after_one_slide(busy):
    """t0 = 0: a [RANGE 4s STEP 2s] that is first reported at 2 s is not full then."""
    a, b, c, d = (busy.row(name, value) for name, value in zip("abcd", (10, 20, 30, 40),
                                                               strict=True))
    answers = [(2000, [a]), (4000, [a, b, c]), (6000, [b, c, d]), (8000, [d])]
    verdict = busy.judge("RANGE 4s STEP 2s", *answers, delay="0s")
    partial = found(
        verdict, first=FirstWindow.PARTIAL, operator=StreamOperator.RSTREAM,
        policy=Policy.WINDOW_CLOSE, bounds=WindowEnds.CLOSED_OPEN,
    )
    assert any(holds(r, 0) for r in partial)
    full = found(verdict, first=FirstWindow.FULL, operator=StreamOperator.RSTREAM)
    assert not any(holds(r, 0) for r in full)


# --- content change ------------------------------------------------------------------------------


def test_content_change_reports_what_is_new_when_it_comes(busy):
    answers = [(40, [busy.row("a", 10)]), (2055, [busy.row("b", 20)]), (3071, [busy.row("c", 30)]),
               (5020, [busy.row("d", 40)])]
    verdict = busy.judge("RANGE 2s STEP 2s", *answers, setting="cqels")
    assert verdict.ok
    assert {r.setting.operator for r in verdict.right} == {StreamOperator.ISTREAM}
    sliding = found(verdict, extent=Extent.SLIDING, trigger=Trigger.ARRIVAL)
    assert {(r.least, r.most) for r in sliding} == {(20_000, 71_000)}
    assert all(r.starts == () for r in sliding)


def test_rows_of_one_evaluation_may_be_reported_one_by_one(station):
    station.measures({0: {"a": 1, "b": 2}, 1: {"c": 3}})
    answers = [(10, [station.row("b", 2)]), (12, [station.row("a", 1)]),
               (1005, [station.row("c", 3)])]
    assert station.judge("RANGE 5s STEP 5s", *answers, setting="cqels").ok


def test_an_aggregate_tells_windows_up_to_now_from_open_ones(busy):
    """AVG over the last 2 s, told whenever a reading comes: [0,2] holds a and b, [1,3] b and c."""
    double = "http://www.w3.org/2001/XMLSchema#double"

    def average(value):
        return [{"m": {"type": "literal", "value": value, "datatype": double}}]

    answers = [(0, average("10")), (2000, average("15.0e0")), (3000, average("25")),
               (5000, average("35.0"))]
    verdict = busy.judge("RANGE 2s STEP 2s", *answers, select="(AVG(?v) AS ?m)",
                         setting="cqels")
    assert {r.setting.bounds for r in verdict.right} == {WindowEnds.CLOSED_CLOSED}
    assert {r.setting.extent for r in verdict.right} == {Extent.SLIDING}
    assert Trigger.MATCH in {r.setting.trigger for r in verdict.right}


def test_departures_change_content_too(busy):
    a, b, c, d = (busy.row(name, value) for name, value in zip("abcd", (10, 20, 30, 40),
                                                               strict=True))
    answers = [(0, [a]), (1000, [a]), (2000, [b]), (3000, [b, c]), (4000, [c]), (5000, [d]),
               (6000, [d])]
    verdict = busy.judge("RANGE 2s STEP 2s", *answers, delay="0s")
    assert found(
        verdict, trigger=Trigger.CHANGE, operator=StreamOperator.RSTREAM,
        bounds=WindowEnds.OPEN_CLOSED, extent=Extent.SLIDING,
    )


def test_the_open_window_is_seen_as_far_as_it_is_filled(busy):
    """Windows [0,4), [4,8): at each arrival what the open one holds so far."""
    a, b, c, d = (busy.row(name, value) for name, value in zip("abcd", (10, 20, 30, 40),
                                                               strict=True))
    answers = [(0, [a]), (1000, [a]), (2000, [a, b]), (3000, [a, b, c]), (4000, []), (5000, [d])]
    verdict = busy.judge("RANGE 4s STEP 4s", *answers, delay="0s")
    right = found(verdict, extent=Extent.CURRENT, operator=StreamOperator.RSTREAM,
                  bounds=WindowEnds.CLOSED_OPEN, trigger=Trigger.ARRIVAL)
    assert any(holds(r, 0) for r in right)


# --- periodic ------------------------------------------------------------------------------------


def test_periodic_reports(busy):
    """Every 3 s the last 2 s, from 0.5 s on."""
    a, c, d = (busy.row(name, value) for name, value in (("a", 10), ("c", 30), ("d", 40)))
    b = busy.row("b", 20)
    answers = [(500, [a]), (3500, [b, c]), (6500, [d])]
    verdict = busy.judge("RANGE 2s STEP 2s", *answers, delay="0s", periods=["3s"])
    assert found(verdict, policy=Policy.PERIODIC, period=3 * SECOND,
                 operator=StreamOperator.RSTREAM)
    assert not found(busy.judge("RANGE 2s STEP 2s", *answers, delay="0s"), policy=Policy.PERIODIC)


# --- named settings ------------------------------------------------------------------------------


def test_a_named_setting_restricts_what_counts(busy):
    answers = [(40, [busy.row("a", 10)]), (2055, [busy.row("b", 20)]), (3071, [busy.row("c", 30)]),
               (5020, [busy.row("d", 40)])]
    assert busy.judge("RANGE 2s STEP 2s", *answers, setting="cqels").ok
    wrong = busy.judge("RANGE 2s STEP 2s", *answers, setting="csparql")
    assert not wrong.ok
    assert wrong.nearest.setting.operator is StreamOperator.RSTREAM
    assert wrong.nearest.setting.empty_answers


def test_the_setting_of_a_file_is_known_by_its_name(busy):
    path = busy.file("cqels-7.json", (40, [busy.row("a", 10)]), (2055, [busy.row("b", 20)]),
                     (3071, [busy.row("c", 30)]), (5020, [busy.row("d", 40)]))
    import denota

    verdict = denota.check_recorded(busy.query("RANGE 2s STEP 2s"), busy.data, path)
    assert verdict.ok
    assert verdict.engine.name == "cqels"
    assert not verdict.required
    assert 0 < len(verdict.own) < len(verdict.right)
