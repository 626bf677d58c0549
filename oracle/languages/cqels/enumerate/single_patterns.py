"""The cases of the alphabets `steps` and `gaps`: every sequence and join on every stream.

The size of a query is its number of elements less one: of a sequence inside a window or over
windows, with or without one negated element, or of two windows that are joined, joined by OPTIONAL,
united or subtracted. Each pattern is `{ ?x :A ?a }` for some letter. A query is evaluated whenever
an item arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from rdflib.term import URIRef

from .....semantics.cqels.syntax.readings import Readings
from .....semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    PatternElement,
    RangeWindow,
    Span,
    TripleSequence,
    WindowClause,
    WindowElement,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from .....semantics.model.trees import find
from .....semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from ....ranks.families import Family, Letters
from ....ranks.numbered_streams import NumberedStreams
from ...enumerated_graphs import (
    EXAMPLE,
    PREFIXES,
    PROLOGUE,
    STREAM,
    LetterStreams,
    interval_streams,
    triple_pattern,
)
from ...enumeration import Bounds


class SinglePatternCases(LetterStreams[CqelsQuery, Readings]):
    """Without `within` windows are [ALL]."""

    language, prefixes, readings_type = "cqels", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("windows of CQELS-CEP are N wide, without SLIDE")
        super().__init__(bounds)

    def families(self, operators: int) -> list[Family[CqelsQuery, str, str]]:
        elements = operators + 1
        return [Family(len(_bodies("A" * elements)), Letters(elements), self._query)]

    def _query(self, shape: int, word: str) -> CqelsQuery:
        within = self.bounds.within
        function: WindowFunction = AllWindow() if within is None else RangeWindow(Span(within))
        elements = _bodies(word)[shape]
        used = dict.fromkeys(each.name for each in find(elements, WindowPattern))
        windows = tuple(WindowClause(name, STREAM, function) for name in used)
        return CqelsQuery(None, windows, GroupGraphPattern(elements), prologue=PROLOGUE)

    @property
    def steps(self) -> Callable[[str, int], NumberedStreams]:
        return interval_streams


@lru_cache(maxsize=1 << 8)
def _bodies(word: str) -> list[tuple[Element, ...]]:
    """What a WHERE clause can make of the patterns of these letters."""
    patterns = [GroupGraphPattern((TriplesBlock((triple_pattern(letter),)),)) for letter in word]
    plain = [
        WindowPattern(_name(number), pattern) for number, pattern in enumerate(patterns, start=1)
    ]
    if len(patterns) == 1:
        return [(plain[0],)]
    found: list[tuple[Element, ...]] = []
    for negated in (None, *range(len(patterns))):
        inside = TripleSequence(tuple(
            PatternElement(pattern, place == negated) for place, pattern in enumerate(patterns)
        ))
        across = WindowSequence(tuple(
            WindowElement(block.name, place == negated) for place, block in enumerate(plain)
        ))
        found += [(WindowPattern(_name(1), inside),), (*plain, across)]
    if len(patterns) == 2:
        first, second = plain
        group = GroupGraphPattern((second,))
        found += [
            (first, second),
            (first, OptionalPattern(group)),
            (first, MinusPattern(group)),
            (UnionPattern((GroupGraphPattern((first,)), group)),),
        ]
    return found


def _name(number: int) -> URIRef:
    return URIRef(f"{EXAMPLE}w{number}")
