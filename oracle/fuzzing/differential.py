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
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any, TypeAlias

from ..cases.case import Case
from ..cases.expectations import Expectation, ExpectedResults
from ..engines.capabilities import lacking, left_out
from ..engines.engine import DEFAULT_TIMEOUT, Engine, EngineCrash, EngineTimeout
from ..judging.judge import expectation_of, judge
from ..judging.verdicts import Outcome, Verdict
from ..languages.registry import has, having, part_of
from ..languages.registry import language as language_named
from .discrepancies import FLAKY, ShrunkFailure, Signature, shrunk_failure, signature
from .steering import Met, Steering
from .strategies.swarms import Swarm

DEFAULT_EXAMPLES = 500
ROUND = 50  # so many cases have one swarm; of several languages, each has a round in turn


@dataclass(frozen=True)
class Discrepancy:
    """A shrunk case on which engine and oracle differ; its expectation is the oracle's answer.

    `verdict` speaks of the shrunk case, `example` is the number (from 1) of the generated case that
    it was shrunk from, `path` is where it was saved. It is `flaky` if the engine, asked the same
    once more, did not fail in this way. `engine` names the engine as it was set up.
    """

    case: Case
    verdict: Verdict
    example: int
    path: Path | None = None
    flaky: bool = False
    engine: str = ""


@dataclass
class FuzzReport:
    """What a run has found so far.

    `languages` are those of the cases, `refused` those that were asked for and that the engine,
    which takes `takes`, does not take. `examples` counts the generated cases, `failing` those on
    which the engine failed, `unsupported` those that it does not take (`reasons` counts why),
    `passed_over` those that were not judged because it has said beforehand that it does not,
    `answered` those with a non-empty result, `shrinking` is whether a failing case is being shrunk
    right now. `seconds` is the time spent. `met` is, by language, how often the situations that its
    definitions know of have been met.
    """

    engine: str
    languages: tuple[str, ...]
    seed: int
    examples: int = 0
    failing: int = 0
    unsupported: int = 0
    passed_over: int = 0
    answered: int = 0
    seconds: float = 0.0
    discrepancies: list[Discrepancy] = field(default_factory=list)
    interrupted: bool = False
    shrinking: bool = False
    refused: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    reasons: Counter[str] = field(default_factory=Counter)
    met: dict[str, Met] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        """How many cases the engine took."""
        return self.examples - self.unsupported

    @property
    def ok(self) -> bool:
        """Whether cases were judged and no discrepancy was found."""
        return self.judged > 0 and not self.failing


