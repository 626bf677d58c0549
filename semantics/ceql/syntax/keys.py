"""Which queries may be evaluated partition by partition, and what is evaluated on one.

PARTITION BY says that a match lies in one partition (CORE section 2.2). What looks across
partitions all the same is refused: CONSUME BY ANY, LIMIT, SELECT ANY. Positions are those of the
whole stream, so each tuple carries its own, and WITHIN n EVENTS measures that.
"""

from __future__ import annotations

from dataclasses import replace

from ...model.errors import UnsupportedError
from .readings import Readings
from .tree import CeqlQuery, Consumption, Strategy, WindowUnit


def check_keys(query: CeqlQuery, readings: Readings) -> None:
    """Raises UnsupportedError for a query that is not the union of its partitions."""
    if not query.partition:
        raise UnsupportedError("this one has no PARTITION BY")
    if query.consume is Consumption.ANY:
        raise UnsupportedError("CONSUME BY ANY forgets events of all partitions")
    if query.limit is not None:
        raise UnsupportedError("which results LIMIT leaves depends on those of other partitions")
    if query.strategy is Strategy.ANY:
        raise UnsupportedError(
            "which result SELECT ANY takes is an engine's choice, and may be another"
        )
    if readings.partition == "core" and any(len(names) > 1 for names in query.partition):
        raise UnsupportedError("under partition=core the attributes of a list are no key")


def of_one_key(query: CeqlQuery, readings: Readings, position: str) -> CeqlQuery:
    """The query that one partition's engine evaluates; `position` is the attribute that has a
    tuple's position in the whole stream."""
    within = query.within
    if within is None or within.unit is not WindowUnit.EVENTS:
        return query
    more = 1 if readings.within == "core" else 0  # which an attribute's window is narrower by
    by_position = replace(
        within, value=within.value + more, unit=WindowUnit.ATTRIBUTE, attribute=position
    )
    return replace(query, within=by_position)
