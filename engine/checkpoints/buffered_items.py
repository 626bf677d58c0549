"""The items of the input streams that are buffered and not processed yet, in a checkpoint."""

from __future__ import annotations

from typing import Any

from ...semantics.model.items import IntervalGraph, TimeKind, TimestampedGraph
from ...semantics.model.tuples import EventTuple
from ...semantics.streams.live.watermarks import LateItems, Merged, SourceSplit, StreamMerger
from .state_decoder import restored
from .state_encoder import SavedGraph, saved
from .state_schema import stateful, value_class

stateful(
    kept=("_streams", "_arrived", "_left", "_told", "late", "overfull"),
    compiled=("_delay", "_bound", "_ranks", "_whole"),
)(StreamMerger)
for _each in (
    Merged, SourceSplit, LateItems, TimestampedGraph, IntervalGraph, EventTuple, TimeKind,
):
    value_class(_each)


def buffered_items(merging: StreamMerger[Any]) -> SavedGraph:
    """Return the buffered items and the progress of each stream."""
    return saved(merging)


def restore_buffered(merging: StreamMerger[Any], waiting: SavedGraph) -> None:
    """Restore the items that another process had buffered. Raises DamagedState."""
    restored(merging, waiting)
    merging.go_on()
