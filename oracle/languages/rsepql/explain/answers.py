"""Why an RSEP-QL query has an answer or has it not: its rows, and when it is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from .....semantics.model.mappings import EMPTY_MAPPING
from .....semantics.rsepql.syntax.evaluation import Evaluation
from ....explanations.asked import AskedRow, FoundRow, comparable
from ....explanations.derivations import Goal, Premise, Way, checked
from ....explanations.telling import Explainer
from ..language import varying
from .replayed import Replayed


class RsepqlExplainer(Explainer):
    """What can be said of one case's answers: rows are the results."""

    noun = "answer"

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
        told = {"at": at, "time": at}
        return told if boolean is None else {**told, "boolean": boolean}

    def rows_of(self, number: int, result: FoundRow) -> Iterable[FoundRow]:
        return [replace(result, number=number)]

    @cached_property
    def replayed(self) -> Replayed:
        case = self.case
        evaluation = Evaluation.of(case.evaluation)
        query, streams, kb = varying(evaluation.applied_to(case.tree), case.streams, case.kb)
        return Replayed(
            self.words, query, {iri: tuple(stream) for iri, stream in streams.items()}, kb,
            case.readings, evaluation,
        )

    def presence(self, number: int) -> Goal:
        row = self.results[number - 1]
        copy = self.results[: number - 1].count(row)
        return Goal(lambda: [Way("", self.replayed.answer(row.when["at"], row.mu, copy))])

    def absence(self, asked: AskedRow) -> Goal:
        at = asked.when.get("at", asked.when.get("time"))
        times = list(self.replayed.moments)
        if not times:
            return Goal(list, "The query is never evaluated (Def. 5)")
        if at is None:
            at = times[-1]
        if at not in times:
            shown = ", ".join(map(self.words.instant, times[:10]))
            return Goal(list, f"The query is not evaluated at {self.words.instant(at)} (Def. 5):"
                        f" it is at {shown}")
        when = f"At {self.words.instant(at)}"

        def premises() -> Iterator[Premise]:
            yield from self.replayed.answer(at, comparable(asked.mu), None)
            yield checked(False, false="The patterns have it; what else the query says (its form,"
                       " modifiers) drops it")

        return Goal(lambda: [Way(premises=premises(), supposing=when)])
