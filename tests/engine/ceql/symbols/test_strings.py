"""Strings from Arrow's buffers get equal numbers iff they are equal."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pyarrow as pa
import pytest

from denota.engine.ceql import CeqlEngine
from denota.engine.ceql.symbols.columns import Reader, Strings, Vocabulary
from denota.engine.tuning import IN_USE
from denota.semantics.ceql.syntax.parse import parse


def read(reader: Reader, column: pa.Array) -> Strings:
    found = reader.columns(pa.RecordBatch.from_arrays([column], ["s"]))["s"]
    assert isinstance(found, Strings)
    return found


def texts(column: Strings) -> list[str | None]:
    words = column.vocabulary.words()
    return [None if code < 0 else words[code] for code in column.codes.tolist()]


def words(seed: int, count: int) -> list[str | None]:
    chance = random.Random(seed)
    made: list[str | None] = [None, "", "é", "a" * 8, "a" * 9, "a" * 16, "b" + "a" * 16]
    while len(made) < count:
        made.append("".join(chance.choices("abéz", k=chance.choice((1, 3, 7, 8, 9, 15, 17, 40)))))
    return made


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_strings_are_numbered_over_batches(kind: pa.DataType) -> None:
    known = words(1, 600)
    chance = random.Random(2)
    reader = Reader(frozenset({"s"}))
    for _ in range(20):
        data = chance.choices(known, k=chance.randrange(1, 200))
        begin = chance.randrange(len(data))
        column = pa.array(data).cast(kind).slice(begin)
        assert texts(read(reader, column)) == data[begin:]


def test_encoded_strings_are_numbered_by_their_dictionary() -> None:
    reader = Reader(frozenset({"s"}))
    for data in (["x", None, "y", "x"], ["y", "y"], [None, "z"]):
        column = pa.array(data).dictionary_encode()
        assert texts(read(reader, column)) == data
        assert texts(read(reader, column.cast(pa.dictionary(pa.int8(), pa.string())))) == data
        assert texts(read(reader, column.slice(1))) == data[1:]
    hidden = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["x", None]))
    assert texts(read(reader, hidden)) == ["x", None, None]


def test_a_large_dictionary_is_known_by_its_place() -> None:
    reader = Reader(frozenset({"s"}))
    column = pa.array([str(i) for i in range(100)]).dictionary_encode()
    first = read(reader, column.slice(0, 10))
    assert read(reader, column.slice(10, 10)).vocabulary is first.vocabulary
    other = pa.array([str(-i) for i in range(100)]).dictionary_encode()
    assert read(reader, other).vocabulary is not first.vocabulary


def test_a_closed_vocabulary_tells_only_its_words_apart() -> None:
    reader = Reader(frozenset({"s"}), {"s": ["x", "a" * 9]})
    column = read(reader, pa.array(["x", "y", "a" * 9, "a" * 10, None, ""]))
    known = column.vocabulary.words()
    assert len(known) == len(column.vocabulary) == 3
    assert [known[code] for code in column.codes[[0, 2]]] == ["x", "a" * 9]
    assert column.codes.tolist()[4] == -1
    others = {known[code] for code in column.codes[[1, 3, 5]]}
    assert len(others) == 1
    assert not others & {"x", "a" * 9, "y", ""}
    assert Vocabulary([]).words() == ["?"]


def test_only_what_is_compared_for_equality_is_closed() -> None:
    events = pa.RecordBatch.from_pydict(
        {"type": ["A", "B", "C", "A", "B"], "s": ["x", "xy", "x", "y", "zx"]}
    )

    def pairs(condition: str, clause: str = "") -> list[list[int]]:
        query = parse(f"SELECT * FROM S WHERE A AS a ; B AS b FILTER {condition} {clause}")
        found: list[list[int]] = CeqlEngine(query).feed(events).column("positions").to_pylist()
        return sorted(found)

    assert pairs("a[s = 'x'] AND b[s != 'x']") == [[0, 1], [0, 4]]
    assert pairs("a['x' != s] AND b[s IN {'zx', 'q'}]") == [[3, 4]]
    assert pairs("a[s = 'x'] AND b[s LIKE '^x']") == [[0, 1]]
    assert pairs("a[s < 'y'] AND b[s = 'zx']") == [[0, 4]]
    assert pairs("a[s != 'q']", "PARTITION BY [s]") == []
    assert pairs("a[s NOT IN {'q'}] AND b[s != type]") == [[0, 1], [0, 4], [3, 4]]


def test_some_strings_of_a_vocabulary() -> None:
    vocabulary = read(Reader(frozenset({"s"})), pa.array(["a", "", "b" * 20, "é", "c"])).vocabulary
    assert isinstance(vocabulary, Vocabulary)
    chosen = vocabulary.only(np.array([3, 2, 1]))
    assert chosen.words() == ["é", "b" * 20, ""]
    assert chosen.words(2) == [""]
    again = Vocabulary()
    assert again.codes(*vocabulary.encoded(2), None).tolist() == [0, 1, 2]
    assert again.words() == ["b" * 20, "é", "c"]
    assert vocabulary.only(np.zeros(0, np.int64)).words() == []


def test_partitions_by_strings_are_the_same_however_strings_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one vocabulary, in many, in dictionaries; and when partitions are forgotten."""
    query = parse("SELECT * FROM S WHERE A ; B PARTITION BY [s] WITHIN 40 EVENTS")
    chance = random.Random(3)
    columns = [
        pa.array([f"{chance.choice('xyz')}{at // 60 + chance.randrange(9)}" for at in range(100)])
        for _ in range(8)
    ]
    types = [pa.array(chance.choices("AB", k=100)) for _ in columns]

    def positions(ways: str) -> list[list[int]]:
        engine = CeqlEngine(query)
        found = []
        for kind, column, way in zip(types, columns, itertools.cycle(ways), strict=False):
            column = column.dictionary_encode() if way == "d" else column
            found += engine.feed(
                pa.RecordBatch.from_arrays([kind, column], ["type", "s"])
            ).column("positions").to_pylist()
        return found

    expected = positions("s")
    assert len(expected) > 50
    assert positions("d") == positions("sd") == positions("ssd") == expected
    monkeypatch.setattr(IN_USE, "strings", 4)
    monkeypatch.setattr(IN_USE, "partitions", 4)
    assert positions("s") == positions("d") == positions("sd") == expected
