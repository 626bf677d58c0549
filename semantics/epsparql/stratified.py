"""The stratified closure, a ruling: clos_Q(S) stratum by stratum (EPS-12)."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.errors import QueryError
from .background import with_conclusions
from .closure import Closure
from .occurrences import RdfStream
from .syntax.stratification import Stratum


def stratified(closure: Closure, stream: RdfStream, strata: Iterable[Stratum]) -> RdfStream:
    """clos_Q(S), with what the background's schema concludes from each occurrence"""
    closed = with_conclusions(stream, closure.schema)
    for stratum in strata:
        if not (stratum.recursive or stratum.timewise):
            closed |= closure.step(closed, stratum.rules)
        elif not stratum.monotone:
            closed = instant_by_instant(closure, closed, stratum)
        else:
            try:
                closed = closure.least(closed, stratum.rules)
            except QueryError:
                if not stratum.timewise:
                    raise  # if it is, the bound is one instant's
                closed = instant_by_instant(closure, closed, stratum)
    return closed


def instant_by_instant(closure: Closure, stream: RdfStream, stratum: Stratum) -> RdfStream:
    """The closure under rules that construct, from what has ended by t, what ends by t: they may
    ask for the absence of what they have constructed earlier."""
    closed: RdfStream = frozenset()
    for t in sorted({each.end for each in stream}):
        at_t = {each for each in stream if each.end == t}
        closed = closure.least(closed | at_t, stratum.rules, t)
    return closed
