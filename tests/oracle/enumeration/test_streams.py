"""Streams of the languages over graphs of one triple, against all labelled ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import pytest

from denota.oracle.languages.enumerated_graphs import instant_streams, interval_streams

# (instant, letter, subject, object, whether it lasts); what no query names has no subject.
Labelled = tuple[tuple[int, str, int, int, int], ...]


def labelled(letters: str, items: int, lasting: bool) -> Iterator[Labelled]:
    """Every stream: graphs in any order, at instants without a gap, all of them with names."""
    names = range(items)
    graphs = [
        *product(letters, names, names, (0, 1) if lasting else (0,)), ("Z", 0, 0, 0)
    ]
    for instants in product(range(1, items + 1), repeat=items):
        if list(instants) == sorted(instants) and set(instants) == set(range(1, instants[-1] + 1)):
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
