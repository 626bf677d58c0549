"""Strategies for SPAseq: sequences, queries, events, whole cases."""

from .cases import spaseq_cases as strategy

__all__ = ["strategy"]
