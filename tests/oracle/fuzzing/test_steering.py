"""Steering: the next swarm follows from the seed and from what the cases have come to."""

from __future__ import annotations

from collections import Counter

from denota.oracle.fuzzing.steering import Met, Steering
from denota.oracle.inputs.choices import Choices, random_values
from denota.oracle.inputs.swarms import Swarm

Word = tuple[str, ...]

SIZES = ("small",) * 30 + ("large",)
COLOURS = ("grey",) * 30 + ("red", "blue")
KNOWN = {"large": "it is", "red": "it is", "blue": "it is", "four larges": "so many of them"}


def words(choices: Choices) -> Word:
    """Four things, nearly all of which are small and grey."""
    return tuple([
        f"{choices.among('test/size', SIZES)} {choices.among('test/colour', COLOURS)}"
        for _ in range(4)
    ])


def met(word: Word) -> set[str]:
    text = " ".join(word)
    found = {name for name in ("large", "red", "blue") if name in text}
    return found | ({"four larges"} if text.count("large") == 4 else set())


def run(seed: str, rounds: int = 20, *, answered: bool = True) -> tuple[Steering, list[Word]]:
    steering = Steering(seed, Met(KNOWN))
    made: list[Word] = []
    for number in range(rounds):
        swarm = steering.swarm()
        for word in random_values(words, f"{seed}.{number}", 20, swarm):
            made.append(word)
            steering.learn(swarm, met(word) if answered else (), answered=answered)
        steering.over(swarm)
    return steering, made


def test_what_is_rare_meets_what_is_rare() -> None:
    steering, made = run("1")
    alone = list(random_values(words, "1", len(made), Swarm()))

    def both(these: list[Word]) -> int:
        return sum(met(word) >= {"large", "red", "blue"} for word in these)

    assert both(made) > 5 * (both(alone) + 1)
    assert steering.met.unmet == ()
    assert not any("four larges" in met(word) for word in alone)


def test_situations_and_pairs_of_them_are_counted() -> None:
    steering, made = run("2")
    singles = Counter(name for word in made for name in met(word))
    assert steering.met.singles == singles
    assert steering.met.pairs["large", "red"] == sum(met(w) >= {"large", "red"} for w in made)
    assert steering.met.possible_pairs == 6


def test_one_seed_steers_one_way() -> None:
    assert run("3")[1] == run("3")[1] != run("4")[1]


def test_only_cases_with_an_answer_count() -> None:
    steering, _ = run("5", answered=False)
    assert not any(steering.options.values())
    assert set(steering.met.unmet) == set(KNOWN)


def test_what_never_has_an_answer_is_not_favoured_for_ever() -> None:
    steering = Steering("7", Met(KNOWN))
    weights: list[float] = []
    for number in range(60):
        swarm = steering.swarm()
        weights.append(swarm.weights.get(("test/size", "large"), 1.0))
        for word in random_values(words, f"7.{number}", 20, swarm):
            steering.learn(swarm, (), answered="large" not in met(word))
        steering.over(swarm)
    assert max(weights) > 1.5
    assert weights[-1] == min(weights) < 0.5


def test_a_swarm_that_has_met_what_is_rare_is_kept() -> None:
    steering = Steering("6", Met(KNOWN))
    first = steering.swarm()
    steering.learn(first, ["four larges"], answered=True)
    steering.over(first)
    second = steering.swarm()
    steering.over(second)
    assert [kept.swarm for kept in steering.kept] == [first]
    changed = 0
    for _ in range(40):
        swarm = steering.swarm()
        steering.over(swarm)
        same = sum(a == b for a, b in zip(swarm.seeds, first.seeds, strict=True))
        changed += same >= len(first.seeds) - 3
    assert changed > 5
