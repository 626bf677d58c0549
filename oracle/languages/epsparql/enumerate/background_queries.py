"""All EP-SPARQL cases of the alphabet `background`: what is there from the beginning.

A query is a pattern of the stream, of what the schema concludes from it, or of the background
alone; behind it, one thing that asks the background or has no time; a head or a dataset other than
SELECT * over all graphs; and before it, a rule. Each but the pattern is an operator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

from rdflib.term import URIRef

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from .....semantics.model.terms import Graph
from .....semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF
from ....ranks.families import Family, HeldNamings
from ...enumerated_graphs import EXAMPLE
from .edge_streams import EdgeEnumeration, ToldApart, query_of

_PATTERNS = (
    "?x :A ?y", "?x :B ?y", "?x :K ?y", "?x a :C", "?x a :D",
)
_BEHIND = (
    "", ". ?x :K ?z", "GRAPH :b0 { ?x :K ?z }", "GRAPH ?g { ?x :K ?z }", "GRAPH ?g { ?x :K ?g }",
    "OPTIONAL { ?x :K ?z }", "MINUS { ?x :K ?z }", "FILTER EXISTS { ?x :K ?z }",
    "FILTER NOT EXISTS { GRAPH ?g { ?x :K ?z } }", ". :n0 :K? ?x", "VALUES ?x { :n0 :n1 }",
)
_HEADS = (
    ("SELECT *", ""), ("SELECT DISTINCT ?x", ""), ("SELECT ?x (COUNT(*) AS ?n)", "GROUP BY ?x"),
    ("ASK", ""), ("DESCRIBE ?x", ""), ("SELECT * FROM :b0", ""), ("SELECT * FROM NAMED :b1", ""),
)
_RULES = ("", "CONSTRUCT { ?x :K ?y } WHERE { ?x :A ?y }")


def _triples(*texts: str) -> Graph:
    words = {"domain": DOMAIN, "range": RANGE, "class": SUB_CLASS_OF, "property": SUB_PROPERTY_OF}
    triples = (tuple(words.get(w) or URIRef(EXAMPLE + w) for w in text.split()) for text in texts)
    return frozenset((s, p, o) for s, p, o in triples)


GRAPHS = {
    URIRef(EXAMPLE + "b0"): _triples("n0 K n1", "n1 K b0"),
    URIRef(EXAMPLE + "b1"): _triples("n0 K n0", "n0 K b0", "n1 K b1"),
    URIRef(EXAMPLE + "b2"): _triples("A property B", "A domain C", "B range D", "C class D"),
}
"""The background of every case: facts, and a schema."""


class BackgroundEnumeration(EdgeEnumeration):
    """The nodes of the background are not renamed."""

    def families(self, operators: int) -> list[Family[EpsparqlQuery, str, ToldApart]]:
        return [Family(1, _queries(operators), lambda _, text: query_of(text))]

    def beside(self, about: ToldApart) -> Mapping[str, Any]:
        return {"kb": GRAPHS}


@cache
def _queries(operators: int) -> HeldNamings[str, ToldApart]:
    """The texts of so many operators; held: 380 of two."""
    return HeldNamings.of(
        (text, ToldApart("".join(_letters(text)), nodes=2, others="DESCRIBE" in text))
        for pattern, behind, (head, tail), rule in product(_PATTERNS, _BEHIND, _HEADS, _RULES)
        if (behind != "") + (head != "SELECT *") + (rule != "") == operators
        for text in (f"{rule} {head} WHERE {{ {pattern} {behind} }} {tail}",)
    )


def _letters(text: str) -> Iterator[str]:
    """The predicates that a query sees; of A follows what is asked of classes."""
    for letter in "ABK":
        if f":{letter}" in text or (letter == "A" and (" a :" in text or ":B" in text)):
            yield letter
