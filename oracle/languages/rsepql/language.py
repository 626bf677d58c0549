"""RSEP-QL as the oracle sees it: the one entry by which the language plugs in.

A result is what is reported at one evaluation time:

    {"at": t, "solutions": [{"x": TERM, …}, …]}                             SELECT, a bag
    {"at": t, "boolean": true}                                              ASK
    {"at": t, "graph": [{"subject": TERM, "predicate": …, "object": …}, …]} CONSTRUCT, DESCRIBE
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, cast

from rdflib.term import URIRef, Variable

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.mappings import SolutionMapping
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import Graph
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax.tree import (
    AskQuery,
    ConstructQuery,
    DatasetClause,
    DescribeQuery,
    OptionalPattern,
    SelectQuery,
)
from ....semantics.rsepql.syntax.evaluation import LEFT_OPEN, Evaluation
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    First,
    Last,
    MatchPattern,
    RsepqlQuery,
    SequenceOperator,
    WindowPattern,
)
from ....semantics.rsepql.syntax.tree import Sequence as EventSequence
from ...checking.comparison import times_listed
from ...checking.levels import BOOLEAN, Answer, Level, truth
from ...results.json_objects import (
    JsonObject,
    ResultError,
    instant_from_json,
    mapping_from_json,
    mapping_to_json,
    result_fields,
    sort_key,
)
from ..base import Inputs, Pattern
from ..interval_solutions import (
    TRIPLE,
    graph_of,
    graph_to_json,
    triple_mapping,
    triple_mappings,
)
from ..rdf_languages import RdfLanguage, finite

if TYPE_CHECKING:
    from ....engine.checkpoints.streaming_query import StreamingQuery
    from ....engine.rdf.data.dictionary import Dictionary
_OPERATORS = {
    SequenceOperator.UNRESTRICTED: "(7) (SEQ)",
    SequenceOperator.NAIVE: "(9) (SEQ^n)",
    SequenceOperator.CHRONOLOGICAL: "(10) (SEQ^c)",
    SequenceOperator.RECENT: "(11) (SEQ^r)",
}


class Rsepql(RdfLanguage[RsepqlQuery, Readings]):
    """RSEP-QL, as `registry.Language` asks."""

    name = "rsepql"
    title = "RSEP-QL"
    query_type = RsepqlQuery
    readings_type = Readings
    items = "graphs"
    changing_background = True
    levels: tuple[Level, ...] = ("solutions", "bag", "row")
    sets: tuple[Level, ...] = ()
    open_fields: tuple[str, ...] = ()
    result_fields = frozenset({"at", "time", "solutions", "solution", "boolean", "graph"})
    evaluation_fields = frozenset(
        {"at", "policy", "period", "every", "start", "first", "last", "setting", *LEFT_OPEN}
    )

    def parse(self, text: str, *, source: str | None = None) -> RsepqlQuery:
        from ....semantics.rsepql.syntax.dialects import parse_dialect

        return parse_dialect(text, source=source).query

    def columns(self, query: RsepqlQuery) -> tuple[Variable, ...]:
        match query.form:
            case SelectQuery():
                from ....semantics.rdf.syntax.variables import selected_variables

                return selected_variables(query.form)
            case AskQuery():
                return (BOOLEAN,)
            case ConstructQuery() | DescribeQuery():
                return TRIPLE

    def streams_read(self, query: RsepqlQuery) -> Collection[str]:
        return {each.stream for each in query.windows if each.stream is not None}

    def cites(self, query: RsepqlQuery, readings: Readings) -> tuple[str, ...]:
        cited = ["Def. 3 (windows)"]
        matches = [each.event for each in find(query.form, MatchPattern)]
        if has(query.form, WindowPattern):
            cited.append("(3) (WINDOW)")
        if matches:
            cited.append("(4) (EVENT)")
        if any(isinstance(e, First | Last) for e in matches):
            cited.append(f"(5), (6) (FIRST, LAST, order={readings.order})")
        used = {each.operator for each in find(query.form, EventSequence)}
        for operator, text in _OPERATORS.items():
            if operator in used:
                rivals = operator in (SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT)
                cited.append(text + f", rivals={readings.rivals}" * rivals)
        if matches:
            cited.append("(8) (MATCH)")
        if query.consumption is not ConsumptionPolicy.UNRESTRICTED:
            cited.append(
                f"Defs. 8 to 10, (12) (CONSUME {query.consumption},"
                f" consumption={readings.consumption})"
            )
        cited.append(f"Def. 5 (queries, {query.operator})")
        return tuple(f"RSEP-QL {text}" for text in cited)

    def patterns(self, query: RsepqlQuery) -> list[Pattern]:
        """Return the patterns that items are matched with, in the order of the text."""
        from ....semantics.rsepql.syntax.tree import Event, WindowPattern
        from ...explanations.pattern_counts import pattern_text

        streams: dict[Any, Any] = {window.name: window.stream for window in query.windows}
        needed = set(find(query.form, Event, WindowPattern, but=OptionalPattern))
        found = [
            (each.window if isinstance(each, Event) else each.name, each.pattern, each in needed)
            for each in find(query.form, Event, WindowPattern)
        ]
        return [
            Pattern(
                pattern_text(group, self.prefixes(query)), streams.get(window), group,
                not is_needed,
            )
            for window, group, is_needed in found
        ]

    def evaluate(self, query: RsepqlQuery, **inputs: Unpack[Inputs]) -> list[TimedAnswer]:
        from ....semantics.rsepql.denotation import evaluate

        query, streams, graphs = varying(query, inputs["streams"], inputs["kb"])
        evaluation = Evaluation.of(inputs["evaluation"])
        return list(evaluate(query, finite(streams), graphs, inputs["readings"], evaluation))

    def run(self, query: RsepqlQuery, **inputs: Unpack[Inputs]) -> Iterator[TimedAnswer]:
        from ....engine.rsepql import run

        query, streams, graphs = varying(query, inputs["streams"], inputs["kb"])
        evaluation = Evaluation.of(inputs["evaluation"])
        return run(query, streams, graphs, inputs["readings"], evaluation)

    def running(
        self, query: RsepqlQuery, dictionaries: Sequence[Dictionary] = (),
        **inputs: Unpack[Inputs],
    ) -> StreamingQuery:
        from ....engine.rsepql.streaming_query import RsepqlStreamingQuery

        query, changing, graphs = varying(query, {}, inputs["kb"])
        evaluation = Evaluation.of(inputs["evaluation"])
        return RsepqlStreamingQuery(
            query, inputs["streams"], graphs, inputs["readings"], evaluation, dictionaries, changing
        )

    def to_json(self, result: TimedAnswer, query: RsepqlQuery, readings: Readings) -> JsonObject:
        content = result.content
        written: JsonObject = {"at": result.time}
        if isinstance(content, bool):
            written["boolean"] = content
        elif isinstance(content, frozenset):
            written["graph"] = graph_to_json(content)
        else:
            order = self.columns(query)
            ordered = _ordered(content, query)
            written["solutions"] = [mapping_to_json(mu, order) for mu in ordered]
        return written

    def from_json(self, written: JsonObject) -> TimedAnswer:
        time, kind, found = _parts(written)
        if kind == "boolean":
            return TimedAnswer(time, cast(bool, found))
        rows = cast("list[SolutionMapping]", found)
        if kind == "graph":
            return TimedAnswer(time, graph_of(rows))
        return TimedAnswer(time, tuple(rows))

    def answers(
        self, results: Iterable[TimedAnswer | Mapping[str, Any]], level: Level, *, partial: bool
    ) -> list[Answer]:
        found: list[Answer] = []
        for result in results:
            time, kind, content = _parts(result)
            if kind == "boolean":
                found.append(Answer(time, cast(bool, content)))
            elif kind == "graph":
                rows = cast("list[SolutionMapping]", content)
                found.extend([Answer(time, frozenset(rows))] * times_listed(rows))
            else:
                found += (Answer(time, mu) for mu in cast("list[SolutionMapping]", content))
        return found

    def instants(self, query: RsepqlQuery) -> frozenset[str]:
        return frozenset({"at", "time"})

    def order(self, result: TimedAnswer) -> Any:
        return result.time

    def flat_fields(self, query: RsepqlQuery, readings: Readings) -> tuple[str, ...]:
        return ("at",)

    def flat_rows(
        self, result: TimedAnswer, query: RsepqlQuery, readings: Readings
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        content = result.content
        if isinstance(content, bool):
            rows: Iterable[SolutionMapping] = [truth(content)]
        elif isinstance(content, frozenset):
            rows = triple_mappings(content)
        else:
            rows = _ordered(content, query)
        return [((result.time,), mu) for mu in rows]

    def result_of(self, answer: Answer) -> TimedAnswer:
        time, content = cast(int, answer.time), answer.content
        if isinstance(content, bool):
            return TimedAnswer(time, content)
        if isinstance(content, frozenset):
            return TimedAnswer(time, graph_of(cast("frozenset[SolutionMapping]", content)))
        return TimedAnswer(time, (cast(SolutionMapping, content),))


def varying(
    query: RsepqlQuery,
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    kb: Mapping[URIRef, Graph | TemporalGraph],
) -> tuple[
    RsepqlQuery, Mapping[URIRef, Iterable[TimestampedGraph]], Mapping[URIRef, Graph]
]:
    """Return the query with a stream in its dataset for each background graph that changes."""
    changing = {iri: graph for iri, graph in kb.items() if isinstance(graph, TemporalGraph)}
    fixed = {iri: graph for iri, graph in kb.items() if not isinstance(graph, TemporalGraph)}
    if not changing:
        return query, streams, fixed
    if query.form.dataset is None:
        named = DatasetClause(named=tuple(kb))
        query = replace(query, form=replace(query.form, dataset=named))
    items = {
        iri: tuple(TimestampedGraph(time, state, graph.kind) for time, state in graph.changes)
        for iri, graph in changing.items()
    }
    return query, {**streams, **items}, fixed


def _ordered(
    solutions: Sequence[SolutionMapping], query: RsepqlQuery
) -> Sequence[SolutionMapping]:
    """As the query orders them, else in an order that is the same on every run."""
    return solutions if query.form.modifier.order_by else sorted(solutions, key=sort_key)


def _parts(result: TimedAnswer | Mapping[str, Any]) -> tuple[int, str, object]:
    """Return the time and the content of a result, or of an object for one or for a row."""
    if isinstance(result, TimedAnswer):
        content = result.content
        if isinstance(content, bool):
            return result.time, "boolean", content
        if isinstance(content, frozenset):
            return result.time, "graph", list(map(triple_mapping, content))
        return result.time, "solutions", list(content)
    fields = result_fields(result)
    for name in fields:
        if name not in Rsepql.result_fields:
            raise ResultError(f"an RSEP-QL result has no field '{name}'")
    kinds = [name for name in ("solutions", "solution", "boolean", "graph") if name in fields]
    if len(kinds) != 1:
        raise ResultError("an RSEP-QL result has 'solutions', or 'solution', 'boolean' or 'graph'")
    time = instant_from_json(fields["at"] if "at" in fields else fields.get("time"))
    (kind,) = kinds
    given = fields[kind]
    if kind == "boolean":
        if not isinstance(given, bool):
            raise ResultError("'boolean' is true or false")
        return time, kind, given
    if kind == "solution":
        kind, given = "solutions", [given]
    if not isinstance(given, (list, tuple, frozenset, set)):
        raise ResultError(f"'{kind}' is a list of objects")
    return time, kind, [
        mu if isinstance(mu, SolutionMapping) else mapping_from_json(mu) for mu in given
    ]


LANGUAGE = Rsepql()
