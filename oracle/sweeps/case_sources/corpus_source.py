"""The cases of a corpus file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ....semantics.model.errors import CaseError, DenotaError
from ....semantics.streams.files.boundaries import input_errors
from ...judging.verdicts import Outcome
from ...reports.tally import Tally, asked_of
from ..corpus_cases import case_of
from ..corpus_file import SPARK_CORPUS, CorpusRow, open_corpus, read_corpus, rows_of
from ..manifest import SweepError
from ..row_verdicts import judge_for, row_verdicts, verdict_batch
from ..verdict_files import VerdictFiles
from ..verdict_sum import SPARK_SUMS, VerdictSum
from .case_source import Chunk, Frames, Judging, SweepPlan
from .tasks import judged_pieces, tasks_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What tells whether equal queries are spread thinly enough to deal out whole.
_LOOKED_AT = 100_000

_BLOCK = 1 << 20
_PIECE = 250
_BATCH_ROWS = "1000"
_QUERIES_A_TASK = 8  # enough for tasks of about one size


@dataclass(frozen=True, slots=True)
class CorpusPiece:
    """Some rows of a corpus; best judged together are those with equal queries."""

    rows: list[CorpusRow]

    def sums(self, judging: Judging) -> Iterator[VerdictSum]:
        """Judge the rows one by one."""
        judge = judge_for(judging.engine, judging.timeout)
        verdicts = verdict_batch(self.rows, row_verdicts([judge], self.rows))
        total = VerdictSum.of(verdicts, judging.rows)
        total.renewed = int(judge.renewed(judging.most_held))
        yield total


def piece_of_rows(batch: pa.RecordBatch) -> list[CorpusPiece]:
    """The piece that a batch of rows is."""
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
        """The path, and a hash of the file's bytes."""
        digest = blake2b(digest_size=16)
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return {"corpus": str(self.path), "fingerprint": digest.hexdigest()}

    def plan(self, chunk: int, limit: int | None) -> SweepPlan:
        """The chunks of the corpus's first `limit` rows, `chunk` row numbers each.

        Raises CaseError if the corpus is empty, two rows have one id, or it cannot be read: all of
        it is, so that nothing is judged of a file that is damaged.
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
        """The rows of these numbers, in their order."""
        # The bounds let the reader leave out row groups.
        number = pc.field("number")
        near = (number >= min(numbers)) & (number <= max(numbers))
        table = pq.read_table(self.path, filters=near & number.isin(numbers)).sort_by("number")
        for batch in table.to_batches():
            yield from rows_of(batch)

    def sample(self, size: int, limit: int | None) -> Sequence[CorpusPiece]:
        """All rows of every k-th query, so that queries recur as in the corpus."""
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
        """The tally of verdicts on the first rows, by what they ask for."""
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
        judging: Judging,
        *,
        partitions: int | None,
        planned: SweepPlan,
        search_path: tuple[str, ...],
    ) -> Frames:
        """Rows with equal queries go to one task, if there are enough different queries."""
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _BATCH_ROWS)
        rows = session.read.schema(SPARK_CORPUS).parquet(self.path.resolve().as_uri())
        judge = partial(
            judged_pieces, pieces=piece_of_rows, judging=judging, search_path=search_path
        )

        def frame(chunk: Chunk) -> Any:
            number = rows["number"]
            tasks = partitions or tasks_of(chunk, session)
            keys = ["query"] if planned.queries >= _QUERIES_A_TASK * tasks else ["query", "number"]
            return (
                rows.where((number >= chunk.first) & (number < chunk.end))
                .repartition(tasks, *keys).sortWithinPartitions("query", "number")
                .mapInArrow(judge, SPARK_SUMS)
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
