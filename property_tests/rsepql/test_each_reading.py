"""Each case under every combination of readings, and with an engine that forgets at once.

`denota fuzz` draws one combination a case, and forgets in turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from hypothesis import given

from denota.engine.rsepql import RsepqlEngine
from denota.engine.tuning import capacities
from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.semantics.rdf.isomorphism import isomorphic_graphs
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.readings import Readings
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.semantics.streams.merging import StreamItem, merge
from denota.strategies import rsepql_cases

from ..examples import examples

ALL_READINGS = [
    Readings.of({"rivals": rivals, "consumption": consumption, "order": order})
    for rivals in Readings.choices()["rivals"]
    for consumption in Readings.choices()["consumption"]
    for order in Readings.choices()["order"]
]


def equal(ours: Sequence[TimedAnswer], theirs: Sequence[TimedAnswer]) -> bool:
    """Equal times in the same order, equal bags, graphs equal up to blank nodes."""
    if [each.time for each in ours] != [each.time for each in theirs]:
        return False
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(one.content, tuple) and isinstance(other.content, tuple):
            if Counter(one.content) != Counter(other.content):
                return False
        elif isinstance(one.content, frozenset) and isinstance(other.content, frozenset):
            if not isomorphic_graphs(one.content, other.content):
                return False
        elif one.content != other.content:
            return False
    return True


def items(case: RsepqlCase, engine: RsepqlEngine) -> list[StreamItem]:
    asked_for = {name: each for name, each in case.streams.items() if name in engine.streams}
    return list(merge(asked_for, ties="sequence"))


def engine_of(case: RsepqlCase) -> RsepqlEngine:
    evaluation = Evaluation.of(case.evaluation)
    return RsepqlEngine(case.query, case.streams, case.kb, case.readings, evaluation)


@examples(40)
@given(rsepql_cases())
def test_under_every_reading(case: RsepqlCase) -> None:
    for readings in ALL_READINGS:
        read = case.but(readings=readings)
        assert equal(list(read.matches()), read.denotation()), readings


@examples(200)
@given(case=rsepql_cases())
def test_nothing_is_forgotten_too_soon(case: RsepqlCase) -> None:
    with capacities(arrivals=1, terms=0, useless=-1_000):
        eager = swept(case)
    assert equal(eager, list(case.matches()))


def swept(case: RsepqlCase) -> list[TimedAnswer]:
    """The answers of an engine that forgets whatever it can, whenever it can."""
    engine = engine_of(case)
    emitted: list[TimedAnswer] = []
    for item in items(case, engine):
        emitted += engine.feed(item)
        engine.forget()
    return emitted + engine.close()


def test_equality_sees_multiplicities_and_order() -> None:
    def times(*ts: int) -> Iterable[TimedAnswer]:
        return [TimedAnswer(t, True) for t in ts]

    assert equal(list(times(1, 2)), list(times(1, 2)))
    assert not equal(list(times(1, 2)), list(times(2, 1)))
    assert not equal([TimedAnswer(1, True)], [TimedAnswer(1, False)])
