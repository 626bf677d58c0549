"""A sixth language from one folder: every command takes it, or says that it cannot."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import denota
from denota.oracle import languages
from denota.oracle.cli import main
from denota.oracle.languages import registry

from ..cli.children import fork

Command = Callable[..., tuple[int, str, str]]

_FOLDER = Path(__file__).parent / "holding"
_QUERY = "HOLDING <http://example.org/p> IN <http://example.org/s>"
_STREAM = """@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .
:g1 prov:generatedAtTime 1 . :g1 { :a :p :b . }
:g2 prov:generatedAtTime 2 . :g2 { :a :q :b . }
:g3 prov:generatedAtTime 3 . :g3 { :b :p :b . :b :q :b . }
"""
_CASE = f"""language: holding
title: two of three
prefixes: {{"": "http://example.org/"}}
query: {_QUERY}
streams:
  :s: |
    :g1 prov:generatedAtTime 1 . :g1 {{ :a :p :b . }}
    :g2 prov:generatedAtTime 2 . :g2 {{ :a :q :b . }}
expect:
  results:
    - {{interval: [1, 1], solution: {{}}}}
"""
_BLIND = """
class Blind:
    name, version, languages, level = "blind", "1", ("holding",), "solutions"

    def run(self, task):
        return []

make = Blind
"""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs a command, in a fork, where a package is installed that brings the language."""
    site = tmp_path / "site"
    shutil.copytree(_FOLDER, site / "holding", ignore=shutil.ignore_patterns("__pycache__"))
    about = site / "holding-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: holding\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[denota.languages]\nholding = holding\n")
    (site / "blind.py").write_text(_BLIND)
    (tmp_path / "q.txt").write_text(_QUERY)
    (tmp_path / "s.trig").write_text(_STREAM)
    (tmp_path / "two.case.yaml").write_text(_CASE)
    root = Path(denota.__path__[0]).parent
    path = os.pathsep.join([str(site), str(root), os.environ.get("PYTHONPATH", "")])

    def run(*words: str) -> tuple[int, str, str]:
        def call() -> int:
            os.environ["PYTHONPATH"] = path
            sys.path[:0] = [str(tmp_path), str(site)]
            registry._own.cache_clear()
            registry._installed.cache_clear()
            return main(words)

        running = fork(call, tmp_path)
        out, error = running.communicate()
        return running.returncode, out, error

    return run


def test_what_it_can(command: Command):
    stream = ("--stream", "http://example.org/s=s.trig")
    code, out, error = command("run", "q.txt", *stream)  # sniffed
    assert (code, out.count("interval")) == (0, 2), error
    code, out, error = command("check", "two.case.yaml")
    assert code == 0, out + error
    code, out, error = command("fuzz", "-l", "holding", "-n", "120", "--seed", "1")
    assert (code, "no discrepancy" in out) == (0, True), out + error
    code, out, error = command(
        "fuzz", "-l", "holding", "-n", "120", "--seed", "1", "--format", "json"
    )
    assert json.loads(out)["cases"] == 120
    code, out, error = command(
        "fuzz", "-l", "holding", "-n", "30", "--seed", "1", "-e", "python:blind:make"
    )
    assert (code, "1 missing result" in out) == (1, True), out + error  # as it was found
    code, out, error = command("corpus", "generate", "-l", "holding", "-n", "9", "-o", "c.parquet")
    assert code == 0, error
    code, out, error = command("corpus", "show", "c.parquet", "--limit", "2", "--with-expected")
    assert (code, out.count("language: holding")) == (0, 2), error
    code, out, error = command("corpus", "export", "c.parquet", "-o", "cases")
    assert code == 0, error
    code, out, error = command("check", "cases")
    assert code == 0, out + error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["explain", "two.case.yaml"], "results in holding cannot be explained"),
        (["distinguish", "q.txt", "q2.txt"], "queries in holding cannot be distinguished"),
        (["draw", "q.txt"], "queries in holding cannot be drawn"),
        (["corpus", "enumerate", "-l", "holding", "-o", "x"], "no cases can be enumerated in"),
    ],
)
def test_what_it_cannot_is_said_in_one_line(
    command: Command, words: list[str], said: str, tmp_path: Path
):
    (tmp_path / "q2.txt").write_text(_QUERY.replace("/p>", "/q>"))
    code, _, error = command(*words)
    assert (code, said in error, error.count("\n")) == (2, True, 1), error


@pytest.mark.spark
@pytest.mark.slow
def test_a_sweep_takes_it(command: Command):
    pytest.importorskip("pyspark")
    assert command("corpus", "generate", "-l", "holding", "-n", "9", "-o", "c.parquet")[0] == 0
    code, out, error = command(
        "sweep", "c.parquet", "-o", "swept", "--master", "local[1]", "--baseline", "0"
    )
    assert code == 0, out + error


def test_a_folder_among_ours_is_a_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shutil.copytree(_FOLDER, tmp_path / "holding")
    monkeypatch.setattr(languages, "__path__", [*languages.__path__, str(tmp_path)])
    registry._own.cache_clear()
    try:
        assert registry.names()[-1] == "holding"
        assert registry.detect_language(_QUERY).title == "Holding"
        assert registry.has("holding", "generate")
        assert not registry.has("holding", "shrink")
    finally:
        registry._own.cache_clear()
        for name in [n for n in sys.modules if n.startswith("denota.oracle.languages.holding")]:
            del sys.modules[name]
