"""What enumerated RSEP-QL cases are made of: instants of letters, or clauses and graph patterns."""

from __future__ import annotations

from dataclasses import dataclass

from ..enumerated_graphs import ALPHABETS as INSTANTS


@dataclass(frozen=True, slots=True)
class WrittenAlphabet:
    """Queries that are put together of written clauses."""

    name: str
    summary: str


WRITTEN = {
    alphabet.name: alphabet
    for alphabet in (
        WrittenAlphabet(
            "window-functions",
            "in RSEP-QL: one pattern over every window function, with stream operators, report "
            "policies and a projection; windows are N wide (--within N; 2)",
        ),
        WrittenAlphabet(
            "two-windows",
            "in RSEP-QL: two windows, on one stream or on two, joined or in sequence; the first is "
            "N wide (--within N; 2)",
        ),
        WrittenAlphabet(
            "event-joins",
            "in RSEP-QL: event patterns whose parts share variables or do not, have constants and "
            "two triples, in a window that is N wide (--within N; 2)",
        ),
        WrittenAlphabet(
            "group-patterns",
            "in RSEP-QL: OPTIONAL, MINUS, UNION, FILTER and GRAPH over windows, events and "
            "datasets, and the query forms, in a window that is N wide (--within N; 2)",
        ),
    )
}

ALPHABETS = {**INSTANTS, **WRITTEN}
