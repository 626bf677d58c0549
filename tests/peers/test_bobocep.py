"""BoboCEP: what it is asked, and, where it can be had, what it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rdflib.term import URIRef

from denota.oracle.checking.case_checker import check_case
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.peers.bobocep import CAPABILITIES, BlockPlan, BoboCep
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

PEER = BoboCep
HERE = "http://example.org/"


def case(sequence: str, events: str = "ABCABC", **readings: str) -> SpaseqCase:
    gpms = " ".join(f"DEFINE GPM {each} ON S {{ ?{each} :is :{each} }}" for each in "ABC")
    query = parse(
        f"PREFIX : <{HERE}> SELECT * WITHIN 10 FROM STREAM S :s WHERE {{ SEQ({sequence}) {gpms} }}"
    )
    items = tuple(
        TimestampedGraph(time, frozenset({(
            URIRef(f"{HERE}{time}"), URIRef(f"{HERE}is"), URIRef(f"{HERE}{kind}"),
        )}))
        for time, kind in enumerate(events)
    )  # fmt: skip
    return SpaseqCase(query, {URIRef(f"{HERE}s"): items}, readings=Readings.of(readings))


def blocks(sequence: str, **readings: str) -> list[tuple[str, int]]:
    (pattern,) = BlockPlan(case(sequence, "ABC", **readings)).message()["patterns"]
    return [(each["by"], each.get("times", 1)) for each in pattern["elements"]]


@pytest.mark.parametrize(
    "sequence, expected",
    [
        ("A; B, C", [("followed_by", 1), ("followed_by", 1), ("next", 1)]),
        ("A, B!; C", [("followed_by", 1), ("not_next", 1), ("followed_by", 1)]),
        ("A; B; B, C", [("followed_by", 1), ("followed_by", 2), ("next", 1)]),
    ],
)
def test_contiguities_are_methods_of_the_builder(
    sequence: str, expected: list[tuple[str, int]]
) -> None:
    assert blocks(sequence) == expected


@pytest.mark.parametrize("sequence", ["A: B", "A; B+", "A+; B"])
def test_what_no_run_does_is_unsupported(sequence: str) -> None:
    with pytest.raises(UnsupportedError):
        blocks(sequence)


def test_nine_of_ten_generated_cases_are_judged(share_judged: Callable[..., float]) -> None:
    def asked(generated: SpaseqCase) -> object:
        return BlockPlan(generated).message()

    assert share_judged("spaseq", asked, CAPABILITIES) >= 0.9


@pytest.mark.parametrize("sequence", ["A", "A; B, C", "A; C; C", "A, B!; C", "A; B; A, B"])
def test_it_agrees_on_what_both_know(engine: Any, sequence: str) -> None:
    for window in ("tumbling", "match"):
        verdict = check_case(case(sequence, window=window), engine, timeout=None)
        assert verdict.ok, verdict


def test_variables_are_joined_with_the_history(engine: Any) -> None:
    query = parse(
        f"PREFIX : <{HERE}> SELECT ?x WITHIN 10 FROM STREAM S :s WHERE {{ SEQ(A; B)"
        " DEFINE GPM A ON S { ?x :is :A } DEFINE GPM B ON S { ?x :is :B } }"
    )
    x, y, is_ = (URIRef(f"{HERE}{name}") for name in ("x", "y", "is"))
    said = [(x, "A"), (y, "B"), (x, "B")]
    items = tuple(
        TimestampedGraph(time, frozenset({(who, is_, URIRef(f"{HERE}{kind}"))}))
        for time, (who, kind) in enumerate(said)
    )
    verdict = check_case(SpaseqCase(query, {URIRef(f"{HERE}s"): items}), engine, timeout=None)
    assert verdict.ok, verdict


def test_a_block_that_loops_strictly_is_never_left(engine: Any) -> None:
    # A fault of BoboCEP 1.2.2: where it is mended, this test says so.
    verdict = check_case(case("A; B+; C", "ABC"), engine, timeout=None)
    assert verdict.is_failure


@pytest.mark.parametrize("sequence", ["A, B!, C", "A, B?, C"])
def test_a_block_takes_an_event(sequence: str) -> None:
    with pytest.raises(UnsupportedError, match="a block takes an event"):
        BlockPlan(case(sequence, "ABC", negation="absence"))
