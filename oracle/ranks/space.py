"""A space: all cases of a language within bounds, in one order, each known by its number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from rdflib.term import URIRef

from ..inputs.numbered import NumberedQueries
from ..languages.enumeration import Bounds, BoundsError, Enumeration, blocks
from ..languages.readings import non_default
from ..languages.registry import part_of
from ..sweeps.corpus_file import CorpusRow, background_text, json_text
from .numbered_streams import MOST_CASES, NumberedStreams


@dataclass(frozen=True)
class Run:
    """The cases from the rank `first` on that have one query, which differ in their streams.

    `number` is the first one's place in its block. `streams` are the streams of each as numbers:
    `given` makes what the data model has of them, `row` a text.
    """

    first: int
    number: int
    query: Any
    enumeration: Enumeration[Any, Any, Any]
    about: Any
    streams: NumberedStreams
    operators: int
    events: int

    def __len__(self) -> int:
        return len(self.streams)

    @property
    def language(self) -> str:
        """The name of the query's language."""
        return self.enumeration.language

    @property
    def readings(self) -> Any:
        """The readings of all cases."""
        return self.enumeration.readings

    @cached_property
    def beside(self) -> Mapping[str, Any]:
        """The common parts of all cases beside query and streams, by `kb` and `evaluation`."""
        return self.enumeration.beside(self.about)

    @cached_property
    def text(self) -> str:
        """The query's text."""
        return self.enumeration.text(self.query)

    def given(self, i: int) -> Mapping[URIRef, tuple[Any, ...]]:
        """Return a case's streams as `Case.streams` does; equal graphs are the same object."""
        return self.enumeration.items(self.about, self.streams[i])

    def row(self, i: int) -> CorpusRow:
        """Return a case as a row of a corpus."""
        enumeration = self.enumeration
        return CorpusRow(
            id=f"{enumeration.called}-{self.operators}-{self.events}-{self.number + i:07d}",
            language=self.language,
            query=self.text,
            prefixes=json_text(enumeration.prefixes),
            streams=enumeration.written(self.about, self.streams[i]),
            kb=self._background,
            readings=json_text(non_default(self.readings)),
            evaluate=json_text(self.beside.get("evaluation", {})),
            operators=self.operators,
            events=self.events,
        )

    @cached_property
    def _background(self) -> str:
        prefixes, graphs = self.enumeration.prefixes, self.beside.get("kb", {})
        return json_text({
            str(name): background_text(each, prefixes) for name, each in graphs.items()
        })


_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Block:
    """All cases with exactly so many operators and events; `first` is the rank of the first."""

    operators: int
    events: int
    first: int
    cases: int

    @property
    def end(self) -> int:
        """The rank after the last."""
        return self.first + self.cases

    def sample(self, limit: int) -> Iterator[int]:
        """Yield the ranks of so many of them, ascending, one from each of equal parts; all if there
        are no more."""
        taken = min(limit, self.cases)
        for part in range(taken):
            start, end = (self.cases * k // taken for k in (part, part + 1))
            yield self.first + start + int(part * _GOLDEN % 1 * (end - start))


@dataclass(frozen=True, slots=True)
class _Part:
    """A family in a block: the places of its cases."""

    first: int
    end: int
    family: NumberedQueries[Any, Any]


class Space:
    """All cases of a language within bounds.

    Language and bounds are all that it is made of: who knows them has the same space. Raises
    BoundsError, ReadingError or QueryError for bounds that the language does not have.
    """

    def __init__(self, language: str, bounds: Bounds) -> None:
        if min(bounds.operators, bounds.length) < 0:
            raise BoundsError("there are no cases of fewer than 0 operators or events")
        self.language = language
        self.bounds = bounds
        self.enumeration: Enumeration[Any, Any, Any] = part_of(language, "enumerate").ENUMERATION(
            bounds
        )
        self._parts: dict[tuple[int, int], list[_Part]] = {}

    @classmethod
    def of(cls, language: str, bounds: Bounds) -> Space:
        """Return the space of a language within bounds."""
        return cls(language, bounds)

    def __reduce__(self) -> tuple[Any, ...]:
        return Space.of, (self.language, self.bounds)

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks, the smallest first."""
        return tuple(self.growing())

    def growing(self) -> Iterator[Block]:
        """Yield the blocks one by one, each as soon as it is counted.

        Raises BoundsError once there are more cases than numbers for them.
        """
        first = 0
        for operators, events in blocks(self.bounds.operators, self.bounds.length):
            yield (block := Block(operators, events, first, self.count(operators, events)))
            first = block.end
            if first > MOST_CASES:
                raise BoundsError(
                    f"there are more than {MOST_CASES:,} cases: ask for fewer operators or events"
                )

    @property
    def cases(self) -> int:
        """The number of cases."""
        return self.blocks[-1].end

    def block(self, operators: int, events: int) -> Block:
        """Return the block with these numbers of operators and events."""
        return next(
            each for each in self.blocks if (each.operators, each.events) == (operators, events)
        )

    def count(self, operators: int, events: int) -> int:
        """Return the number of cases with exactly `operators` operators and `events` events."""
        return self._families(operators, events)[-1].end

    def queries(self, operators: int) -> int:
        """Return the number of queries with exactly `operators` operators."""
        return sum(family.total(lambda _: 1) for family in self.enumeration.families(operators))

    def _families(self, operators: int, events: int) -> list[_Part]:
        """Return the families of a block, and where each begins and ends in it."""
        if (operators, events) not in self._parts:
            weight = self._weight(events)
            parts: list[_Part] = []
            end = 0
            for family in self.enumeration.families(operators):
                parts.append(_Part(end, end := end + family.total(weight), family))
            self._parts[operators, events] = parts
        return self._parts[operators, events]

    def _weight(self, events: int) -> Callable[[Any], int]:
        return cache(lambda about: self.enumeration.count(about, events))

    def runs(self, first: int, end: int) -> Iterator[Run]:
        """Yield the cases with the ranks first <= rank < end, cut where the query changes."""
        for block in self.blocks:
            if block.first < end and first < block.end:
                yield from self._of_block(block, max(first, block.first), min(end, block.end))

    def _of_block(self, block: Block, first: int, end: int) -> Iterator[Run]:
        families = self._families(block.operators, block.events)
        weight = self._weight(block.events)
        while first < end:
            place = first - block.first
            part = families[bisect_right(families, place, key=lambda each: each.first) - 1]
            query, about, start = part.family.at(place - part.first, weight)
            stop = min(weight(about), start + end - first)
            yield Run(
                first, place, query, self.enumeration, about,
                self.enumeration.streams(about, block.events)[start:stop],
                block.operators, block.events,
            )
            first += stop - start

    def row(self, rank: int) -> CorpusRow:
        """Return the case of this rank as a corpus row. Raises IndexError if there is none."""
        for run in self.runs(rank, rank + 1):
            return run.row(0)
        raise IndexError(f"no case has the rank {rank}")

    def rows(self, first: int = 0, end: int | None = None) -> Iterator[CorpusRow]:
        """Yield the cases with these ranks, or all, as rows of a corpus."""
        for run in self.runs(first, self.cases if end is None else end):
            for place in range(len(run)):
                yield run.row(place)

    def sample(self, limit: int) -> Iterator[int]:
        """Yield the ranks of so many cases: whole blocks as long as they fit, and of the block that
        does not fit a sample."""
        for block in self.growing():
            yield from block.sample(limit)
            limit -= min(limit, block.cases)
            if not limit:
                return
