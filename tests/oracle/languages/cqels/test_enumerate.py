"""All small CQELS-CEP cases: each once, as many as are counted."""

from __future__ import annotations

from itertools import permutations
from string import ascii_uppercase

import pytest

from denota.oracle.languages.cqels.enumerate import CqelsEnumeration
from denota.oracle.languages.enumerated_graphs import interval_streams, renamed
from denota.oracle.languages.enumeration import Bounds
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.cqels.syntax.printing import to_text


def test_queries() -> None:
    for operators, count in ((0, 1), (1, 2 * (6 + 4)), (2, 5 * 8)):
        found = [query for query, _ in CqelsEnumeration(Bounds(within=5)).queries(operators)]
        assert len(found) == len({to_text(query) for query in found}) == count
        assert all(parse(to_text(query)) == query for query in found)


@pytest.mark.parametrize(("letters", "items", "count"), [("A", 2, 36), ("A", 3, 626)])
def test_streams_differ_by_more_than_names(letters: str, items: int, count: int) -> None:
    classes = set()
    for stream in interval_streams(letters, items):
        graphs = [
            ((end, ascii_uppercase[letter], subject, object_), start < end)
            for start, end, letter, subject, object_ in stream
        ]
        assert len(graphs) == items
        classes.add(min(
            tuple(zip(renamed(item for item, _ in order), (long for _, long in order),
                      strict=True))
            for order in permutations(graphs)
            if [item[0] for item, _ in order] == [item[0] for item, _ in graphs]
        ))
    assert len(classes) == len(interval_streams(letters, items)) == count
