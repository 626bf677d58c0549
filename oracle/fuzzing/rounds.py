"""Rounds: some fifty cases under one swarm.

Fuzzing and measurements of fuzzing draw the same cases from the same seed here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, islice
from random import Random
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from ..cases.case import Case, Expectation, ExpectedResults
from ..cases.schedule import KINDS, Schedule, random_schedule
from ..checking.case_checker import check_under, expectation_of
from ..checking.verdicts import Verdict
from ..engines.capabilities import Name, capabilities_of, lacking, left_out, said_by
from ..engines.engine import Engine
from ..inputs.choices import (
    Choices,
    Options,
    Restriction,
    all_of,
    random_values,
    restricted,
    strategy,
)
from ..inputs.swarms import Swarm, random_swarm
from ..languages.registry import language, part_of
from .coverage import Coverage
from .known_differences import KnownRefusals
from .repairs import repaired

_LOOKING_AGAIN: Final = 5  # rounds, of which the first leaves nothing out that is refused
ROUND: Final = 50  # so many cases have one swarm; of several languages, each has a round in turn
_COVERING: Final = 4
_AVOIDED: Final = 0.9  # of the cases that have what is confirmed
_TABLES: Final = 12  # cases of value tables behind each round
_COLUMNAR: Final = 3
"""One of so many rounds has queries that an engine can evaluate by columns (`generate.COLUMNAR`).
Under no restriction, few queries of several operators are."""


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
        """Return the verdict on the case; a failure names its schedule."""
        case = self.case.but(expect=self.expected)
        return check_under(self.schedules, case, self.engine, timeout=timeout)


@dataclass
class CaseRounds:
    """The rounds of one language's cases, for one engine.

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
    confirmed: Callable[[], Iterable[str]] = tuple
    """The repairs of causes that are well known, which nine of ten cases have."""

    def __post_init__(self) -> None:
        self._drawn = getattr(self.engine, "follows_schedules", False) and self.fixed is None
        self._swarms = Random(f"{self.seed}.{self.language}")
        self.coverage = Coverage()
        self._parsed = 0
        self._avoiding = Random(f"{self.seed}.{self.language}.repairs")
        self._random = Random(f"{self.seed}.{self.language}.schedules")
        tables = getattr(part_of(self.language, "generate"), "VALUE_TABLES", None)
        self._tables: Iterator[Case] = iter(()) if tables is None else chain.from_iterable(
            tables.cases(f"{self.seed}.{again}") for again in count()
        )

    def round(self, number: int, turn: int) -> Iterator[GeneratedCase]:
        """Yield the round with this number among all languages'; it is this language's `turn`."""
        varied = getattr(self.engine, "varied", None)
        engine = self.engine if varied is None else varied(turn)
        capabilities = said_by(engine, self.language)

        without = left_out(self.language, capabilities) if capabilities else frozenset()
        if turn % _LOOKING_AGAIN:
            without |= self.refusals.avoidable(self.language)
        swarm = random_swarm(self._swarms)
        columnar = self._drawn and turn % _COLUMNAR == _COLUMNAR - 1
        generate = part_of(self.language, "generate")
        allowed: Options | None = getattr(generate, "COLUMNAR", None) if columnar else None
        cases = random_cases(
            self.language, f"{self.seed}.{number}", ROUND, swarm, without, allowed
        )
        for case in cases:
            yield self._prepared(case, engine, capabilities)
        if capabilities:  # such engines take no attribute of several types, as the tables have
            return
        for case in islice(self._tables, _TABLES):
            yield self._prepared(case, engine, capabilities)

    def _prepared(self, case: Case, engine: Engine, capabilities: Any) -> GeneratedCase:
        """Return a case with the expected results."""
        for name in self.confirmed():
            if self._avoiding.random() < _AVOIDED:
                case = repaired(case, name) or case
        if capabilities and lacking(case, capabilities):
            return GeneratedCase(case, engine)
        if foretold := self.refusals.foretell(case):
            return GeneratedCase(case, engine, foretold=foretold)
        expected = expectation_of(case)
        answered = isinstance(expected, ExpectedResults) and bool(expected.results)
        self._parsed += 1
        if self._parsed % self.covering == 0:
            self.coverage.count(partial(_parse, case), answered=answered)
        return GeneratedCase(case, engine, expected, answered, schedules=self._schedules())

    def _schedules(self) -> tuple[Schedule | None, ...]:
        """Return a schedule of single items, one of batches, and one of any kind."""
        if not self._drawn:
            return (self.fixed,)
        return tuple(random_schedule(self._random, kind) for kind in KINDS)


def _parse(case: Case) -> object:
    of = language(case.language_name)
    return of.parse(case.query if isinstance(case.query, str) else of.print(case.query))


def cases_strategy(language: str, without: Collection[Name] = ()) -> SearchStrategy[Case]:
    """Return the strategy of a language's cases; raises UnsupportedError for one that has none.

    The generator avoids the names `without`, as far as it can.
    """
    return strategy(_case(part_of(language, "generate"), without))


def random_cases(
    language: str,
    seed: str,
    count: int,
    swarm: Swarm | None = None,
    without: Collection[Name] = (),
    allowed: Options | None = None,
) -> Iterator[Case]:
    """Return `count` random cases of a language, the same for the same seed.

    Args:
        language: the language's name.
        seed: the seed, of all cases together.
        count: the number of cases.
        swarm: the swarm of all cases; default: each has a random one.
        without: names of capabilities that the generator avoids, as far as it can.
        allowed: the only options that the generator takes of some choices, as far as it can.

    Raises:
        UnsupportedError: for a language whose cases cannot be generated.
    """
    draw = _case(part_of(language, "generate"), without)
    if allowed is not None:
        draw = restricted(draw, Restriction(allowed))
    return random_values(draw, seed, count, swarm)


def _case(generate: Any, without: Collection[Name]) -> Callable[[Choices], Case]:
    """Return the function that draws a language's cases, restricted to do without these names."""
    draw: Callable[[Choices], Case] = generate.case
    if not without:
        return draw
    refused = all_of(generate.RESTRICTIONS[name] for name in without)
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
