"""The sources of a sweep's cases: a corpus file, or the ranks of an enumeration; Spark's tasks."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, partial
from hashlib import blake2b
from itertools import islice, pairwise
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...semantics.model.errors import CaseError, DenotaError
from ...semantics.streams.files.input_errors import input_errors
from ..checking.batch_checker import BatchChecker, BatchVerdict
from ..checking.verdicts import Outcome
from ..languages.enumeration import Bounds
from ..ranks.certificates import so_many
from ..ranks.space import Space
from ..reports.run_result import Tally, asked_of
from .corpus_file import SPARK_CORPUS, CorpusRow, case_of, open_corpus, read_corpus, rows_of
from .manifest import SweepError
from .row_verdicts import RowVerdict, row_verdict, row_verdicts, verdict_batch, worker_for
from .verdict_files import VerdictFiles
from .verdict_sum import SPARK_SUMS, VerdictSum

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession





@dataclass(frozen=True, slots=True)
class Chunk:
    """The cases with `first` <= number < `end`; there are `rows` of them."""

    index: int
    first: int
    end: int
    rows: int


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The chunks that hold anything, in order."""

    chunks: tuple[Chunk, ...]
    queries: int = 0
    """The number of different queries among the first cases, if the source counts them."""

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """The settings of a check: engine, time limit in seconds a case, and verdicts with rows.

    An engine's process that holds more than `most_held` bytes between two cases is ended.
    """

    engine: str
    timeout: float
    rows: str = "all"
    most_held: int = 1 << 30


class Piece(Protocol):
    """Some cases that are checked in one process; it can be sent there."""

    def sums(self, settings: CheckSettings) -> Iterator[VerdictSum]:
        """Check them, a sum after the other."""


Frames: TypeAlias = Callable[[Chunk], "DataFrame"]
"""A function that returns the sums of a chunk as a lazy frame (`SPARK_SUMS`)."""


class CaseSource(Protocol):
    """A source of a sweep's cases; each has a number, its place there."""

    @property
    def name(self) -> str:
        """The name of the source, for people."""

    @property
    def usual_chunk(self) -> int:
        """The default number of cases that are committed at a time."""

    @property
    def usual_rows(self) -> str:
        """The default of the verdicts that have rows."""

    def identity(self) -> dict[str, Any]:
        """Return the source's entry in a manifest, with a `fingerprint` unique to it."""

    def plan(self, chunk: int, limit: int | None) -> SweepPlan:
        """Return the chunks of the first `limit` cases; raises CaseError if there is no case."""

    def rows(self, numbers: Sequence[int]) -> Iterator[CorpusRow]:
        """Return the cases of these numbers, in their order."""

    def sample(self, size: int, limit: int | None) -> Sequence[Piece]:
        """Return about `size` cases in pieces, spread over the first `limit`."""

    def tally(self, verdicts: VerdictFiles, rows: str) -> Tally:
        """Return the tally of verdicts on its first cases, of which `rows` says which have rows."""

    def frames(
        self,
        session: SparkSession,
        settings: CheckSettings,
        *,
        partitions: int | None,
        planned: SweepPlan,
        search_path: tuple[str, ...],
    ) -> Frames:
        """Return the frames of its chunks, each cut into `partitions` tasks (None: as suits it)."""


_ROWS_A_TASK = 250  # fewer are not worth a task
_TASKS_A_CORE = 4  # so that the last ones end at about the same time


def judged_pieces(
    batches: Iterable[pa.RecordBatch],
    *,
    pieces: Callable[[pa.RecordBatch], Sequence[Piece]],
    settings: CheckSettings,
    search_path: tuple[str, ...] = (),
) -> Iterator[pa.RecordBatch]:
    """Yield the sums of what batches stand for, each as a row (`SPARK_SUMS`).

    `search_path` is where else the engine's module may be found.
    """
    sys.path += [entry for entry in search_path if entry not in sys.path]
    again = _attempt()
    for batch in batches:
        for piece in pieces(batch):
            for found in piece.sums(settings):
                found.restarts, again = again, 0
                yield found.batch()
    _settled()


