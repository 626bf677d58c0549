"""All small RSEP-QL cases: each once, as many as are counted."""

from __future__ import annotations

from denota.oracle.languages.enumerated_graphs import OTHER, enumerated_streams, triple_pattern
from denota.oracle.languages.rsepql.enumerate import PATTERNS
from denota.semantics.model.shown import text_of


def test_patterns_of_one_operator():
    shown = [text_of(pattern) for pattern, _ in PATTERNS.lettered(1, triple_pattern)]
    # FIRST, LAST, and four sequences of A with A or B.
    assert len(shown) == len(set(shown)) == 2 + 4 * 2


def test_streams_of_two_graphs_of_one_letter():
    found = list(enumerated_streams("A", 2))
    apart = [stream for stream in found if stream[0][0] != stream[1][0]]
    together = [stream for stream in found if stream[0][0] == stream[1][0]]
    # A A with equal or different subjects and objects, A Z, Z A, Z Z.
    assert len(apart) == 4 + 3
    assert len(together) == 4 + 2
    assert {item[1] for stream in found for item in stream} == {"A", OTHER}
