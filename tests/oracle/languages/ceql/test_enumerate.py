"""CEQL's enumeration: every small case once, none a renaming of another."""

from __future__ import annotations

import json
from itertools import permutations

from denota.oracle.judging.judge import expectation_of
from denota.oracle.languages.ceql.enumerate import FORMULAS, OTHER
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.corpus_cases import case_of
from denota.semantics.ceql.syntax.tree import EventType
from denota.semantics.model.shown import text_of


def test_formulas_of_one_operator():
    found = [text_of(phi) for phi, _ in FORMULAS.lettered(1, EventType)]
    assert found == [
        "NOT(A)", "A+", "A:+", "A ; A", "A ; B", "A : A", "A : B", "A OR A", "A OR B"
    ]


def test_no_formula_is_a_renaming_of_another():
    texts = {text_of(phi) for phi, _ in FORMULAS.lettered(2, EventType)}
    assert len(texts) == len(list(FORMULAS.lettered(2, EventType)))
    for text in texts:
        for letters in permutations("ABC"):
            renamed = text.translate(str.maketrans("ABC", "".join(letters)))
            assert renamed == text or renamed not in texts


def test_every_case_has_a_meaning_and_is_there_once():
    space = Space.of("ceql", Bounds(2, 2, within=1, events=True))
    rows = list(space.rows())
    assert len({(row.query, row.streams) for row in rows}) == len(rows) == len({r.id for r in rows})
    for operators in range(3):
        for events in range(3):
            block = [r for r in rows if (r.operators, r.events) == (operators, events)]
            assert len(block) == space.count(operators, events)
    sizes = [row.operators + row.events for row in rows]
    assert sizes == sorted(sizes)
    answered = [expectation_of(case_of(row)) for row in rows[::7]]
    assert any(expected.results for expected in answered)


def test_types_that_a_formula_does_not_name_are_one():
    rows = Space.of("ceql", Bounds(0, 1)).rows()
    words = [json.loads(row.streams)["S"]["csv"].split()[1:] for row in rows]
    assert words == [[], ["A"], [OTHER]]
