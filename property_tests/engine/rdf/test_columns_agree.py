"""Matching a batch of items finds on each what matching it alone finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.columns.matching.filter_conditions import compile_truth
from denota.engine.rdf.columns.matching.tables import Table
from denota.engine.rdf.conditions import compile_condition
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import compile_pattern
from denota.engine.tuning import SMALL, capacities
from denota.oracle.inputs.choices import strategy
from denota.oracle.inputs.sparql import question
from denota.oracle.inputs.sparql_data import DATA_NODES, LINKS, LITERALS, NODES, VARIABLES
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import Dataset, Graph, Term, URIRef
from denota.semantics.model.trees import has
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.streams.merging import StreamItem
from denota.strategies import expressions, rdf_graphs

from ...examples import examples

STREAM = URIRef("http://example.org/stream")
NAME = URIRef("http://example.org/graph")
SEEN = VARIABLES[:3]


def agree(
    pattern: s.GroupGraphPattern,
    named: Mapping[URIRef, Graph],
    graphs: list[Graph],
    cuts: list[int],
    *,
    defer: bool,
) -> None:
    """Cut into batches before the items of these numbers, the items have their own solutions."""
    matcher = compile_pattern(pattern, Dictionary(), named, defer=defer)
    whole = batch_of(
        [StreamItem(STREAM, time, 0, graph, TimeKind.INTEGER) for time, graph in enumerate(graphs)],
        matcher.dictionary,
    )
    found = []
    for begin, end in pairwise([0, *sorted(cuts), len(graphs)]):
        offsets, rows = matcher.match_columns(whole.cut(begin, end))
        assert len(offsets) == end - begin + 1
        assert rows.shape == (offsets[-1], len(matcher.columns))
        found += [Counter(map(tuple, rows[one:other].tolist())) for one, other in pairwise(offsets)]
    assert found == [Counter(matcher.match(graph)) for graph in graphs]


QUESTIONS = strategy(question)


@examples(200)
@given(QUESTIONS, st.lists(rdf_graphs(), max_size=5), st.data(), st.booleans(), st.booleans())
def test_matching_a_batch_is_matching_its_items(
    question: tuple[s.GroupGraphPattern, Dataset],
    others: list[Graph],
    data: st.DataObject,
    small: bool,
    defer: bool,
) -> None:
    pattern, dataset = question
    graphs = [dataset.default, *others]
    chosen = data.draw(st.lists(st.sampled_from(graphs), min_size=1, max_size=8))
    cuts = data.draw(st.lists(st.integers(0, len(chosen)), max_size=3))
    with capacities(SMALL if small else None, columns=0):
        agree(pattern, dataset.named, chosen, cuts, defer=defer)


def _triples(*links: s.TermOrVariable) -> SearchStrategy[s.TriplesBlock]:
    places = st.sampled_from((*SEEN, *SEEN, *NODES[:2]))
    triple = st.builds(s.TriplePattern, places, st.sampled_from((*LINKS, *links)), places)
    return st.lists(triple, min_size=1, max_size=3).map(lambda each: s.TriplesBlock(tuple(each)))


def _group(elements: SearchStrategy[s.Element]) -> SearchStrategy[s.GroupGraphPattern]:
    return st.lists(elements, max_size=3).map(lambda each: s.GroupGraphPattern(tuple(each)))


FILTERS = expressions(SEEN).filter(lambda each: not has(each, s.Exists)).map(s.Filter)
BACKGROUND = st.builds(
    s.NamedGraphPattern, st.just(NAME), _group(st.one_of(_triples(), _triples(), FILTERS))
)
PARTS = st.one_of(_triples(VARIABLES[3], SEEN[0]), FILTERS, BACKGROUND)


def _joined(inner: SearchStrategy[s.Element]) -> SearchStrategy[s.Element]:
    return st.one_of(
        PARTS,
        _group(inner).map(s.OptionalPattern),
        st.lists(_group(inner), min_size=1, max_size=2).map(
            lambda each: s.UnionPattern(tuple(each))
        ),
    )


JOINED = _joined(_joined(PARTS))


@examples(300)
@given(
    st.builds(
        lambda first, rest: s.GroupGraphPattern((first, *rest.elements)), _triples(), _group(JOINED)
    ),
    st.lists(rdf_graphs(), min_size=1, max_size=5), rdf_graphs(), st.data(), st.booleans(),
)  # fmt: skip
def test_joins_optional_parts_unions_and_background_graphs_are_those_of_its_items(
    pattern: s.GroupGraphPattern,
    graphs: list[Graph],
    background: Graph,
    data: st.DataObject,
    small: bool,
) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(graphs)), max_size=2))
    with capacities(SMALL if small else None, columns=0):
        agree(pattern, {NAME: background}, graphs, cuts, defer=False)


NUMBERS = st.recursive(
    st.sampled_from((*SEEN, *SEEN, *LITERALS[:22])),
    lambda inner: st.builds(s.Arithmetic, st.sampled_from("+-*/"), inner, inner)
    | st.builds(s.Sign, st.sampled_from("+-"), inner),
    max_leaves=4,
)
COMPARISONS = st.builds(
    s.Comparison, st.sampled_from(("=", "!=", "<", ">", "<=", ">=")), NUMBERS, NUMBERS
)
CONDITIONS = st.one_of(
    expressions(SEEN), COMPARISONS, COMPARISONS.map(s.Not),
    st.lists(COMPARISONS, min_size=2, max_size=3).map(lambda each: s.Or(tuple(each))),
).filter(lambda each: not has(each, s.Exists))  # fmt: skip
VALUES = st.one_of(st.sampled_from((*LITERALS[:22], *LITERALS, *DATA_NODES[-3:])), st.none())


@examples(500)
@given(
    CONDITIONS, st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=8), st.booleans()
)
def test_a_condition_holds_of_columns_where_it_holds_of_rows(
    condition: s.Expression, rows: list[tuple[Term | None, ...]], in_bytes: bool
) -> None:
    dictionary = Dictionary()
    if in_bytes:
        assert dictionary.interned is not None
    encode = dictionary.encode
    ids = np.array([[0 if term is None else encode(term) for term in row] for row in rows])
    columns = dict(zip(SEEN, np.ascontiguousarray(ids.T), strict=True))
    table = Table(np.arange(len(rows)), columns)
    holds = compile_condition(condition, SEEN[:2], dictionary)
    # The third is out of scope.
    told = compile_truth(condition, SEEN[:2], dictionary)
    assert told(table).tolist() == [holds(row) for row in ids.tolist()]
