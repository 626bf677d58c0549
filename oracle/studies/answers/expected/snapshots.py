"""The answers of a query over the contents of its windows, each worked out once.

The contents of a window are a range of its stream's items, so an answer depends on a pair of
positions for each window. What the query says about a snapshot is found by the production engine's
matcher, which is judged against the definitions elsewhere, or by the definitions themselves, which
take some hundred times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from rdflib.term import BNode, URIRef, Variable

from .....engine.rdf.data.dictionary import Dictionary
from .....engine.rdf.matcher import Matcher, compile_pattern
from .....semantics.model.items import TimestampedGraph
from .....semantics.model.mappings import SolutionMapping
from .....semantics.model.terms import EMPTY_GRAPH, Dataset, Graph
from .....semantics.rdf.queries import evaluate_query
from .....semantics.rdf.syntax import tree as s
from .....semantics.rsepql.denotation import answers
from .....semantics.rsepql.syntax.evaluation import Evaluation
from .....semantics.rsepql.syntax.tree import IdentityWindow
from ..recorded.queries import ContinuousQuery
from ..recorded.values import Comparer

Range: TypeAlias = tuple[int, int]
"""The items i, …, j − 1 of a stream."""

Contents: TypeAlias = tuple[Range, ...]
"""What is in each window of a query."""

RowKey: TypeAlias = frozenset[tuple[str, Hashable]]
"""What stands for a solution in comparisons: equal answers have equal keys."""

Bag: TypeAlias = Counter[RowKey]


def row_key(mu: SolutionMapping, comparer: Comparer) -> RowKey:
    """The key of a solution."""
    return frozenset(
        (str(name), comparer.key(value))
        for name, value in mu.items()
        if not isinstance(value, tuple)
    )


class Snapshots:
    """⟦Q⟧ over snapshots of its windows; `items` are those of each window's stream."""

    def __init__(
        self,
        query: ContinuousQuery,
        streams: Mapping[URIRef, Sequence[TimestampedGraph]],
        kb: Mapping[URIRef, Graph] | None = None,
        *,
        by_definition: bool = False,
    ) -> None:
        self.query = query
        self.items = [streams[window.stream] for window in query.windows]
        self._by_definition = by_definition
        described = query.graphs
        self._kb = kb = dict(kb or {})
        self._background = EMPTY_GRAPH.union(
            *(kb.get(name, EMPTY_GRAPH) for name in described.default)
        )
        self._named: dict[URIRef | BNode, Graph] = {
            name: graph
            for name, graph in kb.items()
            if not (described.default or described.named) or name in described.named
        }
        self._dictionary = Dictionary(query.select.prologue.base)
        self._matchers: dict[int, Matcher] = {}
        self._unions: dict[tuple[int, Range], Graph] = {}
        self._answers: dict[tuple[Contents, bool], tuple[SolutionMapping, ...]] = {}

    def answer(self, contents: Contents) -> tuple[SolutionMapping, ...]:
        """The bag of the query's solutions."""
        return self._found(contents, matched=False)

    def matches(self, contents: Contents) -> tuple[SolutionMapping, ...]:
        """The bag of solutions of the WHERE clause, before grouping and projection."""
        return self._found(contents, matched=True)

    def _found(self, contents: Contents, *, matched: bool) -> tuple[SolutionMapping, ...]:
        key = contents, matched
        known = self._answers.get(key)
        if known is None:
            if self.query.events:
                known = self._with_events(contents, matched=matched)
            else:
                query = self.query.where if matched else self.query.select
                known = tuple(self._evaluate(query, contents))
            self._answers[key] = known
        return known

    def _with_events(self, contents: Contents, *, matched: bool) -> tuple[SolutionMapping, ...]:
        """The same for a query with MATCH, by RSEP-QL's definitions: its windows are the streams
        that hold these contents and nothing else."""
        query = self.query.parsed
        form = self.query.where if matched else query.form
        windows, streams = [], {}
        last = 0
        for number, (clause, held) in enumerate(zip(query.windows, contents, strict=True)):
            stream = URIRef(f"urn:denota:contents:{number}")
            items = streams[stream] = tuple(self.items[number][slice(*held)])
            last = max(last, items[-1].time if items else 0)
            windows.append(replace(clause, stream=stream, function=IdentityWindow()))
        at_last = Evaluation(at=(last,))
        asked = replace(query, form=form, windows=tuple(windows))
        ((_, _, omega),) = answers(asked, streams, self._kb, evaluation=at_last)
        return omega

    def _evaluate(self, query: s.SelectQuery, contents: Contents) -> list[SolutionMapping]:
        dataset = self._dataset(contents)
        if self._by_definition:
            result = evaluate_query(query, dataset)
            return list(result.solutions)  # type: ignore[union-attr]
        matcher = self._matcher(query, dataset)
        decode = self._dictionary.decode_value
        return [
            SolutionMapping(
                (variable, decode(number))
                for variable, number in zip(matcher.columns, row, strict=True)
                if number
            )
            for row in matcher.match(dataset.default)
        ]

    def _matcher(self, query: s.SelectQuery, dataset: Dataset) -> Matcher:
        group = s.GroupGraphPattern((s.SubSelect(query),))
        if not self.query.flat:  # the matcher is compiled for its named graphs
            return compile_pattern(group, self._dictionary, dataset.named, defer=False)  # type: ignore[arg-type]
        known = self._matchers.get(id(query))
        if known is None:
            known = compile_pattern(group, self._dictionary, dataset.named, defer=False)  # type: ignore[arg-type]
            self._matchers[id(query)] = known
        return known

    def _dataset(self, contents: Contents) -> Dataset:
        """18.2 of SPARQL with windows: the default graph holds the unnamed windows' snapshots."""
        default = [self._background]
        named = dict(self._named)
        for number, (window, held) in enumerate(zip(self.query.windows, contents, strict=True)):
            snapshot = self._union(number, held)
            if window.in_default or self.query.flat:
                default.append(snapshot)
            if window.name is not None:
                named[window.name] = snapshot
        if self.query.flat and not self._background:
            return Dataset(default[-1], self._named)
        return Dataset(EMPTY_GRAPH.union(*default), named)

    def _union(self, number: int, held: Range) -> Graph:
        known = self._unions.get((number, held))
        if known is None:
            items = self.items[number][slice(*held)]
            known = EMPTY_GRAPH.union(*(item.graph for item in items))
            self._unions[number, held] = known
        return known


def variables_of(query: ContinuousQuery) -> tuple[Variable, ...]:
    """What the query projects."""
    from .....semantics.rdf.syntax.variables import selected_variables

    return selected_variables(query.select)
