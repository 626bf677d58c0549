"""What is said of complex events, and of those that are missed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....semantics.ceql.later_language import choices
from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.syntax.tree import CeqlQuery
from .....semantics.model.errors import DenotaError
from .....semantics.model.tuples import EventTuple, merged
from ....cases.reading import Case, parse_result
from ....explanations.telling import chosen
from ....judging.judge import ExpectedResults
from .absences import AskedEvent, explain_ceql_absence
from .matches import explain_ceql_match
from .wording import shown


def explained(case: Case, match: int | None, missing: str | None) -> Iterator[str]:
    """Lines that say why complex events are there, or why one is not."""
    task = case.task()
    query, readings = task.tree, task.readings
    stream = list(merged({str(n): s for n, s in task.streams.items()}, query.streams))
    found: list[ComplexEvent] = sorted(
        task.language.evaluate(
            query, streams=task.streams, kb=task.kb, readings=readings, evaluation=task.evaluation
        ),
        key=task.language.order,
    )
    missed = [] if match is not None else _missed(case, missing, found)
    for asked in missed if missing is not None else ():
        for number, event in enumerate(found, start=1):
            if asked.is_met_by(event):
                yield f"{asked} is there: it is match {number}, {shown(event)}.\n"
                return
        for event in _possible(query, stream, readings):
            if asked.is_met_by(event):
                yield (
                    f"{asked} may be one: {shown(event)} is right, and where the query leaves a"
                    " choice (SELECT ANY, LIMIT) the oracle has taken another.\n"
                )
                return
    for number in [] if missing is not None else chosen(match, len(found)):
        yield f"match {number} of {len(found)}: {shown(found[number - 1])}"
        for line in explain_ceql_match(query, stream, readings, found[number - 1]):
            yield f"  {line}"
        yield ""
    if not found and missing is None:
        yield "There is no match.\n"
    for asked in missed:
        yield f"not a match: {asked}"
        for line in explain_ceql_absence(query, stream, readings, asked):
            yield f"  {line}"
        yield ""


def _possible(
    query: CeqlQuery, stream: list[EventTuple], readings: Readings
) -> list[ComplexEvent]:
    """All complex events that may be answered, also where only some are to be."""
    return [
        event for choice in choices(query, stream, readings) if choice.count
        for event in sorted(choice.candidates)
    ]


def _missed(case: Case, row: str | None, found: list[ComplexEvent]) -> list[AskedEvent]:
    """What is asked for, or what the case expects and is not there."""
    if row is not None:
        return [_event_of(dict(parse_result(row, case, source="--missing")))]
    if not isinstance(case.expect, ExpectedResults):
        return []
    expected = [_event_of(dict(result)) for result in case.expect.results]
    return [asked for asked in expected if not any(map(asked.is_met_by, found))]


def _event_of(written: dict[str, Any]) -> AskedEvent:
    for other in written.get("solution", ()):
        raise DenotaError(f"--missing: a complex event has no '{other}'")
    positions, bindings = written.get("positions"), written.get("bindings")
    return AskedEvent(
        written.get("start"), written.get("end"),
        None if positions is None else frozenset(positions),
        None if bindings is None else {str(x): frozenset(d) for x, d in bindings.items()},
    )
