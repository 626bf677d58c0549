"""A small case (SPAseq Example 7) in the forms in which the oracle meets it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import denota
from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import find_cases, read_case
from denota.oracle.engines import adapter_client, worker_process

QUERY = """\
PREFIX : <http://example.org/>
SELECT ?h ?w WITHIN 15
FROM STREAM S1 :u1 FROM STREAM S2 :u2
WHERE { SEQ(A; B)
  DEFINE GPM A ON S1 { ?h :loc ?l . }
  DEFINE GPM B ON S2 { ?w :at ?l . } }
"""

POWER = """\
:g10 prov:generatedAtTime 10 .  :g10 { :H1 :loc :L1 . }
:g15 prov:generatedAtTime 15 .  :g15 { :H2 :loc :L1 . }
"""

WEATHER = """\
:h15 prov:generatedAtTime 15 .  :h15 { :W1 :at :L2 . }
:h20 prov:generatedAtTime 20 .  :h20 { :W1 :at :L1 . }
"""

HEADER = "@prefix : <http://example.org/> .\n@prefix prov: <http://www.w3.org/ns/prov#> .\n"

RESULTS = """\
    - {time: 20, solutions: [{h: ":H1", w: ":W1"}]}
    - {time: 20, solutions: [{h: ":H2", w: ":W1"}]}
"""


def indented(text: str, by: str) -> str:
    return "".join(by + line for line in text.splitlines(keepends=True))


def case_yaml(*, results: str = RESULTS, level: str = "pair", more: str = "") -> str:
    return (
        "title: each power event with the next weather event\n"
        "language: spaseq\n"
        "cites: SPAseq Def. 11, Example 7\n"
        'prefixes: {"": "http://example.org/"}\n'
        f"query: |\n{indented(QUERY, '  ')}"
        f"streams:\n  http://example.org/u1: |\n{indented(POWER, '    ')}"
        f"  http://example.org/u2: |\n{indented(WEATHER, '    ')}"
        f"{more}"
        f"expect:\n  level: {level}\n  results:\n{results}"
    )


UNSUPPORTED = """\
title: what another endpoint says
language: epsparql
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  SELECT ?h WHERE { ?h :pow ?p . SERVICE :endpoint { ?h :loc ?l } }
streams: {"http://example.org/s": ":g prov:generatedAtTime 1 . :g { :H1 :pow :P1 }"}
expect: {level: solutions, results: []}
"""


@pytest.fixture(scope="session")
def corpus_cases() -> list[tuple[Path, Case]]:
    """All cases of the corpus, read once for all tests."""
    corpus = Path(denota.__file__).with_name("corpus")
    return [(path, read_case(path)) for path in find_cases([corpus])]


@pytest.fixture
def unsupported_case_text() -> str:
    """A case in a language that engines take, of which they do not take this query."""
    return UNSUPPORTED


@pytest.fixture
def case_text() -> Callable[..., str]:
    return case_yaml


@pytest.fixture
def case_file(tmp_path: Path) -> Path:
    path = tmp_path / "example-7.case.yaml"
    path.write_text(case_yaml(), encoding="utf-8")
    return path


@pytest.fixture
def wrong_case_file(tmp_path: Path) -> Path:
    """Its first result has :H3 for :H1."""
    path = tmp_path / "wrong.case.yaml"
    path.write_text(case_yaml(results=RESULTS.replace(":H1", ":H3")), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with q.rq, u1.trig and u2.trig."""
    (tmp_path / "q.rq").write_text(QUERY, encoding="utf-8")
    (tmp_path / "u1.trig").write_text(HEADER + POWER, encoding="utf-8")
    (tmp_path / "u2.trig").write_text(HEADER + WEATHER, encoding="utf-8")
    return tmp_path


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The code with which an engine lets an hour pass; without it no time does, in any process."""
    hours = tmp_path / "hours"
    hours.touch()
    for module in (worker_process, adapter_client):
        monkeypatch.setattr(module, "monotonic", lambda: 3600.0 * hours.stat().st_size)
    return f"open({str(hours)!r}, 'ab').write(b'.')"


@pytest.fixture
def until_gone() -> Callable[[int], None]:
    """Waits, for as long as it takes, until a process has ended."""

    def wait(pid: int) -> None:
        while not gone(pid):
            time.sleep(0.01)

    def gone(pid: int) -> bool:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        return stat.rpartition(")")[2].split()[0] == "Z"  # nobody has asked how

    return wait
