"""Questions to evaluators of SPARQL: a group graph pattern over a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, cast

from rdflib.term import URIRef

from ....semantics.model.mappings import SolutionMapping
from ....semantics.model.terms import Dataset, Graph, Triple
from ....semantics.rdf.evaluation import evaluate
from ....semantics.rdf.syntax.parse import parse_query
from ....semantics.rdf.syntax.printing import to_text
from ....semantics.rdf.syntax.tree import GroupGraphPattern, SelectQuery

Solutions: TypeAlias = Counter[SolutionMapping]
"""A bag of solution mappings."""


@dataclass(frozen=True)
class Question:
    """SELECT * over a pattern and a dataset: ⟦P⟧_D, as a bag."""

    pattern: GroupGraphPattern
    dataset: Dataset

    @cached_property
    def text(self) -> str:
        """The query that other evaluators are given."""
        return to_text(SelectQuery(None, self.pattern))

    @cached_property
    def solutions(self) -> Solutions:
        """What the definitions say."""
        return Counter(evaluate(self.pattern, self.dataset))

    @property
    def named(self) -> Mapping[URIRef, Graph]:
        """The named graphs of the dataset."""
        return cast("Mapping[URIRef, Graph]", self.dataset.named)

    def nquads(self) -> str:
        """The dataset as N-Quads, with the lexical forms as they are."""
        lines = [_quad(triple, "") for triple in self.dataset.default]
        for name, graph in self.named.items():
            lines += [_quad(triple, f" {name.n3()}") for triple in graph]
        return "\n".join(sorted(lines))

    def size(self) -> tuple[int, int]:
        """How large it is, for shrinking: the text, then the data."""
        return len(self.text), len(self.nquads()) + len(self.named)


def pattern_of(text: str) -> GroupGraphPattern:
    """The pattern of a SELECT query. Raises QueryError."""
    return parse_query(text).where or GroupGraphPattern()


def _quad(triple: Triple, graph: str) -> str:
    return " ".join(term.n3() for term in triple) + f"{graph} ."
