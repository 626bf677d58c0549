"""Differential testing: an engine against the definitions, on generated cases.

Every distinct discrepancy is shrunk and, if asked, saved as a conformance case whose expectation is
the oracle's answer. Two runs with one seed do the same.
"""

from __future__ import annotations

import contextlib
import gc
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any, TypeAlias

from ..cases.reading import Case
from ..engines.engine import DEFAULT_TIMEOUT, Engine, EngineCrash, EngineTimeout
from ..judging.judge import ExpectedResults, expectation_of, judge
from ..judging.verdicts import Outcome, Verdict
from ..languages.registry import having, part_of
from ..languages.registry import language as language_named
from .discrepancies import FLAKY, ShrunkFailure, Signature, shrunk_failure, signature

DEFAULT_EXAMPLES = 500
_ROUND = 1_000  # after so many examples the generator starts afresh and forgets what it remembers
_TURN = 50  # of several languages, each has so many examples in turn


@dataclass(frozen=True)
class Discrepancy:
    """A shrunk case on which engine and oracle differ; its expectation is the oracle's answer.

    `verdict` speaks of the shrunk case, `example` is the number (from 1) of the generated case that
    it was shrunk from, `path` is where it was saved. It is `flaky` if the engine, asked the same
    once more, did not fail in this way.
    """

    case: Case
    verdict: Verdict
    example: int
    path: Path | None = None
    flaky: bool = False


@dataclass
class FuzzReport:
    """What a run has come to so far.

    `languages` are those of the cases, `refused` those that were asked for and that the engine,
    which takes `takes`, does not take. `examples` counts the generated cases, `failing` those on
    which the engine failed, `unsupported` those that it does not take (`reasons` counts why),
    `answered` those with a non-empty result, `shrinking` is whether a failing case is being shrunk
    right now. `seconds` is the time spent.
    """

    engine: str
    languages: tuple[str, ...]
    seed: int
    examples: int = 0
    failing: int = 0
    unsupported: int = 0
    answered: int = 0
    seconds: float = 0.0
    discrepancies: list[Discrepancy] = field(default_factory=list)
    interrupted: bool = False
    shrinking: bool = False
    refused: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def judged(self) -> int:
        """How many cases the engine took."""
        return self.examples - self.unsupported

    @property
    def ok(self) -> bool:
        """Whether cases were judged and no discrepancy was found."""
        return self.judged > 0 and not self.failing


Progress: TypeAlias = Callable[[FuzzReport], None]


class _Enough(BaseException):
    """Ends a generation early; not an Exception, which would be taken for a failing example."""


def fuzzable() -> tuple[str, ...]:
    """The languages that cases can be generated for."""
    return having("generate")


def _taken(engine: Engine, wanted: Sequence[str]) -> tuple[str, ...]:
    """Those of the languages that an engine says it takes; all, if it goes down as it is asked."""
    greet = getattr(engine, "greet", None)  # a child process has yet to say it
    try:
        if greet is not None:
            greet()
    except (EngineCrash, EngineTimeout):
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
) -> FuzzReport:
    """Compare an engine with the oracle on generated cases.

    `languages` are those of the cases, in turns, as far as the engine takes them; by default all.
    If it takes none, nothing is judged, and the report is not `ok`.
    Ends after `examples` cases or `seconds` seconds, whichever comes first; with neither, after
    `DEFAULT_EXAMPLES`. A case being shrunk is shrunk to the end. `seed` makes the run repeatable
    (None: a new one each time; the report names it). `save` is a directory for the shrunk cases.
    After `stop_after` distinct discrepancies the run ends early. `progress` is called after each
    case. `timeout` is what the engine may take for one, in seconds.

    Raises UnsupportedError for a language without a generator; KeyboardInterrupt ends the run, the
    report says so.
    """
    wanted = tuple(dict.fromkeys(languages or fuzzable()))
    for language in wanted:
        part_of(language, "generate")
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    if examples is None and seconds is None:
        examples = DEFAULT_EXAMPLES
    taken = _taken(engine, wanted)
    report = FuzzReport(engine.name, taken, seed, takes=tuple(map(str, engine.languages)))
    if languages or not taken:
        report.refused = tuple(name for name in wanted if name not in taken)
    folder = None if save is None else Path(save)
    return _Run(engine, report, examples, seconds, folder, stop_after, progress, timeout).whole()


