"""Syntax trees, whatever their language: walking, finding, changing, renaming.

A tree is a construct (a dataclass), a term or variable, or a tuple, set or mapping of trees. What
stands in a construct is said by its fields; those that do not count for its equality (positions,
the prologue) say nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from functools import cache, wraps
from operator import attrgetter
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

if TYPE_CHECKING:  # a query about tuples has no terms
    from rdflib.term import Node

T = TypeVar("T")
Kinds: TypeAlias = "type | UnionType | tuple[Kinds, ...]"
"""The class arguments of `isinstance`."""


# --- what a tree is made of ----------------------------------------------------------------------


def is_node(value: Any) -> bool:
    """Return True if a value is a construct of a syntax tree."""
    return _names(value) is not None


def is_term(value: Any) -> bool:
    """Return True if a value is a term or a variable."""
    kind: Any = type(value)
    return _is_term(kind)


def fields_of(node: Any) -> tuple[Field[Any], ...]:
    """Return the fields of a construct that say something: no positions, no prologue."""
    kind: Any = type(node)
    return _fields_of(kind)


@cache
def _fields_of(kind: Any) -> tuple[Field[Any], ...]:
    return tuple(field for field in fields(kind) if field.compare)


def _names(value: Any) -> tuple[str, ...] | None:
    """Return the names of these fields; None for a value that is not a construct."""
    kind: Any = type(value)
    return _names_of(kind)


@cache
def _names_of(kind: Any) -> tuple[str, ...] | None:
    return tuple(f.name for f in fields(kind) if f.compare) if is_dataclass(kind) else None


@cache
def _is_term(kind: type) -> bool:
    return hasattr(kind, "n3")


# --- walking -------------------------------------------------------------------------------------


def parts(tree: Any, but: Kinds = ()) -> Iterator[Any]:
    """Yield the tree, and every construct, term and variable in it, in the order of the text.

    Nothing is told of what stands inside constructs of the kinds `but`; they themselves are told.
    """
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        kind: Any = type(part)
        told, inside = _shape_of(kind)
        if told:
            yield part
        if inside is not None and (inside is _entries or not isinstance(part, but)):
            waiting.extend(reversed(inside(part)))


def children(tree: Any) -> Iterator[Any]:
    """Yield the constructs, terms and variables that stand directly in a tree."""
    for value in directly_inside(tree):
        if is_node(value) or is_term(value):
            yield value
        else:
            yield from children(value)


def directly_inside(value: Any) -> Sequence[Any]:
    kind: Any = type(value)
    _, inside = _shape_of(kind)
    return () if inside is None else inside(value)


@cache
def _shape_of(kind: Any) -> tuple[bool, Callable[[Any], Sequence[Any]] | None]:
    """Return the shape of a kind of value, as a pair.

    The first component is True if a value of this kind is a construct, a term or a variable. The
    second returns the direct children of a value; it is None for a kind without children.
    """
    if issubclass(kind, tuple):
        return False, _entries
    names = _names_of(kind)
    if names is not None:
        return True, _in_fields(names)
    if issubclass(kind, frozenset):
        return _is_term(kind), lambda value: sorted(value, key=triple_key)
    if issubclass(kind, dict):
        return _is_term(kind), lambda value: tuple(value.items())
    return _is_term(kind), None


def _entries(value: Any) -> Sequence[Any]:
    entries: Sequence[Any] = value
    return entries


def _in_fields(names: Sequence[str]) -> Callable[[Any], Sequence[Any]] | None:
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda value: (getattr(value, names[0]),)) if names else None


@overload
def find(tree: Any, kind: type[T], /, *, but: Kinds = ()) -> Iterator[T]: ...
@overload
def find(tree: Any, /, *kinds: Kinds, but: Kinds = ()) -> Iterator[Any]: ...


def find(tree: Any, /, *kinds: Kinds, but: Kinds = ()) -> Iterator[Any]:
    """Return the parts of a tree that are of these kinds; inside of `but` is not looked."""
    return (part for part in parts(tree, but) if isinstance(part, kinds))


@overload
def outermost(tree: Any, kind: type[T], /) -> Iterator[T]: ...
@overload
def outermost(tree: Any, /, *kinds: Kinds) -> Iterator[Any]: ...


def outermost(tree: Any, /, *kinds: Kinds) -> Iterator[Any]:
    """Return the parts of a tree that are of these kinds, but none inside another."""
    return find(tree, *kinds, but=kinds)


def has(tree: Any, /, *kinds: Kinds, but: Kinds = ()) -> bool:
    """Return True if a part of a tree is of these kinds."""
    return any(isinstance(part, kinds) for part in parts(tree, but))


def leaves(tree: Any) -> Iterator[Node]:
    """Return every term and variable of the tree, in the order of the text, with repetitions."""
    return filter(is_term, parts(tree))


def nodes(tree: Any) -> Iterator[Any]:
    """Return the tree and every construct in it."""
    return filter(is_node, parts(tree))


def weight(tree: Any) -> int:
    """Return the number of constructs in the tree: its nodes, its terms and its variables."""
    return sum(1 for _ in parts(tree))


def term_key(term: Node) -> tuple[int, str]:
    """Simplest first: variables, IRIs, literals, blank nodes; the same in every process."""
    from rdflib.term import BNode, Literal, URIRef, Variable

    for rank, kind in enumerate((Variable, URIRef, Literal, BNode)):
        if isinstance(term, kind):
            return rank, term.n3()
    return 9, str(term)


def triple_key(triple: Any) -> Any:
    """Return an order of triples that is the same in every process."""
    return tuple(map(term_key, triple)) if isinstance(triple, tuple) else (term_key(triple),)


# --- changing ------------------------------------------------------------------------------------


def changed(tree: T, change: Callable[[Any], Any], but: Kinds = ()) -> T:
    """Apply `change` to every construct, term and variable of a tree, the innermost first.

    What does not change stays the same object, and so do constructs of the kinds `but`.
    """
    return _changed(tree, change, but)  # type: ignore[no-any-return]


def _changed(tree: Any, change: Callable[[Any], Any], but: Kinds) -> Any:
    if isinstance(tree, but):
        return tree
    kind: Any = type(tree)
    told, inside = _shape_of(kind)
    if inside is None:
        return change(tree) if told else tree
    if isinstance(tree, dict):
        return dict(_changed(tuple(tree.items()), change, but))
    if isinstance(tree, frozenset):
        return frozenset(_changed(part, change, but) for part in tree)
    whole = mapped(tree, lambda part: _changed(part, change, but))
    return change(whole) if is_node(whole) or is_term(whole) else whole


def mapped(tree: T, change: Callable[[Any], Any]) -> T:
    """Return the tree with `change` applied to what stands directly in it."""
    whole: Any = tree
    if isinstance(whole, tuple):
        entries = tuple(map(change, whole))
        same = all(new is old for new, old in zip(entries, whole, strict=True))
        return whole if same else entries  # type: ignore[return-value]
    news = {}
    for name in _names(whole) or ():
        old = getattr(whole, name)
        new = mapped(old, change) if isinstance(old, tuple) else change(old)
        if new is not old:
            news[name] = new
    return replace(whole, **news) if news else tree


def instead(old: Any, new: Any) -> Callable[[Any], Any]:
    """Return the change of one construct or term for another."""
    return lambda part: new if part == old else part


def renamed(tree: T, places: Collection[tuple[type, str]], names: Mapping[str, str]) -> T:
    """Return the tree with other names in the fields `places` of its constructs."""

    def change(node: Any) -> Any:
        said = {f: names.get(getattr(node, f)) for kind, f in places if isinstance(node, kind)}
        return replace(node, **{f: name for f, name in said.items() if name is not None})

    return changed(tree, lambda part: change(part) if is_node(part) else part)


def names_in(tree: Any, places: Collection[tuple[type, str]]) -> list[str]:
    """Return the names in the fields `places` of a tree's constructs, in text order, once."""
    found = (getattr(n, f) for n in parts(tree) for kind, f in places if isinstance(n, kind))
    return list(dict.fromkeys(found))


# --- what is asked of a tree again and again -----------------------------------------------------

R = TypeVar("R")

_MOST_REMEMBERED = 1 << 12


def remembering(function: Callable[[T], R]) -> Callable[[T], R]:
    """Return the function, computed once for each tree.

    A tree is told by its address: comparing trees takes longer than most of what is asked of them.
    It is kept, so that no other tree has the address meanwhile.
    """
    known: dict[int, tuple[T, R]] = {}

    @wraps(function)
    def remembered(tree: T) -> R:
        found = known.get(id(tree))
        if found is None:
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            found = known[id(tree)] = tree, function(tree)
        return found[1]

    return remembered
