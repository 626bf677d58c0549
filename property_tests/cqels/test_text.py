"""Text that only CQELS-CEP has: patterns without braces in a sequence, and nested paths."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef, Variable

from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.cqels.syntax.printing import to_text
from denota.semantics.cqels.syntax.tree import CqelsQuery, TripleSequence
from denota.semantics.model.trees import find
from denota.semantics.rdf.syntax import printing as rdf
from denota.semantics.rdf.syntax import tree as s
from denota.strategies import cqels_queries, paths

from ..examples import examples

_IRIS = st.sampled_from([URIRef(f"http://example.org/{name}") for name in "abc"])


def nested(inner: st.SearchStrategy[s.Path]) -> st.SearchStrategy[s.Path]:
    """Everything that paths of CQELS-CEP are made of."""
    axes = st.sampled_from(s.Axis)
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(s.NestedPath, inner, inner),
        st.builds(s.NodeTest, inner, st.none() | _IRIS),
        st.builds(s.AxisPath, axes, st.booleans(), _IRIS),
        st.builds(s.AxisPath, axes, st.booleans(), st.none(), inner),
        st.builds(s.AxisPath, axes, st.booleans()),
        st.builds(s.InversePath, inner),
        st.builds(s.OneOrMorePath, inner),
        st.builds(s.ZeroOrMorePath, inner),
        st.builds(s.ZeroOrOnePath, inner),
        st.builds(s.AlternativePath, several),
        st.builds(s.SequencePath, several),
    )


@examples(200)
@given(cqels_queries())
def test_plain_patterns_of_a_sequence_are_read_without_braces(query: CqelsQuery) -> None:
    """Section 3.1: TrTemp"""
    bare = replace(query, prologue=s.Prologue())
    text = to_text(bare)
    for sequence in find(query.where, TripleSequence):
        for element in sequence.elements:
            match element.pattern.elements:
                case (s.TriplesBlock(triples),) if triples:
                    group = rdf.to_text(element.pattern)
                    text = text.replace(f"{group},", f"{group[1:-1]},")
                    text = text.replace(f"{group})", f"{group[1:-1]})")
    assert parse(text) == query


@examples(300)
@given(st.recursive(_IRIS | paths(), nested, max_leaves=6))
def test_every_path_is_read_back(path: s.Path) -> None:
    triple = s.TriplePattern(Variable("x"), path, Variable("y"))
    where = s.GroupGraphPattern((s.TriplesBlock((triple,)),))
    query = CqelsQuery(None, (), where)
    assert parse(to_text(query)) == query
