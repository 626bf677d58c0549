"""Random cases for a corpus, from `denota.strategies`: the same seed, the same cases."""

from __future__ import annotations

from collections.abc import Iterator

from .corpus_cases import row_of
from .corpus_file import CorpusRow


def generated_rows(count: int, seed: int, language: str) -> Iterator[CorpusRow]:
    """`count` random cases in a language as rows of a corpus."""
    from ..fuzzing.rounds import random_cases

    for number, case in enumerate(random_cases(language, str(seed), count)):
        yield row_of(case, f"random-{seed}-{number:07d}")
