"""An EP-SPARQL query as a picture: its patterns, what joins them in time, and its rules."""

from __future__ import annotations

from dataclasses import replace

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Form, TemporalPattern
from ....semantics.rdf.syntax.tree import Element
from ..drawing import Box
from ..operator_diagram import Boxes
from ..readings import reading_features


def picture(query: EpsparqlQuery, readings: Readings) -> str:
    """Return the query's operators, as the text of an SVG file; its rules stand beside it."""
    boxes = Boxes(query.prologue, _own)
    rules = [
        boxes.operator(
            "CONSTRUCT", [boxes.group(rule.where)], *(boxes.text(each) for each in rule.template)
        )
        for rule in query.rules
    ]
    if query.select is None:
        head = "CONSTRUCT"
    else:
        chosen = query.select.projection
        columns = "*" if chosen is None else " ".join(map(boxes.text, chosen))
        head = str(query.form) + (f" {columns}" if query.form is Form.SELECT else "")
    patterns = [] if query.select is None else [boxes.group(query.select.where)]
    if query.select is not None:
        rules = [replace(rule, beside=True) for rule in rules]
    root = boxes.operator(head, [*patterns, *rules])
    if query.select is None and len(rules) == 1:
        (root,) = rules
    told = sorted(reading_features(readings))
    if query.select is not None and rules:
        told.append("dashed: rules, what they construct is part of the stream")
    return boxes.picture(head, ", ".join(told), root)


def _own(boxes: Boxes, element: Element) -> Box | None:
    if isinstance(element, TemporalPattern):
        return boxes.operator(str(element.operator), map(boxes.group, element.alternatives))
    return None
