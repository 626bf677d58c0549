"""Streams on which two queries of CQELS-CEP differ."""

from __future__ import annotations

from ...distinguishing import Side
from ...distinguishing.graphs import GraphStreams, ties


def space(a: Side, b: Side) -> GraphStreams:
    """The streams that two queries may tell apart."""
    return GraphStreams(a.query, b.query, intervals=True, ties=ties(a, b))
