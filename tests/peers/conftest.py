"""What the tests of all peers ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import pytest

from denota.oracle.cases.case import Case
from denota.oracle.engines.builtin import Oracle
from denota.oracle.engines.capabilities import capabilities_of
from denota.oracle.engines.engine import EngineError, close
from denota.oracle.fuzzing.differential import fuzz

LONG = 1000.0  # seconds that nobody waits for
Question: TypeAlias = Callable[[Case], Any]


class _Asked(Oracle):
    """The definitions, asked as a peer is: only what its adapter can put into its terms."""

    keeps_time = True

    def __init__(
        self, language: str, question: Question, capabilities: Mapping[str, Sequence[str]]
    ) -> None:
        super().__init__()
        self.languages = (language,)
        self.question = question
        self.capabilities = {language: capabilities_of(language, capabilities)}

    def run(self, case: Case) -> Any:
        self.question(case)
        return super().run(case)


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The engine that a module of tests has as PEER, where it is to be had."""
    try:
        made = request.module.PEER(LONG)
    except EngineError as error:
        pytest.skip(str(error))
    yield made
    close(made)


@pytest.fixture
def share_judged() -> Callable[..., float]:
    """How many of the cases that are generated for a peer it is asked, without asking it."""

    def share(
        language: str, question: Question, capabilities: Mapping[str, Sequence[str]]
    ) -> float:
        report = fuzz(_Asked(language, question, capabilities), examples=100, seed=1, timeout=None)
        return report.judged / (report.examples + report.passed_over)

    return share
