"""The printer from CEQL's syntax tree to text; `parse` returns the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model.pretty_printing import binds, text_of, written
from . import tree as c

_PLAIN = re.compile(r"[^\W\d]\w*")
_RESERVED = frozenset(
    {
        "ALL", "AND", "ANY", "AS", "BY", "CONSUME", "CREATE", "DECLARE", "DISTINCT", "EVENT",
        "EVENTS", "FALSE", "FILTER", "FROM", "HOUR", "HOURS", "IN", "LAST", "LIKE", "LIMIT", "MAX",
        "MINUTE", "MINUTES", "NEXT", "NONE", "NOT", "OR", "PARTITION", "RANGE", "SECOND", "SECONDS",
        "SELECT", "STREAM", "STRICT", "TRUE", "UNLESS", "WHERE", "WITHIN",
    }
)
_UNITS = (
    ("HOURS", 3_600_000_000_000), ("MINUTES", 60_000_000_000), ("SECONDS", 1_000_000_000),
    ("MILLISECONDS", 1_000_000), ("MICROSECONDS", 1_000),
)
_PRODUCTS = ("*", "/", "%")


@text_of.register
def to_text(query: c.CeqlQuery) -> str:
    """Return the query, one clause a line."""
    return "\n".join(_clauses(query)) + "\n"


def _clauses(query: c.CeqlQuery) -> Iterator[str]:
    yield from map(text_of, query.declarations)
    strategy = "" if query.strategy is c.Strategy.ALL else f"{query.strategy} "
    selected = None if query.select is None else ", ".join(map(text_of, query.select)) or "NONE"
    yield f"SELECT {strategy}{selected or '*'}"
    if query.streams:
        yield f"FROM {_names(query.streams)}"
    yield f"WHERE {text_of(query.formula)}"
    if query.partition:
        yield "PARTITION BY " + ", ".join(f"[{_names(names)}]" for names in query.partition)
    if query.within is not None:
        yield f"WITHIN {text_of(query.within)}"
    if query.consume is not c.Consumption.NONE:
        yield f"CONSUME BY {query.consume}"
    if query.limit is not None:
        yield f"LIMIT {query.limit}"


@text_of.register
def _(within: c.Within) -> str:
    """Return the measure, a duration in the largest unit that counts it wholly."""
    if within.unit is c.WindowUnit.EVENTS:
        return f"{within.value} EVENTS"
    if within.unit is c.WindowUnit.ATTRIBUTE:
        return f"{within.value} [{name_to_text(within.attribute or '')}]"
    for unit, nanoseconds in _UNITS:
        amount, rest = divmod(within.value, nanoseconds)
        if rest == 0 and (amount or unit == "MICROSECONDS"):
            return f"{amount} {unit}"
    return f"{within.value / 1_000:g} MICROSECONDS"


# --- names and constants -------------------------------------------------------------------------


def name_to_text(name: str) -> str:
    """Return a name, in backquotes where it would be read as something else."""
    if _PLAIN.fullmatch(name) and name.upper() not in _RESERVED:
        return name
    doubled = name.replace("`", "``")
    return f"`{doubled}`"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(map(name_to_text, names))


def constant_to_text(value: c.Constant) -> str:
    """Return a constant, so that it is read back as one of its type."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    return text if "e" in text or "." in text else f"{text}.0"


def _string(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


@text_of.register(c.Name)
@text_of.register(c.EventType)
def _(name: c.Name | c.EventType) -> str:
    shown = name_to_text(name.name)
    return shown if name.stream is None else f"{name_to_text(name.stream)}>{shown}"


# --- formulas φ, conditions θ, predicates P and terms, with no more brackets than they need ------


def _in_not(phi: c.Formula) -> str:
    # Inside NOT( ) no brackets can stand, so a condition of FILTER is told by its own.
    if not isinstance(phi, c.Filter):
        return text_of(phi)
    return f"{_in_not(phi.formula)} FILTER {text_of(phi.condition)}"


def _values(values: tuple[c.Constant, ...] | c.Interval) -> str:
    if isinstance(values, c.Interval):
        ends = (values.low, values.high)
        return "..".join("" if end is None else constant_to_text(end) for end in ends)
    return ", ".join(map(constant_to_text, values))


written(
    {
        c.NotFormula: "NOT({formula!f})",
        c.As: "{formula!4} AS {variable!n}",
        c.Iteration: "{formula!4}+",
        c.ContiguousIteration: "{formula!4}:+",
        c.Sequence: "{left!3} ; {right!4}",
        c.Contiguous: "{left!2} : {right!3}",
        c.Disjunction: "{left!1} OR {right!2}",
        c.Filter: "{formula} FILTER {condition}",
        c.Projection: "SELECT {variables!l} ({formula})",
        c.Selected: "{variable}{attributes!a}",
        c.VariableCondition: "{variable}[{predicate}]",
        c.NotCondition: "NOT {operand!2}",
        c.AndCondition: "{left!1} AND {right!2}",
        c.OrCondition: "{left} OR {right!1}",
        c.Comparison: "{left} {operator} {right}",
        c.Like: "{attribute} LIKE {pattern!s}",
        c.In: "{attribute} {negated:NOT }IN {{{values!v}}}",
        c.Range: "{operand} IN RANGE ({low}, {high})",
        c.Not: "NOT {operand!2}",
        c.And: "{left!1} AND {right!2}",
        c.Or: "{left} OR {right!1}",
        c.Attribute: "{name!n}",
        c.Literal: "{value!c}",
    },
    f=_in_not, n=name_to_text, s=_string, c=constant_to_text, v=_values,
    l=lambda variables: ", ".join(map(text_of, variables)) or "NONE",
    a=lambda attributes: "" if attributes is None else f"[{_names(attributes)}]",
)
binds({
    c.Filter: 0, c.Disjunction: 1, c.Contiguous: 2, c.Sequence: 3,
    c.As: 4, c.Iteration: 4, c.ContiguousIteration: 4,
    c.OrCondition: 0, c.AndCondition: 1, c.Or: 0, c.And: 1, c.Arithmetic: 1,
})


@text_of.register
def _(term: c.Negative) -> str:
    operand = text_of(term.operand)
    # Two minus signs in a row would begin a comment.
    bare = not isinstance(term.operand, c.Arithmetic) and not operand.startswith("-")
    return f"-{operand}" if bare else f"-({operand})"


@text_of.register
def _(term: c.Arithmetic) -> str:
    product = term.operator in _PRODUCTS
    left, right = text_of(term.left), text_of(term.right)
    if product and isinstance(term.left, c.Arithmetic) and term.left.operator not in _PRODUCTS:
        left = f"({left})"
    if isinstance(term.right, c.Arithmetic) and (product or term.right.operator not in _PRODUCTS):
        right = f"({right})"
    return f"{left} {term.operator} {right}"


# --- declarations --------------------------------------------------------------------------------


@text_of.register
def _(declaration: c.StreamDeclaration) -> str:
    events = ", ".join(map(text_of, declaration.events))
    return f"CREATE STREAM {name_to_text(declaration.name)} {{ {events} }}"


@text_of.register
def _(event: c.EventDeclaration) -> str:
    typed = ", ".join(f"{name_to_text(name)}:{kind}" for name, kind in event.attributes)
    body = f"{{ {typed} }}" if typed else "{ }"
    return f"EVENT {name_to_text(event.name)} {body}"
