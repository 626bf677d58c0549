"""The picture of an automaton: well-formed, complete, and nothing runs out of it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from denota.engine.spaseq.drawing import draw
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

SVG = "{http://www.w3.org/2000/svg}"
HEAD = """PREFIX : <http://example.org/>
SELECT * WITHIN {within} FROM STREAM S1 :s1 FROM STREAM S2 :s2
WHERE {{ SEQ({sequence})
  DEFINE GPM A ON S1 {{ ?x :p ?v1 }}
  DEFINE GPM B ON S2 {{ ?x :p ?v2 . FILTER (?v2 > 3 && ?v2 < ?v1)
                       GRAPH :kb {{ ?x :q "a<b>&c" }} }}
  DEFINE GPM C ON S1 {{ ?y :p ?v3 OPTIONAL {{ ?y :q ?z }} }} }}"""


def picture(sequence: str, within: str = "15", **readings: str) -> ElementTree.Element:
    query = parse(HEAD.format(sequence=sequence, within=within))
    return ElementTree.fromstring(draw(query, Readings.of(readings)))


def texts(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def paths(svg: ElementTree.Element, kind: str) -> int:
    return sum(element.get("class") == kind for element in svg.iter(f"{SVG}path"))


def test_states_edges_operators_and_windows_are_shown():
    svg = picture("A; B+, C")
    words = texts(svg)
    assert {"x0", "x1", "x2", "xf"} <= set(words)
    assert {"({S1}, ∅, A)", "({S2}, ';', B+)", "({S2}, ',', B+)", "({S1}, ',', C)"} <= set(words)
    assert "within 15   (window=tumbling, kleene=last)" in words
    assert "({S1, S2}, ;, ∅)" in words
    assert paths(svg, "skip") == 1
    assert paths(svg, "edge") == 1 + 3 + 1  # into x0, three steps, one loop


def test_a_deferred_filter_stands_at_its_edge_and_a_local_one_does_not():
    words = texts(picture("A; B"))
    assert "if ?v2 < ?v1" in words
    assert not any(word.startswith("if ?v2 > 3") for word in words)


def test_a_conjunction_has_one_arc_an_operand():
    svg = picture("A; (B & C)")
    assert {"({S2}, ';' &, B)", "({S1}, ';' &, C)"} <= set(texts(svg))
    assert paths(svg, "edge") == 1 + 1 + 2


def test_what_an_absence_lets_pass_is_said():
    assert "no C in between" in texts(picture("A; C!; B", negation="absence"))
    assert "no C in between" in texts(picture("A; C?; B", negation="absence"))


@pytest.mark.parametrize(
    "sequence, negation",
    [
        ("A", "event"),
        ("A?; B", "event"),
        ("(A & (B | C))+; A : C!", "event"),
        ("A; C?; C?; B, A+", "event"),
        ("A; C?; C?; B, A+", "absence"),
        ("A : B? : C? : (B | C)+ , A", "absence"),
    ],
)
def test_nothing_runs_out_of_the_picture(sequence, negation):
    svg = picture(sequence, "30", negation=negation)
    width, height = float(svg.get("width")), float(svg.get("height"))
    for element in svg.iter(f"{SVG}text"):
        length = 7.3 * len(element.text)
        start = float(element.get("x"))
        if element.get("text-anchor") == "middle":
            start -= length / 2
        assert start >= 0
        assert start + length <= width + 1
        assert 0 < float(element.get("y")) < height
