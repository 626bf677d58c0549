"""By the batch a case has the verdict that the ordinary judge has."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pytest

from denota.engine.spaseq.runtime import Runs
from denota.oracle.judging.batches import OUTCOMES, BatchJudge, same
from denota.oracle.judging.verdicts import Outcome, Verdict
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import part_of
from denota.oracle.sweeps.corpus_cases import case_of
from denota.oracle.sweeps.corpus_file import CorpusRow
from denota.oracle.sweeps.row_verdicts import judge_rows
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.spaseq.syntax.tree import KleenePlus, Negation


@dataclass(frozen=True)
class Rows:
    """Rows of a corpus that have one query."""

    first: int
    rows: list[CorpusRow]

    @property
    def query(self) -> Any:
        return case_of(self.rows[0]).tree

    @property
    def readings(self) -> Any:
        return case_of(self.rows[0]).readings

    def __len__(self) -> int:
        return len(self.rows)

    def given(self, i: int) -> Mapping[Any, Any]:
        return case_of(self.rows[i]).streams

    def row(self, i: int) -> CorpusRow:
        return self.rows[i]


class Corpus:
    """All cases of a language within bounds, query by query."""

    def __init__(self, language: str, bounds: Bounds) -> None:
        enumeration = part_of(language, "enumerate").ENUMERATION(bounds)
        self.rows = sorted(enumeration.rows(), key=lambda row: row.query)

    def runs(self, first: int, end: int) -> Iterator[Rows]:
        for _, group in groupby(range(first, end), key=lambda rank: self.rows[rank].query):
            ranks = list(group)
            yield Rows(ranks[0], [self.rows[rank] for rank in ranks])

    def judged(self, language: str, engine: str = "production") -> tuple[Any, int]:
        """The verdicts by the batch, and how many the ordinary judge was asked."""
        with BatchJudge(language, engine, 10.0, self.runs) as judge:
            verdict = judge.judged(0, len(self.rows))
        against = {rank: _compared(each) for rank, each in verdict.against}
        return ([OUTCOMES[code] for code in verdict.outcomes], against), verdict.again

    def judged_one_by_one(self, engine: str = "production") -> Any:
        """The verdicts of the ordinary judge, in the same form."""
        found = list(judge_rows(self.rows, engine, 10.0))
        against = {
            rank: (each.outcome, each.missing, each.unexpected, each.repeated)
            for rank, each in enumerate(found) if Outcome(each.outcome).against
        }
        return [Outcome(each.outcome) for each in found], against


def _compared(verdict: Verdict) -> tuple[str, int, int, int]:
    return (
        str(verdict.outcome), len(verdict.missing), len(verdict.unexpected), len(verdict.repeated)
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
    assert not same(None, []) and not same(frozenset(), None)


def test_an_engine_that_is_right_is_not_judged_again(spaseq: Corpus) -> None:
    found, again = spaseq.judged("spaseq")
    assert again == 0
    assert set(found[0]) == {Outcome.PASS} and len(found[0]) == len(spaseq.rows)


def test_ceql_is_not_judged_again() -> None:
    corpus = Corpus("ceql", Bounds(1, 2))
    found, again = corpus.judged("ceql")
    assert again == 0
    assert set(found[0]) == {Outcome.PASS} and len(found[0]) == len(corpus.rows)


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
    found, again = spaseq.judged("spaseq")
    assert found[1]
    assert found == spaseq.judged_one_by_one()
    assert again < len(spaseq.rows) or fault is _raising


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
    (outcomes, against), again = spaseq.judged("spaseq")
    assert {each[0] for each in against.values()} == {"crash", "timeout"}
    assert (outcomes, against) == spaseq.judged_one_by_one()
    assert again


def test_a_foreign_engine_is_judged_by_the_ordinary_judge() -> None:
    some = Corpus("spaseq", Bounds(0, 1, alphabet="single"))
    found, again = some.judged("spaseq", "oracle")
    assert again == len(some.rows) == len(found[0])
