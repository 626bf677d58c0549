"""One drawing function gives random values, a Hypothesis strategy, and every value."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, settings

from denota.oracle.inputs.choices import (
    Choices,
    Path,
    Restricted,
    Restriction,
    every,
    random_values,
    restricted,
    strategy,
)
from denota.oracle.inputs.numbered import NumberedQueries
from denota.oracle.inputs.swarms import Swarm
from denota.oracle.languages.ceql.generate.queries import Scope, formula
from denota.semantics.ceql.syntax.tree import EventType, Formula
from denota.semantics.model.trees import find

WORDS = {("a",), ("b",), *((first, second) for first in "ab" for second in range(2))}


def word(choices: Choices) -> tuple[object, ...]:
    """Draw one letter, or a letter and a number."""
    letter = choices.among("test/letter", "aab")
    if choices.among("test/number", (False, False, False, True)):
        return letter, choices.among("", range(2))
    return (letter,)


def test_every_value_comes_once() -> None:
    assert Counter(every(word)) == Counter(WORDS)


def test_a_restriction_leaves_options_out_and_skips_what_has_none() -> None:
    letters = Restriction({"test/letter": "ac", "test/number": (True, False)})
    no_letter = Restriction({"test/letter": "a", "test/number": (True,)}, refused=True)

    def impossible(choices: Choices) -> tuple[object, ...]:
        numbers = () if choices.among("", "ab") == "a" else (True,)
        return word(Restricted(choices, Restriction({"test/number": numbers})))

    assert [*every(word, restriction=letters)] == [*every(restricted(word, letters))]
    assert [*every(word, restriction=no_letter)] == [("b",)]
    assert {*every(restricted(word, letters))} == {each for each in WORDS if each[0] == "a"}
    assert {*every(restricted(word, no_letter))} == {("b",)}
    assert {*every(impossible)} == {each for each in WORDS if len(each) == 2}


def test_a_restriction_without_a_value_is_given_up() -> None:
    nothing = Restriction({"test/letter": "ab"}, refused=True)
    assert {*random_values(restricted(word, nothing), "seed", 100, Swarm())} == WORDS


def test_numbers_of_different_types_are_different_options() -> None:
    def number(choices: Choices) -> object:
        return choices.among("number", (1, 1.0, True, 1))

    def only(*allowed: object) -> list[object]:
        restriction = Restriction({"number": allowed})
        found = [*every(number, restriction=restriction)]
        assert found == [*every(lambda choices: number(Restricted(choices, restriction)))]
        return found

    assert [*map(repr, every(number))] == ["1", "1.0", "True"]
    for one in (1, 1.0, True):
        assert [*map(repr, only(one))] == [repr(one)]


def test_values_begin_at_the_choices_behind_one() -> None:
    path: Path = []
    places = [(value, list(path)) for value in every(word, path)]
    for number, (_, held) in enumerate(places):
        assert [*every(word, held)] == [value for value, _ in places[number:]]


def test_queries_have_numbers_by_their_weights() -> None:
    def three(choices: Choices) -> tuple[tuple[object, ...], ...]:
        return tuple(word(choices) for _ in range(3))

    queries = NumberedQueries(three, lambda words: sum(map(len, words)))
    listed = [(value, rest) for value in every(three) for rest in range(sum(map(len, value)))]
    assert queries.total(lambda length: length) == len(listed)
    for ranks in (range(len(listed)), range(len(listed) - 1, 0, -7)):
        for rank in ranks:
            value, length, rest = queries.at(rank, lambda length: length)
            assert ((value, rest), length) == (listed[rank], sum(map(len, value)))


def test_random_values_are_those_of_the_seed_as_often_as_options_weigh() -> None:
    values = [*random_values(word, "seed", 4_000, Swarm())]
    assert values == [*random_values(word, "seed", 4_000, Swarm())]
    assert values != [*random_values(word, "another", 4_000, Swarm())]
    assert {*values} == WORDS
    assert 0.6 < sum(value[0] == "a" for value in values) / 4_000 < 0.73
    assert 0.2 < sum(len(value) == 2 for value in values) / 4_000 < 0.3


def test_a_swarm_leaves_options_out() -> None:
    swarm = Swarm(only={"test/letter": frozenset("b"), "test/number": frozenset({"True"})})
    assert {*random_values(word, "seed", 100, swarm)} == {("b", 0), ("b", 1)}
    assert swarm.decided == {("test/letter", "b"), ("test/number", "True")}


def test_without_a_swarm_each_value_has_its_own() -> None:
    pairs = [*random_values(lambda choices: (word(choices), word(choices)), "seed", 500)]
    same = sum(one[0] == other[0] for one, other in pairs) / len(pairs)
    assert same > 0.65  # of one swarm alone: 5/9
    assert {one for one, _ in pairs} == WORDS


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw of a process is slow
@given(strategy(word))
def test_a_strategy_draws_the_same_values(value: tuple[object, ...]) -> None:
    assert value in WORDS


def test_formulas_have_the_operators_that_are_asked_for_and_no_name_is_skipped() -> None:
    def unfiltered(choices: Choices) -> Formula:
        return formula(choices, 4, Scope())

    others = Restriction(
        {"ceql/formula": ("FILTER", "NOT"), "ceql/likeness": ("FILTER",)}, refused=True
    )
    for drawn in random_values(restricted(unfiltered, others), "sizes", 300, Swarm()):
        names = [event.name for event in find(drawn, EventType)]
        assert len([*find(drawn, Formula)]) - len(names) == 4
        first_places = dict.fromkeys(names)
        assert [*first_places] == sorted(first_places)
