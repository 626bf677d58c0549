"""All RSEP-QL cases up to a size: every event pattern on every stream.

The operators are SEQ, SEQN, SEQC, SEQR, FIRST, LAST, and one for CONSUME. Each EVENT is
`{ ?x :A ?a }` for some letter, all of them over one window. A query is evaluated whenever an item
arrives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rdflib.term import URIRef

from ....semantics.rdf.syntax.tree import GroupGraphPattern, SelectQuery, TriplesBlock
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    Event,
    EventPattern,
    First,
    LandmarkWindow,
    Last,
    MatchPattern,
    Moment,
    RsepqlQuery,
    Sequence,
    SequenceOperator,
    TimeBasedWindow,
    WindowClause,
)
from ..enumerated_graphs import (
    EXAMPLE,
    HOLE,
    PREFIXES,
    PROLOGUE,
    STREAM,
    LetterStreams,
    instant_streams,
    triple_pattern,
)
from ..enumeration import Bounds, Grammar, Symbols

_WINDOW = URIRef(EXAMPLE + "w")
PATTERNS: Grammar[EventPattern] = Grammar(
    Event(_WINDOW, GroupGraphPattern((TriplesBlock((HOLE,)),))), HOLE,
    unary=(First, Last), binary=tuple(partial(Sequence, each) for each in SequenceOperator),
)


class RsepqlEnumeration(LetterStreams[RsepqlQuery, Readings]):
    """Without `within` the window is a landmark window."""

    language, prefixes, readings_type = "rsepql", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("windows of RSEP-QL are N wide, without SLIDE")
        super().__init__(bounds)

    def queries(self, operators: int) -> Iterator[tuple[RsepqlQuery, str]]:
        within = self.bounds.within
        function = LandmarkWindow(Moment(0)) if within is None else TimeBasedWindow(Moment(within))
        clause = WindowClause(_WINDOW, STREAM, function)
        for consumption in (ConsumptionPolicy.UNRESTRICTED, ConsumptionPolicy.CHRONOLOGICAL):
            left = operators - (consumption is not ConsumptionPolicy.UNRESTRICTED)
            for pattern, letters in PATTERNS.lettered(left, triple_pattern):
                where = GroupGraphPattern((MatchPattern(pattern),))
                yield RsepqlQuery(
                    SelectQuery(None, where), (clause,), consumption=consumption, prologue=PROLOGUE
                ), letters

    def streams(self, about: str, events: int) -> tuple[Symbols, ...]:
        return instant_streams(about, events)


ENUMERATION = RsepqlEnumeration
