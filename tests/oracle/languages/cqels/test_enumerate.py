"""All small CQELS-CEP cases: each once, as many as are counted, as random ones are drawn."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

from denota.oracle.checking.batch_checker import same
from denota.oracle.languages.cqels.batch import on_many
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.ranks.space import Space
from denota.semantics.cqels.syntax.printing import to_text


@cache
def cases(operators=1, events=2, alphabet="steps", **bounds):
    return Space.of("cqels", Bounds(operators, events, alphabet=alphabet, **bounds))


def test_queries_of_steps_are_sequences_and_joined_windows() -> None:
    """In a window or over windows, with one negated element or none, by their letters."""
    for operators, count in ((0, 1), (1, 2 * (6 + 4)), (2, 5 * 8)):
        found = [tree for tree, _ in cases(2, 0, within=5).enumeration.queries(operators)]
        assert len(set(map(to_text, found))) == len(found) == count


def test_streams_are_counted() -> None:
    """[RANGE 1], [NOW] and [ALL] tell gaps of 0, 1 and 2; a sliding window also its two phases."""
    space = cases(0, 2, "windows")
    assert [space.count(0, events) for events in (0, 1)] == [4, 3 * 3 + 3 * 2]
    # Of three items, one is on a stream that comes last of an instant.
    gaps, slid, ties = 2, 3, 7
    assert space.count(0, 2) == 3 * (gaps * 9 + ties) + 2 * (slid * 9 + ties)


def test_items_last_where_streams_are_of_few_letters() -> None:
    space = cases(0, 1, "leaving")
    assert space.count(0, 1) == 2 * 2
    enumeration = space.enumeration
    about = next(enumeration.queries(0))[1]
    texts = [enumeration.written(about, streams) for streams in enumeration.streams(about, 1)]
    assert sorted("startedAtTime 0 ; prov:endedAtTime 1" in text for text in texts) == [
        False, True
    ]


def test_windows_are_as_wide_as_they_are_asked_for() -> None:
    def shown(**bounds):
        enumeration = cases(0, 0, **bounds).enumeration
        return " ".join(enumeration.text(tree) for tree, _ in enumeration.queries(0))

    assert "[ALL]" in shown()
    assert "[RANGE 5]" in shown(within=5)
    assert "[RANGE 1 SLIDE 2]" in shown(alphabet="windows")
    assert "[RANGE 5 SLIDE 3]" in shown(alphabet="windows", within=5, slide=3)


def test_what_it_does_not_have_is_refused() -> None:
    with pytest.raises(BoundsError, match="up to 3 operators"):
        cases(4)
    for bounds in (
        Bounds(slide=3, alphabet="variables"), Bounds(events=True, alphabet="windows")
    ):
        with pytest.raises(BoundsError, match="without SLIDE"):
            Space.of("cqels", bounds)


def test_a_background_that_changes_is_judged_by_the_batch() -> None:
    space = cases(1, 2, "background")
    block = space.block(1, 2)
    answered = 0
    for run in islice(space.runs(block.first, block.end), 0, None, 97):
        many = on_many(run.query, run.readings, **run.beside)
        batch = [run.given(place) for place in range(len(run))]
        for wanted, told in zip(many.expected(batch), many.reported(batch), strict=True):
            assert same(wanted, told), run.text
            answered += bool(wanted)
    assert answered > 50
