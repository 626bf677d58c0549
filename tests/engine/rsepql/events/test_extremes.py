"""FIRST, LAST and SEQN in a long window: what they choose, and what an evaluation looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from rdflib.term import URIRef

from denota.engine.rsepql import RsepqlEngine
from denota.engine.rsepql.events.compile import SequenceNode
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Variable
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.streams.merging import merge

EX = "http://example.org/"
STREAM = URIRef(EX + "s")
ITEMS, WINDOW, PERIOD = 600, 300, 6
"""b comes right after a, both with a key of its own, then c; nothing for three items."""

Pair = tuple[int, int]


def item(time: int) -> TimestampedGraph:
    kind = "abcddd"[time % PERIOD]
    triple = URIRef(f"{EX}{kind}{time}"), URIRef(EX + kind), URIRef(f"{EX}k{time // PERIOD}")
    return TimestampedGraph(time, frozenset({triple}))


STREAMS = {STREAM: [item(time) for time in range(ITEMS)]}


def engine(pattern: str, policy: str = "") -> RsepqlEngine:
    return RsepqlEngine(
        parse(
            f"PREFIX : <{EX}> REGISTER RSTREAM :out AS SELECT ?a ?b FROM NAMED WINDOW :w ON :s"
            f" [RANGE {WINDOW} STEP 1] WHERE {{ MATCH {{ {pattern} }} }} {policy}"
        ),
        [STREAM],
    )


def answers(engine: RsepqlEngine) -> dict[int, list[Pair]]:
    """By time: when the a and the b of each solution came."""
    found = [each for item in merge(STREAMS, ties="sequence") for each in engine.feed(item)]
    return {
        each.time: [(_came(mu, "a"), _came(mu, "b")) for mu in each.content]
        for each in (*found, *engine.close()) if isinstance(each.content, tuple)
    }


def _came(mu: SolutionMapping, name: str) -> int:
    return int(str(mu[Variable(name)]).removeprefix(EX + name))


A, B, C = (f"EVENT :w {{ ?{name} :{name} ?k }}" for name in "abc")


def pairs_at(time: int) -> list[Pair]:
    """a SEQ b in the window, the earliest first."""
    begins = range(0, ITEMS, PERIOD)
    return [(a, a + 1) for a in begins if time - WINDOW < a and a + 1 <= time]


def the_first(time: int) -> list[Pair]:
    return pairs_at(time)[:1]


def the_last(time: int) -> list[Pair]:
    return pairs_at(time)[-1:]


def before_its_c(time: int) -> list[Pair]:
    """The last pair, while the last c is the one after it: its c has come, and no further b."""
    return the_last(time) if time >= 2 and time % PERIOD != 1 else []


CHOICES: list[tuple[str, Callable[[int], list[Pair]]]] = [
    (f"FIRST ({A} SEQ {B})", the_first),
    (f"LAST ({A} SEQ {B})", the_last),
    (f"({A} SEQ {B}) SEQN {C}", before_its_c),
]


@pytest.mark.parametrize(("pattern", "chosen"), CHOICES)
def test_the_choice_follows_the_window(pattern: str, chosen: Callable[[int], list[Pair]]) -> None:
    expected = {time: chosen(time) for time in range(ITEMS) if chosen(time)}
    assert answers(engine(pattern)) == expected


def test_what_is_consumed_is_not_first_any_more() -> None:
    """Each pair is the first one once: when it has come."""
    found = answers(engine(f"FIRST ({A} SEQ {B})", "CONSUME CHRONOLOGICAL"))
    assert found == {a + 1: [(a, a + 1)] for a in range(0, ITEMS, PERIOD)}


@pytest.mark.parametrize("pattern", [pattern for pattern, _ in CHOICES])
def test_a_match_is_looked_for_once(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each b asks once for what is before it, however long it stays in the window."""
    asked: Counter[int] = Counter()
    before = SequenceNode.before

    def counted(self: SequenceNode, last: tuple) -> list:  # type: ignore[type-arg]
        asked[last[1]] += 1
        return before(self, last)

    monkeypatch.setattr(SequenceNode, "before", counted)
    answers(engine(pattern))
    assert asked == Counter(range(1, ITEMS, PERIOD))
