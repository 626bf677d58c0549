"""Cases of EP-SPARQL that have a meaning: queries on streams that they often match."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

from rdflib.term import Variable

from .....semantics.epsparql.syntax.analysis import refuse
from .....semantics.epsparql.syntax.readings import Policy, Readings
from .....semantics.epsparql.syntax.strata import strata
from .....semantics.epsparql.syntax.tree import EpsparqlQuery, Operator, TemporalPattern
from .....semantics.model.errors import QueryError, ReadingError
from .....semantics.model.items import IntervalGraph, TimeKind, TimestampedGraph
from .....semantics.model.trees import changed, find
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.rdfs import TYPE
from ....inputs.choices import Choices
from ....inputs.instances import Usual
from ....inputs.vocabulary import BACKGROUNDS, KNOWN
from ..bounded_work import affordable
from ..case import EpsparqlCase
from .background import background
from .patterns import Shape
from .queries import query_of
from .streams import block_sizes, streams_of


def _all_readings() -> tuple[Readings, ...]:
    """The defaults, one other value, or two; as often as they are drawn"""
    fields = {
        field: values for field, values in Readings.choices().items()
        if field not in ("policy", "seqoptional")
    }
    others = [(field, value) for field, values in fields.items() for value in values[1:]]
    single = [Readings.of({field: value}) for field, value in others]
    double = [
        Readings.of({one[0]: one[1], other[0]: other[1]})
        for one, other in combinations(others, 2) if one[0] != other[0]
    ]
    return (*[Readings()] * 2 * len(single), *single * 4, *double)


_READINGS = ("epsparql/readings", _all_readings())


def readings(choices: Choices) -> Readings:
    """Draw readings, mostly the default of each."""
    return choices.among(*_READINGS)


def case(choices: Choices, asked: EpsparqlQuery | None = None) -> EpsparqlCase:
    """Draw a query, unless one is given, with streams that it often matches, and readings."""
    kind = TimeKind.INTEGER
    if asked is None:
        kind = choices.among("epsparql/kind", (TimeKind.INTEGER,) * 5 + (TimeKind.DATETIME,))
    shape = Shape(kind)
    query = query_of(choices, shape) if asked is None else asked
    read = readings(choices)
    if asked is None and choices.among(*_SEQOPTIONAL) == "hypothetical":
        query = changed(query, _argued_against)
        read = replace(read, seqoptional="hypothetical")
    if max(block_sizes(query), default=0) > 3:
        # Each choice of each triple counts: there are too many of them.
        read = replace(read, occurrences="some")
    usual: Usual = {
        named.name: BACKGROUNDS[0] for named in find(query, s.NamedGraphPattern)
        if isinstance(named.name, Variable)
    }
    kb = background(choices, query, usual)
    streams = streams_of(choices, query, shape, usual)
    made = EpsparqlCase(_stratified(query, read, bool(kb)), streams, kb, read)
    policies: tuple[Policy, ...] = (
        "unrestricted", "unrestricted", "chronological", "recent"
    )
    return _under_policy(_bounded(made), choices.among("epsparql/policy", policies))


_SEQOPTIONAL = ("epsparql/seqoptional", ("refused",) * 9 + ("hypothetical",))


def _argued_against(part: Any) -> Any:
    """SEQOPTIONAL in the place of OPTIONALSEQ"""
    if isinstance(part, TemporalPattern) and part.operator is Operator.OPTIONALSEQ:
        optional, mandatory = part.alternatives
        return replace(
            part, alternatives=(mandatory, optional), operator=Operator.SEQOPTIONAL
        )
    return part


def _bounded(case: EpsparqlCase) -> EpsparqlCase:
    """The case without the last items where the definitions would have too much to do."""
    while not affordable(case) and any(len(stream) > 1 for stream in case.streams.values()):
        longest = max(case.streams, key=lambda name: len(case.streams[name]))
        kept = 4 * len(case.streams[longest]) // 5
        case = case.but(streams={**case.streams, longest: case.streams[longest][:kept]})
    return case


def _under_policy(case: EpsparqlCase, policy: Policy) -> EpsparqlCase:
    """The case under a policy and at instants, if it is what a policy is about"""
    if policy == "unrestricted":
        return case
    asked = case.but(readings=replace(case.readings, policy=policy))
    try:
        refuse(asked.query, asked.readings)
    except ReadingError:
        return case
    return asked.but(streams={
        iri: tuple(
            TimestampedGraph(item.end, item.graph, item.kind)
            if isinstance(item, IntervalGraph) else item
            for item in stream
        )
        for iri, stream in case.streams.items()
    })


def _stratified(query: EpsparqlQuery, readings: Readings, known: bool) -> EpsparqlQuery:
    """The query with as many of its rules as have a closure."""
    inferable = frozenset({TYPE, KNOWN}) if known else frozenset()
    rules = query.rules
    while rules:
        try:
            strata(rules, readings.leftjoin, inferable)
            break
        except QueryError:
            rules = rules[:-1]
    if not rules and query.select is None:
        select = s.SelectQuery(None, query.rules[0].where)
        return replace(query, select=select, rules=())
    return replace(query, rules=rules)
