"""SPAseq as the oracle sees it: the one entry by which the language plugs in.

Pairs are JSON objects:

    Pair  <-> {"window": [b, e], "time": τ, "rank": k, "solutions": [{"h": TERM, …}, …]}

`window` is absent under `window=match`, `rank` is there under `ties=sequence` only.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from rdflib.term import URIRef, Variable

from ....semantics.model.errors import QueryWarning
from ....semantics.model.mappings import SolutionMapping, Solutions
from ....semantics.model.time import format_duration
from ....semantics.model.trees import find, parts
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SpaseqQuery,
    WithinUnit,
)
from ...checking.comparison import times_listed
from ...checking.levels import Answer, Level
from ...results.json_objects import (
    JsonObject,
    ResultError,
    brief,
    instant_from_json,
    mapping_from_json,
    mapping_to_json,
    result_fields,
    sort_key,
    window_from_json,
)
from ..base import Inputs, Pattern
from ..rdf_languages import RdfLanguage, finite

if TYPE_CHECKING:
    from ....engine.checkpoints.streaming_query import StreamingQuery
    from ....engine.rdf.data.dictionary import Dictionary


def pair_to_json(pair: Pair, *, ranks: bool = False, order: Sequence[Variable] = ()) -> JsonObject:
    """Return the result object of a pair; `ranks`: it is of the reading `ties=sequence`."""
    written: JsonObject = {}
    if pair.window is not None:
        written["window"] = list(pair.window)
    written["time"] = pair.time
    if ranks:
        written["rank"] = pair.rank
    written["solutions"] = [
        mapping_to_json(mu, order) for mu in sorted(pair.solutions, key=sort_key)
    ]
    return written


def pair_from_json(written: object) -> Pair:
    """Return the pair of a result object; raises ResultError if it is none."""
    fields = result_fields(written)
    solutions = fields.get("solutions")
    if not isinstance(solutions, list):
        raise ResultError(f"a pair needs 'solutions', a list: {brief(written)}")
    return Pair(
        window=window_from_json(fields.get("window")),
        time=instant_from_json(fields.get("time")),
        solutions=frozenset(mapping_from_json(mu) for mu in solutions),
        rank=instant_from_json(fields.get("rank", 0)),
    )


# An instant that surely has no window, as against one whose window was left open.
_NO_WINDOW = "none"

_STRATEGIES = {
    Operator.STRICT: "Def. 12 (strict contiguity ',')",
    Operator.NEXT: "Def. 11 (skip-till-next ';')",
    Operator.ANY: "Def. 10 (skip-till-any ':')",
}


class Spaseq(RdfLanguage[SpaseqQuery, Readings]):
    """SPAseq, as `registry.Language` asks."""

    name = "spaseq"
    title = "SPAseq"
    query_type = SpaseqQuery
    readings_type = Readings
    items = "graphs"
    levels: tuple[Level, ...] = ("pair", "bag", "row")
    sets: tuple[Level, ...] = ("pair",)
    open_fields = ("window", "rank")
    result_fields = frozenset({"window", "time", "rank", "solutions", "solution"})
    evaluation_fields = frozenset({"from"})

    def columns(self, query: SpaseqQuery) -> tuple[Variable, ...]:
        if query.select is not None:
            return query.select
        from ....semantics.rdf.syntax.variables import possible_variables

        bound: set[Variable] = set()
        for name in _references(query):
            bound |= possible_variables(query.definition(name).pattern)
        return tuple(sorted(bound))

    def readings(
        self, named: str | Mapping[str, object], query: SpaseqQuery | None = None
    ) -> Readings:
        readings = super().readings(named)
        return readings if query is None else readings.applied_to(query)

    def warnings(
        self,
        query: SpaseqQuery,
        *,
        streams: Iterable[URIRef],
        kb: Iterable[URIRef],
        readings: Readings,
    ) -> Sequence[QueryWarning]:
        from ....semantics.spaseq.syntax.analysis import check_query

        return check_query(query, list(streams), list(kb), readings)

    def cites(self, query: SpaseqQuery, readings: Readings) -> tuple[str, ...]:
        kinds = _operators(query)
        cited = [text for operator, text in _STRATEGIES.items() if operator in kinds]
        if Conjunction in kinds:
            cited.append("Def. 8 (conjunction '&')")
        if Disjunction in kinds:
            cited.append("Def. 9 (disjunction '|')")
        if KleenePlus in kinds:
            first = isinstance(query.sequence.first, KleenePlus)
            later = any(isinstance(step.atom, KleenePlus) for step in query.sequence.steps)
            numbers = ("Def. 13",) * first + ("Def. 14",) * later
            cited.append(f"{' and '.join(numbers)} (Kleene plus '+', kleene={readings.kleene})")
        if Negation in kinds or OptionalEvent in kinds:
            cited.append(f"Appendix B (negation and optional, negation={readings.negation})")
        if readings.entailment != "none":
            cited.append(f"Def. 15 (background graphs, entailment={readings.entailment})")
        if not cited:
            cited.append("Def. 7 (GPM expressions)")
        cited.append(f"Def. 16 (windows, {_within(query)}, window={readings.window})")
        return tuple(f"SPAseq {text}" for text in cited)

    def stream_names(self, query: SpaseqQuery) -> Mapping[str, URIRef]:
        return {clause.name: clause.iri for clause in query.streams}

    def streams_read(self, query: SpaseqQuery) -> Collection[str]:
        return {clause.iri for clause in query.streams}

    def patterns(self, query: SpaseqQuery) -> list[Pattern]:
        """Return the patterns that items are matched with, in the order of the text."""
        streams = self.stream_names(query)
        named = (query.definition(name) for name in dict.fromkeys(_references(query)))
        return [Pattern(gpm.name, streams[gpm.stream], gpm.pattern) for gpm in named]

    def evaluate(self, query: SpaseqQuery, **inputs: Unpack[Inputs]) -> frozenset[Pair]:
        from ....semantics.spaseq.denotation import evaluate

        start = inputs["evaluation"].get("from")
        return evaluate(query, finite(inputs["streams"]), inputs["kb"], inputs["readings"], start)

    def run(self, query: SpaseqQuery, **inputs: Unpack[Inputs]) -> Iterator[Pair]:
        from ....engine.spaseq import run

        start = inputs["evaluation"].get("from")
        return run(query, inputs["streams"], inputs["kb"], inputs["readings"], start)

    def running(
        self, query: SpaseqQuery, dictionaries: Sequence[Dictionary] = (), **inputs: Unpack[Inputs]
    ) -> StreamingQuery:
        from ....engine.spaseq.streaming_query import SpaseqStreamingQuery

        start = inputs["evaluation"].get("from")
        return SpaseqStreamingQuery(query, inputs["kb"], inputs["readings"], start, dictionaries)

    def item_keys(self, query: SpaseqQuery, readings: Readings) -> Any:
        return self.syntax("partitioning").item_keys(query, readings)

    def of_one_key(self, query: SpaseqQuery, readings: Readings, position: str) -> SpaseqQuery:
        return query

    def to_json(self, result: Pair, query: SpaseqQuery, readings: Readings) -> JsonObject:
        return pair_to_json(
            result, ranks=readings.ties == "sequence", order=self.columns(query)
        )

    def from_json(self, written: JsonObject) -> Pair:
        return pair_from_json(written)

    def answers(
        self, results: Iterable[Pair | Mapping[str, Any]], level: Level, *, partial: bool
    ) -> list[Answer]:
        found: list[Answer] = []
        for result in results:
            time, place, solutions = _parts(result, partial or level != "pair")
            if level == "pair":
                answer = Answer(time, frozenset(solutions), place)
                found.extend([answer] * times_listed(solutions))
            else:
                found.extend(Answer(time, mu, place) for mu in solutions)
        return found

    def instants(self, query: SpaseqQuery) -> frozenset[str]:
        if query.within.unit is WithinUnit.EVENTS:
            return frozenset({"time"})
        return frozenset({"time", "window"})

    def order(self, result: Pair) -> Any:
        solutions = sorted(map(sort_key, result.solutions))
        return result.time, result.rank, result.window or (), solutions

    def flat_fields(self, query: SpaseqQuery, readings: Readings) -> tuple[str, ...]:
        apart = readings.answers == "windows" and readings.window != "match"
        window = ("window_start", "window_end") if apart else ()
        return (*window, "time", *(("rank",) if readings.ties == "sequence" else ()))

    def flat_rows(
        self, result: Pair, query: SpaseqQuery, readings: Readings
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        fields: tuple[int | None, ...] = (*(result.window or ()), result.time)
        if readings.ties == "sequence":
            fields += (result.rank,)
        return [(fields, mu) for mu in sorted(result.solutions, key=sort_key)]

    def result_of(self, answer: Answer) -> Pair:
        window, rank = answer.open
        solutions = cast(Solutions, answer.content)
        return Pair(
            window if isinstance(window, tuple) else None,
            cast(int, answer.time),
            solutions,
            rank if isinstance(rank, int) else 0,
        )


def _parts(
    result: Pair | Mapping[str, Any], partial: bool
) -> tuple[int, tuple[Hashable | None, ...], Iterable[SolutionMapping]]:
    """τ, (window, rank) and Ω of a pair, or of an object that stands for one or for a row."""
    if isinstance(result, Pair):
        return result.time, (result.window or _NO_WINDOW, result.rank), result.solutions
    fields = result_fields(result)
    for name in fields:
        if name not in Spaseq.result_fields:
            raise ResultError(f"a SPAseq result has no field '{name}'")
    if ("solutions" in fields) == ("solution" in fields):
        raise ResultError("a SPAseq result has either 'solutions', a list, or 'solution'")
    solutions = fields["solutions"] if "solutions" in fields else [fields["solution"]]
    if not isinstance(solutions, (list, tuple, frozenset, set)):
        raise ResultError("'solutions' is a list of objects")
    window = window_from_json(fields.get("window"))
    rank = fields.get("rank")
    return (
        instant_from_json(fields.get("time")),
        (
            window or (None if partial else _NO_WINDOW),
            (None if partial else 0) if rank is None else instant_from_json(rank),
        ),
        [mu if isinstance(mu, SolutionMapping) else mapping_from_json(mu) for mu in solutions],
    )


def _within(query: SpaseqQuery) -> str:
    extents = {"WITHIN": query.within, "SLIDE": query.slide}
    return " ".join(
        f"{keyword} {extent.value} EVENTS" if extent.unit is WithinUnit.EVENTS
        else f"{keyword} {format_duration(extent.value)}"
        if extent.unit is WithinUnit.MICROSECONDS
        else f"{keyword} {extent.value}"
        for keyword, extent in extents.items() if extent is not None
    )


def _references(query: SpaseqQuery) -> list[str]:
    return [part.name for part in find(query.sequence, Reference)]


def _operators(query: SpaseqQuery) -> set[object]:
    return {
        *map(type, parts(query.sequence)), *(step.operator for step in query.sequence.steps)
    }


LANGUAGE = Spaseq()
