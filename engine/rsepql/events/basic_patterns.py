"""Basic event patterns compiled: which can be matched once an item, and how (RSEP-QL (4), (7)).

μ2(E1) puts values for variables, as EXISTS does. Matching P when an item arrives and joining with μ
later comes to the same as long as P binds those variables for sure wherever it asks for them, and
as long as nothing in it changes. Where that is not plain, P is matched when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from ....semantics.model.terms import BNode, Graph, Term, URIRef, Variable
from ....semantics.model.trees import has
from ....semantics.rdf.syntax.tree import (
    AlternativePath,
    Bind,
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    InlineData,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
    NegatedPropertySet,
    OneOrMorePath,
    OptionalPattern,
    Path,
    SequencePath,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ....semantics.rsepql.syntax.tree import Event
from ...rdf.conditions import compile_condition
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.graphs import EncodedTriple, IndexedGraph
from ...rdf.data.layout import IdRow, Layout, Step, inject, starting_from
from ...rdf.groups import GroupCompiler
from ...rdf.matcher import Matcher, compile_pattern
from ...rdf.variables import certain, expression_variables, is_volatile, occurring, possible
from .compile import EventNode, ScanNode
from .occurrences import Order

Instances: TypeAlias = Callable[[IdRow], list[EncodedTriple]]
"""The triples of P, with a row's values for its variables."""


@dataclass(frozen=True, slots=True)
class Graphs:
    """The named graphs that GRAPH finds: those that stay as they are, and those that do not."""

    lasting: Mapping[URIRef, Graph]
    varying: Mapping[URIRef, IndexedGraph]


@dataclass(slots=True)
class Leaf:
    """One EVENT of an event pattern: matched by `matcher` once an item, or scanned (None)."""

    number: int
    window: URIRef
    node: EventNode | ScanNode
    matcher: Matcher | None
    instances: Instances | None


class LeafCompiler:
    """Compiles the basic event patterns of one event pattern."""

    def __init__(
        self,
        dictionary: Dictionary,
        graphs: Graphs,
        order: Order,
        *,
        consuming: bool,
    ) -> None:
        self._dictionary = dictionary
        self._graphs = graphs
        self._order = order
        self._consuming = consuming
        self.leaves: list[Leaf] = []

    def node(self, event: Event, given: Layout) -> EventNode | ScanNode:
        """Compile EVENT w P for rows of this layout."""
        pattern = event.pattern
        if self._consuming:
            # Every choice of what a blank node stands for takes part.
            pattern = _with_variables(pattern, f"_:{len(self.leaves)} ")
        if self._is_plain(pattern, given.columns):
            leaf = self._matched(event.window, pattern, given)
        else:
            leaf = self._scanned(event.window, pattern, given)
        self.leaves.append(leaf)
        return leaf.node

    def _matched(self, window: URIRef, pattern: GroupGraphPattern, given: Layout) -> Leaf:
        matcher = compile_pattern(pattern, self._dictionary, self._graphs.lasting)
        dictionary = self._dictionary

        def conditions(layout: Layout) -> list[Callable[[IdRow], bool]]:
            return [
                compile_condition(each, layout.columns, dictionary) for each in matcher.deferred
            ]

        columns = Layout(matcher.columns, matcher.certain)
        node = EventNode(len(self.leaves), columns, given, conditions)
        instances = self._instances(pattern, matcher.columns)
        return Leaf(len(self.leaves), window, node, matcher, instances)

    def _scanned(self, window: URIRef, pattern: GroupGraphPattern, given: Layout) -> Leaf:
        layout = given.extended(possible(pattern), certain(pattern))
        graphs = {
            name: self._dictionary.background(graph)
            for name, graph in self._graphs.lasting.items()
        }
        compiler = _Scanning(self._dictionary, {**graphs, **self._graphs.varying})
        solve = _substituted(compiler, pattern, given, layout)
        node = ScanNode(len(self.leaves), layout, self._order, solve)
        instances = self._instances(pattern, layout.columns)
        return Leaf(len(self.leaves), window, node, None, instances)

    def _instances(
        self, pattern: GroupGraphPattern, columns: tuple[Variable, ...]
    ) -> Instances | None:
        if not self._consuming:
            return None
        places = {variable: column for column, variable in enumerate(columns)}

        def place(part: Term | Variable | Path) -> tuple[bool, int]:
            if isinstance(part, Variable):
                return True, places[part]
            return False, self._dictionary.encode(part, permanent=True)  # type: ignore[arg-type]

        templates = [
            (place(triple.subject), place(triple.predicate), place(triple.object))
            for element in pattern.elements
            if isinstance(element, TriplesBlock)
            for triple in element.triples
        ]

        def instances(row: IdRow) -> list[EncodedTriple]:
            return [
                (
                    row[s] if s_is_column else s,
                    row[p] if p_is_column else p,
                    row[o] if o_is_column else o,
                )
                for (s_is_column, s), (p_is_column, p), (o_is_column, o) in templates
            ]

        return instances

    # --- what is plain --------------------------------------------------------------------------

    def _is_plain(self, pattern: GroupGraphPattern, given: Collection[Variable]) -> bool:
        """Return True if ⟦μ(P)⟧_G is ⟦P⟧_G joined with μ, for μ over the given variables."""
        if is_volatile(pattern) or (self._consuming and has(pattern, Exists)):
            return False
        if self._graphs.varying and has(pattern, NamedGraphPattern):
            return False
        sure: frozenset[Variable] = frozenset()
        for element in pattern.elements:
            if not isinstance(element, Filter):
                if not _joins(element, frozenset(given), sure):
                    return False
                sure |= certain(element)
        own = frozenset(possible(pattern))
        unsure = (own - sure).intersection(given)
        for element in pattern.elements:
            if isinstance(element, Filter):
                asked = occurring(element.condition)
                if asked & unsure:
                    return False
                if has(element.condition, Exists) and (
                    asked.intersection(given) - sure
                    or expression_variables(element.condition) - own
                ):
                    return False
        return True


