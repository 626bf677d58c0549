"""Rounds: some fifty cases under one swarm, and what they teach the steering.

Whoever fuzzes, and whoever measures fuzzing, draws the same cases from the same seed here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, cycle, islice
from random import Random
from typing import Any, Final, TypeVar

from hypothesis.strategies import SearchStrategy

from ..cases.case import Case
from ..cases.expectations import Expectation, ExpectedResults
from ..cases.schedule import KINDS, Schedule, random_schedule
from ..engines.capabilities import Name, capabilities_of, lacking, left_out, said_by
from ..engines.engine import Engine
from ..inputs.choices import Choices, Restriction, random_values, restricted, strategy
from ..inputs.swarms import Swarm
from ..judging.judge import expectation_of, judge_under
from ..judging.verdicts import Verdict
from ..languages.registry import has, language, part_of
from .known_differences import KnownRefusals
from .steering import Coverage, Met, Steering

T = TypeVar("T")
Taught = TypeVar("Taught")

_CANDIDATES: Final = 3
_LOOKING_AGAIN: Final = 5  # rounds, of which the first leaves nothing out that is refused
ROUND: Final = 50  # so many cases have one swarm; of several languages, each has a round in turn
_COVERING: Final = 4
_TABLES: Final = 12  # cases of value tables behind each round


def a_round(
    steering: Steering,
    values: Callable[[Swarm], Iterator[T]],
    lesson: Callable[[T], tuple[Taught, bool | None, Iterable[str]]],
) -> Iterator[Taught]:
    """Generate the values of the next swarm.

    `values` draws them under a swarm. `lesson` makes of each what is handed out, and says whether
    it has an answer and which situations it has met; None for the answer where nothing is to be
    learned.
    """
    swarm = steering.swarm()
    for value in values(swarm):
        taught, answered, met = lesson(value)
        if answered is not None:
            steering.learn(swarm, met, answered=answered)
        yield taught
    steering.over(swarm)


@dataclass(frozen=True)
class GeneratedCase:
    """A generated case, what is expected of it, and the engine as it is set up for it.

    Nothing is expected of what the engine has said beforehand that it does not take, nor of a case
    for which the known difference `foretold` is to be expected. The case is checked under each of
    the `schedules`.
    """

    case: Case
    engine: Engine
    expected: Expectation | None = None
    answered: bool = False
    foretold: str | None = None
    schedules: tuple[Schedule | None, ...] = (None,)

    def verdict(self, timeout: float | None) -> Verdict:
        """The verdict on the case; a failure names its schedule."""
        case = self.case.but(expect=self.expected)
        return judge_under(self.schedules, case, self.engine, timeout=timeout)


@dataclass
class CaseRounds:
    """The rounds of one language's cases, for one engine; `met` counts what they have met.

    Cases that one of the known `refusals` foretells are passed over, and options that nearly always
    lead to one are left out in four of five rounds: the fifth one finds out whether they still do.
    """

    language: str
    engine: Engine
    seed: int
    refusals: KnownRefusals = field(default_factory=KnownRefusals)
    fixed: Schedule | None = None
    """The schedule of all cases; None: they are drawn."""
    covering: int = _COVERING
    """Of so many cases one is parsed again for the coverage."""
    met: Met = field(init=False)

    def __post_init__(self) -> None:
        has_situations = has(self.language, "situations")
        known = part_of(self.language, "situations").SITUATIONS if has_situations else {}
        self._drawn = getattr(self.engine, "follows_schedules", False) and self.fixed is None
        driven = schedule_situations_of(self.language) if self._drawn else {}
        self.met = Met({**known, **driven})
        self._steering = Steering(f"{self.seed}.{self.language}", self.met)
        self.coverage = Coverage()
        self._parsed = 0
        self._random = Random(f"{self.seed}.{self.language}.schedules")
        tables = getattr(part_of(self.language, "generate"), "VALUE_TABLES", None)
        self._tables: Iterator[Case] = iter(()) if tables is None else chain.from_iterable(
            tables.cases(f"{self.seed}.{again}") for again in count()
        )

    def round(self, number: int, turn: int) -> Iterator[GeneratedCase]:
        """The round with this number among those of all languages; it is this language's `turn`."""
        varied = getattr(self.engine, "varied", None)
        engine = self.engine if varied is None else varied(turn)
        capabilities = said_by(engine, self.language)

        def lesson(case: Case) -> tuple[GeneratedCase, bool | None, Iterable[str]]:
            return self._prepared(case, engine, capabilities)

        without = left_out(self.language, capabilities) if capabilities else frozenset()
        if turn % _LOOKING_AGAIN:
            without |= self.refusals.avoidable(self.language)
        yield from a_round(
            self._steering,
            lambda swarm: random_cases(
                self.language, f"{self.seed}.{number}", ROUND, swarm, without
            ),
            lesson,
        )
        if capabilities:  # such engines take no attribute of several types, as the tables have
            return
        for case in islice(self._tables, _TABLES):
            yield self._prepared(case, engine, capabilities, steers=False)[0]

    def _prepared(
        self, case: Case, engine: Engine, capabilities: Any, *, steers: bool = True
    ) -> tuple[GeneratedCase, bool | None, Iterable[str]]:
        """A case with what is expected, whether it has an answer, and the situations it has met."""
        if capabilities and lacking(case, capabilities):
            return GeneratedCase(case, engine), None, ()
        if foretold := self.refusals.foretell(case):
            return GeneratedCase(case, engine, foretold=foretold), False, ()
        expected = expectation_of(case)
        answered = isinstance(expected, ExpectedResults) and bool(expected.results)
        met: frozenset[str] = frozenset()
        if answered and steers:
            met = situations_met(self.language, case, expected)
        self._parsed += 1
        if self._parsed % self.covering == 0:
            self.coverage.count(partial(_parse, case), answered=answered)
        schedules, driven = self._schedules(case, met)
        made = GeneratedCase(case, engine, expected, answered, schedules=schedules)
        return made, answered, met | driven

    def _schedules(
        self, case: Case, met: frozenset[str]
    ) -> tuple[tuple[Schedule | None, ...], frozenset[str]]:
        """The schedules of a case, and the situations that they bring about.

        One takes item by item, one in batches, the others in any way. Of several candidates those
        are taken that bring about what has been seen least beside what the case meets.
        """
        if not self._drawn:
            return (self.fixed,), frozenset()
        pairs = self.met.pairs
        chosen: list[Schedule | None] = []
        driven: set[str] = set()
        for kind in KINDS:
            best, seen = None, frozenset[str]()
            least = float("inf")
            for _ in range(_CANDIDATES):
                schedule = random_schedule(self._random, kind)
                found = schedule_situations(schedule, case, self.met.known)
                weight = sum(
                    pairs[min(a, b), max(a, b)] / (1 + len(found)) for a in found for b in met
                ) + 8 * len(found & driven)
                if weight < least:
                    best, seen, least = schedule, found, weight
            chosen.append(best)
            driven |= seen
        return tuple(chosen), frozenset(driven)


