"""pandas-match-recognize: CEQL's contiguous formulas as row patterns of SQL:2016.

`:` is concatenation there, `:+` the quantifier +, OR the alternation |. Every event type becomes a
pattern variable of its own, whose DEFINE holds what the conditions ask of its tuples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ..oracle.cases.case import Case
from ..oracle.engines.capabilities import all_but
from ..semantics.ceql.syntax.tree import (
    And,
    Arithmetic,
    As,
    Attribute,
    CeqlQuery,
    Comparison,
    Constant,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    In,
    Interval,
    Literal,
    Negative,
    Not,
    Or,
    Predicate,
    Range,
    Term,
    WindowUnit,
)
from ..semantics.model.errors import UnsupportedError
from ..semantics.model.trees import find
from ..semantics.model.tuples import EventTuple, merged
from .hosted import HostedEngine, peer
from .tuple_conditions import Asked, asked_of_tuple, asked_within, ways

ENDING: Final = "ending"
PLACE: Final = "place"
KIND: Final = "kind"
STREAM: Final = "source"
AGE: Final = "age"
"""Columns that every frame has: where a match has to end, where a row lies, the type of its event,
the stream that brought it; how far the row is from where a match has to end, as windows measure it.

A difference of columns would say the last one, too, but the time that the package takes grows with
the cube of a definition's length.
"""


def query_of(query: CeqlQuery) -> str:
    """Return the query in SQL; raises UnsupportedError.

    All its matches that end at a row are asked for: the frame has the rows up to each of its rows
    as a partition (ENDING), at whose end a match has to end ($). One starts at any of its rows, as
    the next match is looked for in the row behind the start of the last one.
    """
    defined: list[str] = []
    pattern = _pattern(query.formula, (), defined)
    within = _within(query)
    keys = [ENDING, *(column(name) for names in query.partition for name in names)]
    definitions = ", ".join(
        f"V{number} AS {' AND '.join([said, *within])}" for number, said in enumerate(defined)
    )
    return (
        f"SELECT * FROM events MATCH_RECOGNIZE (PARTITION BY {', '.join(dict.fromkeys(keys))}"
        f" ORDER BY {PLACE} MEASURES FIRST({PLACE}) AS first_place, LAST({PLACE}) AS last_place"
        f" ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN ({pattern} $)"
        f" DEFINE {definitions})"
    )


def column(attribute: str) -> str:
    """Return the column of an attribute: its name is no keyword of SQL."""
    return f"c_{attribute}"


def _within(query: CeqlQuery) -> list[str]:
    """Return the condition on every row of a match: its distance to the end of the match.

    FIRST(place) would be the plainer idiom; in DEFINE it is the partition's first row here.
    """
    within = query.within
    if within is None:
        return []
    if within.unit is WindowUnit.ATTRIBUTE:
        raise UnsupportedError("a window that measures an attribute looks at two rows of a match")
    return [f"{AGE} <= {within.value}"]


def _pattern(phi: Formula, asked: Asked, defined: list[str]) -> str:
    match phi:
        case EventType(name, stream):
            conditions = [f"{KIND} = {_constant(name)}"]
            if stream is not None:
                conditions.append(f"{STREAM} = {_constant(stream)}")
            conditions.extend(map(_predicate, asked_of_tuple(phi, asked)))
            defined.append(" AND ".join(conditions))
            return f"V{len(defined) - 1}"
        case As(inner):
            return _pattern(inner, asked_within(phi, asked), defined)
        case Filter(inner, condition):
            return _alternatives([
                _pattern(inner, asked + way, defined) for way in ways(condition)
            ])
        case Disjunction(left, right):
            return _alternatives([_pattern(each, asked, defined) for each in (left, right)])
        case Contiguous(left, right):
            return f"{_pattern(left, asked, defined)} {_pattern(right, asked, defined)}"
        case ContiguousIteration(inner):
            return f"({_pattern(inner, asked, defined)})+"
        case _:
            raise UnsupportedError(f"{type(phi).__name__} is no row pattern")


def _alternatives(patterns: list[str]) -> str:
    return patterns[0] if len(patterns) == 1 else f"({' | '.join(patterns)})"


def _predicate(predicate: Predicate) -> str:
    match predicate:
        case Comparison(operator, left, right):
            return f"{_term(left)} {operator} {_term(right)}"  # !=, as <> is not supported
        case In(attribute, Interval(low, high), negated):
            below, above, joined = ("<", ">", " OR ") if negated else (">=", "<=", " AND ")
            ends = [f"{_term(attribute)} {below} {_constant(low)}"] if low is not None else []
            if high is not None:
                ends.append(f"{_term(attribute)} {above} {_constant(high)}")
            return f"({joined.join(ends)})"
        case In(attribute, tuple() as values, negated):
            listed = ", ".join(map(_constant, values))
            return f"{_term(attribute)} {'NOT ' if negated else ''}IN ({listed})"
        case Range(Attribute() | Literal() as operand, low, high):
            return f"({_term(operand)} BETWEEN {_term(low)} AND {_term(high)})"
        case Range(operand, low, high):  # BETWEEN of other terms is not supported
            return f"({_term(operand)} >= {_term(low)} AND {_term(operand)} <= {_term(high)})"
        case And(left, right):
            return f"({_predicate(left)} AND {_predicate(right)})"
        case Or(left, right):
            return f"({_predicate(left)} OR {_predicate(right)})"
        case Not(operand):
            return f"(NOT ({_predicate(operand)}))"
        case _:
            raise UnsupportedError("LIKE takes no regular expression in SQL")


def _term(term: Term) -> str:
    match term:
        case Attribute(name):
            return column(name)
        case Literal(value):
            return _constant(value)
        case Negative(operand):
            return f"(-{_term(operand)})"
        case Arithmetic(operator, left, right):
            return f"({_term(left)} {operator} {_term(right)})"


def _constant(value: Constant) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def attributes_of(query: CeqlQuery) -> Iterator[str]:
    """Yield the attributes of which a frame needs columns."""
    for each in find(query.formula, Attribute):
        yield each.name
    for names in query.partition:
        yield from names


# --- the engine -----------------------------------------------------------------------------------

_HOST: Final = Path(__file__).with_name("pandas_match_recognize_host.py")


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
"""The features of row patterns, as far as they can be compared."""


def question(case: Case) -> dict[str, Any]:
    """Return a case as SQL and a frame; raises UnsupportedError where there is none."""
    query: CeqlQuery = case.tree
    asked = query_of(query)
    tuples = list(merged({str(name): list(s) for name, s in case.streams.items()}, query.streams))
    timed = query.within is not None and query.within.unit is WindowUnit.TIME
    if timed and any(each.time is None for each in tuples):
        raise UnsupportedError("a frame has the arrival times of all its rows")
    lies = [(each.time or 0) if timed else place for place, each in enumerate(tuples)]
    until = [(end, place) for end in range(len(tuples)) for place in range(end + 1)]
    rows = [(end, place, tuples[place]) for end, place in until]
    columns: dict[str, list[Any]] = {
        ENDING: [end for end, _, _ in rows],
        PLACE: [place for _, place, _ in rows],
        KIND: [each.type for _, _, each in rows],
        STREAM: [each.stream for _, _, each in rows],
        AGE: [lies[end] - lies[place] for end, place in until],
    }
    for name in attributes_of(query):
        _check_one_type(name, tuples)
        columns[column(name)] = [each.get(name) for _, _, each in rows]
    return {"query": asked, "columns": columns}


def _check_one_type(attribute: str, tuples: Sequence[EventTuple]) -> None:
    values = [each.get(attribute) for each in tuples]
    types = {type(value) for value in values}
    exact = all(abs(value) <= _EXACT for value in values if type(value) is int)
    if None in values or (len(types) > 1 and not (types == {int, float} and exact)):
        raise UnsupportedError(f"the column of {attribute} has values of several types, or none")


_EXACT: Final = 2**53  # the largest integer up to which all are doubles


def _result(case: Case, end: int, first: int, last: int) -> dict[str, Any]:
    """Return a match: all rows of its partition from the first to the last."""
    keys = [name for names in case.tree.partition for name in names]
    streams = {str(name): list(stream) for name, stream in case.streams.items()}
    tuples = list(merged(streams, case.tree.streams))

    def key(place: int) -> list[Any]:
        return [tuples[place].get(name) for name in keys]

    places = [place for place in range(first, last + 1) if key(place) == key(last)]
    return {"start": first, "end": last, "positions": places}
