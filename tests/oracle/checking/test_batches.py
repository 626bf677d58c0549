"""By the batch a case has the verdict that the case checker has."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from denota.engine.spaseq.runtime import Runs
from denota.oracle.checking.batch_checker import OUTCOMES, BatchChecker, same
from denota.oracle.checking.verdicts import Outcome, Verdict
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.row_verdicts import check_rows
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.spaseq.syntax.tree import KleenePlus, Negation


class Corpus:
    """All cases of a language within bounds."""

    def __init__(self, language: str, bounds: Bounds) -> None:
        self.language = language
        self.space = Space.of(language, bounds)

    def judged(self, engine: str = "production") -> tuple[Any, int]:
        """The verdicts by the batch, and how many the case checker was asked."""
        with BatchChecker(self.language, engine, 10.0, self.space.runs) as checker:
            verdict = checker.judged(0, self.space.cases)
        against = {rank: _compared(each) for rank, each in verdict.failures}
        return ([OUTCOMES[code] for code in verdict.outcomes], against), verdict.again

    def judged_one_by_one(self, engine: str = "production") -> Any:
        """The verdicts of the case checker, in the same form."""
        found = list(check_rows(self.space.rows(), engine, 10.0))
        against = {
            rank: (each.outcome, each.missing, each.unexpected, each.repeated)
            for rank, each in enumerate(found) if Outcome(each.outcome).is_failure
        }
        return [Outcome(each.outcome) for each in found], against


def _compared(verdict: Verdict) -> tuple[str, int, int, int]:
    return (
        str(verdict.outcome), len(verdict.missing), len(verdict.unexpected), len(verdict.duplicate)
    )


@pytest.fixture(scope="module")
def spaseq() -> Corpus:
    return Corpus("spaseq", Bounds(1, 2, alphabet="single"))


def test_what_is_the_same() -> None:
    assert same(frozenset({1, 2}), [2, 1])
    assert not same(frozenset({1, 2}), [1, 1])
    assert not same(frozenset({1}), [1, 1])
    assert same([1, 1, 2], [1, 2, 1])
    assert not same([1, 1, 2], [1, 2, 2])
    assert not same(None, [])
    assert not same(frozenset(), None)


def test_an_engine_that_is_right_is_not_judged_again(spaseq: Corpus) -> None:
    found, again = spaseq.judged()
    assert again == 0
    assert set(found[0]) == {Outcome.PASS}
    assert len(found[0]) == spaseq.space.cases


@pytest.mark.parametrize("language", ["ceql", "rsepql", "cqels", "epsparql"])
def test_the_other_languages_are_not_judged_again(language: str) -> None:
    corpus = Corpus(language, Bounds(1, 2))
    found, again = corpus.judged()
    assert again == 0
    assert set(found[0]) == {Outcome.PASS}
    assert len(found[0]) == corpus.space.cases


def _twice(feed: Callable[..., list[Pair]]) -> Callable[..., list[Pair]]:
    return lambda *given: [pair for pair in feed(*given) for _ in range(2)]


def _none_at_1(feed: Callable[..., list[Pair]]) -> Callable[..., list[Pair]]:
    return lambda *given: [pair for pair in feed(*given) if pair.time != 1]


def _raising(feed: Callable[..., list[Pair]]) -> Callable[..., list[Pair]]:
    def fed(*given: Any) -> list[Pair]:
        pairs = feed(*given)
        if len(pairs) > 1:
            raise ZeroDivisionError("division by zero")
        return pairs

    return fed


@pytest.mark.parametrize("fault", [_twice, _none_at_1, _raising])
def test_a_fault_has_the_ordinary_judges_verdicts(
    spaseq: Corpus, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runs, "feed", fault(Runs.feed))
    found, again = spaseq.judged()
    assert found[1]
    assert found == spaseq.judged_one_by_one()
    assert again == len(found[1])


def test_what_crashes_and_what_hangs_is_met_again(
    spaseq: Corpus, monkeypatch: pytest.MonkeyPatch, clock: str
) -> None:
    feed = Runs.feed

    def fed(self: Runs, *given: Any) -> list[Pair]:
        first = self._automaton.query.sequence.first
        if len(given[-1]) == 2 and isinstance(first, KleenePlus):
            os._exit(7)
        if len(given[-1]) == 2 and isinstance(first, Negation):
            exec(clock)
            time.sleep(1e6)
        return feed(self, *given)

    monkeypatch.setattr(Runs, "feed", fed)
    (outcomes, against), again = spaseq.judged()
    assert {each[0] for each in against.values()} == {"crash", "timeout"}
    assert (outcomes, against) == spaseq.judged_one_by_one()
    assert again


def test_a_foreign_engine_is_judged_by_the_ordinary_judge() -> None:
    some = Corpus("spaseq", Bounds(0, 1, alphabet="single"))
    found, again = some.judged("oracle")
    assert again == some.space.cases == len(found[0])
