"""EP-SPARQL as the oracle sees it: the one entry by which the language plugs in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from rdflib.term import Variable

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.results import CONSTRUCTED
from ....semantics.epsparql.syntax.tree import (
    END_TIME,
    START_TIME,
    EpsparqlQuery,
    Form,
    Operator,
    TemporalPattern,
)
from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax.tree import Bind, BuiltIn, OptionalPattern, Projection
from ...checking.levels import BOOLEAN, Level
from ..base import Inputs, Pattern
from ..rdf_languages import IntervalLanguage

if TYPE_CHECKING:
    from ....engine.checkpoints.streaming_query import StreamingQuery
    from ....engine.rdf.data.dictionary import Dictionary
_OPERATORS = {
    Operator.SEQ: "SeqJoin (SEQ)",
    Operator.EQUALS: "EqJoin (EQUALS)",
    Operator.OPTIONALSEQ: "SeqRightJoin (OPTIONALSEQ)",
    Operator.EQUALSOPTIONAL: "EqLeftJoin (EQUALSOPTIONAL)",
    Operator.SEQOPTIONAL: "query (7) (SEQOPTIONAL, seqoptional=hypothetical)",
}


class Epsparql(IntervalLanguage[EpsparqlQuery, Readings]):
    """EP-SPARQL, as `registry.Language` asks."""

    name = "epsparql"
    title = "EP-SPARQL"
    query_type = EpsparqlQuery
    readings_type = Readings
    sets: tuple[Level, ...] = ()
    result_fields = frozenset({"interval", "solution", "boolean"})
    evaluation_fields: frozenset[str] = frozenset()

    def columns(self, query: EpsparqlQuery) -> tuple[Variable, ...]:
        from ....semantics.rdf.syntax.variables import selected_variables

        if query.form is Form.ASK:
            return (BOOLEAN,)
        if query.select is None or query.form is Form.DESCRIBE:
            return CONSTRUCTED
        return selected_variables(query.select)

    def instant_variables(self, query: EpsparqlQuery) -> frozenset[Variable]:
        """Return the variables that getSTARTTIME() or getENDTIME() binds."""
        return frozenset(
            each.variable for each in find(query, Bind, Projection)
            if isinstance(each.expression, BuiltIn)
            and each.expression.name in (START_TIME, END_TIME)
        )

    def flat_fields(self, query: EpsparqlQuery, readings: Readings) -> tuple[str, ...]:
        return () if query.form is Form.ASK else super().flat_fields(query, readings)

    def readings(
        self, named: str | Mapping[str, object], query: EpsparqlQuery | None = None
    ) -> Readings:
        readings = super().readings(named)
        if query is not None:
            from ....semantics.epsparql.syntax.analysis import refuse

            refuse(query, readings)
        return readings

    def streams_read(self, query: EpsparqlQuery) -> Collection[str] | None:
        return {clause.iri for clause in query.streams} or None

    def cites(self, query: EpsparqlQuery, readings: Readings) -> tuple[str, ...]:
        used = {each.operator for each in find(query, TemporalPattern)}
        cited = [text for operator, text in _OPERATORS.items() if operator in used]
        if has(query, OptionalPattern):
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
        self, query: EpsparqlQuery, **inputs: Unpack[Inputs]
    ) -> list[IntervalSolution] | list[bool]:
        from ....semantics.epsparql.queries import evaluate

        return evaluate(query, inputs["streams"], inputs["kb"], inputs["readings"])

    def patterns(self, query: EpsparqlQuery) -> list[Pattern]:
        """Return the patterns that items are matched with, in the order of the text."""
        from ....semantics.rdf.syntax.tree import (
            Exists,
            GroupGraphPattern,
            MinusPattern,
            NamedGraphPattern,
            TriplePattern,
            TriplesBlock,
            UnionPattern,
        )
        from ...explanations.pattern_counts import pattern_text

        elsewhere = (MinusPattern, NamedGraphPattern, Exists)
        wheres = [rule.where for rule in query.rules]
        wheres += [query.select.where] if query.select is not None else []
        needed = set(find(tuple(wheres), TriplePattern, but=(*elsewhere, OptionalPattern)))
        unions = [u for u in find(tuple(wheres), UnionPattern) if type(u) is UnionPattern]
        either = [u for u in unions if len(u.alternatives) > 1]
        needed -= set(find(tuple(either), TriplePattern))
        made = {triple.predicate for rule in query.rules for triple in rule.template}
        return [
            Pattern(
                pattern_text(triple, self.prefixes(query)), None,
                GroupGraphPattern((TriplesBlock((triple,)),)), triple not in needed,
            )
            for triple in dict.fromkeys(find(tuple(wheres), TriplePattern, but=elsewhere))
            if triple.predicate not in made
        ]

    def run(
        self, query: EpsparqlQuery, **inputs: Unpack[Inputs]
    ) -> Iterator[IntervalSolution | bool]:
        from ....engine.epsparql import run

        return run(query, inputs["streams"], inputs["kb"], inputs["readings"])

    def running(
        self, query: EpsparqlQuery, dictionaries: Sequence[Dictionary] = (),
        **inputs: Unpack[Inputs],
    ) -> StreamingQuery:
        from ....engine.epsparql.streaming_query import EpsparqlStreamingQuery

        return EpsparqlStreamingQuery(query, inputs["kb"], inputs["readings"], dictionaries)


LANGUAGE = Epsparql()
