"""The digest of verdicts, and their sums: the same however the work was cut."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.sweeps.case_sources import CheckSettings, CorpusPiece, RankPiece, RankSource
from denota.oracle.sweeps.verdict_sum import VerdictSum, digest_of, digest_text, plus

WORD = (1 << 64) - 1


def mixed(seed: int, *values: int) -> int:
    """One verdict's hash in a lane, as the module's first words say it."""
    x = seed
    for value in values:
        x = (x + value + 0x9E3779B97F4A7C15) & WORD
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
        x ^= x >> 31
    return x


def test_the_hash_is_as_documented() -> None:
    seeds = (0x243F6A8885A308D3, 0x13198A2E03707344)
    verdicts = [(0, 0, 0, 0, 0), (7, 1, 2, 3, 4), (10**12, 4, 0, 0, 1)]
    lanes = [sum(mixed(seed, *verdict) for verdict in verdicts) & WORD for seed in seeds]
    columns = [np.array(column) for column in zip(*verdicts, strict=True)]
    assert digest_text(digest_of(*columns)) == f"{lanes[0]:016x}{lanes[1]:016x}"


def test_every_part_of_a_verdict_counts() -> None:
    verdicts = [(1, 1, 1, 1, 1), *(tuple(1 + (i == k) for i in range(5)) for k in range(5))]
    assert len({digest_of(*([value] for value in each)) for each in verdicts}) == 6


def test_lanes_do_not_carry() -> None:
    most = (1 << 128) - 1
    assert plus(most, 1) == most - WORD
    assert plus(most, 1 << 64) == WORD


@pytest.mark.parametrize("language", ["spaseq", "ceql"])
def test_ranks_and_their_rows_have_one_digest_however_they_are_cut(language: str) -> None:
    source = RankSource(language, Bounds(1, 2, alphabet="single"))
    settings = CheckSettings("production", 10.0, "all")
    end = min(120, source.space.cases)
    [whole] = RankPiece(language, source.bounds, 0, end).sums(settings)
    total = VerdictSum()
    for first, last in ((70, end), (0, 1), (1, 70)):
        for each in RankPiece(language, source.bounds, first, last).sums(settings):
            total.add(each)
    rows = list(source.rows(range(end)))
    [by_row] = CorpusPiece(rows).sums(settings)
    assert whole.outcomes == total.outcomes == by_row.outcomes == Counter({"pass": end})
    assert whole.digest == total.digest == by_row.digest
    told = whole.rows.column("id").to_pylist()
    assert told == by_row.rows.column("id").to_pylist() == [row.id for row in rows]


def test_a_sum_is_read_as_it_was_written() -> None:
    written = VerdictSum(3, Counter(unsupported=3), 17, Counter({"no": 3}), renewed=1)
    text = written.text()
    assert VerdictSum.read(text, written.rows) == written
    with pytest.raises(ValueError, match="has been changed"):
        VerdictSum.read(text.replace('"cases": 3', '"cases": 4'), written.rows)


def test_an_enumeration_is_what_its_bounds_say() -> None:
    one = RankSource("ceql", Bounds(1, 2))
    assert one.identity() == RankSource("ceql", Bounds(1, 2)).identity()
    for other in (Bounds(1, 3), Bounds(1, 2, within=2, events=True)):
        assert RankSource("ceql", other).identity()["fingerprint"] != one.identity()["fingerprint"]
    assert [(c.first, c.end) for c in one.plan(50, 120).chunks] == [(0, 50), (50, 100), (100, 120)]
    sampled = [rank for piece in one.sample(10, None) for rank in range(piece.first, piece.end)]
    assert len(sampled) == len(set(sampled)) <= 10
    assert max(sampled) < one.space.cases
