"""The arrival of items: batches tell which item completes a match; ties come in any order."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from denota.engine.rdf.columns.batch import batch_of
from denota.engine.spaseq import SpaseqEngine
from denota.engine.tuning import SMALL, capacities
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.spaseq.syntax.tree import WithinUnit
from denota.semantics.streams.merging import StreamItem, merge
from denota.strategies import spaseq_cases, spaseq_queries

from ..examples import examples

PIECES = st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=1, max_size=8)
"""So many items next, as one batch or one by one; from the beginning again where these end."""


def elements(case: SpaseqCase) -> list[StreamItem]:
    order = tuple(clause.iri for clause in case.query.streams)
    return list(merge(case.streams, ties=case.readings.ties, order=order))


@examples(300)
@given(spaseq_cases(), PIECES, st.booleans())
def test_batches_agree(case: SpaseqCase, pieces: list[tuple[int, bool]], small: bool) -> None:
    items = elements(case)
    alone = SpaseqEngine(case.query, case.kb, case.readings, case.start)
    expected = [Counter(alone.feed(item)) for item in items]
    assert Counter(sum(expected, Counter())) == Counter(case.denotation())
    found: list[Counter[Pair]] = [Counter() for _ in items]
    changed = {} if small else {"handed": 1}
    with capacities(SMALL if small else None, **changed):
        engine = SpaseqEngine(case.query, case.kb, case.readings, case.start)
        at = 0
        while at < len(items):
            count, together = pieces[at % len(pieces)]
            piece = items[at : at + count]
            if together:
                matches = engine.feed_batch(batch_of(piece, engine.dictionary))
                told = list(matches.by_item())
                assert len(matches) == len(told)
                assert list(matches) == [pair for _, pair in told]
                for number, pair in told:
                    found[at + number][pair] += 1
            else:
                for number, item in enumerate(piece):
                    found[at + number].update(engine.feed(item))
            at += len(piece)
    assert found == expected


@examples(300)
@given(spaseq_cases(spaseq_queries(unit=WithinUnit.INTEGER)), st.randoms(use_true_random=False))
def test_streams_may_arrive_in_any_order_at_one_time(case: SpaseqCase, random: Random) -> None:
    """Items with one timestamp in different streams commute, unless WITHIN counts items."""
    items = elements(case)
    random.shuffle(items)
    items.sort(key=lambda item: (item.time, item.rank))
    running = SpaseqEngine(case.query, case.kb, case.readings, case.start)
    emitted = Counter(pair for item in items for pair in running.feed(item))
    assert emitted == Counter(case.denotation())
