"""One engine, rewound between streams, answers each as a new one does, and has the same faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from denota.engine.cqels.runtime import CqelsEngine
from denota.engine.epsparql.nodes import NEVER
from denota.engine.epsparql.runtime import EpsparqlEngine
from denota.engine.rsepql.runtime import RsepqlEngine
from denota.oracle.checking.batch_execution import Given, OnManyStreams
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.engine_specs import engine
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import part_of
from denota.oracle.ranks.space import Run, Space
from denota.oracle.sweeps.corpus_file import case_of
from denota.semantics.model.errors import DenotaError

LANGUAGES = ("rsepql", "cqels", "epsparql")


def some_runs(language: str, within: int | None = None, **readings: str) -> Iterator[Run]:
    """Cases with an operator and two events at most; the longest streams first."""
    space = Space.of(language, Bounds(1, 2, within=within, readings=readings))
    for block in reversed(space.blocks):
        for run in space.runs(block.first, block.end):
            yield replace(run, streams=run.streams[-16:])


def asked(run: Run) -> tuple[OnManyStreams, list[Given]]:
    made: OnManyStreams = part_of(run.language, "batch").on_many(
        run.query, run.readings, **run.beside
    )
    return made, [run.given(place) for place in range(len(run))]


def left(run: Run) -> list[int]:
    """The places where the two sides differ."""
    query, batch = asked(run)
    expected, reported = list(query.expected(batch)), list(query.reported(batch))
    return [
        place for place, wanted, told in zip(range(len(run)), expected, reported, strict=True)
        if wanted is None or told is None or Counter(wanted) != Counter(told)
    ]


def against(run: Run) -> list[int]:
    """The places where the case checker says that the engine is wrong."""
    production = engine("production")
    return [
        place for place in range(len(run))
        if check_case(case_of(run.row(place)), production, timeout=None).is_failure
    ]


@pytest.mark.parametrize(("language", "within", "readings"), [
    ("rsepql", None, {}), ("rsepql", 1, {"rivals": "any"}), ("cqels", None, {}),
    ("cqels", 1, {"inside": "closed"}), ("epsparql", None, {}),
    ("epsparql", 1, {"policy": "recent"}),
])
def test_nothing_is_left_of_a_stream(
    language: str, within: int | None, readings: dict[str, str]
) -> None:
    """Whatever came before it, also the same stream."""
    answered = 0
    for run in some_runs(language, within, **readings):
        query, batch = asked(run)
        in_order = list(query.reported(batch))
        back = list(query.reported([*batch, *reversed(batch)]))
        assert back == [*in_order, *reversed(in_order)]
        new = [next(iter(asked(run)[0].reported([streams]))) for streams in batch[:2]]
        assert new == in_order[:2]
        assert left(run) == []
        answered += sum(1 for rows in in_order if rows)
    assert answered


def _second_is_lost(feed: Callable[..., Any], taken: str) -> Callable[..., Any]:
    """An engine that does not take its second item, by the count that it keeps itself."""

    def feed_but_one(self: Any, item: Any) -> Any:
        if not getattr(self, taken):
            return feed(self, item)
        setattr(self, taken, 0)
        return []

    return feed_but_one


def _once_more(answers: Callable[..., Any]) -> Callable[..., Any]:
    """An engine that says everything twice."""

    def twice(self: Any, *given: Any) -> Any:
        found = answers(self, *given)
        return [*found, *found] if isinstance(found, list) else found

    return twice


FAULTS: Sequence[tuple[str, type, str, Callable[..., Any]]] = (
    ("rsepql", RsepqlEngine, "feed", lambda feed: _second_is_lost(feed, "_arrivals")),
    ("rsepql", RsepqlEngine, "_evaluate", lambda evaluate: lambda self, t: (
        None if t == 2 else evaluate(self, t)
    )),
    ("cqels", CqelsEngine, "feed", lambda feed: _second_is_lost(feed, "_number")),
    ("cqels", CqelsEngine, "evaluate", _once_more),
    ("epsparql", EpsparqlEngine, "feed", lambda feed: lambda self, item: (
        feed(self, item) if self._now == NEVER else []
    )),
    ("epsparql", EpsparqlEngine, "_solutions", _once_more),
)


@pytest.mark.parametrize(
    ("language", "owner", "name", "fault"), FAULTS, ids=[f"{f[0]}-{f[2]}" for f in FAULTS]
)
def test_a_fault_of_the_engine_is_met_where_the_ordinary_judge_meets_it(
    language: str, owner: type, name: str, fault: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, fault(getattr(owner, name)))
    found = 0
    for run in islice(some_runs(language), 8):
        wrong = against(run)
        assert left(run) == wrong
        found += len(wrong)
    assert found


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_error_is_for_the_ordinary_judge(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise DenotaError("not this one")

    run = next(iter(some_runs(language)))
    query, batch = asked(run)
    monkeypatch.setattr(type(query), "denoted", refused)
    assert list(query.expected(batch[:2])) == [None, None]
    monkeypatch.setattr(type(query), "_answered", refused)
    assert list(query.reported(batch[:2])) == [None, None]
