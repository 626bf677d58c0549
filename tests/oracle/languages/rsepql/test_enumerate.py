"""All small RSEP-QL cases: each once, as many as are counted, as random ones are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, product

import pytest

from denota.oracle.inputs.choices import (
    Restricted,
    Restriction,
    every,
)
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.languages.rsepql.enumerate import ALPHABETS
from denota.oracle.languages.rsepql.generate.events import event_pattern
from denota.oracle.ranks.space import Space
from denota.semantics.model.trees import changed, find
from denota.semantics.rdf.syntax.tree import GroupGraphPattern
from denota.semantics.rsepql.syntax.tree import (
    Event,
    EventPattern,
    First,
    Last,
    Sequence,
    SequenceOperator,
)

ANY = GroupGraphPattern()


@cache  # all queries are drawn to be counted
def cases(operators=1, events=2, alphabet="steps", **bounds):
    return Space.of("rsepql", Bounds(operators, events, alphabet=alphabet, **bounds))


def patterns(operators: int) -> Iterator[EventPattern]:
    """Every event pattern of EVENTs that have one body, by what it is made of."""
    if not operators:
        yield Event(*_event())
        return
    for inner in patterns(operators - 1):
        yield from (First(inner), Last(inner))
    for left in range(operators):
        for first, second in product(patterns(left), patterns(operators - 1 - left)):
            yield from (Sequence(each, first, second) for each in SequenceOperator)


def _event():
    [found] = every(lambda choices: _drawn(choices, 0))
    assert isinstance(found, Event)
    return found.window, found.pattern


def _drawn(choices, operators):
    restricted = Restricted(choices, Restriction(ALPHABETS["steps"].allowed))
    return event_pattern(restricted, operators, bodies=lambda _, count: [ANY] * count)


@pytest.mark.parametrize("operators", [0, 1, 2, 3])
def test_every_event_pattern_once(operators: int) -> None:
    def over_one_window(pattern):
        window, _ = _event()
        return changed(
            pattern, lambda part: replace(part, window=window) if isinstance(part, Event) else part
        )

    listed = list(map(over_one_window, every(lambda choices: _drawn(choices, operators))))
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(patterns(operators))


def test_streams_are_counted() -> None:
    """One graph of two that an exchange of nodes makes of one another; instants 0 to 4."""
    space = cases(0, 2, "window-functions")
    queries = space.queries(0)
    assert space.count(0, 0) == queries
    assert space.count(0, 1) == queries * 5 * 2
    places = len(list(combinations_with_replacement(range(5), 2)))
    assert space.count(0, 2) == queries * places * (3 * 3 + 1) // 2


def test_events_of_one_instant_have_no_order_across_streams() -> None:
    space = cases(0, 2, "two-windows", within=1)
    enumeration = space.enumeration
    about = next(each for _, each in enumeration.queries(0) if len(each.streams) == 2)
    found = [
        {iri: tuple((item.time, item.graph) for item in items) for iri, items in
         enumeration.items(about, streams).items()}
        for streams in enumeration.streams(about, 2)
    ]
    assert len({repr(sorted(each.items(), key=repr)) for each in found}) == len(found)


def test_windows_are_as_wide_as_they_are_asked_for() -> None:
    def first(**bounds):
        space = cases(0, 0, **bounds)
        return space.enumeration.text(next(space.enumeration.queries(0))[0])

    assert "[FROM 0]" in first()
    assert "[RANGE 5]" in first(within=5)
    assert "[RANGE 2]" in first(alphabet="event-joins")
    assert "[RANGE 5]" in first(alphabet="event-joins", within=5)


def test_what_it_does_not_have_is_refused() -> None:
    with pytest.raises(BoundsError, match="up to 4 operators"):
        cases(5)
    with pytest.raises(BoundsError, match="without SLIDE"):
        cases(1, slide=2)


def test_nothing_is_consumed_without_an_event() -> None:
    enumeration = cases(0, 0, "two-windows").enumeration
    for tree, _ in enumeration.queries(0):
        assert find(tree.form, Event) or "CONSUME" not in enumeration.text(tree)
