"""Which part of each answer a query reports, by name (RSP-QL, R2S)."""

from __future__ import annotations

from enum import StrEnum


class StreamOperator(StrEnum):
    """What of each answer is reported (RSP-QL's R2S operators)."""

    RSTREAM = "RSTREAM"
    ISTREAM = "ISTREAM"
    DSTREAM = "DSTREAM"
