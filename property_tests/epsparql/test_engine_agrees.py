"""The main property: the production engine computes what the definitions say, and in good time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings

from denota.engine.capacities import capacities
from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.data import dictionary
from denota.oracle.judging.comparison import compare
from denota.oracle.languages.interval_solutions import answers
from denota.semantics.epsparql.syntax.strata import is_timewise, is_timewise_select
from denota.semantics.epsparql.syntax.tree import Form
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.terms import BNode
from denota.semantics.streams.merging import merge_intervals
from denota.strategies import EpsparqlCase, epsparql_cases


def outcome(
    evaluation: Callable[[], Iterable[IntervalSolution | bool]],
) -> list[IntervalSolution | bool] | str:
    try:
        return list(evaluation())
    except DenotaError as error:
        return str(error)


def assert_agree(case: EpsparqlCase) -> None:
    expected, came = outcome(case.denotation), outcome(case.matches)
    if isinstance(expected, str) or isinstance(came, str):
        assert came == expected
        return
    wanted, found = (answers(each, title="EP-SPARQL") for each in (expected, came))
    assert not compare(wanted, found, "solutions")


@settings(max_examples=300)
@given(epsparql_cases())
def test_the_engine_emits_what_the_definitions_say(case: EpsparqlCase) -> None:
    assert_agree(case)


@settings(max_examples=80)
@given(epsparql_cases())
def test_also_when_it_forgets_as_eagerly_as_it_can(case: EpsparqlCase) -> None:
    """Terms are swept, and indexes pruned, after every instant."""
    with capacities(terms=0, remembered=0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary.Dictionary, "due", property(lambda _: True))
        assert_agree(case)


def timewise(case: EpsparqlCase) -> bool:
    """Whether no later triple can take a solution back."""
    leftjoin = case.readings.leftjoin
    select = case.query.select
    if case.query.form is not Form.SELECT or case.readings.policy != "unrestricted":
        return False
    return all(is_timewise(rule.where, leftjoin) for rule in case.query.rules) and (
        select is None or is_timewise_select(select, leftjoin)
    )


@settings(max_examples=120)
@given(epsparql_cases())
def test_solutions_come_when_their_instant_has_passed(case: EpsparqlCase) -> None:
    """Of a timewise monotone query: with the first item that ends later at the latest."""
    if not timewise(case) or any(_blank(each) for each in case.denotation()):
        return
    engine = EpsparqlEngine(case.query, case.kb, case.readings)
    came: Counter[IntervalSolution] = Counter()
    so_far: list[int] = []
    for item in merge_intervals(case.streams, [each.iri for each in case.query.streams]):
        came.update(engine.feed(item))
        before = [end for end in so_far if end < item.end]
        so_far.append(item.end)
        expected = Counter(each for each in case.denotation() if before and each.end <= before[-1])
        assert expected == Counter({each: n for each, n in came.items() if each.end < item.end})
    came.update(engine.finish())
    assert came == Counter(case.denotation())


def _blank(solution: IntervalSolution) -> bool:
    return any(isinstance(term, BNode) for term in solution.mapping.values())


@settings(max_examples=100)
@given(epsparql_cases())
def test_an_item_may_be_cut_into_its_triples(case: EpsparqlCase) -> None:
    """An RDF stream is a set of occurrences: which graphs they came in means nothing, but to
    RSEP-QL."""
    if case.readings.policy != "unrestricted":
        return
    cut = case.but(streams={
        iri: tuple(
            replace(item, graph=frozenset({triple})) for item in stream for triple in item.graph
        )
        for iri, stream in case.streams.items()
    })
    expected, came = outcome(case.denotation), outcome(cut.matches)
    if isinstance(expected, str):
        return  # which rule stops first may differ
    assert not isinstance(came, str)
    wanted, found = (answers(each, title="EP-SPARQL") for each in (expected, came))
    assert not compare(wanted, found, "solutions")
