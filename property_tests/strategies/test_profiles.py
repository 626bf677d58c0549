"""Each profile of streams is what its name says, whatever the events are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from denota.oracle.inputs.streams import MOST, MOST_REMEMBERED, PROFILES, Event, boundary_ticks
from denota.strategies import profiled

Letters = Event[str, str]
Both = tuple[list[Letters], list[Letters]]


@st.composite
def scripts(draw: DrawFn) -> list[Letters]:
    """Events of two streams, each with a letter of its own."""
    gaps = draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    ticks = [sum(gaps[: k + 1]) for k in range(len(gaps))]
    return [(tick, draw(st.sampled_from("st")), chr(97 + k)) for k, tick in enumerate(ticks)]


@st.composite
def arranged(
    draw: DrawFn, *profiles: str, widths: tuple[int, ...] = (4,), slides: tuple[int, ...] = ()
) -> Both:
    """A script, and the same under these profiles alone."""
    script = draw(scripts())
    made = profiled(
        draw, "test", script, widths=widths, slides=slides, options=("usual", *profiles)
    )
    return script, made


def some(profile: str, **windows: tuple[int, ...]) -> SearchStrategy[Both]:
    """Arrangements by a profile that are not the script."""
    return arranged(profile, **windows).filter(lambda both: both[0] != both[1])


@given(arranged(*PROFILES))
def test_events_come_in_time_order_from_streams_that_there_are(both: Both) -> None:
    script, made = both
    assert [event[0] for event in made] == sorted(event[0] for event in made)
    assert {event[1:] for event in made} <= {event[1:] for event in script}
    assert len(made) <= MOST


@pytest.mark.parametrize("profile", ["ties", "shuffled", "boundary"])
def test_some_profiles_only_arrange(profile: str) -> None:
    @given(some(profile))
    def holds(both: Both) -> None:
        script, made = both
        assert Counter(event[1:] for event in made) == Counter(event[1:] for event in script)

    holds()


@given(some("ties"))
def test_ties_tie(both: Both) -> None:
    script, made = both
    ticks = len({event[0] for event in script})
    assert len({event[0] for event in made}) <= ticks
    if ticks > 1:
        assert max(Counter(event[0] for event in made).values()) > 1


@given(some("shuffled"))
def test_shuffled_events_keep_the_ticks(both: Both) -> None:
    script, made = both
    assert [event[0] for event in made] == [event[0] for event in script]


@given(some("returning"))
def test_what_returns_has_been_there(both: Both) -> None:
    script, made = both
    assert set(script) <= set(made)
    assert len(made) > len(script)


@given(some("duplicates"))
def test_duplicates_are_near(both: Both) -> None:
    script, made = both
    for tick, stream, letter in set(made) - set(script):
        assert {(tick - 1, stream, letter), (tick - 2, stream, letter)} & set(script)


@given(some("starved"))
def test_a_starved_stream_says_no_more(both: Both) -> None:
    script, made = both
    assert set(made) <= set(script)


@given(arranged("long").filter(lambda both: len(both[1]) > 40))
@settings(max_examples=20)
def test_a_long_stream_is_long_and_no_window_is_full(both: Both) -> None:
    _, made = both
    if len(made) >= 50:  # a second profile may have left some out
        ticks = [event[0] for event in made]
        crowd = max(sum(t - 4 < other <= t for other in ticks) for t in ticks)
        assert crowd <= 2 * 6


@given(arranged("long", "expiry", "returning", "duplicates", widths=()))
def test_where_nothing_expires_there_are_few_events(both: Both) -> None:
    assert len(both[1]) <= MOST_REMEMBERED


@pytest.mark.parametrize("near", [-1, 0, 1])
def test_an_event_comes_beside_the_end_of_a_window(
    comes_to: Callable[..., bool], near: int
) -> None:
    def beside(both: Both) -> bool:
        script, made = both
        return made != script and len(made) > 1 and made[-1][0] - made[0][0] == 9 + near

    assert comes_to(arranged("boundary", widths=(9,)), beside, lambda both: len(both[0]) == 2)


def test_what_has_expired_may_come_again() -> None:
    def again(both: Both) -> bool:
        script, made = both
        return len(script) == 2 and len(made) == 4 and made[2][0] - made[1][0] > 4

    find(arranged("expiry"), again, random=Random(0), settings=_MANY)


def test_the_simplest_arrangement_is_the_script() -> None:
    script, made = find(
        # Of the script: to draw one event and repeat it is shorter than to draw two.
        arranged(*PROFILES), lambda both: len(both[0]) > 1, random=Random(0), settings=_MANY
    )
    assert made == script
    assert len(made) == 2


def test_boundary_ticks() -> None:
    assert boundary_ticks([(3, "s", "a")], widths=[5]) == [2, 3, 4, 7, 8, 9]
    assert boundary_ticks([], bounds=[2]) == [1, 2, 3]
    assert 12 in boundary_ticks([(3, "s", "a")], widths=[5], slides=[4])


_MANY = settings(max_examples=2_000, database=None, phases=(Phase.generate, Phase.shrink))
