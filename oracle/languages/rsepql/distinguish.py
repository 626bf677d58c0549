"""Streams on which two queries of RSEP-QL differ."""

from __future__ import annotations

from ...distinguishing import Side
from ...distinguishing.graphs import GraphStreams


def space(a: Side, b: Side) -> GraphStreams:
    """The streams that two queries may tell apart."""
    return GraphStreams(a.query, b.query, intervals=False, ties=True)
