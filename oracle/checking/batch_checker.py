"""The check of a batch: one query on many streams, whose cases are ranks of an enumeration.

A batch enters the engine below its outermost functions, and never reads a text. What goes wrong
there, only the case checker sees. So the ranks are cut into stretches, one after the other, and
of each stretch the case checker is asked about one case: the sample, which a hash of the
stretch's first rank chooses, or one near it. If the batch says that the sample passes and the
case checker does not, the batch is trusted with no case of that stretch.

Stretches are the same however the work is cut. So what counts as a case's verdict depends on its
rank alone, even where work ends amid a stretch, and its sample belongs to someone else's work.

A language's part `batch` has the oracle's answers and the production engine's answers to one query
on many streams. Where both are the same rows, the case passes: it passes with the case checker,
too. Every other case is checked again by the case checker, and only its verdict counts. So this
way may leave a case to the case checker, and does whenever something is unusual; it never says
anything against an engine itself.

Batches are looked at in a process that is kept apart (`engines.worker_process`). All the engine's
answers to a piece of a batch have the time that one case has: an engine that is slow, hangs or
crashes on a case loses the process, and the case checker meets the case again.

What a batch does not reach (an engine's outermost functions, the readers of texts) the case
checker samples: where a sample contradicts the batch, all cases around it are checked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast

from ..engines.engine import Engine, EngineCrash, EngineError, EngineTimeout
from ..engines.engine_specs import engine as engine_named
from ..engines.isolated_engine import EngineService, load
from ..engines.worker_process import WorkerProcess, clock, one_line
from ..languages.registry import has, part_of
from ..languages.registry import language as of_name
from ..sweeps.corpus_file import CorpusRow
from ..sweeps.row_verdicts import check_row
from .verdicts import Outcome, Verdict
from .worker_pool import CheckWorker, check_workers, side_by_side


class Ranked(Protocol):
    """Cases whose ranks follow one another."""

    @property
    def first(self) -> int: ...


RankedT = TypeVar("RankedT", bound=Ranked)

LONGEST = 1024
"""The number of cases in a stretch. The first ones are shorter, so that small bounds have samples,
too: they hold 1, 1, 2, 4, 8 … cases."""

_NEAR = 16
"""The number of cases, from the chosen one on, that may be the sample."""


def stretches(first: int, end: int) -> Iterator[range]:
    """Yield the stretches that the ranks first <= rank < end are in.

    >>> list(stretches(3, 9))
    [range(2, 4), range(4, 8), range(8, 16)]
    >>> list(stretches(5000, 5001))
    [range(4096, 5120)]
    """
    while first < end:
        stretch = _stretch(first)
        yield stretch
        first = stretch.stop


def _stretch(rank: int) -> range:
    if rank < LONGEST:
        begin = 1 << rank.bit_length() >> 1
        return range(begin, 2 * begin or 1)
    return range(begin := rank - rank % LONGEST, begin + LONGEST)


def chosen(stretch: range) -> Iterator[int]:
    """Yield the rank that the hash chooses, and those that stand in where the enumeration has ended
    before it: the last one is the first of the stretch."""
    digest = blake2b(b"%d" % stretch.start, digest_size=8).digest()
    place = int.from_bytes(digest, "big") % len(stretch)
    while place:
        yield stretch[place]
        place //= 2
    yield stretch[0]


class Samples(Generic[RankedT]):
    """The samples of the stretches of an enumeration; `runs` has its cases, by their ranks.

    `answered` says at which places in a run there are answers to see, `contradicted` whether the
    case checker contradicts what the batch says of a case.
    """

    def __init__(
        self,
        runs: Callable[[int, int], Iterable[RankedT]],
        answered: Callable[[RankedT], Iterable[int]],
        contradicted: Callable[[RankedT], bool],
    ) -> None:
        self._runs = runs
        self._answered = answered
        self._contradicted = contradicted
        # Work that ends amid a stretch mostly goes on there.
        self._distrusts = lru_cache(maxsize=16)(self._asked)

    def distrusted(self, first: int, end: int) -> Iterator[int]:
        """Yield the ranks first <= rank < end that are not left to the batch."""
        for stretch in stretches(first, end):
            if self._distrusts(stretch):
                yield from range(max(first, stretch.start), min(end, stretch.stop))

    def of(self, stretch: range) -> int:
        """Return the sampled rank of a stretch: the chosen one, or one soon after it that has an
        answer, for what is lost or changed on its way out shows on these alone."""
        for rank in chosen(stretch):
            near = [*self._runs(rank, min(rank + _NEAR, stretch.stop))]
            if near:
                answered = (run.first + each for run in near for each in self._answered(run))
                return next(answered, rank)
        raise IndexError(f"no case has one of the ranks {stretch}")

    def _asked(self, stretch: range) -> bool:
        sample = self.of(stretch)
        return any(map(self._contradicted, self._runs(sample, sample + 1)))


Given: TypeAlias = Mapping[Any, Any]
"""A case's streams by their names, as `Case.streams` has them."""

