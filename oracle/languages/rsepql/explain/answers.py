"""Explanations of RSEP-QL answers: rows and evaluation times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from .....semantics.model.mappings import EMPTY_MAPPING
from .....semantics.rsepql.syntax.evaluation import Evaluation
from ....explanations.derivations import Goal, Premise, Way, check
from ....explanations.explainer import Explainer
from ....explanations.requested_rows import FoundRow, RequestedRow, comparable
from ..language import varying
from .replay import Replay


class RsepqlExplainer(Explainer):
    """The explainer of one case's answers; results are rows."""

    noun = "answer"
    a_noun = "an answer"

    @cached_property
    def results(self) -> list[Any]:
        case = self.case
        found = []
        for answer in self.evaluated():
            if isinstance(answer.content, bool):
                found.append(FoundRow(0, EMPTY_MAPPING, self.when(answer.time, answer.content)))
            else:
                for _, mu in case.language.flat_rows(answer, case.tree, case.readings):
                    found.append(FoundRow(0, mu, self.when(answer.time)))
        return found

    @staticmethod
    def when(at: int, boolean: bool | None = None) -> dict[str, Any]:
        when = {"at": at, "time": at}
        return when if boolean is None else {**when, "boolean": boolean}

    def rows_of(self, number: int, result: FoundRow) -> Iterable[FoundRow]:
        return [replace(result, number=number)]

    @cached_property
    def replay(self) -> Replay:
        case = self.case
        evaluation = Evaluation.of(case.evaluation)
        query, streams, kb = varying(evaluation.applied_to(case.tree), case.streams, case.kb)
        return Replay(
            self.words, query, {iri: tuple(stream) for iri, stream in streams.items()}, kb,
            case.readings, evaluation,
        )

    def presence(self, number: int) -> Goal:
        row = self.results[number - 1]
        copy = self.results[: number - 1].count(row)
        return Goal(lambda: [Way("", self.replay.answer(row.when["at"], row.mu, copy))])

    def absence(self, request: RequestedRow) -> Goal:
        at = request.when.get("at", request.when.get("time"))
        times = list(self.replay.moments)
        if not times:
            return Goal(list, "The query is never evaluated (Def. 5)")
        if at is None:
            at = times[-1]
        if at not in times:
            shown = ", ".join(map(self.words.instant, times[:10]))
            return Goal(list, f"The query is not evaluated at {self.words.instant(at)} (Def. 5);"
                        f" evaluation times: {shown}")
        when = f"At {self.words.instant(at)}"

        def premises() -> Iterator[Premise]:
            yield from self.replay.answer(at, comparable(request.mu), None)
            yield check(False, false="WHERE returns it; the query form or a solution modifier"
                        " removes it")

        return Goal(lambda: [Way(premises=premises(), context=when)])
