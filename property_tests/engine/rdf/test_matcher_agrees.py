"""The engine's matcher finds what the definitions say: the same bag of solutions."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings

from denota.engine.rdf.dictionary import Dictionary
from denota.engine.rdf.matcher import compile_pattern
from denota.oracle.strategies.sparql import datasets, group_graph_patterns
from denota.semantics.rdf.evaluation import evaluate
from denota.semantics.rdf.mappings import SolutionMapping
from denota.semantics.rdf.syntax import GroupGraphPattern
from denota.semantics.rdf.terms import Dataset


def matched(pattern: GroupGraphPattern, dataset: Dataset) -> Counter[SolutionMapping]:
    dictionary = Dictionary()
    matcher = compile_pattern(pattern, dictionary, dataset.named, defer=False)
    return Counter(
        SolutionMapping(
            (variable, dictionary.decode(number))
            for variable, number in zip(matcher.columns, row, strict=True)
            if number
        )
        for row in matcher.match(dataset.default)
    )


@settings(max_examples=500)
@given(group_graph_patterns(), datasets())
def test_matcher_finds_the_bag_of_the_definitions(
    pattern: GroupGraphPattern, dataset: Dataset
) -> None:
    assert matched(pattern, dataset) == Counter(evaluate(pattern, dataset))
