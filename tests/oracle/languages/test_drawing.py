"""The pictures of automata: well-formed, complete, and nothing runs out of them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from denota.oracle.languages.ceql.draw import picture as draw_ceql
from denota.oracle.languages.spaseq.draw import picture as draw_spaseq
from denota.semantics.ceql.syntax.parse import parse as parse_ceql
from denota.semantics.ceql.syntax.readings import Readings as CeqlReadings
from denota.semantics.spaseq.syntax.parse import parse as parse_spaseq
from denota.semantics.spaseq.syntax.readings import Readings as SpaseqReadings

SVG = "{http://www.w3.org/2000/svg}"
SPASEQ = """PREFIX : <http://example.org/>
SELECT * WITHIN {within} FROM STREAM S1 :s1 FROM STREAM S2 :s2
WHERE {{ SEQ({sequence})
  DEFINE GPM A ON S1 {{ ?x :p ?v1 }}
  DEFINE GPM B ON S2 {{ ?x :p ?v2 . FILTER (?v2 > 3 && ?v2 < ?v1)
                       GRAPH :kb {{ ?x :q "a<b>&c" }} }}
  DEFINE GPM C ON S1 {{ ?y :p ?v3 OPTIONAL {{ ?y :q ?z }} }} }}"""


def ceql(formula: str, **readings: str) -> ElementTree.Element:
    query = parse_ceql(f"SELECT * FROM S WHERE {formula}")
    return ElementTree.fromstring(draw_ceql(query, CeqlReadings.of(readings)))


def spaseq(sequence: str, within: str = "15", **readings: str) -> ElementTree.Element:
    query = parse_spaseq(SPASEQ.format(sequence=sequence, within=within))
    return ElementTree.fromstring(draw_spaseq(query, SpaseqReadings.of(readings)))


def texts(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def paths(svg: ElementTree.Element, kind: str) -> int:
    return sum(element.get("class") == kind for element in svg.iter(f"{SVG}path"))


def test_ceql_shows_states_tests_and_marks() -> None:
    svg = ceql("SELL AS a ; BUY AS b FILTER a[price > 100] WITHIN 5 EVENTS")
    words = texts(svg)
    assert {"q0", "q1", "q2", "SELL", "price > 100", "BUY", "| •"} <= set(words)
    assert any("WITHIN 5 EVENTS" in line for line in words)
    assert len(list(svg.iter(f"{SVG}circle"))) == 4  # a final state has two
    assert paths(svg, "skip") == 1


def test_ceql_names_the_variables_of_valuations() -> None:
    assert {"| {A, x}", "| {B}"} <= set(texts(ceql("A AS x ; B", output="valuation")))


def test_spaseq_shows_states_edges_operators_and_windows() -> None:
    svg = spaseq("A; B+, C")
    assert {
        "x0", "x1", "x2", "xf", "({S1}, ∅, A)", "({S2}, ';', B+)", "({S2}, ',', B+)",
        "({S1}, ',', C)", "within 15   (window=tumbling, kleene=last)", "({S1, S2}, ;, ∅)",
    } <= set(texts(svg))
    assert paths(svg, "skip") == 1
    assert paths(svg, "edge") == 1 + 3 + 1  # into x0, three steps, one loop


def test_spaseq_shows_a_deferred_filter_at_its_edge_and_no_local_one() -> None:
    words = texts(spaseq("A; B"))
    assert "if ?v2 < ?v1" in words
    assert not any(word.startswith("if ?v2 > 3") for word in words)


def test_a_conjunction_of_spaseq_has_one_arc_an_operand() -> None:
    svg = spaseq("A; (B & C)")
    assert {"({S2}, ';' &, B)", "({S1}, ';' &, C)"} <= set(texts(svg))
    assert paths(svg, "edge") == 1 + 1 + 2


@pytest.mark.parametrize("sequence", ["A; C!; B", "A; C?; B"])
def test_spaseq_names_the_absent_pattern(sequence: str) -> None:
    assert "no C in between" in texts(spaseq(sequence, negation="absence"))


@pytest.mark.parametrize(
    "formula",
    ["A+", "(A ; B:+ OR C)+", "NOT(A) : B", "A ; (B OR (C : D)) ; E", "(A:+ ; B) :+"],
)
def test_everything_lies_inside(formula: str) -> None:
    svg = ceql(f"{formula} PARTITION BY [x] CONSUME BY ANY LIMIT 3")
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    for text in svg.iter(f"{SVG}text"):
        assert 0 < float(text.get("x", -1)) < width
        assert 0 < float(text.get("y", -1)) < height
    for circle in svg.iter(f"{SVG}circle"):
        assert float(circle.get("cx", -1)) + 24 < width


@pytest.mark.parametrize(
    ("sequence", "negation"),
    [
        ("A", "event"), ("A?; B", "event"), ("(A & (B | C))+; A : C!", "event"),
        ("A; C?; C?; B, A+", "event"), ("A; C?; C?; B, A+", "absence"),
        ("A : B? : C? : (B | C)+ , A", "absence"),
    ],
)
def test_no_text_of_spaseq_runs_out_of_the_picture(sequence: str, negation: str) -> None:
    svg = spaseq(sequence, "30", negation=negation)
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    for element in svg.iter(f"{SVG}text"):
        length = 7.3 * len(element.text or "")
        start = float(element.get("x", -1))
        if element.get("text-anchor") == "middle":
            start -= length / 2
        assert start >= 0
        assert start + length <= width + 1
        assert 0 < float(element.get("y", -1)) < height
