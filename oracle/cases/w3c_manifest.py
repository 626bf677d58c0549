"""Cases as a W3C-style test manifest: one Turtle file, and every text in a file of its own.

The vocabulary is that of the W3C's SPARQL tests (mf:, qt:) where it has a word, and `dn:` for what
streams add. An entry's IRI is the one that EARL reports use.

    <urn:denota:case:papers/example-7> a dn:StreamQueryTest ;
      mf:name "…" ; rdfs:comment "SPAseq Def. 11, Example 7" ;
      mf:action [ qt:query <papers/example-7/query.rq> ; dn:language "spaseq" ;
        dn:stream [ dn:name <http://example.org/u1> ; qt:data <papers/example-7/stream-1.trig> ] ;
        dn:background [ dn:name <http://example.org/k> ; qt:data <papers/example-7/graph-1.ttl> ] ;
        dn:reading [ dn:name "kleene" ; dn:value "join" ] ; dn:from 10 ] ;
      mf:result [ dn:level "pair" ; qt:data <papers/example-7/result.jsonl> ] .

A background graph that changes has dn:changes, TriG, in place of qt:data; several times of
evaluation are a list. A stream of tuples has a literal for its name and CSV for its data;
dn:declaration says their types. A case that expects an error is a dn:NegativeTest with dn:error
"REGEX" in the place of mf:result. The results are objects as `denota run --format jsonl` prints
them; what they leave out is open.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...semantics.model.errors import DenotaError
from ...semantics.model.mappings import SolutionMapping
from ...semantics.streams.files.outputs import write_text
from ..reports.earl import test_iri
from ..results.json_objects import JsonObject, mapping_to_json
from .case import Case, ExpectedError, ExpectedResults
from .case_reader import SUFFIX

_PREFIXES = """\
@prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> .
@prefix qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix dn: <urn:denota:manifest:> .
"""


def write_manifest(cases: Sequence[Case], folder: Path) -> Path:
    """Write the cases and their manifest to a folder; returns the manifest's path.

    Raises DenotaError for a case whose texts cannot be read: it could not be told to others.
    """
    folder.mkdir(parents=True, exist_ok=True)
    places = _places(cases)
    entries = [_entry(case, place, folder) for case, place in zip(cases, places, strict=True)]
    listed = "\n".join(f"  <{test_iri(place)}>" for place in places)
    head = f"<> a mf:Manifest ;\n  mf:entries (\n{listed}\n) .\n"
    path = folder / "manifest.ttl"
    write_text(path, "\n".join([_PREFIXES, head, *entries]))
    return path


def _places(cases: Sequence[Case]) -> list[str]:
    """Return a relative place for each case: its path below their common folder."""
    paths = [str(case.path or f"case-{n}") for n, case in enumerate(cases, start=1)]
    base = os.path.commonpath([str(Path(path).parent) for path in paths]) if paths else ""
    return [
        Path(os.path.relpath(path, base or ".")).as_posix().removesuffix(SUFFIX) for path in paths
    ]


def _entry(case: Case, place: str, folder: Path) -> str:
    message = case.message()
    files = folder / place
    files.mkdir(parents=True, exist_ok=True)

    def written(name: str, text: str) -> str:
        write_text(files / name, text)
        return f"<{quote(f'{place}/{name}')}>"

    action = [f"qt:query {written('query.rq', message['query'])} ; "
              f"dn:language {_text(case.language_name)}"]
    for kind, name, suffix in (("stream", "streams", "trig"), ("background", "kb", "ttl")):
        for number, (iri, text) in enumerate(message[name].items(), start=1):
            if isinstance(text, dict) and "changes" in text:
                data = written(f"{kind}-{number}.trig", text["changes"])
                action.append(f"dn:{kind} [ dn:name <{iri}> ; dn:changes {data} ]")
                continue
            if isinstance(text, dict):
                data = written(f"{kind}-{number}.csv", text["csv"])
                told = f"dn:name {_text(iri)} ; qt:data {data}"
                if "declaration" in text:
                    told += f" ; dn:declaration {_text(text['declaration'])}"
                action.append(f"dn:{kind} [ {told} ]")
                continue
            data = written(f"{kind}-{number}.{suffix}", text)
            action.append(f"dn:{kind} [ dn:name <{iri}> ; qt:data {data} ]")
    for key, value in message["readings"].items():
        action.append(f"dn:reading [ dn:name {_text(key)} ; dn:value {_text(value)} ]")
    for key, value in message["evaluate"].items():
        listed = isinstance(value, (list, tuple))
        shown = f"( {' '.join(map(json.dumps, value))} )" if listed else json.dumps(value)
        action.append(f"dn:{key} {shown}")
    lines = [f"<{test_iri(place)}> a dn:{_kind(case)} ;", f"  mf:name {_text(case.title)} ;"]
    if case.cites:
        lines.append(f"  rdfs:comment {_text(case.cites)} ;")
    lines.extend(f"  dct:subject {_text(tag)} ;" for tag in case.tags)
    lines.append("  mf:action [\n    " + " ;\n    ".join(action) + " ] ;")
    if isinstance(case.expect, ExpectedResults):
        objects = (json.dumps(each, ensure_ascii=False) for each in _results(case, case.expect))
        data = written("result.jsonl", "".join(f"{line}\n" for line in objects))
        lines.append(f"  mf:result [ dn:level {_text(case.expect.level)} ; qt:data {data} ] .")
    elif isinstance(case.expect, ExpectedError):
        lines.append(f"  dn:error {_text(case.expect.pattern or case.expect.message)} .")
    else:
        raise DenotaError("a case without an expectation is no test", source=str(case.path))
    return "\n".join(lines) + "\n"


def _kind(case: Case) -> str:
    return "NegativeTest" if isinstance(case.expect, ExpectedError) else "StreamQueryTest"


def _results(case: Case, expect: ExpectedResults) -> Iterator[JsonObject]:
    for result in expect.results:
        if isinstance(result, Mapping):
            yield {key: _plain(value) for key, value in result.items()}
        else:
            yield case.language.to_json(result, case.tree, case.readings)


def _plain(value: Any) -> Any:
    if isinstance(value, SolutionMapping):
        return mapping_to_json(value)
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _text(text: str) -> str:
    # JSON's escapes are Turtle's, given that what JSON leaves alone is written as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
