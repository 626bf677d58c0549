"""How much the engines take in before they grow, forget or look things up in an index.

None of it may show in a result. Tests make it small, so that what happens once in thousands of
items happens on ten: rings wrap around, dictionaries are swept, indexes are pruned.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace


@dataclass(slots=True)
class Capacities:
    """Each a number; what it is by default has been measured to be fast."""

    nodes: int = 1 << 14
    """Of CEQL's ring to begin with, a power of two: what fits into a second-level cache."""
    batch: int = 1 << 10
    """Tuples that come one by one are taken together, at most so many."""
    cut: int = 1 << 40
    """Tuples that come in batches are taken so, unless a batch has more than this."""
    block: int = 1 << 14
    """Tuples that a kernel sees at once: their columns fit into the processor's cache."""
    triggers: int = 1 << 12
    """Tuples that complete something, before what they complete is enumerated."""
    partitions: int = 1 << 12
    """Below twice as many none are forgotten."""
    strings: int = 1 << 16
    """Strings that one vocabulary remembers before it starts afresh."""
    explored: int = 1 << 14
    """Transitions that are determinised before they are asked for, at most."""
    rows: int = 1 << 16
    """Complex events in one record batch of the output."""
    positions: int = 1 << 18
    """Of events, in the buffers of the output to begin with."""
    terms: int = 1 << 14
    """In a dictionary before it is swept for the first time."""
    scanned: int = 8
    """Triples of a graph that are looked through rather than put into an index."""
    remembered: int = 1 << 8
    """Rows that an operator of EP-SPARQL remembers before it drops those that have expired."""
    passed: int = 64
    """Positions of a stream that no window asks for any more, before RSEP-QL drops them."""
    useless: int = 64
    """Occurrences of an event that are not to be matched any more, before they are dropped."""
    departed: int = 16
    """SPAseq: groups of partial matches that wait no longer, before an index is made anew."""
    arrivals: int = 16
    """RSEP-QL forgets items each time that so many have come."""
    anew: int = 4
    """RSEP-QL matches a snapshot anew if one in so many of its triples changes; 0: never."""


IN_USE = Capacities()
"""What engines that are made, or run, now go by."""

SMALL = Capacities(
    nodes=16, batch=4, cut=4, block=3, triggers=2, partitions=1, strings=2, explored=0, rows=2,
    positions=4, terms=8, scanned=0, remembered=2, passed=1, useless=0, departed=0,
    arrivals=1, anew=0,
)

NAMES = tuple(field.name for field in fields(Capacities))


@contextmanager
def capacities(these: Capacities | None = None, **changed: int) -> Iterator[None]:
    """Engines go by these, or by those in use, with some changed; until the end."""
    before = replace(IN_USE)
    _use(replace(these or before, **changed))
    try:
        yield
    finally:
        _use(before)


def _use(these: Capacities) -> None:
    for name in NAMES:
        setattr(IN_USE, name, getattr(these, name))
