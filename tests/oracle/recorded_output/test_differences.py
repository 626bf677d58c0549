"""The smallest difference: what is missing, unexpected, late, early, or among the wrong rows."""

import pytest

from denota.oracle.recorded_output.schedules import FirstWindow, WindowEnds

SECOND = 1_000_000


@pytest.fixture
def sliding(station):
    """A reading a second, in windows [t − 3 s, t) every second, as they should be reported."""
    names = {second: f"s{second}" for second in range(10)}
    station.measures({second: {name: second} for second, name in names.items()})
    rows = {second: station.row(name, second) for second, name in names.items()}
    answers = {
        close: [rows[s] for s in range(max(0, close - 3), min(close, 10))]
        for close in range(1, 13)
    }
    return station, rows, answers


def judge(sliding, answers, **options):
    station = sliding[0]
    told = [(close * 1000, rows) for close, rows in answers.items()]
    return station.judge("RANGE 3s STEP 1s", *told, setting="sparqlstream", **options)


def test_they_are_right_as_they_are(sliding):
    verdict = judge(sliding, sliding[2])
    assert {r.setting.first for r in verdict.right} >= {FirstWindow.PARTIAL}


@pytest.mark.parametrize("delay", ["0s", "1s", "2s"])
def test_a_missing_row_is_one_difference_however_long_the_delay(sliding, delay):
    """With a delay of a slide or more, an answer could be told for its neighbour."""
    _, rows, answers = sliding
    answers[6] = [row for row in answers[6] if row is not rows[4]]
    verdict = judge(sliding, answers, delay=delay)
    nearest = verdict.nearest
    assert (len(nearest.missing), len(nearest.unexpected), len(nearest.misplaced)) == (1, 0, 0)
    assert nearest.setting.bounds in (WindowEnds.CLOSED_OPEN, WindowEnds.OPEN_CLOSED)


def test_a_row_too_many_is_one_difference(sliding):
    _, rows, answers = sliding
    answers[6] = [*answers[6], rows[1]]
    nearest = judge(sliding, answers).nearest
    assert (len(nearest.missing), len(nearest.unexpected), len(nearest.misplaced)) == (0, 1, 0)
    assert nearest.unexpected[0].time == 6 * SECOND


def test_a_row_that_came_with_the_next_answer_is_late_and_not_two_faults(station):
    station.measures({s: {f"s{s}": s} for s in range(8)})
    rows = {s: station.row(f"s{s}", s) for s in range(8)}
    answers = [(2000, [rows[0], rows[1]]), (4000, [rows[2]]), (6000, [rows[3], rows[4], rows[5]]),
               (8000, [rows[6], rows[7]])]
    nearest = station.judge("RANGE 2s STEP 2s", *answers, setting="sparqlstream").nearest
    (late,) = nearest.misplaced
    assert (late.due, late.came) == (4 * SECOND, 6 * SECOND)
    assert nearest.size == 1


def test_all_answers_late_by_the_same(station):
    station.measures({s: {f"s{s}": s} for s in range(8)})
    rows = {s: station.row(f"s{s}", s) for s in range(8)}
    answers = [(1000 * close + 3700, [rows[close - 2], rows[close - 1]]) for close in (2, 4, 6, 8)]
    nearest = station.judge("RANGE 2s STEP 2s", *answers, setting="sparqlstream").nearest
    assert {m.came - m.due for m in nearest.misplaced} == {3_700_000}
    assert nearest.size == len(nearest.misplaced) == 8


def test_missing_and_unexpected_empty_answers(station):
    station.measures({s: {f"s{s}": s} if s in (0, 5) else {} for s in range(6)})
    first, last = station.row("s0", 0), station.row("s5", 5)
    answers = [(1000, [first]), (2000, []), (3000, []), (5000, []), (6000, [last])]
    nearest = station.judge("RANGE 1s STEP 1s", *answers, setting="csparql", delay="0s").nearest
    assert [(entry.time, entry.row) for entry in nearest.missing] == [(4 * SECOND, None)]
    assert not nearest.unexpected


def test_the_nearest_of_the_engine_s_own_is_shown_where_another_is_nearer(station):
    """Told at each arrival, with a fault, by what calls itself C-SPARQL."""
    from denota.oracle.recorded_output.check_recorded import check_recorded

    station.measures({s: {f"s{s}": s} for s in range(8)})
    told = [(s * 1000, [station.row(f"s{s}", s)]) for s in range(8) if s != 5]
    path = station.file("csparql-1.json", *told)
    verdict = check_recorded(station.query("RANGE 4s STEP 4s"), station.data, path, delay="0s")
    assert not verdict.nearest.setting.is_of(verdict.engine)
    assert len(verdict.nearest.missing) == verdict.nearest.size == 1
    assert verdict.nearest_own.setting.is_of(verdict.engine)
    assert verdict.nearest_own.size > 1
