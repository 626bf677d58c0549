"""What the enumerations of all languages share: trees and words."""

from __future__ import annotations

from denota.oracle.ranks.families import Letters, word_at, words_total
from denota.oracle.ranks.grammars import Grammar


def test_trees_of_a_grammar() -> None:
    def negated(tree: object) -> object:
        return "not", tree

    grammar: Grammar[object] = Grammar(
        (0,), 0, unary=(negated,), once=(negated,),
        binary=(lambda left, right: ("and", left, right),), more=(("odd", 0),),
    )
    assert grammar.count(-1, 1) == grammar.count(0, 2) == 0
    assert [grammar.tree(1, 1, k) for k in range(grammar.count(1, 1))] == [
        ("odd", 0), ("not", (0,))
    ]
    three = [grammar.tree(3, 2, k) for k in range(grammar.count(3, 2))]
    assert len(set(three)) == len(three)
    assert not any("('not', ('not'" in str(tree) for tree in three)
    # One AND, and outside it, on its left or on its right: NOT around an ODD or the other way
    # round is no tree of two operators on one leaf, since ODD takes none; so two NOTs, or an ODD
    # and a NOT, or two ODDs, at different places.
    assert ("not", ("and", ("odd", 0), (0,))) in three
    assert ("and", ("not", (0,)), ("odd", 0)) in three


def test_words_by_weights() -> None:
    bell = [words_total(length, length, (1,) * (length + 1)) for length in range(6)]
    assert bell == [1, 1, 2, 5, 15, 52]
    at_most_two = [word_at(3, 2, (1, 1, 1), rank)[0] for rank in range(4)]
    assert at_most_two == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]
    # A word weighs as many as it has letters: AA once, AB twice.
    held = [Letters(2).at(rank, len) for rank in range(Letters(2).total(len))]
    assert held == [("AA", "A", 0), ("AB", "AB", 0), ("AB", "AB", 1)]
