"""Strategies for SPAseq: sequences, queries, events, whole cases."""

from .avoidable import OPTIONS
from .cases import spaseq_cases as strategy

__all__ = ["OPTIONS", "strategy"]