Rows: TypeAlias = Collection[Hashable] | None
"""An answer as rows that are equal where the comparison takes them for the same (`comparison`).

The oracle's are a set where the definitions return one, else a bag; the engine's are a bag, in
which a row comes as often as it was reported. None: this is for the case checker.
"""

PIECE = 1024
"""The maximum number of cases that are answered before they are compared."""

OUTCOMES = tuple(Outcome)
"""The outcomes by their codes; 0 is `pass`."""


class QueryOnMany(Protocol):
    """A query, asked of both sides; what a part's `on_many(query, readings, **beside)` makes.

    Each answers stream by stream, in order; it may raise anything, which leaves the batch to the
    case checker, or answer None for one.
    """

    def expected(self, batch: Sequence[Given], /) -> Iterable[Rows]:
        """Return the rows according to the definitions."""

    def reported(self, batch: Sequence[Given], /) -> Iterable[Rows]:
        """Return the rows of the production engine."""


class ConsecutiveCases(Protocol):
    """Cases of one query whose ranks follow one another."""

    @property
    def first(self) -> int: ...

    @property
    def query(self) -> Any: ...

    @property
    def readings(self) -> Any: ...

    @property
    def beside(self) -> Mapping[str, Any]: ...

    def __len__(self) -> int: ...

    def given(self, i: int, /) -> Given: ...

    def row(self, i: int, /) -> CorpusRow: ...


Runs: TypeAlias = Callable[[int, int], Iterable[ConsecutiveCases]]
"""The cases with ranks from the first to before the second number, by their queries."""


@dataclass(slots=True)
class BatchVerdict:
    """The verdicts on consecutive ranks: a code each, and the failures."""

    first: int
    outcomes: bytearray
    """Places in OUTCOMES."""
    asked: list[tuple[int, Verdict]] = field(default_factory=list)
    """(rank, verdict) of each case that the case checker has checked."""
    why: str = ""
    """The reason for the case checker, for a batch; empty if there is no checking by the batch."""

    @property
    def failures(self) -> list[tuple[int, Verdict]]:
        """Return (rank, verdict) of each failure."""
        return [(rank, verdict) for rank, verdict in self.asked if verdict.is_failure]

    @property
    def again(self) -> int:
        """Return the number of cases that the case checker has checked."""
        return len(self.asked)

    def counts(self) -> dict[Outcome, int]:
        """Return the number of cases with each outcome."""
        return {outcome: self.outcomes.count(code) for code, outcome in enumerate(OUTCOMES)}


# --- looking -------------------------------------------------------------------------------------


class BatchLook:
    """Finds out which cases of a language the case checker has to check.

    In a process that is kept apart, the engine's answers to a piece have `timeout` seconds.
    """

    def __init__(self, language: str, timeout: float | None = None) -> None:
        self._timeout = timeout
        self._language = of_name(language)
        self._on_many: Callable[..., QueryOnMany] = part_of(language, "batch").on_many

    def left(self, run: ConsecutiveCases) -> list[int]:
        """Return the places in the run where the two sides answered differently."""
        try:
            query = self._asked(run)
        except Exception:  # whatever it is, the case checker says it of each case
            return list(range(len(run)))
        found: list[int] = []
        for begin in range(0, len(run), PIECE):
            places = range(begin, min(begin + PIECE, len(run)))
            found += self._left_of(query, run, places)
        return found

    def answered(self, run: ConsecutiveCases) -> Iterator[int]:
        """Yield the places in the run to which the definitions have an answer, as far as known."""
        with suppress(Exception):
            given = map(run.given, range(len(run)))
            for place, rows in enumerate(self._asked(run).expected([*given])):
                if rows:
                    yield place

    def _asked(self, run: ConsecutiveCases) -> QueryOnMany:
        named = self._language.reading_names(run.readings)
        readings = self._language.readings(named, run.query)
        return self._on_many(run.query, readings, **run.beside)

    def _left_of(
        self, query: QueryOnMany | None, run: ConsecutiveCases, places: range
    ) -> Iterable[int]:
        try:
            return self._unlike(query or self._asked(run), run, places)
        except EngineTimeout:  # halves of it may well take as long
            return places
        except Exception:  # on some of them: these are found by halving
            if len(places) == 1:
                return places
            middle = len(places) // 2
            return [
                place
                for half in (places[:middle], places[middle:])
                for place in self._left_of(None, run, half)  # what has raised may be spoilt
            ]

    def _unlike(self, query: QueryOnMany, run: ConsecutiveCases, places: range) -> Iterable[int]:
        time = clock()
        batch = [run.given(place) for place in places]
        with nullcontext() if time is None else time.running(self._timeout):
            reported = list(query.reported(batch))
        expected = list(query.expected(batch))
        if not len(expected) == len(reported) == len(places):
            return places
        return [
            place
            for place, wanted, told in zip(places, expected, reported, strict=True)
            if not same(wanted, told)
        ]


