"""How much a block of patterns looks at."""

import pytest

import denota
from denota.engine.epsparql.basic_graph_patterns import Block

PATTERNS = " . ".join(["?x ?r ?y"] * 5)
QUERY = f"PREFIX : <http://example.org/> SELECT ?x WHERE {{ {PATTERNS} }}"


def test_the_choices_of_equal_patterns_do_not_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    bound = Block._bound

    def counted(*arguments):
        nonlocal looked_at
        looked_at += 1
        return bound(*arguments)

    monkeypatch.setattr(Block, "_bound", counted)
    stream = [(time, "<urn:a> <urn:p> <urn:b> .") for time in range(6)]
    found = list(denota.run(QUERY, {"http://example.org/s": stream}, language="epsparql"))
    assert len(found) == 21  # an interval from each item to each that is not before it
    assert looked_at < 2_000
