"""The cases of an enumeration, by their ranks: no file, and nothing but numbers on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import pairwise
from json import dumps
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ....semantics.model.errors import CaseError
from ...judging.batches import BatchJudge, BatchVerdict
from ...judging.verdicts import Outcome
from ...languages.enumeration import Bounds
from ...ranks.certificates.certificate import so_many
from ...ranks.space import Space
from ...reports.tally import Tally
from ..corpus_file import CorpusRow
from ..row_verdicts import RowVerdict, row_verdict, verdict_batch
from ..verdict_files import VerdictFiles
from ..verdict_sum import SPARK_SUMS, VerdictSum
from .case_source import Chunk, Frames, Judging, SweepPlan
from .tasks import judged_pieces, tasks_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TOGETHER = 2_000
"""So many cases are lost to the ordinary judge if the batch's process is lost."""

_SAMPLES = 16
"""A sample is taken from so many places."""


@dataclass(frozen=True, slots=True)
class RankPiece:
    """The cases of a space with `first` <= rank < `end`."""

    language: str
    bounds: Bounds
    first: int
    end: int

    def sums(self, judging: Judging) -> Iterator[VerdictSum]:
        """Judge them by the batch."""
        total = VerdictSum()
        space, judge = _judge_for(self.language, self.bounds, judging)
        for first in range(self.first, self.end, _TOGETHER):
            end = min(first + _TOGETHER, self.end)
            total.add(_sum(judge.judged(first, end), space, judging.rows))
            total.renewed += judge.renewed(judging.most_held)
        yield total


def pieces_of_ranks(
    batch: pa.RecordBatch, *, space: tuple[str, Bounds], chunk: Chunk, tasks: int
) -> list[RankPiece]:
    """The pieces of a chunk that these tasks, which are numbers, have to judge."""
    return [
        RankPiece(*space, *(chunk.first + chunk.rows * each // tasks for each in (task, task + 1)))
        for task in batch.column(0).to_pylist()
    ]


@dataclass(frozen=True)
class RankSource:
    """All cases of a language within bounds; a case's number is its rank."""

    language: str
    bounds: Bounds
    usual_chunk: int = field(default=50_000, init=False)
    usual_rows: str = field(default="against", init=False)

    @cached_property
    def space(self) -> Space:
        """The space; raises BoundsError for bounds that the language does not have."""
        return Space.of(self.language, self.bounds)

    @property
    def name(self) -> str:
        return f"all cases of {self.language} with {so_many(self.bounds)}"

    def identity(self) -> dict[str, Any]:
        """Language and bounds, and a hash of both and of how many cases they have."""
        bounds = {**asdict(self.bounds), "readings": dict(self.bounds.readings)}
        told = dumps([self.language, bounds, self.space.cases], sort_keys=True)
        return {
            "corpus": self.name,
            "fingerprint": blake2b(told.encode(), digest_size=16).hexdigest(),
            "language": self.language,
            "bounds": bounds,
        }

    def plan(self, chunk: int, limit: int | None) -> SweepPlan:
        """The chunks of the first `limit` ranks."""
        cases = self.space.cases if limit is None else min(limit, self.space.cases)
        if cases == 0:
            raise CaseError("there is no case within these bounds")
        return SweepPlan(tuple(
            Chunk(index, first, min(first + chunk, cases), min(chunk, cases - first))
            for index, first in enumerate(range(0, cases, chunk))
        ))

    def rows(self, numbers: Sequence[int]) -> Iterator[CorpusRow]:
        """The cases of these ranks as rows."""
        return (replace(self.space.row(rank), number=rank) for rank in numbers)

    def sample(self, size: int, limit: int | None) -> Sequence[RankPiece]:
        """Ranges of ranks, from everywhere."""
        cases = self.space.cases if limit is None else min(limit, self.space.cases)
        pieces = max(1, min(_SAMPLES, size, cases))
        places = [cases * place // pieces for place in range(pieces + 1)]
        return [
            RankPiece(self.language, self.bounds, first, min(end, first + max(1, size // pieces)))
            for first, end in pairwise(places)
        ]

    def tally(self, verdicts: VerdictFiles, rows: str) -> Tally:
        """The verdicts of the language; what the cases asked for is not looked up."""
        tally = Tally()
        for chunk in verdicts.read():
            for outcome, count in chunk.outcomes.items():
                tally.add(self.language, {}, Outcome(outcome), count)
        return tally

    def frames(
        self,
        session: SparkSession,
        judging: Judging,
        *,
        partitions: int | None,
        planned: SweepPlan,
        search_path: tuple[str, ...],
    ) -> Frames:
        """A task gets its number, and makes its cases itself."""

        def frame(chunk: Chunk) -> Any:
            tasks = partitions or tasks_of(chunk, session)
            pieces = partial(
                pieces_of_ranks, space=(self.language, self.bounds), chunk=chunk, tasks=tasks
            )
            judge = partial(judged_pieces, pieces=pieces, judging=judging, search_path=search_path)
            return session.range(0, tasks, 1, tasks).mapInArrow(judge, SPARK_SUMS)

        return frame


# --- judging -------------------------------------------------------------------------------------

_judging: list[tuple[Any, Space, BatchJudge]] = []
"""What this process judges: it keeps its judge from task to task, with what that has compiled."""


def _judge_for(language: str, bounds: Bounds, judging: Judging) -> tuple[Space, BatchJudge]:
    key = (language, bounds, judging.engine, judging.timeout)
    if not _judging or _judging[0][0] != key:
        for _, _, judge in _judging:
            judge.__exit__()
        _judging.clear()
        space = Space.of(language, bounds)
        judge = BatchJudge(language, judging.engine, judging.timeout, space.runs)
        _judging.append((key, space, judge))
    return _judging[0][1:]


def _sum(verdict: BatchVerdict, space: Space, rows: str) -> VerdictSum:
    """The verdicts on consecutive ranks, added up."""
    first, end = verdict.first, verdict.first + len(verdict.outcomes)
    asked = dict(verdict.asked)
    told = range(first, end) if rows == "all" else sorted(asked)
    silent = np.setdiff1d(np.arange(first, end), np.asarray(told, dtype=np.int64))
    found = VerdictSum.of_passes(silent)
    if told:
        every = len(told) == end - first
        cases = space.rows(first, end) if every else map(space.row, told)
        numbered = [replace(row, number=rank) for rank, row in zip(told, cases, strict=True)]
        verdicts = [
            row_verdict(asked[rank]) if rank in asked else RowVerdict("pass") for rank in told
        ]
        found.add(VerdictSum.of(verdict_batch(numbered, verdicts), rows))
    if asked and verdict.why:
        found.alone[verdict.why] = len(asked)
        found.ranges = [(min(asked), max(asked) + 1, verdict.why)]
    return found
