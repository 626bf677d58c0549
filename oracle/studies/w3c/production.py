"""Whole SPARQL queries on the production engine's matcher: the W3C's tests judge it as well.

The matcher answers the query's pattern with its modifiers, as one sub-select. What is left is not
matching and is taken from the definitions: which graphs FROM names, what a template makes of the
solutions.
"""

from __future__ import annotations

from collections.abc import Mapping

from rdflib.term import URIRef

from ....engine.rdf.data.dictionary import Dictionary
from ....engine.rdf.matcher import compile_pattern
from ....semantics.model.errors import UnsupportedError
from ....semantics.model.mappings import SolutionMapping
from ....semantics.model.terms import Dataset, Graph
from ....semantics.rdf.queries import QueryResult, SelectResult, construct, described_dataset
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.rdfs import Entailment
from ....semantics.rdf.syntax.variables import selected_variables


def evaluate_with_matcher(
    query: s.SparqlQuery, dataset: Dataset, graphs: Mapping[URIRef, Graph] | None = None
) -> QueryResult:
    """The result of a query, as `semantics.rdf.queries.evaluate_query`, found by the engine.

    Raises UnsupportedError for DESCRIBE, which matches nothing but what it describes.
    """
    if query.dataset is not None:
        dataset = described_dataset(query.dataset, dataset.named if graphs is None else graphs)
    base = query.prologue.base
    match query:
        case s.SelectQuery():
            return SelectResult(selected_variables(query), tuple(_solutions(query, dataset, base)))
        case s.AskQuery():
            return bool(_solutions(_selected(query), dataset, base))
        case s.ConstructQuery(template):
            return construct(template, _solutions(_selected(query), dataset, base))
    raise UnsupportedError("DESCRIBE is not for the matcher to answer")


def entail_with_engine(graph: Graph, entailment: Entailment) -> Graph:
    """What a graph entails, as `semantics.rdf.entailment.entailed`, found by the engine."""
    dictionary = Dictionary()
    decode = dictionary.decode
    triples = dictionary.background(graph, entailment).triples
    return frozenset((decode(s), decode(p), decode(o)) for s, p, o in triples)


def _selected(query: s.AskQuery | s.ConstructQuery) -> s.SelectQuery:
    return s.SelectQuery(None, query.where, query.modifier, values=query.values)


def _solutions(query: s.SelectQuery, dataset: Dataset, base: str | None) -> list[SolutionMapping]:
    dictionary = Dictionary(base)
    pattern = s.GroupGraphPattern((s.SubSelect(query),))
    matcher = compile_pattern(pattern, dictionary, dataset.named, defer=False)  # type: ignore[arg-type]
    return [
        SolutionMapping(
            (variable, dictionary.decode_value(number))
            for variable, number in zip(matcher.columns, row, strict=True)
            if number
        )
        for row in matcher.match(dataset.default)
    ]
