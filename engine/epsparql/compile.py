"""The compilation of groups and SELECTs to nodes (SPARQL 1.1, 18.2, and EP-SPARQL's operators)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count, groupby

from ...semantics.epsparql.syntax.readings import Readings
from ...semantics.epsparql.syntax.tree import Operator, TemporalPattern
from ...semantics.model.errors import Impossible
from ...semantics.model.items import TimeKind
from ...semantics.model.terms import BNode, Literal, URIRef, Variable
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Exists,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    Path,
    SelectQuery,
    SequencePath,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ..checkpoints.state_schema import stateful
from ..rdf.aggregates import visible
from ..rdf.conditions import conjuncts
from ..rdf.data.dictionary import UNBOUND, Dictionary
from ..rdf.data.layout import Layout
from ..rdf.expressions.compile import Row, TruthOf
from ..rdf.joins import unbraced
from ..rdf.variables import is_volatile, occurring
from .basic_graph_patterns import Batch, Block, Pattern, Place, Store
from .expressions import Expressions, asks_for_graphs, reads_interval, variables_of
from .joins import (
    Endless,
    Joined,
    Late,
    PairTest,
    Prompt,
    Sequenced,
    Simultaneous,
    United,
    Without,
)
from .nodes import (
    FOREVER,
    NEVER,
    AtTheEnd,
    Changed,
    Distinct,
    Filtered,
    Fixed,
    Node,
    Occurrence,
    Selected,
    Test,
    TimedRow,
    TimedRows,
    arranged,
)
from .paths import PathNode
from .selects import compile_select

_EARLIEST = -1.7976931348623157e308
_UNIT = Layout()


@stateful(kept=("log",), parts=("store", "batch"), anew=("asked",))
class Scope:
    """The shared state of one tree's nodes: the occurrences looked up, and those of EXISTS."""

    def __init__(self) -> None:
        self.store = Store()
        self.batch = Batch()
        self.log: list[Occurrence] | None = None
        """All occurrences, if an EXISTS may ask for them at the end"""
        self.asked: list[dict[Row, bool]] = []
        """The cached results of each EXISTS for them."""


