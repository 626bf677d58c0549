"""All small cases of every language that lists them: each once, as many as are counted."""

from __future__ import annotations

import pytest

from denota.oracle.languages.enumeration import Bounds, Enumeration, Grammar, words
from denota.oracle.languages.registry import having, part_of


def enumeration(language: str, operators: int, events: int) -> Enumeration:
    alphabets = having("alphabets")
    named = next(iter(part_of(language, "alphabets").ALPHABETS)) if language in alphabets else ""
    return part_of(language, "enumerate").ENUMERATION(Bounds(operators, events, alphabet=named))


@pytest.mark.parametrize("language", having("enumerate"))
def test_the_smallest_come_first_and_each_comes_once(language: str) -> None:
    rows = list(enumeration(language, 1, 2).rows())
    sizes = [row.operators + row.events for row in rows]
    assert sizes == sorted(sizes)
    assert max(sizes) == 3
    assert len({row.id for row in rows}) == len(rows)
    assert len({(row.query, row.streams) for row in rows}) == len(rows)


@pytest.mark.parametrize("language", having("enumerate"))
@pytest.mark.parametrize(("operators", "events"), [(0, 2), (1, 1), (1, 2), (2, 0)])
def test_what_is_counted_is_listed(language: str, operators: int, events: int) -> None:
    every = enumeration(language, operators, events)
    listed = sum(1 for _ in every.block(operators, events))
    assert listed == every.count(operators, events) > 0


def test_trees_of_a_grammar() -> None:
    grammar: Grammar[object] = Grammar(
        (0,), 0, unary=(lambda tree: ("not", tree) if tree[0] != "not" else None,),
        binary=(lambda left, right: ("and", left, right),), more=(("odd",),),
    )
    assert grammar.trees(-1) == []
    assert grammar.trees(1) == [("odd",), ("not", (0,)), ("and", (0,), (0,))]
    assert ("not", ("not", (0,))) not in grammar.trees(2)
    assert [len(words(length)) for length in range(5)] == [1, 1, 2, 5, 15]
