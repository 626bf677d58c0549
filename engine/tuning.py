"""Tuning parameters: buffer sizes and thresholds. They must not affect results.

No result may depend on these. Tests make them small, so that what happens once in thousands of
items happens within ten: rings wrap around, dictionaries are swept, indexes are pruned.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace


@dataclass(slots=True)
class TuningParameters:
    """The numbers; the defaults have been measured to be fast."""

    nodes: int = 1 << 14
    """CEQL: nodes of the ring at first, a power of two; so many fit into a second-level cache."""
    batch: int = 1 << 10
    """CEQL: at most so many single tuples are put into one batch."""
    cut: int = 1 << 40
    """CEQL: a batch of more tuples than this is cut."""
    plain: int = 1 << 40
    """CEQL: of batches of single tuples, so many are plain before one with dictionaries."""
    block: int = 1 << 14
    """CEQL: tuples that a kernel sees at once; their columns fit into the processor's cache."""
    triggers: int = 1 << 12
    """CEQL: after so many tuples that complete something, what they complete is enumerated."""
    partitions: int = 1 << 12
    """CEQL: with fewer than twice as many partitions none is forgotten."""
    strings: int = 1 << 16
    """CEQL: strings that one vocabulary remembers before it starts afresh."""
    explored: int = 1 << 14
    """CEQL: at most so many transitions are determinised before they are needed."""
    rows: int = 1 << 16
    """CEQL: complex events in one record batch of the output."""
    positions: int = 1 << 18
    """CEQL: positions for which the buffers of the output have room at first."""
    stack: int = 1 << 8
    """CEQL: words of the stacks and paths of enumeration and counting at first."""
    terms: int = 1 << 14
    """Terms in a dictionary when it is swept for the first time."""
    grown: int = 2
    """A dictionary is swept again when it holds so many times the terms that were left."""
    scanned: int = 8
    """Triples of a graph up to which it is scanned rather than indexed."""
    columns: int = 1 << 8
    """Triples of a batch up to which its items are matched one by one, not by columns."""
    remembered: int = 1 << 8
    """EP-SPARQL: rows that an operator remembers before it drops expired ones."""
    passed: int = 64
    """RSEP-QL: positions that no window needs any more, before they are dropped."""
    useless: int = 64
    """RSEP-QL: occurrences that are not matched any more, before they are dropped."""
    departed: int = 16
    """SPAseq: groups of partial matches that wait no longer, before an index is rebuilt."""
    handed: int = 64
    """RDF: batches of fewer items go item by item, unless the one before went by columns."""
    partial: int = 1 << 12
    """SPAseq: partial matches in arrays for which there is room at first."""
    pasts: int = 1 << 10
    """SPAseq: rows of past items, and matches of a batch, for which there is room at first."""
    compared: int = 64
    """SPAseq: partial matches that a comparison takes together, to pass them by."""
    answered: int = 1 << 18
    """SPAseq: conditions on two values whose truth is remembered from batch to batch."""
    arrivals: int = 16
    """RSEP-QL: items are forgotten each time that so many have arrived."""
    waiting: int = 1 << 10
    """Rows that a temporal join over columns has room for at first."""
    pairs: int = 1 << 12
    """Rows that a temporal join over columns puts together at once."""
    chunk: int = 1 << 22
    """Bytes of N-Quads that are read at once."""
    singly: int = 64
    """Items that are read one by one when one of them is unusual."""
    large: int = 1 << 21
    """Bytes of N-Quads files from which on they are read by the column."""
    handed_first: int = 1 << 10
    """Items of such files in the first batch; each further one has twice as many …"""
    handed_most: int = 1 << 13
    """… up to so many."""
    together: int = 1 << 10
    """Items that are read one by one and put into one batch."""
    anew: int = 4
    """RSEP-QL: a snapshot is matched anew if one in so many of its triples changes; 0: never."""


IN_USE = TuningParameters()
"""The tuning parameters of engines that are made or run now."""

SMALL = TuningParameters(
    nodes=16, batch=4, cut=4, plain=1, block=3, triggers=2, partitions=1, strings=2,
    explored=0, rows=2, positions=4, stack=2, terms=0, grown=1, scanned=0, columns=0, remembered=2,
    passed=1, useless=0, departed=0, handed=1, partial=1, pasts=1, answered=1,
    compared=2, arrivals=1, waiting=1, pairs=1, chunk=64, singly=1, together=3,
    large=0, handed_first=1, handed_most=2, anew=0,
)

NAMES = tuple(field.name for field in fields(TuningParameters))


@contextmanager
def capacities(these: TuningParameters | None = None, **changed: int) -> Iterator[None]:
    """Set the tuning parameters, given or current, with some changed, inside the block."""
    before = replace(IN_USE)
    _use(replace(these or before, **changed))
    try:
        yield
    finally:
        _use(before)


def _use(these: TuningParameters) -> None:
    for name in NAMES:
        setattr(IN_USE, name, getattr(these, name))
