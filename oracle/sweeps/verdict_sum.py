"""Sums of verdicts: counts, sample rows, and a digest that does not depend on the order.

Each verdict is hashed by itself, with the number of its case, to two words of 64 bits; the digest
of many is the sum of each word modulo 2^64. So parts are added, whatever they are parts of.

The hash of (number, outcome, missing, unexpected, repeated) in a lane: begin with the lane's seed;
for each of the five, in this order, add it and the constant 0x9E3779B97F4A7C15, and mix. To mix is
the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
OOPSLA 2014): x ^= x >> 30; x *= 0xBF58476D1CE4E5B9; x ^= x >> 27; x *= 0x94D049BB133111EB;
x ^= x >> 31, all modulo 2^64. Outcomes are numbered as in `OUTCOMES`. It notices accidents; it is
no defence against someone who wants two sets of verdicts to have one digest.

A sum takes as much memory as it has rows; which verdicts have rows is chosen by `ROWS`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..checking.verdicts import Outcome
from ..ranks.numbered_streams import MOST_CASES

OUTCOMES: tuple[Outcome, ...] = (
    Outcome.PASS, Outcome.FAIL, Outcome.UNSUPPORTED, Outcome.TIMEOUT, Outcome.CRASH,
)
"""The outcomes by their numbers."""

Integers: TypeAlias = npt.NDArray[np.int64] | Sequence[int]

_SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344)  # of π, as good as any
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_WORD = 1 << 64


def digest_of(
    numbers: Integers,
    outcomes: Integers,
    missing: Integers | int = 0,
    unexpected: Integers | int = 0,
    repeated: Integers | int = 0,
) -> int:
    """Return the digest of verdicts on the cases of these numbers; no verdict has the digest 0.

    >>> whole = digest_of([0, 1, 2], [0, 1, 0], [0, 4, 0])
    >>> whole == plus(digest_of([2, 0], [0, 0]), digest_of([1], [1], [4]))
    True
    """
    columns = [_words(column) for column in (numbers, outcomes, missing, unexpected, repeated)]
    high, low = (_lane(seed, columns) for seed in _SEEDS)
    return high * _WORD + low


def plus(one: int, other: int) -> int:
    """Return the digest of the verdicts of both."""
    high = (one // _WORD + other // _WORD) % _WORD
    return high * _WORD + (one + other) % _WORD


def digest_text(digest: int) -> str:
    """Return a digest as it is written: 32 hexadecimal digits."""
    return f"{digest:032x}"


def _words(column: Integers | int) -> npt.NDArray[np.uint64]:
    return np.asarray(column, dtype=np.int64).astype(np.uint64)


def _lane(seed: int, columns: Sequence[npt.NDArray[np.uint64]]) -> int:
    state = np.full(columns[0].shape, seed, dtype=np.uint64)
    for column in columns:
        state = state + column + _STEP
        state ^= state >> np.uint64(30)
        state *= _FIRST
        state ^= state >> np.uint64(27)
        state *= _SECOND
        state ^= state >> np.uint64(31)
    return int(state.sum(dtype=np.uint64))


VERDICT_SCHEMA = pa.schema(
    [
        pa.field("number", pa.int64()),
        pa.field("id", pa.string()),
        pa.field("outcome", pa.string()),
        pa.field("missing", pa.int32()),
        pa.field("unexpected", pa.int32()),
        pa.field("repeated", pa.int32()),
        pa.field("detail", pa.string()),
        pa.field("seconds", pa.float64()),
    ]
)
"""`missing`, `unexpected` and `repeated` are numbers of answers, `seconds` is what the engine
took."""

AGAINST = ("fail", "timeout", "crash")
"""The outcomes that speak against an engine."""

ROWS = ("against", "all")
"""The verdicts with a row: those against the engine, or all."""

MOST_REASONS = 1_000
"""Reasons that differ, at most; further ones are counted together."""

MOST_RANGES = 100

SPARK_SUMS = "sum string, rows binary"
"""A sum as a row of Spark's, as DDL."""

_CODES = {str(outcome): code for code, outcome in enumerate(OUTCOMES)}
_REST = "other reasons"

Range: TypeAlias = tuple[int, int, str]
"""The cases `first` <= number < `end`, and why."""


