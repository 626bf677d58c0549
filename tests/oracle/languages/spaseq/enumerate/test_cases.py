"""The order of enumerated cases, and how many there are."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import comb

import pytest

from denota.oracle.languages.spaseq.case import operator_count
from denota.oracle.languages.spaseq.enumerate.alphabet import ALPHABETS, alphabet_named
from denota.oracle.languages.spaseq.enumerate.cases import (
    Enumeration,
    case_count,
    enumerated_block,
    enumerated_cases,
)
from denota.oracle.languages.spaseq.enumerate.expressions import sequence_expressions
from denota.oracle.sweeps.corpus_cases import case_of
from denota.oracle.sweeps.judging import judge_rows
from denota.semantics.model.errors import QueryError, ReadingError
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

KEYS = alphabet_named("keys")


def test_sequence_expressions_are_all_there() -> None:
    # One operator: , ; : & | between two GPMs, + ! ? on one.
    assert len(list(sequence_expressions(1))) == 8
    # Two: 9 sequences of three, 3 · 2 · 2 with a BOp beside a GPM, & and | of three (2) and of a
    # nested pair (2 · 2), 3 · 2 · 3 with a unary one in a sequence, 2 · 2 · 2 with ! or ? in a BOp,
    # and 2 repeated pairs.
    assert len(list(sequence_expressions(2))) == 9 + 12 + 2 + 4 + 18 + 8 + 2
    for count in range(4):
        expressions = list(sequence_expressions(count))
        assert len(set(expressions)) == len(expressions)
        assert {operator_count(expression) for expression in expressions} == {count}


def test_streamsets_are_counted_by_burnside() -> None:
    """The classes of event sequences under a ↔ b: (all + those that a ↔ b leaves alone) / 2."""
    for events in range(4):
        # k instants at which both streams have an event, the others have one of either.
        layouts = sum(comb(events - k, k) * 2 ** (events - 2 * k) for k in range(events // 2 + 1))
        contents = 4  # nothing that matches, {a}, {b}, {a, b}; the first and the last are symmetric
        classes = layouts * (contents**events + 2**events) // 2
        assert case_count(Enumeration(KEYS), 0, events) == classes


def test_smallest_first_and_each_once() -> None:
    rows = list(enumerated_cases(Enumeration(KEYS, most_operators=1, most_events=2)))
    sizes = [(row.operators or 0) + (row.events or 0) for row in rows]
    assert sizes == sorted(sizes)
    assert len({row.id for row in rows}) == len(rows)
    assert len({(row.query, row.streams) for row in rows}) == len(rows)
    for row in rows[::50]:
        task = case_of(row).task()
        assert operator_count(task.tree.sequence) == row.operators
        assert sum(map(len, task.streams.values())) == row.events


def test_a_corpus_begins_as_a_larger_one_does() -> None:
    small = list(islice(enumerated_cases(Enumeration(KEYS)), 2_000))
    assert list(islice(enumerated_cases(Enumeration(KEYS)), 5_000))[:2_000] == small


def test_a_block_begins_with_every_query() -> None:
    block = list(enumerated_block(Enumeration(KEYS), 1, 3))
    queries = len({row.query for row in block})
    assert len({row.query for row in block[:queries]}) == queries
    counts = Counter(row.query for row in block[: 10 * queries])
    assert set(counts.values()) == {10}
    assert len({row.streams for row in block[:queries]}) > queries / 2


@pytest.mark.parametrize("name", list(ALPHABETS))
def test_the_definitions_have_an_answer_to_every_case(name: str) -> None:
    enumeration = Enumeration(alphabet_named(name))
    rows = list(islice(enumerated_block(enumeration, 1, 2), 60))
    assert {v.outcome for v in judge_rows(rows, "oracle", 10.0)} == {"pass"}


@pytest.mark.parametrize(
    "enumeration",
    [
        Enumeration(KEYS, readings=Readings(negation="absence")),
        Enumeration(KEYS, readings=Readings(ties="sequence")),
        Enumeration(KEYS, readings=Readings(ties="merge")),
        Enumeration(KEYS, within=2, readings=Readings(window="tumbling-half-open")),
        Enumeration(KEYS, within=2, readings=Readings(window="match")),
        Enumeration(KEYS, within=3, slide=2),
        Enumeration(KEYS, within=2, events=True),
        Enumeration(KEYS, within=2, slide=1, events=True),
        Enumeration(KEYS, readings=Readings(kleene="collect")),
    ],
    ids=lambda e: f"{e.window}-{e.readings}",
)
def test_cases_have_a_meaning_under_every_reading(enumeration: Enumeration) -> None:
    for operators in (1, 2):
        for row in islice(enumerated_block(enumeration, operators, 2), 40):
            task = case_of(row).task()
            task.language.evaluate(
                task.tree, streams=task.streams, kb={}, readings=task.readings, evaluation={}
            )


def test_ties_are_enumerated_where_the_reading_allows_them() -> None:
    def ties(reading: str) -> int:
        readings = Readings.of({"ties": reading})
        return case_count(Enumeration(alphabet_named("single"), readings=readings), 0, 2)

    # Two events one after the other: 4² contents up to a ↔ b. At once: the same again in sequence,
    # half of the unequal ones if they are merged.
    assert ties("error") == 10
    assert ties("sequence") == 20
    assert ties("merge") == 10 + 7


def test_what_does_not_go_together_is_an_error() -> None:
    with pytest.raises(QueryError, match="there is no alphabet 'latin'"):
        alphabet_named("latin")
    for enumeration in (
        Enumeration(KEYS, within=2, readings=Readings(window="sliding")),
        Enumeration(KEYS, within=2, slide=1, readings=Readings(window="match")),
        Enumeration(KEYS, slide=1),
        Enumeration(KEYS, within=2, events=True, readings=Readings(window="match")),
    ):
        with pytest.raises(ReadingError):
            assert enumeration.window


def test_names_are_given_in_order() -> None:
    for row in islice(enumerated_block(Enumeration(KEYS), 2, 1), 300):
        query = parse(row.query)
        assert [d.name for d in query.definitions] == sorted(d.name for d in query.definitions)
        assert [c.name for c in query.streams] == [f"S{k + 1}" for k in range(len(query.streams))]
