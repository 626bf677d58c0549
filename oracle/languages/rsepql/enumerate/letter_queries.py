"""All RSEP-QL cases of event patterns up to a size: every event pattern on every stream.

The operators are SEQ, SEQN, SEQC, SEQR, FIRST, LAST, and one for CONSUME. Each EVENT is
`{ ?x :A ?a }` for some letter, all of them over one window. A query is evaluated whenever an item
arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rdflib.term import URIRef

from .....semantics.rdf.syntax.tree import GroupGraphPattern, SelectQuery, TriplesBlock
from .....semantics.rsepql.syntax.readings import Readings
from .....semantics.rsepql.syntax.tree import (
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
from ....ranks.families import Family, Letters
from ....ranks.grammars import Grammar
from ....ranks.numbered_streams import NumberedStreams
from ...enumerated_graphs import (
    EXAMPLE,
    HOLE,
    PREFIXES,
    PROLOGUE,
    STREAM,
    LetterStreams,
    instant_streams,
    triple_pattern,
)
from ...enumeration import Bounds

_WINDOW = URIRef(EXAMPLE + "w")
PATTERNS: Grammar[EventPattern] = Grammar(
    Event(_WINDOW, GroupGraphPattern((TriplesBlock((HOLE,)),))), HOLE,
    unary=(First, Last), binary=tuple(partial(Sequence, each) for each in SequenceOperator),
)


class LetterQueries(LetterStreams[RsepqlQuery, Readings]):
    """Without `within` the window is a landmark window."""

    language, prefixes, readings_type = "rsepql", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("windows of RSEP-QL are N wide, without SLIDE")
        super().__init__(bounds)

    def families(self, operators: int) -> list[Family[RsepqlQuery, str, str]]:
        return [
            Family(
                PATTERNS.count(inner, leaves), Letters(leaves),
                partial(self._query, consumption, inner, leaves),
            )
            for consumption, inner in (
                (ConsumptionPolicy.UNRESTRICTED, operators),
                (ConsumptionPolicy.CHRONOLOGICAL, operators - 1),
            )
            for leaves in range(1, inner + 2)
        ]

    def _query(
        self, consumption: ConsumptionPolicy, operators: int, leaves: int, shape: int, word: str
    ) -> RsepqlQuery:
        within = self.bounds.within
        function = LandmarkWindow(Moment(0)) if within is None else TimeBasedWindow(Moment(within))
        pattern = PATTERNS.written(operators, leaves, shape, word, triple_pattern)
        return RsepqlQuery(
            SelectQuery(None, GroupGraphPattern((MatchPattern(pattern),))),
            (WindowClause(_WINDOW, STREAM, function),),
            consumption=consumption, prologue=PROLOGUE,
        )

    @property
    def steps(self) -> Callable[[str, int], NumberedStreams]:
        return instant_streams
