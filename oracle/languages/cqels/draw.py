"""A CQELS-CEP query as a picture: windows, sequences, and what takes their solutions."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib.term import URIRef

from ....semantics.cqels.syntax.analysis import blocks
from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import (
    CqelsQuery,
    TripleSequence,
    WindowPattern,
    WindowSequence,
)
from ....semantics.rdf.syntax.tree import Element, GroupGraphPattern
from ..drawing import Box
from ..operator_diagram import Boxes
from ..readings import reading_features


def picture(query: CqelsQuery, readings: Readings) -> str:
    """Return the query's operators, as the text of an SVG file."""
    named = blocks(query.where)

    def own(boxes: Boxes, element: Element) -> Box | None:
        match element:
            case WindowPattern(name) if name in named:
                return None  # it is drawn where a sequence names it
            case WindowPattern():
                return block(boxes, element)
            case WindowSequence(elements):
                return sequence(boxes, [
                    (block(boxes, named[each.name]), each.negated) for each in elements
                ])
        return None

    def block(boxes: Boxes, element: WindowPattern) -> Box:
        match element.body:
            case TripleSequence(elements, filters):
                inside = [(leaf(boxes, each.pattern, element.name), each.negated)
                          for each in elements]
                return sequence(boxes, inside, *map(boxes.text, filters))
            case pattern:
                return leaf(boxes, pattern, element.name)

    def leaf(boxes: Boxes, pattern: GroupGraphPattern, name: URIRef) -> Box:
        return boxes.leaf(pattern, boxes.text(query.window(name)).removeprefix("FROM NAMED "))

    boxes = Boxes(query.prologue, own)
    columns = " ".join(map(boxes.text, query.select)) if query.select else "*"
    head = f"SELECT {columns}" if query.template is None else "CONSTRUCT"
    if query.operator is not None:
        head = f"{query.operator} {head}"
    root = boxes.operator(head, [boxes.group(query.where)])
    return boxes.picture(head, ", ".join(sorted(reading_features(readings))), root)


def sequence(boxes: Boxes, elements: Iterable[tuple[Box, bool]], *conditions: str) -> Box:
    """Return SEQ, with ! at negated elements."""
    inputs = [
        Box([("! absent", "condition"), *box.label], box.inputs) if negated else box
        for box, negated in elements
    ]
    return boxes.operator("SEQ", inputs, *conditions)
