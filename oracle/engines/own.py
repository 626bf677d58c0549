"""denota's own engines: the production engine, and the definitions themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...semantics.model.errors import DenotaError
from ...semantics.model.nearest import nearest
from ..cases.case import Case, Task
from ..judging.levels import Level
from ..languages.registry import names
from .engine import EngineError

if TYPE_CHECKING:
    from ...engine.capacities import Capacities


class Production:
    """denota's own engine.

    `setup` is how much it takes in before it grows or forgets, where that is not as always:
    numbers by the names of `engine.capacities.Capacities`, in text; `small` is all of them small.
    And with `again` it has been asked the same before, up to the first result: what an engine
    remembers of one run may not show in the next. `counted`: where a language's results can be
    counted and taken by their numbers, as those of CEQL, they are. `restored`: after each item the
    run is left, and taken up from its checkpoint by an engine of its own.
    """

    level: Level = "pair"
    own = True
    """what it imports and compiles is charged to nobody"""

    def __init__(self, setup: str = "") -> None:
        self.languages = names()
        self.version = _own_version()
        self.name = f"production:{setup}" if setup else "production"
        parts = [part for part in setup.split(",") if part]
        self._again = _AGAIN in parts
        self._counted = _COUNTED in parts
        self._restored = _RESTORED in parts
        self._capacities = _capacities(
            [part for part in parts if part not in (_AGAIN, _COUNTED, _RESTORED)], self.name
        )
        self._varied: dict[str, Production] = {}

    def varied(self, number: int) -> Production:
        """The same engine with one or another of the `VARIATIONS`; for fuzzing."""
        if self.name != "production":
            return self
        name = VARIATIONS[number % len(VARIATIONS)]
        return self._varied.setdefault(name, Production(name)) if name else self

    def run(self, case: Task) -> Iterable[Any]:
        if self._capacities is None:
            return self._asked(case)
        from ...engine.capacities import capacities

        with capacities(self._capacities):
            return list(self._asked(case))

    def _asked(self, case: Task) -> Iterator[Any]:
        if self._again:
            with suppress(DenotaError):  # it comes again
                next(self._run(case), None)
        return self._run(case)

    def _run(self, case: Task) -> Iterator[Any]:
        sample = getattr(case.language, "sample", None) if self._counted else None
        with case.query_errors():
            if self._restored and hasattr(case.language, "running"):
                from .leaving import left_and_taken_up

                yield from left_and_taken_up(case)
            elif sample is None:
                yield from case.language.run(case.tree, **case.inputs)
            else:
                yield from sample(case.tree, _MORE_THAN_THERE_ARE, **case.inputs)


VARIATIONS = (
    "", "small", "again,cut=2,batch=2", "small,nodes=4,cut=1,batch=1,items=1", "counted,stack=2",
    "again,small,terms=8,grown=2,nodes=64,anew=4,cut=3,batch=3,items=9,partial=16",
    "restored,small,batch=1",
)
"""How fuzzing sets the production engine up, in turns."""

_AGAIN = "again"
_COUNTED = "counted"
_RESTORED = "restored"
_MORE_THAN_THERE_ARE = 1 << 40


def _capacities(parts: Sequence[str], engine: str) -> Capacities | None:
    """What a list like `small`, `batch=3` says; none where it says nothing."""
    from ...engine.capacities import NAMES, SMALL, Capacities

    if not parts:
        return None
    these = Capacities()
    known = (_AGAIN, _COUNTED, _RESTORED, "small", *NAMES)
    for part in parts:
        name, _, value = part.partition("=")
        if part == "small":
            these = replace(SMALL)
        elif name not in NAMES:
            raise EngineError(
                f"engine '{engine}': there is no capacity '{name}'{nearest(name, known)}"
                f" (there is: {', '.join(known)})"
            )
        elif not value.isdecimal() or (name not in _MAY_BE_NONE and int(value) == 0):
            raise EngineError(f"engine '{engine}': write {name}=NUMBER")
        elif name == "nodes" and int(value) & (int(value) - 1):
            raise EngineError(f"engine '{engine}': nodes is a power of two")
        else:
            these = replace(these, **{name: int(value)})
    return these


_MAY_BE_NONE = frozenset(
    {"explored", "terms", "scanned", "remembered", "passed", "useless", "departed", "anew",
     "strings", "items"}
)


class Oracle:
    """The definitions themselves."""

    name = "oracle"
    level: Level = "pair"
    own = True

    def __init__(self) -> None:
        self.languages = names()
        self.version = _own_version()

    def run(self, case: Task) -> Iterable[Any]:
        with case.query_errors():
            results: Iterable[Any] = (
                case.denotation() if isinstance(case, Case)  # which remembers it
                else list(case.language.evaluate(case.tree, **case.inputs))
            )
            return results


def _own_version() -> str:
    from ... import __version__

    return __version__
