"""Rows of a corpus as conformance cases, and the other way round."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.errors import CaseError
from ...semantics.model.temporal_graphs import TemporalGraph
from ..cases.reading import Case
from ..cases.tasks import Changes, GraphSource, StreamSource, Table
from ..cases.texts import Text
from ..cases.writing import changes_text, graph_text, stream_text
from ..judging.judge import Expectation, ExpectedError, ExpectedResults
from ..languages.features import features_of
from ..languages.registry import Language, language
from .corpus_file import CorpusRow, json_text


def case_of(row: CorpusRow) -> Case:
    """The case of a row; raises CaseError if a column is not the JSON that it should be."""
    try:
        return Case(
            language=row.language,
            query=Text(row.query),
            streams={URIRef(iri): _stream(given) for iri, given in _texts(row.streams)},
            expect=None if row.expected is None else _expectation(row.expected),
            title=row.id,
            prefixes=_object(row.prefixes),
            kb={URIRef(iri): _background(given) for iri, given in _texts(row.kb)},
            readings=_object(row.readings),
            evaluate=_object(row.evaluate),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise CaseError(f"malformed row: {error}", source=row.id) from None


def _stream(given: str | dict[str, str]) -> StreamSource:
    """RDF text, or {"csv": …, "declaration": …}."""
    return Text(given) if isinstance(given, str) else Table(given["csv"], given.get("declaration"))


def _background(given: str | dict[str, str]) -> GraphSource:
    """Turtle, or {"changes": TriG}."""
    return Text(given) if isinstance(given, str) else Changes(Text(given["changes"]))


def row_of(case: Any, id: str) -> CorpusRow:
    """The row of a generated case (what has `query`, `streams` and `case()`), without an
    expectation."""
    made: Case = case.case()
    named = language(made.language)
    operators = getattr(features_of(made.language), "operator_count", None)
    return CorpusRow(
        id=id,
        language=made.language,
        query=named.print(case.query),
        prefixes=json_text(made.prefixes),
        streams=json_text(_streams_of(made, case.streams, named)),
        kb=json_text({str(iri): _background_of(graph, made) for iri, graph in made.kb.items()}),
        readings=json_text(made.readings),
        evaluate=json_text(made.evaluate),
        operators=None if operators is None else operators(case.query),
        events=sum(map(len, case.streams.values())),
    )


def _streams_of(made: Case, streams: Mapping[URIRef, Any], named: Language) -> dict[str, Any]:
    """The streams' texts by their names."""
    if named.items == "tuples":
        texts: dict[str, Any] = made.task().message()["streams"]
        return texts
    return {str(iri): stream_text(items, made.prefixes) for iri, items in streams.items()}


def _background_of(graph: Any, made: Case) -> str | dict[str, str]:
    if isinstance(graph, TemporalGraph):
        return {"changes": changes_text(graph, made.prefixes)}
    return graph_text(graph, made.prefixes)


def expected_text(expected: Expectation, case: Case) -> str:
    """An expectation as a row's `expected`: that of a case file, with terms as JSON."""
    if isinstance(expected, ExpectedError):
        return json_text({"error": expected.pattern or ""})
    task = case.task()
    results = [
        entry if isinstance(entry, dict)
        else task.language.to_json(entry, task.tree, task.readings)
        for entry in expected.results
    ]
    return json_text({"level": expected.level, "results": results})


def _expectation(written: str) -> Expectation:
    value = _object(written)
    if "error" in value:
        return ExpectedError(value["error"])
    return ExpectedResults(value["results"], level=value.get("level", "pair"))


# Streams recur from case to case; what is read of them is kept by the texts.
@lru_cache(maxsize=4096)
def _texts(written: str) -> tuple[tuple[str, Any], ...]:
    return tuple(_object(written).items())


@lru_cache(maxsize=256)
def _object(written: str) -> dict[str, Any]:
    value = json.loads(written)
    if not isinstance(value, dict):
        raise ValueError(f"not an object: {written[:60]}")
    return value


__all__ = ["case_of", "expected_text", "row_of"]
