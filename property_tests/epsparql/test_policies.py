"""Detection policies: oracle = engine, and Table 1 of the RSEP-QL paper by the translation."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import URIRef

from denota.engine.epsparql import run
from denota.semantics.epsparql.queries import evaluate
from denota.semantics.epsparql.syntax.readings import Policy, Readings
from denota.semantics.epsparql.syntax.to_rsepql import to_rsepql
from denota.semantics.epsparql.syntax.tree import EpsparqlQuery, Operator, TemporalPattern
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import URIRef as Iri
from denota.semantics.model.terms import literal
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rsepql.denotation import evaluate as evaluate_rsepql
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.tree import Moment
from denota.strategies import epsparql_streams

from ..examples import examples

STREAM = URIRef("http://example.org/s")
X, Y, Z = map(s.Variable, "xyz")
P, Q = Iri("http://example.org/p"), Iri("http://example.org/q")

ONE = literal("1", "http://www.w3.org/2001/XMLSchema#integer")

PATTERNS = st.sampled_from([
    s.TriplePattern(X, P, Y), s.TriplePattern(Y, P, Z), s.TriplePattern(X, P, X),
    s.TriplePattern(Y, Q, s.Variable("n")), s.TriplePattern(X, Q, s.Variable("n")),
])
SMALL = st.sampled_from([
    s.Comparison("=", s.Variable("n"), ONE), s.BuiltIn("ISIRI", (Y,)),
    s.Comparison("<", s.BuiltIn("GETDURATION", ()), s.Variable("n")),
])
POLICIES: st.SearchStrategy[Policy] = st.sampled_from(("chronological", "recent"))


def _event(triple: s.TriplePattern) -> s.GroupGraphPattern:
    return s.GroupGraphPattern((s.TriplesBlock((triple,)),))


@st.composite
def sequences(draw: DrawFn, *, filtered: bool = True) -> EpsparqlQuery:
    """Sequences of two or three patterns of one triple, in either association"""
    parts = [_event(draw(PATTERNS)) for _ in range(draw(st.sampled_from((2, 2, 3))))]
    while len(parts) > 1:
        at = draw(st.integers(0, len(parts) - 2))
        both = TemporalPattern((parts[at], parts[at + 1]), Operator.SEQ)
        parts[at : at + 2] = [s.GroupGraphPattern((both,))]
    elements = parts[0].elements
    if filtered and draw(st.booleans()):
        elements += (s.Filter(draw(SMALL)),)
    return EpsparqlQuery(s.SelectQuery(None, s.GroupGraphPattern(elements)))


def points(stream: object) -> tuple[TimestampedGraph, ...]:
    assert isinstance(stream, tuple)
    return tuple(
        TimestampedGraph(getattr(item, "time", None) or getattr(item, "end", 0), item.graph)
        for item in stream
    )


INSTANTS = epsparql_streams().map(points)


@examples(150)
@given(sequences(), INSTANTS, POLICIES)
def test_the_engine_detects_what_the_definitions_say(
    query: EpsparqlQuery, stream: tuple[TimestampedGraph, ...], policy: Policy
) -> None:
    readings = Readings(policy=policy)
    expected = evaluate(query, {STREAM: stream}, readings=readings)
    assert Counter(run(query, {STREAM: stream}, readings=readings)) == Counter(expected)


@examples(80)
@given(sequences(), INSTANTS, POLICIES)
def test_what_a_policy_detects_is_a_solution(
    query: EpsparqlQuery, stream: tuple[TimestampedGraph, ...], policy: Policy
) -> None:
    detected = Counter(evaluate(query, {STREAM: stream}, readings=Readings(policy=policy)))
    assert detected <= Counter(evaluate(query, {STREAM: stream}))


@examples(60)
@given(sequences(filtered=False), INSTANTS)
def test_table_1_row_1(query: EpsparqlQuery, stream: tuple[TimestampedGraph, ...]) -> None:
    """Unrestricted = landmark + SEQ: the mappings at the last instant, as sets of intervals."""
    first, last = stream[0].time, stream[-1].time
    translated = to_rsepql(query, "unrestricted", STREAM, Moment(first))
    answers = list(
        evaluate_rsepql(translated, {STREAM: stream}, evaluation=Evaluation(at=(last,)))
    )
    found = [mu for answer in answers for mu in answer.content]  # type: ignore[union-attr]
    expected = set(evaluate(query, {STREAM: stream}))
    assert Counter(found) == Counter(each.mapping for each in expected)
