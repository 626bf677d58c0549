"""What a small run loads: no module that takes long and is not needed for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PREFIXES = "@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
_GRAPHS = "".join(
    f":g{i} prov:generatedAtTime {i} . :g{i} {{ :c{i % 3} :price {i * 7 % 10} . }}\n"
    for i in range(30)
)
_STREAM = "http://example.org/s"
_TUPLES = "type,name,price\n" + "".join(f"SELL,S{i % 4},{i * 7 % 10}\n" for i in range(99))

_QUERIES = {
    "spaseq": f"""PREFIX : <http://example.org/> SELECT ?c ?x ?y WITHIN 9
        FROM STREAM S <{_STREAM}> WHERE {{ SEQ(A; B)
        DEFINE GPM A ON S {{ ?c :price ?x }} DEFINE GPM B ON S {{ ?c :price ?y }} }}""",
    "rsepql": f"""PREFIX : <http://example.org/> SELECT ?c ?x ?y
        FROM NAMED WINDOW :w ON <{_STREAM}> [RANGE 9 STEP 3]
        WHERE {{ MATCH {{ EVENT :w {{ ?c :price ?x }} SEQ EVENT :w {{ ?c :price ?y }} }} }}""",
    "cqels": f"""PREFIX : <http://example.org/> SELECT ?c ?x ?y
        FROM NAMED WINDOW :w ON <{_STREAM}> [RANGE 9]
        WHERE {{ WINDOW :w {{ SEQ({{ ?c :price ?x }}, {{ ?c :price ?y }}) }} }}""",
    "epsparql": f"""PREFIX : <http://example.org/> SELECT ?c ?x ?y FROM STREAM <{_STREAM}>
        WHERE {{ {{ ?c :price ?x }} SEQ {{ ?c :price ?y }} }}""",
    "ceql": "SELECT * FROM S WHERE SELL AS a ; SELL AS b FILTER a[name = 'S1'] AND b[price > 6]"
    " WITHIN 9 EVENTS",
}

# What takes 10 ms or more to load, and belongs to fuzzing, drawing, other engines or large input.
_HEAVY = frozenset(
    {"numba", "llvmlite", "pandas", "hypothesis", "networkx", "pyspark", "rich", "yaml"}
)
_OF_ARROW = frozenset({"numpy", "pyarrow"})
_OF_RDF = frozenset({"rdflib"})

_RUN = """
import sys
from denota.oracle.cli import main
code = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
raise SystemExit(code)
"""


@pytest.mark.parametrize("format", ["jsonl", "csv"])
@pytest.mark.parametrize("language", list(_QUERIES))
def test_a_small_run_loads_nothing_heavy(language: str, format: str, tmp_path: Path) -> None:
    query, stream = tmp_path / "query", tmp_path / "stream.trig"
    query.write_text(_QUERIES[language], encoding="utf-8")
    named = f"{_STREAM}={stream}"
    stream.write_text(_PREFIXES + _GRAPHS, encoding="utf-8")
    if language == "ceql":
        stream = stream.with_suffix(".csv")
        stream.write_text(_TUPLES, encoding="utf-8")
        named = f"S={stream}"
    words = ["run", str(query), "--stream", named, "--format", format]
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") > 5
    loaded = set(done.stderr.split())
    others = [name for name in _QUERIES if name != language]
    unwanted = _HEAVY | {f"denota.semantics.{name}.syntax" for name in others}
    unwanted |= {f"denota.engine.{name}" for name in others}
    if language == "ceql":
        unwanted |= _OF_RDF | {"pyarrow.compute", "pyarrow.parquet", "pyarrow.dataset"}
    else:
        unwanted |= _OF_ARROW
    assert sorted(loaded & unwanted) == []


@pytest.mark.parametrize("words", [
    ["--help"], ["--version"],
    *([command, "--help"] for command in ("run", "check", "explain", "fuzz", "report", "draw")),
])
def test_help_loads_next_to_nothing(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert sorted(loaded & (_HEAVY | _OF_ARROW | _OF_RDF | {"lark", "pyoxigraph"})) == []
