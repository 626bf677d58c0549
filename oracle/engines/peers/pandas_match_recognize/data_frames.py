"""pandas-match-recognize as an engine: CEQL cases as SQL over data frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from .....semantics.ceql.syntax.tree import CeqlQuery, WindowUnit
from .....semantics.model.errors import UnsupportedError
from .....semantics.model.tuples import EventTuple, merged
from ....cases.case import Case
from ...capabilities import all_but
from ..hosted import HostedEngine
from ..python_packages import peer
from . import row_patterns as sql

_HOST: Final = Path(__file__).with_name("frames_host.py")


class DataFrames(HostedEngine):
    """MATCH_RECOGNIZE, asked for all matches that end at each row.

    Raises EngineError where pandas-match-recognize is not to be had.
    """

    def __init__(self, timeout: float) -> None:
        package = peer("pandas-match-recognize", "pandas_match_recognize")
        super().__init__(
            package.words(_HOST), timeout, name="pandas-match-recognize", language="ceql",
            level="positions", capabilities=CAPABILITIES,
        )

    def question(self, case: Case) -> dict[str, Any]:
        return question(case)

    def run(self, case: Case) -> list[Any]:
        return [
            _result(case, *found)
            for found in super().run(case) if found[0] == found[2]  # of the others' own partitions
        ]


CAPABILITIES: Final = {
    # A row pattern takes all rows from its first to its last one.
    "operators": [":", ":+", "OR", "OR in +", "AS", "FILTER", "S>R", "nested +"],
    "conditions": all_but("ceql", "conditions", "NOT θ"),
    "predicates": all_but("ceql", "predicates", "LIKE"),
    "strategies": [],
    "windows": ["no WITHIN", "WITHIN events", "WITHIN time"],
    "clauses": ["PARTITION BY", "several lists", "several streams"],
    "readings": [],
    "streams": ["1", "2"],
    # A column has one type, and NULL is not what a missing attribute is.
    "data": [
        "comparison of different types", "empty stream", "equal times", "several partitions",
    ],
}
"""What row patterns say, as far as it can be compared."""


def question(case: Case) -> dict[str, Any]:
    """A case as SQL and a frame; raises UnsupportedError where there is none."""
    query: CeqlQuery = case.tree
    asked = sql.query_of(query)
    tuples = list(merged({str(name): list(s) for name, s in case.streams.items()}, query.streams))
    timed = query.within is not None and query.within.unit is WindowUnit.TIME
    if timed and any(each.time is None for each in tuples):
        raise UnsupportedError("a frame has the arrival times of all its rows")
    lies = [(each.time or 0) if timed else place for place, each in enumerate(tuples)]
    until = [(end, place) for end in range(len(tuples)) for place in range(end + 1)]
    rows = [(end, place, tuples[place]) for end, place in until]
    columns: dict[str, list[Any]] = {
        sql.ENDING: [end for end, _, _ in rows],
        sql.PLACE: [place for _, place, _ in rows],
        sql.KIND: [each.type for _, _, each in rows],
        sql.STREAM: [each.stream for _, _, each in rows],
        sql.AGE: [lies[end] - lies[place] for end, place in until],
    }
    for name in sql.attributes_of(query):
        _check_one_type(name, tuples)
        columns[sql.column(name)] = [each.get(name) for _, _, each in rows]
    return {"query": asked, "columns": columns}


def _check_one_type(attribute: str, tuples: Sequence[EventTuple]) -> None:
    values = [each.get(attribute) for each in tuples]
    types = {type(value) for value in values}
    exact = all(abs(value) <= _EXACT for value in values if type(value) is int)
    if None in values or (len(types) > 1 and not (types == {int, float} and exact)):
        raise UnsupportedError(f"the column of {attribute} has values of several types, or none")


_EXACT: Final = 2**53  # the largest integer up to which all are doubles


def _result(case: Case, end: int, first: int, last: int) -> dict[str, Any]:
    """A match takes all rows of its partition from the first to the last."""
    keys = [name for names in case.tree.partition for name in names]
    streams = {str(name): list(stream) for name, stream in case.streams.items()}
    tuples = list(merged(streams, case.tree.streams))

    def key(place: int) -> list[Any]:
        return [tuples[place].get(name) for name in keys]

    places = [place for place in range(first, last + 1) if key(place) == key(last)]
    return {"start": first, "end": last, "positions": places}
