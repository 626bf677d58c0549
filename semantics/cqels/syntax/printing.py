"""The printer from CQELS-CEP's syntax tree to text; `parse` returns the same tree."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.items import TimeKind
from ...model.pretty_printing import text_of, written
from ...model.time import format_duration
from ...rdf.syntax import printing as rdf
from ...rdf.syntax.printing import with_prologue
from ...rdf.syntax.tree import GroupGraphPattern, SubSelect, TriplesBlock
from . import tree as c


@text_of.register
def to_text(query: c.CqelsQuery) -> str:
    """Return the query, one clause a line, its IRIs shortened by its own prefixes."""
    return with_prologue(query.prologue, _clauses(query))


def _clauses(query: c.CqelsQuery) -> Iterator[str]:
    if query.operator is not None or query.output is not None:
        name = "" if query.output is None else f" {rdf.iri(query.output)}"
        yield f"REGISTER {query.operator or 'STREAM'}{name} AS"
    if query.template is None:
        yield f"SELECT {'DISTINCT ' if query.distinct else ''}{rdf.projection(query.select)}"
    else:
        yield f"CONSTRUCT {{ {' . '.join(map(rdf.to_text, query.template))} }}"
    yield from (f"FROM {rdf.iri(name)}" for name in query.default)
    yield from (f"FROM NAMED {rdf.iri(name)}" for name in query.named)
    yield from map(text_of, query.windows)
    yield "WHERE {"
    yield from (f"  {line}" for line in _lines(query.where))
    yield "}"


def _lines(group: GroupGraphPattern) -> list[str]:
    """Return the elements of the outermost group, one a line."""
    last = len(group.elements) - 1
    if last == 0 and not isinstance(group.elements[0], TriplesBlock | c.WindowPattern):
        return [rdf.to_text(group)[1:-1].strip()]
    return [
        rdf.to_text(GroupGraphPattern((element,)))[1:-1].strip()
        + (" ." if isinstance(element, TriplesBlock) and place < last else "")
        if not isinstance(element, SubSelect) else f"{{ {rdf.to_text(element)} }}"
        for place, element in enumerate(group.elements)
    ]


written({
    c.WindowClause: "FROM NAMED WINDOW {name} ON {stream} [{function}]",
    c.RangeWindow: "RANGE {width}{slide: SLIDE }", c.NowWindow: "NOW", c.AllWindow: "ALL",
    c.TriplesWindow: "TRIPLES {size}",
    c.WindowPattern: "WINDOW {name} {body}",
    c.TripleSequence: "{{ SEQ({elements:, }){filters!f} }}",
    c.PatternElement: "{negated:!}{pattern}",
    c.WindowSequence: "SEQ({elements:, })",
    c.WindowElement: "{negated:!}{name}",
}, f=lambda filters: "".join(f" {text_of(each)}" for each in filters))


@text_of.register
def _(span: c.Span) -> str:
    return str(span.value) if span.kind is TimeKind.INTEGER else format_duration(span.value)
