"""The engine's matcher finds what the definitions say: the same bag of solutions."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import Matcher, compile_pattern
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Dataset, Graph
from denota.semantics.rdf.evaluation import evaluate
from denota.semantics.rdf.syntax.tree import GroupGraphPattern
from denota.semantics.rdf.syntax.variables import possible_variables
from denota.strategies import datasets, group_graph_patterns, rdf_graphs

from ...examples import examples


def matched(pattern: GroupGraphPattern, dataset: Dataset) -> Counter[SolutionMapping]:
    matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=False)
    return bag(matcher, dataset.default)


def bag(matcher: Matcher, graph: Graph) -> Counter[SolutionMapping]:
    decode = matcher.dictionary.decode
    return Counter(
        SolutionMapping(
            (variable, decode(number))
            for variable, number in zip(matcher.columns, row, strict=True)
            if number
        )
        for row in matcher.match(graph)
    )


@examples(500)
@given(group_graph_patterns(), datasets())
def test_matcher_finds_the_bag_of_the_definitions(
    pattern: GroupGraphPattern, dataset: Dataset
) -> None:
    assert matched(pattern, dataset) == Counter(evaluate(pattern, dataset))


@examples(200)
@given(group_graph_patterns(), datasets(), st.lists(rdf_graphs(), max_size=3))
def test_forgetting_between_graphs_changes_nothing(
    pattern: GroupGraphPattern, dataset: Dataset, graphs: list[Graph]
) -> None:
    matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=False)
    for graph in (dataset.default, *graphs, dataset.default):
        assert bag(matcher, graph) == matched(pattern, Dataset(graph, dataset.named))
        matcher.dictionary.sweep()


@examples(200)
@given(group_graph_patterns(), datasets())
def test_what_is_said_of_a_pattern_holds_of_its_rows(
    pattern: GroupGraphPattern, dataset: Dataset
) -> None:
    matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=False)
    rows = matcher.match(dataset.default)
    assert set(matcher.columns) == possible_variables(pattern)
    assert matcher.solutions(dataset.default) == set(rows)
    for row in rows:
        bound = {each for each, number in zip(matcher.columns, row, strict=True) if number}
        assert matcher.certain <= bound
    if rows:
        present = {predicate for _, predicate, _ in dataset.default}
        assert {matcher.dictionary.decode(number) for number in matcher.predicates} <= present
