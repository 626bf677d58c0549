"""Two readings on all small cases: how far they agree, and the smallest case on which they do not.
"""

from __future__ import annotations

import pytest

from denota.oracle.cli import main
from denota.oracle.distinguishing import difference
from denota.oracle.distinguishing.exhaustive_comparison import exhaust
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space


def test_readings_that_differ_differ_on_a_smallest_case() -> None:
    bounds = Bounds(1, 2, alphabet="single")
    found = exhaust("spaseq", bounds, {"kleene": "last"}, {"kleene": "collect"})
    assert found.apart is not None
    assert (found.apart.operators, found.apart.events) == (1, 1)
    assert found.through == [(0, 0), (0, 1), (1, 0), (0, 2)]
    witness = found.apart.witness
    assert difference(found.apart.a, found.apart.b, witness.data) is not None
    space = Space.of("spaseq", bounds)
    ids = [row.id for row in space.rows()]
    assert ids.index(found.apart.id) == found.tried - 1  # every smaller case was tried before it


def test_readings_that_agree_agree_on_every_case() -> None:
    bounds = Bounds(1, 2)
    found = exhaust("ceql", bounds, {"strategy": "before-within"}, {"strategy": "after-within"})
    assert found.apart is None
    assert found.tried == Space.of("ceql", bounds).cases
    assert found.through == [(block.operators, block.events) for block in
                             Space.of("ceql", bounds).blocks]


def test_the_cases_of_either_reading_are_asked_and_refusals_counted() -> None:
    """Two graphs of one time are an error unless ties are merged; where both answer they agree."""
    found = exhaust("spaseq", Bounds(0, 2, alphabet="single"), {"ties": "error"}, {"ties": "merge"})
    counts = [
        Space.of("spaseq", Bounds(0, 2, alphabet="single", readings={"ties": ties})).cases
        for ties in ("error", "merge")
    ]
    assert counts[0] < counts[1]
    assert (found.tried, found.tried + found.refused) == tuple(counts)
    assert found.apart is None


def test_queries_that_a_reading_gives_no_meaning_are_refused() -> None:
    """`A!` alone is nothing under negation=absence."""
    bounds = Bounds(1, 1, alphabet="single")
    found = exhaust("spaseq", bounds, {"negation": "event"}, {"negation": "absence"})
    assert found.apart is None
    assert 0 < found.refused < Space.of("spaseq", bounds).cases


def test_the_command_shows_query_and_stream(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["distinguish", "policy=chronological", "policy=recent", "--enumerate", "epsparql"]
    assert main([*command, "--max-operators", "1"]) == 0
    printed = capsys.readouterr().out
    assert "Minimal distinguishing case, 1 operator and 3 events" in printed
    assert "{ ?s :A ?a } SEQ { ?s :B ?b }" in printed
    assert ":g2 prov:generatedAtTime 3" in printed
    assert main([*command, "--max-operators", "1", "--max-events", "2"]) == 1
    assert "No difference up to 1 operator and 2 events" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "says"), [
    (["kleene=last", "q.rq", "--enumerate", "spaseq"], "--enumerate requires two readings"),
    (["kleene=last", "kleene=first", "--enumerate", "spaseq"], "has no value 'first'"),
    (["kleene=last", "kleene=join", "--enumerate", "sql"], "sql"),
    (["inside=open", "inside=closed", "--enumerate", "cqels", "--slide", "2"], "SLIDE"),
])
def test_what_cannot_be_compared_is_one_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["distinguish", *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
