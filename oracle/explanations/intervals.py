"""Rows of results with intervals: solutions, triples of graphs, and results of ASK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...semantics.model.interval_solutions import IntervalResult, IntervalSolution, Reported
from ...semantics.model.items import IntervalGraph
from ...semantics.model.mappings import EMPTY_MAPPING
from ..languages.interval_solutions import triple_mapping
from .explainer import Explainer
from .requested_rows import FoundRow


class IntervalExplainer(Explainer):
    """Explainer of a language whose results have intervals."""

    def rows_of(self, number: int, result: IntervalResult) -> Iterator[FoundRow]:
        when: dict[str, Any] = {}
        if isinstance(result, Reported):
            when["at"] = result.time
            result = result.element
        match result:
            case IntervalSolution():
                yield FoundRow(number, result.mapping, {**when, "interval": result.interval})
            case IntervalGraph(start, end, graph):
                for triple in sorted(graph):
                    held = {**when, "interval": (start, end)}
                    yield FoundRow(number, triple_mapping(triple), held)
            case bool():
                yield FoundRow(number, EMPTY_MAPPING, {"boolean": result})
