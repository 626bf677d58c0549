"""Random cases: some items, each with one triple of one predicate or another."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.oracle.cases.case import Case
from denota.semantics.model.items import TimestampedGraph

from .language import Holding

_EX = "http://example.org/"
_STREAM = URIRef(f"{_EX}s")
_PREDICATES = [URIRef(f"{_EX}p"), URIRef(f"{_EX}q")]


def _item(time: int, predicate: URIRef) -> TimestampedGraph:
    subject = URIRef(f"{_EX}a")
    return TimestampedGraph(time, frozenset({(subject, predicate, subject)}))


def strategy() -> Any:
    predicates = st.sampled_from(_PREDICATES)
    return st.builds(
        lambda predicate, held: Case(
            "holding", Holding(predicate, _STREAM),
            {_STREAM: tuple(_item(time, each) for time, each in enumerate(held))},
        ),
        predicates, st.lists(predicates, max_size=4),
    )