@stateful(parts=("root", "scope"), compiled=("layout",))
class Tree:
    """A compiled pattern, driven instant by instant."""

    def __init__(self, root: Node, scope: Scope) -> None:
        self.root = root
        self.scope = scope
        self.layout = root.layout

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        """Return new solutions from new occurrences."""
        scope = self.scope
        scope.batch.numbered = [(scope.store.add(each), each) for each in occurrences]
        if scope.log is not None:
            scope.log += occurrences
        return self.root.push(occurrences)

    def settle(self, t: float) -> TimedRows:
        """Return the solutions that are final, since everything that ends by t is known."""
        return self.root.settle(t)

    def forget(self, t: float) -> None:
        """Evict the state for solutions that end by t."""
        self.root.forget(t)
        self.scope.store.forget(t)

    def held(self) -> Iterator[tuple[int, ...]]:
        """Yield the ids in the tree's state."""
        yield from self.root.held()
        yield from self.scope.store.held()
        for occurrence in self.scope.log or ():
            yield occurrence[:3]

    def over(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        """Return all solutions over known occurrences, in the order of their ends."""
        out = self.push([each for each in occurrences if each[4] == NEVER])
        out += self.settle(NEVER)
        self.forget(NEVER)
        at = 0
        while at < len(occurrences):
            end = occurrences[at][4]
            last = at
            while last < len(occurrences) and occurrences[last][4] == end:
                last += 1
            if end != NEVER:
                out += self.push(occurrences[at:last])
                out += self.settle(end)
                self.forget(end)
            at = last
        return out + self.settle(FOREVER)


class Compiler:
    """Compiles the patterns of one query, for one kind of time and one background.

    `named` are the background graphs, as occurrences without time. `outer` are the bindings of the
    solution that an EXISTS around what is compiled is asked about.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        kind: TimeKind,
        readings: Readings,
        named: Mapping[int, list[Occurrence]],
        scope: Scope | None = None,
        outer: dict[Variable, int] | None = None,
        fresh: Iterator[int] | None = None,
    ) -> None:
        self.dictionary = dictionary
        self.kind = kind
        self.readings = readings
        self.named = named
        self.scope = scope or Scope()
        self.outer = outer or {}
        self.fresh = fresh or count()
        self.expressions = Expressions(dictionary, kind, self._exists, self.outer)

    def within(
        self, *, scope: Scope | None = None, outer: dict[Variable, int] | None = None
    ) -> Compiler:
        """Return a compiler for what stands over another graph, or under another solution."""
        return Compiler(
            self.dictionary, self.kind, self.readings, self.named, scope or self.scope,
            self.outer if outer is None else outer, self.fresh,
        )

    def tree(self, group: GroupGraphPattern) -> Tree:
        """Return the pattern as a tree of its own."""
        return Tree(self.group(group), self.scope)

    # --- groups -----------------------------------------------------------------------------

    def group(self, group: GroupGraphPattern) -> Node:
        """18.2.2.6: element by element, the filters of the group at its end"""
        conditions = [e.condition for e in group.elements if isinstance(e, Filter)]
        return self.filtered(self.elements(group), conditions)

    def elements(self, group: GroupGraphPattern) -> Node:
        """Return the group without its filters."""
        result: Node | None = None
        elements = [each for each in unbraced(group.elements) if not isinstance(each, Filter)]
        for kind, run in groupby(elements, key=type):
            together = list(run)
            if kind is TriplesBlock:
                triples = (each.triples for each in together if isinstance(each, TriplesBlock))
                result = self.joined(result, self.basic(list(chain.from_iterable(triples))))
            elif kind is Bind:
                # One solution, in which BNODE(label) is one node.
                binds = [each for each in together if isinstance(each, Bind)]
                assignments = [(each.variable, each.expression) for each in binds]
                result = self.extended(result or self.unit(), assignments)
            else:
                for element in together:
                    result = self.with_element(result, element)
        return result if result is not None else self.unit()

    def joined(self, left: Node | None, right: Node) -> Node:
        """Join(Z, A) is A."""
        return right if left is None else Joined(left, right)

    def unit(self) -> Node:
        """Return the empty pattern."""
        return Fixed(_UNIT, lambda: [((), FOREVER, NEVER)])

    def with_element(self, before: Node | None, element: Element) -> Node:
        """Return the node of the pattern before an element, extended by that element."""
        match element:
            case TemporalPattern():
                return self.joined(before, self.temporal(element))
            case UnionPattern((only,)):
                return self.joined(before, self.group(only))
            case UnionPattern(alternatives):
                return self.joined(before, United([self.group(each) for each in alternatives]))
            case OptionalPattern(pattern):
                return self.optional(before or self.unit(), pattern)
            case MinusPattern(pattern):
                return Without(before or self.unit(), self.group(pattern))
            case NamedGraphPattern(name, pattern):
                return self.joined(before, self.background(name, pattern))
            case InlineData():
                return self.joined(before, self.table(element))
            case SubSelect(query):
                return self.joined(before, self.select(query))
        raise Impossible(f"not an element: {element!r}")

    def select(self, query: SelectQuery) -> Node:
        """Compile a sub-select: its invisible variables differ from those outside."""
        kept = {v: n for v, n in self.outer.items() if v in visible(query)}
        return compile_select(self.within(outer=kept) if self.outer else self, query)

    def filtered(self, node: Node, conditions: Sequence[Expression]) -> Node:
        """Push the filters of a group down; each conjunct as deep as it can be decided."""
        last: list[Expression] = []
        tests: list[Test] = []
        for expression in (part for each in conditions for part in conjuncts(each)):
            bound = self.expressions.bound(expression)
            if bound is not None and bound[0] in ("<", "<=", "=") and bound[1] >= 0:
                node.bound(bound[1])
            if asks_for_graphs(expression):
                last.append(expression)
                continue
            variables = variables_of(expression)
            if (
                not self.outer
                and variables <= node.layout.certain
                and not reads_interval(expression)
                and not is_volatile(expression)
                and node.absorb(Filtered(
                    expression, variables, partial(self.expressions.test, expression)
                ))
            ):
                continue
            tests.append(self.expressions.test(expression, node.layout))
        if tests:
            node = Selected(node, tests)
        if last:
            later = [self.expressions.test(each, node.layout) for each in last]
            node = Selected(AtTheEnd(node, node.layout, lambda rows: rows), later)
        return node

    # --- operators --------------------------------------------------------------------------

    def temporal(self, pattern: TemporalPattern) -> Node:
        """SEQ, EQUALS, OPTIONALSEQ and EQUALSOPTIONAL."""
        left, right = pattern.alternatives
        match pattern.operator:
            case Operator.SEQ:
                return Sequenced(self.group(left), self.group(right))
            case Operator.EQUALS:
                return Simultaneous(self.group(left), self.group(right))
            case Operator.OPTIONALSEQ:
                mandatory = self.group(right)
                optional, joined, absent = self.condition(mandatory, left, sequential=True)
                return Prompt(mandatory, optional, joined, absent, _start)
            case Operator.EQUALSOPTIONAL:
                mandatory = self.group(left)
                optional, joined, absent = self.condition(mandatory, right)
                return Late(mandatory, optional, joined, absent, simultaneous=True)
            case Operator.SEQOPTIONAL:
                mandatory = self.group(left)
                optional, joined, absent = self.condition(mandatory, right, sequential=True)
                return Endless(mandatory, optional, joined, absent, after=True)

    def optional(self, mandatory: Node, pattern: GroupGraphPattern) -> Node:
        """OPTIONAL, as the reading says."""
        optional, joined, absent = self.condition(mandatory, pattern)
        match self.readings.leftjoin:
            case "default":
                return Endless(mandatory, optional, joined, absent, after=False)
            case "paper":
                return Prompt(mandatory, optional, joined, absent, _end)
            case "closed":
                return Late(mandatory, optional, joined, absent, simultaneous=False)

    def condition(
        self, mandatory: Node, pattern: GroupGraphPattern, *, sequential: bool = False
    ) -> tuple[Node, PairTest, PairTest]:
        """Return the optional side, F for joined rows, and F for the absence of a partner."""
        optional = self.elements(pattern)
        conditions = [e.condition for e in pattern.elements if isinstance(e, Filter)]
        if not conditions:
            return optional, _true, _true
        if any(map(asks_for_graphs, conditions)):
            # EXISTS sees the whole stream: what is optional is decided at its end.
            optional = AtTheEnd(optional, optional.layout, lambda rows: rows)
        layout = mandatory.layout.extended(optional.layout.columns, optional.layout.certain)
        tests = [self.expressions.test(each, layout) for each in conditions]

        def of(read: int) -> PairTest:
            def holds(*parts: TimedRow) -> bool:
                row, (_, start, end) = parts[0][0], parts[read]
                return all(test(row, start, end) for test in tests)

            return holds

        if self.readings.optionalfilter == "group":
            own = of(2)
            return optional, own, own
        absent = of(1)
        return optional, of(0) if sequential else absent, absent

    def background(self, name: URIRef | Variable, pattern: GroupGraphPattern) -> Node:
        """GRAPH: over background graphs, which are there from the beginning."""
        if not isinstance(name, Variable):
            number = self.dictionary.encode(name, permanent=True)
            inner = self.within(scope=Scope())
            tree = inner.tree(pattern)
            graph = self.named.get(number)
            return Fixed(tree.layout, lambda: [] if graph is None else tree.over(graph))
        trees = []
        for number, graph in self.named.items():
            inner = self.within(scope=Scope())
            trees.append((number, graph, inner.tree(pattern)))
        if not trees:
            layout = self.within(scope=Scope()).group(pattern).layout
            return Fixed(layout.extended((name,), (name,)), list)
        layout = trees[0][2].layout
        named = layout.extended((name,), (name,))
        at = named.positions[name]

        def rows() -> TimedRows:
            out: TimedRows = []
            for number, graph, tree in trees:
                for row, start, end in tree.over(graph):
                    if at == len(row):
                        out.append(((*row, number), start, end))
                    elif row[at] in (UNBOUND, number):
                        out.append(((*row[:at], number, *row[at + 1 :]), start, end))
            return out

        return Fixed(named, rows)

    def table(self, data: InlineData) -> Node:
        """VALUES."""
        encode = self.dictionary.encode
        ids = [
            tuple(UNBOUND if term is None else encode(term, permanent=True) for term in row)
            for row in data.rows
        ]
        certain = frozenset(
            v for i, v in enumerate(data.variables) if all(row[i] != UNBOUND for row in ids)
        )
        outer = [(i, self.outer[v]) for i, v in enumerate(data.variables) if v in self.outer]
        kept = [row for row in ids if all(row[i] in (UNBOUND, n) for i, n in outer)]
        return Fixed(
            Layout(data.variables, certain), lambda: [(row, FOREVER, NEVER) for row in kept]
        )

    def extended(
        self, node: Node, assignments: Sequence[tuple[Variable, Expression]]
    ) -> Node:
        """BIND, SELECT (expression AS ?v): an error leaves the variable unbound."""
        if any(asks_for_graphs(expression) for _, expression in assignments):
            node = AtTheEnd(node, node.layout, lambda rows: rows)
        layout = node.layout
        labels: dict[str, BNode] = {}
        values = []
        for variable, expression in assignments:
            values.append(self.expressions.value(expression, layout, labels=labels))
            layout = layout.extended((variable,))

        def assigned(rows: TimedRows) -> TimedRows:
            out: TimedRows = []
            for row, start, end in rows:
                labels.clear()
                for value in values:
                    row = (*row, value(row, start, end))
                out.append((row, start, end))
            return out

        return Changed(node, layout, assigned)

    # --- basic graph patterns ---------------------------------------------------------------

    def basic(self, triples: Sequence[TriplePattern]) -> Node:
        """18.2.2.5: adjacent triple patterns are one BGP, in which blank nodes act as variables"""
        hidden: dict[object, Variable] = {}

        def place(term: object) -> Place:
            if isinstance(term, Variable):
                return term
            if isinstance(term, BNode):
                return hidden.setdefault(term, self._hidden())
            assert isinstance(term, URIRef | Literal)
            return self.dictionary.encode(term, permanent=True)

        patterns: list[Pattern] = []
        paths: list[tuple[Place, Path, Place]] = []
        for triple in triples:
            s, o = place(triple.subject), place(triple.object)
            predicate = triple.predicate
            if isinstance(predicate, Variable | URIRef):
                patterns.append((s, place(predicate), o))
                continue
            if isinstance(predicate, BNode | Literal):
                raise Impossible("a predicate is an IRI, a variable or a path")
            if (links := _links(predicate)) is not None:
                patterns += self._along(s, links, o, hidden)
            else:
                paths.append((s, predicate, o))
        each = self.readings.occurrences == "each"
        secret = frozenset(hidden.values())
        if not paths:
            return Block(
                patterns, secret, self.scope.store, self.scope.batch, each=each, outer=self.outer
            )
        node: Node | None = None
        if patterns:
            node = Block(
                patterns, frozenset(), self.scope.store, self.scope.batch, each=each,
                outer=self.outer,
            )
        ways = []
        for s, path, o in paths:
            ways.append(self._hidden())
            node = self.joined(node, PathNode(
                s, path, o, ways[-1], lambda iri: self.dictionary.encode(iri, permanent=True),
                outer=self.outer,
            ))
        assert node is not None
        if not each:
            node = Distinct(node)
        columns = tuple(v for v in node.layout.columns if v not in secret and v not in ways)
        layout = Layout(columns, frozenset(columns))
        return Changed(node, layout, arranged(node.layout, columns))

    def _along(
        self, subject: Place, links: Sequence[tuple[URIRef, bool]], object_: Place,
        hidden: dict[object, Variable],
    ) -> Iterator[Pattern]:
        """X p1/^p2/… Y as triple patterns, with a hidden variable for each node on the way."""
        here = subject
        for i, (link, inverse) in enumerate(links):
            there: Place = object_
            if i < len(links) - 1:
                there = self._hidden()
                hidden[there] = there
            predicate = self.dictionary.encode(link, permanent=True)
            yield (there, predicate, here) if inverse else (here, predicate, there)
            here = there

    def _hidden(self) -> Variable:
        # No query can write this name.
        return Variable(f".{next(self.fresh)}")

    # --- EXISTS -----------------------------------------------------------------------------

    def _exists(self, expression: Exists, positions: Mapping[Variable, int]) -> TruthOf:
        """18.6: whether the pattern has a solution under what the row binds; asked at the end"""
        scope = self.scope
        if scope.log is None:
            scope.log = []
        pattern = expression.pattern
        variables = sorted(occurring(pattern) & positions.keys())
        columns = [positions[variable] for variable in variables]
        known: dict[Row, bool] = {}
        scope.asked.append(known)

        def found(row: Row) -> bool:
            values = tuple(row[column] for column in columns)
            answer = known.get(values)
            if answer is None:
                outer = {v: n for v, n in zip(variables, values, strict=True) if n > UNBOUND}
                answer = known[values] = self._has_solution(pattern, outer, scope.log or [])
            return answer

        return found

    def _has_solution(
        self, pattern: GroupGraphPattern, outer: dict[Variable, int], log: list[Occurrence]
    ) -> bool:
        inner = Scope()
        tree = self.within(scope=inner, outer=outer).tree(pattern)
        shared = [(i, outer[v]) for i, v in enumerate(tree.layout.columns) if v in outer]
        return any(
            all(row[i] in (UNBOUND, number) for i, number in shared)
            for row, _, _ in tree.over(sorted(log, key=_ending))
        )


def _links(path: Path) -> tuple[tuple[URIRef, bool], ...] | None:
    """Return the steps of a path that is a sequence of links and inverse links, else None."""
    match path:
        case URIRef():
            return ((path, False),)
        case InversePath(URIRef() as link):
            return ((link, True),)
        case InversePath(inner):
            links = _links(inner)
            return links and tuple((link, not inverse) for link, inverse in reversed(links))
        case SequencePath(steps):
            found: list[tuple[URIRef, bool]] = []
            for step in steps:
                links = _links(step)
                if links is None:
                    return None
                found += links
            return tuple(found)
    return None


def _start(row: TimedRow) -> float:
    """Return the time before which partners of OPTIONALSEQ end; −∞ without time."""
    return row[1] if row[2] != NEVER else _EARLIEST


def _end(row: TimedRow) -> float:
    """Return the time before which partners of the paper's OPTIONAL end."""
    return row[2]


def _ending(occurrence: Occurrence) -> float:
    return occurrence[4]


def _true(both: TimedRow, mandatory: TimedRow, optional: TimedRow) -> bool:
    return True
