"""CEQL's enumerations of attributes: against all that nested loops make."""

from __future__ import annotations

import json
from collections.abc import Iterator
from csv import DictReader
from itertools import combinations, permutations, product

import pytest

from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.corpus_file import CorpusRow
from denota.semantics.ceql.syntax.parse import parse

# Of each tuple: its stream, its type, x and y as they are written.
Stream = tuple[tuple[str, str, str, str], ...]


def told(row: CorpusRow) -> Stream:
    """The tuples of S, then those of T."""
    return tuple(
        (name, each["type"], each["x"], each.get("y", ""))
        for name, given in json.loads(row.streams).items()
        for each in DictReader(given["csv"].splitlines())
    )


def labelled(xs: dict[str, list[str]], ys: list[str], events: int) -> Iterator[Stream]:
    """Every stream of A and B: in S and T, with each kind of x in T."""
    for first in range(events + 1):
        for kind in xs:
            places = [
                product("S", "AB", ["", *xs["S"]], ["", *ys]) if place < first
                else product("T", "AB", ["", *xs[kind]], ["", *ys])
                for place in range(events)
            ]
            if kind != "S":
                yield from product(*places)


def renamed(stream: Stream, *, joint: bool) -> Stream:
    """The least of what renaming values makes of a stream."""
    images = []
    for numbers, words, others in product(permutations((0, 1)), permutations("pq"),
                                          permutations("pq")):
        of_word = dict(zip("pq", words, strict=True))
        of_y = of_word if joint else dict(zip("pq", others, strict=True))

        def of_x(x: str, numbers: tuple[int, ...] = numbers,
                 of_word: dict[str, str] = of_word) -> str:
            if not x or x in of_word:
                return of_word.get(x, x)
            return str(type(json.loads(x))(numbers[int(float(x))]))

        images.append(tuple((s, t, of_x(x), of_y.get(y, y)) for s, t, x, y in stream))
    return min(images)


@pytest.mark.parametrize(("keys", "ys", "reading", "events"), [
    ("[x]", [], "paper", 2), ("[x], [y]", ["p", "q"], "paper", 2),
    ("[x, y]", ["p", "q"], "paper", 2), ("[x, y]", ["p", "q"], "core", 2),
])
def test_one_stream_of_each_class(keys: str, ys: list[str], reading: str, events: int) -> None:
    space = Space.of(
        "ceql", Bounds(0, events, alphabet="mixed", readings={"partition": reading})
    )
    block = space.block(0, events)
    [run] = [run for run in space.runs(block.first, block.end)
             if f"PARTITION BY {keys}\n" in run.text]
    joint = reading == "core" and keys == "[x, y]"
    listed = [renamed(told(run.row(i)), joint=joint) for i in range(len(run))]
    xs = {"S": ["0", "1"], "double": ["0.0", "1.0"], "string": ["p", "q"]}
    classes = {renamed(stream, joint=joint) for stream in labelled(xs, ys, events)}
    assert len(set(listed)) == len(listed)
    assert set(listed) == classes


@pytest.mark.parametrize("within", [0, 1, 2])
def test_one_stream_of_each_class_that_a_window_tells_apart(within: int) -> None:
    space = Space.of("ceql", Bounds(0, 2, alphabet="mixed", within=within))
    block = space.block(0, 2)
    [run] = list(space.runs(block.first, block.end))
    listed = [compared(told(run.row(i)), within) for i in range(len(run))]
    values = [str(value) for value in range(within + 3)]
    xs = {"S": values, "double": [f"{value}.0" for value in values]}
    classes = {compared(stream, within) for stream in labelled(xs, [], 2)}
    assert len(set(listed)) == len(listed)
    assert set(listed) == classes


def compared(stream: Stream, within: int) -> object:
    """What is left of a stream if only this matters of two values: which is greater, and whether
    they are less than `within` apart, as much, or more."""
    gaps = tuple(
        ((gap > 0) - (gap < 0), (abs(gap) > within) - (abs(gap) < within))
        if a and b and (gap := float(b) - float(a)) is not None else None
        for (_, _, a, _), (_, _, b, _) in combinations(stream, 2)
    )
    return tuple((name, kind, bool(x)) for name, kind, x, _ in stream), gaps


@pytest.mark.parametrize(("alphabet", "operators"), [
    ("predicates", 1), ("conditions", 2), ("outputs", 1), ("mixed", 1),
])
def test_each_query_is_there_once_and_reads_as_it_is_written(alphabet: str, operators: int) -> None:
    space = Space.of("ceql", Bounds(operators, 0, alphabet=alphabet))
    texts = [run.text for run in space.runs(0, space.cases)]
    assert len(set(texts)) == len(texts) == space.cases
    for run in space.runs(0, space.cases):
        assert parse(run.text) == run.query


def test_what_stands_in_conditions() -> None:
    space = Space.of("ceql", Bounds(2, 0, alphabet="conditions"))
    texts = {" ".join(run.text.split()) for run in space.runs(0, space.cases)}
    where = "SELECT * FROM S WHERE "
    assert {
        where + "A FILTER NOT (A[x = 1] AND A[y = 1])",
        where + "A FILTER A[NOT (x = 1 OR y = 1)]",
        where + "A FILTER A[NOT NOT x = 1]",
        where + "A ; B FILTER A[x = 1] OR B[y = 1]",
        where + "NOT(A FILTER A[x = 1] OR A[y = 1])",
        where + "A+ FILTER NOT A[x = 1]",
        where + "(A FILTER NOT A[x = 1]) ; B",
    } <= texts


def test_the_values_of_predicates() -> None:
    space = Space.of("ceql", Bounds(1, 1, alphabet="predicates"))
    [run] = [run for run in space.runs(0, space.cases)
             if run.events == 1 and "A[n < d]" in run.text]
    rows = [json.loads(run.row(i).streams)["S"]["csv"].split() for i in range(len(run))]
    assert [header for header, _ in rows] == ["type,n,d"] * 16
    assert sorted(row for _, row in rows) == sorted([
        "B,,", *(f"A,{n},{d}" for n in ("", -3, 0, 1, 2) for d in ("", 1.0, 1.5))
    ])


def test_windows_that_an_alphabet_does_not_have() -> None:
    for alphabet, within in (("predicates", {}), ("outputs", {}), ("mixed", {"events": True})):
        with pytest.raises(BoundsError, match=f"over the alphabet '{alphabet}'"):
            Space.of("ceql", Bounds(1, 1, alphabet=alphabet, within=2, **within))
