"""Items that come by the batch: how they are cut into batches changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.capacities import SMALL, capacities
from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.oracle.judging.comparison import compare
from denota.oracle.languages.interval_solutions import answers
from denota.semantics.epsparql.syntax.analysis import queried
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.streams.merging import StreamItem, merge_intervals
from denota.strategies import EpsparqlCase, epsparql_cases

Solutions = Iterable[IntervalSolution | bool]


def in_batches(case: EpsparqlCase, data: st.DataObject) -> Solutions:
    """What the engine says of the items, some one by one and some by the batch."""
    engine = EpsparqlEngine(case.query, case.kb, case.readings)
    named = queried(case.query, case.streams)
    items = list(merge_intervals(named, [clause.iri for clause in case.query.streams]))
    while items:
        if engine.answered:
            return
        count = data.draw(st.integers(0, len(items)))
        batch: list[StreamItem] = items[: count or 1]
        items = items[count or 1 :]
        if count:
            own = data.draw(st.booleans())
            yield from engine.feed_batch(
                batch_of(batch, engine.dictionary if own else Dictionary())
            )
        else:
            yield from engine.feed(batch[0])
    yield from engine.finish()


def outcome(evaluation: Callable[[], Solutions]) -> list[IntervalSolution | bool] | str:
    try:
        return list(evaluation())
    except DenotaError as error:
        return str(error)


def assert_agree(case: EpsparqlCase, data: st.DataObject) -> None:
    expected, came = outcome(case.denotation), outcome(lambda: in_batches(case, data))
    if isinstance(expected, str) or isinstance(came, str):
        assert came == expected
        return
    wanted, found = (answers(each, title="EP-SPARQL") for each in (expected, came))
    assert not compare(wanted, found, "solutions")


@settings(max_examples=150)
@given(epsparql_cases(), st.data())
def test_batches_say_what_the_definitions_say(case: EpsparqlCase, data: st.DataObject) -> None:
    with capacities(SMALL):
        assert_agree(case, data)
