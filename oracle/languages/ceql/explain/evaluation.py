"""The evaluation of a CEQL case, for explanations: its stream, and the results by event."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from .....semantics.ceql.later_language import Moment, moments
from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.tree import CeqlQuery
from .....semantics.ceql.valuations import Valuation
from .....semantics.model.shown import text_of
from .....semantics.model.tuples import EventTuple, merged
from ....cases.case import Case
from ....explanations.explainer import Explainer
from .wording import TupleWords


class CeqlEvaluation(Explainer):
    """The parts of a case that all rules of CEQL use."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.query: CeqlQuery = case.tree
        self.readings: Readings = case.readings
        streams = {str(name): stream for name, stream in case.streams.items()}
        self.stream: list[EventTuple] = list(merged(streams, self.query.streams))
        self.tuples = TupleWords(self.query, self.stream)

    @cached_property
    def moments(self) -> list[Moment]:
        return list(moments(self.tuples.evaluated, self.stream, self.readings))

    def selection(self) -> str:
        return ", ".join(map(text_of, self.query.select or ())) or "NONE"


def in_order(found: Iterable[Valuation]) -> list[Valuation]:
    """Return valuations in order of their start."""
    return sorted(found, key=lambda v: (v.start, sorted(v.data)))
