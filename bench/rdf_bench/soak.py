"""Long streams by batches: memory stays, whatever a batch's size.

Every event has a subject of its own, so that nothing can be remembered by accident.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from measuring.memory import resident_mib

from denota.engine.cqels import CqelsEngine
from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.columns.batch import GraphBatch
from denota.engine.rsepql import RsepqlEngine

from . import rsepql
from .figures import Figure
from .intervals import IN_WINDOW, KEYED, cqels, ended, epsparql
from .streams import BATCH, columns

_SMALL = 1000
"""Items of the batches that show whether anything depends on how many there are."""
WITHIN = KEYED[:-2] + " FILTER (getDURATION() <= 1000) }"
QUERIES: dict[str, Callable[[], EpsparqlEngine | CqelsEngine | RsepqlEngine]] = {
    "EP-SPARQL, within 1,000": lambda: epsparql(WITHIN),
    "CQELS-CEP, a window of 1,000": lambda: cqels(IN_WINDOW.replace("10000", "1000")),
    "RSEP-QL, a window of 1,000": lambda: rsepql.made(1000),
}


def section_s(items: int, runs: int) -> list[Figure]:
    """Resident memory at the end beside that at half; of a tenth how many solutions it has."""
    figures = []
    for what, made in QUERIES.items():
        half, end, found = _measured(made(), items, BATCH)
        print(f"  s {what}: {found:,} solutions, {end:,.1f} MiB after {items:,} items", flush=True)
        tenth = max(1, items // 10)
        counts = {_measured(made(), tenth, size)[2] for size in (BATCH, _SMALL)}
        if len(counts) > 1:
            sys.exit(f"{what}: how many solutions there are depends on the size of batches")
        whole = f"resident after {items:,} items, {what}"
        figures.append(Figure("s", whole, end, "MiB", half, "after half of them", "1"))
    return figures


def _measured(
    engine: EpsparqlEngine | CqelsEngine | RsepqlEngine, items: int, size: int
) -> tuple[float, float, int]:
    """MiB at half and at the end, and solutions"""
    half = 0.0
    found = count = 0
    for batch in columns(engine.dictionary, items, size):
        found += _solutions(engine, batch)
        count += len(batch)
        if not half and 2 * count >= items:
            half = resident_mib()
    return half, resident_mib(), found + _solutions(engine, None)


def _solutions(
    engine: EpsparqlEngine | CqelsEngine | RsepqlEngine, batch: GraphBatch | None
) -> int:
    """How many a batch has, or (None) the end."""
    if isinstance(engine, RsepqlEngine):
        return rsepql.solutions(engine.close() if batch is None else engine.feed_batch(batch))
    return len(ended(engine) if batch is None else engine.feed_batch(batch))
