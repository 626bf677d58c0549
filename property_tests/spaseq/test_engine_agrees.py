"""The main property: the production engine computes what the definitions say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.spaseq import SpaseqEngine
from denota.oracle.spaseq_case import SpaseqCase
from denota.semantics.spaseq.results import Pair
from denota.semantics.streams.merging import StreamItem, merge
from denota.strategies import spaseq_cases


def items(case: SpaseqCase) -> list[StreamItem]:
    order = tuple(clause.iri for clause in case.query.streams)
    return list(merge(case.streams, ties=case.readings.ties, order=order))


def engine(case: SpaseqCase) -> SpaseqEngine:
    return SpaseqEngine(case.query, case.kb, case.readings, case.start)


@settings(max_examples=3_000)
@given(spaseq_cases())
def test_the_engine_emits_what_the_definitions_say(case: SpaseqCase) -> None:
    assert set(case.matches()) == case.denotation()


@settings(max_examples=600)
@given(spaseq_cases())
def test_no_match_is_emitted_twice(case: SpaseqCase) -> None:
    matches = list(case.matches())
    assert len(matches) == len(set(matches))


@settings(max_examples=600)
@given(spaseq_cases(), st.data())
def test_batches_may_be_cut_anywhere(case: SpaseqCase, data: st.DataObject) -> None:
    everything = items(case)
    cuts = data.draw(st.lists(st.integers(0, len(everything)), max_size=4).map(sorted))
    one_by_one, in_batches = engine(case), engine(case)
    expected = [pair for item in everything for pair in one_by_one.feed(item)]
    emitted: list[Pair] = []
    for begin, end in zip([0, *cuts], [*cuts, len(everything)], strict=True):
        emitted += in_batches.feed_batch(everything[begin:end])
    assert set(emitted) == set(expected) == case.denotation()
    assert len(emitted) == len(expected)


@settings(max_examples=500)
@given(spaseq_cases())
def test_a_match_comes_with_the_item_that_completes_it(case: SpaseqCase) -> None:
    """After each item, what was emitted is what the definitions say of the items so far."""
    running = engine(case)
    emitted: set[Pair] = set()
    so_far: list[StreamItem] = []
    start = case.start
    for item in items(case):
        so_far.append(item)
        start = item.time if start is None else start
        emitted |= set(running.feed(item))
        assert emitted == _known_by_then(case, so_far, start)


def _known_by_then(case: SpaseqCase, so_far: list[StreamItem], start: int) -> frozenset[Pair]:
    from dataclasses import replace

    from denota.semantics.streams.items import TimestampedGraph

    streams: dict[object, list[TimestampedGraph]] = {name: [] for name in case.streams}
    for item in so_far:
        streams[item.iri].append(TimestampedGraph(item.time, item.graph, item.kind))
    given_then = {name: tuple(stream) for name, stream in streams.items()}
    return replace(case, streams=given_then, start=start).denotation()  # type: ignore[arg-type]


@settings(max_examples=600)
@given(spaseq_cases(), st.randoms(use_true_random=False))
def test_streams_may_arrive_in_any_order_at_one_time(case: SpaseqCase, random: object) -> None:
    """Items with one timestamp in different streams commute, unless items are counted."""
    if case.query.within.unit == "events":
        pytest.skip("positions depend on the order")
    everything = items(case)
    random.shuffle(everything)  # type: ignore[attr-defined]
    everything.sort(key=lambda item: (item.time, item.rank))
    running = engine(case)
    emitted = {pair for item in everything for pair in running.feed(item)}
    assert emitted == case.denotation()
