"""A query's operators as a picture: of languages whose queries no automaton evaluates.

What results are made of stands below: the patterns with the windows or streams that they look at,
over them the operators that take their solutions, on top what the query returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from textwrap import wrap

from rdflib.namespace import RDF

from ...semantics.model.pretty_printing import text_of
from ...semantics.rdf.syntax import printing
from ...semantics.rdf.syntax.printing import Shortener
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    EmbeddedPattern,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    Prologue,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from .drawing import MARGIN, Box, Canvas

_LONGEST = 48  # characters of a line in a box


class Boxes:
    """The boxes of one query; `own` draws what a language adds to the elements of a group."""

    def __init__(
        self, prologue: Prologue, own: Callable[[Boxes, Element], Box | None]
    ) -> None:
        self.shorten = Shortener(prologue)
        self.own = own

    def text(self, tree: object) -> str:
        """Return a part of the query in a line."""
        text = " ".join(text_of(tree).split())
        return self.shorten(text.replace(f" <{RDF.type}> ", " a "))

    def leaf(self, pattern: GroupGraphPattern, *under: str, head: str = "") -> Box:
        """Return a pattern, with what it looks at under it."""
        lines = [(head, "gpm")] if head else []
        for element in pattern.elements:
            kind = "condition" if isinstance(element, Filter | MinusPattern) else ""
            parts = element.triples if isinstance(element, TriplesBlock) else (element,)
            lines += [(line, kind) for part in parts for line in _wrapped(self.text(part))]
        return Box([*lines, *((each, "quiet") for each in under)])

    def operator(self, name: str, inputs: Iterable[Box], *conditions: str) -> Box:
        """Return an operator with what it asks of its inputs."""
        lines = [line for each in conditions for line in _wrapped(each)]
        return Box([(name, "gpm"), *((line, "condition") for line in lines)], [*inputs])

    def group(self, group: GroupGraphPattern) -> Box:
        """Return a group of SPARQL: joined elements, optional or subtracted ones, conditions."""
        box: Box | None = None
        conditions = [self.text(each) for each in group.elements if isinstance(each, Filter)]
        for element in group.elements:
            match element:
                case Filter():
                    continue
                case OptionalPattern(inner):
                    box = self.operator("OPTIONAL", [*_some(box), self.group(inner)])
                case MinusPattern(inner):
                    box = self.operator("MINUS", [*_some(box), self.group(inner)])
                case Bind():
                    box = self.operator("BIND", _some(box), self.text(element))
                case _:
                    own = self.element(element)
                    if own is not None:
                        box = own if box is None else _joined(box, own)
        if conditions:
            return self.operator("FILTER", _some(box), *(_condition(each) for each in conditions))
        return box or Box([("{ }", "")])

    def element(self, element: Element) -> Box | None:
        """Return a pattern of a group; None where it is drawn elsewhere."""
        if isinstance(element, EmbeddedPattern):
            return self.own(self, element)
        own = self.own(self, element)
        if own is not None:
            return own
        match element:
            case SubSelect(query):
                head = self.shorten(" ".join(printing.head(query).split()))
                return self.operator(head, [self.group(query.where)])
            case UnionPattern((single,)):
                return self.group(single)
            case UnionPattern(alternatives):
                return self.operator("UNION", map(self.group, alternatives))
            case NamedGraphPattern(name, inner):
                return self.leaf(inner, f"GRAPH {self.text(name)}")
        return self.leaf(GroupGraphPattern((element,)))

    def picture(self, title: str, under: str, root: Box) -> str:
        """Return the text of an SVG file."""
        canvas = Canvas()
        top = canvas.title(title, under) + 12
        canvas.boxes(MARGIN, top, root)
        width = max(canvas.right, MARGIN + root.width) + MARGIN
        return canvas.document(width, top + root.depth + MARGIN, title)


def _some(box: Box | None) -> Iterator[Box]:
    if box is not None:
        yield box


def _joined(left: Box, right: Box) -> Box:
    """Several joins in a row are one."""
    if [*left.label] == [("JOIN", "gpm")]:
        return Box(left.label, [*left.inputs, right])
    return Box([("JOIN", "gpm")], [left, right])


def _condition(text: str) -> str:
    return text.removeprefix("FILTER ")


def _wrapped(text: str) -> list[str]:
    return wrap(text, _LONGEST, break_on_hyphens=False, break_long_words=False) or [""]