@dataclass(slots=True)
class VerdictSum:
    """The verdicts on `cases` cases.

    `unsupported` counts the reasons why cases were; `alone` those why cases were checked one by one
    that should have been checked with others, and `ranges` are the first such cases. `restarts` is
    how often the work had to begin again because its process was lost, `renewed` how often an
    engine's process was ended because it held too much memory.
    """

    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    digest: int = 0
    unsupported: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    ranges: list[Range] = field(default_factory=list)
    restarts: int = 0
    renewed: int = 0
    rows: pa.Table = field(default_factory=VERDICT_SCHEMA.empty_table)

    @classmethod
    def of(cls, verdicts: pa.RecordBatch | pa.Table, rows: str) -> VerdictSum:
        """Return the sum of verdicts that are there as rows."""
        if isinstance(verdicts, pa.RecordBatch):
            verdicts = pa.Table.from_batches([verdicts])
        outcomes = verdicts.column("outcome").to_pylist()
        column = {
            name: verdicts.column(name).to_numpy()
            for name in ("number", "missing", "unexpected", "repeated")
        }
        unsupported = verdicts.filter(pc.equal(verdicts.column("outcome"), "unsupported"))
        return cls(
            len(outcomes),
            Counter(outcomes),
            digest_of(
                column["number"], [_CODES[each] for each in outcomes], column["missing"],
                column["unexpected"], column["repeated"],
            ) if outcomes else 0,
            _bounded(Counter(unsupported.column("detail").to_pylist())),
            rows=_chosen(verdicts, rows),
        )

    @classmethod
    def of_passes(cls, numbers: npt.NDArray[np.int64]) -> VerdictSum:
        """Return the sum of verdicts that say no more than that these cases pass."""
        if not len(numbers):
            return cls()
        digest = digest_of(numbers, np.full(len(numbers), OUTCOMES.index(Outcome.PASS)))
        return cls(len(numbers), Counter({str(Outcome.PASS): len(numbers)}), digest)

    def add(self, other: VerdictSum) -> None:
        """Count what the other has counted as well."""
        self.cases += other.cases
        self.outcomes.update(other.outcomes)
        self.digest = plus(self.digest, other.digest)
        self.unsupported = _bounded(self.unsupported + other.unsupported)
        self.alone = _bounded(self.alone + other.alone)
        self.ranges = (self.ranges + other.ranges)[:MOST_RANGES]
        self.restarts += other.restarts
        self.renewed += other.renewed
        if other.rows.num_rows:
            self.rows = pa.concat_tables([self.rows, other.rows])

    def without_rows(self) -> VerdictSum:
        """Return the same sum, which takes as much memory as any other."""
        return replace(self, rows=VERDICT_SCHEMA.empty_table())

    def failures(self) -> int:
        """Return the number of failures."""
        return sum(self.outcomes[outcome] for outcome in AGAINST)

    # --- as text and bytes ---

    def text(self) -> str:
        """Return the sum without its rows, as JSON that notices when it is changed."""
        said = json.dumps({
            "cases": self.cases,
            "outcomes": dict(sorted(self.outcomes.items())),
            "digest": digest_text(self.digest),
            "unsupported": dict(self.unsupported.most_common()),
            "alone": dict(self.alone.most_common()),
            "ranges": self.ranges,
            "restarts": self.restarts,
            "renewed": self.renewed,
            "rows": self.rows.num_rows,
        })
        return f"{_check(said)} {said}"

    @classmethod
    def read(cls, text: str, rows: pa.Table) -> VerdictSum:
        """Return the sum that `text` wrote. Raises ValueError, TypeError or LookupError."""
        check, _, said = text.partition(" ")
        if check != _check(said):
            raise ValueError("the sum of the verdicts has been changed")
        value: dict[str, Any] = json.loads(said)
        if value["rows"] != rows.num_rows:
            raise ValueError("rows are missing")
        if not value["outcomes"].keys() <= _CODES.keys():
            raise ValueError("there are other outcomes than verdicts have")
        counts = [value["cases"], value["restarts"], value["renewed"]]
        for name in ("outcomes", "unsupported", "alone"):
            counts += value[name].values()
        if not all(isinstance(each, int) and 0 <= each <= MOST_CASES for each in counts):
            raise ValueError("a count is no number of cases")
        return cls(
            value["cases"],
            Counter(value["outcomes"]),
            int(value["digest"], 16),
            Counter(value["unsupported"]),
            Counter(value["alone"]),
            [(first, end, why) for first, end, why in value["ranges"]],
            value["restarts"],
            value["renewed"],
            rows,
        )

    def batch(self) -> pa.RecordBatch:
        """Return the sum as one row of Spark's (`SPARK_SUMS`)."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, VERDICT_SCHEMA) as stream:
            stream.write_table(self.rows)
        return pa.RecordBatch.from_pydict(
            {"sum": [self.text()], "rows": [sink.getvalue().to_pybytes()]}
        )

    @classmethod
    def total(cls, batches: pa.Table) -> VerdictSum:
        """Return the sum of all such rows."""
        found = cls()
        for entry in batches.to_pylist():
            with pa.ipc.open_stream(entry["rows"]) as stream:
                found.add(cls.read(entry["sum"], stream.read_all()))
        return found


def _chosen(verdicts: pa.Table, rows: str) -> pa.Table:
    verdicts = verdicts.select(VERDICT_SCHEMA.names).cast(VERDICT_SCHEMA)
    if rows == "all":
        return verdicts
    return verdicts.filter(pc.is_in(verdicts.column("outcome"), pa.array(AGAINST)))


def _bounded(reasons: Counter[str]) -> Counter[str]:
    if len(reasons) <= MOST_REASONS:
        return reasons
    kept = Counter(dict(reasons.most_common(MOST_REASONS - 1)))
    kept[_REST] += reasons.total() - kept.total()
    return kept


def _check(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
