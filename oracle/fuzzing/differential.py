"""Differential testing: an engine against the definitions, on generated cases.

Failing cases are clustered by their cause; each cluster's witness is shrunk and, if asked, saved as
a conformance case whose expectation is the oracle's answer. What is known of the engine is
recognised, and the search goes on past it. Two runs with one seed do the same.
"""

from __future__ import annotations

import contextlib
import gc
import random
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import TypeAlias

from ..cases.case import Case
from ..cases.schedule import Schedule
from ..checking.verdicts import Outcome, Verdict
from ..engines.engine import DEFAULT_TIMEOUT, Engine, EngineCrash, EngineError, EngineTimeout
from ..languages.registry import having, part_of
from ..languages.registry import language as language_named
from .attribution import Attribution, FailingCase, Remainder, remainder
from .discrepancies import ShrunkFailure, as_it_is
from .fuzz_report import FuzzReport, Progress
from .known_differences import KnownDifference, KnownRefusals, known_of
from .rounds import ROUND, CaseRounds, GeneratedCase
from .side_by_side import RememberedAnswers, SideBySide, judged, shrunk

DEFAULT_EXAMPLES = 500

# Steps of kernels that are interpreted: a short run ends before compiling would have.
_INTERPRETED = 1 << 21
_FEW = 8  # generated cases
_TO_STOP = (signal.SIGINT, signal.SIGTERM)


Witness: TypeAlias = Callable[[Case, Verdict, str, str], None]
"""The callback for each generated case, with its verdict, its place in the run and the name of the
known difference that it is ('' if none)."""


def fuzzable() -> tuple[str, ...]:
    """Return the languages that cases can be generated for."""
    return having("generate")


