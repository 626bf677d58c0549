"""Batches and single items, in any mixture, give what the definitions say, item by item."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.capacities import SMALL, capacities
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.spaseq import SpaseqEngine
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.streams.merging import merge
from denota.strategies import spaseq_cases

PIECES = st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=1, max_size=8)
"""So many items next, as one batch or one by one; from the beginning again where these end."""


@settings(max_examples=300)
@given(spaseq_cases(), PIECES, st.booleans())
def test_batches_agree(case: SpaseqCase, pieces: list[tuple[int, bool]], small: bool) -> None:
    order = tuple(clause.iri for clause in case.query.streams)
    items = list(merge(case.streams, ties=case.readings.ties, order=order))
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
