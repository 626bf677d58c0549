"""The page's requests: its inputs as a case, and the oracle's answers from an isolated process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ....semantics.model.errors import CaseError, DenotaError, UnsupportedError
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.streams.rdf.reader import parse_items, parse_stream
from ....semantics.streams.tuples.reader import TEXT_FORMATS, parse_tuples
from ...cases.case import Case
from ...cases.case_reader import SUFFIX, find_cases, parse_evaluation, read_case
from ...cases.case_writer import evaluation_text
from ...cases.embedded_text import STANDARD_PREFIXES, Changes, Table, Text
from ...cases.rdf_text import (
    changes_text,
    expanded,
    graph_text,
    iri_of,
    stream_text,
    with_declarations,
)
from ...cases.tuple_sources import table_of
from ...checking.comparison import compare
from ...checking.levels import Answer
from ...distinguishing.distinction import distinction
from ...distinguishing.search import Side
from ...engines.worker_process import clock
from ...explanations.explain_case import (
    Explanation,
    drawing,
    explain_results,
    explainer_of,
    explanation_html,
)
from ...explanations.explainer import Explainer
from ...explanations.pattern_counts import pattern_counts
from ...languages.registry import Language, language, names, part_of, stream_key
from ...reports.differences import answers_table

CORPUS = Path(__file__).resolve().parents[3] / "corpus"

RDF_FORMATS = ("trig", "nquads", "jsonld", "jsonl")


def case_of(state: Any) -> Case:
    """Return the case that the page's inputs are; raises DenotaError where they are none."""
    name = _text(state, "language")
    own = language(name)
    query = Text(_text(state, "query"), "query")
    with query.errors_here():
        tree = own.parse(query.text)
    prefixes = own.prefixes(tree)

    def stream(entry: Any) -> Any:
        return stream_key(own, tree, _text(entry, "name").strip())

    def graph(entry: Any) -> Any:
        return iri_of(expanded(_text(entry, "name").strip(), prefixes))

    readings = {each: _text(state["readings"], each) for each in _get(state, "readings", dict)}
    return Case(
        name, query,
        {stream(entry): _stream(own, entry) for entry in _get(state, "streams", list)},
        {graph(entry): _graph(entry) for entry in _get(state, "graphs", list)},
        readings, parse_evaluation(_text(state, "evaluate"), name, source="evaluate"),
    )


def _stream(own: Language, entry: Any) -> Any:
    text, format = _text(entry, "text"), _text(entry, "format")
    source = Text(text, f"stream {_text(entry, 'name')}")
    if own.items == "tuples":
        declaration = _text(entry, "declaration") or None
        if format == "csv":
            return Table(text, declaration)
        if format in TEXT_FORMATS:
            with source.errors_here():
                return tuple(parse_tuples(text, format=format, declaration=declaration))
    elif format == "trig":
        return source
    elif format in RDF_FORMATS:
        with source.errors_here():
            parse = parse_items if own.items == "intervals" else parse_stream
            return tuple(parse(text, format=format, scope=source.source))
    raise CaseError(f"{own.title} reads no stream in the format '{format}'")


def _graph(entry: Any) -> Text | Changes:
    text = Text(_text(entry, "text"), f"graph {_text(entry, 'name')}")
    return Changes(text) if _text(entry, "format") == "trig" else text


def _get(value: Any, key: str, kind: type) -> Any:
    if not isinstance(value, Mapping) or not isinstance(value.get(key), kind):
        raise CaseError(f"the request has no '{key}', or of another type")
    return value[key]


def _text(value: Any, key: str) -> str:
    found: str = _get(value, key, str)
    return found


def state_of(case: Case) -> dict[str, Any]:
    """Return a case's inputs as the page shows them."""
    own = case.language
    tuples = own.items == "tuples"
    try:
        prefixes = {**STANDARD_PREFIXES, **own.prefixes(case.tree), **case.prefixes}
    except DenotaError:  # the case expects that its query is an error
        prefixes = {**STANDARD_PREFIXES, **case.prefixes}

    def stream(name: Any, source: Any) -> dict[str, str]:
        if tuples:
            table = Table(source.text) if isinstance(source, Text) else table_of(source, str(name))
            return {"format": "csv", "text": str(table.csv), "declaration": table.declaration or ""}
        return {"format": "trig", "text": _rdf_text(source, stream_text, prefixes)}

    def graph(source: Any) -> dict[str, str]:
        if isinstance(source, Changes):
            return {"format": "trig", "text": _rdf_text(source.trig, stream_text, prefixes)}
        if isinstance(source, TemporalGraph):
            return {"format": "trig", "text": _rdf_text(source, changes_text, prefixes)}
        return {"format": "turtle", "text": _rdf_text(source, graph_text, prefixes)}

    return {
        "language": case.language_name,
        "query": case.text,
        "streams": [
            {"name": str(name), **stream(name, source)}
            for name, source in case.stream_sources.items()
        ],
        "graphs": [
            {"name": str(name), **graph(source)} for name, source in case.kb_sources.items()
        ],
        "readings": dict(case.reading_names),
        "evaluate": evaluation_text(case),
    }


def _rdf_text(source: Any, write: Any, prefixes: Mapping[str, str]) -> str:
    text = source.text if isinstance(source, Text) else write(source, prefixes)
    return with_declarations(text, prefixes)


@cache
def example_files() -> Mapping[str, Path]:
    """Return the files of the menu's examples by their names, `papers/spaseq/example-03`."""
    found: dict[str, Path] = {}
    for name in names():
        for group in ("papers", "errata"):
            folder = CORPUS / group / name
            for path in find_cases([folder]) if folder.is_dir() else ():
                found[f"{group}/{name}/{path.name.removesuffix(SUFFIX)}"] = path
    return found


@cache
def examples() -> Sequence[Mapping[str, str]]:
    """Return the entries of the menu: those of the papers, then the errata, by language."""
    return tuple(_entries())


def _entries() -> Iterator[Mapping[str, str]]:
    for name, path in example_files().items():
        case = read_case(path)
        group = name.partition("/")[0]
        yield {
            "name": name, "group": f"{case.language.title}: {group}", "title": case.title,
            "cites": case.cites, "language": case.language_name,
        }


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
    """Return the results as a table, the streams as a timeline, and the query as a picture."""
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
    """Return the columns, and the rows with the number of their result."""
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
    """Return the explanation of the result of a number, or of a row that is missing."""
    match, missing = asked.get("match"), asked.get("missing")
    if not (isinstance(match, int) or isinstance(missing, str)):
        raise DenotaError("the request has neither a 'match' nor a 'missing' row")
    told = explainer_of(case)
    found = explain_results(
        told, match if isinstance(match, int) else None, missing, source="missing row"
    )
    return {"html": "\n".join(line for each in found for line in explanation_html(told, each))}


def distinguish(case: Case, asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return the answers that differ under the page's readings and B, and a smallest stream."""
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
    """Return the answers on the page's own streams that only one of the two returns."""
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
