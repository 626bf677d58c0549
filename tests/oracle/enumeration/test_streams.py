"""Streams of the languages over graphs of one triple, against all labelled ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, product

import pytest

from denota.oracle.languages.enumerated_graphs import (
    instant_streams,
    interval_streams,
    with_gaps,
)
from denota.oracle.ranks.numbered_streams import ends

# (instant, letter, subject, object, whether it lasts); what no query names has no subject.
Labelled = tuple[tuple[int, str, int, int, int], ...]


def labelled(
    letters: str, items: int, lasting: bool, latest: int | None = None
) -> Iterator[Labelled]:
    """Every stream: graphs in any order, all of them with names, at instants without a gap or, if
    there is a latest one, with any."""
    names = range(items)
    graphs = [
        *product(letters, names, names, (0, 1) if lasting else (0,)), ("Z", 0, 0, 0)
    ]
    for instants in product(range(1, (latest or items) + 1), repeat=items):
        if list(instants) == sorted(instants) and (
            latest is not None or set(instants) == set(range(1, instants[-1] + 1))
        ):
            for chosen in product(graphs, repeat=items):
                yield tuple((at, *graph) for at, graph in zip(instants, chosen, strict=True))


def class_of(stream: Labelled, letters: str) -> Labelled:
    """The least of what renaming makes of a stream, without an order at one instant."""
    renamings = list(permutations(range(len(stream))))
    return min(
        tuple(sorted(
            (at, letter, s, o, lasts) if letter == "Z"
            else (at, letter, subjects[s], objects[letters.index(letter)][o], lasts)
            for at, letter, s, o, lasts in stream
        ))
        for subjects in renamings
        for objects in product(renamings, repeat=len(letters))
    )


@pytest.mark.parametrize(
    ("letters", "items", "lasting"),
    [("A", 0, True), ("AB", 1, True), ("AB", 2, True), ("ABC", 2, False), ("A", 3, False)],
)
def test_one_stream_of_each_class(letters: str, items: int, lasting: bool) -> None:
    listed = [
        tuple(
            (end, chr(ord("A") + letter), subject, object_, int(start < end))
            for start, end, letter, subject, object_ in stream
        )
        for stream in (interval_streams if lasting else instant_streams)(letters, items)
    ]
    found = {class_of(stream, letters) for stream in listed}
    assert len(found) == len(listed)
    assert found == (
        {class_of(stream, letters) for stream in labelled(letters, items, lasting)}
        if items else {()}
    )


def told_by(stream: Labelled, width: int) -> Labelled:
    """The earliest stream of the same graphs to which a window this wide is the same: of any two
    of all starts and ends, which is first, and whether they are less apart, as much or more."""
    places = sorted({at for at, *_ in stream})
    lasting = {at: any(lasts for when, *_, lasts in stream if when == at) for at in places}
    earliest = next(
        dict(zip(places, chosen, strict=True))
        for chosen in _ascending(len(places), width)
        if _told(chosen, [lasting[at] for at in places], width)
        == _told(places, [lasting[at] for at in places], width)
    )
    return tuple((earliest[at], *graph) for at, *graph in stream)


@cache
def _ascending(count: int, width: int) -> list[tuple[int, ...]]:
    furthest = count * (width + 3)
    return sorted(combinations(range(1, furthest), count), key=lambda each: (each[-1:], each))


def _told(chosen: Sequence[int], lasting: Sequence[bool], width: int) -> list[object]:
    points = [*chosen, *(end - 1 for end, lasts in zip(chosen, lasting, strict=True) if lasts)]
    return [
        ((a > b) - (a < b), (abs(a - b) > width) - (abs(a - b) < width))
        for a, b in combinations(points, 2)
    ]


@pytest.mark.parametrize(
    ("letters", "items", "lasting", "width"),
    [("A", 0, True, 1), ("AB", 2, True, 1), ("A", 2, True, 3), ("", 3, False, 1),
     ("", 3, False, 2)],
)
def test_one_stream_of_each_class_that_a_window_tells_apart(
    letters: str, items: int, lasting: bool, width: int
) -> None:
    listed = [
        tuple(
            (end, chr(ord("A") + letter), subject, object_, int(start < end))
            for start, end, letter, subject, object_ in stream
        )
        for stream in with_gaps(
            interval_streams if lasting else instant_streams, letters, items, width
        )
    ]
    found = {class_of(told_by(stream, width), letters) for stream in listed}
    assert len(found) == len(listed)
    latest = (items - 1) * (width + 2) + 1
    assert found == {
        class_of(told_by(stream, width), letters)
        for stream in labelled(letters, items, lasting, latest)
    } if items else found == {()}


@pytest.mark.parametrize("lasting", list(product((False, True), repeat=3)))
@pytest.mark.parametrize("width", [0, 1, 2])
def test_three_instants_that_a_window_tells_apart(lasting: tuple[bool, ...], width: int) -> None:
    listed = [tuple(_told(chosen, lasting, width)) for chosen in ends(lasting, width)]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {tuple(_told(each, lasting, width)) for each in _ascending(3, width)}
