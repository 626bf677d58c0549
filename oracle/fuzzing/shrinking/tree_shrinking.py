"""Simpler trees of any language, by the types of their fields, and a language's own steps.

A part that has the type of a whole may stand for it (OPTIONAL { P } becomes P, a sequence one of
its steps), parts of a tuple may go, a field may be what it is by default. Nothing here knows what a
tree means: whether a proposal can be written, and still fails, is asked of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, replace
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from rdflib.term import Node

from ....semantics.model.trees import fields_of, is_node, names_in, renamed
from ....semantics.rdf.syntax.tree import And, Comparison, In, Not, Or
from ...cases.case import Case


def _none(case: Case) -> Iterator[Any]:
    return iter(())


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Hook:
    """The part of the shrinker that depends on a language."""

    operators: Callable[[Any], int]
    """The number of operators of a query, which is minimised."""
    proposals: Callable[[Any], Iterator[Any]] = _none
    """Simpler cases that no general rule finds."""
    pruned: Callable[[Any], Any] = _as_it_is
    """A query without the parts that nothing in it names."""
    cost: Callable[[Any], Any] = lambda case: ()
    """Further measures of a case's simplicity, before its settings."""
    orders: tuple[tuple[Enum, ...], ...] = ()
    """Members of enumerations, the plainest first, where that is not the order they stand in."""
    affordable: Callable[[Any], bool] = lambda case: True
    """True if the definitions evaluate a case quickly. Of a case that they do, simplifications that
    they do not are skipped."""
    tidy: tuple[Callable[[Any], Any], ...] = ()
    """Changes that make no case simpler and each easier to read."""

    def plainest(self, member: Enum) -> Sequence[Enum]:
        """Return the members of an enumeration that are simpler than one, the simplest first."""
        order = next((each for each in self.orders if member in each), tuple(type(member)))
        return order[: order.index(member)]


def with_names_in_order(
    places: Collection[tuple[type, str]], names: Sequence[str]
) -> Callable[[Any], Any]:
    """Return a change that gives what `places` name these names, in the order of the text."""

    def tidied(case: Case) -> Any:
        given = dict(zip(names_in(case.query, places), names, strict=False))
        return case.but(query=renamed(case.query, places, given))

    return tidied


T = TypeVar("T")

Plainest: TypeAlias = Callable[[Enum], Iterable[Enum]]
"""The members of an enumeration that are plainer than one, the plainest first."""

_TRUTHS = (And, Comparison, In, Not, Or)
"""Conditions: a term in place of one is a condition, too, and says less to who reads it."""

ROOMY = 10
"""A window that most small streams fit into: the plainest one to read."""


@cache
def field_types(kind: Any) -> dict[str, Any]:
    """Return the types of a dataclass's fields."""
    return get_type_hints(kind)


def fits(value: Any, kind: Any) -> bool:
    """Return True if a value is of a type, as annotations write types.

    >>> fits((1, 2), tuple[int, ...]), fits(None, int | None), fits("a", int)
    (True, True, False)
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in arguments)
    if origin is Literal:
        return value in arguments
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if arguments[-1] is ...:
            return all(fits(part, arguments[0]) for part in value)
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if kind is None:
        kind = NoneType
    return isinstance(kind, type) and isinstance(value, kind)


def children(value: Any) -> Iterator[Any]:
    """Yield the direct children of a tree."""
    if isinstance(value, tuple):
        yield from value
    elif is_node(value):
        for field in fields_of(value):
            yield getattr(value, field.name)


def hoistable(value: Any, kind: Any) -> Iterator[Any]:
    """Yield the nearest parts of a tree that may stand for the whole."""
    for child in children(value):
        if isinstance(child, str | int | float | Enum | NoneType) and not isinstance(child, Node):
            continue
        if isinstance(child, Node) and isinstance(value, _TRUTHS):
            continue
        if fits(child, kind) and child != ():
            yield child
        else:
            yield from hoistable(child, kind)


def without_blocks(values: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Yield the values without ever smaller blocks of them (delta debugging).

    >>> list(without_blocks("abc"))
    [(), ('b', 'c'), ('a', 'c'), ('a', 'b')]
    """
    size = len(values)
    while size:
        for begin in range(0, len(values), size):
            yield (*values[:begin], *values[begin + size :])
        size //= 2


def smaller(tree: Any, kind: Any, plainest: Plainest) -> Iterator[Any]:
    """Yield every tree that is one step simpler, large cuts first; some cannot be written."""
    if isinstance(tree, Node | NoneType):
        return
    if kind is not Any and fits(None, kind):
        yield None
    if isinstance(tree, tuple):
        yield from _smaller_tuple(tree, kind, plainest)
    elif isinstance(tree, bool):
        yield not tree
    elif isinstance(tree, Enum):
        yield from plainest(tree)
    elif isinstance(tree, int):
        one_by_one = range(2, tree) if tree <= 2 * ROOMY else ()
        yield from dict.fromkeys((ROOMY, 0, 1, *one_by_one, tree // 2))
    elif is_node(tree):
        yield from hoistable(tree, kind)
        yield from _smaller_node(tree, plainest)


def _smaller_node(tree: Any, plainest: Plainest) -> Iterator[Any]:
    kind: Any = type(tree)
    kinds = field_types(kind)
    for field in fields_of(tree):
        value = getattr(tree, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if default is not MISSING and value != default:
            yield replace(tree, **{field.name: default})
        for simpler in smaller(value, kinds[field.name], plainest):
            yield replace(tree, **{field.name: simpler})


def _smaller_tuple(parts: tuple[Any, ...], kind: Any, plainest: Plainest) -> Iterator[Any]:
    kinds = next((k for k in (kind, *get_args(kind)) if get_origin(k) is tuple), tuple[Any, ...])
    one = get_args(kinds)[0]
    many = get_args(kinds)[-1] is ...
    if many:
        yield from without_blocks(parts)
    for k, part in enumerate(parts):
        before, after = parts[:k], parts[k + 1 :]
        if many and is_node(part):
            for inner in hoistable(part, kinds):
                yield (*before, *inner, *after)
            for inner in hoistable(part, one):
                yield (*before, inner, *after)
        of = one if many else get_args(kinds)[k]
        for simpler in smaller(part, of, plainest):
            yield (*before, simpler, *after)
