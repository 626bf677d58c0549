"""CQELS-CEP as the oracle sees it: the one entry by which the language plugs in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from rdflib.term import Variable

from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import (
    CqelsQuery,
    TripleSequence,
    WindowPattern,
    WindowSequence,
)
from ....semantics.model.errors import QueryError
from ....semantics.model.interval_solutions import IntervalResult
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax.tree import OptionalPattern, TriplePattern
from ...checking.levels import Level
from ..base import Inputs, Pattern
from ..interval_solutions import LEVELS, TRIPLE
from ..rdf_languages import IntervalLanguage, finite

if TYPE_CHECKING:
    from ....engine.checkpoints.streaming_query import StreamingQuery
    from ....engine.rdf.data.dictionary import Dictionary

class Cqels(IntervalLanguage[CqelsQuery, Readings]):
    """CQELS-CEP, as `registry.Language` asks."""

    name = "cqels"
    changing_background = True
    title = "CQELS-CEP"
    query_type = CqelsQuery
    readings_type = Readings
    sets: tuple[Level, ...] = LEVELS
    result_fields = frozenset({"at", "interval", "solution", "graph"})
    evaluation_fields = frozenset({"at", "policy"})

    def columns(self, query: CqelsQuery) -> tuple[Variable, ...]:
        from ....semantics.cqels.syntax.analysis import visible_variables

        if query.template is not None:
            return TRIPLE
        if query.select is None:
            return visible_variables(query.where)
        return tuple(dict.fromkeys(item.variable for item in query.select))

    def flat_fields(self, query: CqelsQuery, readings: Readings) -> tuple[str, ...]:
        fields = super().flat_fields(query, readings)
        return fields if query.operator is None else ("at", *fields)

    def streams_read(self, query: CqelsQuery) -> Collection[str]:
        return {window.stream for window in query.windows}

    def patterns(self, query: CqelsQuery) -> list[Pattern]:
        """Return the patterns that items are matched with, in the order of the text."""
        from ...explanations.pattern_counts import pattern_text

        streams = {window.name: window.stream for window in query.windows}
        needed = set(find(query.where, WindowPattern, but=OptionalPattern))
        return [
            Pattern(
                pattern_text(group, self.prefixes(query)), streams[window.name], group,
                window not in needed,
            )
            for window in find(query.where, WindowPattern)
            for group in window.groups() if has(group, TriplePattern)
        ]

    def cites(self, query: CqelsQuery, readings: Readings) -> tuple[str, ...]:
        cited = ["case (16) (patterns on a window)"]
        for element in find(query.where, WindowPattern, WindowSequence):
            if isinstance(element, WindowSequence):
                cited.append(_cited(
                    [part.negated for part in element.elements], ("(6)", "(5) and (8)", "(7)"),
                    "(3) and (4)", "sequences of windows", readings,
                ))
            elif isinstance(element, WindowPattern) and isinstance(element.body, TripleSequence):
                cited.append(_cited(
                    [part.negated for part in element.body.elements],
                    ("(13)", "(12) and (15)", "(14)"), "(10) and (11)", "sequences in a window",
                    readings,
                ))
        cited.append("case (17) (the background) and case (1)")
        if query.template is not None:
            cited.append("footnote 3 (CONSTRUCT)")
        if query.operator is not None:
            cited.append(f"2.2 (relation to stream, {query.operator})")
        return tuple(f"CQELS-CEP {text}" for text in dict.fromkeys(cited))

    def evaluate(self, query: CqelsQuery, **inputs: Unpack[Inputs]) -> frozenset[IntervalResult]:
        from ....semantics.cqels.queries import evaluate

        times = evaluation_times(inputs["evaluation"])
        return evaluate(query, finite(inputs["streams"]), inputs["kb"], inputs["readings"], times)

    def run(self, query: CqelsQuery, **inputs: Unpack[Inputs]) -> Iterator[IntervalResult]:
        from ....engine.cqels import run

        times = evaluation_times(inputs["evaluation"])
        return run(query, inputs["streams"], inputs["kb"], inputs["readings"], times)

    def running(
        self, query: CqelsQuery, dictionaries: Sequence[Dictionary] = (),
        **inputs: Unpack[Inputs],
    ) -> StreamingQuery:
        from ....engine.cqels.streaming_query import CqelsStreamingQuery

        times = evaluation_times(inputs["evaluation"])
        return CqelsStreamingQuery(query, inputs["kb"], inputs["readings"], times, dictionaries)


def evaluation_times(evaluation: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return a case's evaluation times, None for each arrival (`policy: content-change`)."""
    policy, at = evaluation.get("policy"), evaluation.get("at")
    if policy not in (None, "content-change"):
        raise QueryError(
            f"CQELS-CEP reports when an item arrives: it has no policy '{policy}' (it has:"
            " content-change)"
        )
    if at is None:
        return None
    return (at,) if isinstance(at, int) else tuple(at)


def _cited(
    negated: Sequence[bool], cases: tuple[str, str, str], plain: str, what: str, readings: Readings
) -> str:
    if not any(negated):
        number = plain
    elif negated[0]:
        number = cases[0]
    elif negated[-1]:
        number = cases[2]
    else:
        return f"cases {cases[1]} ({what}, SEQ_WO, inside={readings.inside})"
    return f"{'cases' if ' and ' in number else 'case'} {number} ({what})"


LANGUAGE = Cqels()
