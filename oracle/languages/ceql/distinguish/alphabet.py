"""Tuples that two CEQL queries can tell apart: their event types, with values that matter."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import isfinite, prod

from .....semantics.ceql.predicates import satisfies
from .....semantics.ceql.syntax.patterns import regular_expression
from .....semantics.ceql.syntax.tree import (
    Attribute,
    CeqlQuery,
    Comparison,
    EventType,
    In,
    Interval,
    Like,
    Literal,
    Predicate,
    Range,
    VariableCondition,
)
from .....semantics.model.trees import find
from .....semantics.model.tuples import EventTuple, Value
from ....distinguishing.boundaries import first_of_each, near_points, near_texts

OTHER = "Z"
"""An event type that neither query names."""

Tuple = tuple[str, Mapping[str, Value]]
"""(event type, attributes)"""

_MAX_COMBINATIONS = 4096  # of values; beyond, one attribute varies at a time
_PLAIN: tuple[Value, ...] = (0, 1, 2)  # where no constant is known
_ANY_TYPE: tuple[Value, ...] = (0, 0.5, "", "other", False, True)
_LARGEST = 1 << 63  # integers have 64 bits


def alphabet(a: CeqlQuery, b: CeqlQuery) -> list[Tuple]:
    """Return (event type, attributes), the plainest first; the last ones are of type `OTHER`.

    Of the tuples of one type that all predicates and partitions take alike, one is there.
    """
    keys = {name for query in (a, b) for names in query.partition for name in names}
    windows = (query.within for query in (a, b))
    measured = {each.attribute for each in windows if each is not None and each.attribute}
    predicates = [each.predicate for each in find((a.formula, b.formula), VariableCondition)]
    values = _values(predicates, keys, measured)

    def known(attributes: Mapping[str, Value]) -> Hashable:
        return _truths(attributes, predicates), *map(attributes.get, sorted(keys | measured))

    named = dict.fromkeys(phi.name for phi in find((a.formula, b.formula), EventType))
    assignments = first_of_each(_assignments(values), known)
    of_keys = first_of_each(_assignments({name: values[name] for name in sorted(keys)}), known)
    other = OTHER
    while other in named:
        other += OTHER
    return [
        *((kind, each) for kind in named for each in assignments),
        *((other, each) for each in of_keys),
    ]


def _truths(attributes: Mapping[str, Value], predicates: Iterable[Predicate]) -> tuple[bool, ...]:
    event = EventTuple(OTHER, attributes)
    return tuple(satisfies(event, predicate) for predicate in predicates)


def _assignments(values: Mapping[str, Sequence[Value | None]]) -> Iterator[dict[str, Value]]:
    """All choices of values if they are few, else those in which one attribute varies."""
    if prod(map(len, values.values())) <= _MAX_COMBINATIONS:
        chosen: Iterable[tuple[Value | None, ...]] = product(*values.values())
    else:
        chosen = _one_by_one(list(values.values()))
    for each in chosen:
        yield {name: v for name, v in zip(values, each, strict=True) if v is not None}


def _one_by_one(values: list[Sequence[Value | None]]) -> Iterator[tuple[Value | None, ...]]:
    plain = [known[0] for known in values]
    yield tuple(plain)
    for place, known in enumerate(values):
        for value in known[1:]:
            yield (*plain[:place], value, *plain[place + 1 :])


def _values(
    predicates: Iterable[Predicate], keys: Collection[str], measured: Collection[str]
) -> dict[str, Sequence[Value | None]]:
    """Return the values of each attribute that the conditions on it tell apart.

    None stands for a missing value. An attribute that is compared with another one, or that is a
    window's, has all values near its constants.
    """
    atoms = {
        atom: {each.name for each in find(atom, Attribute)}
        for atom in find(tuple(predicates), Comparison, Like, In, Range)
    }
    constants: dict[str, list[Value]] = {name: [1, 2] for name in sorted(keys)}
    for atom, names in atoms.items():
        for name in sorted(names):
            constants.setdefault(name, []).extend(_constants(atom))
    values: dict[str, Sequence[Value | None]] = {}
    for name, given in constants.items():
        own = [atom for atom, names in atoms.items() if names == {name}]
        related = any(name in names and len(names) > 1 for names in atoms.values())
        near = _near(given)
        exact = near if related or name in measured else given if name in keys else []
        values[name] = first_of_each(
            (*near, None, *_ANY_TYPE), partial(_known, name=name, atoms=own, exact=exact)
        )
    return values


def _known(
    value: Value | None, *, name: str, atoms: Iterable[Predicate], exact: Collection[Value]
) -> Hashable:
    truths = _truths({} if value is None else {name: value}, atoms)
    if value is None or value not in exact:
        return truths
    return truths, isinstance(value, bool), value  # TRUE equals 1 in Python


def _constants(atom: Predicate) -> Iterator[Value]:
    for literal in find(atom, Literal):
        yield literal.value
        if isinstance(literal.value, int | float):
            yield -literal.value
    match atom:
        case Like(_, pattern):
            yield from _strings(pattern)
        case In(_, Interval(low, high)):
            yield from (bound for bound in (low, high) if bound is not None)
        case In(_, tuple() as listed):
            yield from listed


def _near(constants: Collection[Value]) -> list[Value]:
    """Return values about constants, first those of the first constant's type."""
    truths = [value for value in constants if isinstance(value, bool)]
    texts = [value for value in constants if isinstance(value, str)]
    numbers = [
        value for value in constants if not isinstance(value, bool | str) and isfinite(value)
    ]
    points = [
        point for point in near_points(numbers, 1)
        if isinstance(point, float) or -_LARGEST <= point < _LARGEST
    ]
    near: dict[type, list[Value]] = {
        float: [*points, *map(float, points)], str: [*near_texts(texts)] if texts else [],
        bool: [*truths],
    }
    if not any(near.values()):
        return list(_PLAIN)
    first = next(iter(constants))
    own = near.pop(type(first) if isinstance(first, bool | str) else float)
    return [*own, *(value for others in near.values() for value in others)]


def predicates_on(query: CeqlQuery, names: Collection[str]) -> list[Predicate]:
    """What the query's conditions ask of variables of these names."""
    return [
        each.predicate for each in find(query.formula, VariableCondition)
        if each.variable.name in names
    ]


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
