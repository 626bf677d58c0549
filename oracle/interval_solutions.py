"""Interval solutions as JSON objects and as answers (EP-SPARQL and CQELS-CEP return them).

    IntervalSolution <-> {"interval": [t1, t2], "solution": {"c": TERM, …}}

An instant is an integer: on dateTime streams, microseconds since 1970-01-01T00:00:00Z.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from rdflib.term import Variable

from ..semantics.rdf.mappings import SolutionMapping
from ..semantics.streams.interval_solutions import Interval, IntervalSolution
from .comparison import Answer, Level
from .results import (
    JsonObject,
    ResultError,
    instant_from_json,
    mapping_from_json,
    mapping_to_json,
    result_fields,
    sort_key,
)

FIELDS = frozenset({"interval", "solution"})
"""The keys of a result object."""

LEVELS: tuple[Level, ...] = ("solutions", "bag", "row")
"""The levels at which interval solutions can be compared, their own first."""


def solution_to_json(
    solution: IntervalSolution, order: Sequence[Variable] = ()
) -> JsonObject:
    """The result object of a solution, its variables in this order.

    >>> solution_to_json(IntervalSolution(1, 4, SolutionMapping()))
    {'interval': [1, 4], 'solution': {}}
    """
    return {
        "interval": [solution.start, solution.end],
        "solution": mapping_to_json(solution.mapping, order),
    }


def solution_from_json(written: object, title: str = "interval") -> IntervalSolution:
    """The solution of a result object; raises ResultError if it is none.

    `title` is the language's, for the message.
    """
    fields = result_fields(written)
    for name in fields:
        if name not in FIELDS:
            raise ResultError(f"a result of {title} has no field '{name}'")
    for name in ("interval", "solution"):
        if name not in fields:
            raise ResultError(f"a result of {title} needs '{name}'")
    start, end = interval_from_json(fields["interval"])
    mu = fields["solution"]
    return IntervalSolution(
        start, end, mu if isinstance(mu, SolutionMapping) else mapping_from_json(mu)
    )


def interval_from_json(written: object) -> Interval:
    """[t1, t2], with t1 ≤ t2."""
    if not isinstance(written, (list, tuple)) or len(written) != 2:
        raise ResultError(f"an interval is a pair of instants, not {written!r}")
    start, end = map(instant_from_json, written)
    if start > end:
        raise ResultError(f"an interval ends when it begins or later, [{start}, {end}] does not")
    return start, end


def answers(
    results: Iterable[IntervalSolution | Mapping[str, Any]],
    level: Level,
    *,
    title: str,
    distinct: bool,
) -> list[Answer]:
    """Solutions, or result objects, as answers: the interval is the answer's time.

    `distinct` says that the language returns a set: then each solution counts once at every level,
    otherwise (a bag) at level `row` only.
    """
    found = [
        Answer(solution.interval, solution.mapping)
        for solution in (
            result if isinstance(result, IntervalSolution) else solution_from_json(result, title)
            for result in results
        )
    ]
    return list(dict.fromkeys(found)) if distinct or level == "row" else found


def solution_of(answer: Answer) -> IntervalSolution:
    """The solution behind an answer."""
    start, end = cast(Interval, answer.time)
    return IntervalSolution(start, end, cast(SolutionMapping, answer.content))


def order(solution: IntervalSolution) -> tuple[int, int, list[tuple[str, str]]]:
    """A sort key: by end, then by start, as they become certain."""
    return solution.end, solution.start, sort_key(solution.mapping)


FLAT_FIELDS = ("start", "end")
"""What a row of a table says besides the solution."""


def flat_rows(
    solution: IntervalSolution,
) -> list[tuple[tuple[int | None, ...], SolutionMapping]]:
    """The one row of a solution."""
    return [((solution.start, solution.end), solution.mapping)]
