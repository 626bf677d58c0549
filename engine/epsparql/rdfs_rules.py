"""RDFS rules 2, 3, 7 and 9 of the background's schema, applied to a triple.

The schema is closed once; then a triple costs a few look-ups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...semantics.model.terms import Literal, URIRef
from ...semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from ..rdf.data.dictionary import Dictionary
from ..rdf.data.graphs import EncodedTriple


class Schema:
    """A closed schema, by the properties and classes that it speaks of."""

    def __init__(self, dictionary: Dictionary, triples: Iterable[EncodedTriple]) -> None:
        self._dictionary = dictionary
        self._type, above, classes, domains, ranges = (
            dictionary.encode(word, permanent=True)
            for word in (TYPE, SUB_PROPERTY_OF, SUB_CLASS_OF, DOMAIN, RANGE)
        )
        tables: dict[int, dict[int, list[int]]] = {
            word: defaultdict(list) for word in (above, classes, domains, ranges)
        }
        said = False
        for s, p, o in triples:
            said = True
            if p in tables:
                tables[p][s].append(o)
        self._properties, self._classes = dict(tables[above]), dict(tables[classes])
        self._domains, self._ranges = dict(tables[domains]), dict(tables[ranges])
        self.speaks = any(tables.values())
        """True if the schema entails anything."""
        self.inferable: frozenset[URIRef] = frozenset()
        if said:
            supers = {
                dictionary.decode(each) for found in self._properties.values() for each in found
            }
            self.inferable = frozenset({TYPE, *(t for t in supers if isinstance(t, URIRef))})

    def conclusions(self, triple: EncodedTriple) -> list[EncodedTriple]:
        """Return the entailed triples of a triple, without the triple itself."""
        if not self.speaks:
            return []
        found: dict[EncodedTriple, None] = {}
        agenda = [triple]
        while agenda:
            s, p, o = agenda.pop()
            concluded = [
                (s, each, o) for each in self._properties.get(p, ())
                if isinstance(self._dictionary.decode(each), URIRef)
            ]
            concluded += [(s, self._type, each) for each in self._domains.get(p, ())]
            ranges = self._ranges.get(p)
            if ranges and not isinstance(self._dictionary.decode(o), Literal):
                concluded += [(o, self._type, each) for each in ranges]
            if p == self._type:
                concluded += [(s, p, each) for each in self._classes.get(o, ())]
            for further in concluded:
                if further not in found and further != triple:
                    found[further] = None
                    agenda.append(further)
        return list(found)
