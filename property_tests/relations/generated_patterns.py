"""Generated sequences for the claims: blank nodes, conditions, several triples a pattern."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from rdflib import Namespace
from rdflib.term import BNode

from denota.semantics.model.terms import Graph
from denota.studies.relations.claims import Claim, claims

EX = Namespace("http://example.org/")
PREDICATES = "pqr"
VARIABLES = ("?x", "?y", "?z", "?u")


@dataclass(frozen=True, slots=True)
class Provisos:
    """The patterns for which a claim holds."""

    triples: int = 2
    blank: bool = True
    earlier: bool = True  # a FILTER may have a variable of an earlier pattern


ONE_TRIPLE = Provisos(triples=1)
HOLDING: dict[str, Provisos] = {
    "unrestricted": Provisos(triples=1, blank=False),
    "chronological": ONE_TRIPLE,
    "recent": ONE_TRIPLE,
    "chronological-reading": ONE_TRIPLE,
    "recent-reading": ONE_TRIPLE,
    "rivals-at-every-arrival": Provisos(),
    "timestamps-some": ONE_TRIPLE,  # timestamp() takes a triple pattern
    "timestamps-of-patterns-some": ONE_TRIPLE,
    "unrestricted-any": Provisos(earlier=False),
    "recent-any": Provisos(earlier=False),
    "seq-ep-cqels": Provisos(triples=1, blank=False),
    "unrestricted-three": ONE_TRIPLE,
    "rivals-three": Provisos(),
    "unrestricted-any-three": Provisos(earlier=False),
    "unrestricted-any-merged": Provisos(triples=1, earlier=False),
    "seq-ep-cqels-three": ONE_TRIPLE,
    "seq-ep-cqels-intervals": ONE_TRIPLE,
    "seq-cqels-rsepql-three": Provisos(),
}
"""The claims that hold, by id. The first triples of a sequence have different predicates."""


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Graph, ...]:
    """Graphs of up to six triples over an IRI and a blank node, for few nodes are often joined."""
    nodes = (EX.a, BNode("n"))
    triples = st.sampled_from([(s, EX[p], o) for p in PREDICATES for s in nodes for o in nodes])
    drawn = draw(st.lists(st.frozensets(triples, min_size=1, max_size=6), min_size=2, max_size=5))
    return tuple(drawn)


@st.composite
def sequences(draw: st.DrawFn, claim_id: str) -> Claim:
    """The claim, of a sequence of generated patterns."""
    steps = 3 if "three" in claim_id.split("-") else 2
    patterns: list[str] = []
    bound: list[str] = []
    for predicate in PREDICATES[:steps]:
        body, own = draw(_patterns(predicate, tuple(bound), HOLDING[claim_id]))
        patterns.append(body)
        bound += own
    two, three = patterns[:2], [*patterns, "?u :r ?w"][:3]
    return next(each for each in claims(two, two, three) if each.id == claim_id)


@st.composite
def _patterns(
    draw: st.DrawFn, predicate: str, bound: tuple[str, ...], provisos: Provisos
) -> tuple[str, list[str]]:
    """A group with a triple of this predicate, and its variables."""
    terms = st.sampled_from((*VARIABLES, *VARIABLES, ":a", *(["[]"] if provisos.blank else [])))
    more = draw(st.lists(st.sampled_from(PREDICATES), max_size=provisos.triples - 1))
    body = " . ".join(f"{draw(terms)} :{name} {draw(terms)}" for name in (predicate, *more))
    own = sorted(set(body.split()) & set(VARIABLES))
    seen = sorted({*own, *(bound if provisos.earlier else ())})
    if seen and draw(st.integers(0, 2)) == 0:
        left, right = draw(st.sampled_from(seen)), draw(st.sampled_from([*seen, ":a"]))
        body += f" FILTER ({left} {draw(st.sampled_from(['=', '!=']))} {right})"
    return body, own
