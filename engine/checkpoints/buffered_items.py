"""The items of the input streams that are buffered and not processed yet, in a checkpoint."""

from __future__ import annotations

from typing import Any

from ...semantics.model.items import IntervalGraph, TimeKind, TimestampedGraph
from ...semantics.model.tuples import EventTuple
from ...semantics.streams.live.watermarks import Lane, Late, Merged, Merging
from .state_decoder import restored
from .state_encoder import SavedGraph, saved
from .state_schema import stateful, value_class

stateful(
    kept=("_streams", "_arrived", "_left", "_told", "late", "overfull"),
    compiled=("_delay", "_bound", "_ranks", "_whole"),
)(Merging)
for _each in (Merged, Lane, Late, TimestampedGraph, IntervalGraph, EventTuple, TimeKind):
    value_class(_each)


def waiting_in(merging: Merging[Any]) -> SavedGraph:
    """What waits to be taken, and how far each stream has come."""
    return saved(merging)


def wait_again(merging: Merging[Any], waiting: SavedGraph) -> None:
    """Puts back what waited in another process. Raises DamagedState."""
    restored(merging, waiting)
    merging.go_on()
