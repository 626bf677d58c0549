"""EP-SPARQL as the oracle sees it: the one entry by which the language plugs in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rdflib.term import URIRef, Variable

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.results import CONSTRUCTED
from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Form, Operator
from ....semantics.model.errors import QueryWarning
from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.items import Item
from ....semantics.model.terms import Graph
from ...judging.comparison import BOOLEAN, Level
from ..intervals import IntervalLanguage

_OPERATORS = {
    Operator.SEQ: "SeqJoin (SEQ)",
    Operator.EQUALS: "EqJoin (EQUALS)",
    Operator.OPTIONALSEQ: "SeqRightJoin (OPTIONALSEQ)",
    Operator.EQUALSOPTIONAL: "EqLeftJoin (EQUALSOPTIONAL)",
    Operator.SEQOPTIONAL: "query (7) (SEQOPTIONAL, seqoptional=hypothetical)",
}


class Epsparql(IntervalLanguage[EpsparqlQuery, Readings]):
    """EP-SPARQL, as `languages.Language` asks."""

    name = "epsparql"
    title = "EP-SPARQL"
    query_type = EpsparqlQuery
    readings_type = Readings
    sets: tuple[Level, ...] = ()
    result_fields = frozenset({"interval", "solution", "boolean"})
    evaluation_fields: frozenset[str] = frozenset()

    def parse(self, text: str, *, source: str | None = None) -> EpsparqlQuery:
        from ....semantics.epsparql.syntax.parse import parse

        return parse(text, source=source)

    def print(self, query: EpsparqlQuery, prefixes: Mapping[str, str] | None = None) -> str:
        from ....semantics.epsparql.syntax.printing import to_text

        return to_text(self.with_prefixes(query, prefixes))

    def columns(self, query: EpsparqlQuery) -> tuple[Variable, ...]:
        from ....semantics.rdf.syntax.variables import selected_variables

        if query.form is Form.ASK:
            return (BOOLEAN,)
        if query.select is None or query.form is Form.DESCRIBE:
            return CONSTRUCTED
        return selected_variables(query.select)

    def flat_fields(self, query: EpsparqlQuery, readings: Readings) -> tuple[str, ...]:
        return () if query.form is Form.ASK else super().flat_fields(query, readings)

    def readings(
        self, named: Mapping[str, object], query: EpsparqlQuery | None = None
    ) -> Readings:
        readings = super().readings(named)
        if query is not None:
            from ....semantics.epsparql.syntax.analysis import refuse

            refuse(query, readings)
        return readings

    def streams_read(self, query: EpsparqlQuery) -> Collection[str] | None:
        return {clause.iri for clause in query.streams} or None

    def warnings(
        self,
        query: EpsparqlQuery,
        *,
        streams: Iterable[URIRef],
        kb: Iterable[URIRef],
        readings: Readings,
    ) -> Sequence[QueryWarning]:
        from ....semantics.epsparql.syntax.analysis import check_query

        return check_query(query, list(streams), list(kb))

    def cites(self, query: EpsparqlQuery, readings: Readings) -> tuple[str, ...]:
        from ....semantics.epsparql.syntax.analysis import operators

        used = operators(query)
        cited = [text for operator, text in _OPERATORS.items() if operator in used]
        if "OPTIONAL" in used:
            cited.append(f"LeftJoin (OPTIONAL, leftjoin={readings.leftjoin})")
        cited.append("BGP (basic graph patterns over choices of occurrences)")
        if query.rules:
            cited.append("clos_Q(S) (CONSTRUCT rules)")
        if query.form is not Form.SELECT:
            cited.append(f"downward compatibility ({query.form})")
        if readings.policy != "unrestricted":
            cited.append(f"RSEP-QL's Table 1 (policy={readings.policy})")
        return tuple(f"EP-SPARQL 4.2, {text}" for text in cited)

    def evaluate(
        self,
        query: EpsparqlQuery,
        *,
        streams: Mapping[URIRef, Iterable[Item]],
        kb: Mapping[URIRef, Graph],
        readings: Readings,
        evaluation: Mapping[str, Any],
    ) -> list[IntervalSolution] | list[bool]:
        from ....semantics.epsparql.denotation import evaluate

        return evaluate(query, streams, kb, readings)

    def run(
        self,
        query: EpsparqlQuery,
        *,
        streams: Mapping[URIRef, Iterable[Item]],
        kb: Mapping[URIRef, Graph],
        readings: Readings,
        evaluation: Mapping[str, Any],
    ) -> Iterator[IntervalSolution | bool]:
        from ....engine.epsparql import run

        return run(query, streams, kb, readings)


LANGUAGE = Epsparql()
