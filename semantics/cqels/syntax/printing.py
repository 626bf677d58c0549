"""From CQELS-CEP's syntax tree to text; `parse` reads back the same tree."""

from __future__ import annotations

from ...model.items import TimeKind
from ...model.time import format_duration
from ...rdf.syntax import printing as rdf
from ...rdf.syntax.shortening import Shortener
from ...rdf.syntax.tree import GroupGraphPattern, SubSelect, TriplesBlock
from .tree import (
    AllWindow,
    CqelsQuery,
    NowWindow,
    RangeWindow,
    Span,
    TripleSequence,
    TriplesWindow,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)


def to_text(query: CqelsQuery) -> str:
    """The query, one clause a line, its IRIs shortened by the prefixes of its own prologue."""
    shorten = Shortener(query.prologue)
    distinct = "DISTINCT " if query.distinct else ""
    head = f"SELECT {distinct}{rdf.projection(query.select)}"
    if query.template is not None:
        head = f"CONSTRUCT {{ {' . '.join(map(rdf.to_text, query.template))} }}"
    return "\n".join([
        *(f"PREFIX {prefix}: <{iri}>" for prefix, iri in query.prologue.prefixes),
        *(shorten(line) for line in _register(query)),
        shorten(head),
        *(f"FROM {shorten(rdf.iri(name))}" for name in query.default),
        *(f"FROM NAMED {shorten(rdf.iri(name))}" for name in query.named),
        *(
            shorten(
                f"FROM NAMED WINDOW {rdf.iri(window.name)} ON {rdf.iri(window.stream)}"
                f" [{window_to_text(window.function)}]"
            )
            for window in query.windows
        ),
        "WHERE {",
        *(f"  {shorten(line)}" for line in _lines(query.where)),
        "}",
    ]) + "\n"


def _register(query: CqelsQuery) -> list[str]:
    if query.operator is None and query.output is None:
        return []
    name = "" if query.output is None else f" {rdf.iri(query.output)}"
    return [f"REGISTER {query.operator or 'STREAM'}{name} AS"]


def _lines(group: GroupGraphPattern) -> list[str]:
    """The elements of the outermost group, one a line."""
    last = len(group.elements) - 1
    if last == 0 and not isinstance(group.elements[0], TriplesBlock | WindowPattern):
        return [rdf.to_text(group)[1:-1].strip()]
    return [
        rdf.to_text(GroupGraphPattern((element,)))[1:-1].strip()
        + (" ." if isinstance(element, TriplesBlock) and place < last else "")
        if not isinstance(element, SubSelect) else f"{{ {rdf.to_text(element)} }}"
        for place, element in enumerate(group.elements)
    ]


def window_to_text(window: WindowFunction) -> str:
    """ω, as it stands in its brackets."""
    match window:
        case RangeWindow(width, None):
            return f"RANGE {span_to_text(width)}"
        case RangeWindow(width, slide) if slide is not None:
            return f"RANGE {span_to_text(width)} SLIDE {span_to_text(slide)}"
        case NowWindow():
            return "NOW"
        case AllWindow():
            return "ALL"
        case TriplesWindow(size):
            return f"TRIPLES {size}"
    raise AssertionError(f"not a window: {window!r}")


def span_to_text(span: Span) -> str:
    """An integer, or the duration."""
    return str(span.value) if span.kind is TimeKind.INTEGER else format_duration(span.value)


@rdf.prints
def _window(window: WindowPattern) -> str:
    return f"WINDOW {rdf.iri(window.name)} {_body(window)}"


def _body(window: WindowPattern) -> str:
    body = window.body
    if not isinstance(body, TripleSequence):
        return rdf.to_text(body)
    elements = ", ".join(
        f"{'!' if element.negated else ''}{rdf.to_text(element.pattern)}"
        for element in body.elements
    )
    filters = "".join(f" {rdf.to_text(condition)}" for condition in body.filters)
    return f"{{ SEQ({elements}){filters} }}"


@rdf.prints
def _sequence(sequence: WindowSequence) -> str:
    elements = ", ".join(
        f"{'!' if element.negated else ''}{rdf.iri(element.name)}"
        for element in sequence.elements
    )
    return f"SEQ({elements})"
