"""The query forms ASK and DESCRIBE over batches of solutions, and CONSTRUCT rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...semantics.epsparql.syntax.tree import Rule
from ...semantics.model.terms import BNode, Literal, URIRef, Variable
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import UNBOUND, Dictionary
from ..rdf.data.layout import IdRow
from .compile import Compiler
from .nodes import NEVER, Occurrence, TimedRow, TimedRows


@stateful(kept=("answered",))
class Question:
    """ASK: whether there is a solution that has a time; true is certain with the first one."""

    def __init__(self) -> None:
        self.answered = False

    def answers(self, rows: TimedRows, *, ended: bool = False) -> list[bool]:
        """Return the answer, once it is final."""
        if self.answered:
            return []
        found = any(end != NEVER for _, _, end in rows)
        self.answered = found or ended
        return [found] if self.answered else []


@stateful(kept=("_described", "_waiting"), compiled=("_dictionary",))
class Description:
    """DESCRIBE: the occurrences whose subject is described, at once or when a solution says so."""

    def __init__(self, dictionary: Dictionary, named: Iterable[URIRef]) -> None:
        self._dictionary = dictionary
        self._described = {dictionary.encode(iri, permanent=True) for iri in named}
        self._waiting: defaultdict[int, list[Occurrence]] = defaultdict(list)

    def occurred(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        """Return the descriptions' triples among new occurrences."""
        out: TimedRows = []
        for occurrence in occurrences:
            if occurrence[0] in self._described:
                out += self._told(occurrence)
            else:
                self._waiting[occurrence[0]].append(occurrence)
        return out

    def found(self, rows: TimedRows) -> TimedRows:
        """Return the triples about the resources of new solutions."""
        out: TimedRows = []
        for ids, _, _ in rows:
            for number in ids:
                out += self._of(number)
        return out

    def _of(self, resource: int) -> TimedRows:
        if resource in self._described:
            return []
        self._described.add(resource)
        out: TimedRows = []
        for occurrence in self._waiting.pop(resource, ()):
            out += self._told(occurrence)
        return out

    def _told(self, occurrence: Occurrence) -> TimedRows:
        """Return the occurrence, and the description of its object if that is a blank node."""
        s, p, o, start, end = occurrence
        out: TimedRows = [((s, p, o), start, end)] if end != NEVER else []
        if isinstance(self._dictionary.decode(o), BNode):
            out += self._of(o)
        return out

    def held(self) -> Iterator[IdRow]:
        """Yield the ids in the state."""
        yield tuple(self._described)
        for occurrences in self._waiting.values():
            yield from (occurrence[:3] for occurrence in occurrences)


@stateful(
    kept=("_made",), parts=("tree",),
    compiled=("rule", "_dictionary", "_possible", "_needed", "_nodes", "_template", "_constants"),
)
class RuleEvaluation:
    """A rule with its tree of nodes."""

    def __init__(self, rule: Rule, compiler: Compiler) -> None:
        self.rule = rule
        self.tree = compiler.tree(rule.where)
        self._dictionary = dictionary = compiler.dictionary
        at = self.tree.layout.positions
        parts = [part for t in rule.template for part in (t.subject, t.predicate, t.object)]
        variables = {part for part in parts if isinstance(part, Variable)}
        self._possible = all(variable in at for variable in variables)
        self._needed = [at[variable] for variable in variables if variable in at]
        self._nodes = list(dict.fromkeys(part for part in parts if isinstance(part, BNode)))
        width = len(self.tree.layout.columns)
        constants: list[int] = []

        def place(part: object) -> int:
            """Return the column of a part: of the row, then the blank nodes, then the constants."""
            if isinstance(part, Variable):
                return at.get(part, 0)
            if isinstance(part, BNode):
                return width + self._nodes.index(part)
            assert isinstance(part, URIRef | Literal)
            constants.append(dictionary.encode(part, permanent=True))
            return width + len(self._nodes) + len(constants) - 1

        self._template = [
            (place(t.subject), place(t.predicate), place(t.object)) for t in rule.template
        ]
        self._constants = tuple(constants)
        self._made: dict[TimedRow, tuple[int, ...]] = {}

    def constructed(self, rows: Iterable[TimedRow]) -> list[Occurrence]:
        """Return the triples constructed from solutions; each gets new blank nodes."""
        if not self._possible:
            return []
        decode = self._dictionary.decode
        out: list[Occurrence] = []
        for row in rows:
            ids, start, end = row
            if any(ids[column] == UNBOUND for column in self._needed):
                continue
            whole = (*ids, *self._blank_nodes(row), *self._constants)
            for s, p, o in self._template:
                if not isinstance(decode(whole[s]), Literal) and isinstance(
                    decode(whole[p]), URIRef
                ):
                    out.append((whole[s], whole[p], whole[o], start, end))
        return out

    def _blank_nodes(self, row: TimedRow) -> tuple[int, ...]:
        if not self._nodes:
            return ()
        made = self._made.get(row)
        if made is None:
            encode = self._dictionary.encode
            made = self._made[row] = tuple(encode(BNode()) for _ in self._nodes)
        return made

    def over(self, occurrences: Sequence[Occurrence], compiler: Compiler) -> list[Occurrence]:
        """Return the triples constructed over a whole stream, given in the order of ends."""
        return self.constructed(compiler.tree(self.rule.where).over(occurrences))

    def forget(self, t: float) -> None:
        """Evict the state for solutions that end by t."""
        self._made.clear()
        self.tree.forget(t)

    def settled(self, t: float) -> TimedRows:
        """Return the rows that have become final."""
        return self.tree.settle(t)
