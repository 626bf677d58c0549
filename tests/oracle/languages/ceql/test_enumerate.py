"""CEQL's enumeration: every small case once, none a renaming of another."""

from __future__ import annotations

import json
from itertools import permutations

from denota.oracle.judging.judge import expectation_of
from denota.oracle.languages.ceql.enumerate import (
    OTHER,
    CeqlEnumeration,
    ceql_case_count,
    enumerated_ceql_cases,
    enumerated_formulas,
)
from denota.oracle.sweeps.corpus_cases import case_of
from denota.semantics.ceql.syntax.printing import formula_to_text


def test_formulas_of_one_operator():
    found = [formula_to_text(phi) for phi in enumerated_formulas(1)]
    assert found == [
        "NOT(A)", "A+", "A:+", "A ; A", "A ; B", "A : A", "A : B", "A OR A", "A OR B"
    ]


def test_no_formula_is_a_renaming_of_another():
    texts = {formula_to_text(phi) for phi in enumerated_formulas(2)}
    assert len(texts) == len(list(enumerated_formulas(2)))
    for text in texts:
        for letters in permutations("ABC"):
            renamed = text.translate(str.maketrans("ABC", "".join(letters)))
            assert renamed == text or renamed not in texts


def test_every_case_has_a_meaning_and_is_there_once():
    enumeration = CeqlEnumeration(2, 2, within=1)
    rows = list(enumerated_ceql_cases(enumeration))
    assert len({(row.query, row.streams) for row in rows}) == len(rows) == len({r.id for r in rows})
    for operators in range(3):
        for events in range(3):
            block = [r for r in rows if (r.operators, r.events) == (operators, events)]
            assert len(block) == ceql_case_count(enumeration, operators, events)
    sizes = [row.operators + row.events for row in rows]
    assert sizes == sorted(sizes)
    answered = [expectation_of(case_of(row).task()) for row in rows[::7]]
    assert any(expected.results for expected in answered)


def test_types_that_a_formula_does_not_name_are_one():
    rows = enumerated_ceql_cases(CeqlEnumeration(0, 1))
    words = [json.loads(row.streams)["S"]["csv"].split()[1:] for row in rows]
    assert words == [[], ["A"], [OTHER]]
