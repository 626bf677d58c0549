"""CEQL's enumeration: every small case once, none a renaming of another."""

from __future__ import annotations

import json
from collections import Counter
from csv import DictReader
from itertools import permutations, product

import pytest

from denota.oracle.checking.case_checker import expectation_of
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.ranks.space import Run, Space
from denota.oracle.sweeps.corpus_file import case_of

WHERE = "SELECT * FROM S WHERE "


def texts(bounds: Bounds) -> list[str]:
    """The texts of all queries, which have no events in these bounds."""
    space = Space.of("ceql", bounds)
    return [" ".join(run.text.split()) for run in space.runs(0, space.cases)]


def told(run: Run, place: int) -> list[tuple[str, dict[str, str]]]:
    """The rows of S, then those of T."""
    return [
        (name, each)
        for name, given in json.loads(run.row(place).streams).items()
        for each in DictReader(given["csv"].splitlines())
    ]


def run_with(bounds: Bounds, events: int, text: str) -> Run:
    """The cases of the only query with this in its text."""
    space = Space.of("ceql", bounds)
    block = space.block(bounds.operators, events)
    [found] = [run for run in space.runs(block.first, block.end)
               if text in " ".join(run.text.split())]
    return found


def test_formulas_of_one_operator() -> None:
    found = [each for each in texts(Bounds(1, 0)) if each.startswith("SELECT *")]
    assert {each.removeprefix(WHERE) for each in found} == {
        "A", "NOT(A)", "A+", "A:+", "A ; A", "A ; B", "A : A", "A : B", "A OR A", "A OR B"
    }


def test_no_formula_is_a_renaming_of_another() -> None:
    found = {each for each in texts(Bounds(2, 0)) if each.startswith(WHERE)}
    for text in found:
        for letters in permutations("ABC"):
            renamed = WHERE + text.removeprefix(WHERE).translate(
                {ord(letter): other for letter, other in zip("ABC", letters, strict=True)}
            )
            if "OR" not in renamed:  # which has an R, but no type
                assert renamed == text or renamed not in found


@pytest.mark.parametrize(("alphabet", "operators", "more"), [
    ("types", 2, [
        "A ; B ; C", "NOT(A) : A", "(A OR B)+",
    ]),
    ("attributes", 2, [
        "A FILTER A[k = 1]", "A+ FILTER A[k = 1]", "A ; B FILTER A[k = 1]",
        "NOT(A FILTER A[k = 1])", "A PARTITION BY [k] CONSUME BY PARTITION",
    ]),
    ("partitions", 2, ["A PARTITION BY [k]"]),
    ("predicates", 1, ["A FILTER A[d NOT IN {..1}]", "A FILTER A[n IN RANGE (1, d)]"]),
    pytest.param("predicates", 2, [
        "A FILTER A[n * d <= 1]", "A FILTER A[NOT n = 1]", "A FILTER A[n < d OR s LIKE 'p']",
    ], marks=pytest.mark.slow),
    ("conditions", 2, [
        "A FILTER A[k = 1] AND A[d = 1]", "A FILTER A[k = 1 AND d = 1]", "A FILTER NOT A[k = 1]",
        "A ; B FILTER B[k = 1]", "NOT(A FILTER A[k = 1])",
    ]),
    ("outputs", 2, ["A AS x"]),
])
def test_queries_that_are_among_them(alphabet: str, operators: int, more: list[str]) -> None:
    found = texts(Bounds(operators, 0, alphabet=alphabet))
    assert not {WHERE + each for each in more} - {*found}
    assert len({*found}) == len(found)


def test_clauses_of_outputs() -> None:
    found = texts(Bounds(1, 0, alphabet="outputs"))
    assert {
        "SELECT ANY x FROM S WHERE A AS x LIMIT 2", "SELECT NONE FROM S WHERE A",
        "SELECT LAST B FROM S WHERE A ; B LIMIT 1",
    } <= {*found}


