"""What a sweep's cases come from, and how they are cut: ranges of numbers, judged together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..corpus_file import CorpusRow
from ..verdict_sum import VerdictSum

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ...reports.tally import Tally
    from ..verdict_files import VerdictFiles


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
    """How many different queries there are among the first cases, where that matters."""

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Judging:
    """How cases are judged: by whom, in how many seconds a case, and which verdicts have rows.

    An engine's process that holds more than `most_held` bytes between two cases is ended.
    """

    engine: str
    timeout: float
    rows: str = "all"
    most_held: int = 1 << 30


class Piece(Protocol):
    """Some cases that are judged in one process; it can be sent there."""

    def sums(self, judging: Judging) -> Iterator[VerdictSum]:
        """Judge them, a sum after the other."""


Frames: TypeAlias = Callable[[Chunk], "DataFrame"]
"""Of a chunk, a frame of sums (`SPARK_SUMS`), which is judged when it is asked for."""


class CaseSource(Protocol):
    """Where a sweep's cases come from; each has a number, its place there."""

    @property
    def name(self) -> str:
        """What it is called, for people."""

    @property
    def usual_chunk(self) -> int:
        """How many cases are committed at a time, unless one says."""

    @property
    def usual_rows(self) -> str:
        """Which verdicts have rows, unless one says."""

    def identity(self) -> dict[str, Any]:
        """What a manifest says of it, with a `fingerprint` that no other source has."""

    def plan(self, chunk: int, limit: int | None) -> SweepPlan:
        """The chunks of the first `limit` cases; raises CaseError if there is no case."""

    def rows(self, numbers: Sequence[int]) -> Iterator[CorpusRow]:
        """The cases of these numbers, in their order."""

    def sample(self, size: int, limit: int | None) -> Sequence[Piece]:
        """About `size` cases in pieces, spread over the first `limit`."""

    def tally(self, verdicts: VerdictFiles, rows: str) -> Tally:
        """The tally of verdicts on its first cases, of which `rows` says which have rows."""

    def frames(
        self,
        session: SparkSession,
        judging: Judging,
        *,
        partitions: int | None,
        planned: SweepPlan,
        search_path: tuple[str, ...],
    ) -> Frames:
        """The frames of its chunks, each cut into `partitions` tasks (None: as suits it)."""