def _taken(engine: Engine, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the languages that an engine supports; all, if its greeting times out.

    Raises EngineError if it goes down as it is asked.
    """
    greet = getattr(engine, "greet", None)  # a child process has yet to say it
    try:
        if greet is not None:
            greet()
    except EngineCrash as crash:
        lines = crash.stderr.splitlines()
        telling = [line for line in lines if "rror" in line] or lines
        said = "".join(f": {line.strip()}" for line in telling[:1])
        raise EngineError(f"engine '{engine.name}' cannot be started: {crash}{said}") from None
    except EngineTimeout:
        return tuple(wanted)  # what happened is the verdict on every case
    return tuple(name for name in wanted if name in engine.languages)


def fuzz(
    engine: Engine,
    languages: Sequence[str] | None = None,
    *,
    examples: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    save: str | Path | None = None,
    stop_after: int | None = None,
    progress: Progress | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    witness: Witness | None = None,
    known: Sequence[KnownDifference] = (),
    endless: bool = False,
    schedule: Schedule | None = None,
    covering: int | None = None,
) -> FuzzReport:
    """Compare an engine with the oracle on generated cases.

    `languages` are those of the cases, in turns, as far as the engine takes them; by default all.
    If it takes none, nothing is checked, and the report is not `ok`.
    Ends after `examples` cases or `seconds` seconds, whichever comes first; with neither, after
    `DEFAULT_EXAMPLES`, or, if it is `endless`, when it is asked to stop. A case being shrunk is
    shrunk to the end. `seed` makes the run repeatable (None: a new one each time; the report names
    it). `save` is a directory for the clusters' witnesses. After `stop_after` clusters the run ends
    early. `progress` is called after each case. `timeout` is what the engine may take for one, in
    seconds. `known` differences are counted and passed; cases that would meet known refusals and
    crashes again are passed over. `witness` is told of every generated case, also of those that are
    passed over. `schedule` is that of every case; by default denota's own engine is asked under
    several, which are drawn with the case. One of `covering` cases is parsed again to count the
    report's coverage; by default one of four.

    Raises UnsupportedError for a language without a generator, DenotaError for known differences of
    another engine; an interruption (also SIGTERM) ends the run, the report says so.
    """
    wanted = tuple(dict.fromkeys(languages or fuzzable()))
    for language in wanted:
        part_of(language, "generate")
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    endless = endless and examples is None and seconds is None
    if examples is None and seconds is None and not endless:
        examples = DEFAULT_EXAMPLES
    taken = _taken(engine, wanted)
    report = FuzzReport(
        engine.name, taken, seed, engine.version, takes=tuple(map(str, engine.languages)),
        endless=endless, known=known_of(known, engine), wanted=examples, time_limit=seconds,
    )
    if languages or not taken:
        report.refused = tuple(name for name in wanted if name not in taken)
    folder = None if save is None else Path(save)
    from ...engine.kernels import KERNELS

    run = _Run(
        engine, report, examples, seconds, folder, stop_after, progress, timeout, witness, schedule,
        covering,
    )
    with KERNELS.allowing(_INTERPRETED):
        return run.whole()


@dataclass
class _Run:
    """One run of `fuzz`."""

    engine: Engine
    report: FuzzReport
    examples: int | None
    seconds: float | None
    save: Path | None
    stop_after: int | None
    progress: Progress | None
    timeout: float | None
    witness: Witness | None = None
    schedule: Schedule | None = None
    covering: int | None = None
    began: float = field(default_factory=perf_counter)
    rounds: dict[str, CaseRounds] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.refusals = KnownRefusals(self.report.known)
        self.attribution = Attribution(self.report, self.save, self.progress, self.timeout)
        self.helpers: SideBySide | None = None
        if getattr(self.engine, "side_by_side", 1) > 1:
            self.helpers = SideBySide(self.engine, self.timeout)
            self.attribution.shrink = self.shrunk
            self.attribution.together = self.helpers.count
        if not getattr(self.engine, "own", False):
            self.engine = self.remembered = RememberedAnswers(self.engine, self.timeout)

    def whole(self) -> FuzzReport:
        if self.save is not None:
            self.save.mkdir(parents=True, exist_ok=True)
        try:
            with self.interruptible():
                for language in self.report.languages:
                    self.begin(language)
                if self.helpers is not None:
                    self.helpers.start()
                self.began = perf_counter()  # the time is for cases, not for loading
                number = 0
                while not self.over():
                    self.round(number)
                    number += 1
                if not self.report.interrupted:
                    self.attribution.finish()
        except KeyboardInterrupt:
            self.report.interrupted = True
        finally:
            self.attribution.count_chosen()
            if self.helpers is not None:
                self.helpers.close()
        self.report.shrinking = False
        self.report.seconds = perf_counter() - self.began
        return self.report

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """End the run at an interruption, also at one during garbage collection.

        Hypothesis measures collections in a callback, and Python drops what a callback raises.
        """
        def interrupt(number: int, frame: FrameType | None) -> None:
            self.report.interrupted = True
            if not _is_collecting(frame):
                raise KeyboardInterrupt

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, interrupt) for each in _TO_STOP}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def over(self) -> bool:
        if self.report.interrupted or not self.report.languages:
            return True
        if self.examples is not None and self.report.examples >= self.examples:
            return True
        if self.stop_after is not None and len(self.report.clusters) >= self.stop_after:
            return True
        return self.seconds is not None and perf_counter() - self.began >= self.seconds

    def begin(self, language: str) -> None:
        language_named(language).load()
        rounds = self.rounds[language] = CaseRounds(
            language, self.engine, self.report.seed, self.refusals, self.schedule,
            confirmed=partial(self.attribution.confirmed, language),
        )
        if self.covering is not None:
            rounds.covering = self.covering
        self.report.coverage[language] = rounds.coverage

    def round(self, number: int) -> None:
        """Check a number of cases under one swarm."""
        languages = self.report.languages
        turn, place = divmod(number, len(languages))
        round = self.rounds[languages[place]].round(number, turn)
        for generated, verdict, left in self.judged(round):
            if generated.foretold is not None:
                self.report.foretold[generated.foretold] += 1
            elif verdict is None:
                self.report.passed_over += 1
                self.tell(generated.case, Verdict(Outcome.UNSUPPORTED, detail="passed over"))
            else:
                self.one(generated, verdict, left)
                if self.over():
                    break

    def judged(
        self, round: Iterator[GeneratedCase]
    ) -> Iterator[tuple[GeneratedCase, Verdict | None, Remainder | None]]:
        """Yield the cases of a round with their verdicts, None for those that are passed over.

        What repairs have left of a failure is there if another process has looked for it.
        """
        if self.helpers is None:
            for each in round:
                verdict = None if each.expected is None else each.verdict(self.timeout)
                yield each, verdict, None
            return
        size = self.helpers.at_once
        # The refusals among the first cases teach which of the next ones to pass over.
        many = _FEW if self.report.examples < ROUND else ROUND
        while cases := list(islice(round, many)):
            asked = [
                (each.case.but(expect=each.expected), each.schedules)
                for each in cases if each.expected is not None
            ]
            if self.examples is not None:
                del asked[max(0, self.examples - self.report.examples) :]
            attempts = self.attribution.attempts
            batches = [
                (asked[begin : begin + size], attempts) for begin in range(0, len(asked), size)
            ]
            verdicts = chain.from_iterable([
                [(None, None, None)] * size if isinstance(found, EngineCrash) else found
                for found in self.helpers.each(judged, batches)
            ])
            for each in cases:
                if each.expected is None:
                    yield each, None, None
                    continue
                verdict, left, answer = next(verdicts, (None, None, None))
                self.remembered.keep(each.case if left is None else left.case, answer)
                yield each, verdict or each.verdict(self.timeout), left

    def shrunk(self, failures: Sequence[FailingCase]) -> Iterator[ShrunkFailure]:
        """Shrink failures side by side."""
        assert self.helpers is not None
        found = self.helpers.each(shrunk, [
            (each.case, each.verdict, each.repair, self.report.known) for each in failures
        ])
        for failure, each in zip(failures, found, strict=True):
            if isinstance(each, EngineCrash):
                yield as_it_is(failure.case, failure.verdict, failure.engine, tags=("fuzz",))
                continue
            small, answer = each
            self.remembered.keep(small.case, answer)
            yield small

    # --- one case ---

    def one(
        self, generated: GeneratedCase, verdict: Verdict, left: Remainder | None
    ) -> None:
        report, case = self.report, generated.case
        report.examples += 1
        report.answered += generated.answered
        self.refusals.learn(case, verdict)
        known = ""
        if verdict.outcome is Outcome.UNSUPPORTED:
            report.unsupported += 1
            report.reasons[verdict.detail] += 1
        elif verdict.is_failure:
            report.failing += 1
            failure = FailingCase(case, verdict, generated.engine, report.examples)
            left = left or remainder(
                case, verdict, self.attribution.attempts, generated.engine, timeout=self.timeout
            )
            known = self.attribution.failed(failure, left)
        self.attribution.checked(report.examples)
        self.tell(case, verdict, known)
        report.seconds = perf_counter() - self.began
        if self.progress is not None:
            self.progress(report)

    def tell(self, generated: Case, verdict: Verdict, known: str = "") -> None:
        if self.witness is not None:
            number = self.report.examples + self.report.passed_over
            self.witness(generated, verdict, f"seed {self.report.seed}, case {number}", known)


def _is_collecting(frame: FrameType | None) -> bool:
    """Return True if a frame is called, at some remove, by the garbage collector."""
    callbacks = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    while frame is not None:
        if frame.f_code in callbacks:
            return True
        frame = frame.f_back
    return False
