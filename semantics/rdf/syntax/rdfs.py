"""The words of RDF Schema, and the readings of what a background graph says with them.

Data only: the definitions (`entailment`) and the engine draw conclusions each by their own code.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from rdflib.term import URIRef

Entailment: TypeAlias = Literal["none", "rdfs", "rdfs-reflexive"]
"""The entailment regime of a background graph.

`none`: its triples. `rdfs`: also what these entail by the rules rdfs2, 3, 5, 7, 9 and 11 of RDF 1.1
Semantics, 9.2.1. `rdfs-reflexive`: also by rdfs6 and rdfs10, which need to know what is a property
or a class, and by the axioms that tell.
"""

_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"

TYPE: Final = URIRef(_RDF + "type")
PROPERTY: Final = URIRef(_RDF + "Property")
CLASS: Final = URIRef(_RDFS + "Class")
DOMAIN: Final = URIRef(_RDFS + "domain")
RANGE: Final = URIRef(_RDFS + "range")
SUB_CLASS_OF: Final = URIRef(_RDFS + "subClassOf")
SUB_PROPERTY_OF: Final = URIRef(_RDFS + "subPropertyOf")

AXIOMS: Final = frozenset({
    (TYPE, RANGE, CLASS),
    (DOMAIN, DOMAIN, PROPERTY), (DOMAIN, RANGE, CLASS),
    (RANGE, DOMAIN, PROPERTY), (RANGE, RANGE, CLASS),
    (SUB_CLASS_OF, DOMAIN, CLASS), (SUB_CLASS_OF, RANGE, CLASS),
    (SUB_PROPERTY_OF, DOMAIN, PROPERTY), (SUB_PROPERTY_OF, RANGE, PROPERTY),
})
"""The axiomatic triples (RDF 1.1 Semantics, 9) by which using a word of the schema makes its
subject or object a property or a class."""
