"""Matching a batch of items finds on each what matching it alone finds."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.capacities import SMALL, capacities
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import compile_pattern
from denota.oracle.fuzzing.strategies.sparql import questions
from denota.oracle.fuzzing.strategies.sparql_data import rdf_graphs
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import Dataset, Graph, URIRef
from denota.semantics.rdf.syntax.tree import GroupGraphPattern
from denota.semantics.streams.merging import StreamItem

STREAM = URIRef("http://example.org/stream")


@settings(max_examples=300)
@given(questions(), st.lists(rdf_graphs(), max_size=5), st.data(), st.booleans(), st.booleans())
def test_matching_a_batch_is_matching_its_items(
    question: tuple[GroupGraphPattern, Dataset],
    others: list[Graph],
    data: st.DataObject,
    small: bool,
    defer: bool,
) -> None:
    pattern, dataset = question
    graphs = [dataset.default, *others]
    order = data.draw(st.lists(st.sampled_from(range(len(graphs))), min_size=1, max_size=8))
    chosen = [graphs[each] for each in order]
    cuts = data.draw(st.lists(st.sampled_from(range(len(chosen) + 1)), max_size=3).map(sorted))
    with capacities(SMALL if small else None, columns=0):
        matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=defer)
        whole = batch_of(
            [
                StreamItem(STREAM, time, 0, graph, TimeKind.INTEGER)
                for time, graph in enumerate(chosen)
            ],
            matcher.dictionary,
        )
        found = []
        for begin, end in zip([0, *cuts], [*cuts, len(chosen)], strict=True):
            offsets, rows = matcher.match_columns(whole.cut(begin, end))
            assert len(offsets) == end - begin + 1
            assert rows.shape == (offsets[-1], len(matcher.columns))
            found += [
                Counter(map(tuple, rows[first:last].tolist()))
                for first, last in pairwise(offsets)
            ]
        assert found == [Counter(matcher.match(graph)) for graph in chosen]
