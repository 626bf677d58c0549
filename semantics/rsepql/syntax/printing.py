"""The printer from RSEP-QL's syntax tree to text; `parse` returns the same tree."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.items import TimeKind
from ...model.pretty_printing import binds, text_of, written
from ...model.time import format_datetime, format_duration
from ...rdf.syntax import printing as rdf
from ...rdf.syntax.printing import with_prologue
from . import tree as r


@text_of.register
def to_text(query: r.RsepqlQuery) -> str:
    """Return the query, one clause a line, its IRIs shortened by its own prefixes."""
    return with_prologue(query.prologue, _clauses(query))


def _clauses(query: r.RsepqlQuery) -> Iterator[str]:
    if query.output is not None or query.operator is not r.StreamOperator.RSTREAM:
        output = f" {rdf.iri(query.output)}" if query.output is not None else ""
        yield f"REGISTER {query.operator}{output} AS"
    yield rdf.head(query.form)
    yield from rdf.dataset_clauses(query.form)
    yield from map(text_of, query.windows)
    if query.form.where is not None:
        yield f"WHERE {rdf.to_text(query.form.where)}"
    if query.consumption is not r.ConsumptionPolicy.UNRESTRICTED:
        yield f"CONSUME {query.consumption}"
    yield from rdf.solution_modifiers(query.form)


def _length(moment: r.Moment) -> str:
    return str(moment.value) if moment.kind is TimeKind.INTEGER else format_duration(moment.value)


def _instant(moment: r.Moment) -> str:
    return str(moment.value) if moment.kind is TimeKind.INTEGER else format_datetime(moment.value)


def _bounds(bounds: r.Bounds) -> str:
    return "" if bounds is r.Bounds.OPEN_CLOSED else f" BOUNDS {bounds.upper()}"


written(
    {
        r.WindowClause: "FROM{in_default!d} WINDOW{name: }{stream: ON } {function}",
        r.TimeBasedWindow: "[RANGE {width!l}{step!s}{start!t}{bounds!b}]",
        r.LandmarkWindow: "[FROM {start!i}]",
        r.IntervalWindow: "[BETWEEN {first!i} AND {last!i}]",
        r.IdentityWindow: "[ALL]",
        r.CountWindow: "[ELEMENTS {size} STEP {step}]",
        r.NestedWindow: "{outer} OF {inner}",
        r.WindowPattern: "WINDOW {name} {pattern}",
        r.MatchPattern: "MATCH {{ {event} }}",
        r.Event: "EVENT {window} {pattern}",
        r.First: "FIRST ({operand})",
        r.Last: "LAST ({operand})",
        r.Sequence: "{left} {operator} {right!1}",
    },
    d=lambda in_default: "" if in_default else " NAMED",
    l=_length, i=_instant, b=_bounds,
    s=lambda step: "" if step is None else f" STEP {_length(step)}",
    t=lambda start: "" if start is None else f" START {_instant(start)}",
)
binds({r.Sequence: 0})
