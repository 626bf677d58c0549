"""Rows of a corpus as conformance cases, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.errors import CaseError, DenotaError
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.streams.files.boundaries import json_value
from ..cases.case import Case
from ..cases.expectations import Expectation, ExpectedError, ExpectedResults
from ..cases.rdf_text import changes_text, graph_text, stream_text
from ..cases.sources import Changes, GraphSource, StreamSource, Table
from ..cases.texts import Text
from ..cases.tuple_sources import csv_message
from ..languages.features import features_of
from ..languages.registry import language
from .corpus_file import CorpusRow, json_text


def case_of(row: CorpusRow) -> Case:
    """The case of a row; raises CaseError if a column is not the JSON that it should be."""
    try:
        return Case(
            language=row.language,
            query=Text(row.query),
            streams={URIRef(iri): _stream(given) for iri, given in _texts(row.streams)},
            expect=None if row.expected is None else _expectation(row.expected, row.language),
            title=row.id,
            prefixes=_words(row.prefixes),
            kb={URIRef(iri): _background(given) for iri, given in _texts(row.kb)},
            readings=_words(row.readings),
            evaluation=_object(row.evaluate),
        )
    except (ValueError, TypeError, KeyError, AttributeError, re.error, DenotaError) as error:
        raise CaseError(f"malformed row: {error}", source=row.id) from None


def _stream(given: str | dict[str, str]) -> StreamSource:
    """RDF text, or {"csv": …, "declaration": …}."""
    return Text(given) if isinstance(given, str) else Table(given["csv"], given.get("declaration"))


def _background(given: str | dict[str, str]) -> GraphSource:
    """Turtle, or {"changes": TriG}."""
    return Text(given) if isinstance(given, str) else Changes(Text(given["changes"]))


def row_of(case: Case, id: str) -> CorpusRow:
    """The row of a case, without its expectation."""
    operators = getattr(features_of(case.language_name), "operator_count", None)
    prefixes = case.language.prefixes(case.tree)
    return CorpusRow(
        id=id,
        language=case.language_name,
        query=case.text,
        prefixes=json_text(prefixes),
        streams=json_text(_streams_of(case, prefixes)),
        kb=json_text({str(i): background_text(graph, prefixes) for i, graph in case.kb.items()}),
        readings=json_text(case.reading_names),
        evaluate=json_text(case.evaluation),
        operators=None if operators is None else operators(case.tree),
        events=sum(len(tuple(stream)) for stream in case.streams.values()),
    )


def _streams_of(case: Case, prefixes: Mapping[str, str]) -> dict[str, Any]:
    """The streams' texts by their names."""
    if case.language.items == "tuples":
        return {str(name): csv_message(s, name) for name, s in case.stream_sources.items()}
    return {str(iri): stream_text(items, prefixes) for iri, items in case.streams.items()}


def background_text(graph: Any, prefixes: Mapping[str, str]) -> str | dict[str, str]:
    """A background graph as a row has it: Turtle, or its changes."""
    if isinstance(graph, TemporalGraph):
        return {"changes": changes_text(graph, prefixes)}
    return graph_text(graph, prefixes)


def expected_text(expected: Expectation, case: Case) -> str:
    """An expectation as a row's `expected`: that of a case file, with terms as JSON."""
    if isinstance(expected, ExpectedError):
        return json_text({"error": expected.pattern or ""})
    results = [
        entry if isinstance(entry, dict)
        else case.language.to_json(entry, case.tree, case.readings)
        for entry in expected.results
    ]
    return json_text({"level": expected.level, "results": results})


def _expectation(written: str, language_name: str) -> Expectation:
    value = _object(written)
    if "error" in value:
        re.compile(value["error"])
        return ExpectedError(value["error"])
    results, level = value["results"], value.get("level", "pair")
    levels = language(language_name).levels
    if level not in levels or not all(isinstance(each, dict) for each in results):
        raise ValueError(f"no results at one of the levels {', '.join(levels)}")
    language(language_name).answers(results, levels[-1], partial=True)  # which raises ResultError
    return ExpectedResults(results, level=level)


# Streams recur from case to case; what is read of them is kept by the texts.
@lru_cache(maxsize=4096)
def _texts(written: str) -> tuple[tuple[str, Any], ...]:
    return tuple(_object(written).items())


@lru_cache(maxsize=256)
def _words(written: str) -> dict[str, str]:
    value = _object(written)
    if not all(isinstance(each, str) for each in value.values()):
        raise ValueError(f"not an object of texts: {written[:60]}")
    return value


@lru_cache(maxsize=256)
def _object(written: str) -> dict[str, Any]:
    value = json_value(written, None, kind=CaseError)
    if not isinstance(value, dict):
        raise ValueError(f"not an object: {written[:60]}")
    return value
