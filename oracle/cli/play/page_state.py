"""The inputs on the page as a case, and cases as inputs on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ....semantics.model.errors import CaseError, DenotaError
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.streams.rdf.reading import parse_items, parse_stream
from ....semantics.streams.tuples.reading import TEXT_FORMATS, parse_tuples
from ...cases.case import Case
from ...cases.rdf_text import changes_text, graph_text, stream_text, with_declarations
from ...cases.rdflib_terms import expanded, iri_of
from ...cases.reading import SUFFIX, find_cases, parse_evaluation, read_case
from ...cases.sources import STANDARD_PREFIXES, Changes, Table
from ...cases.texts import Text
from ...cases.tuple_sources import table_of
from ...cases.writing import evaluation_text
from ...languages.registry import Language, language, names, stream_key

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
