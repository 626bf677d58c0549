"""docs/security.md: each format that denota reads, with files that a stranger might send."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import denota
from denota.oracle.cli import main
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.certificates import Certificate, Versions
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.case_sources import RankSource
from denota.oracle.sweeps.corpus_file import SCHEMA
from denota.oracle.sweeps.manifest import Manifest
from denota.oracle.sweeps.verdict_files import VerdictFiles
from denota.oracle.sweeps.verdict_sum import VerdictSum

ROOT = Path(denota.__file__).resolve().parent
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
SECRET = "of-nobody-else"

VALUES: list[Any] = [
    "command:touch pwned", "python:os:abort", "../secret.ttl", "file:///etc/hostname", "\ud800",
    "\x1b[2J<script>alert(1)</script>`|", 10**27, 10**400, -1, float("nan"), None, [], {"": None},
    "!!python/object/apply:os.system ['touch pwned']",
]


class _Touching:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch pwned",)


BYTES = [
    b"", b"\0" * 99, b"\xff\xfe", b"[]\nxx", b"[" * 100_000, b'{"a":' * 100_000, b"{}",
    b"!!python/object/apply:os.system ['touch pwned']\n", b"&a [*a, *a]", pickle.dumps(_Touching()),
]

QUERY = "PREFIX : <http://e/> SELECT ?s FROM NAMED WINDOW :w ON :s [RANGE 2s STEP 1s]" \
        " WHERE { WINDOW :w { ?s :p ?v } }"
CASE: dict[str, Any] = {
    "title": "t", "language": "ceql", "query": "SELECT * FROM S WHERE A",
    "streams": {"S": {"file": "s.csv"}}, "readings": {"limit": "event"}, "tags": ["t"],
    "expect": {"level": "positions", "results": [{"start": 0, "end": 0, "positions": [0]}]},
}
ROW: dict[str, Any] = {
    "number": 0, "id": "1", "language": "ceql", "query": "SELECT * FROM S WHERE A",
    "prefixes": {"": "http://e/"}, "streams": {"S": {"csv": "type\nA\n"}}, "kb": {},
    "readings": {"limit": "event"}, "evaluate": {}, "expected": CASE["expect"],
}
KNOWN = {
    "engine": "production", "versions": ["*"],
    "known": [{"name": "n", "what": "w", "language": "ceql", "repair": "integers"}],
}
RESULTS = [
    {"denota-results": 1, "verb": "check", "engine": "e", "version": "1", "begun": "2020"},
    {"language": "ceql", "title": "t", "place": "p", "asks": {"operators": ["OR"]},
     "verdict": "pass", "detail": ""},
]
ANSWERS = {
    "streams": {"http://e/s": "data"}, "delay": "1s",
    "queries": [{"query": QUERY, "answers": ["a.json"], "setting": "csparql"}],
}
RECORDED = {"relations": [
    {"timestamp": 1000, "results": {"bindings": [{"s": {"type": "uri", "value": "http://e/a"}}]}},
]}


def _w3c(value: Any) -> bytes:
    name = value["name"] if isinstance(value, dict) else value
    return (
        "@prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> . "
        "@prefix qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#> . "
        "<> mf:entries ( <t> ) . <t> a mf:QueryEvaluationTest ; mf:name 't' ; mf:result <r.ttl> ; "
        f"mf:action [ qt:query <q.rq> ; qt:data <{name}> ] ."
    ).encode("utf-8", "replace")


def _certificate() -> Any:
    bounds = Bounds(0, 1)
    cases = Space.of("ceql", bounds).cases
    return Certificate(
        "ceql", bounds, "production", "production", 10.0, Versions.here("1"), cases,
        {"pass": cases}, "0" * 32,
    ).as_json()


def _sweep() -> Any:
    source = RankSource("ceql", Bounds(0, 1))
    return asdict(Manifest(
        **source.identity(), rows=3, engine="production", timeout=10.0, limit=None, chunk=3,
        version=denota.__version__, name="production", revision="1",
    ))


def _plain(value: Any) -> bytes:
    return json.dumps(value).encode()


def _lines(value: Any) -> bytes:
    lines = value if isinstance(value, list) else [value]
    return b"".join(_plain(each) + b"\n" for each in lines)


def _corpus(value: Any) -> bytes:
    row = {
        key: json.dumps(each) if key not in ("number", "id", "language", "query") else each
        for key, each in (value if isinstance(value, dict) else {}).items()
    }
    sink = pa.BufferOutputStream()
    with suppress(pa.ArrowException, OverflowError, UnicodeError):  # the format has no such value
        pq.write_table(pa.Table.from_pylist([row], schema=SCHEMA), sink)
    return bytes(sink.getvalue())


REPORTS = "--html o.html --junit o.xml --markdown o.md"
Form = tuple[str, Any, Callable[[Any], bytes], str]
"""A file's name, the value of a good one, its bytes, and the command that reads it."""

