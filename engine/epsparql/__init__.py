"""EP-SPARQL, compiled to a tree of incremental operators over triple occurrences."""

from __future__ import annotations

from .runtime import EpsparqlEngine, Statistics, run

__all__ = ["EpsparqlEngine", "Statistics", "run"]
