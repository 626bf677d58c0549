"""From RSEP-QL's syntax tree to text; `parse` reads back the same tree."""

from __future__ import annotations

from ...model.errors import Impossible
from ...model.items import TimeKind
from ...model.time import format_datetime, format_duration
from ...rdf.syntax import printing as rdf
from ...rdf.syntax.shortening import Shortener
from .tree import (
    Bounds,
    ConsumptionPolicy,
    CountWindow,
    Event,
    EventPattern,
    First,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Last,
    MatchPattern,
    Moment,
    NestedWindow,
    RsepqlQuery,
    Sequence,
    StreamOperator,
    TimeBasedWindow,
    WindowClause,
    WindowFunction,
    WindowPattern,
)


def to_text(query: RsepqlQuery) -> str:
    """The query, one clause a line, its IRIs shortened by the prefixes of its own prologue."""
    shorten = Shortener(query.prologue)
    lines = []
    if query.output is not None or query.operator is not StreamOperator.RSTREAM:
        output = f" {rdf.iri(query.output)}" if query.output is not None else ""
        lines.append(f"REGISTER {query.operator}{output} AS")
    lines.append(rdf.head(query.form))
    lines += rdf.dataset_clauses(query.form)
    lines += map(window_clause_to_text, query.windows)
    if query.form.where is not None:
        lines.append(f"WHERE {rdf.to_text(query.form.where)}")
    if query.consumption is not ConsumptionPolicy.UNRESTRICTED:
        lines.append(f"CONSUME {query.consumption}")
    lines += rdf.solution_modifiers(query.form)
    return "\n".join([
        *(f"PREFIX {prefix}: <{iri}>" for prefix, iri in query.prologue.prefixes),
        *map(shorten, lines),
    ]) + "\n"


# --- windows -------------------------------------------------------------------------------------


def window_clause_to_text(clause: WindowClause) -> str:
    """FROM NAMED WINDOW …, or FROM WINDOW …"""
    return " ".join([
        "FROM WINDOW" if clause.in_default else "FROM NAMED WINDOW",
        *([rdf.iri(clause.name)] if clause.name is not None else []),
        *([f"ON {rdf.iri(clause.stream)}"] if clause.stream is not None else []),
        window_to_text(clause.function),
    ])


def window_to_text(function: WindowFunction) -> str:
    """A window function in brackets, e.g. `[RANGE 5 STEP 1]`; nested ones with OF between them."""
    match function:
        case TimeBasedWindow(width, step, start, bounds):
            parts = [f"RANGE {_length(width)}"]
            if step is not None:
                parts.append(f"STEP {_length(step)}")
            if start is not None:
                parts.append(f"START {_instant(start)}")
            if bounds is not Bounds.OPEN_CLOSED:
                parts.append(f"BOUNDS {bounds.upper()}")
            return f"[{' '.join(parts)}]"
        case LandmarkWindow(start):
            return f"[FROM {_instant(start)}]"
        case IntervalWindow(first, last):
            return f"[BETWEEN {_instant(first)} AND {_instant(last)}]"
        case IdentityWindow():
            return "[ALL]"
        case CountWindow(size, amount):
            return f"[ELEMENTS {size} STEP {amount}]"
        case NestedWindow(outer, inner):
            return f"{window_to_text(outer)} OF {window_to_text(inner)}"
    raise Impossible(f"not a window: {function!r}")


def _length(moment: Moment) -> str:
    return str(moment.value) if moment.kind is TimeKind.INTEGER else format_duration(moment.value)


def _instant(moment: Moment) -> str:
    return str(moment.value) if moment.kind is TimeKind.INTEGER else format_datetime(moment.value)


# --- patterns ------------------------------------------------------------------------------------


def event_to_text(pattern: EventPattern) -> str:
    """An event pattern; the sequence operators are left-associative."""
    match pattern:
        case Event(window, group):
            return f"EVENT {rdf.iri(window)} {rdf.to_text(group)}"
        case First(operand):
            return f"FIRST ({event_to_text(operand)})"
        case Last(operand):
            return f"LAST ({event_to_text(operand)})"
        case Sequence(operator, left, right):
            second = f"({event_to_text(right)})" if isinstance(right, Sequence) else (
                event_to_text(right)
            )
            return f"{event_to_text(left)} {operator} {second}"
    raise Impossible(f"not an event pattern: {pattern!r}")


@rdf.prints
def _(element: WindowPattern) -> str:
    return f"WINDOW {rdf.to_text(element.name)} {rdf.to_text(element.pattern)}"


@rdf.prints
def _(element: MatchPattern) -> str:
    return f"MATCH {{ {event_to_text(element.event)} }}"
