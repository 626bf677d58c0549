"""Time order: of one stream, of several, and what a tie is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rdflib.term import URIRef

from denota.semantics.model.errors import ReadingError, StreamError
from denota.semantics.model.items import IntervalGraph, TimeKind, TimestampedGraph
from denota.semantics.model.terms import Graph, literal
from denota.semantics.streams.merging import merge, ordered

U, V, W = (URIRef(f"http://example.org/{name}") for name in "uvw")


def graph(word: str) -> Graph:
    return frozenset({(U, V, literal(word))})


def item(time: int, word: str = "", kind: TimeKind = TimeKind.INTEGER) -> TimestampedGraph:
    return TimestampedGraph(time, graph(word), kind, URIRef(f"http://example.org/g{time}{word}"))


class Watched:
    """A stream that counts how many of its items have been taken."""

    def __init__(self, *times: int) -> None:
        self.times = times
        self.taken = 0

    def __iter__(self) -> Iterator[TimestampedGraph]:
        for time in self.times:
            self.taken += 1
            yield item(time)


# --- one stream ----------------------------------------------------------------------------------


def test_a_stream_in_order_passes() -> None:
    assert [(i.time, i.rank, i.iri) for i in ordered([item(1), item(3)], U)] == [
        (1, 0, U), (3, 0, U)
    ]


def test_an_earlier_item_is_named() -> None:
    with pytest.raises(StreamError) as caught:
        list(ordered([item(3), item(1)], U))
    assert str(caught.value) == (
        "stream <http://example.org/u>: graph <http://example.org/g1> at 1 comes after graph"
        " <http://example.org/g3> at 3"
    )


def test_a_tie_is_an_error_that_names_the_readings() -> None:
    with pytest.raises(StreamError, match=r"g1b> and graph .*g1a> are both at 1.*ties=merge"):
        list(ordered([item(1, "a"), item(1, "b")], U))


def test_ties_in_sequence_are_ranked() -> None:
    stream = [item(1), item(2, "a"), item(2, "b"), item(2, "c"), item(3)]
    ranked = ordered(stream, U, ties="sequence")
    assert [(i.time, i.rank) for i in ranked] == [(1, 0), (2, 0), (2, 1), (2, 2), (3, 0)]


def test_ties_merge_to_their_union() -> None:
    stream = [item(1), item(2, "a"), item(2, "b"), item(2, "c"), item(3)]
    merged = list(ordered(stream, U, ties="merge"))
    assert [(i.time, i.rank) for i in merged] == [(1, 0), (2, 0), (3, 0)]
    assert merged[1].graph == graph("a") | graph("b") | graph("c")


@pytest.mark.parametrize(("ties", "ahead"), [("error", 0), ("sequence", 0), ("merge", 1)])
def test_only_merging_ties_looks_ahead(ties: str, ahead: int) -> None:
    watched = Watched(1, 2, 3)
    next(ordered(watched, U, ties))
    assert watched.taken == 1 + ahead


def test_two_kinds_of_time_do_not_mix() -> None:
    with pytest.raises(StreamError, match=r"has xsd:dateTime time.* integer time"):
        list(ordered([item(1), item(2, kind=TimeKind.DATETIME)], U))


def test_an_interval_is_no_instant() -> None:
    with pytest.raises(StreamError, match="holds over an interval"):
        list(ordered([IntervalGraph(1, 2, graph(""))], U))  # type: ignore[list-item]


def test_an_unknown_reading_of_ties_is_an_error() -> None:
    with pytest.raises(ReadingError, match="ties"):
        ordered([], U, ties="maybe")


# --- several streams -----------------------------------------------------------------------------


def test_streams_merge_by_time_then_clause_order_then_iri() -> None:
    streams = {U: [item(1), item(2)], V: [item(2), item(3)], W: [item(2)]}
    assert [(i.time, i.iri) for i in merge(streams, order=[W])] == [
        (1, U), (2, W), (2, U), (2, V), (3, V)
    ]


def test_equal_ranks_stand_together() -> None:
    streams = {U: [item(1, "a"), item(1, "b")], V: [item(1)]}
    merged = merge(streams, ties="sequence", order=[V, U])
    assert [(i.rank, i.iri) for i in merged] == [(0, V), (0, U), (1, U)]


def test_no_streams_and_empty_streams_merge_to_nothing() -> None:
    assert list(merge({})) == []
    assert list(merge({U: [], V: []}, order=[W])) == []


def test_one_stream_is_not_looked_ahead_in() -> None:
    watched = Watched(1, 2)
    assert next(merge({U: watched})).time == 1
    assert watched.taken == 1


def test_of_several_streams_one_item_each_is_held() -> None:
    streams = {U: Watched(1, 4, 9), V: Watched(2, 3, 9)}
    merged = merge(streams)
    assert [next(merged).time for _ in range(3)] == [1, 2, 3]
    assert (streams[U].taken, streams[V].taken) == (2, 2)


def test_streams_of_two_kinds_cannot_be_compared() -> None:
    streams = {U: [item(1)], V: [item(1, kind=TimeKind.DATETIME)]}
    with pytest.raises(StreamError, match=r"/v> has xsd:dateTime times .*/u> integer times"):
        next(merge(streams))
