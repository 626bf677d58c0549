"""Writing cases as files that a person would have written."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError
from ...semantics.model.mappings import SolutionMapping, Value
from ...semantics.model.pretty_printing import text_of
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.streams.files.outputs import write_text
from .case import Case, ExpectedError, ExpectedResults
from .embedded_text import STANDARD_PREFIXES, Changes, Table, Text
from .rdf_text import (
    BlankLabels,
    changes_text,
    graph_text,
    shortened,
    stream_text,
    with_declarations,
)
from .tuple_sources import table_of

_WIDTH = 100

# What YAML would read as something else than this text.
_RESERVED = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null|~|[-+.0-9].*")
_PLAIN = re.compile(r"[^\W\d_](?:[\w ;()'./=+|-]|:(?=\S))*(?<! )")
_PLAIN_LINE = re.compile(r"[^\W\d_](?:[\w ,;()'./=+|&!?*<>~-]|:(?=\S))*(?<! )")
_UNWRITABLE = re.compile(
    r"[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def write_case(case: Case, path: str | Path) -> None:
    """Write a case to a file; reading it gives an equal case.

    Its streams and graphs declare their prefixes: any TriG parser reads them.
    """
    write_text(Path(path), case_text(case, declared=True))


def case_text(case: Case, *, declared: bool = False) -> str:
    """Return the YAML text of a case; `declared`: its streams and graphs declare prefixes."""
    return "".join(f"{line}\n" for line in _Writer(case, declared).lines())


def evaluation_text(case: Case) -> str:
    """Return a case's `evaluate` as YAML; "" if it has none."""
    if not case.evaluation:
        return ""
    shown = {key: _evaluated(case, key, value) for key, value in case.evaluation.items()}
    return _flow_mapping(shown)


def _evaluated(case: Case, key: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if key == "period" and case.dated:
        from ...semantics.model.time import format_duration

        return format_duration(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(case.shown_instant, value))}]"
    return case.shown_instant(value)