FORMS: dict[str, list[Form]] = {
    "case": [("x.case.yaml", CASE, _plain, f"check x.case.yaml {REPORTS} --earl o.ttl")],
    "corpus (Parquet)": [("x.parquet", ROW, _corpus, "corpus export x.parquet -o o")],
    "certificate": [("x.json", _certificate(), _plain, "certificate check x.json --sample 1")],
    "checkpoint": [("x", {"about": {}}, _plain, "run q.ceql --stream S=s.csv --checkpoint x")],
    "known differences": [("x.yaml", KNOWN, _plain,
        "fuzz --known-differences x.yaml --cases 1 -l ceql")],
    "results": [("x.jsonl", RESULTS, _lines, "report x.jsonl --html o.html --markdown o.md")],
    "answers manifest": [
        ("x.yaml", ANSWERS, _plain, f"check --recorded x.yaml {REPORTS} --json o.json"),
        ("a.json", RECORDED, _plain, f"check --recorded good.yaml {REPORTS} --json o.json"),
    ],
    "W3C manifest": [("x.ttl", {"name": "d.ttl"}, _w3c, f"check x.ttl {REPORTS}")],
    "sweep folder": [("sweep/manifest.json", _sweep(), _plain, "report sweep")],
}


def test_the_page_lists_every_format() -> None:
    listed = re.findall(r"^\| ([^|]+?) \|", PAGE, re.MULTILINE)
    assert listed[0] == "File"
    assert set(listed[1:]) == set(FORMS)


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    entries = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ()
    )
    for key, each in entries:
        yield from _places(each, (*place, key))


def _hostile(good: Any) -> Iterator[Any]:
    """The value with hostile ones in its places, a third of them in each."""
    for number, (*before, last) in enumerate(place for place in _places(good) if place):
        for value in VALUES[number % 3::3]:
            made = deepcopy(good)
            held = made
            for key in before:
                held = held[key]
            held[last] = value
            yield made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the files refer to, beside a file that is not theirs."""
    (tmp_path / "secret.ttl").write_text(f"<urn:a> <urn:p> '{SECRET}' .")
    folder = tmp_path / "folder"
    (folder / "data").mkdir(parents=True)
    (folder / "sweep" / "verdicts").mkdir(parents=True)
    (folder / "data" / "1.ttl").write_text("<http://e/a> <http://e/p> 1 .")
    for name, text in {
        "s.csv": "type\nA\n", "q.ceql": "SELECT * FROM S WHERE A", "good.yaml": json.dumps(ANSWERS),
        "a.json": json.dumps(RECORDED), "q.rq": "SELECT * { ?s ?p ?o }", "d.ttl": "<s> <p> 1 .",
        "r.ttl": "",
    }.items():
        (folder / name).write_text(text)
    VerdictFiles(folder / "sweep" / "verdicts").commit(0, VerdictSum.of_passes(np.arange(3)))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("name", "form"), [(name, form) for name, forms in FORMS.items() for form in forms]
)
def test_a_file_from_a_stranger_is_a_line_or_a_result(
    name: str, form: Form, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file runs a program, shows another file, commands a terminal or ends in a traceback."""
    file, good, written, command = form
    contents = [*BYTES, *map(written, _hostile(good)), written(good)]
    for content in contents:
        (folder / file).write_bytes(content)
        before = {path.name for path in folder.iterdir()}
        code = main(command.split())  # a traceback ends the test
        told = capsys.readouterr()
        assert code in (0, 1, 2, 3)
        assert code != 2 or told.err.count("\n") == 1, (content, told.err)
        assert code != 2 or content != contents[-1] or name == "checkpoint", told.err
        pages = {
            path.suffix: path.read_text(encoding="utf-8")
            for path in folder.rglob("*") if path.is_file() and path.name[:2] in ("o.", "1.")
        }
        shown = told.out + told.err + "".join(pages.values())
        assert "\x1b" not in shown, content
        assert SECRET not in shown, content
        assert "<script>" not in pages.get(".html", ""), content
        # Markdown is no markup in code: in backticks, or in indented lines.
        text = re.sub(r"^ {4}.*|(`+).*?\1", "", pages.get(".md", ""), flags=re.MULTILINE)
        assert "<script>" not in text.replace("\\<", ""), content
    assert not list(folder.parent.rglob("pwned")), content
    for path in folder.iterdir():
        if path.name not in before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