def tasks_of(chunk: Chunk, session: SparkSession) -> int:
    """Return the best number of tasks per chunk."""
    cores = session.sparkContext.defaultParallelism
    return min(max(chunk.rows // _ROWS_A_TASK, cores), _TASKS_A_CORE * cores)


@cache
def _settled() -> None:
    """Exclude the objects that this process holds after its first task from garbage collection.

    Spark collects garbage after every task, and would look through all of it: a tenth of a second.
    """
    gc.freeze()


def _attempt() -> int:
    """Return how often this task was begun before, in processes that were lost.

    It is a lower bound: a task of a repeated stage counts from 0, and Python does not see stages'
    attempts.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.attemptNumber())


# What tells whether equal queries are spread thinly enough to deal out whole.
_LOOKED_AT = 100_000

_BLOCK = 1 << 20
_PIECE = 250
_BATCH_ROWS = "1000"
_QUERIES_A_TASK = 8  # enough for tasks of about one size


@dataclass(frozen=True, slots=True)
class CorpusPiece:
    """Some rows of a corpus; best checked together are those with equal queries."""

    rows: list[CorpusRow]

    def sums(self, settings: CheckSettings) -> Iterator[VerdictSum]:
        """Check the rows one by one."""
        worker = worker_for(settings.engine, settings.timeout)
        verdicts = verdict_batch(self.rows, row_verdicts([worker], self.rows))
        total = VerdictSum.of(verdicts, settings.rows)
        total.renewed = int(worker.renewed(settings.most_held))
        yield total


def piece_of_rows(batch: pa.RecordBatch) -> list[CorpusPiece]:
    """Return the piece that a batch of rows is."""
    return [CorpusPiece(list(rows_of(batch)))]


@dataclass(frozen=True)
class CorpusSource:
    """The rows of a corpus file; a case's number is its row's."""

    path: Path
    usual_chunk: int = field(default=10_000, init=False)
    usual_rows: str = field(default="all", init=False)

    @property
    def name(self) -> str:
        return str(self.path)

    def identity(self) -> dict[str, Any]:
        """Return the path, and a hash of the file's bytes."""
        digest = blake2b(digest_size=16)
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return {"corpus": str(self.path), "fingerprint": digest.hexdigest()}

    def plan(self, chunk: int, limit: int | None) -> SweepPlan:
        """Return the chunks of the corpus's first `limit` rows, `chunk` row numbers each.

        Raises CaseError if the corpus is empty, two rows have one id, or it cannot be read: all of
        it is, so that nothing is checked of a file that is damaged.
        """
        with open_corpus(self.path) as file, input_errors(self.name, kind=CaseError):
            numbers = file.read(columns=["number"]).column("number").to_numpy()
            ids = file.read(columns=["id"]).column("id")
            queries = _distinct_queries(
                next(file.iter_batches(_LOOKED_AT, columns=["query"]), None)
            )
            for batch in file.iter_batches():
                batch.validate(full=True)
        _check_ids(ids, self.path)
        numbers = np.sort(numbers)[:limit]
        if len(numbers) == 0:
            raise CaseError("there is no case in this corpus", source=self.name)
        if numbers[0] < 0 or len(np.unique(numbers)) != len(numbers):
            raise CaseError("the rows' numbers are not different natural numbers", source=self.name)
        end = int(numbers[-1]) + 1
        held, counts = np.unique(numbers // chunk, return_counts=True)
        return SweepPlan(
            tuple(
                Chunk(int(index), int(index) * chunk, min((int(index) + 1) * chunk, end), int(rows))
                for index, rows in zip(held, counts, strict=True)
            ),
            queries,
        )

    def rows(self, numbers: Sequence[int]) -> Iterator[CorpusRow]:
        """Yield the rows of these numbers, in their order."""
        # The bounds let the reader leave out row groups.
        number = pc.field("number")
        near = (number >= min(numbers)) & (number <= max(numbers))
        table = pq.read_table(self.path, filters=near & number.isin(numbers)).sort_by("number")
        for batch in table.to_batches():
            yield from rows_of(batch)

    def sample(self, size: int, limit: int | None) -> Sequence[CorpusPiece]:
        """Return all rows of every k-th query, so that queries recur as in the corpus."""
        with open_corpus(self.path) as file:
            table = file.read()
        table = table.sort_by("number").slice(0, limit)
        if table.num_rows > size:
            codes = pc.dictionary_encode(table.column("query")).combine_chunks().indices.to_numpy()
            wanted = np.flatnonzero(codes % (table.num_rows // size) == 0)
            if len(wanted) > size:  # so few queries that one has more rows than the sample
                wanted = wanted[np.linspace(0, len(wanted) - 1, size).astype(np.int64)]
            table = table.take(pa.array(wanted))
        found = [row for batch in table.to_batches() for row in rows_of(batch)]
        rows = iter(sorted(found, key=lambda row: (row.query, row.number)))
        return [CorpusPiece(piece) for piece in iter(lambda: list(islice(rows, _PIECE)), [])]

    def tally(self, verdicts: VerdictFiles, rows: str) -> Tally:
        """Return the tally of verdicts on the first rows, by what they ask for."""
        if rows != "all":
            raise SweepError(
                "only a sweep with --verdict-rows all can be looked up in its corpus"
            )
        tally = Tally()
        outcomes = (
            Outcome(outcome) for chunk in verdicts.read()
            for outcome in chunk.rows.column("outcome").to_pylist()
        )
        for outcome, row in zip(outcomes, read_corpus(self.path), strict=False):
            try:
                asked = asked_of(case_of(row))
            except DenotaError:
                asked = {}
            tally.add(row.language, asked, outcome)
        return tally

    def frames(
        self,
        session: SparkSession,
        settings: CheckSettings,
        *,
        partitions: int | None,
        planned: SweepPlan,
        search_path: tuple[str, ...],
    ) -> Frames:
        """Return rows with equal queries go to one task, if there are enough different queries."""
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _BATCH_ROWS)
        rows = session.read.schema(SPARK_CORPUS).parquet(self.path.resolve().as_uri())
        check = partial(
            judged_pieces, pieces=piece_of_rows, settings=settings, search_path=search_path
        )

        def frame(chunk: Chunk) -> Any:
            number = rows["number"]
            tasks = partitions or tasks_of(chunk, session)
            keys = ["query"] if planned.queries >= _QUERIES_A_TASK * tasks else ["query", "number"]
            return (
                rows.where((number >= chunk.first) & (number < chunk.end))
                .repartition(tasks, *keys).sortWithinPartitions("query", "number")
                .mapInArrow(check, SPARK_SUMS)
            )

        return frame


def _distinct_queries(batch: pa.RecordBatch | None) -> int:
    return 0 if batch is None else int(pc.count_distinct(batch.column("query")).as_py())


def _check_ids(ids: pa.ChunkedArray, corpus: Path) -> None:
    if pc.count_distinct(ids).as_py() == len(ids):
        return
    counts = pc.value_counts(ids)
    twice = next(entry["values"] for entry in counts.to_pylist() if entry["counts"] > 1)
    raise CaseError(f"two cases have the id '{twice}'", source=str(corpus))


_TOGETHER = 2_000
"""The number of cases that go to the case checker if the batch's process is lost."""

_SAMPLES = 16
"""A sample is taken from so many places."""


@dataclass(frozen=True, slots=True)
class RankPiece:
    """The cases of a space with `first` <= rank < `end`."""

    language: str
    bounds: Bounds
    first: int
    end: int

    def sums(self, settings: CheckSettings) -> Iterator[VerdictSum]:
        """Check them by the batch."""
        total = VerdictSum()
        space, checker = _checker_for(self.language, self.bounds, settings)
        for first in range(self.first, self.end, _TOGETHER):
            end = min(first + _TOGETHER, self.end)
            total.add(_sum(checker.judged(first, end), space, settings.rows))
            total.renewed += checker.renewed(settings.most_held)
        yield total


def pieces_of_ranks(
    batch: pa.RecordBatch, *, space: tuple[str, Bounds], chunk: Chunk, tasks: int
) -> list[RankPiece]:
    """Return the pieces of a chunk that these tasks, which are numbers, have to check."""
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
        """Return language and bounds, and a hash of both and of how many cases they have."""
        bounds = {**asdict(self.bounds), "readings": dict(self.bounds.readings)}
        told = dumps([self.language, bounds, self.space.cases], sort_keys=True)
        return {
            "corpus": self.name,
            "fingerprint": blake2b(told.encode(), digest_size=16).hexdigest(),
            "language": self.language,
            "bounds": bounds,
        }

    def plan(self, chunk: int, limit: int | None) -> SweepPlan:
        """Return the chunks of the first `limit` ranks."""
        cases = self.space.cases if limit is None else min(limit, self.space.cases)
        if cases == 0:
            raise CaseError("there is no case within these bounds")
        return SweepPlan(tuple(
            Chunk(index, first, min(first + chunk, cases), min(chunk, cases - first))
            for index, first in enumerate(range(0, cases, chunk))
        ))

    def rows(self, numbers: Sequence[int]) -> Iterator[CorpusRow]:
        """Return the cases of these ranks as rows."""
        return (replace(self.space.row(rank), number=rank) for rank in numbers)

    def sample(self, size: int, limit: int | None) -> Sequence[RankPiece]:
        """Return ranges of ranks, from everywhere."""
        cases = self.space.cases if limit is None else min(limit, self.space.cases)
        pieces = max(1, min(_SAMPLES, size, cases))
        places = [cases * place // pieces for place in range(pieces + 1)]
        return [
            RankPiece(self.language, self.bounds, first, min(end, first + max(1, size // pieces)))
            for first, end in pairwise(places)
        ]

    def tally(self, verdicts: VerdictFiles, rows: str) -> Tally:
        """Return the verdicts of the language; what the cases asked for is not looked up."""
        tally = Tally()
        for chunk in verdicts.read():
            for outcome, count in chunk.outcomes.items():
                tally.add(self.language, {}, Outcome(outcome), count)
        return tally

    def frames(
        self,
        session: SparkSession,
        settings: CheckSettings,
        *,
        partitions: int | None,
        planned: SweepPlan,
        search_path: tuple[str, ...],
    ) -> Frames:
        """Return frames of task numbers; a task makes its cases itself."""

        def frame(chunk: Chunk) -> Any:
            tasks = partitions or tasks_of(chunk, session)
            pieces = partial(
                pieces_of_ranks, space=(self.language, self.bounds), chunk=chunk, tasks=tasks
            )
            check = partial(
                judged_pieces, pieces=pieces, settings=settings, search_path=search_path
            )
            return session.range(0, tasks, 1, tasks).mapInArrow(check, SPARK_SUMS)

        return frame


# --- checking -------------------------------------------------------------------------------------

_judging: list[tuple[Any, Space, BatchChecker]] = []
"""The checker of this process; it is kept from task to task, with the queries it has compiled."""


def _checker_for(
    language: str, bounds: Bounds, settings: CheckSettings
) -> tuple[Space, BatchChecker]:
    key = (language, bounds, settings.engine, settings.timeout)
    if not _judging or _judging[0][0] != key:
        for _, _, checker in _judging:
            checker.__exit__()
        _judging.clear()
        space = Space.of(language, bounds)
        checker = BatchChecker(language, settings.engine, settings.timeout, space.runs)
        _judging.append((key, space, checker))
    return _judging[0][1:]


def _sum(verdict: BatchVerdict, space: Space, rows: str) -> VerdictSum:
    """Return the verdicts on consecutive ranks, added up."""
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
