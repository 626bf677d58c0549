"""CEQL's enumeration: every small case once, none a renaming of another."""

from __future__ import annotations

import json
from collections import Counter
from csv import DictReader
from itertools import permutations, product

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


def test_attributes_are_filtered_and_partition() -> None:
    space = Space.of("ceql", Bounds(2, 2, alphabet="attributes", within=1))
    texts = {" ".join(run.text.split()) for run in space.runs(0, space.cases)}
    where = "SELECT * FROM S WHERE "
    assert {
        where + "A FILTER A[x = 1] WITHIN 1 SECONDS",
        where + "A + FILTER A[x = 1] WITHIN 1 SECONDS",
        where + "A ; B FILTER B[x = 1] WITHIN 1 SECONDS",
        where + "NOT(A FILTER A[x = 1]) WITHIN 1 SECONDS",
        where + "A PARTITION BY [x] WITHIN 1 SECONDS CONSUME BY PARTITION",
    } <= {text.replace("A+", "A +") for text in texts}
    # A FILTER is about what is bound.
    assert not any("NOT(A) FILTER" in text for text in texts)
    # Nothing, 1 or 2, at one time, one second later, or two.
    [two] = (run for run in space.runs(0, space.cases) if run.operators == 1 and run.events == 2
             and "A FILTER A[x = 1]\n" in run.text)
    assert Counter(symbols[0][:2] for symbols in two.streams) == {(0, 1): 9, (0, 2): 9, (25, 0): 9}
    assert {symbols[1][2] for symbols in two.streams} == {0, 1, 2}


def test_strategies_are_no_operators() -> None:
    space = Space.of("ceql", Bounds(1, 2, alphabet="partitions"))
    texts = {" ".join(run.text.split()) for run in space.runs(0, space.cases)}
    assert len(texts) == 15 * 10
    assert {
        "SELECT * FROM S WHERE A PARTITION BY [x]",
        "SELECT LAST * FROM S WHERE A ; B PARTITION BY [x] CONSUME BY PARTITION",
        "SELECT STRICT * FROM S WHERE A : A PARTITION BY [x] CONSUME BY ANY",
    } <= texts


def test_streams_of_two_types_by_brute_force() -> None:
    for alphabet, values in (("strategies", [None]), ("partitions", ["1", "2"])):
        space = Space.of("ceql", Bounds(0, 3, alphabet=alphabet))
        block = space.block(0, 3)
        run = next(iter(space.runs(block.first, block.end)))
        listed = [
            tuple((each["type"], each.get("x")) for each in told(run.row(i).streams))
            for i in range(len(run))
        ]
        # Renaming values makes one of the other.
        classes = {
            min(
                tuple((kind, dict(zip(values, image, strict=True))[x]) for kind, x in stream)
                for image in permutations(values)
            ) if values != [None] else stream
            for stream in product(product("AB", values), repeat=3)
        }
        assert set(listed) == classes
        assert len(listed) == len(classes)


def told(streams: str) -> list[dict[str, str]]:
    """The rows of S."""
    return list(DictReader(json.loads(streams)["S"]["csv"].splitlines()))
