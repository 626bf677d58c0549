"""All small RSEP-QL cases: each once, as many as are counted, as random ones are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, islice, product

import pytest

from denota.oracle.inputs.choices import (
    NothingAllowed,
    Restricted,
    Restriction,
    every,
    random_values,
)
from denota.oracle.inputs.swarms import Swarm
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.languages.rsepql.alphabets import ALPHABETS
from denota.oracle.languages.rsepql.generate.events import event_pattern
from denota.oracle.languages.rsepql.generate.queries import query
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.row_verdicts import judge_rows
from denota.semantics.model.trees import changed, find, parts
from denota.semantics.rdf.syntax.tree import GroupGraphPattern
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.tree import (
    Event,
    EventPattern,
    First,
    Last,
    NestedWindow,
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


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_each_query_comes_once_with_its_number_of_operators(alphabet: str) -> None:
    enumeration = cases(1, 2, alphabet).enumeration
    for operators in (0, 1):
        found = list(islice(enumeration.queries(operators), 2_000))
        assert len(set(found)) == len(found)
        for tree, about in found[::37]:
            text = enumeration.text(tree)
            assert parse(text) == tree
            assert sum(
                isinstance(each, First | Last | Sequence | NestedWindow)
                for each in (*parts(tree.form), *parts(tree.windows))
            ) == operators
            assert about.policy in (
                None, "window-close", "non-empty-content", "periodic"
            )


@pytest.mark.parametrize("alphabet", ["steps", "window-functions", "two-windows"])
def test_what_is_enumerated_can_be_drawn_at_random(alphabet: str) -> None:
    """But for the bodies, which are forms, and for widths, which bounds say."""
    def bodies(choices, count):
        return [ANY] * count

    restriction = Restriction(cases(1, 2, alphabet).enumeration.allowed)

    def at_random(choices):
        while True:
            try:
                return query(Restricted(choices, restriction), 1, bodies=bodies)
            except NothingAllowed:
                pass

    listed = set(every(lambda choices: query(Restricted(choices, restriction), 1, bodies=bodies)))
    drawn = list(random_values(at_random, "0", 1_000, Swarm()))
    assert set(drawn) <= listed
    if len(listed) < 100:
        assert set(drawn) == listed


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_the_definitions_have_an_answer_to_every_case(alphabet: str) -> None:
    space = cases(1, 2, alphabet)
    for block in space.blocks[-3:]:
        rows = list(map(space.row, range(block.first, block.end, -(-block.cases // 60))))
        assert {verdict.outcome for verdict in judge_rows(rows, "oracle", 10.0)} == {"pass"}


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
