"""What the enumerations of all languages share: trees and words."""

from __future__ import annotations

from denota.oracle.languages.enumeration import Grammar, words


def test_trees_of_a_grammar() -> None:
    grammar: Grammar[object] = Grammar(
        (0,), 0, unary=(lambda tree: ("not", tree) if tree[0] != "not" else None,),
        binary=(lambda left, right: ("and", left, right),), more=(("odd",),),
    )
    assert grammar.trees(-1) == []
    assert grammar.trees(1) == [("odd",), ("not", (0,)), ("and", (0,), (0,))]
    assert ("not", ("not", (0,))) not in grammar.trees(2)
    assert [len(words(length)) for length in range(5)] == [1, 1, 2, 5, 15]
