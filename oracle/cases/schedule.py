"""Schedules: how the production engine is driven while it evaluates a case.

A result must not depend on the schedule: on the cut into batches, on checkpoints, on the source of
the items, on the sizes of buffers. So a schedule is part of the input of a test; it is drawn,
shrunk and saved with the case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, get_args

from ...semantics.model.errors import DenotaError, nearest

if TYPE_CHECKING:
    from ...engine.tuning import TuningParameters

T = TypeVar("T")

Driver: TypeAlias = Literal["memory", "file", "live", "counted"]
"""The source of items: the case itself, files, or pushes into a live query.

`counted` takes the results of a language that can count them (CEQL) by their numbers, and counts
them.
"""

_DRIVERS: Final = get_args(Driver)

_CHECKPOINT: Final = "!"


class ScheduleError(DenotaError):
    """A text that is no schedule."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One batch of the input.

    `size` is its number of items; 0 stands for all remaining items. With `checkpoint`, the engine
    is replaced after the batch by one that is restored from a checkpoint of the first.
    """

    size: int
    checkpoint: bool = False

    def __str__(self) -> str:
        return f"{self.size}{_CHECKPOINT if self.checkpoint else ''}"


@dataclass(frozen=True)
class Schedule:
    """The schedule of an engine's input.

    `cuts` are the batches, repeated until the input ends; without any, the engine takes the input
    as `denota.run` hands it over. `again` runs the same query once before, up to its first result.
    `apart` lets the streams of a live source advance independently of one another, in an order that
    `seed` decides, each with items that are at most `late` time units out of order (seconds in
    CEQL). `small` makes every buffer as small as it can be, `capacities` set some of them.
    """

    driver: Driver = "memory"
    cuts: tuple[Cut, ...] = ()
    again: bool = False
    apart: bool = False
    late: int = 0
    seed: int = 0
    small: bool = False
    capacities: tuple[tuple[str, int], ...] = ()

    @cached_property
    def buffers(self) -> TuningParameters | None:
        """The sizes of the engine's buffers; None for the defaults."""
        from ...engine.tuning import SMALL, TuningParameters

        if not (self.small or self.capacities or self.driver == "file"):
            return None
        base = SMALL if self.small else TuningParameters()
        if self.driver == "file":
            base = replace(base, large=0)  # files of any size are read by columns
        return replace(base, **dict(self.capacities))

    def __str__(self) -> str:
        parts: list[str] = [self.driver] if self.driver != "memory" else []
        if self.cuts:
            parts.append(f"cuts={'.'.join(map(str, self.cuts))}")
        parts += [name for name in ("again", "apart", "small") if getattr(self, name)]
        parts += [f"{name}={getattr(self, name)}" for name in ("late", "seed")
                  if getattr(self, name)]
        parts += [f"{name}={value}" for name, value in self.capacities]
        return ",".join(parts)

    def simpler(self) -> Iterator[Schedule]:
        """Yield schedules that are simpler than this one, the simplest first."""
        for field in fields(self):
            if getattr(self, field.name) != field.default:
                default: dict[str, Any] = {field.name: field.default}
                yield replace(self, **default)
        for place in range(len(self.capacities)):
            yield replace(self, capacities=_without(self.capacities, place))
        for place, cut in enumerate(self.cuts):
            if len(self.cuts) > 1:
                yield replace(self, cuts=_without(self.cuts, place))
            plainer = [Cut(cut.size)] if cut.checkpoint else []
            plainer += [
                replace(cut, size=size) for size in (1, cut.size - 1) if 0 < size < cut.size
            ]
            for each in plainer:
                yield replace(self, cuts=(*self.cuts[:place], each, *self.cuts[place + 1 :]))

    @property
    def size(self) -> int:
        """A measure that each simpler schedule has less of."""
        return len(str(self)) + sum(cut.size for cut in self.cuts)


def _without(values: Sequence[T], place: int) -> tuple[T, ...]:
    return (*values[:place], *values[place + 1 :])


# --- texts ---------------------------------------------------------------------------------------

_MAY_BE_ZERO: Final = frozenset(
    {"explored", "terms", "scanned", "remembered", "passed", "useless", "departed", "anew",
     "strings", "large", "columns"}
)


@lru_cache(maxsize=1024)
def parse_schedule(text: str) -> Schedule:
    """Return the schedule of a text such as `file,cuts=3!.1,again,small,nodes=64`.

    `restored` and `items=N` are older names of `cuts=1!` and `cuts=N.1`.

    Raises ScheduleError.

    >>> str(parse_schedule("live,cuts=2!.1,small"))
    'live,cuts=2!.1,small'
    """
    from ...engine.tuning import NAMES

    made: dict[str, Any] = {}
    capacities: tuple[tuple[str, int], ...] = ()
    for part in filter(None, text.replace(" ", "").split(",")):
        name, equals, value = part.partition("=")
        if name in _DRIVERS and not equals:
            made["driver"] = name
        elif part in ("again", "apart", "small"):
            made[part] = True
        elif part == "restored":
            made["cuts"] = (Cut(1, checkpoint=True),)
        elif name == "cuts":
            made["cuts"] = tuple(map(_cut, value.split(".")))
        elif name not in (*NAMES, "items", "late", "seed"):
            known = (*_DRIVERS, "cuts", "again", "apart", "late", "seed", "small", *NAMES)
            raise ScheduleError(
                f"there is no capacity '{name}'{nearest(name, known)}"
                f" (there is: {', '.join(known)})"
            )
        elif not value.isdecimal() or len(value) > 18 or (
            name in NAMES and name not in _MAY_BE_ZERO and int(value) == 0
        ):
            raise ScheduleError(f"write {name}=NUMBER")
        elif name == "nodes" and int(value) & (int(value) - 1):
            raise ScheduleError("nodes is a power of two")
        elif name == "items":
            made["cuts"] = (Cut(int(value)), Cut(1))
        elif name in ("late", "seed"):
            made[name] = int(value)
        else:
            capacities += ((name, int(value)),)
    return Schedule(**made, capacities=capacities)


