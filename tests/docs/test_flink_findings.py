"""What docs/findings/flink.md tells of FlinkCEP and no case can show, asked of its Pattern API."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from denota.oracle.engines.engine import EngineError
from denota.oracle.engines.peers.flink.java_host import words

UNBOUNDED = 2**63 - 1
LOOP = {"oneOrMore": True}
A = ("begin", "A", {})
B = ("followedBy", "B", {})
C = ("followedBy", "C", {})
STRICT = ("followedBy", "D", {**LOOP, "consecutive": True})
LOOP_OF_A = ("begin", "A", LOOP)
LOOP_OF_B = ("begin", "B", LOOP)

Element = tuple[str, str, dict[str, Any]]


def element(place: int, said: Element, events: list[str]) -> dict[str, Any]:
    """A pattern's element as the host takes it; events are letters, perhaps with a key."""
    by, kinds, quantifier = said
    at = {}
    for instant, event in enumerate(events):
        suits = [each for each in event.split("+") if each[0] in kinds]
        if suits:
            rows = [{"key": each[1:]} if each[1:] else {} for each in suits]
            at[str(instant)] = [{"rows": [row], "owed": []} for row in rows]
    return {"name": f"e{place}", "by": by, "at": at, "local": [], **quantifier}


def found(
    events: str, *said: Element, skip: tuple[str, ...] = ("noSkip",), within: int = UNBOUNDED,
    first: int = 1,
) -> list[str]:
    """The matches of a pattern over events an instant apart, each by its events' places."""
    try:
        command = words()
    except EngineError as error:
        pytest.skip(str(error))
    kinds = events.split()
    pattern = {
        "elements": [element(place, each, kinds) for place, each in enumerate(said)],
        "skip": [skip],
        "times": [first + place for place in range(len(kinds))],
        "within": within,
        "grouped": 0,
    }
    message = {"type": "case", "id": "0", "conditions": [], "patterns": [pattern]}
    done = subprocess.run(
        command, input=json.dumps(message) + "\n", capture_output=True, text=True, check=True
    )
    matches = json.loads(done.stdout)["results"][0]
    return sorted("".join(str(place) for part in match for place in part) for match in matches)


def test_matches_that_are_held_back_are_told_in_no_order() -> None:
    assert found("A1 A2 D2 D2 D2 D1", A, STRICT, skip=("skipToNext",)) == ["05", "123"]
    assert found("A2 D2 D2 D2", A, STRICT, skip=("skipToNext",)) == ["01"]


def test_a_partial_match_silences_all_later_ones() -> None:
    assert found("A1 A2 B2", A, B, skip=("skipToNext",)) == []
    assert found("A1 A2 B2", A, B) == ["12"]
    assert found("A1 A2 B2", A, B, skip=("skipToNext",), within=100) == ["12"]


@pytest.mark.parametrize(("first", "told"), [(-1, ["0", "01"]), (0, ["0", "01", "1"])])
def test_nothing_times_out_that_began_before_1970(first: int, told: list[str]) -> None:
    assert found("A A", LOOP_OF_A, skip=("skipToFirst", "e0"), within=2, first=first) == told


def test_no_skip_has_six_matches_and_greedy_three() -> None:
    assert found("B B B C", LOOP_OF_B, C) == ["0123", "013", "03", "123", "13", "23"]
    greedy = ("begin", "B", {**LOOP, "greedy": True})
    assert found("B B B C", greedy, C) == ["0123", "123", "23"]


def test_differences_of_meaning() -> None:
    optional = ("followedBy", "B", {"optional": True})
    assert found("A B C", A, optional, C) == ["012", "02"]
    assert found("A+B C", ("begin", "AB", {}), C) == ["01"]
    greedy = ("followedBy", "B", {**LOOP, "greedy": True})
    assert found("A B B", A, greedy) == ["01", "012"]
    assert found("A P+B B", A, ("notNext", "P", {}), B) == []