def _parse(case: Case) -> object:
    of = language(case.language_name)
    return of.parse(case.query if isinstance(case.query, str) else of.print(case.query))


SITUATIONS: Final = {
    "item by item": "the engine takes the items one by one",
    "batches": "the engine takes several items at once",
    "one batch": "the engine takes all items at once",
    "cut inside an instant": "two items of one time are in two batches",
    "checkpoint": "the engine is replaced amid the input by one that is restored",
    "checkpoint inside an instant": "it is replaced between two items of one time",
    "file": "the items are read from files, by columns",
    "live": "the items are pushed into a live query",
    "streams apart": "live streams advance independently of one another",
    "out of order": "the items of a live stream are not in the order of their times",
    "counted results": "the results are taken by their numbers",
    "small buffers": "every buffer is as small as it can be",
    "same query before": "the same query was run before, up to its first result",
}
"""What a schedule may bring about, by name."""


_OF_RUNNING: Final = frozenset({
    "batches", "one batch", "cut inside an instant", "checkpoint", "checkpoint inside an instant",
    "live", "streams apart", "out of order",
})


def schedule_situations_of(name: str) -> Mapping[str, str]:
    """The situations that schedules may bring about in a language, by name."""
    of = language(name)
    impossible = frozenset() if hasattr(of, "running") else _OF_RUNNING
    if not hasattr(of, "sample"):
        impossible |= {"counted results"}
    return {each: text for each, text in SITUATIONS.items() if each not in impossible}


