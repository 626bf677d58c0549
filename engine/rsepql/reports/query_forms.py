"""The query forms of reported answers (SPARQL 1.1 Query, 16)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from ....semantics.model.errors import Impossible
from ....semantics.model.mappings import SolutionMapping
from ....semantics.model.terms import BNode, Graph, Literal, Term, Triple, URIRef, Variable
from ....semantics.rdf.syntax.tree import (
    AskQuery,
    ConstructQuery,
    DescribeQuery,
    GroupGraphPattern,
    SelectQuery,
    SparqlQuery,
    TriplePattern,
)
from ....semantics.rsepql.syntax.results import Solutions
from ...checkpoints.state_schema import stateful
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.graphs import IndexedGraph
from ...rdf.data.layout import IdRow, Rows
from ...rdf.variables import possible

Content: TypeAlias = Solutions | bool | Graph

Everything: TypeAlias = Callable[[], Iterable[IndexedGraph]]
"""The graphs of the dataset as they are"""


def selection(form: SparqlQuery) -> SelectQuery:
    """Return the SELECT whose solutions the query form is applied to."""
    if isinstance(form, SelectQuery):
        return form
    where = form.where if form.where is not None else GroupGraphPattern()
    return SelectQuery(None, where, form.modifier, values=form.values)


@stateful(
    same=("columns",), compiled=("_form", "_dictionary", "_everything"), anew=("_decoded",)
)
class Forming:
    """QF: what a query form makes of the rows that are reported."""

    def __init__(
        self,
        form: SparqlQuery,
        columns: tuple[Variable, ...],
        dictionary: Dictionary,
        everything: Everything,
    ) -> None:
        self._form = form
        self.columns = columns
        """Those of the rows"""
        self._dictionary = dictionary
        self._everything = everything
        self._decoded: dict[IdRow, SolutionMapping] = {}

    def content(self, rows: Rows) -> Content | None:
        """Return the reported content; None if it is empty."""
        form = self._form
        if isinstance(form, AskQuery):
            return bool(rows)
        if not rows and not (isinstance(form, DescribeQuery)):
            return None
        match form:
            case SelectQuery():
                return self._solutions(rows)
            case ConstructQuery(template):
                return _constructed(template, self._solutions(rows)) or None
            case DescribeQuery():
                return self._described(form, self._solutions(rows)) or None
        raise Impossible(f"not a query form: {form!r}")

    def forget(self) -> None:
        """Clear cached ids, which may be reassigned."""
        self._decoded.clear()

    def _solutions(self, rows: Rows) -> Solutions:
        known, decode, columns = self._decoded, self._dictionary.decode_value, self.columns
        decoded: dict[IdRow, SolutionMapping] = {}
        found = []
        for row in rows:
            mu = decoded.get(row) or known.get(row)
            if mu is None:
                mu = SolutionMapping({
                    variable: decode(number)
                    for variable, number in zip(columns, row, strict=True)
                    if number
                })
            decoded[row] = mu
            found.append(mu)
        self._decoded = decoded
        return tuple(found)

    def _described(self, form: DescribeQuery, omega: Solutions) -> Graph:
        """Return the concise bounded descriptions of the resources (16.4 leaves it open)."""
        targets = form.targets
        if targets is None:
            targets = possible(form.where) if form.where is not None else ()
        waiting: set[Term] = set()
        for target in targets:
            if isinstance(target, Variable):
                values = (mu.get(target) for mu in omega)
                waiting.update(each for each in values if isinstance(each, (URIRef, BNode)))
            elif omega:
                waiting.add(target)
        encode, decode = self._dictionary.encode, self._dictionary.decode
        graphs = list(self._everything()) if waiting else []
        triples: set[Triple] = set()
        described: set[Term] = set()
        while waiting:
            resource = waiting.pop()
            described.add(resource)
            for graph in graphs:
                for s, p, o in graph.by_subject.get(encode(resource), ()):
                    value = decode(o)
                    triples.add((decode(s), decode(p), value))
                    if isinstance(value, BNode) and value not in described:
                        waiting.add(value)
        return frozenset(triples)


def _constructed(template: Iterable[TriplePattern], omega: Solutions) -> Graph:
    """Return the template once a solution, as far as that gives RDF triples (16.2)."""
    patterns = tuple(template)
    return frozenset(triple for mu in omega for triple in _instances(patterns, mu))


def _instances(
    template: tuple[TriplePattern, ...], mu: Mapping[Variable, object]
) -> Iterator[Triple]:
    fresh: dict[BNode, BNode] = {}

    def instance(part: object) -> object:
        if isinstance(part, BNode):
            return fresh.setdefault(part, BNode())
        return mu.get(part) if isinstance(part, Variable) else part

    for pattern in template:
        subject = instance(pattern.subject)
        predicate = instance(pattern.predicate)
        value = instance(pattern.object)
        if (
            isinstance(subject, (URIRef, BNode))
            and isinstance(predicate, URIRef)
            and isinstance(value, (URIRef, BNode, Literal))
        ):
            yield subject, predicate, value
