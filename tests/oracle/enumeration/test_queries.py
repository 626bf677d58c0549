"""Queries by number: trees and words, against all that can be made without counting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from denota.oracle.languages.enumerated_graphs import HOLE, triple_pattern
from denota.oracle.ranks.families import Letters, word_at, words_total
from denota.oracle.ranks.grammars import Grammar
from denota.semantics.model.trees import changed, parts
from denota.semantics.rdf.syntax.tree import (
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)


def _optional(group: GroupGraphPattern) -> GroupGraphPattern:
    return GroupGraphPattern((OptionalPattern(group),))


GROUPS = Grammar(
    GroupGraphPattern((TriplesBlock((HOLE,)),)), HOLE, unary=(_optional,), once=(_optional,),
    binary=(
        lambda left, right: GroupGraphPattern((UnionPattern((left, right)),)),
        lambda left, right: GroupGraphPattern((*left.elements, MinusPattern(right))),
    ),
    more=(GroupGraphPattern((TriplesBlock((HOLE, HOLE)),)),),
)


def made(grammar: Grammar[Any], operators: int) -> Iterator[Any]:
    """Every tree, by what it is made of."""
    if operators == 0:
        yield grammar.leaf
        return
    if operators == 1:
        yield from grammar.more
    for wrap in grammar.unary:
        inner = set(made(grammar, operators - 2)) if operators > 1 else set()
        again = {wrap(tree) for tree in inner} if wrap in grammar.once else set()
        yield from (wrap(tree) for tree in made(grammar, operators - 1) if tree not in again)
    for on_left in range(operators):
        for left in made(grammar, on_left):
            for right in made(grammar, operators - 1 - on_left):
                yield from (join(left, right) for join in grammar.binary)


def words(length: int, known: str = "") -> Iterator[str]:
    """Every word in which a letter is known or the next one."""
    if length == 0:
        yield ""
        return
    for letter in (*known, "ABCD"[len(known)]):
        met = known if letter in known else known + letter
        yield from (letter + rest for rest in words(length - 1, met))


@pytest.mark.parametrize("operators", [0, 1, 2])
def test_trees_of_a_grammar(operators: int) -> None:
    expected = set()
    for tree in made(GROUPS, operators):
        for word in words(sum(part == GROUPS.hole for part in parts(tree))):
            letters = map(triple_pattern, word)
            expected.add(changed(
                tree,
                lambda part, letters=letters: next(letters) if part == GROUPS.hole else part,
            ))
    listed = [tree for tree, _ in GROUPS.lettered(operators, triple_pattern)]
    assert len(set(listed)) == len(listed)
    assert set(listed) == expected


def test_there_is_no_tree_beyond() -> None:
    assert GROUPS.count(-1, 1) == GROUPS.count(0, 2) == GROUPS.count(1, 3) == 0
    with pytest.raises(IndexError, match="no tree of 0 operators and 1 leaves is that far"):
        GROUPS.tree(0, 1, 1)


def test_words_by_weights() -> None:
    bell = [words_total(length, length, (1,) * (length + 1)) for length in range(6)]
    assert bell == [1, 1, 2, 5, 15, 52]
    at_most_two = [word_at(3, 2, (1, 1, 1), rank)[0] for rank in range(4)]
    assert at_most_two == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]
    # A word weighs as many as it has letters: AA once, AB twice.
    held = [Letters(2).at(rank, len) for rank in range(Letters(2).total(len))]
    assert held == [("AA", "A", 0), ("AB", "AB", 0), ("AB", "AB", 1)]
