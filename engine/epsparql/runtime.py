"""The runtime: items in, solutions out as soon as they are certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rdflib.term import URIRef

from ...semantics.epsparql.syntax.analysis import check_times, refuse
from ...semantics.epsparql.syntax.readings import Readings
from ...semantics.epsparql.syntax.results import CONSTRUCTED
from ...semantics.epsparql.syntax.stratification import beyond, strata, unbounded
from ...semantics.epsparql.syntax.tree import EpsparqlQuery, Form
from ...semantics.model.interval_solutions import IntervalSolution
from ...semantics.model.items import TimeKind
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import EMPTY_GRAPH, Graph, Variable
from ...semantics.streams.live.ordered_input import Watermark
from ...semantics.streams.merging import StreamItem
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import UNBOUND, Dictionary
from .compile import Compiler, Tree
from .nodes import FOREVER, NEVER, Occurrence, TimedRows
from .query_forms import Description, Question, RuleEvaluation
from .rdfs_rules import Schema
from .selects import compile_select

if TYPE_CHECKING:
    from ...semantics.rsepql.syntax.tree import Moment
    from ..rdf.columns.batch import GraphBatch  # and with it NumPy
    from .columnar.columnar_tree import ColumnarTree
    from .policies import Detection


@stateful(
    kept=("tail_rows", "log"), parts=("strata", "tail", "select"), compiled=("again",)
)
@dataclass
class Stage:
    """The rules, stratum by stratum, and then the SELECT, that are evaluated over one stream.

    `tail` are rules that have to wait for the end of the stream: the next stage is about what they
    construct too, and so begins only then. `again` compiles for those that depend on each other.
    """

    strata: list[list[RuleEvaluation]] = field(default_factory=list)
    tail: list[RuleEvaluation] = field(default_factory=list)
    again: Callable[[], Compiler] | None = None
    select: Tree | None = None
    tail_rows: list[TimedRows] = field(default_factory=list)
    log: list[Occurrence] = field(default_factory=list)

    def trees(self) -> Iterator[Tree]:
        """Yield all trees of nodes."""
        yield from (rule.tree for rules in self.strata for rule in rules)
        yield from (rule.tree for rule in self.tail)
        if self.select is not None:
            yield self.select


@dataclass(frozen=True, slots=True)
class Statistics:
    """The sizes of the engine's state at this moment."""

    rows: int
    terms: int


