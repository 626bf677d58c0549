"""The queries of this folder, and the streams that they are asked on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..semantics.model.items import TimestampedGraph
from ..semantics.model.terms import Graph
from . import stocks, weather

QUERIES = Path(__file__).parent / "queries"

Streams = Mapping[str, Sequence[TimestampedGraph]]
Graphs = Mapping[str, Graph]


@dataclass(frozen=True, slots=True)
class Question:
    """A query file with its readings, on these streams and background graphs."""

    title: str
    file: str
    readings: Mapping[str, str]
    streams: Streams
    kb: Graphs = field(default_factory=dict)

    @property
    def query(self) -> str:
        """The text of the query."""
        return (QUERIES / self.file).read_text(encoding="utf-8")


def on_stocks(streams: Streams) -> list[Question]:
    """The paper's Queries 4 and 3, corrected, on minute bars."""
    together, one_by_one = {"ties": "merge"}, {"ties": "sequence"}
    return [
        Question("Query 4, V shape", "v_shape.rq", together, streams),
        Question("Query 4, skipping", "v_shape_skipping.rq", one_by_one, streams),
        Question("Query 3, head and shoulders", "head_and_shoulders.rq", together, streams),
        Question("Query 3, skipping", "head_and_shoulders_skipping.rq", one_by_one, streams),
    ]


def on_weather(streams: Streams, kb: Graphs) -> list[Question]:
    """A query on several streams with Kleene plus, conjunction and a background graph."""
    return [
        Question("Warm front", "warming.rq", {}, streams, kb),
        Question("Warm front, any 12 rounds", "warming.rq", {"window": "match"}, streams, kb),
    ]


def stock_streams(bars: Sequence[stocks.Bar]) -> Streams:
    """One stream of all bars."""
    return {stocks.STREAM: list(stocks.stream_of(bars))}


def weather_streams(
    observations: Sequence[weather.Observation],
) -> tuple[Streams, Graphs]:
    """A stream a property, and the background graph of the stations."""
    streams = weather.streams_of(observations)
    return streams, {weather.STATIONS: weather.stations_of(observations)}
