"""Laws of CQELS-CEP's operators, windows and paths."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st
from rdflib.term import URIRef, Variable

from denota.oracle.languages.cqels.features import CqelsCase
from denota.semantics.cqels.denotation import clauses_and_pattern, where
from denota.semantics.cqels.event_clauses import printed, translated
from denota.semantics.cqels.operators import (
    Omega,
    join,
    minus,
    no_head,
    no_tail,
    or_,
    seq,
    seq_wo,
)
from denota.semantics.cqels.queries import contexts, evaluate
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.cqels.syntax.readings import Readings
from denota.semantics.cqels.syntax.tree import Span
from denota.semantics.model.interval_solutions import IntervalSolution, Reported
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.temporal_graphs import TemporalGraph
from denota.semantics.model.terms import Graph
from denota.semantics.model.trees import find
from denota.semantics.rdf.evaluation import nodes, pairs, solutions
from denota.semantics.rdf.nested_regex import navigates, relation
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rdf.syntax.parse import parse_query
from denota.semantics.rdf.syntax.printing import to_text
from denota.semantics.rsepql.syntax.tree import StreamOperator
from denota.strategies import cqels_cases, navigations, paths, rdf_graphs

from ..examples import examples

_TERMS = st.sampled_from([URIRef("urn:a"), URIRef("urn:b")])
_MAPPINGS = st.dictionaries(
    st.sampled_from([Variable(name) for name in "xyz"]), _TERMS, max_size=2
).map(SolutionMapping)


@st.composite
def interval_solutions(draw: st.DrawFn) -> IntervalSolution:
    start = draw(st.integers(0, 6))
    return IntervalSolution(start, start + draw(st.integers(0, 3)), draw(_MAPPINGS))


omegas = st.frozensets(interval_solutions(), max_size=4)


@given(omegas, omegas, omegas)
def test_join_and_or(one: Omega, two: Omega, three: Omega) -> None:
    assert join(one, two) == join(two, one)
    assert join(join(one, two), three) == join(one, join(two, three))
    assert join(one, or_(two, three)) == or_(join(one, two), join(one, three))


@given(omegas, omegas, omegas)
def test_seq(one: Omega, two: Omega, three: Omega) -> None:
    assert seq(seq(one, two), three) == seq(one, seq(two, three))
    assert seq(one, or_(two, three)) == or_(seq(one, two), seq(one, three))


@given(omegas, omegas, omegas, st.integers(0, 12))
def test_negation_only_takes_away(one: Omega, two: Omega, three: Omega, t: int) -> None:
    closed, open_ = seq_wo(one, two, three, "closed"), seq_wo(one, two, three, "open")
    assert closed <= open_ <= seq(one, three)
    assert seq_wo(one, frozenset(), three, "closed") == seq(one, three)
    assert no_head(one, two) <= two
    assert no_tail(two, three, t + 1) <= no_tail(two, three, t) <= two
    assert minus(one, two) <= one


# --- paths ---------------------------------------------------------------------------------------


@examples(300)
@given(paths(), rdf_graphs())
def test_a_path_without_nesting_is_sparqls(path: s.Path, graph: Graph) -> None:
    """The same tree by either grammar, and over the background SPARQL's solutions."""
    text = f"{{ ?x {to_text(path)} ?y }}"
    query, sparql = parse(f"SELECT * WHERE {text}"), parse_query(f"SELECT * WHERE {text}")
    assert query.where == sparql.where
    assert sparql.where is not None
    found = evaluate(query, {}, {URIRef("urn:g"): graph}, at=[1])
    assert {each.mapping for each in found} == solutions(sparql.where, graph)
    assert {each.interval for each in found} <= {(0, 1)}


@examples(300)
@given(paths(), rdf_graphs())
def test_a_path_is_a_nested_regular_expression(path: s.Path, graph: Graph) -> None:
    """On subjects and objects the two agree; beyond them only zero-length paths are found."""
    by_sparql = set(pairs(graph, path, None, None))
    by_nsparql = relation(graph, path)
    inside = nodes(graph)
    assert {(x, y) for x, y in by_nsparql if x in inside and y in inside} == by_sparql
    assert all(x == y for x, y in by_nsparql - by_sparql)


