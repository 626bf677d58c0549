"""The oracle's answers to the page's requests; they are computed in a process apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....semantics.model.errors import DenotaError, UnsupportedError
from ...cases.case import Case
from ...distinguishing.distinction import distinction
from ...distinguishing.sides import Side
from ...engines.processes import clock
from ...explanations.explain_case import (
    Explanation,
    drawing,
    explain_results,
    explainer_of,
    explanation_html,
)
from ...explanations.explainer import Explainer
from ...explanations.pattern_counts import pattern_counts
from ...judging.comparison import compare
from ...judging.levels import Answer
from ...languages.registry import part_of
from ...reports.differences import answers_table
from .page_state import case_of, state_of

MAX_ROWS = 500
_SEARCHED = 0.6  # of the time limit; the rest is for the two evaluations


class PageService:
    """A process's answers; a request is the name of an action, the page's request and seconds."""

    greeting = "ready"

    def answer(self, request: tuple[str, Any, float]) -> dict[str, Any]:
        """Return the object that the page shows; raises EngineTimeout after the seconds."""
        action, asked, seconds = request
        time = clock()
        assert time is not None
        with time.running(seconds):
            case = case_of(asked.get("state") if isinstance(asked, Mapping) else None)
            with case.query_errors():
                return ACTIONS[action](case, asked, seconds)

    def close(self) -> None:
        """Hold nothing."""


def evaluate(case: Case, asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The results as a table, the streams as a timeline, and the query as a picture."""
    told = explainer_of(case)
    columns, rows = _table(told)
    notes = [
        each.message for each in case.language.warnings(
            case.tree, streams=case.stream_sources, kb=case.kb_sources, readings=case.readings
        )
    ]
    if not told.results:
        notes.append(str(pattern_counts(case.language, case.tree, **case.inputs)))
    return {
        "noun": told.noun, "results": len(told.results), "columns": columns,
        "rows": rows[:MAX_ROWS], "left_out": max(0, len(rows) - MAX_ROWS), "notes": notes,
        "timeline": drawing(told, Explanation("streams")), "picture": _picture(case),
        "cites": list(case.language.cites(case.tree, case.readings)),
    }


def _table(told: Explainer) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns, and the rows with the number of their result."""
    own: Any = told.case.language
    if hasattr(own, "text_rows"):  # its results are no solutions
        text = own.text_rows(told.case.readings)
        return list(text.names), [
            {"number": number, "cells": [*map(str, cells)]}
            for number, result in enumerate(told.results, start=1) for cells in text.cells(result)
        ]
    words, found = told.words, told.rows
    fields: dict[tuple[Any, ...], str] = {}  # one of those that have the same values throughout
    for name in dict.fromkeys(name for row in found for name in row.when):
        values = tuple(row.when.get(name) for row in found)
        if set(values) - {None, "none"} and (name != "rank" or any(values)):
            fields.setdefault(values, name)
    variables = [v for v in words.columns if any(v in row.mu for row in found)]
    variables += sorted({v for row in found for v in row.mu} - {*variables})

    def shown(value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return words.interval(value)
        return "" if value is None else words.instant(value)

    return [*fields.values(), *(f"?{v}" for v in variables)], [
        {"number": row.number, "cells": [
            *(str(row.when[name]) if name == "rank" else shown(row.when.get(name))
              for name in fields.values()),
            *(words.term(row.mu[v]) if v in row.mu else "" for v in variables),
        ]}
        for row in found
    ]


def _picture(case: Case) -> str:
    try:
        picture: str = part_of(case.language_name, "draw").picture(case.tree, case.readings)
    except UnsupportedError:
        return ""
    return picture


def explain(case: Case, asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The explanation of the result of a number, or of a row that is missing."""
    match, missing = asked.get("match"), asked.get("missing")
    if not (isinstance(match, int) or isinstance(missing, str)):
        raise DenotaError("the request has neither a 'match' nor a 'missing' row")
    told = explainer_of(case)
    found = explain_results(
        told, match if isinstance(match, int) else None, missing, source="missing row"
    )
    return {"html": "\n".join(line for each in found for line in explanation_html(told, each))}


def distinguish(case: Case, asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The answers in which the page's readings (A) and others (B) differ, and a smallest stream."""
    other = case.but(readings=case_of({**asked["state"], "readings": asked.get("other")}).readings)
    found = distinction(
        Side(case.tree, case.readings), Side(case.tree, other.readings),
        seconds=_SEARCHED * seconds,
    )
    return {
        "text": str(found), "found": bool(found), **_here(case, other),
        "smallest": None if found.case is None else state_of(found.case)
    }


def _here(case: Case, other: Case) -> dict[str, Any]:
    """The answers on the page's own streams that only one of the two has."""
    own = case.language
    answers: list[list[Answer]] = []
    errors: list[str] = []
    compared: Callable[[Any], Any] = getattr(
        part_of(own.name, "distinguish"), "compared", list
    )
    for label, side in (("A", case), ("B", other)):
        try:
            answers.append(own.answers(compared(side.denotation()), own.levels[0], partial=True))
        except DenotaError as error:
            answers.append([])
            errors.append(f"{label}: {error}")
    told = compare(answers[0], answers[1], own.levels[0], sets=own.sets)
    table = answers_table(case, [
        *(("only A", answer) for answer in told.missing),
        *(("only B", answer) for answer in told.unexpected),
    ])
    return {
        "here": None if table is None else [list(table.header), *map(list, table.rows)],
        "errors": errors,
    }


ACTIONS: Mapping[str, Callable[[Case, Mapping[str, Any], float], dict[str, Any]]] = {
    "evaluate": evaluate, "explain": explain, "distinguish": distinguish,
}
