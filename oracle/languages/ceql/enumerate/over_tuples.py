"""What all enumerations of CEQL have: the window of their queries, and their name."""

from __future__ import annotations

from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.tree import CeqlQuery, WindowUnit, Within
from ....ranks.families import AboutT
from ...enumeration import Bounds, BoundsError, Enumeration
from ..alphabets import TYPES, TupleAlphabet
from .tuple_streams import SECOND


class OverTuples(Enumeration[CeqlQuery, AboutT, Readings]):
    """A window is of so many events or, where tuples have times, of so many seconds."""

    language, readings_type = "ceql", Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.alphabet: TupleAlphabet = bounds.alphabet_of(self.language)
        self.timed = bounds.within is not None and not bounds.events
        if bounds.slide is not None:
            raise BoundsError("windows of CEQL have no SLIDE")

    def only_events(self) -> None:
        """Raise BoundsError unless a window counts events."""
        if self.timed:
            raise BoundsError(
                f"over the alphabet '{self.alphabet.name}' windows of CEQL are 'N EVENTS'"
            )

    @property
    def window(self) -> Within | None:
        """The window of all queries."""
        within = self.bounds.within
        if within is None:
            return None
        if self.timed:
            return Within(within * SECOND, WindowUnit.TIME)
        return Within(within, WindowUnit.EVENTS)

    @property
    def called(self) -> str:
        return self.language if self.alphabet is TYPES else self.alphabet.name