def schedule_situations(
    schedule: Schedule, case: Case, possible: Collection[str]
) -> frozenset[str]:
    """The names of what a schedule brings about on a case, among the `possible` ones."""
    found = {
        name for name, holds in (
            ("file", schedule.driver == "file"), ("live", schedule.driver == "live"),
            ("counted results", schedule.driver == "counted"), ("streams apart", schedule.apart),
            ("out of order", schedule.apart and schedule.late > 0),
            ("small buffers", schedule.small), ("same query before", schedule.again),
            ("item by item", schedule.driver == "memory" and not schedule.cuts),
        ) if holds
    }
    return frozenset(each for each in found | _cut_situations(schedule, case) if each in possible)


def _cut_situations(schedule: Schedule, case: Case) -> frozenset[str]:
    if not schedule.cuts:
        return frozenset()
    times = sorted(
        (item.time if case.language.items == "tuples" else item.end) or 0
        for items in case.streams.values() for item in items
    )
    found: set[str] = set()
    begin = 0
    for cut in cycle(schedule.cuts):
        end = begin + (cut.size or len(times))
        if min(end, len(times)) - begin > 1:
            found.add("batches" if begin or end < len(times) else "one batch")
        else:
            found.add("item by item")
        if end >= len(times):
            return frozenset(found)
        inside = times[end - 1] == times[end]
        found |= {"cut inside an instant"} if inside else set()
        if cut.checkpoint:
            found |= {"checkpoint", "checkpoint inside an instant"} if inside else {"checkpoint"}
        begin = end
    return frozenset(found)


def cases_strategy(language: str, without: Collection[Name] = ()) -> SearchStrategy[Case]:
    """The strategy of a language's cases; raises UnsupportedError for one that has none.

    The generator avoids the names `without`, as far as it can.
    """
    return strategy(_case(part_of(language, "generate"), without))


def random_cases(
    language: str,
    seed: str,
    count: int,
    swarm: Swarm | None = None,
    without: Collection[Name] = (),
) -> Iterator[Case]:
    """Return `count` random cases of a language, the same for the same seed.

    Args:
        language: the language's name.
        seed: the seed, of all cases together.
        count: the number of cases.
        swarm: the swarm of all cases; default: each has a random one.
        without: names of capabilities that the generator avoids, as far as it can.

    Raises:
        UnsupportedError: for a language whose cases cannot be generated.
    """
    return random_values(_case(part_of(language, "generate"), without), seed, count, swarm)


def _case(generate: Any, without: Collection[Name]) -> Callable[[Choices], Case]:
    """Return the function that draws a language's cases, restricted to do without these names."""
    draw: Callable[[Choices], Case] = generate.case
    if not without:
        return draw
    refused: dict[str, list[object]] = {}
    for name in without:
        for choice, options in generate.RESTRICTIONS[name].items():
            refused.setdefault(choice, []).extend(options)
    return restricted(draw, Restriction(refused, refused=True))


def cases(
    language: str, capabilities: Mapping[str, Any] | None = None
) -> SearchStrategy[Case]:
    """Return a strategy of cases: a query with streams that it often matches, and readings.

    Args:
        language: a language's name, such as "spaseq".
        capabilities: the operators, functions and so on that an engine supports, in the form in
            which an adapter states them (docs/adapters.md): for this language, or by language;
            default: everything. A case that needs anything else is never drawn.

    Raises:
        UnsupportedError: for a language whose cases cannot be generated.
        CapabilityError: for capabilities that the language does not have.
    """
    if capabilities is None:
        return cases_strategy(language)
    own = capabilities.get(language, capabilities)
    supported = capabilities_of(language, {group: list(names) for group, names in own.items()})
    found = cases_strategy(language, left_out(language, supported))
    return found.filter(lambda case: not lacking(case, supported))


def situations_met(language: str, generated: Case, expected: Any) -> frozenset[str]:
    """Which situations a case has met that has this answer."""
    if not has(language, "situations"):
        return frozenset()
    met: frozenset[str] = part_of(language, "situations").met(generated, expected.results)
    return met
