"""The tester against engines that are made of the definitions: windows, reports, stream operators.

An engine is a setting of RSP-QL with a window start. What it records is worked out from
`semantics.streams` alone; whatever its setting, the tester has to find it.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from denota.oracle.recorded_output.check_recorded import RecordedQuestion
from denota.oracle.recorded_output.recordings import Recording, Relation
from denota.oracle.recorded_output.schedules import (
    Extent,
    FirstWindow,
    Policy,
    Trigger,
    WindowEnds,
)
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import URIRef, Variable, literal
from denota.semantics.rsepql import evaluation_times as reports
from denota.semantics.rsepql.denotation import dstream, istream, rstream
from denota.semantics.rsepql.syntax.tree import StreamOperator
from denota.semantics.rsepql.window_functions import TimeBased, arrived

from ..examples import examples

SECOND = 1_000_000
STREAM = URIRef("http://example.org/s")
OPERATORS = {
    StreamOperator.RSTREAM: rstream, StreamOperator.ISTREAM: istream,
    StreamOperator.DSTREAM: dstream,
}
S, V = Variable("s"), Variable("v")
READS = URIRef("http://example.org/reads")
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


@st.composite
def streams(draw):
    """Readings of a few sensors, a second or more apart; some graphs hold what is not asked for."""
    seconds = sorted(draw(st.sets(st.integers(0, 9), min_size=2, max_size=7)))
    items = []
    for second in seconds:
        values = draw(st.dictionaries(st.sampled_from("abc"), st.integers(1, 3), max_size=2))
        triples = frozenset(
            (URIRef(f"http://example.org/{sensor}"), READS, literal(str(value), INTEGER))
            for sensor, value in values.items()
        )
        nothing = (STREAM, STREAM, literal(str(second)))
        items.append(TimestampedGraph(second * SECOND, triples | {nothing}, TimeKind.DATETIME))
    return items


@st.composite
def lateness(draw):
    return draw(st.integers(0, 900)) * 1_000


def question(items, width, slide):
    return RecordedQuestion.of(
        f"SELECT ?s ?v FROM NAMED WINDOW <urn:w> ON <{STREAM}> [RANGE {width}s STEP {slide}s]"
        f" WHERE {{ WINDOW <urn:w> {{ ?s <{READS}> ?v }} }}",
        {str(STREAM): items},
    )


def answer(items):
    """The bag of readings in a window: a snapshot is a set of triples."""
    triples = set().union(*(item.graph for item in items)) if items else set()
    return tuple(SolutionMapping({S: s, V: v}) for s, p, v in sorted(triples) if p == READS)


def recording(instants, contents, operator, empty_answers, delays):
    """What an engine records that is asked at these instants."""
    relations, before = [], ()
    for number, (t, held) in enumerate(zip(instants, contents, strict=True)):
        now = answer(held)
        rows = OPERATORS[operator](now, before) if number or operator is not (
            StreamOperator.DSTREAM) else ()
        before = now
        if rows or empty_answers:
            relations.append(Relation(t + delays[number % len(delays)], rows))
    return Recording(tuple(relations))


@examples(100, least=40)
@given(
    streams(), st.sampled_from([(2, 2), (3, 1), (4, 2), (1, 1)]), st.integers(-9, 9),
    st.sampled_from(WindowEnds), st.sampled_from(StreamOperator), st.booleans(), st.booleans(),
    st.lists(lateness(), min_size=1, max_size=3),
)
def test_an_engine_that_reports_at_the_close_of_windows_is_found_out(
    items, window, quarter, bounds, operator, non_empty, empty_answers, delays
):
    width, slide = window[0] * SECOND, window[1] * SECOND
    first = items[0].time
    t0 = first + quarter * slide // 10
    clock = TimeBased(width, slide, t0 + width, bounds.begin_included, bounds.end_included)
    started = [item for item in items if item.time > t0
               or (item.time == t0 and bounds.begin_included)]
    policy = reports.non_empty_content if non_empty else reports.window_close
    instants = [
        t for t in policy(clock, started)
        if t >= t0 + width and (t > first or bounds.end_included)
    ]
    if not non_empty:  # windows close from the first item on, whether it was seen or not
        earliest = clock.next_step(first if bounds.end_included else first + 1)
        last = instants[-1] if instants else earliest - 1
        instants = list(range(max(earliest, t0 + width), last + 1, slide))
    contents = [clock(arrived(started, t), t) for t in instants]
    recorded = recording(instants, contents, operator, empty_answers, sorted(delays))
    assume(recorded.rows)
    verdict = question(items, *window).check(recorded, delay=SECOND)
    mine = [
        right for right in verdict.right
        if right.setting.policy is (Policy.NON_EMPTY_CONTENT if non_empty else Policy.WINDOW_CLOSE)
        and right.setting.bounds is bounds
        and right.setting.operator is operator
        and right.setting.empty_answers is empty_answers
        and right.setting.first is FirstWindow.FULL
    ]
    assert any(s.earliest <= t0 <= s.latest for right in mine for s in right.starts)


@examples(100, least=40)
@given(
    streams(), st.sampled_from([1, 2, 4]), st.booleans(), st.sampled_from(StreamOperator),
    st.booleans(), st.lists(lateness(), min_size=1, max_size=3),
)
def test_an_engine_that_reports_what_comes_is_found_out(
    items, width, closed, operator, empty_answers, delays
):
    bounds = WindowEnds.CLOSED_CLOSED if closed else WindowEnds.OPEN_CLOSED
    window = TimeBased(width * SECOND, 1, 0, bounds.begin_included, bounds.end_included)
    instants = reports.content_change(window, items)
    contents = [window(arrived(items, t), t) for t in instants]
    recorded = recording(instants, contents, operator, empty_answers, sorted(delays))
    assume(recorded.rows)
    verdict = question(items, width, width).check(recorded, delay=SECOND)
    assert any(
        right.setting.policy is Policy.CONTENT_CHANGE
        and right.setting.extent is Extent.SLIDING
        and right.setting.trigger is Trigger.ARRIVAL
        and right.setting.bounds is bounds
        and right.setting.operator is operator
        and right.setting.empty_answers is empty_answers
        for right in verdict.right
    )


@examples(100, least=40)
@given(
    streams(), st.sampled_from([(2, 2), (3, 1), (4, 2)]), st.sampled_from(WindowEnds),
    st.sampled_from(StreamOperator), st.booleans(),
)
def test_an_engine_that_reports_what_is_new_in_closed_windows_is_found_out(
    items, window, bounds, operator, empty_answers
):
    width, slide = window[0] * SECOND, window[1] * SECOND
    t0 = items[0].time - width  # so that the first item is in a window that was open from its start
    clock = TimeBased(width, slide, t0, bounds.begin_included, bounds.end_included)
    instants = reports.content_change(clock, items)
    contents = [clock(arrived(items, t), t) for t in instants]
    recorded = recording(instants, contents, operator, empty_answers, [0])
    assume(recorded.rows)
    verdict = question(items, *window).check(recorded, delay=0)
    assert any(
        right.setting.policy is Policy.CONTENT_CHANGE
        and right.setting.trigger is Trigger.NEW
        and right.setting.bounds is bounds
        and right.setting.operator is operator
        and right.setting.empty_answers is empty_answers
        for right in verdict.right
    )


@examples(100, least=40)
@given(
    streams(), st.sampled_from([(2, 2), (3, 1), (4, 2)]), st.data(),
)
def test_what_is_wrong_differs_and_the_difference_explains_it(items, window, data):
    """A row of a wrong recording is in place, or in the difference; so is a row that is due."""
    rows = [mu for item in items for mu in answer([item])]
    assume(rows)
    relations = data.draw(st.lists(
        st.builds(
            Relation, st.integers(0, 14).map(lambda second: second * SECOND),
            st.lists(st.sampled_from(rows), max_size=3).map(tuple),
        ),
        max_size=5,
    ))
    recorded = Recording(tuple(sorted(relations, key=lambda relation: relation.time)))
    verdict = question(items, *window).check(recorded)
    assert verdict.ok == (verdict.nearest is None)
    if verdict.nearest is not None:
        assert verdict.nearest.size
        came = Counter(row for relation in recorded.relations for row in relation.rows)
        wrong = Counter(entry.row for entry in verdict.nearest.unexpected if entry.row is not None)
        wrong.update(entry.row for entry in verdict.nearest.misplaced if entry.row is not None)
        assert wrong <= came
