"""What enumerated EP-SPARQL queries and streams are made of."""

from __future__ import annotations

from dataclasses import dataclass

from ..enumerated_graphs import ALPHABETS as OF_INSTANTS
from ..enumerated_graphs import InstantsAlphabet


@dataclass(frozen=True, slots=True)
class QueriesAlphabet:
    """What queries ask, of graphs that are edges."""

    name: str
    summary: str


DURATIONS = InstantsAlphabet(
    "durations",
    "in EP-SPARQL: the operators of steps, MINUS, joins and two triple patterns side by side, with "
    "FILTERs that compare getDURATION() with N in twelve ways; graphs as in gaps",
)

TRIPLES = QueriesAlphabet(
    "triples",
    "in EP-SPARQL: triple patterns ?s :A ?o that share variables, side by side, in two groups and "
    "behind every operator, in EXISTS and NOT EXISTS, with FILTERs of variables; a constant or a "
    "blank node; graphs of one edge between nodes, at instants as in steps",
)

PATHS = QueriesAlphabet(
    "paths",
    "in EP-SPARQL: a property path of / | ^ * + ? and ! between two ends, variables, a constant or "
    "a blank node; graphs as in triples",
)

RULES = QueriesAlphabet(
    "rules",
    "in EP-SPARQL: up to two CONSTRUCT rules, recursive or not, with blank nodes or not, and a "
    "SELECT over what they construct or none; graphs as in triples",
)
ANSWERS = QueriesAlphabet(
    "answers",
    "in EP-SPARQL: DISTINCT, aggregates with and without GROUP BY, HAVING, ORDER BY, LIMIT, "
    "OFFSET, ASK and DESCRIBE of up to two patterns; graphs of one edge from one of two nodes to 1 "
    "or 2, at instants or over three time units",
)
BACKGROUND = QueriesAlphabet(
    "background",
    "in EP-SPARQL: patterns beside three background graphs, one of them a schema: GRAPH, FROM and "
    "FROM NAMED, what has no time, what is concluded; graphs as in triples",
)

_OF_QUERIES = (DURATIONS, TRIPLES, PATHS, RULES, ANSWERS, BACKGROUND)
ALPHABETS = {**OF_INSTANTS, **{each.name: each for each in _OF_QUERIES}}