def _joins(element: Element, given: frozenset[Variable], sure: frozenset[Variable]) -> bool:
    match element:
        case TriplesBlock(triples):
            return all(_is_relation(t.predicate) or not _ends(t) & given for t in triples)
        case InlineData():
            return True
        case Bind(expression, _):
            return occurring(expression) & given <= sure
        case NamedGraphPattern(_, inner):
            return _is_basic(inner) or not occurring(element) & given
        case OptionalPattern(inner) | MinusPattern(inner):
            shared = occurring(element) & given
            return not shared or (_is_basic(inner) and shared <= sure)
        case UnionPattern(alternatives):
            return all(map(_is_basic, alternatives)) or not occurring(element) & given
        case _:
            return not occurring(element) & given


def _is_basic(group: GroupGraphPattern) -> bool:
    return all(
        isinstance(element, TriplesBlock)
        and all(_is_relation(triple.predicate) for triple in element.triples)
        for element in group.elements
    )


def _is_relation(predicate: Term | Variable | Path) -> bool:
    """Return True if the pairs of a path do not depend on which ends are known."""
    match predicate:
        case URIRef() | Variable() | NegatedPropertySet():
            return True
        case InversePath(path) | OneOrMorePath(path):
            return _is_relation(path)
        case SequencePath(paths) | AlternativePath(paths):
            return all(map(_is_relation, paths))
        case _:
            return False


def _ends(triple: TriplePattern) -> frozenset[Variable]:
    return frozenset(
        part for part in (triple.subject, triple.object) if isinstance(part, Variable)
    )


# --- substitution --------------------------------------------------------------------------------


class _Scanning(GroupCompiler):
    """A compiler for graphs of which some change."""

    def lasts(self, pattern: GroupGraphPattern | Element) -> bool:
        return False


def _substituted(
    compiler: GroupCompiler, pattern: GroupGraphPattern, given: Layout, layout: Layout
) -> Callable[[IdRow, IndexedGraph], list[IdRow]]:
    """Return ⟦μ(P)⟧_G joined with μ, as rows of the layout."""
    inside = occurring(pattern)
    columns = [(each, at) for at, each in enumerate(given.columns) if each in inside]
    plans: dict[tuple[Variable, ...], tuple[Step, list[tuple[int | None, int | None]]]] = {}

    def plan(bound: tuple[Variable, ...]) -> tuple[Step, list[tuple[int | None, int | None]]]:
        start = starting_from(bound)
        step, after = compiler.group(pattern, start)
        agreement, after = inject([each for each in bound if each in after.columns], after)
        mine, theirs = given.positions, after.positions
        picks = [(mine.get(each), theirs.get(each)) for each in layout.columns]
        return (lambda graph, rows: agreement(graph, step(graph, rows))), picks

    def solve(mu: IdRow, graph: IndexedGraph) -> list[IdRow]:
        bound = tuple([each for each, at in columns if mu[at]])
        if bound not in plans:
            plans[bound] = plan(bound)
        step, picks = plans[bound]
        values = tuple([mu[at] for _, at in columns if mu[at]])
        return [
            tuple([
                (mu[mine] if mine is not None else 0)
                or (row[theirs] if theirs is not None else 0)
                for mine, theirs in picks
            ])
            for row in step(graph, [values])
        ]

    return solve


def _with_variables(pattern: GroupGraphPattern, prefix: str) -> GroupGraphPattern:
    """Return the blank nodes of the triple patterns as variables that no query can name."""

    def named(part: Term | Variable) -> Term | Variable:
        return Variable(prefix + part) if isinstance(part, BNode) else part

    def block(triples: Iterable[TriplePattern]) -> TriplesBlock:
        return TriplesBlock(
            tuple(
                replace(each, subject=named(each.subject), object=named(each.object))
                for each in triples
            )
        )

    return GroupGraphPattern(
        tuple(
            block(element.triples) if isinstance(element, TriplesBlock) else element
            for element in pattern.elements
        )
    )
