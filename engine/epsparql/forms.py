"""What ASK and DESCRIBE make of solutions, one batch at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...semantics.model.terms import BNode, URIRef
from ..checkpoints.declared import stateful
from ..rdf.data.dictionary import Dictionary
from ..rdf.data.layout import IdRow
from .rows import NEVER, Occurrence, TimedRows


@stateful(kept=("answered",))
class Question:
    """ASK: whether there is a solution that has a time; true is certain with the first one"""

    def __init__(self) -> None:
        self.answered = False

    def answers(self, rows: TimedRows, *, ended: bool = False) -> list[bool]:
        """The answer, once it is certain"""
        if self.answered:
            return []
        found = any(end != NEVER for _, _, end in rows)
        self.answered = found or ended
        return [found] if self.answered else []


@stateful(kept=("_described", "_waiting"), compiled=("_dictionary",))
class Description:
    """DESCRIBE: the occurrences whose subject is described, at once or when a solution says so"""

    def __init__(self, dictionary: Dictionary, named: Iterable[URIRef]) -> None:
        self._dictionary = dictionary
        self._described = {dictionary.encode(iri, permanent=True) for iri in named}
        self._waiting: defaultdict[int, list[Occurrence]] = defaultdict(list)

    def occurred(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        """What new occurrences say of what is described"""
        out: TimedRows = []
        for occurrence in occurrences:
            if occurrence[0] in self._described:
                out += self._told(occurrence)
            else:
                self._waiting[occurrence[0]].append(occurrence)
        return out

    def found(self, rows: TimedRows) -> TimedRows:
        """What is said of the resources of new solutions"""
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
        """The occurrence, and what is said of its object if that is a blank node"""
        s, p, o, start, end = occurrence
        out: TimedRows = [((s, p, o), start, end)] if end != NEVER else []
        if isinstance(self._dictionary.decode(o), BNode):
            out += self._of(o)
        return out

    def held(self) -> Iterator[IdRow]:
        """The ids that are remembered"""
        yield tuple(self._described)
        for occurrences in self._waiting.values():
            yield from (occurrence[:3] for occurrence in occurrences)