def _cut(written: str) -> Cut:
    size = written.removesuffix(_CHECKPOINT)
    if not size.isdecimal() or len(size) > 18:
        raise ScheduleError(f"write cuts=N.N!.…, where ! is a checkpoint, not '{written}'")
    return Cut(int(size), size != written)


# --- fixed and random schedules ------------------------------------------------------------------

FIXED: Final = tuple(map(parse_schedule, (
    "cuts=0,handed=1,columns=0", "file,handed_first=2,handed_most=3,handed=1,columns=0",
    "cuts=1!,small", "cuts=3,handed=1,columns=0", "live,again,small", "counted,stack=2",
    "cuts=2!.1.3,small,again", "file,cuts=3!.1,small", "live,apart,late=3,seed=1",
)))
"""Schedules that every case can be checked under, those that reach most code first: one batch,
columns of a file, a checkpoint after each item, batches of three, a live source, and so on."""


def fixed_schedules(count: int) -> list[Schedule | None]:
    """Return `count` schedules: None (the usual one), then the FIXED ones, then random ones."""
    random = Random(count)
    extra = (random_schedule(random) for _ in range(count))
    return [None, *FIXED, *extra][:count]


Kind: TypeAlias = Literal["items", "batches", "any"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Kinds of random schedules: item by item, in batches that go by columns, and any."""


def random_schedule(random: Random, kind: Kind = "any") -> Schedule:
    """Return a schedule, drawn from a random source."""
    chance = random.random
    driver: Driver = "memory"
    if kind == "any":
        driver = random.choices(_DRIVERS, (4, 2, 3, 1))[0]
    elif kind == "batches":
        driver = random.choices(("memory", "file"), (4, 1))[0]
    cuts: tuple[Cut, ...] = ()
    if kind == "batches" or (kind == "any" and driver != "counted" and chance() < 0.85):
        size = random.choice((_few, _few, _some))
        # After a checkpoint files are read again from their beginnings.
        often = random.choice((0.0, 0.0, 0.0, 0.3) if driver == "file" else (0.0, 0.0, 0.3, 1.0))
        cuts = tuple(
            Cut(size(random), chance() < often) for _ in range(random.choice((1, 1, 2, 3, 4)))
        )
    chosen: dict[str, int] = {}
    if kind == "batches" or (cuts and chance() < 0.7):  # batches of few items go by columns, too
        chosen |= {"handed": 1, "columns": random.choice((0, 0, 2))}
    if driver == "file":
        chosen |= {
            "handed_first": random.choice((1, 2, 3)), "handed_most": random.choice((2, 5)),
            "chunk": random.choice(_CHOICES["chunk"]),
        }
    if chance() < 0.5:
        picked = random.sample(sorted(_CHOICES), random.choice((1, 2, 4)))
        chosen |= {name: random.choice(_CHOICES[name]) for name in picked}
    return Schedule(
        driver, cuts, again=chance() < 0.15, apart=driver == "live" and chance() < 0.5,
        late=random.choice((0, 0, 1, 3)) if driver == "live" else 0,
        seed=random.randrange(8) if driver == "live" else 0,
        small=chance() < 0.5, capacities=tuple(chosen.items()),
    )


def _few(random: Random) -> int:
    return random.choice((1, 2, 2, 3))


def _some(random: Random) -> int:
    return random.choice((0, 3, 5, 8))


_CHOICES: Final[dict[str, tuple[int, ...]]] = {
    "nodes": (4, 16, 64), "batch": (1, 2, 3), "cut": (1, 2, 3), "plain": (1, 2), "block": (2, 3),
    "triggers": (1, 3), "partitions": (1, 2), "strings": (1, 2), "explored": (0, 3),
    "rows": (1, 2), "positions": (4, 9), "stack": (2, 3), "terms": (0, 8), "grown": (1, 2),
    "scanned": (0, 2), "remembered": (0, 2, 5), "passed": (0, 2), "useless": (0, 2),
    "departed": (0, 2), "partial": (1, 16), "pasts": (1, 4), "compared": (1, 2),
    "answered": (1, 4), "arrivals": (1, 3), "waiting": (1, 4), "pairs": (1, 3),
    "chunk": (64, 300, 700, 1500), "singly": (1, 2), "together": (1, 3), "anew": (0, 1, 4),
}
"""Buffer sizes that the streams of generated cases fill."""


__all__ = [
    "FIXED", "KINDS", "Cut", "Kind", "Schedule", "ScheduleError", "fixed_schedules",
    "parse_schedule", "random_schedule",
]
