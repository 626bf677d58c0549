"""Long basic graph patterns and paths are compiled in a time that grows with their length."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from denota import evaluate, parse, run

PREFIX = "PREFIX : <http://e/> "
STREAMS = {"http://e/s": [(1, "@prefix : <http://e/> . :a :p :a .")]}
LANGUAGES = {
    "SPAseq": "SELECT * WITHIN 10 FROM STREAM S :s WHERE { SEQ(A) DEFINE GPM A ON S { %s } }",
    "RSEP-QL": "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 5] WHERE { WINDOW :w { %s } }",
    "CQELS-CEP": "SELECT * FROM NAMED WINDOW :w ON :s [ALL] WHERE { WINDOW :w { %s } }",
    "EP-SPARQL": "SELECT * WHERE { %s }",
}
PATTERNS: dict[str, Callable[[int], str]] = {
    "star": lambda n: " . ".join(f"?s :p{i} ?o{i}" for i in range(n)),
    "chain": lambda n: " . ".join(f"?s{i} :p ?s{i + 1}" for i in range(n)),
    "same": lambda n: " . ".join(["?s :p ?o"] * n),
    "path": lambda n: f"?s {'/'.join([':p'] * n)} ?o",
}


def results(language: str, pattern: str, f: Callable[..., Any]) -> list[Any]:
    query = parse(PREFIX + LANGUAGES[language] % pattern)
    options = {"at": [5]} if language == "RSEP-QL" else {}
    return list(f(query, STREAMS, **options))


def work(do: Callable[[], Any]) -> int:
    """The number of calls of functions, those of the interpreter included."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_work_grows_with_the_length(language: str, pattern: str) -> None:
    make = PATTERNS[pattern]
    results(language, make(2), run)  # what is imported and compiled once
    shorter = work(lambda: results(language, make(100), run))
    longer = work(lambda: results(language, make(400), run))
    assert longer < 6 * shorter, "four times the length, at most six times the work"


@pytest.mark.parametrize("f", [run, evaluate])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_path_of_a_thousand_steps(language: str, f: Callable[..., Any]) -> None:
    assert len(results(language, PATTERNS["path"](1000), f)) == 1


NESTED = {
    "star": "({})*", "plus": "({})+", "both": "(({})+)*", "maybe": "((({})?)+)*",
}
ALTERNATIVES = {"alternatives": "(({})*|:q)+", "inverse": "(^({}))*"}


@pytest.mark.parametrize(
    ("language", "f", "nested"),
    [("CQELS-CEP", f, each) for f in (run, evaluate) for each in NESTED.values()]
    + [("CQELS-CEP", run, each) for each in ALTERNATIVES.values()]
    + [("SPAseq", f, NESTED["star"]) for f in (run, evaluate)]
    + [("EP-SPARQL", f, each) for f in (run, evaluate) for each in NESTED.values()],
)
def test_work_grows_with_the_depth_of_closures(
    language: str, f: Callable[..., Any], nested: str
) -> None:
    def make(depth: int) -> str:
        path = ":p"
        for _ in range(depth):
            path = nested.format(path)
        return f"?s {path} ?o"

    results(language, make(2), f)
    shallow = work(lambda: results(language, make(4), f))
    deep = work(lambda: results(language, make(16), f))
    assert deep < 6 * shallow, "four times the depth, at most six times the work"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ends", ["?s {} ?o", ":a {} ?o", "?s {} :c", ":c {} :c", ":z {} ?o"])
def test_a_closure_of_a_closure_is_one(language: str, ends: str) -> None:
    data = "@prefix : <http://e/> . :a :p :b . :b :p :c . :c :q :a ."
    query = PREFIX + LANGUAGES[language]
    options = {"at": [5]} if language == "RSEP-QL" else {}

    def found(path: str, f: Callable[..., Any]) -> set[str]:
        asked = parse(query % ends.format(path))
        answers = map(repr, f(asked, {"http://e/s": [(1, data)]}, **options))
        return {" ".join(sorted(re.findall(r"\{[^{}]*\}", each))) for each in answers}

    for inner in "*+?":
        for outer in "*+?":
            whole = inner if inner == outer else "*"
            nested = {f"(:p{inner}){outer}": f":p{whole}"}
            if outer != "?":
                nested[f"(:q|:p{inner}){outer}"] = f"(:q|:p){whole}"
            for path, plain in nested.items():
                assert found(path, run) == found(path, evaluate) == found(plain, evaluate)
