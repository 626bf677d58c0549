"""Tuples that two CEQL queries can tell apart: their event types, with values that matter."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product

from .....semantics.ceql.syntax.patterns import regular_expression
from .....semantics.ceql.syntax.tree import (
    And,
    Arithmetic,
    Attribute,
    CeqlQuery,
    Comparison,
    EventType,
    In,
    Interval,
    Like,
    Literal,
    Negative,
    Not,
    Or,
    Predicate,
    Range,
    Term,
    VariableCondition,
    WindowUnit,
)
from .....semantics.model.trees import find
from .....semantics.model.tuples import Value

OTHER = "Z"
"""An event type that neither query names."""

Tuple = tuple[str, Mapping[str, Value]]
"""(event type, attributes)"""

_MOST = 24  # tuples of one event type
_SOME = 3  # values of an attribute that nothing is known of


def alphabet(a: CeqlQuery, b: CeqlQuery) -> list[Tuple]:
    """(event type, attributes), the plainest first; the last one is of a type that no one names."""
    values = values_of((a, b))
    named = dict.fromkeys(
        phi.name
        for phi in find((a.formula, b.formula), EventType)
    )
    partition = {name: known for name, known in values.items() if name in _partition((a, b))}
    other = OTHER
    while other in named:
        other += OTHER
    return [
        *((kind, each) for kind in named for each in _assignments(values)),
        *((other, each) for each in _assignments(partition)),
    ]


def _assignments(values: Mapping[str, list[Value | None]]) -> Iterator[dict[str, Value]]:
    """All choices of values if they are few, else those in which one attribute varies."""
    size = 1
    for known in values.values():
        size *= len(known)
    if size <= _MOST:
        chosen: Iterable[tuple[Value | None, ...]] = product(*values.values())
    else:
        chosen = _one_by_one(list(values.values()))
    for each in chosen:
        yield {name: v for name, v in zip(values, each, strict=True) if v is not None}


def _one_by_one(values: list[list[Value | None]]) -> Iterator[tuple[Value | None, ...]]:
    plain = [known[0] for known in values]
    yield tuple(plain)
    for place, known in enumerate(values):
        for value in known[1:]:
            yield (*plain[:place], value, *plain[place + 1 :])


def values_of(queries: Iterable[CeqlQuery]) -> dict[str, list[Value | None]]:
    """The values of each attribute on which a predicate turns, and last that it is missing."""
    found: dict[str, dict[tuple[type, Value], None]] = {}
    for query in queries:
        for predicate in _predicates(query):
            for name, value in _critical(predicate):
                known = found.setdefault(name, {})
                if value is not None:
                    known[type(value), value] = None
        for name in _partition((query,)):
            found.setdefault(name, {}).update({(int, 1): None, (int, 2): None})
        measured = query.within.attribute if query.within is not None else None
        if measured is not None:
            found.setdefault(measured, {})
    measures = {
        query.within.attribute for query in queries
        if query.within is not None and query.within.unit is WindowUnit.ATTRIBUTE
    }
    values: dict[str, list[Value | None]] = {}
    for name, known in found.items():
        if name in measures and not known:
            continue  # its values come from the search, like times
        one_kind = _of_one_type([value for _, value in known])
        values[name] = [*(one_kind or range(_SOME)), None]
    return values


def _of_one_type(values: list[Value]) -> list[Value]:
    """A column has one type: that of the first value; numbers are of one type."""
    def kind(value: Value) -> type:
        return float if isinstance(value, int | float) and not isinstance(value, bool) else type(
            value
        )

    chosen = [value for value in values if kind(value) is kind(values[0])]
    if any(isinstance(value, float) for value in chosen):
        return list(dict.fromkeys(float(value) for value in chosen))
    return chosen


def _partition(queries: Iterable[CeqlQuery]) -> set[str]:
    return {name for query in queries for names in query.partition for name in names}


def _predicates(query: CeqlQuery) -> Iterator[Predicate]:
    return (each.predicate for each in find(query.formula, VariableCondition))


def predicates_on(query: CeqlQuery, names: Collection[str]) -> list[Predicate]:
    """What the query's conditions ask of variables of these names."""
    return [
        each.predicate for each in find(query.formula, VariableCondition)
        if each.variable.name in names
    ]


def _critical(predicate: Predicate) -> Iterator[tuple[str, Value | None]]:
    """(attribute, value): values that make a predicate true, and values that make it false."""
    match predicate:
        case Comparison(_, left, right):
            yield from _compared(left, right)
            yield from _compared(right, left)
        case Like(Attribute(name), pattern):
            for text in _strings(pattern):
                yield name, text
        case In(Attribute(name), Interval(low, high)):
            for bound in (low, high):
                for value in _around(bound) if bound is not None else ():
                    yield name, value
        case In(Attribute(name), tuple() as listed):
            for value in listed:
                yield name, value
            yield name, "other" if isinstance(listed[0], str) else max(map(_number, listed)) + 1
        case Range(operand, low, high):
            yield from _compared(operand, low)
            yield from _compared(operand, high)
        case And(left, right) | Or(left, right):
            yield from _critical(left)
            yield from _critical(right)
        case Not(operand):
            yield from _critical(operand)


def _number(value: Value) -> int | float:
    return value if isinstance(value, int | float) else 0


def _compared(term: Term, other: Term) -> Iterator[tuple[str, Value | None]]:
    constants = list(_constants(other))
    for name in (each.name for each in find(term, Attribute)):
        if not constants:
            yield name, None
        for constant in constants:
            if isinstance(constant, str):
                yield name, constant
                yield name, constant + "z"
            elif isinstance(constant, bool):
                yield name, constant
                yield name, not constant
            else:
                for value in _around(constant):
                    yield name, value


def _around(constant: int | float) -> tuple[int | float, ...]:
    return constant, constant + 1, constant - 1


def _constants(term: Term) -> Iterator[Value]:
    match term:
        case Literal(value):
            yield value
        case Negative(Literal(value)) if isinstance(value, int | float):
            yield -value
        case Arithmetic(_, left, right):
            yield from _constants(left)
            yield from _constants(right)
        case _:
            return


def _strings(pattern: str) -> Iterator[str]:
    """Strings that a simple pattern finds, and one that it does not."""
    literal = re.sub(r"[\^$\\]|\.\*|\.\+|\*|\+|\?", "", pattern)
    tried = (literal, *literal.split("|"), re.sub(r"\[(.)[^\]]*\]", r"\1", literal), "a", "1", "")
    found = [text for text in tried if regular_expression(pattern).search(text)]
    yield from found[:1]
    if found:
        yield found[0] + "z"
        yield "z" + found[0]
    yield from (t for t in ("z", "", "0") if not regular_expression(pattern).search(t))
