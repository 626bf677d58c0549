"""Swarms: what a test case leaves out, it leaves out everywhere; shrinking puts it back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from random import Random

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from denota.oracle.inputs.swarms import GROUPS, SEEDS, Decision
from denota.oracle.languages.registry import having
from denota.strategies import Swarm, choice, swarms, under

LETTERS = ("a", "a", "b", "c", "d", "e")
TWO = Decision("test/two", ("x", "y"))


@st.composite
def words(draw: DrawFn, length: int = 40) -> str:
    return "".join(draw(choice("test/letter", LETTERS)) for _ in range(length))


@given(words(), swarms())
def test_what_is_chosen_is_kept(word: str, swarm: Swarm) -> None:
    kept = swarm.kept(Decision("test/letter", LETTERS))
    assert set(word) <= kept
    assert swarm.decided == {("test/letter", letter) for letter in word}


@given(swarms())
def test_something_is_always_kept(swarm: Swarm) -> None:
    assert swarm.kept(TWO)
    assert swarm.kept(Decision("test/one", ("x",))) == {"x"}


def test_a_swarm_leaves_out_now_nothing_now_all_but_one() -> None:
    sizes = {
        len(Swarm([seed] * GROUPS).kept(Decision("test/letter", LETTERS)))
        for seed in range(SEEDS)
    }
    assert sizes == {1, 2, 3, 4, 5}


@given(st.integers(0, SEEDS // 2 - 1), words())
def test_a_small_seed_leaves_nothing_out(seed: int, word: str) -> None:
    assert Swarm([seed] * GROUPS).kept(Decision("test/letter", LETTERS)) == set(LETTERS)


@given(st.data())
@settings(max_examples=20)
def test_a_fixed_swarm_holds_for_all_that_is_drawn(data: st.DataObject) -> None:
    swarm = Swarm(only={"test/letter": frozenset("ce")})
    drawn = data.draw(under(swarm, st.lists(words(5), max_size=3)))
    assert set("".join(drawn)) <= set("ce")
    assert swarm.kept(TWO) == {"x", "y"}


def test_what_is_kept_means_the_same_in_every_swarm() -> None:
    whole, part = Swarm(), Swarm(only={"test/letter": frozenset("ae")})
    letters = Decision("test/letter", LETTERS)
    for place, letter in enumerate(LETTERS):
        assert whole.place(letters, place) == place
        assert (part.place(letters, place) == place) == (letter in "ae")
    assert LETTERS[part.place(letters, 0)] == "a"
    assert LETTERS[Swarm(only={"test/letter": frozenset("de")}).place(letters, 0)] == "d"


def test_some_swarms_forget_what_weighs_more() -> None:
    heavy = Decision("test/heavy", ("a",) * 18 + ("b", "c"))
    shares = set()
    for seed in range(SEEDS // 2, SEEDS):
        swarm = Swarm([seed] * GROUPS)
        places = [swarm.place(heavy, place) for place in range(20)]
        assert {heavy.labels[place] for place in places} == swarm.kept(heavy)
        shares.add(tuple(sorted(Counter(heavy.labels[place] for place in places).items())))
    assert (("a", 18), ("b", 1), ("c", 1)) in shares  # as they weigh
    assert (("a", 7), ("b", 7), ("c", 6)) in shares
    assert (("b", 10), ("c", 10)) in shares


@pytest.mark.parametrize("letters", ["e", "bd"])
def test_shrinking_leads_to_the_whole(letters: str) -> None:
    swarm, word = find(
        st.tuples(swarms(), words(8)), lambda both: set(letters) <= set(both[1]),
        random=Random(0),
        settings=settings(
            max_examples=2_000, database=None, phases=(Phase.generate, Phase.shrink)
        ),
    )
    assert word == "a" * (8 - len(letters)) + letters
    assert tuple(swarm.seeds) == (0,) * GROUPS


def test_a_swarm_is_the_same_in_every_process() -> None:
    program = (
        "from denota.oracle.inputs.swarms import *\n"
        "d = Decision('test/letter', ('a', 'b', 'c', 'd'))\n"
        "print([sorted(Swarm([s] * GROUPS).kept(d)) for s in range(600, 630)])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program], text=True, check=True, capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


DRAWING = """
from denota.oracle.fuzzing.rounds import random_cases
from random import Random
from denota.oracle.inputs.choices import random_values
from denota.oracle.inputs.sparql import question
from denota.oracle.inputs.swarms import random_swarm
from denota.oracle.languages.registry import having

def shown(name, values, show):
    swarms = Random("1")
    for number in range(3):
        for value in values(str(number), 10, random_swarm(swarms)):
            print(name, show(value))

for language in having("generate"):
    shown(language, lambda *more: random_cases(language, *more), repr)
shown(
    "sparql", lambda *more: random_values(question, *more),
    lambda asked: (str(asked[0]), sorted(map(repr, asked[1].default))),
)
"""


def test_one_seed_draws_the_same_in_every_process() -> None:
    """Hashes of strings and addresses of functions differ from one process to the next."""
    first, second = (
        subprocess.run(
            [sys.executable, "-c", DRAWING], text=True, check=True, capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    )
    counts = Counter(line.partition(" ")[0] for line in first.splitlines())
    for name in (*having("generate"), "sparql"):
        assert counts[name] == 30, name
    assert first == second


def test_truths_are_no_numbers() -> None:
    @given(choice("test/number", (0, 1)), choice("test/truth", (False, True)))
    def holds(number: int, truth: bool) -> None:
        assert type(number) is int
        assert type(truth) is bool

    holds()
