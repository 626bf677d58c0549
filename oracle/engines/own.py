"""denota's own engines: the production engine, and the definitions themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...semantics.model.nearest import nearest
from ..cases.case import Case
from ..judging.levels import Level
from ..languages.registry import names
from .engine import EngineError

if TYPE_CHECKING:
    from ...engine.capacities import Capacities


class Production:
    """denota's own engine.

    `capacities` are how much it takes in before it grows or forgets, where that is not as always:
    numbers by the names of `engine.capacities.Capacities`, in text; `small` is all of them small.
    """

    level: Level = "pair"
    own = True
    """what it imports and compiles is charged to nobody"""

    def __init__(self, capacities: str = "") -> None:
        self.languages = names()
        self.version = _own_version()
        self.name = f"production:{capacities}" if capacities else "production"
        self._capacities = _capacities(capacities)
        self._varied: dict[str, Production] = {}

    def varied(self, number: int) -> Production:
        """The same engine with one or another of the `VARIATIONS`; for fuzzing."""
        if self._capacities is not None:
            return self
        name = VARIATIONS[number % len(VARIATIONS)]
        return self._varied.setdefault(name, Production(name)) if name else self

    def run(self, case: Case) -> Iterable[Any]:
        if self._capacities is None:
            return self._run(case)
        from ...engine.capacities import capacities

        with capacities(self._capacities):
            return list(self._run(case))

    def _run(self, case: Case) -> Iterator[Any]:
        with case.query_errors():
            yield from case.language.run(case.tree, **case.inputs)


VARIATIONS = (
    "", "small", "cut=2,batch=2", "small,cut=1,batch=1", "", "small,nodes=64,anew=4,cut=3,batch=3",
)
"""How fuzzing sets the production engine up, in turns."""


def _capacities(text: str) -> Capacities | None:
    """What a list like `small,batch=3` says; none where it says nothing."""
    from ...engine.capacities import NAMES, SMALL, Capacities

    if not text:
        return None
    these = Capacities()
    known = ("small", *NAMES)
    for part in text.split(","):
        name, _, value = part.partition("=")
        if part == "small":
            these = replace(SMALL)
        elif name not in NAMES:
            raise EngineError(
                f"engine 'production:{text}': there is no capacity '{name}'{nearest(name, known)}"
                f" (there is: {', '.join(known)})"
            )
        elif not value.isdecimal() or (name not in _MAY_BE_NONE and int(value) == 0):
            raise EngineError(f"engine 'production:{text}': write {name}=NUMBER")
        elif name == "nodes" and int(value) & (int(value) - 1):
            raise EngineError(f"engine 'production:{text}': nodes is a power of two")
        else:
            these = replace(these, **{name: int(value)})
    return these


_MAY_BE_NONE = frozenset(
    {"explored", "terms", "scanned", "remembered", "passed", "useless", "departed", "anew",
     "strings"}
)


class Oracle:
    """The definitions themselves."""

    name = "oracle"
    level: Level = "pair"
    own = True

    def __init__(self) -> None:
        self.languages = names()
        self.version = _own_version()

    def run(self, case: Case) -> Iterable[Any]:
        with case.query_errors():
            results: Iterable[Any] = case.denotation()
            return results


def _own_version() -> str:
    from ... import __version__

    return __version__