def same(expected: Rows, reported: Rows) -> bool:
    """Return True if the engine's rows are the expected ones, each as often as it may occur."""
    if expected is None or reported is None or len(expected) != len(reported):
        return False
    if not expected:
        return True
    if isinstance(expected, (frozenset, set)):
        return expected == set(reported)
    return Counter(expected) == Counter(reported)


# --- checking -------------------------------------------------------------------------------------


class BatchChecker:
    """Checks ranks of an enumeration; for as long as it is entered, it has processes of its own.

    `runs` says what the cases are. A foreign engine, or a language without the part, is checked by
    the case checker throughout. Raises EngineError if there is no such engine.
    """

    def __init__(self, language: str, engine: str, timeout: float, runs: Runs) -> None:
        self._language = language
        self._engine = engine
        self._timeout = timeout
        self._runs = runs
        self._by_batch = engine == _LOOKED_AT and has(language, "batch")
        self._apart: WorkerProcess | None = None
        self._open = ExitStack()
        self._ordinary: list[CheckWorker[CorpusRow]] = []

    def __enter__(self) -> BatchChecker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._open.close()

    def judged(self, first: int, end: int) -> BatchVerdict:
        """Return the verdicts on the ranks first ≤ r < end."""
        verdict = BatchVerdict(first, bytearray(end - first))
        left = None
        if self._by_batch:
            left, verdict.why = self._left(first, end)
        if left == []:
            return verdict
        asked = self._rows(first, end, None if left is None else frozenset(left))
        ranks, rows = zip(*asked, strict=True)
        for rank, (found, _) in zip(
            ranks, side_by_side(self._workers(), rows), strict=True
        ):
            verdict.outcomes[rank - first] = OUTCOMES.index(found.outcome)
            verdict.asked.append((rank, found))
        return verdict

    def renewed(self, most: int) -> int:
        """Replace the processes that held more bytes than `most`; return their number."""
        ended = sum(worker.renewed(most) for worker in self._ordinary)
        if self._apart is not None and self._apart.held() > most:
            self._apart.leave()
            self._apart = None
            ended += 1
        return ended

    def _rows(
        self, first: int, end: int, left: frozenset[int] | None
    ) -> Iterator[tuple[int, CorpusRow]]:
        for run in self._runs(first, end):
            for place in range(len(run)):
                rank = run.first + place
                if left is None or rank in left:
                    yield rank, run.row(place)

    def _workers(self) -> list[CheckWorker[CorpusRow]]:
        if not self._ordinary:
            self._ordinary = self._open.enter_context(
                check_workers(self._engine, self._timeout, check_row, languages=(self._language,))
            )
        return self._ordinary

    def _left(self, first: int, end: int) -> tuple[list[int] | None, str]:
        """Return the ranks that are left to the case checker, and why; None for all, where looking
        has failed."""
        try:
            if self._apart is None:
                load(self._language)
                looking = partial(
                    _Looking, self._language, self._engine, self._timeout, self._runs
                )
                self._apart = WorkerProcess(looking)
            self._apart.send([(first, end)])
            return cast("tuple[list[int], str]", self._apart.receive())
        except (EngineCrash, EngineTimeout, EngineError) as error:
            self._end()
            return None, f"the batch was lost: {one_line(error)}"

    def _end(self) -> None:
        if self._apart is not None:
            with suppress(EngineCrash):
                self._apart.end()
            self._apart = None


_LOOKED_AT = "production"

_UNSURE = "in the batch the two sides did not say the same, or one said nothing"
_DISTRUSTED = (
    "one of them passed in the batch and does not pass from its text, so that what the engine does "
    "outside a batch is at fault"
)


class _Looking:
    """The service of the isolated process."""

    greeting = "looking"  # the service is there; what it says is of no use

    def __init__(self, language: str, engine: str, timeout: float, runs: Runs) -> None:
        self._engine: Engine = engine_named(engine)
        # What the engine imports and compiles is not timed.
        self._service = EngineService(self._engine)
        self._timeout = timeout
        self._look = BatchLook(language, timeout)
        self._samples = Samples(runs, self._look.answered, self._contradicted)
        self._runs = runs

    def answer(self, request: tuple[int, int]) -> tuple[list[int], str]:
        left = {
            run.first + place for run in self._runs(*request) for place in self._look.left(run)
        }
        distrusted = set(self._samples.distrusted(*request))
        return sorted(left | distrusted), _DISTRUSTED if distrusted else _UNSURE

    def _contradicted(self, run: ConsecutiveCases) -> bool:
        passes = check_row(run.row(0), self._engine, timeout=self._timeout).ok
        return not passes and not self._look.left(run)

    def close(self) -> None:
        self._service.close()
