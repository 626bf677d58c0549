"""The claims about how the languages relate, on random streams: those that hold, hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.oracle.studies.relations.claims import CLAIMS, Claim
from denota.oracle.studies.relations.rows import Events
from denota.semantics.model.items import IntervalGraph, TimestampedGraph
from denota.semantics.model.terms import Graph


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


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.holds], ids=lambda c: c.id)
@settings(max_examples=60)
@given(data=st.data())
def test_what_holds_on_small_streams_holds_on_longer_ones(
    claim: Claim, data: st.DataObject
) -> None:
    stream = data.draw(
        interval_streams(claim.events) if claim.times == "intervals"
        else point_streams(claim.events, ties=claim.times == "ties")
    )
    assert not claim.fails(stream)

