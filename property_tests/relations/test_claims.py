"""The claims about how the languages relate, on random streams: those that hold, hold.

Of the definitions, and of the engines: what two of them get wrong alike, each beside its own
oracle, shows where languages meet.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.semantics.model.items import IntervalGraph, TimestampedGraph
from denota.semantics.model.terms import Graph
from denota.studies.relations.claims import CLAIMS, Claim
from denota.studies.relations.rows import Events, by_engine

from ..examples import examples


@st.composite
def point_streams(draw: st.DrawFn, graphs: tuple[Graph, ...], *, ties: bool) -> Events:
    """Streams of up to eight of these graphs."""
    gaps = st.integers(0 if ties else 1, 3)
    time, items = 0, []
    for graph, gap in draw(st.lists(st.tuples(st.sampled_from(graphs), gaps), max_size=8)):
        time += gap
        items.append(TimestampedGraph(time, graph))
    return tuple(items)


@st.composite
def interval_streams(draw: st.DrawFn, graphs: tuple[Graph, ...]) -> Events:
    """Streams of up to eight of these graphs over intervals, ordered by their ends."""
    items = [
        IntervalGraph(start, start + length, graph)
        for graph, start, length in draw(
            st.lists(
                st.tuples(st.sampled_from(graphs), st.integers(0, 9), st.integers(0, 3)),
                max_size=8,
            )
        )
    ]
    return tuple(sorted(items, key=lambda item: (item.end, item.start)))


HOLDING = [claim for claim in CLAIMS if claim.holds]


def streams_for(claim: Claim) -> st.SearchStrategy[Events]:
    if claim.times == "intervals":
        return interval_streams(claim.events)
    return point_streams(claim.events, ties=claim.times == "ties")


@pytest.mark.parametrize("claim", HOLDING, ids=lambda c: c.id)
@examples(60)
@given(data=st.data())
def test_what_holds_on_small_streams_holds_on_longer_ones(
    claim: Claim, data: st.DataObject
) -> None:
    assert not claim.fails(data.draw(streams_for(claim)))


@pytest.mark.parametrize("claim", HOLDING, ids=lambda c: c.id)
@examples(60)
@given(data=st.data())
def test_what_holds_of_the_definitions_holds_of_the_engines(
    claim: Claim, data: st.DataObject
) -> None:
    engines = replace(claim, left=by_engine(claim.left), right=by_engine(claim.right))
    assert not engines.fails(data.draw(streams_for(claim)))

