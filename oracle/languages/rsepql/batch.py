"""Many streams of one RSEP-QL query: what the definitions and the engine say of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any

from ....semantics.rsepql.denotation import evaluate
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import RsepqlQuery
from ...checking.batch_execution import Given, OnManyStreams
from .language import LANGUAGE


class RsepqlOnMany(OnManyStreams):
    """A row is a solution with the time of its evaluation, or the whole answer of another form."""

    @cached_property
    def _when(self) -> Evaluation:
        return Evaluation.of(self._evaluation)

    def denoted(self, streams: Given) -> Iterable[TimedAnswer]:
        return evaluate(self._query, streams, self._kb, self._readings, self._when)

    def rows(self, results: Iterable[TimedAnswer]) -> list[Hashable]:
        rows: list[Hashable] = []
        for result in results:
            time, content = result.time, result.content
            if isinstance(content, tuple):
                rows.extend((time, mu) for mu in content)
            else:
                rows.append((time, content))
        return rows


def on_many(query: RsepqlQuery, readings: Readings, **beside: Any) -> RsepqlOnMany:
    """Return the query, which the engine compiles once."""
    return RsepqlOnMany(LANGUAGE, query, readings, **beside)