class _Writer:
    """Writes one case."""

    def __init__(self, case: Case, declared: bool) -> None:
        self.case = case
        self.declared = declared
        self.prefixes = dict(case.prefixes) or dict(_guessed_prefixes(case))
        self.result_nodes = BlankLabels()

    def lines(self) -> Iterator[str]:
        case = self.case
        if case.title:
            yield f"title: {_line_scalar(case.title)}"
        yield f"language: {case.language_name}"
        if case.cites:
            yield f"cites: {_line_scalar(case.cites)}"
        if self.prefixes:
            yield f"prefixes: {_flow_mapping({n: json.dumps(i) for n, i in self.prefixes.items()})}"
        yield from _block("query", self.query(), 0)
        yield from self.inputs("streams", case.stream_sources)
        if case.kb_sources:
            yield from self.inputs("kb", case.kb_sources)
        if case.reading_names:
            readings = {name: _scalar(value) for name, value in case.reading_names.items()}
            yield f"readings: {_flow_mapping(readings)}"
        if case.evaluation:
            yield f"evaluate: {evaluation_text(case)}"
        if case.schedule is not None and str(case.schedule):
            yield f"schedule: {_line_scalar(str(case.schedule))}"
        yield from self.expectation()
        if case.tags:
            yield f"tags: [{', '.join(map(_scalar, case.tags))}]"

    def query(self) -> str:
        if isinstance(self.case.query, Text):
            return self.case.query.text
        return self.case.language.print(self.case.query, self.prefixes)

    def inputs(self, key: str, sources: Mapping[URIRef, Any]) -> Iterator[str]:
        if not sources:
            yield f"{key}: {{}}"
            return
        yield f"{key}:"
        for iri, source in sources.items():
            name = _line_scalar(str(iri))
            if isinstance(source, Path):
                yield f"  {name}: {{file: {_scalar(self.file(source))}}}"
            elif isinstance(source, Changes | TemporalGraph):
                yield from self.changes(name, source)
            elif self.case.language.items == "tuples" and not isinstance(source, Text):
                yield f"  {name}: {_flow_mapping(self.table(table_of(source, str(iri))))}"
            else:
                yield from _block(name, self.input_text(key, source), 2)

    def changes(self, name: str, source: Changes | TemporalGraph) -> Iterator[str]:
        if isinstance(source, Changes) and isinstance(source.trig, Path):
            yield f"  {name}: {{changes: {{file: {_scalar(self.file(source.trig))}}}}}"
            return
        yield f"  {name}:"
        text = (
            changes_text(source, self.prefixes) if isinstance(source, TemporalGraph)
            else source.trig.text if isinstance(source.trig, Text) else ""
        )
        yield from _block("changes", self.complete(text), 4)

    def input_text(self, key: str, source: Any) -> str:
        if isinstance(source, Text):
            return self.complete(source.text)
        if key == "kb":
            return self.complete(graph_text(source, self.prefixes))
        return self.complete(stream_text(source, self.prefixes))

    def complete(self, text: str) -> str:
        if not self.declared or self.case.language.items == "tuples":
            return text
        return with_declarations(text, {**self.prefixes, **STANDARD_PREFIXES})

    def file(self, path: Path) -> str:
        if self.case.path is None:
            return str(path)
        try:
            return str(path.relative_to(self.case.path.parent))
        except ValueError:
            return str(path)

    def table(self, table: Table) -> dict[str, str]:
        shown = (
            {"file": _scalar(self.file(table.csv))} if isinstance(table.csv, Path)
            else {"csv": json.dumps(table.csv, ensure_ascii=False)}
        )
        if table.declaration is not None:
            shown["declaration"] = json.dumps(table.declaration, ensure_ascii=False)
        return shown

    # --- the expectation ---

    def expectation(self) -> Iterator[str]:
        expect = self.case.expect
        if expect is None:
            return
        if isinstance(expect, ExpectedError):
            pattern = re.escape(expect.message) if expect.pattern is None else expect.pattern
            yield f"expect: {{error: {json.dumps(pattern, ensure_ascii=False)}}}"
            return
        yield "expect:"
        yield f"  level: {expect.level}"
        results = sorted((self.result(entry) for entry in self.objects(expect)), key=_order)
        if not results:
            yield "  results: []"
            return
        yield "  results:"
        for result in results:
            yield from _result_lines(result)

    def objects(self, expect: ExpectedResults) -> Iterator[Mapping[str, Any]]:
        for entry in expect.results:
            if isinstance(entry, Mapping):
                yield entry
            else:
                yield self.case.language.to_json(entry, self.case.tree, self.case.readings)

    def result(self, written: Mapping[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for key, value in written.items():
            if key in self.instants() and isinstance(value, (list, tuple)):
                shown[key] = f"[{', '.join(self.case.shown_instant(bound) for bound in value)}]"
            elif key in self.instants():
                shown[key] = self.case.shown_instant(value)
            elif key == "solution":
                shown[key] = self.solution(value)
            elif key in ("solutions", "graph"):
                shown[key] = sorted(self.solution(entry) for entry in value)
            else:
                shown[key] = json.dumps(value)
        return shown

    def solution(self, given: Any) -> str:
        from ..results.json_objects import mapping_from_json

        mu = given if isinstance(given, SolutionMapping) else mapping_from_json(given)
        order = [v for v in self.columns() if v in mu]
        order += sorted(v for v in mu if v not in order)
        return _flow_mapping({str(v): self.value(mu[v]) for v in order})

    def columns(self) -> Sequence[Any]:
        try:
            return self.case.language.columns(self.case.tree)
        except DenotaError:
            return ()

    def value(self, value: Value) -> str:
        if isinstance(value, tuple):
            return f"[{', '.join(self.value(term) for term in value)}]"
        term = self.result_nodes.relabelled(value)
        return json.dumps(shortened(term, self.prefixes), ensure_ascii=False)

    # --- time ---

    def instants(self) -> frozenset[str]:
        try:
            return self.case.language.instants(self.case.tree)
        except DenotaError:
            return frozenset()


# --- prefixes ------------------------------------------------------------------------------------


def _guessed_prefixes(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the query's prefixes, or the namespace that most of its IRIs share as the empty one."""
    if isinstance(case.query, Text):
        return
    try:
        declared = case.language.prefixes(case.query)
    except DenotaError:
        return
    if declared:
        yield from declared.items()
        return
    spaces = Counter(
        match[0]
        for iri in _iris(case)
        if (match := re.match(r".*[/#](?=[^/#]+$)", iri)) and not iri.startswith("urn:")
    )
    if spaces:
        yield "", spaces.most_common(1)[0][0]


def _iris(case: Case) -> Iterator[str]:
    yield from map(str, (*case.stream_sources, *case.kb_sources))
    for source in (*case.stream_sources.values(), *case.kb_sources.values()):
        if isinstance(source, Text | Path | Table | Changes):
            continue
        if isinstance(source, frozenset):
            graphs = [source]
        elif isinstance(source, TemporalGraph):
            graphs = [graph for _, graph in source.changes]
        else:
            graphs = [getattr(item, "graph", frozenset()) for item in source]
        for triple in chain.from_iterable(graphs):
            yield from (str(term) for term in triple if isinstance(term, URIRef))


# --- YAML, as a person writes it -----------------------------------------------------------------


def _block(key: str, text: str, indent: int) -> Iterator[str]:
    """Yield `key: |` and the text under it."""
    margin = " " * indent
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    if _UNWRITABLE.search(text) or not text.strip():
        yield f"{margin}{key}: {json.dumps(text)}"
        return
    first = next(line for line in lines if line)
    indicator = "2" if first.startswith(" ") else ""
    yield f"{margin}{key}: |{indicator}"
    for line in lines:
        yield f"{margin}  {line}" if line else ""


def _result_lines(result: Mapping[str, Any]) -> Iterator[str]:
    flat = {
        key: f"[{', '.join(value)}]" if isinstance(value, list) else value
        for key, value in result.items()
    }
    line = f"    - {_flow_mapping(flat)}"
    if len(line) <= _WIDTH:
        yield line
        return
    dash = "-"
    for key, value in result.items():
        if isinstance(value, list):
            yield f"    {dash} {key}:"
            for entry in value:
                yield f"        - {entry}"
        else:
            yield f"    {dash} {key}: {value}"
        dash = " "


def _order(result: Mapping[str, Any]) -> tuple[Any, ...]:
    def number(text: Any) -> tuple[Any, ...]:
        numbers = re.findall(r"-?\d+", str(text))
        return tuple(map(int, numbers))

    time = result.get("time", result.get("at", ""))
    return (number(time), number(result.get("window", "")), str(result))


def _flow_mapping(entries: Mapping[str, str]) -> str:
    inside = ", ".join(f"{_key(key)}: {value}" for key, value in entries.items())
    return f"{{{inside}}}"


def _key(key: str) -> str:
    return json.dumps(key, ensure_ascii=False) if not _is_plain(key, _PLAIN) else key


def _scalar(text: str) -> str:
    """Return a text inside [] or {}."""
    return text if _is_plain(text, _PLAIN) else json.dumps(text, ensure_ascii=False)


def _line_scalar(text: str) -> str:
    """Return a text on a line of its own."""
    return text if _is_plain(text, _PLAIN_LINE) else json.dumps(text, ensure_ascii=False)


def _is_plain(text: str, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.fullmatch(text)) and not _RESERVED.fullmatch(text)


@text_of.register
def _(case: Case) -> str:
    try:
        return case_text(case)
    except DenotaError as error:  # a generator may make what has no text
        return f"no case: {error}"
