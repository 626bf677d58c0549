"""Random cases for a corpus, from `denota.strategies`: the same seed, the same cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .corpus_cases import row_of
from .corpus_file import CorpusRow

_ROUND = 1_000  # after so many cases Hypothesis starts afresh and forgets what it has made


def generated_rows(count: int, seed: int, language: str) -> Iterator[CorpusRow]:
    """`count` random cases in a language as rows of a corpus."""
    number = 0
    round_number = 0
    while number < count:
        for case in _cases(min(_ROUND, count - number), f"{seed}.{round_number}", language):
            yield row_of(case, f"random-{seed}-{number:07d}")
            number += 1
        round_number += 1


def _cases(count: int, seed: str, language: str) -> list[Any]:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from ..fuzzing.differential import cases_strategy
    from ..fuzzing.strategies.plain_generation import plain_backend

    cases: list[Any] = []

    @seeded(seed)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), backend=plain_backend(),
    )
    @given(cases_strategy(language))
    def collect(case: Any) -> None:
        cases.append(case)

    collect()
    return cases[:count]


__all__ = ["generated_rows"]
