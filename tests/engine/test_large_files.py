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
RSEPQL = """PREFIX : <http://example.org/>
REGISTER ISTREAM :out AS SELECT ?k ?a ?b FROM NAMED WINDOW :w ON :s [RANGE 10 STEP 1]
WHERE { MATCH { EVENT :w { ?a :p ?k } SEQ EVENT :w { ?b :q ?k } } }"""


def lines(count: int, **after: int) -> Iterator[str]:
    """The lines of items that have these properties, each so long after the item's number."""
    for time in range(count):
        name = f"<{EX}g{time}>"
        for told, added in after.items():
            at = f'"{time + added}"^^<http://www.w3.org/2001/XMLSchema#integer>'
            yield f"{name} <{PROV}{told}> {at} .\n"
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
    file.write_text("".join(lines(90, startedAtTime=-lasting, endedAtTime=0)), encoding="utf-8")
    singly = told(QUERIES[language], file)
    with capacities(large=0, handed_first=7, handed_most=20):
        assert told(QUERIES[language], file) == singly
    assert singly[0]


@pytest.mark.parametrize("language", ["epsparql", "cqels"])
def test_what_comes_before_an_error_is_told(language: str, tmp_path: Path) -> None:
    file = tmp_path / "s.nq"
    content = [*lines(40, startedAtTime=0, endedAtTime=0), "<a> .\n"]
    file.write_text("".join(content), encoding="utf-8")
    singly = told(QUERIES[language], file)
    with capacities(large=0, handed_first=7, handed_most=20):
        assert told(QUERIES[language], file) == singly
    assert singly[0]
    assert "s.nq:121" in singly[1]


def test_a_large_file_of_instants_says_what_a_small_one_says(tmp_path: Path) -> None:
    file = tmp_path / "s.nq"
    file.write_text("".join(lines(60, generatedAtTime=0)), encoding="utf-8")

    def answers() -> list[tuple[int, Counter[Any]]]:
        return [(each.time, Counter(each.content)) for each in run(RSEPQL, {EX + "s": str(file)})]

    singly = answers()
    with capacities(large=0, handed=1):
        assert answers() == singly
    assert len(singly) == 30
