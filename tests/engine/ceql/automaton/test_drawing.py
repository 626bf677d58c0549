"""The picture of a complex event automaton: well-formed, complete, and nothing runs out of it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from denota.engine.ceql.automaton.drawing import draw
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.readings import Readings

SVG = "{http://www.w3.org/2000/svg}"


def picture(query: str, **readings: str) -> ElementTree.Element:
    return ElementTree.fromstring(draw(parse(query), Readings.of(readings)))


def texts(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def test_states_tests_and_marks_are_shown():
    svg = picture(
        "SELECT * FROM S WHERE SELL AS a ; BUY AS b FILTER a[price > 100] WITHIN 5 EVENTS"
    )
    words = texts(svg)
    assert {"q0", "q1", "q2", "SELL", "price > 100", "BUY", "| •"} <= set(words)
    assert any("WITHIN 5 EVENTS" in line for line in words)
    assert len(list(svg.iter(f"{SVG}circle"))) == 4  # a final state has two
    assert sum(p.get("class") == "skip" for p in svg.iter(f"{SVG}path")) == 1


def test_valuations_name_their_variables():
    words = texts(picture("SELECT * FROM S WHERE A AS x ; B", output="valuation"))
    assert {"| {A, x}", "| {B}"} <= set(words)


@pytest.mark.parametrize(
    "formula",
    ["A+", "(A ; B:+ OR C)+", "NOT(A) : B", "A ; (B OR (C : D)) ; E", "(A:+ ; B) :+"],
)
def test_everything_lies_inside(formula):
    svg = picture(f"SELECT * FROM S WHERE {formula} PARTITION BY [x] CONSUME BY ANY LIMIT 3")
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    for text in svg.iter(f"{SVG}text"):
        assert 0 < float(text.get("x", -1)) < width
        assert 0 < float(text.get("y", -1)) < height
    for circle in svg.iter(f"{SVG}circle"):
        assert float(circle.get("cx", -1)) + 24 < width