def test_every_case_has_a_meaning_and_is_there_once() -> None:
    space = Space.of("ceql", Bounds(1, 2, within=1, events=True))
    rows = list(space.rows())
    assert len({(row.query, row.streams) for row in rows}) == len(rows) == len({r.id for r in rows})
    answered = [expectation_of(case_of(row)) for row in rows[::7]]
    assert any(expected.results for expected in answered)


def test_types_that_a_formula_does_not_name_are_one() -> None:
    run = run_with(Bounds(0, 2), 2, WHERE + "A")
    words = [tuple(each["type"] for _, each in told(run, place)) for place in range(len(run))]
    assert words == [*product("AZ", repeat=2)]


@pytest.mark.parametrize(("alphabet", "text", "rows"), [
    # A tuple without the key is in no partition, whatever its type.
    ("partitions", WHERE + "A+ PARTITION BY [k]", {"A,1", "A,2", "Z,", "Z,1", "Z,2"}),
    ("attributes", "A FILTER A[k = 1]", {"A,", "A,1", "A,2", "Z,"}),
    ("predicates", "A FILTER A[n < d]", {
        "Z,,", *(f"A,{d},{n}" for d in ("", 1.0, 1.5) for n in ("", -3, 0, 1, 2))
    }),
])
def test_the_tuples_of_a_query(alphabet: str, text: str, rows: set[str]) -> None:
    space = Space.of("ceql", Bounds(1, 1, alphabet=alphabet))
    block = space.block(1, 1)
    run = next(run for run in space.runs(block.first, block.end)
               if " ".join(run.text.split()).endswith(text))
    found = [",".join(each.values()) for place in range(len(run)) for _, each in told(run, place)]
    assert Counter(found) == dict.fromkeys(rows, 1)


@pytest.mark.parametrize("within", [1, 2])
def test_times_that_a_window_tells_apart(within: int) -> None:
    run = run_with(Bounds(0, 2, within=within), 2, "SELECT * ")
    times = Counter(
        tuple(each["time"] for _, each in told(run, place)) for place in range(len(run))
    )
    later = range(3) if within == 1 else range(4)
    assert times == {("0", str(each)): 4 for each in later}


@pytest.mark.parametrize(("keys", "within", "values"), [
    ("[k]", None, {"S": ["", "0", "1"], "T": ["", "0.0", "1.0", "p", "q"]}),
    ("[s]", None, {"S": ["", "p", "q"], "T": ["", "p", "q"]}),
    ("", 2, {"S": ["", *"0123"], "T": ["", "0.0", "1.0", "2.0", "3.0"]}),
])
def test_streams_with_values_of_two_types(
    keys: str, within: int | None, values: dict[str, list[str]]
) -> None:
    bounds = Bounds(0, 2, alphabet="mixed", within=within)
    text = f"WHERE A PARTITION BY {keys}" if keys else "WHERE A WITHIN"
    space = Space.of("ceql", bounds)
    block = space.block(0, 2)
    run = next(run for run in space.runs(block.first, block.end)
               if text in " ".join(run.text.split()))
    listed = [
        tuple((name, *each.values()) for name, each in told(run, place))
        for place in range(len(run))
    ]
    expected = {
        pair for names in ("SS", "ST", "TT")
        for pair in product(*(product(name, "AZ", values[name]) for name in names))
        # A key is of one type in T; a tuple of A without one is left out; windows are moved to 0.
        if not {"0.0", "1.0"} & (xs := {x for _, _, x in pair}) or not {"p", "q"} & xs
        if within or ("A", "") not in {each[1:] for each in pair}
        if not within or xs == {""} or xs & {"0", "0.0"}
    }
    assert Counter(listed) == dict.fromkeys(expected, 1)


@pytest.mark.parametrize(("bounds", "says"), [
    (Bounds(alphabet="mixed", within=2, events=True), "over the alphabet 'mixed' a window meas"),
    (Bounds(slide=1), "no SLIDE"),
])
def test_windows_that_there_are_not(bounds: Bounds, says: str) -> None:
    with pytest.raises(BoundsError, match=says):
        Space.of("ceql", bounds)
