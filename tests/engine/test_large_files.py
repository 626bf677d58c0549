"""Large files of intervals are read by the column, and say what small ones say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from denota import run
from denota.engine.tuning import capacities
from denota.semantics.model.errors import StreamError

EX = "http://example.org/"
PROV = "http://www.w3.org/ns/prov#"
CQELS = """PREFIX : <http://example.org/>
SELECT ?k ?a ?b FROM NAMED WINDOW :w ON :s [RANGE 12]
WHERE { WINDOW :w { SEQ({ ?a :p ?k }, { ?b :q ?k }) } }"""
QUERIES = {
    "epsparql": "PREFIX : <http://example.org/> SELECT ?k ?a ?b"
    " WHERE { ?a :p ?k } SEQ { ?b :q ?k } FILTER (getDURATION() < 12)",
    "epsparql, ask": "PREFIX : <http://example.org/> ASK WHERE { ?a :p ?k } SEQ { ?b :q ?k }",
    "cqels": CQELS,
}


def lines(count: int, lasting: int) -> Iterator[str]:
    for time in range(count):
        name = f"<{EX}g{time}>"
        for told, at in (("startedAtTime", time - lasting), ("endedAtTime", time)):
            yield f'{name} <{PROV}{told}> "{at}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        key = time // 2 % 3
        yield f"<{EX}e{time}> <{EX}{'pq'[time % 2]}> <{EX}k{key}> {name} .\n"


def told(query: str, file: Path) -> tuple[Counter[Any], str]:
    """The results, and the error that they end with."""
    found: Counter[Any] = Counter()
    try:
        for result in run(query, {EX + "s": str(file)}):
            found[result] += 1
    except StreamError as error:
        return found, str(error)
    return found, ""


@pytest.mark.parametrize("language", QUERIES)
@pytest.mark.parametrize("lasting", [0, 2])
def test_a_large_file_says_what_a_small_one_says(
    language: str, lasting: int, tmp_path: Path
) -> None:
    file = tmp_path / "s.nq"
    file.write_text("".join(lines(90, lasting)), encoding="utf-8")
    singly = told(QUERIES[language], file)
    with capacities(large=0, handed_first=7, handed_most=20):
        assert told(QUERIES[language], file) == singly
    assert singly[0]


@pytest.mark.parametrize("language", ["epsparql", "cqels"])
def test_what_comes_before_an_error_is_told(language: str, tmp_path: Path) -> None:
    file = tmp_path / "s.nq"
    file.write_text("".join(lines(40, 0)) + "<a> .\n", encoding="utf-8")
    singly = told(QUERIES[language], file)
    with capacities(large=0, handed_first=7, handed_most=20):
        assert told(QUERIES[language], file) == singly
    assert singly[0]
    assert "s.nq:121" in singly[1]
