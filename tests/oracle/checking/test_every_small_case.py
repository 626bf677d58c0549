"""The production engine passes the cases within small bounds, in every language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from denota.oracle.checking.batch_checker import same
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import names, part_of
from denota.oracle.ranks.space import Run, Space

SPACES: tuple[tuple[str, Mapping[str, Any], Mapping[str, str]], ...] = (
    ("spaseq", {"alphabet": "keys"}, {}),
    ("spaseq", {"alphabet": "single", "operators": 2, "within": 2}, {"window": "match"}),
    ("spaseq", {"alphabet": "joins", "operators": 0}, {}),
    ("spaseq", {"alphabet": "optionals", "length": 1}, {}),
    ("spaseq", {"alphabet": "filters"}, {}),
    ("spaseq", {"alphabet": "background", "operators": 0, "length": 3}, {}),
    ("spaseq", {"alphabet": "sequences", "length": 3}, {"kleene": "collect"}),
    ("rsepql", {"operators": 2}, {}),
    ("rsepql", {"length": 3, "within": 1}, {"rivals": "any"}),
    ("rsepql", {"alphabet": "gaps", "within": 2}, {}),
    ("rsepql", {"alphabet": "window-functions", "length": 1}, {}),
    ("rsepql", {"alphabet": "two-windows", "operators": 0}, {}),
    ("rsepql", {"alphabet": "event-joins", "operators": 0, "length": 3, "within": 1}, {}),
    ("rsepql", {"alphabet": "group-patterns", "length": 1, "within": 1}, {}),
    ("cqels", {"operators": 2}, {"inside": "open"}),
    ("cqels", {"within": 1}, {"inside": "open"}),
    ("cqels", {"alphabet": "gaps", "within": 2}, {}),
    ("cqels", {"alphabet": "leaving"}, {}),
    ("epsparql", {"within": 0}, {}),
    ("epsparql", {"alphabet": "gaps", "within": 2}, {}),
    ("epsparql", {"within": 0},
     {"leftjoin": "paper", "optionalfilter": "paper", "occurrences": "each"}),
    ("epsparql", {"length": 3}, {"policy": "chronological"}),
    ("epsparql", {"length": 3}, {"policy": "recent"}),
    ("epsparql", {"alphabet": "durations"}, {}),
    ("epsparql", {"alphabet": "triples", "length": 1}, {}),
    ("epsparql", {"alphabet": "paths", "length": 1}, {}),
    ("epsparql", {"alphabet": "rules"}, {}),
    ("epsparql", {"alphabet": "background", "length": 1}, {}),
    ("epsparql", {"alphabet": "answers", "operators": 0}, {}),
    ("ceql", {"length": 4}, {}),
    ("ceql", {"alphabet": "attributes", "length": 3}, {}),
    ("ceql", {"alphabet": "attributes", "within": 1}, {}),
    ("ceql", {"alphabet": "strategies", "within": 1, "events": True},
     {"strategy": "after-within"}),
    ("ceql", {"alphabet": "partitions"}, {}),
    ("ceql", {"alphabet": "predicates", "length": 1}, {}),
    ("ceql", {"alphabet": "conditions", "length": 3}, {}),
    ("ceql", {"alphabet": "mixed", "length": 1}, {"partition": "core", "limit": "query"}),
    ("ceql", {"alphabet": "mixed", "within": 1}, {"within": "core"}),
    ("ceql", {"alphabet": "outputs", "length": 1}, {"output": "valuation"}),
)
"""A language, its bounds besides one operator and two events, its readings."""


PIECES, LENGTH = 12, 30
"""How many pieces of a block, and cases of a piece, are asked where not all are."""


def pieces(space: Space, every: bool) -> Iterator[Run]:
    """All cases, or pieces from every part of each block of cases of one size."""
    if every:
        yield from space.runs(0, space.cases)
        return
    for block in space.blocks:
        end = block.first
        for first in block.sample(PIECES):
            yield from space.runs(max(first, end), min(first + LENGTH, block.end))
            end = first + LENGTH


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("language", "bounds", "readings"), SPACES)
def test_the_engine_passes(
    language: str, bounds: Mapping[str, Any], readings: Mapping[str, str], every: bool
) -> None:
    space = Space.of(language, Bounds(**{"operators": 1, "length": 2, **bounds}, readings=readings))
    on_many = part_of(language, "batch").on_many
    answered = 0
    for run in pieces(space, every):
        query = on_many(run.query, run.readings, **run.beside)
        batch = [run.given(place) for place in range(len(run))]
        expected, reported = list(query.expected(batch)), list(query.reported(batch))
        assert len(expected) == len(reported) == len(run)
        for place, (wanted, told) in enumerate(zip(expected, reported, strict=True)):
            assert same(wanted, told), run.row(place)
            answered += bool(wanted)
    assert answered > (100 if every else 10)


def test_no_language_is_left_out() -> None:
    assert {language for language, _, _ in SPACES} == set(names())
