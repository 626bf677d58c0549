"""The detection policies chronological and recent: RSEP-QL's engine finds, at every instant, what
the translated sequence matches of what has not been consumed (RSEP-QL, Table 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rdflib.term import URIRef

from ...semantics.epsparql.syntax.readings import Readings
from ...semantics.epsparql.syntax.to_rsepql import Chain, chain_of, to_rsepql
from ...semantics.epsparql.syntax.tree import EpsparqlQuery
from ...semantics.model.errors import Impossible, StreamError
from ...semantics.model.terms import Graph, Term, Variable
from ...semantics.rdf.syntax.tree import Bind, GroupGraphPattern, SelectQuery
from ...semantics.rsepql.syntax.evaluation import Evaluation
from ...semantics.rsepql.syntax.results import TimedAnswer
from ...semantics.rsepql.syntax.tree import MatchPattern, Moment, RsepqlQuery
from ...semantics.streams.merging import StreamItem
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import UNBOUND, Dictionary
from ..rdf.data.layout import IdRow, Layout
from ..rsepql.runtime import RsepqlEngine
from .compile import Compiler, Tree
from .nodes import FOREVER, Node, Occurrence, TimedRows
from .rdfs_rules import Schema
from .selects import compile_select

_STREAM = URIRef("urn:denota:stream")


@stateful(kept=("found",), compiled=("_variables",))
class _Detecting(RsepqlEngine):
    """RSEP-QL's engine, asked for event mappings with their intervals."""

    def __init__(
        self, query: RsepqlQuery, kb: Mapping[URIRef, Graph], dictionary: Dictionary | None
    ) -> None:
        self.found: list[tuple[Mapping[Variable, Term], int, int]] = []
        change = Evaluation(policy="content-change")
        super().__init__(query, (_STREAM,), kb, None, change, dictionary)
        (match,) = query.form.where.elements if query.form.where is not None else ()
        if not isinstance(match, MatchPattern):
            raise Impossible("what is detected is one MATCH")
        self._variables = match.variables()

    def _evaluate(self, t: int) -> TimedAnswer | None:
        answer = super()._evaluate(t)
        decode = self.dictionary.decode
        # What was there at the evaluation before has been consumed then.
        for row, start, end in self.event_mappings()[0]:
            bound = {
                v: decode(number) for v, number in zip(self._variables, row, strict=True)
                if number != UNBOUND
            }
            self.found.append((bound, start, end))
        return answer


@stateful(kept=("rows",))
class _Given(Node):
    """Solutions that are found elsewhere."""

    timewise = True

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.rows: TimedRows = []

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        rows, self.rows = self.rows, []
        return rows

    def settle(self, t: float) -> TimedRows:
        return self.push(())

    def forget(self, t: float) -> None:
        pass

    def held(self) -> Iterator[IdRow]:
        return (row for row, _, _ in self.rows)


class _ChainCompiler(Compiler):
    """Compiles a SELECT over what is detected of its sequence."""

    chain: Chain
    given: _Given
    where: GroupGraphPattern

    def group(self, group: GroupGraphPattern) -> Node:
        """Return the node of the rows detected for WHERE, with SELECT's assignments behind it."""
        node = self.filtered(self.given, [each.condition for each in self.chain.filters])
        computed = [
            (each.variable, each.expression)
            for each in group.elements[len(self.where.elements) :] if isinstance(each, Bind)
        ]
        return self.extended(node, computed) if computed else node


@stateful(
    kept=("_now", "_known"), parts=("_detecting", "_given", "tree"),
    compiled=("_policy", "_dictionary", "_schema", "_variables"),
)
class Detection:
    """The sequence of a query under a policy, and the SELECT over what is detected of it."""

    def __init__(
        self,
        query: EpsparqlQuery,
        readings: Readings,
        kb: Mapping[URIRef, Graph],
        first: Moment,
        dictionary: Dictionary,
        schema: Schema,
        compiler: Compiler,
        detecting: Dictionary | None,
    ) -> None:
        select = query.select
        assert select is not None
        self._policy = readings.policy
        self._dictionary = dictionary
        self._schema = schema
        chain = chain_of(query)
        bare = replace(query, select=SelectQuery(None, chain.group), dataset=None)
        translated = to_rsepql(bare, readings.policy, _STREAM, first)
        clause = query.dataset
        named = {
            iri: self._entailed(graph, compiler) for iri, graph in kb.items()
            if clause is None or iri in clause.named
        }
        self._detecting = _Detecting(translated, named, detecting)
        variables = self._detecting._variables
        self._given = _Given(Layout(variables, frozenset()))
        chained = _ChainCompiler(
            dictionary, first.kind, readings, compiler.named
        )
        chained.chain, chained.given, chained.where = chain, self._given, select.where
        root = compile_select(chained, select)
        self.tree = Tree(root, chained.scope)
        self._variables = variables
        self._now = first.value
        self._known: set[tuple[int, int, int]] = set()

    def _entailed(self, graph: Graph, compiler: Compiler) -> Graph:
        dictionary = self._dictionary
        entailment = compiler.readings.entailment
        decode = dictionary.decode
        return frozenset(
            (decode(s), decode(p), decode(o))
            for s, p, o in dictionary.background(graph, entailment).triples
        )

    def feed(self, item: StreamItem) -> tuple[TimedRows, list[Occurrence]]:
        """Return the solutions of instants before this item's, and its occurrences."""
        if item.start < item.end:
            raise StreamError(
                f"policy={self._policy} is about what happens at instants, an item has an interval"
            )
        encode, decode = self._dictionary.encode, self._dictionary.decode
        triples = {(encode(s), encode(p), encode(o)) for s, p, o in item.graph}
        triples |= {each for triple in triples for each in self._schema.conclusions(triple)}
        graph = frozenset((decode(s), decode(p), decode(o)) for s, p, o in triples)
        self._detecting.feed(
            StreamItem(_STREAM, item.end, 0, graph, item.kind, item.name)
        )
        if item.end != self._now:
            self._now, self._known = item.end, set()
        triples -= self._known
        self._known |= triples
        occurrences: list[Occurrence] = [(*triple, item.start, item.end) for triple in triples]
        return self._passed() + self.tree.push(occurrences), occurrences

    def advance(self, time: int) -> TimedRows:
        """Return the solutions of instants before `time`: no earlier item comes any more."""
        self._detecting.advance(time)
        return self._passed()

    def finish(self) -> TimedRows:
        """Return the solutions of the last instant, and those waiting for the stream's end."""
        self._detecting.close()
        return self._passed() + self.tree.settle(FOREVER)

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the detecting engine."""
        return self._detecting.dictionary

    def held(self) -> Iterator[IdRow]:
        """Yield the ids in the state, with those of this instant's triples."""
        yield from self.tree.held()
        yield from self._known

    def _passed(self) -> TimedRows:
        """Return the detected rows, after the SELECT."""
        found, self._detecting.found = self._detecting.found, []
        if not found:
            return []
        encode = self._dictionary.encode
        self._given.rows = [
            (
                tuple(encode(mu[v]) if v in mu else UNBOUND for v in self._variables),
                start, end,
            )
            for mu, start, end in found
        ]
        return self.tree.push(())
