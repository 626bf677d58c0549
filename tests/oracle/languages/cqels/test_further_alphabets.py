"""The further alphabets of CQELS-CEP: each query once, and one stream of each that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, pairwise, product

import pytest

from denota.oracle.judging.batches import same
from denota.oracle.languages.cqels.alphabets import ALPHABETS
from denota.oracle.languages.cqels.batch import on_many
from denota.oracle.languages.cqels.enumerate import CqelsEnumeration
from denota.oracle.languages.cqels.enumerate.further_alphabets import FurtherAlphabet
from denota.oracle.languages.cqels.enumerate.item_streams import (
    EndTimes,
    ItemSort,
    Kind,
    item_streams,
)
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.ranks.space import Space
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.cqels.syntax.printing import to_text

Item = tuple[int, int, int, int, int]


FURTHER = [name for name, each in ALPHABETS.items() if isinstance(each, FurtherAlphabet)]


@pytest.mark.parametrize("alphabet", FURTHER)
def test_each_query_comes_once_and_can_be_read(alphabet: str) -> None:
    enumeration = CqelsEnumeration(Bounds(alphabet=alphabet))
    for operators in (0, 1):
        found = [
            (query, str(enumeration.beside(about)))
            for query, about in enumeration.queries(operators)
        ]
        assert len({(to_text(query), beside) for query, beside in found}) == len(found)
        assert all(parse(to_text(query)) == query for query, _ in found[::7])


def test_only_windows_of_one_alphabet_slide() -> None:
    CqelsEnumeration(Bounds(slide=3, alphabet="windows"))
    for bounds in (Bounds(slide=3, alphabet="variables"), Bounds(events=True, alphabet="windows")):
        with pytest.raises(BoundsError):
            CqelsEnumeration(bounds)


def test_a_background_that_changes_is_judged_by_the_batch() -> None:
    space = Space.of("cqels", Bounds(1, 2, alphabet="background"))
    block = space.block(1, 2)
    answered = 0
    for run in islice(space.runs(block.first, block.end), 0, None, 97):
        query = on_many(run.query, run.readings, **run.beside)
        batch = [run.given(place) for place in range(len(run))]
        expected, reported = query.expected(batch), query.reported(batch)
        for wanted, told in zip(expected, reported, strict=True):
            assert same(wanted, told), run.text
            answered += bool(wanted)
    assert answered > 50


A, B, AZ, OTHER = Kind("s", "A"), Kind("t", "B"), Kind("s", "AZ"), Kind("u", "Z")


@pytest.mark.parametrize(("sort", "items"), [
    (ItemSort((A, B, OTHER), EndTimes(1)), 3),
    (ItemSort((A, OTHER), EndTimes(1, 2)), 3),
    (ItemSort((A, AZ), EndTimes(2, 3)), 2),
    (ItemSort((A, B), EndTimes(1, lasting=True)), 2),
    (ItemSort((A, OTHER), EndTimes(1, 2, lasting=True)), 2),
    (ItemSort((A, AZ), EndTimes(lasting=True), 2, objects=True), 2),
    (ItemSort((A, B), EndTimes(), 2), 4),
])
def test_one_stream_of_each_that_are_alike(sort: ItemSort, items: int) -> None:
    listed = list(item_streams(sort, items))
    found = {class_of(stream, sort) for stream in listed}
    assert len(found) == len(listed)
    assert found == {class_of(stream, sort) for stream in labelled(sort, items)}


def labelled(sort: ItemSort, items: int) -> Iterator[tuple[Item, ...]]:
    """Every stream, at any times that are not too far apart."""
    instants = sort.instants
    furthest = 2 if instants.width is None else instants.width + 2 * (instants.slide or 1) + 1
    nodes = range(sort.nodes)
    contents = [
        (lasts, kind, subject, object_)
        for kind, each in enumerate(sort.kinds)
        for lasts in ((0, 1) if instants.lasting and each.met else (0,))
        for subject in (nodes if each.met else (0,))
        for object_ in (nodes if each.met and sort.objects else (0,))
    ]
    for ends in product(range(1, (items - 1) * furthest + (instants.slide or 1) + 1), repeat=items):
        gaps = [later - earlier for earlier, later in pairwise(ends)]
        if ends[0] > (instants.slide or 1) or any(
            not 0 <= gap < (furthest if instants.width is not None else 2) for gap in gaps
        ):
            continue
        for chosen in product(contents, repeat=items):
            yield tuple(
                (end - lasts, end, *content)
                for end, (lasts, *content) in zip(ends, chosen, strict=True)
            )


def class_of(stream: tuple[Item, ...], sort: ItemSort) -> object:
    """What names and what no window can tell are left out of."""
    names = [kind.stream for kind in sort.kinds]
    met: dict[int, int] = {}
    contents = []
    ordered = sorted(stream, key=lambda item: (item[1], names.index(names[item[2]])))
    for _, _, kind, *nodes in ordered:
        known = nodes[: 1 + sort.objects] if sort.kinds[kind].met else []
        contents.append((kind, *(met.setdefault(node, len(met)) for node in known)))
    times = [(start, end) for start, end, *_ in ordered]
    if sort.instants.width is None:
        first = times[0][1]
        return tuple(contents), tuple((start - first, end - first) for start, end in times)
    points = [at for start, end in times for at in ((start, end) if start < end else (end,))]
    told = [
        ((a > b) - (a < b), (abs(a - b) > sort.instants.width) - (abs(a - b) < sort.instants.width))
        for a, b in combinations(points, 2)
    ]
    slide = sort.instants.slide
    edges = [] if slide is None else [end - end % slide for _, end in times]
    seen = [
        ((at > edge) - (at < edge), (at + sort.instants.width > edge) - (
            at + sort.instants.width < edge
        ))
        for edge in edges for at in points
    ]
    return tuple(contents), tuple(end - start for start, end in times), tuple(told), tuple(seen)
