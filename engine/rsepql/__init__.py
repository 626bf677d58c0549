"""RSEP-QL, evaluated incrementally: items in, the answers of each evaluation time out."""

from .runtime import RsepqlEngine, Statistics, run

__all__ = ["RsepqlEngine", "Statistics", "run"]
