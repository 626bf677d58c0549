"""Pictures of automata: on nested queries, too, nothing stands upon a text, and nothing is cut."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from denota.oracle.languages.ceql.draw import picture as draw_ceql
from denota.oracle.languages.spaseq.draw import picture as draw_spaseq
from denota.semantics.ceql.syntax.parse import parse as parse_ceql
from denota.semantics.model.errors import DenotaError
from denota.semantics.spaseq.syntax.parse import parse as parse_spaseq

SVG = "{http://www.w3.org/2000/svg}"
SIZE = {"title": 15}
NAMES = st.sampled_from(["A", "B", "Temperature"])

HEAD = """PREFIX : <http://example.org/>
SELECT * WITHIN 15 FROM STREAM S1 :s1 FROM STREAM Sensors :s2
WHERE {{ SEQ({sequence})
  DEFINE GPM A ON S1 {{ ?x :p ?v1 }}
  DEFINE GPM B ON Sensors {{ ?x :p ?v2 . FILTER (?v2 > 3 && ?v2 < ?v1) }}
  DEFINE GPM Temperature ON S1 {{ ?x :p ?v3 . FILTER (?v3 > ?v1 + 1000) }} }}"""


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right
            and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, point: tuple[float, float]) -> bool:
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom


def texts(svg: ElementTree.Element) -> list[tuple[str, Box]]:
    """What is written where: of the widest of the fonts, as high as small letters are."""
    found = []
    for text in svg.iter(f"{SVG}text"):
        words, x, y = text.text or "", float(text.get("x", 0)), float(text.get("y", 0))
        size = SIZE.get(text.get("class", ""), 12)
        width = len(words) * size * 0.602
        left = x - {"start": 0.0, "middle": width / 2}[text.get("text-anchor", "start")]
        found.append((words, Box(left, y - 0.75 * size, left + width, y + 0.2 * size)))
    return found


def points(path: str) -> Iterator[tuple[float, float]]:
    """Points of a path, close to one another."""
    at = (0.0, 0.0)
    for command, numbers in re.findall(r"([MLCQ])([^MLCQ]*)", path):
        values = [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", numbers)]
        corners = [at, *zip(values[::2], values[1::2], strict=True)]
        if command != "M":
            length = sum(abs(a - c) + abs(b - d) for (a, b), (c, d) in pairwise(corners))
            for step in range(int(length / 2) + 1):
                yield bezier(corners, step / (length / 2 + 1))
        at = corners[-1]


def bezier(corners: list[tuple[float, float]], t: float) -> tuple[float, float]:
    while len(corners) > 1:
        corners = [
            (a + (c - a) * t, b + (d - b) * t) for (a, b), (c, d) in pairwise(corners)
        ]
    return corners[0]


def check(drawn: str, title: str) -> None:
    assert "paint-order" not in drawn
    svg = ElementTree.fromstring(drawn)
    written = texts(svg)
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    for words, box in written:
        assert box.left >= 0, words
        assert box.right <= width, words
        assert box.top >= 0, words
        assert box.bottom <= height, words
    for (words, box), (others, other) in combinations(written, 2):
        assert not box.meets(other), (words, others)
    circles = [
        tuple(float(circle.get(key, 0)) for key in ("cx", "cy", "r"))
        for circle in svg.iter(f"{SVG}circle")
    ]
    for x, y, r in circles:
        for words, box in written:
            if not re.fullmatch(r"[qx](\d+|f)", words):
                assert not box.meets(Box(x - r, y - r, x + r, y + r)), words
    own = [path.get("d", "") for path in svg.iter(f"{SVG}path") if path.get("class")]
    for path in own:
        for point in points(path):
            for words, box in written:
                assert not box.holds(point), (words, path)
    headings = [text.text for text in svg.iter(f"{SVG}text") if text.get("class") == "title"]
    assert re.sub(r"\s", "", "".join(map(str, headings))) == re.sub(r"\s", "", title)


def formulas() -> st.SearchStrategy[str]:
    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(inner, st.sampled_from([";", ":", "OR"]), inner).map(
                lambda parts: f"({' '.join(parts)})"
            ),
            inner.map(lambda formula: f"({formula})+"),
            inner.map(lambda formula: f"({formula}) :+"),
        )

    filtered = st.sampled_from([
        "A", "B", "C", "(A FILTER A[price > 100 AND volume < 2000])",
        "(B FILTER B[name = 'a rather long name of some company or other'])",
    ])
    return st.recursive(filtered, larger, max_leaves=7)


@given(formulas())
@settings(deadline=None)
def test_ceql(formula: str) -> None:
    from denota.semantics.model.pretty_printing import text_of

    query = parse_ceql(f"SELECT * FROM S WHERE {formula} WITHIN 100 EVENTS")
    check(draw_ceql(query), text_of(query.projected))


def atoms() -> st.SearchStrategy[str]:
    several = st.lists(NAMES, min_size=2, max_size=3, unique=True)
    groups = st.tuples(several, st.sampled_from([" & ", " | "])).map(
        lambda parts: f"({parts[1].join(parts[0])})"
    )
    return st.tuples(st.one_of(NAMES, groups), st.sampled_from(["", "", "+", "!", "?"])).map(
        "".join
    )


@given(
    st.lists(atoms(), min_size=1, max_size=5),
    st.lists(st.sampled_from([", ", "; ", ": "]), min_size=4, max_size=4),
    st.sampled_from(["event", "absence"]),
)
@settings(deadline=None)
def test_spaseq(steps: list[str], between: list[str], negation: str) -> None:
    from denota.semantics.model.pretty_printing import text_of
    from denota.semantics.spaseq.syntax.readings import Readings

    sequence = steps[0] + "".join(
        operator + step for operator, step in zip(between, steps[1:], strict=False)
    )
    try:
        query = parse_spaseq(HEAD.format(sequence=sequence))
        drawn = draw_spaseq(query, Readings.of({"negation": negation}))
    except DenotaError:
        assume(False)
    check(drawn, f"SEQ({text_of(query.sequence)})")