Progress: TypeAlias = Callable[[FuzzReport], None]
Witness: TypeAlias = Callable[[Case, Verdict, str], None]
"""Is told of each generated case, the verdict on it, and its place in the run."""


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
    witness: Witness | None = None,
) -> FuzzReport:
    """Compare an engine with the oracle on generated cases.

    `languages` are those of the cases, in turns, as far as the engine takes them; by default all.
    If it takes none, nothing is judged, and the report is not `ok`.
    Ends after `examples` cases or `seconds` seconds, whichever comes first; with neither, after
    `DEFAULT_EXAMPLES`. A case being shrunk is shrunk to the end. `seed` makes the run repeatable
    (None: a new one each time; the report names it). `save` is a directory for the shrunk cases.
    After `stop_after` distinct discrepancies the run ends early. `progress` is called after each
    case. `timeout` is what the engine may take for one, in seconds. `witness` is told of every
    generated case, also of those that are passed over.

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
    return _Run(
        engine, report, examples, seconds, folder, stop_after, progress, timeout, witness
    ).whole()


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
    witness: Witness | None = None
    began: float = field(default_factory=perf_counter)
    known: dict[Signature, int] = field(default_factory=dict)
    steering: dict[str, Steering] = field(default_factory=dict)

    def whole(self) -> FuzzReport:
        if self.save is not None:
            self.save.mkdir(parents=True, exist_ok=True)
        try:
            with self.interruptible():
                for language in self.report.languages:
                    self.begin(language)
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

    def begin(self, language: str) -> None:
        language_named(language).load()
        known = part_of(language, "situations").SITUATIONS if has(language, "situations") else {}
        met = self.report.met[language] = Met(known)
        self.steering[language] = Steering(f"{self.report.seed}.{language}", met)

    def round(self, number: int) -> None:
        """So many cases under one swarm."""
        from .strategies.plain_generation import drawn
        from .strategies.swarms import under

        language = self.report.languages[number % len(self.report.languages)]
        steering = self.steering[language]
        swarm = steering.swarm()
        capabilities = getattr(self.engine, "capabilities", {}).get(language, {})
        if capabilities:
            swarm = replace(swarm, without=left_out(language, capabilities))
        strategy = under(swarm, cases_strategy(language))
        varied = getattr(self.engine, "varied", None)
        engine = self.engine if varied is None else varied(number // len(self.report.languages))
        for generated in drawn(strategy, f"{self.report.seed}.{number}", ROUND):
            if capabilities and lacking(generated, capabilities):
                self.report.passed_over += 1
                self.tell(generated, Verdict(Outcome.UNSUPPORTED, detail="passed over"))
                continue
            expected = self.one(generated, engine)
            self.report.answered += learn(steering, swarm, language, generated, expected)
            if self.over():
                break
        steering.over(swarm)

    # --- one case ---

    def one(self, generated: Case, engine: Engine) -> Expectation:
        """What was to be expected of the case that is judged."""
        report = self.report
        expected = expectation_of(generated)
        verdict = judge(generated.but(expect=expected), engine, timeout=self.timeout)
        report.examples += 1
        self.tell(generated, verdict)
        if verdict.outcome is Outcome.UNSUPPORTED:
            report.unsupported += 1
            report.reasons[verdict.detail] += 1
        elif verdict.against:
            report.failing += 1
            self.failed(generated, engine, verdict)
        report.seconds = perf_counter() - self.began
        if self.progress is not None:
            self.progress(report)
        return expected

    def tell(self, generated: Case, verdict: Verdict) -> None:
        if self.witness is not None:
            number = self.report.examples + self.report.passed_over
            self.witness(generated, verdict, f"seed {self.report.seed}, case {number}")

    def failed(self, generated: Case, engine: Engine, verdict: Verdict) -> None:
        """Shrink a failing case, unless known discrepancies very likely explain it."""
        if not self.worth_shrinking(generated, verdict):
            return
        self.report.shrinking = True
        if self.progress is not None:
            self.progress(self.report)
        shrunk = shrunk_failure(
            generated, verdict, engine, timeout=self.timeout, tags=("fuzz",)
        )
        self.report.shrinking = False
        self.record(shrunk, engine.name)

    def worth_shrinking(self, generated: Case, verdict: Verdict) -> bool:
        """Explained cases are shrunk ever more rarely: the 1st, 2nd, 4th, 8th, … of each."""
        found = signature(generated, verdict) | {FLAKY}  # or it may be
        explaining = [known for known in self.known if known <= found]
        for known in explaining:
            self.known[known] += 1
        return all(_power_of_two(self.known[known]) for known in explaining)

    def record(self, shrunk: ShrunkFailure, engine: str) -> None:
        case, verdict = shrunk.case, shrunk.verdict
        found = signature(case, verdict, flaky=shrunk.flaky)
        if found in self.known:
            return
        self.known[found] = 0
        path = None
        if self.save is not None and case.path is not None:
            from ..cases.writing import write_case

            path = self.save / case.path
            write_case(case, path)
        self.report.discrepancies.append(
            Discrepancy(case, verdict, self.report.examples, path, shrunk.flaky, engine)
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


def cases_strategy(language: str) -> Any:
    """The strategy of a language's cases; raises UnsupportedError for one that has none."""
    return part_of(language, "generate").strategy()


def learn(
    steering: Steering, swarm: Swarm, language: str, generated: Case, expected: Expectation
) -> bool:
    """Let a case that a swarm has made, and what is expected of it, steer the next swarms; whether
    it has a non-empty answer."""
    if not isinstance(expected, ExpectedResults) or not expected.results:
        steering.learn(swarm, (), answered=False)
        return False
    steering.learn(swarm, situations_met(language, generated, expected), answered=True)
    return True


def situations_met(language: str, generated: Case, expected: ExpectedResults) -> frozenset[str]:
    """Which situations a case has met that has this answer."""
    if not has(language, "situations"):
        return frozenset()
    met: frozenset[str] = part_of(language, "situations").met(generated, expected.results)
    return met
