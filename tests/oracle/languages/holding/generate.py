"""Random cases: some items, each with one triple of one predicate or another."""

from __future__ import annotations

from rdflib.term import URIRef

from denota.oracle.cases.case import Case
from denota.oracle.inputs.choices import Choices
from denota.semantics.model.items import TimestampedGraph

from .language import Holding

_EX = "http://example.org/"
_STREAM = URIRef(f"{_EX}s")
_PREDICATES = [URIRef(f"{_EX}p"), URIRef(f"{_EX}q")]


def _item(time: int, predicate: URIRef) -> TimestampedGraph:
    subject = URIRef(f"{_EX}a")
    return TimestampedGraph(time, frozenset({(subject, predicate, subject)}))


def case(choices: Choices) -> Case:
    predicate = choices.among("holding/predicate", _PREDICATES)
    held = [choices.among("", _PREDICATES) for _ in range(choices.among("", range(5)))]
    return Case(
        "holding", Holding(predicate, _STREAM),
        {_STREAM: tuple(_item(time, each) for time, each in enumerate(held))},
    )