@examples(200)
@given(navigations(), navigations(), rdf_graphs())
def test_a_test_is_a_path_that_is_not_taken(one: s.Path, two: s.Path, graph: Graph) -> None:
    onward = {x for x, _ in relation(graph, two)}
    tested = relation(graph, s.NestedPath(one, two))
    assert tested == {(x, y) for x, y in relation(graph, one) if y in onward}
    assert tested == relation(graph, s.SequencePath((one, s.NodeTest(two))))
    if not navigates(one) and not navigates(two):
        assert set(pairs(graph, s.NestedPath(one, two), None, None)) <= tested


@examples(200)
@given(navigations(), rdf_graphs())
def test_inverses(path: s.Path, graph: Graph) -> None:
    backward = {(y, x) for x, y in relation(graph, path)}
    assert relation(graph, s.InversePath(path)) == backward


# --- queries -------------------------------------------------------------------------------------


def plain(case: CqelsCase, operator: StreamOperator | None = None) -> CqelsCase:
    """The case with SELECT, under this operator."""
    return case.but(query=replace(case.query, template=None, operator=operator, output=None))


@examples(200)
@given(cqels_cases())
def test_what_operators_report_adds_up(case: CqelsCase) -> None:
    """At each time the answer is the one before, without what DSTREAM and with what ISTREAM
    reports; and all answers together are what is reported without an operator."""
    told: dict[StreamOperator, dict[int, set[object]]] = {}
    for operator in StreamOperator:
        told[operator] = defaultdict(set)
        for each in plain(case, operator).denotation():
            assert isinstance(each, Reported)
            told[operator][each.time].add(each.element)
    answer: set[object] = set()
    for t in sorted({t for times in told.values() for t in times}):
        gone, new = told[StreamOperator.DSTREAM][t], told[StreamOperator.ISTREAM][t]
        assert gone <= answer
        assert not new & answer
        answer = answer - gone | new
        assert answer == told[StreamOperator.RSTREAM][t]
    assert plain(case).denotation() == set().union(*told[StreamOperator.RSTREAM].values())


@examples(200)
@given(cqels_cases())
def test_a_stream_that_nobody_names_changes_nothing(case: CqelsCase) -> None:
    case = plain(case)
    if not case.query.windows:
        return
    noise = (TimestampedGraph(3, frozenset()), TimestampedGraph(5, frozenset()))
    streams = {**case.streams, URIRef("urn:noise"): noise}
    kinds = {item.kind for stream in case.streams.values() for item in stream}
    kinds |= {span.kind for span in find(case.query, Span)}
    kinds |= {graph.kind for graph in case.kb.values() if isinstance(graph, TemporalGraph)}
    if kinds <= {noise[0].kind} and case.at is None:
        assert case.but(streams=streams).denotation() == case.denotation()


@examples(200)
@given(cqels_cases())
def test_the_times_are_evaluated_one_by_one(case: CqelsCase) -> None:
    case = plain(case)
    if case.at is None:
        return
    apart = [case.but(evaluation={"at": [t]}).denotation() for t in case.at]
    assert case.denotation() == frozenset().union(*apart)


@examples(200)
@given(cqels_cases())
def test_where_extends_the_joins_of_cases_1_and_2(case: CqelsCase) -> None:
    pattern = translated(case.query)
    assume(printed(pattern) is not None)
    for context in contexts(case.query, case.streams, case.kb, case.readings, case.at):
        assert clauses_and_pattern(pattern, context) == where(pattern, context)


@examples(200)
@given(cqels_cases())
def test_open_allows_what_closed_allows(case: CqelsCase) -> None:
    """As far as nothing takes away what a sequence gives."""
    case = plain(case)
    if any(isinstance(e, s.OptionalPattern | s.MinusPattern) for e in case.query.where.elements):
        return
    closed = case.but(readings=Readings(inside="closed")).denotation()
    assert closed <= case.but(readings=Readings(inside="open")).denotation()