@dataclass
class _Run:
    """One run of `fuzz`; `known` counts the cases that each signature explains."""

    engine: Engine
    report: FuzzReport
    examples: int | None
    seconds: float | None
    save: Path | None
    stop_after: int | None
    progress: Progress | None
    timeout: float | None
    began: float = field(default_factory=perf_counter)
    known: dict[Signature, int] = field(default_factory=dict)
    taken: int = 0

    def whole(self) -> FuzzReport:
        if self.save is not None:
            self.save.mkdir(parents=True, exist_ok=True)
        try:
            with self.interruptible():
                for language in self.report.languages:
                    _load_everything(language)
                    cases_strategy(language)
                self.began = perf_counter()  # the time is for cases, not for loading
                number = 0
                while not self.over():
                    self.round(number)
                    number += 1
        except KeyboardInterrupt:
            self.report.interrupted = True
        self.report.shrinking = False
        self.report.seconds = perf_counter() - self.began
        return self.report

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """An interruption ends the run, also one that comes during garbage collection.

        Hypothesis measures collections in a callback, and Python drops what a callback raises.
        """
        def interrupt(number: int, frame: FrameType | None) -> None:
            self.report.interrupted = True
            if not _is_collecting(frame):
                raise KeyboardInterrupt

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def over(self) -> bool:
        if self.report.interrupted or not self.report.languages:
            return True
        if self.examples is not None and self.report.examples >= self.examples:
            return True
        if self.stop_after is not None and len(self.report.discrepancies) >= self.stop_after:
            return True
        return self.seconds is not None and perf_counter() - self.began >= self.seconds

    def round(self, number: int) -> None:
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis import seed as seeded

        from .strategies.plain_generation import plain_backend

        language = self.report.languages[number % len(self.report.languages)]
        _load_everything(language)
        cases = cases_strategy(language)
        several = len(self.report.languages) > 1
        self.taken = 0
        quiet = settings(
            max_examples=_ROUND,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            backend=plain_backend(),
        )

        @seeded(f"{self.report.seed}.{number}")
        @quiet
        @given(cases)
        def generate(generated: Any) -> None:
            if self.over() or (several and self.taken >= _TURN):
                raise _Enough
            self.taken += 1
            self.one(generated)

        with contextlib.suppress(_Enough):
            generate()

    # --- one case ---

    def one(self, generated: Any) -> None:
        report = self.report
        task = generated.case().task()
        expected = expectation_of(task)
        if isinstance(expected, ExpectedResults) and expected.results:
            report.answered += 1
        verdict = judge(task, self.engine, expected, timeout=self.timeout)
        report.examples += 1
        if verdict.outcome is Outcome.UNSUPPORTED:
            report.unsupported += 1
            report.reasons[verdict.detail] += 1
        elif verdict.against:
            report.failing += 1
            self.failed(generated, verdict)
        report.seconds = perf_counter() - self.began
        if self.progress is not None:
            self.progress(report)

    def failed(self, generated: Any, verdict: Verdict) -> None:
        """Shrink a failing case, unless known discrepancies very likely explain it."""
        if not self.worth_shrinking(generated, verdict):
            return
        self.report.shrinking = True
        if self.progress is not None:
            self.progress(self.report)
        shrunk = shrunk_failure(
            generated.case(), verdict, self.engine, timeout=self.timeout, tags=("fuzz",)
        )
        self.report.shrinking = False
        self.record(shrunk)

    def worth_shrinking(self, generated: Any, verdict: Verdict) -> bool:
        """Explained cases are shrunk ever more rarely: the 1st, 2nd, 4th, 8th, … of each."""
        found = signature(generated.case().task(), verdict) | {FLAKY}  # or it may be
        explaining = [known for known in self.known if known <= found]
        for known in explaining:
            self.known[known] += 1
        return all(_power_of_two(self.known[known]) for known in explaining)

    def record(self, shrunk: ShrunkFailure) -> None:
        case, verdict = shrunk.case, shrunk.verdict
        found = signature(case.task(), verdict, flaky=shrunk.flaky)
        if found in self.known:
            return
        self.known[found] = 0
        path = None
        if self.save is not None and case.path is not None:
            from ..cases.writing import write_case

            path = self.save / case.path
            write_case(case, path)
        self.report.discrepancies.append(
            Discrepancy(case, verdict, self.report.examples, path, shrunk.flaky)
        )


def _is_collecting(frame: FrameType | None) -> bool:
    """Whether a frame is called, at some remove, by the garbage collector."""
    callbacks = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    while frame is not None:
        if frame.f_code in callbacks:
            return True
        frame = frame.f_back
    return False


def _power_of_two(count: int) -> bool:
    return count & (count - 1) == 0


# --- determinism ---------------------------------------------------------------------------------


def cases_strategy(language: str) -> Any:
    """The strategy of a language's cases; raises UnsupportedError for one that has none."""
    return part_of(language, "generate").strategy()


def _load_everything(language: str) -> None:
    """Import now what judging imports on demand.

    Hypothesis draws, now and then, a constant that it found in the source of a loaded module: what
    is generated must not depend on which modules the engine has made us load by then.
    """
    import_module("..cases.writing", __package__)
    import_module("...semantics.streams.rdf.reading", __package__)
    language_named(language).load()
