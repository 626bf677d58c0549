"""The matcher of one graph pattern: from a graph to rows of term ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...semantics.model.terms import Graph, URIRef
from ...semantics.rdf.syntax.rdfs import Entailment
from ...semantics.rdf.syntax.tree import (
    Element,
    Expression,
    GroupGraphPattern,
    TriplesBlock,
    UnionPattern,
)
from ..tuning import IN_USE
from .data.dictionary import Dictionary
from .data.graphs import IndexedGraph
from .data.layout import IdRow, Layout, Rows, rearrange
from .groups import GroupCompiler
from .joins import split
from .variables import expression_variables, possible

if TYPE_CHECKING:
    from .columns.batch import GraphBatch, Matched

_NO_GRAPHS: Mapping[URIRef, Graph] = MappingProxyType({})


class Matcher:
    """A graph pattern compiled for one dictionary and one set of named graphs.

    `columns` are the possible variables, in the order of the rows; `certain` those that every row
    binds; `deferred` the filter conjuncts that are the caller's to evaluate; `predicates` the ids
    of those without which a graph has no match. Not for concurrent use.
    """

    __slots__ = (
        "_arrange", "_by_columns", "_group", "_named", "_names", "_step", "certain", "columns",
        "deferred", "dictionary", "predicates",
    )

    def __init__(
        self,
        group: GroupGraphPattern,
        dictionary: Dictionary,
        named: Mapping[URIRef, Graph],
        defer: bool,
        entailment: Entailment,
    ) -> None:
        elements, conditions = split(group)
        body = GroupGraphPattern(tuple(elements))
        variables = possible(body)
        local = frozenset(variables)
        foreign = [each for each in conditions if expression_variables(each) - local]
        deferred = foreign if defer else []
        self._named = {
            name: dictionary.background(graph, entailment) for name, graph in named.items()
        }
        self._group = elements, [each for each in conditions if each not in deferred]
        self._by_columns: Callable[[GraphBatch], Matched] | None = None
        self._step, layout = GroupCompiler(dictionary, self._named).elements(
            *self._group, Layout()
        )
        self.dictionary = dictionary
        self.columns = tuple(variables)
        self.certain = layout.certain & local
        self.deferred: tuple[Expression, ...] = tuple(deferred)
        self._arrange = rearrange(layout, self.columns)
        self.predicates = frozenset(
            dictionary.encode(predicate, permanent=True) for predicate in _required(body)
        )
        # Looked for before a graph is encoded, which costs ten times as much.
        self._names = frozenset(str(dictionary.decode(number)) for number in self.predicates)

    def match(self, graph: Graph) -> list[IdRow]:
        """Return the bag of solutions on the graph: rows of ids over `columns`, 0 for unbound."""
        if not self.dictionary.remembers(graph) and not self._names <= {
            str(predicate) for _, predicate, _ in graph
        }:
            return []
        return self.match_indexed(self.dictionary.index(graph))

    def match_indexed(self, graph: IndexedGraph) -> Rows:
        """Match as `match`, on a graph that `Dictionary.index` has encoded."""
        present = graph.by_predicate
        for predicate in self.predicates:
            if predicate not in present:
                return []
        return self._arrange(self._step(graph, [()]))

    def solutions(self, graph: Graph) -> set[IdRow]:
        """Return the set of solutions on the graph."""
        return set(self.match(graph))

    def match_columns(self, batch: GraphBatch) -> Matched:
        """Return the bags of solutions on n items: (offsets int64[n + 1], rows int64[m, k]).

        Those on item i are rows[offsets[i]:offsets[i + 1]], in any order, ids as in `match`. The
        batch is encoded by this matcher's dictionary.
        """
        if len(batch.subject) <= IN_USE.columns:
            return self._match_singly(batch, range(len(batch)), keep=True)
        if self._by_columns is None:
            self._by_columns = self._compiled_for_columns()
        return self._by_columns(batch)

    def _compiled_for_columns(self) -> Callable[[GraphBatch], Matched]:
        from .columns.matching.plan import compile_candidates, compile_plan
        from .columns.matching.triple_scan import partition

        plan = compile_plan(*self._group, self.columns, self.dictionary, self._named)
        if plan is not None:
            return plan.match
        candidates = compile_candidates(*self._group, self.dictionary)

        def match(batch: GraphBatch) -> Matched:
            if candidates is None:
                items = partition(batch).items_with(self.predicates)
            else:
                items = candidates.items(batch)
            return self._match_singly(batch, items.tolist(), keep=False)

        return match

    def _match_singly(self, batch: GraphBatch, items: Iterable[int], *, keep: bool) -> Matched:
        from .columns.matching.plan import matched_singly

        return matched_singly(batch, items, self.match_indexed, len(self.columns), keep=keep)


def compile_pattern(
    group: GroupGraphPattern,
    dictionary: Dictionary,
    named: Mapping[URIRef, Graph] = _NO_GRAPHS,
    *,
    defer: bool = True,
    entailment: Entailment = "none",
) -> Matcher:
    """Return the matcher of a group graph pattern over a dataset with named graphs `named`.

    By `entailment` these also say what they entail.

    With `defer`, conjuncts of top-level filters that ask for the value of a variable which the
    pattern cannot bind are not evaluated but left to the caller, as `Matcher.deferred`; without it
    they are evaluated as SPARQL says, such a variable being unbound.
    """
    return Matcher(group, dictionary, named, defer, entailment)


def _required(pattern: GroupGraphPattern | Element) -> Iterable[URIRef]:
    """Yield the predicates that the default graph must have for the pattern to match."""
    match pattern:
        case GroupGraphPattern(elements):
            for element in elements:
                yield from _required(element)
        case TriplesBlock(triples):
            # A path may have no length, and then asks for nothing.
            for triple in triples:
                if isinstance(triple.predicate, URIRef):
                    yield triple.predicate
        case UnionPattern((only,)):
            yield from _required(only)
