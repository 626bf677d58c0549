"""RSEP-QL cases of written clauses: each query once, its streams against all labelled ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations, product

import pytest

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.rsepql.alphabets import WRITTEN
from denota.oracle.languages.rsepql.enumerate.content_streams import (
    Content,
    Contents,
    InstantChoices,
    content_streams,
)
from denota.oracle.languages.rsepql.enumerate.written_cases import WrittenCases
from denota.oracle.ranks.numbered_streams import Symbols
from denota.semantics.rsepql.syntax.parse import parse

A, B = Content("s", (("a", "P", "b"),)), Content("s", (("b", "P", "a"),))
ELSEWHERE = Content("t", (("a", "P", "b"), ("b", "P", "a")))
OTHER = Content("s", (("z", "Z", "z"),))

CONTENTS = (
    Contents((A, B, OTHER), (("a", "b"),), InstantChoices(1)),
    Contents((A, B, OTHER), (), InstantChoices(2)),
    Contents((A, B, ELSEWHERE), (("a", "b"),), InstantChoices(1, 3)),
    Contents((A, B, ELSEWHERE), (("a", "b"),), InstantChoices(1, 2), counted=True),
    Contents((A, OTHER), (), InstantChoices(2, 3), counted=True),
)


def labelled(contents: Contents, events: int) -> Iterator[Symbols]:
    """Every stream, at any instants."""
    instants = contents.instants
    latest = instants.latest
    if latest is None:
        latest = (events - 1) * (instants.width + 2)
    for times in product(range(latest + 1), repeat=events):
        if list(times) == sorted(times):
            for chosen in product(range(len(contents.graphs)), repeat=events):
                yield tuple(zip(times, chosen, strict=True))


def class_of(word: Symbols, contents: Contents) -> object:
    """The least of what renaming makes of a stream, and what is told apart of its instants."""
    places = sorted({at for at, _ in word})
    width = contents.instants.width
    told: tuple[int, ...] = tuple(places)
    if contents.instants.latest is None:
        gaps = [later - earlier for earlier, later in combinations(places, 2)]
        told = tuple((gap > width) - (gap < width) for gap in gaps)

    def seen(names: Mapping[str, str]) -> object:
        streams: dict[str, list[tuple[int, object]]] = {}
        for at, number in word:
            graph = contents.graphs[number].renamed(names)
            streams.setdefault(graph.stream, []).append((places.index(at), graph.triples))
        return sorted(
            (stream, those if contents.counted else sorted(those, key=repr))
            for stream, those in streams.items()
        )

    renamings = (
        dict(zip(names, others, strict=True))
        for names in contents.alike or ((),) for others in permutations(names)
    )
    return len(places), told, min(repr(seen(names)) for names in renamings)


@pytest.mark.parametrize("events", [0, 1, 2, 3])
@pytest.mark.parametrize("contents", CONTENTS)
def test_one_stream_of_each_class(contents: Contents, events: int) -> None:
    listed = [class_of(stream, contents) for stream in content_streams(contents, events)]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {class_of(stream, contents) for stream in labelled(contents, events)}


@pytest.mark.parametrize("alphabet", WRITTEN)
def test_each_query_comes_once(alphabet: str) -> None:
    cases = WrittenCases(Bounds(alphabet=alphabet, within=3))
    texts = [
        (family.query(shape, None), about.evaluation)
        for family in cases.families(1)[::5]
        for shape in range(0, family.shapes, 11)
        for _, about, _ in [family.namings.at(0, lambda _: 1)]
    ]
    assert len(set(texts)) == len(texts)
    for query, _ in texts[::5]:
        assert parse(cases.text(query)) == query


def test_windows_are_as_wide_as_they_are_asked_for() -> None:
    wide = {
        within: cases.text(next(cases.queries(0))[0])
        for within in (None, 5)
        for cases in [WrittenCases(Bounds(alphabet="event-joins", within=within))]
    }
    assert "[RANGE 2]" in wide[None]
    assert wide[5] == wide[None].replace("RANGE 2", "RANGE 5")
