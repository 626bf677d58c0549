"""Generated sequences for the claims: blank nodes, conditions, several triples a pattern; and
whole queries around them: DISTINCT, a projection, UNION and a sub-select.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from rdflib import Namespace
from rdflib.term import BNode

from denota.semantics.model.terms import Graph
from denota.studies.relations.claims import Claim, claims
from denota.studies.relations.rows import asked_in
from denota.studies.relations.whole_queries import WholeQuery, parts

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
    bound: set[str] = set()
    filtered: set[str] = set()
    for predicate in PREDICATES[:steps]:
        body, own, asked = draw(_patterns(predicate, bound, filtered, HOLDING[claim_id]))
        patterns.append(body)
        bound |= own
        filtered |= asked - own
    two, three = patterns[:2], [*patterns, "?u :r ?w"][:3]
    return next(each for each in claims(two, two, three) if each.id == claim_id)


@st.composite
def _patterns(
    draw: st.DrawFn, predicate: str, bound: set[str], filtered: set[str], provisos: Provisos
) -> tuple[str, set[str], set[str]]:
    """A group with a triple of this predicate, its variables, and those of its FILTER.

    It has no variable that is `filtered`, since an earlier FILTER would have a later variable.
    """
    free = [each for each in VARIABLES if each not in filtered]
    terms = st.sampled_from((*free, *free, ":a", *(["[]"] if provisos.blank else [])))
    more = draw(st.lists(st.sampled_from(PREDICATES), max_size=provisos.triples - 1))
    body = " . ".join(f"{draw(terms)} :{name} {draw(terms)}" for name in (predicate, *more))
    own = set(body.split()) & set(VARIABLES)
    seen = sorted(own | bound if provisos.earlier else own)
    if not seen or draw(st.integers(0, 2)) > 0:
        return body, own, set()
    left, right = draw(st.sampled_from(seen)), draw(st.sampled_from([*seen, ":a"]))
    sign = draw(st.sampled_from(["=", "!="]))
    return f"{body} FILTER ({left} {sign} {right})", own, {left, right} - {":a"}


# --- whole queries -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Modifiers:
    """The parts of a query around sequences with which a claim holds."""

    projection: bool = True
    distinct: bool = True
    union: bool = True
    subselect: bool = True


SETS = Modifiers()
NO_SUBSELECT = Modifiers(subselect=False)  # CQELS-CEP has no WINDOW in one
PROJECTED = Modifiers(  # SPAseq has no other
    distinct=False, union=False, subselect=False,
)
WHOLE: dict[str, Modifiers] = {
    "unrestricted": Modifiers(distinct=False),
    "rivals-at-every-arrival": SETS,
    "recent-any": PROJECTED,
    "unrestricted-any": PROJECTED,
    "unrestricted-any-three": PROJECTED,
    "unrestricted-any-merged": PROJECTED,
    "seq-ep-cqels": Modifiers(projection=False, union=False, subselect=False),
    "unrestricted-three": SETS,
    "rivals-three": SETS,
    "seq-ep-cqels-three": NO_SUBSELECT,
    "seq-ep-cqels-intervals": NO_SUBSELECT,
    "seq-cqels-rsepql-three": NO_SUBSELECT,
}
"""The claims of two queries that hold of whole queries, by id."""


@st.composite
def whole_queries(draw: st.DrawFn, claim_id: str) -> Claim:
    """The claim, of whole queries around generated sequences."""
    claim, other = draw(sequences(claim_id)), draw(sequences(claim_id))
    allowed = WHOLE[claim_id]
    query = asked_in(claim.left)
    assert query is not None
    own = sorted(set(re.findall(r"[?][a-z]\b", parts(query)[2])))
    whole = WholeQuery(
        draw(_selections(own, allowed)),
        draw(st.none() | _selections(own, allowed)) if allowed.subselect else None,
    )
    if not (allowed.union and draw(st.booleans())):
        return replace(claim, left=whole.around(claim.left), right=whole.around(claim.right))
    return replace(
        claim,
        left=whole.around(claim.left, other.left), right=whole.around(claim.right, other.right),
    )


@st.composite
def _selections(draw: st.DrawFn, own: list[str], allowed: Modifiers) -> str:
    """A projection, or `*`, with or without DISTINCT."""
    chosen = ["*"]
    if own and allowed.projection and draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(own), min_size=1, unique=True))
    return " ".join([*(["DISTINCT"] if allowed.distinct and draw(st.booleans()) else []), *chosen])