@stateful(
    kept=("_now", "_passing", "_known", "_constructed", "_count"),
    parts=("_stages", "_question", "_description", "_detection", "_dictionary"),
    same=("_columns",),
    compiled=("query", "readings", "_kb", "_schema", "_kind", "_first", "_given"),
    anew=("_columnar",),
)
class EpsparqlEngine:
    """Evaluates one query over one stream, item by item.

    Items come in the order of their ends. Solutions are returned as soon as no later item can take
    them back: at once, but for EQUALSOPTIONAL (and OPTIONAL with `leftjoin=closed`), which wait for
    the instant to pass, and for SPARQL's OPTIONAL, MINUS, EXISTS, aggregates, ORDER BY with LIMIT
    and SEQOPTIONAL, which wait for the end of the stream.

    Memory: what an operator may still have to join. That grows with the stream, unless a FILTER of
    the group bounds getDURATION() from above: then what is too long ago is dropped.
    """

    def __init__(
        self,
        query: EpsparqlQuery,
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        dictionaries: Sequence[Dictionary] = (),
    ) -> None:
        self.query = query
        self.readings = readings or Readings()
        self._given = tuple(dictionaries)
        refuse(query, self.readings)
        if self.readings.policy != "unrestricted":
            from ...semantics.epsparql.syntax.to_rsepql import chain_of

            chain_of(query)
        self._kb = dict(kb or {})
        self._dictionary = self._given[0] if self._given else Dictionary(query.prologue.base)
        self._schema = Schema(self._dictionary, ())
        self._kind: TimeKind | None = None
        self._first: Moment | None = None  # of what is detected under a policy
        self._stages: list[Stage] = []
        self._columns: tuple[Variable, ...] = CONSTRUCTED
        self._now: float = NEVER
        self._passing = True  # whether the instant is not over yet
        self._known: set[Occurrence] = set()
        self._constructed: set[Occurrence] = set()
        self._count = 0
        self._columnar: ColumnarTree | None = None
        self._detection: Detection | None = None
        self._question = Question() if query.form is Form.ASK else None
        self._description = (
            Description(self._dictionary, query.described) if query.form is Form.DESCRIBE else None
        )

    # --- from outside -----------------------------------------------------------------------

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary by which batches need not be encoded again."""
        return self._dictionary

    @property
    def answered(self) -> bool:
        """True if no further result can come: the answer of ASK is yes."""
        return self._question is not None and self._question.answered

    def feed(self, item: StreamItem) -> list[IntervalSolution] | list[bool]:
        """Return the solutions that this item makes final."""
        if self._question is not None:
            return self._question.answers(self._rows(item))
        return self._solutions(self._rows(item))

    def feed_batch(self, batch: GraphBatch) -> list[IntervalSolution] | list[bool]:
        """Return the solutions that these items make final: as of `feed`, item by item

        A batch over the engine's own dictionary is not encoded again. What of other batches is to
        come has to be retained in the dictionary: it may be swept.
        """
        if self.readings.policy != "unrestricted":
            found: list[Any] = []
            for item in list(batch.items()):  # decoded before anything is swept
                found += self.feed(item)
            return found
        if self._question is None:
            return self._solutions(self._rows_of_batch(batch))
        if self.answered:
            return []
        return self._question.answers(self._rows_of_batch(batch))

    def finish(self) -> list[IntervalSolution] | list[bool]:
        """Return the solutions that the end of the stream makes final."""
        if self._question is not None:
            return [] if self.answered else self._question.answers(self._last(), ended=True)
        return self._solutions(self._last())

    def _rows(self, item: StreamItem) -> TimedRows:
        if self.readings.policy != "unrestricted":
            return self._detected(item)
        rows = self._begun(item.kind) + self._until(item.end)
        self.leave_columns()
        if self._dictionary.due and not self._known:
            self._sweep(rows)
        encode = self._dictionary.encode
        occurrences = [
            (encode(s), encode(p), encode(o), item.start, item.end) for s, p, o in item.graph
        ]
        return rows + self._fed(self._stages[0], occurrences)

    def _until(self, time: int) -> TimedRows:
        """End the instant before this one; return its solutions."""
        rows: TimedRows = []
        if time != self._now:
            if self._passing:
                rows = self._ended(self._stages[0])
            self._now = time
            self._passing = True
        return rows

    def _rows_of_batch(self, batch: GraphBatch) -> TimedRows:
        if not len(batch):
            return []
        if batch.dictionary is not self._dictionary:
            from ..rdf.columns.batch import batch_of

            batch = batch_of(list(batch.items()), self._dictionary)
        rows = self._begun(batch.kind) + self._until(int(batch.time[0]))
        if self._dictionary.due:
            for column in (batch.subject, batch.predicate, batch.object):
                self._dictionary.retain(column.tolist())
            for occurrence in self._known:
                self._dictionary.retain(occurrence[:3])
            self._sweep(rows)
        columnar = self._in_columns(batch)
        if columnar is None:
            return rows + self._one_by_one(batch)
        found, self._known = columnar.push(batch, self._known, self._now)
        self._now = int(batch.time[-1])
        return rows + found

    def _in_columns(self, batch: GraphBatch) -> ColumnarTree | None:
        """Return the columnar tree that takes the batch, if that is possible."""
        if self._columnar is None:
            stage = self._stages[0]
            if stage.select is None or stage.strata or len(self._stages) > 1 or (
                self._schema.speaks or self._description is not None
            ):
                return None
            from .columnar.columnar_tree import ColumnarTree

            self._columnar = ColumnarTree(stage.select, self._dictionary)
        return self._columnar if self._columnar.takes(batch) else None

    def _one_by_one(self, batch: GraphBatch) -> TimedRows:
        self.leave_columns()
        rows: TimedRows = []
        columns = (batch.subject, batch.predicate, batch.object)
        triples = list(zip(*(column.tolist() for column in columns), strict=True))
        ends, starts, offsets = (
            column.tolist() for column in (batch.time, batch.start, batch.offsets)
        )
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            rows += self._until(end)
            here = triples[offsets[number]:offsets[number + 1]]
            rows += self._fed(self._stages[0], [(s, p, o, start, end) for s, p, o in here])
        return rows

    def arrive(self, arrival: StreamItem | Watermark) -> list[IntervalSolution] | list[bool]:
        """Return the solutions that an item, or the end of an instant, makes final."""
        if isinstance(arrival, Watermark):
            return self.advance(arrival.time)
        return [] if self.answered else self.feed(arrival)

    def advance(self, time: int) -> list[IntervalSolution] | list[bool]:
        """Return the solutions that are final, since no item ends earlier than `time` any more."""
        if self._question is not None:
            return self._question.answers(self._passed(time))
        return self._solutions(self._passed(time))

    def _passed(self, time: int) -> TimedRows:
        if self._detection is not None:
            return self._formed(self._detection.advance(time))
        if not self._stages or not self._passing or time <= self._now:
            return []
        self._passing = False
        return self._ended(self._stages[0])

    def _last(self) -> TimedRows:
        if self.readings.policy != "unrestricted":
            if self._detection is not None:
                return self._formed(self._detection.finish())
            check_times(self.query, TimeKind.INTEGER)
            return []
        rows = self._begun(TimeKind.INTEGER if self._kind is None else self._kind)
        if self._passing:
            rows += self._ended(self._stages[0])
        stage = self._stages[0]
        for following in self._stages[1:]:
            rows += self._replayed(stage, following)
            stage = following
        if stage.select is not None:
            rows += self._formed(stage.select.settle(FOREVER))
        return rows

    def _detected(self, item: StreamItem) -> TimedRows:
        """Return the detected matches of the query's sequence under a policy."""
        detection = self._detection or self._detecting_from(item.end, item.kind)
        rows, occurrences = detection.feed(item)
        rows = self._formed(rows, occurrences)
        if self._dictionary.due:
            for ids in detection.held():
                self._dictionary.retain(ids)
            self._sweep(rows)
        return rows

    def _detecting_from(self, time: int, kind: TimeKind) -> Detection:
        """Compile the detection that begins at this instant, of this kind of time."""
        from ...semantics.rsepql.syntax.tree import Moment
        from .policies import Detection  # RSEP-QL and its engine are for these only

        first = Moment(time, kind)
        check_times(self.query, first.kind)
        static, named = self._background()
        compiler = Compiler(self._dictionary, first.kind, self.readings, named)
        detecting = self._given[1] if len(self._given) > 1 else None
        self._first = first
        self._detection = Detection(
            self.query, self.readings, self._kb, first, self._dictionary, self._schema, compiler,
            detecting,
        )
        self._detection.tree.push(static)  # which EXISTS sees
        self._project(self._detection.tree)
        return self._detection

    # --- left and taken up ------------------------------------------------------------------

    def leave_columns(self) -> None:
        """Move the state from columns to the nodes."""
        if self._columnar is not None:
            self._columnar.deactivate()

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """The dictionaries whose ids the engine stores."""
        if self._detection is None:
            return (self._dictionary,)
        return (self._dictionary, self._detection.dictionary)

    def compile_parameters(self) -> dict[str, int | str]:
        """Return the compile-time parameters inferred from the input, such as the time kind."""
        if self._first is not None:
            return {"kind": self._first.kind.name, "first": self._first.value}
        return {} if self._kind is None else {"kind": self._kind.name}

    def compile(self, parameters: Mapping[str, Any]) -> None:
        """Compile for the parameters of another run."""
        if "first" in parameters:
            self._detecting_from(parameters["first"], TimeKind[parameters["kind"]])
        elif "kind" in parameters:
            self._begun(TimeKind[parameters["kind"]])

    def statistics(self) -> Statistics:
        """Return the sizes of the state."""
        rows = sum(1 for stage in self._stages for tree in stage.trees() for _ in tree.held())
        if self._columnar is not None:
            rows += len(self._columnar)
        return Statistics(rows, len(self._dictionary))

    def _solutions(self, rows: TimedRows) -> list[IntervalSolution]:
        decode = self._dictionary.decode
        columns = self._columns
        return [
            IntervalSolution(int(start), int(end), SolutionMapping({
                variable: decode(number)
                for variable, number in zip(columns, ids, strict=True)
                if number != UNBOUND
            }))
            for ids, start, end in rows
            if end != NEVER
        ]

    # --- begin ------------------------------------------------------------------------------

    def _begun(self, kind: TimeKind) -> TimedRows:
        """Compile for the first item's kind of time, and feed the background."""
        if self._kind is not None:
            return []
        self._kind = kind
        check_times(self.query, kind)
        static, named = self._background()
        self._stages = self._compiled(kind, named)
        rows = self._fed(self._stages[0], static, force=True)
        return rows + self._ended(self._stages[0])

    def _background(self) -> tuple[list[Occurrence], dict[int, list[Occurrence]]]:
        """Return the background that matches everywhere, and that which GRAPH names."""
        clause = self.query.dataset
        entailment = self.readings.entailment
        dictionary = self._dictionary
        default = EMPTY_GRAPH.union(*(
            graph for iri, graph in self._kb.items() if clause is None or iri in clause.default
        ))
        triples = dictionary.background(default, entailment).triples
        if entailment == "rdfs":
            self._schema = Schema(dictionary, triples)
        named = {
            dictionary.encode(iri, permanent=True): [
                (s, p, o, FOREVER, NEVER)
                for s, p, o in dictionary.background(graph, entailment).triples
            ]
            for iri, graph in self._kb.items()
            if clause is None or iri in clause.named
        }
        if self.readings.background == "named":
            return [], named
        return [(s, p, o, FOREVER, NEVER) for s, p, o in triples], named

    def _compiled(self, kind: TimeKind, named: Mapping[int, list[Occurrence]]) -> list[Stage]:
        def compiler() -> Compiler:
            return Compiler(self._dictionary, kind, self.readings, named)

        rules = self.query.rules
        stages = [Stage()]
        for stratum in strata(rules, self.readings.leftjoin, self._schema.inferable):
            running = [RuleEvaluation(rules[i], compiler()) for i in stratum.rules]
            if stratum.timewise:
                stages[-1].strata.append(running)
            else:
                stages[-1].tail = running
                stages[-1].tail_rows = [[] for _ in running]
                stages[-1].again = compiler if stratum.recursive else None
                stages.append(Stage())
        if self.query.select is not None:
            own = compiler()
            root = compile_select(own, self.query.select)
            stages[-1].select = Tree(root, own.scope)
            self._project(stages[-1].select)
        return stages

    def _project(self, tree: Tree) -> None:
        """Set the columns of the results."""
        if self._description is None:
            self._columns = tree.layout.columns

    def _formed(self, rows: TimedRows, occurrences: Sequence[Occurrence] = ()) -> TimedRows:
        """Return the results of the query's form for new solutions, among new occurrences."""
        if self._description is None:
            return rows
        return self._description.occurred(occurrences) + self._description.found(rows)

    # --- one instant ------------------------------------------------------------------------

    def _fed(
        self, stage: Stage, occurrences: Sequence[Occurrence], *, force: bool = False
    ) -> TimedRows:
        """Process new occurrences of this instant and their immediate conclusions by rules."""
        fresh = self._admitted(occurrences)
        if not fresh and not force:
            return []
        everything = list(fresh)
        out: TimedRows = []
        for rules in stage.strata:
            out += self._saturated(rules, list(everything), everything, force=force)
        return out + self._delivered(stage, everything, force=force)

    def _ended(self, stage: Stage) -> TimedRows:
        """Return the solutions that waited for the instant's end, and conclusions from them."""
        t = self._now
        everything: list[Occurrence] = []
        out: TimedRows = []
        for rules in stage.strata:
            out += self._saturated(rules, list(everything), everything)
            while True:
                new: list[Occurrence] = []
                for rule in rules:
                    new += self._made(rule, rule.settled(t), out)
                fresh = self._admitted(new)
                if not fresh:
                    break
                everything += fresh
                self._check(rules[0], 0)
                out += self._saturated(rules, fresh, everything)
        out += self._delivered(stage, everything)
        for rule, rows in zip(stage.tail, stage.tail_rows, strict=True):
            rows += rule.settled(t)
        if stage.select is not None:
            out += self._formed(stage.select.settle(t))
        self._forget(stage, t)
        return out

    def _saturated(
        self,
        rules: Sequence[RuleEvaluation],
        pending: list[Occurrence],
        everything: list[Occurrence],
        *,
        force: bool = False,
    ) -> TimedRows:
        """Apply the rules of one stratum to the fixpoint."""
        out: TimedRows = []
        rounds = 0
        while pending or force:
            force = False
            new: list[Occurrence] = []
            for rule in rules:
                new += self._made(rule, rule.tree.push(pending), out)
            pending = self._admitted(new)
            everything += pending
            rounds += bool(pending)
            self._count += len(pending)
            self._check(rules[0], rounds)
        return out

    def _check(self, rule: RuleEvaluation, rounds: int) -> None:
        if beyond(rounds, self._count):
            assert self._kind is not None
            raise unbounded(rule.rule, self._now, self._kind)

    def _made(self, rule: RuleEvaluation, rows: TimedRows, out: TimedRows) -> list[Occurrence]:
        """Return the triples that the rule constructs."""
        return self._reported(rule.constructed(rows), out) if rows else []

    def _reported(self, made: list[Occurrence], out: TimedRows) -> list[Occurrence]:
        """Add the constructed triples to the results if there is no SELECT; return them."""
        if self.query.select is None:
            for occurrence in made:
                if occurrence not in self._constructed:
                    self._constructed.add(occurrence)
                    s, p, o, start, end = occurrence
                    out.append(((s, p, o), start, end))
        return made

    def _admitted(self, occurrences: Iterable[Occurrence]) -> list[Occurrence]:
        """Return the occurrences new at this instant, with the schema's conclusions from them."""
        fresh: list[Occurrence] = []
        known = self._known
        conclusions = self._schema.conclusions
        for occurrence in occurrences:
            if occurrence in known:
                continue
            known.add(occurrence)
            fresh.append(occurrence)
            start, end = occurrence[3:]
            for s, p, o in conclusions(occurrence[:3]):
                further = (s, p, o, start, end)
                if further not in known:
                    known.add(further)
                    fresh.append(further)
        return fresh

    def _delivered(
        self, stage: Stage, occurrences: list[Occurrence], *, force: bool = False
    ) -> TimedRows:
        """Pass on all new occurrences to the nodes behind the strata."""
        if not occurrences and not force:
            return []
        if stage.tail:
            stage.log += occurrences
        for rule, rows in zip(stage.tail, stage.tail_rows, strict=True):
            rows += rule.tree.push(occurrences)
        if stage.select is None:
            return []
        return self._formed(stage.select.push(occurrences), occurrences)

    def _forget(self, stage: Stage, t: float) -> None:
        self._known.clear()
        self._count = 0
        if len(self._stages) == 1:
            self._constructed.clear()
        for rules in stage.strata:
            for rule in rules:
                rule.forget(t)
        for rule in stage.tail:
            rule.tree.forget(t)
        if stage.select is not None:
            stage.select.forget(t)

    def _sweep(self, rows: TimedRows) -> None:
        """Evict terms that no state and no row contains; between two instants only."""
        for ids, _, _ in rows:
            self._dictionary.retain(ids)
        for ids in self._description.held() if self._description is not None else ():
            self._dictionary.retain(ids)
        for stage in self._stages:
            for tree in stage.trees():
                for ids in tree.held():
                    self._dictionary.retain(ids)
            for occurrence in stage.log:
                self._dictionary.retain(occurrence[:3])
            for rows in stage.tail_rows:
                for row, _, _ in rows:
                    self._dictionary.retain(row)
        for each in self._constructed:
            self._dictionary.retain(each[:3])
        if self._columnar is not None:
            self._dictionary.retain(self._columnar.held())
        self._dictionary.sweep()

    # --- further stages ---------------------------------------------------------------------

    def _replayed(self, before: Stage, stage: Stage) -> TimedRows:
        """Run the next stage over the input of the one before and its last rules' conclusions."""
        out: TimedRows = []
        occurrences = self._at_the_end(before, out)
        at = 0
        self._now = NEVER
        first = True
        while at < len(occurrences) or first:
            end = occurrences[at][4] if at < len(occurrences) else NEVER
            if first and end != NEVER:
                out += self._fed(stage, [], force=True)
                out += self._ended(stage)
            first = False
            if at >= len(occurrences):
                break
            last = at
            while last < len(occurrences) and occurrences[last][4] == end:
                last += 1
            self._now = end
            out += self._fed(stage, occurrences[at:last], force=end == NEVER)
            out += self._ended(stage)
            at = last
        return out


    def _at_the_end(self, stage: Stage, out: TimedRows) -> list[Occurrence]:
        """Return a stage's occurrences and those of its last rules, in the order of ends."""
        made: list[Occurrence] = []
        for rule, rows in zip(stage.tail, stage.tail_rows, strict=True):
            made += self._made(rule, rows + rule.settled(FOREVER), out)
        self._known = set(stage.log)
        occurrences = stage.log
        stage.log, stage.tail_rows = [], []
        rounds = constructed = 0
        while fresh := self._admitted(made):
            occurrences = sorted([*occurrences, *fresh], key=lambda each: each[4])
            if stage.again is None:
                break
            rounds += 1
            constructed += len(fresh)
            if beyond(rounds, constructed):
                assert self._kind is not None
                raise unbounded(stage.tail[0].rule, NEVER, self._kind)
            made = []
            for rule in stage.tail:
                made += self._reported(rule.over(occurrences, stage.again()), out)
        self._known = set()
        return sorted(occurrences, key=lambda each: each[4])
