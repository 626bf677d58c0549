"""The main property: the production engine computes what the definitions say."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.spaseq import SpaseqEngine
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.spaseq.syntax.tree import WithinUnit
from denota.semantics.streams.merging import StreamItem, merge
from denota.strategies import spaseq_cases, spaseq_queries


def items(case: SpaseqCase) -> list[StreamItem]:
    order = tuple(clause.iri for clause in case.query.streams)
    return list(merge(case.streams, ties=case.readings.ties, order=order))


def engine(case: SpaseqCase) -> SpaseqEngine:
    return SpaseqEngine(case.query, case.kb, case.readings, case.start)


@settings(max_examples=800)
@given(spaseq_cases())
def test_the_engine_emits_what_the_definitions_say(case: SpaseqCase) -> None:
    """Every pair of the definitions once, and no other."""
    emitted = list(case.matches())
    assert set(emitted) == case.denotation()
    assert len(emitted) == len(set(emitted))


@settings(max_examples=300)
@given(spaseq_cases())
def test_a_match_comes_with_the_item_that_completes_it(case: SpaseqCase) -> None:
    """After each item, what was emitted is what the definitions say of the items so far."""
    running = engine(case)
    emitted: Counter[Pair] = Counter()
    so_far: list[StreamItem] = []
    start = case.start
    for item in items(case):
        so_far.append(item)
        start = item.time if start is None else start
        emitted.update(running.feed(item))
        assert emitted == Counter(_known_by_then(case, so_far, start))


def _known_by_then(case: SpaseqCase, so_far: list[StreamItem], start: int) -> frozenset[Pair]:
    streams = {
        name: tuple(
            TimestampedGraph(item.time, item.graph, item.kind)
            for item in so_far
            if item.iri == name
        )
        for name in case.streams
    }
    return case.but(streams=streams, evaluation={"from": start}).denotation()


@settings(max_examples=300)
@given(spaseq_cases(spaseq_queries(unit=WithinUnit.INTEGER)), st.randoms(use_true_random=False))
def test_streams_may_arrive_in_any_order_at_one_time(case: SpaseqCase, random: Random) -> None:
    """Items with one timestamp in different streams commute, unless WITHIN counts items."""
    arriving = items(case)
    random.shuffle(arriving)
    arriving.sort(key=lambda item: (item.time, item.rank))
    running = engine(case)
    emitted = Counter(pair for item in arriving for pair in running.feed(item))
    assert emitted == Counter(case.denotation())
