"""An RSEP-QL query as a picture: windows, event patterns, and what takes their solutions."""

from __future__ import annotations

from ....semantics.rdf.syntax import printing
from ....semantics.rdf.syntax.tree import Element, GroupGraphPattern
from ....semantics.rsepql.syntax import tree as r
from ....semantics.rsepql.syntax.readings import Readings
from ..drawing import Box
from ..operator_diagram import Boxes
from ..readings import reading_features


def picture(query: r.RsepqlQuery, readings: Readings) -> str:
    """Return the query's operators, as the text of an SVG file."""
    windows = {clause.name: clause for clause in query.windows}

    def own(boxes: Boxes, element: Element) -> Box | None:
        match element:
            case r.MatchPattern(event):
                return boxes.operator("MATCH", [events(boxes, event)])
            case r.WindowPattern(name, pattern):
                return boxes.leaf(pattern, *window(boxes, name))
        return None

    def window(boxes: Boxes, name: object) -> list[str]:
        clause = windows.get(name)  # type: ignore[call-overload]
        return [boxes.text(clause).removeprefix("FROM NAMED ") if clause else f"WINDOW {name}"]

    def events(boxes: Boxes, e: r.EventPattern) -> Box:
        match e:
            case r.Event(name, pattern):
                return boxes.leaf(pattern, *window(boxes, name), head="EVENT")
            case r.First(operand) | r.Last(operand):
                return boxes.operator(type(e).__name__.upper(), [events(boxes, operand)])
            case r.Sequence(operator, left, right):
                return boxes.operator(str(operator), [events(boxes, left), events(boxes, right)])

    boxes = Boxes(query.prologue, own)
    where = query.form.where or GroupGraphPattern()
    head = [boxes.shorten(printing.head(query.form))]
    if query.operator is not r.StreamOperator.RSTREAM:
        head.insert(0, str(query.operator))
    if query.consumption is not r.ConsumptionPolicy.UNRESTRICTED:
        head.append(f"CONSUME {query.consumption}")
    root = boxes.operator(head[0], [boxes.group(where)], *head[1:])
    return boxes.picture(" ".join(head), ", ".join(sorted(reading_features(readings))), root)
