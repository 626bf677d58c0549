"""RDFS entailment of background graphs (RDF 1.1 Semantics, 9.2.1), over term ids.

Each triple is taken from the agenda once. It enters the indexes, and then meets the triples that
were there before it, and itself: so every pair of premises meets once, and a rule is never tried on
what it has been tried on before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ....semantics.model.terms import BNode, Term, URIRef
from ....semantics.rdf.syntax.rdfs import (
    AXIOMS,
    CLASS,
    DOMAIN,
    PROPERTY,
    RANGE,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    TYPE,
    Entailment,
)
from .graphs import EncodedTriple

Encode: TypeAlias = Callable[[Term], int]
Decode: TypeAlias = Callable[[int], Term]


@dataclass(frozen=True, slots=True)
class _Words:
    """The ids of the schema's words."""

    type: int
    property: int
    class_: int
    domain: int
    range: int
    sub_class: int
    sub_property: int


def entailed_triples(
    triples: list[EncodedTriple],
    entailment: Entailment,
    encode: Encode,
    decode: Decode,
) -> list[EncodedTriple]:
    """Return the triples of a background graph and those that it entails under a reading.

    `triples` are the graph's, encoded by `encode`; `decode` is its inverse.
    """
    if entailment == "none":
        return triples
    words = _Words(
        *map(encode, (TYPE, PROPERTY, CLASS, DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF))
    )
    reflexive = entailment == "rdfs-reflexive"
    said = set(triples)
    if reflexive:
        axioms = [(encode(s), encode(p), encode(o)) for s, p, o in AXIOMS]
        concluded = _Closure(words, reflexive).of((*triples, *axioms))
        concluded -= _Closure(words, reflexive).of(axioms)
    else:
        concluded = _Closure(words, reflexive).of(triples)
    concluded -= said
    # The rules go through generalized triples; what is concluded must be RDF (Concepts, 3.1).
    return triples + [
        triple
        for triple in concluded
        if isinstance(decode(triple[0]), URIRef | BNode) and isinstance(decode(triple[1]), URIRef)
    ]


class _Closure:
    def __init__(self, words: _Words, reflexive: bool) -> None:
        self.words = words
        self.reflexive = reflexive
        self.known: set[EncodedTriple] = set()
        self.agenda: list[EncodedTriple] = []
        # What has left the agenda: pairs by predicate, and by them who is said of whom.
        self.pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.objects: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.subjects: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.schema = frozenset(
            (words.type, words.domain, words.range, words.sub_class, words.sub_property)
        )

    def of(self, triples: Iterable[EncodedTriple]) -> set[EncodedTriple]:
        """Return the closure of these triples."""
        for triple in triples:
            self.add(triple)
        while self.agenda:
            s, p, o = self.agenda.pop()
            self.pairs[p].append((s, o))
            if p in self.schema:
                self.objects[p, s].append(o)
                self.subjects[p, o].append(s)
                self.as_schema(s, p, o)
            self.as_fact(s, p, o)
        return self.known

    def add(self, triple: EncodedTriple) -> None:
        if triple not in self.known:
            self.known.add(triple)
            self.agenda.append(triple)

    def as_fact(self, s: int, p: int, o: int) -> None:
        """Draw the conclusions of the schema known so far about a triple."""
        words, objects = self.words, self.objects
        for above in objects.get((words.sub_property, p), ()):
            self.add((s, above, o))  # rdfs7
        for kind in objects.get((words.domain, p), ()):
            self.add((s, words.type, kind))  # rdfs2
        for kind in objects.get((words.range, p), ()):
            self.add((o, words.type, kind))  # rdfs3
        if p == words.type:
            for above in objects.get((words.sub_class, o), ()):
                self.add((s, p, above))  # rdfs9
            if self.reflexive and o == words.class_:
                self.add((s, words.sub_class, s))  # rdfs10
            if self.reflexive and o == words.property:
                self.add((s, words.sub_property, s))  # rdfs6

    def as_schema(self, s: int, p: int, o: int) -> None:
        """Draw the conclusions of a schema triple about the triples known so far."""
        words = self.words
        if p == words.domain:
            for x, _ in self.pairs.get(s, ()):
                self.add((x, words.type, o))  # rdfs2
        elif p == words.range:
            for _, y in self.pairs.get(s, ()):
                self.add((y, words.type, o))  # rdfs3
        elif p in (words.sub_class, words.sub_property):
            for above in self.objects.get((p, o), ()):
                self.add((s, p, above))  # rdfs5, rdfs11
            for below in self.subjects.get((p, s), ()):
                self.add((below, p, o))  # rdfs5, rdfs11
            if p == words.sub_property:
                for x, y in self.pairs.get(s, ()):
                    self.add((x, o, y))  # rdfs7
            else:
                for x in self.subjects.get((words.type, s), ()):
                    self.add((x, words.type, o))  # rdfs9
