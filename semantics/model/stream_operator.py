"""The stream operators, which choose the part of each answer that a query reports (RSP-QL, R2S)."""

from __future__ import annotations

from enum import StrEnum


class StreamOperator(StrEnum):
    """The part of each answer that is reported (RSP-QL's R2S operators)."""

    RSTREAM = "RSTREAM"
    ISTREAM = "ISTREAM"
    DSTREAM = "DSTREAM"
