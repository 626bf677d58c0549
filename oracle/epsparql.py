"""EP-SPARQL as the oracle sees it: the one entry by which the language plugs in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from rdflib.term import URIRef, Variable

from ..semantics.epsparql.readings import Readings
from ..semantics.epsparql.results import CONSTRUCTED
from ..semantics.epsparql.syntax import EpsparqlQuery, Operator
from ..semantics.errors import QueryWarning, UnsupportedError
from ..semantics.rdf.mappings import SolutionMapping
from ..semantics.rdf.syntax import Prologue
from ..semantics.rdf.terms import Graph
from ..semantics.streams.interval_solutions import IntervalSolution
from ..semantics.streams.items import Item
from . import interval_solutions
from .comparison import Answer, Level
from .results import JsonObject

_COMMENT = re.compile(r"#[^\n<>]*(?=\n|$)")
_LOOKS = re.compile(
    r"\}\s*(?:SEQ|EQUALS|OPTIONALSEQ|EQUALSOPTIONAL|SEQOPTIONAL)\s*\{"
    r"|\bGET(?:DURATION|STARTTIME|ENDTIME)\s*\(",
    re.IGNORECASE,
)
_RULE = re.compile(r"\bCONSTRUCT\b|\bFROM\s+STREAM\s+(?:<|[\w.-]*:)", re.IGNORECASE)
# Every SPARQL query is one of EP-SPARQL.
_SPARQL = re.compile(r"\bSELECT\b[^{}]*\{\s*(?:[?$<{\[]|_:|[\w.-]*:|\w+\s*\{)", re.IGNORECASE)
_OTHERS = re.compile(  # the first is CEQL's: its patterns stand in no braces
    r"\bWHERE\b(?!\s*\{)|\bSTREAM\s+(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)\s*\["
    r"|\bWITHIN\b|\bWINDOW\b|\bMATCH\s*\{|\bEVENT\b|\bREGISTER\b|\bDEFINE\b|\bSEQ\s*\(|\bCONSUME\b",
    re.IGNORECASE,
)

_OPERATORS = {
    Operator.SEQ: "SeqJoin (SEQ)",
    Operator.EQUALS: "EqJoin (EQUALS)",
    Operator.OPTIONALSEQ: "SeqRightJoin (OPTIONALSEQ)",
    Operator.EQUALSOPTIONAL: "EqLeftJoin (EQUALSOPTIONAL)",
    Operator.SEQOPTIONAL: "query (7) (SEQOPTIONAL, seqoptional=hypothetical)",
}


class Epsparql:
    """EP-SPARQL, as `languages.Language` asks."""

    name = "epsparql"
    title = "EP-SPARQL"
    items = "intervals"
    levels: tuple[Level, ...] = interval_solutions.LEVELS
    open_fields: tuple[str, ...] = ()
    result_fields = interval_solutions.FIELDS
    evaluation_fields: frozenset[str] = frozenset()

    def sniff(self, text: str) -> bool:
        bare = _COMMENT.sub("", text)
        if _OTHERS.search(bare) is not None:
            return False
        return any(each.search(bare) for each in (_LOOKS, _RULE, _SPARQL))

    def parse(self, text: str, *, source: str | None = None) -> EpsparqlQuery:
        from ..semantics.epsparql.parse import parse

        return parse(text, source=source)

    def print(self, query: EpsparqlQuery, prefixes: Mapping[str, str] | None = None) -> str:
        from ..semantics.epsparql.printing import to_text

        if prefixes is not None:
            query = replace(query, prologue=Prologue(prefixes=tuple(prefixes.items())))
        return to_text(query)

    def is_query(self, value: object) -> bool:
        return isinstance(value, EpsparqlQuery)

    def columns(self, query: EpsparqlQuery) -> tuple[Variable, ...]:
        from ..semantics.rdf.variables import selected_variables

        return CONSTRUCTED if query.select is None else selected_variables(query.select)

    def readings(
        self, named: Mapping[str, object], query: EpsparqlQuery | None = None
    ) -> Readings:
        readings = _readings(tuple(named.items()))
        if query is not None:
            from ..semantics.epsparql.analysis import refuse

            refuse(query, readings)
        return readings

    def reading_names(self, readings: Readings) -> Mapping[str, str]:
        return asdict(readings)

    def warnings(
        self,
        query: EpsparqlQuery,
        *,
        streams: Iterable[URIRef],
        kb: Iterable[URIRef],
        readings: Readings,
    ) -> Sequence[QueryWarning]:
        from ..semantics.epsparql.analysis import check_query

        return check_query(query, list(streams), list(kb))

    def cites(self, query: EpsparqlQuery, readings: Readings) -> tuple[str, ...]:
        from ..semantics.epsparql.analysis import operators

        used = operators(query)
        cited = [text for operator, text in _OPERATORS.items() if operator in used]
        if "OPTIONAL" in used:
            cited.append(f"LeftJoin (OPTIONAL, leftjoin={readings.leftjoin})")
        cited.append("BGP (basic graph patterns over choices of occurrences)")
        if query.rules:
            cited.append("clos_Q(S) (CONSTRUCT rules)")
        if readings.policy != "unrestricted":
            cited.append(f"RSEP-QL's Table 1 (policy={readings.policy})")
        return tuple(f"EP-SPARQL 4.2, {text}" for text in cited)

    def stream_names(self, query: EpsparqlQuery) -> Mapping[str, URIRef]:
        return {}

    def prefixes(self, query: EpsparqlQuery) -> Mapping[str, str]:
        return dict(query.prologue.prefixes)

    def evaluate(
        self,
        query: EpsparqlQuery,
        *,
        streams: Mapping[URIRef, Iterable[Item]],
        kb: Mapping[URIRef, Graph],
        readings: Readings,
        evaluation: Mapping[str, Any],
    ) -> list[IntervalSolution]:
        from ..semantics.epsparql.denotation import evaluate

        return evaluate(query, streams, kb, readings)

    def run(
        self,
        query: EpsparqlQuery,
        *,
        streams: Mapping[URIRef, Iterable[Item]],
        kb: Mapping[URIRef, Graph],
        readings: Readings,
        evaluation: Mapping[str, Any],
    ) -> Iterator[IntervalSolution]:
        from ..engine.epsparql import run

        return run(query, streams, kb, readings)

    def draw(self, query: EpsparqlQuery, readings: Readings) -> str:
        raise UnsupportedError("EP-SPARQL is not evaluated by an automaton, there is none to draw")

    def to_json(
        self, result: IntervalSolution, query: EpsparqlQuery, readings: Readings
    ) -> JsonObject:
        return interval_solutions.solution_to_json(result, self.columns(query))

    def from_json(self, written: JsonObject) -> IntervalSolution:
        return interval_solutions.solution_from_json(written, self.title)

    def answers(
        self,
        results: Iterable[IntervalSolution | Mapping[str, Any]],
        level: Level,
        *,
        partial: bool,
    ) -> list[Answer]:
        return interval_solutions.answers(results, level, title=self.title, distinct=False)

    def instants(self, query: EpsparqlQuery) -> frozenset[str]:
        return frozenset({"interval"})

    def order(self, result: IntervalSolution) -> Any:
        return interval_solutions.order(result)

    def flat_fields(self, query: EpsparqlQuery, readings: Readings) -> tuple[str, ...]:
        return interval_solutions.FLAT_FIELDS

    def flat_rows(
        self, result: IntervalSolution, query: EpsparqlQuery, readings: Readings
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        return interval_solutions.flat_rows(result)

    def result_of(self, answer: Answer) -> IntervalSolution:
        return interval_solutions.solution_of(answer)


@lru_cache(maxsize=256)
def _readings(named: tuple[tuple[str, object], ...]) -> Readings:
    return Readings.of(dict(named))


EPSPARQL = Epsparql()
