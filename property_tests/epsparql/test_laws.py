"""What holds of EP-SPARQL's definitions: the principles that section 4.2 names, and algebra."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.semantics.epsparql.algebra import translate
from denota.semantics.epsparql.background import background, with_conclusions
from denota.semantics.epsparql.closure import Closure, instant_by_instant, stratified
from denota.semantics.epsparql.denotation import Active
from denota.semantics.epsparql.denotation import evaluate as evaluate_pattern
from denota.semantics.epsparql.occurrences import Occurrence, occurrences, timeless
from denota.semantics.epsparql.syntax.analysis import inferable, queried
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.epsparql.syntax.stratification import (
    Dependence,
    is_timewise,
    is_timewise_select,
    strata,
    uses,
)
from denota.semantics.epsparql.syntax.tree import Form
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.items import Item, TimeKind
from denota.semantics.model.terms import Dataset
from denota.semantics.model.trees import find
from denota.semantics.rdf.evaluation import evaluate as evaluate_sparql
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.streams.merging import interval_items, merge_intervals
from denota.strategies import EpsparqlCase, datasets, epsparql_cases, group_graph_patterns

from ..examples import examples

STREAM = "http://example.org/s"
AT = 7


@examples(150)
@given(group_graph_patterns(), datasets(), st.sampled_from(("default", "closed")))
def test_downward_compatibility(
    group: s.GroupGraphPattern, dataset: Dataset, leftjoin: str
) -> None:
    """A pattern without event operators over one instant: the bag that SPARQL 1.1 says.

    What no triple of the stream contributes to has no time. OPTIONAL is SPARQL's, or `closed`, the
    correction of EPS-1 that is timewise monotone as well.
    """
    named = {iri: timeless(graph) for iri, graph in dataset.named.items()}
    active = Active(
        frozenset(Occurrence(triple, AT, AT) for triple in dataset.default), named,
        TimeKind.INTEGER, Readings.of({"leftjoin": leftjoin}),
    )
    found = evaluate_pattern(translate(group), active)
    assert all(psi.end in (AT, float("-inf")) for psi in found)
    if leftjoin == "closed" and not _mandatory_parts_have_time(group):
        return  # what has no time is joined by OPTIONAL with nothing that has
    assert Counter(psi.mapping for psi in found) == Counter(evaluate_sparql(group, dataset))


def _mandatory_parts_have_time(group: s.GroupGraphPattern) -> bool:
    return all(
        _has_time(s.GroupGraphPattern(inner.elements[:1]))
        for inner in find(group, s.GroupGraphPattern)
        if any(isinstance(element, s.OptionalPattern) for element in inner.elements)
    )


@examples(200)
@given(epsparql_cases(), st.integers(0, 8))
def test_timewise_monotonicity(case: EpsparqlCase, t: int) -> None:
    """The solutions over what ended before t are those, of all solutions, that ended before t."""
    leftjoin = case.readings.leftjoin
    query = case.query
    if query.form is not Form.SELECT:
        return
    if not all(is_timewise(rule.where, leftjoin) for rule in query.rules):
        return
    if query.select is not None and not is_timewise_select(query.select, leftjoin):
        return
    unit = 1_000_000 if any(
        item.kind is TimeKind.DATETIME for stream in case.streams.values() for item in stream
    ) else 1
    before = case.but(streams={
        iri: tuple(item for item in stream if _end(item) < t * unit)
        for iri, stream in case.streams.items()
    })
    try:
        whole, part = case.denotation(), before.denotation()
    except DenotaError:
        return
    assert _up_to_names(part) == _up_to_names([each for each in whole if each.end < t * unit])


def _end(item: Item) -> int:
    return next(interval_items([item], s.URIRef(STREAM))).end


def _up_to_names(solutions: list[IntervalSolution]) -> Counter[object]:
    """The bag, blank nodes by nothing but being some"""
    return Counter(
        (each.interval, frozenset(
            (v, "_" if isinstance(t, s.Term.__args__[1]) else t)  # type: ignore[attr-defined]
            for v, t in each.mapping.items()
        ))
        for each in solutions
    )


@examples(150)
@given(epsparql_cases())
def test_the_closure_is_closed(case: EpsparqlCase) -> None:
    """Whatever a rule constructs over clos_Q(S) is part of it; where no rule asks for the absence
    of what rules construct, it is the smallest set like this: Ψ applied again and again to S.

    Where rules could be applied instant by instant as well, that comes to the same."""
    query, readings = case.query, case.readings
    known = background(case.kb, query.dataset, readings)
    try:
        items = list(merge_intervals(queried(query, case.streams)))
        active = Active(
            occurrences(items) | known.stream,
            {iri: timeless(graph) for iri, graph in known.named.items()},
            items[0].kind if items else TimeKind.INTEGER, readings,
        )
        ordered = strata(query.rules, readings.leftjoin, inferable(known.schema))
        closure = Closure(active, known.schema, query.rules)
        given = with_conclusions(active.stream, known.schema)
        closed = stratified(closure, active.stream, ordered)
    except DenotaError:
        return
    for stratum in ordered:
        if stratum.timewise and stratum.monotone:
            by_instants = instant_by_instant(closure, given, stratum)
            assert closure.least(given, stratum.rules) == by_instants
    everything = range(len(query.rules))
    assert not closure.step(closed, everything)
    if all(
        use.dependence is Dependence.PRESENCE
        for rule in query.rules for use in uses(rule.where, readings.leftjoin)
    ):
        assert closed == closure.least(given, everything)


def _has_time(group: s.GroupGraphPattern) -> bool:
    """Whether every solution has a time: a triple pattern that is no path stands in the group"""
    return any(
        isinstance(triple.predicate, s.URIRef)
        for element in group.elements if isinstance(element, s.TriplesBlock)
        for triple in element.triples
    )


def test_monotonicity_fails_for_the_hypothetical_operator() -> None:
    """Query (7): the corpus has the smallest witness, two triples."""
    from pathlib import Path

    import denota
    from denota.oracle.cases.case_reader import read_case

    errata = Path(denota.__file__).parent / "corpus" / "errata" / "epsparql"
    before, after = (
        read_case(errata / f"EPS-9-{when}.case.yaml").parsed().denotation()
        for when in ("before", "after")
    )
    (lost,) = before
    assert lost not in after
    with pytest.raises(DenotaError, match="SEQOPTIONAL"):
        read_case(errata / "EPS-9-before.case.yaml").but(readings=Readings()).denotation()
