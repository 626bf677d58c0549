"""Rewriting syntax trees, data and terms alike, whatever their language."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from rdflib.term import BNode, Literal, Node, URIRef, Variable

T = TypeVar("T")


def rewrite(tree: T, change: Callable[[Node], Node]) -> T:
    """The tree with `change` applied to every term and variable in it."""
    return _rewrite(tree, change)  # type: ignore[no-any-return]


def _rewrite(tree: Any, change: Callable[[Node], Node]) -> Any:
    if isinstance(tree, Node):
        return change(tree)
    if isinstance(tree, tuple):
        return tuple(_rewrite(part, change) for part in tree)
    if isinstance(tree, frozenset):
        return frozenset(_rewrite(part, change) for part in tree)
    if isinstance(tree, dict):
        return {_rewrite(k, change): _rewrite(v, change) for k, v in tree.items()}
    if is_node(tree):
        changed = {f.name: _rewrite(getattr(tree, f.name), change) for f in fields_of(tree)}
        return replace(tree, **changed)
    return tree


def exchanged(tree: T, old: Any, new: Any) -> T:
    """The tree with one construct for another, wherever it occurs."""
    return _exchanged(tree, old, new)  # type: ignore[no-any-return]


def _exchanged(tree: Any, old: Any, new: Any) -> Any:
    if isinstance(tree, tuple):
        return tuple(_exchanged(part, old, new) for part in tree)
    if not is_node(tree):
        return tree
    if tree == old:
        return new
    changed = {f.name: _exchanged(getattr(tree, f.name), old, new) for f in fields_of(tree)}
    return replace(tree, **changed)


def leaves(tree: Any) -> Iterator[Node]:
    """Every term and variable of the tree, in the order of the text, with repetitions."""
    if isinstance(tree, Node):
        yield tree
    elif isinstance(tree, tuple):
        for part in tree:
            yield from leaves(part)
    elif isinstance(tree, frozenset):
        for part in sorted(tree, key=triple_key):
            yield from leaves(part)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(key)
            yield from leaves(value)
    elif is_node(tree):
        for field in fields_of(tree):
            yield from leaves(getattr(tree, field.name))


def nodes(tree: Any) -> Iterator[Any]:
    """The tree and every construct in it."""
    if isinstance(tree, tuple):
        for part in tree:
            yield from nodes(part)
    elif is_node(tree):
        yield tree
        for field in fields_of(tree):
            yield from nodes(getattr(tree, field.name))


def weight(tree: Any) -> int:
    """How many constructs the tree has: its nodes, its terms and its variables."""
    if isinstance(tree, Node):
        return 1
    if isinstance(tree, tuple):
        return sum(map(weight, tree))
    if is_node(tree):
        return 1 + sum(weight(getattr(tree, field.name)) for field in fields_of(tree))
    return 0


def fields_of(node: Any) -> tuple[Field[Any], ...]:
    """The fields of a construct that say something: no positions, no prologue."""
    kind: Any = type(node)
    return _fields_of(kind)


@cache
def _fields_of(kind: Any) -> tuple[Field[Any], ...]:
    return tuple(field for field in fields(kind) if field.compare)


def is_node(value: Any) -> bool:
    """Whether a value is a construct of a syntax tree."""
    return is_dataclass(value) and not isinstance(value, type)


def instead(old: Any, new: Any) -> Callable[[Any], Any]:
    """The change of one term for another."""
    return lambda term: new if term == old else term


def term_key(term: Node) -> tuple[int, str]:
    """Simplest first: variables, IRIs, literals, blank nodes; the same in every process."""
    for rank, kind in enumerate((Variable, URIRef, Literal, BNode)):
        if isinstance(term, kind):
            return rank, term.n3()
    return 9, str(term)


def triple_key(triple: Any) -> Any:
    """An order of triples that is the same in every process."""
    return tuple(map(term_key, triple)) if isinstance(triple, tuple) else (term_key(triple),)


def changed(tree: T, change: Callable[[Any], Any]) -> T:
    """The tree with `change` applied to every construct in it, the innermost first."""
    return _changed(tree, change)  # type: ignore[no-any-return]


def _changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(tree, tuple):
        return tuple(_changed(part, change) for part in tree)
    if not is_node(tree):
        return tree
    return change(replace(tree, **{
        field.name: _changed(getattr(tree, field.name), change)
        for field in fields_of(tree)
    }))


def renamed(tree: T, places: Collection[tuple[type, str]], names: Mapping[str, str]) -> T:
    """The tree with other names in the fields `places` of its constructs."""

    def change(node: Any) -> Any:
        said = {f: names.get(getattr(node, f)) for kind, f in places if isinstance(node, kind)}
        return replace(node, **{f: name for f, name in said.items() if name is not None})

    return changed(tree, change)


def names_in(tree: Any, places: Collection[tuple[type, str]]) -> list[str]:
    """The names in the fields `places` of a tree's constructs, in the order of the text, once."""
    found = (getattr(n, f) for n in nodes(tree) for kind, f in places if isinstance(n, kind))
    return list(dict.fromkeys(found))
