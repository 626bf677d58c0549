"""Equality up to the names of blank nodes (RDF 1.1 Semantics, 3; for results, SPARQL's tests).

What is compared is a bag of rows, a row being a tuple of terms (or of anything hashable). Blank
nodes get colours that say how they occur; equally coloured ones are candidates for each other.
Where colours leave a choice, one node of each side is singled out and the colours are refined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

from rdflib.term import BNode

from ..model.terms import Graph

Row: TypeAlias = tuple[Hashable, ...]
_Colours: TypeAlias = dict[BNode, int]


def isomorphic_graphs(first: Graph, second: Graph) -> bool:
    """Return True if two graphs are equal but for the names of their blank nodes.

    >>> from rdflib.term import URIRef
    >>> p = URIRef("urn:p")
    >>> isomorphic_graphs(frozenset({(BNode("a"), p, p)}), frozenset({(BNode("b"), p, p)}))
    True
    """
    return isomorphic(first, second)


def isomorphic(first: Iterable[Row], second: Iterable[Row]) -> bool:
    """Return True if a bijection of blank nodes turns the one bag of rows into the other."""
    ours, theirs = list(first), list(second)
    if len(ours) != len(theirs) or _ground(ours) != _ground(theirs):
        return False
    ours, theirs = [r for r in ours if _has_blank(r)], [r for r in theirs if _has_blank(r)]
    return _search(ours, theirs, _initial(ours), _initial(theirs))


def _has_blank(row: Row) -> bool:
    return any(isinstance(part, BNode) for part in row)


def _ground(rows: Sequence[Row]) -> Counter[Row]:
    return Counter(row for row in rows if not _has_blank(row))


def _initial(rows: Sequence[Row]) -> _Colours:
    return {part: 0 for row in rows for part in row if isinstance(part, BNode)}


def _search(ours: list[Row], theirs: list[Row], mine: _Colours, their: _Colours) -> bool:
    mine, their = _refined(ours, mine), _refined(theirs, their)
    if _coloured(ours, mine) != _coloured(theirs, their):
        return False
    sizes = Counter(mine.values())
    if sizes != Counter(their.values()):
        return False
    if all(size == 1 for size in sizes.values()):
        return True
    choice = min((size, colour) for colour, size in sizes.items() if size > 1)[1]
    singled = next(node for node, colour in mine.items() if colour == choice)
    mark = hash(("singled out", choice))
    return any(
        _search(ours, theirs, {**mine, singled: mark}, {**their, candidate: mark})
        for candidate, colour in their.items()
        if colour == choice
    )


def _coloured(rows: Sequence[Row], colours: _Colours) -> Counter[Row]:
    return Counter(
        tuple(("_:", colours[part]) if isinstance(part, BNode) else part for part in row)
        for row in rows
    )


def _refined(rows: Sequence[Row], colours: _Colours) -> _Colours:
    while True:
        seen: dict[BNode, list[int]] = {node: [] for node in colours}
        for row in rows:
            look = hash(tuple(
                ("_:", colours[part]) if isinstance(part, BNode) else part for part in row
            ))
            for place, part in enumerate(row):
                if isinstance(part, BNode):
                    seen[part].append(hash((look, place)))
        finer = {
            node: hash((colours[node], tuple(sorted(looks)))) for node, looks in seen.items()
        }
        if len(set(finer.values())) == len(set(colours.values())):
            return finer
        colours = finer
