"""The order of enumerated cases, and how many there are."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import comb

import pytest

from denota.oracle.inputs.choices import Restricted, Restriction, every
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.languages.spaseq.case import operator_count
from denota.oracle.languages.spaseq.enumerate import ALPHABETS
from denota.oracle.languages.spaseq.generate.queries import sequence_expression
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.corpus_file import case_of
from denota.semantics.model.errors import ReadingError
from denota.semantics.spaseq.syntax.parse import parse


def cases(operators=2, events=3, alphabet="keys", positions=False, readings=None, **window):
    """What is enumerated; `window` is its WITHIN and SLIDE, which count `positions` or time."""
    return Space.of("spaseq", Bounds(
        operators, events, events=positions, alphabet=alphabet, readings=readings or {}, **window
    ))


def sequence_expressions(operators):
    restriction = Restriction(ALPHABETS["keys"].allowed)
    return every(lambda choices: sequence_expression(Restricted(choices, restriction), operators))


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
        assert cases().count(0, events) == classes


def test_cases_are_of_the_size_that_they_say() -> None:
    rows = list(cases(1, 2).rows())
    for row in rows[::50]:
        task = case_of(row)
        assert operator_count(task.tree.sequence) == row.operators
        assert sum(map(len, task.streams.values())) == row.events


def test_a_part_of_the_cases_is_a_fair_one() -> None:
    space = cases(1, 3)
    ranks = list(space.sample(5_000))
    assert len(set(ranks)) == 5_000
    assert ranks[: space.block(1, 3).first] == list(range(space.block(1, 3).first))
    counts = Counter(
        run.text for rank in ranks[space.block(1, 3).first :] for run in space.runs(rank, rank + 1)
    )
    assert len(counts) == 33
    assert max(counts.values()) - min(counts.values()) <= 2
    # Queries get different streams.
    assert len({space.row(rank).streams for rank in ranks[-200:]}) > 100


@pytest.mark.parametrize(
    "space",
    [
        cases(readings={"negation": "absence"}),
        cases(readings={"ties": "sequence"}),
        cases(readings={"ties": "merge"}),
        cases(within=2, readings={"window": "tumbling-half-open"}),
        cases(within=2, readings={"window": "match"}),
        cases(within=3, slide=2),
        cases(within=2, positions=True),
        cases(within=2, slide=1, positions=True),
        cases(readings={"kleene": "collect"}),
    ],
    ids=lambda s: f"{s.bounds.within}-{s.bounds.slide}-{s.bounds.readings}",
)
def test_cases_have_a_meaning_under_every_reading(space: Space) -> None:
    for operators in (1, 2):
        block = space.block(operators, 2)
        for rank in range(block.first, block.end, block.cases // 40):
            task = case_of(space.row(rank))
            task.language.evaluate(
                task.tree, streams=task.streams, kb={}, readings=task.readings, evaluation={}
            )


def test_ties_are_enumerated_where_the_reading_allows_them() -> None:
    def ties(reading: str) -> int:
        return cases(alphabet="single", readings={"ties": reading}).count(0, 2)

    # Two events one after the other: 4² contents up to a ↔ b. At once: the same again.
    assert ties("error") == 10
    assert ties("sequence") == 20
    assert ties("merge") == 20


def test_without_a_name_it_is_the_first_alphabet() -> None:
    unnamed, keys = cases(1, 1, alphabet=""), cases(1, 1, alphabet="keys")
    assert list(unnamed.rows()) == list(keys.rows())


def test_conditions_may_ask_for_what_comes_later_or_never() -> None:
    space = cases(1, 0, alphabet="filters")
    texts = [run.text for run in space.runs(0, space.cases)]
    asks = "DEFINE GPM A ON S1 { :s :p ?x . FILTER (!BOUND(?y)) }"
    for bound in ("?y", "?x"):
        other = f"DEFINE GPM B ON S1 {{ :s :p {bound} }}"
        assert any(f"{asks}\n  {other}" in text for text in texts)


def test_what_does_not_go_together_is_an_error() -> None:
    with pytest.raises(BoundsError, match="there is no alphabet 'latin'"):
        cases(alphabet="latin")
    for window in (
        {"within": 2, "readings": {"window": "sliding"}},
        {"within": 2, "slide": 1, "readings": {"window": "match"}},
        {"slide": 1},
        {"within": 2, "positions": True, "readings": {"window": "match"}},
    ):
        with pytest.raises(ReadingError):
            cases(**window)


def test_names_are_given_in_order() -> None:
    space = cases(2, 1)
    block = space.block(2, 1)
    for run in islice(space.runs(block.first, block.end), 0, 1_356, 5):
        query = parse(run.text)
        assert [d.name for d in query.definitions] == sorted(d.name for d in query.definitions)
        assert [c.name for c in query.streams] == [f"S{k + 1}" for k in range(len(query.streams))]
