"""The claims: what papers and this project say about how the languages relate, with both sides.

A claim that holds is tested on random streams and on all small ones; for one that fails, the
smallest stream on which it fails is searched (see rows.py). All queries are sequences of two
or three event patterns over one stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...semantics.model.terms import Graph
from ...semantics.rdf.syntax.tree import Prologue
from ...semantics.streams.rdf.graphs import parse_graph
from .rows import (
    Answering,
    AskedQuery,
    Events,
    Times,
    by_timestamps,
    consuming,
    differ,
    distinct,
    solutions_by_the_end,
)
from .whole_queries import WholeQuery

PREFIX = "PREFIX : <http://example.org/>\n"
PROLOGUE = Prologue(prefixes=(("", "http://example.org/"),))
JOINED = ("?x :p ?y", "?y :q ?z")
"""Two patterns that share a variable."""

MOST_EVENTS = 3
"""All streams with so many events are tried."""

FREE = ("?a :is :A", "?b :is :B")
"""Two patterns that share none."""

TWICE = ("?a :is :A", "?b :is :A")
"""One pattern twice: an event may match both steps."""

CHAIN = (*JOINED, "?z :r ?u")
"""Three patterns, each of which shares a variable with the next."""


def graphs(*texts: str) -> tuple[Graph, ...]:
    """Return graphs of these Turtle texts."""
    return tuple(parse_graph(text, {"": "http://example.org/"}) for text in texts)


JOINED_EVENTS = graphs(
    ":a1 :p :b1 .", ":b1 :q :c1 .", ":a2 :p :b1 .", ":b1 :q :c2 .", ":b2 :q :c1 .", ":a2 :p :b2 .",
    ":x :r :x .", ":a1 :p :b1 . :b1 :q :c1 .",
)
CHAIN_EVENTS = graphs(
    ":a1 :p :b1 .", ":a2 :p :b1 .", ":b1 :q :c1 .", ":b1 :q :c2 .", ":c1 :r :d1 .", ":c1 :r :d2 .",
)
RIVALS = graphs(
    ":a1 :p :b1 . :a2 :p :b2 .", ":b1 :q :c1 .", ":b2 :q :c1 .", ":b2 :q :c2 .",
    ":c1 :r :d1 . :c2 :r :d2 .",
)
FREE_EVENTS = graphs(":e1 :is :A .", ":e2 :is :A .", ":e3 :is :B .", ":e4 :is :B .", ":e5 :is :X .")

# --- the queries ---------------------------------------------------------------------------------


def spaseq(operator: str, patterns: Sequence[str], *, ties: str = "error") -> AskedQuery:
    """SEQ(A • B • …)."""
    names = "ABC"[: len(patterns)]
    definitions = "".join(
        f"  DEFINE GPM {name} ON S {{ {body} }}\n"
        for name, body in zip(names, patterns, strict=True)
    )
    return AskedQuery("spaseq", (
        f"{PREFIX}SELECT * WITHIN 1000 FROM STREAM S <http://example.org/s>\n"
        f"WHERE {{ SEQ({f' {operator} '.join(names)})\n{definitions}}}"
    ), {} if ties == "error" else {"ties": ties})


def rsepql(
    operator: str, patterns: Sequence[str], *, consume: str = "", rivals: str = "same",
    every_arrival: bool = True, report: str = "RSTREAM", to_the_right: bool = False,
) -> AskedQuery:
    """MATCH { E1 SEQ E2 SEQ … } over a landmark window, from the left unless it is said."""
    events = f" {operator} {'( ' if to_the_right else ''}".join(
        f"EVENT :w {{ {body} }}" for body in patterns
    ) + " )" * (len(patterns) - 1 if to_the_right else 0)
    return AskedQuery("rsepql", (
        f"{PREFIX}REGISTER {report} :out AS SELECT *\n"
        f"FROM NAMED WINDOW :w ON :s [FROM 0]\n"
        f"WHERE {{ MATCH {{ {events} }} }}"
        f"{' CONSUME ' + consume if consume else ''}"
    ), {"rivals": rivals}, every_arrival)


def epsparql(
    patterns: Sequence[str], operator: str = "SEQ", *, policy: str = "unrestricted"
) -> AskedQuery:
    """{ P1 } SEQ { P2 } SEQ …"""
    groups = f" {operator} ".join(bodies(patterns))
    text = f"{PREFIX}SELECT * WHERE {{ {groups} }}"
    return AskedQuery("epsparql", text, {} if policy == "unrestricted" else {"policy": policy})


def cqels(
    patterns: Sequence[str], *, window: int = 1000, every_arrival: bool = False
) -> AskedQuery:
    """SEQ({P1}, {P2}, …) inside one window."""
    return AskedQuery("cqels", (
        f"{PREFIX}SELECT * FROM NAMED WINDOW :W ON :s [RANGE {window}]\n"
        f"WHERE {{ WINDOW :W {{ SEQ({', '.join(bodies(patterns))}) }} }}"
    ), every_arrival=every_arrival)


def cqels_join(patterns: Sequence[str]) -> AskedQuery:
    """Return two windows beside one another: JOIN."""
    first, second = patterns
    return AskedQuery("cqels", (
        f"{PREFIX}SELECT * FROM NAMED WINDOW :W1 ON :s [RANGE 1000]\n"
        f"FROM NAMED WINDOW :W2 ON :s [RANGE 1000]\n"
        f"WHERE {{ WINDOW :W1 {{ {first} }} WINDOW :W2 {{ {second} }} }}"
    ))


def bodies(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns as groups."""
    return tuple(f"{{ {body} }}" for body in patterns)


def etalis(
    patterns: Sequence[str], which: Literal["earliest", "latest"], *, each_by_itself: bool = False
) -> Answering:
    """Return the evaluation that is claimed for ETALIS."""
    return consuming(bodies(patterns), PROLOGUE, which, each_by_itself=each_by_itself)


# --- claims --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Claim:
    """`left` relates to `right` on every stream, or so it is said.

    `holds` is what the definitions say of it; `events` are the graphs that streams are made of.
    """

    id: str
    says: str
    source: str
    left: Answering
    relation: Literal["=", "⊆"]
    right: Answering
    holds: bool
    events: tuple[Graph, ...]
    why: str
    case: str = ""  # of the corpus, where it fails
    times: Times = "apart"  # of the streams that are searched
    most: int = MOST_EVENTS

    @property
    def steps(self) -> int:
        """The number of steps in its sequences; its id tells three."""
        return 3 if "three" in self.id.split("-") else 2

    def fails(self, stream: Events) -> bool:
        """Return True if the claim is false on this stream."""
        only_left, only_right = differ(self.left(stream), self.right(stream))
        return bool(only_left) or (self.relation == "=" and bool(only_right))


_TABLE = "RSEP-QL Table 1"
_POLICIES = "SPAseq Section 3"
_SPREAD = ("?x :p ?y . ?y :q ?z", "?z :r ?u")
_LATER = ("?x :p ?y FILTER (?x != ?z)", "?y :q ?z")
_EARLIER = ("?x :p ?y", "?y :q ?z FILTER (?x != ?z)")
_OPTIONAL = ("?x :p ?y OPTIONAL { ?y :q ?z }", "?z :r ?u")
_STAR = ("?x :p ?y", "?x :q ?z", "?x :r ?u")
_DISTINCT = WholeQuery("DISTINCT *")
_PROJECTED = WholeQuery("?y ?z")
_BLANK = ("?x :p []", "?x :q ?y")
_BLANK_EVENTS = graphs(":a :p :b .", ":a :p :b . :a :p :c .", ":a :q :d .")

# One table.
def claims(
    joined: Sequence[str] = JOINED, free: Sequence[str] = FREE, chain: Sequence[str] = CHAIN
) -> Iterator[Claim]:
    """Yield all claims on sequences of these patterns: two sharing a variable, two, and three."""
    yield Claim(
        "unrestricted", "EP-SPARQL unrestricted = landmark window + SEQ", f"{_TABLE}, row 1",
        solutions_by_the_end(epsparql(joined)), "=", rsepql("SEQ", joined, every_arrival=False),
        True, JOINED_EVENTS,
        "patterns of one triple: SeqJoin and (7) ask for the same two instants", times="ties",
    )
    yield Claim(
        "unrestricted-graphs",
        "EP-SPARQL unrestricted = landmark window + SEQ, of patterns of several triples",
        f"{_TABLE}, row 1",
        solutions_by_the_end(epsparql(_SPREAD)), "=", rsepql("SEQ", _SPREAD, every_arrival=False),
        False, graphs(":a :p :b .", ":b :q :c .", ":c :r :d .", ":a :p :b . :b :q :c ."),
        "EP-SPARQL joins occurrences of triples at any times, EVENT looks at one graph at a time",
    )
    yield Claim(
        "unrestricted-blank",
        "EP-SPARQL unrestricted = landmark window + SEQ, with a blank node, as bags",
        f"{_TABLE}, row 1",
        solutions_by_the_end(epsparql(_BLANK)), "=", rsepql("SEQ", _BLANK, every_arrival=False),
        False, _BLANK_EVENTS,
        "a basic graph pattern of EP-SPARQL counts the values of the blank node, a set of event"
        " mappings does not",
    )
    yield Claim(
        "unrestricted-filter",
        "EP-SPARQL unrestricted = landmark window + SEQ, with a FILTER over a variable of the later"
        " pattern", f"{_TABLE}, row 1",
        solutions_by_the_end(epsparql(_LATER)), "=", rsepql("SEQ", _LATER, every_arrival=False),
        False, JOINED_EVENTS,
        "in μ2(E1) the FILTER sees the value, in a group of EP-SPARQL the variable is not bound",
    )
    yield Claim(
        "unrestricted-distinct",
        "EP-SPARQL unrestricted = landmark window + SEQ, with DISTINCT, as bags",
        f"{_TABLE}, row 1",
        solutions_by_the_end(_DISTINCT.around(epsparql(JOINED))), "=",
        _DISTINCT.around(rsepql("SEQ", JOINED, every_arrival=False)), False, JOINED_EVENTS,
        "DISTINCT of EP-SPARQL keeps solutions over different intervals apart",
    )
    yield Claim(
        "chronological", "EP-SPARQL chronological = landmark window + SEQ^c + 𝒫^c",
        f"{_TABLE}, row 2",
        etalis(joined, "earliest"), "=",
        distinct(rsepql("SEQC", joined, consume="CHRONOLOGICAL")),
        True, JOINED_EVENTS,
        "evaluated at every arrival: each event of E2 takes the earliest of E1 that waits",
        times="ties",
    )
    yield Claim(
        "recent", "EP-SPARQL recent = landmark window + SEQ^r + 𝒫^r", f"{_TABLE}, row 3",
        etalis(joined, "latest"), "=",
        distinct(rsepql("SEQR", joined, consume="RECENT")),
        True, JOINED_EVENTS,
        "evaluated at every arrival: each event of E2 takes the latest of E1 that waits",
        times="ties",
    )
    yield Claim(
        "chronological-reading", "policy=chronological = what ETALIS is said to do",
        "EP-SPARQL, RSEP-QL Section 2",
        distinct(epsparql(joined, policy="chronological")), "=",
        etalis(joined, "earliest"), True, JOINED_EVENTS,
        "the reading of EP-SPARQL goes by way of RSEP-QL, the model does not", times="ties",
    )
    yield Claim(
        "recent-reading", "policy=recent = what ETALIS is said to do",
        "EP-SPARQL, RSEP-QL Section 2",
        distinct(epsparql(joined, policy="recent")), "=",
        etalis(joined, "latest"), True, JOINED_EVENTS,
        "likewise", times="ties",
    )
    yield Claim(
        "rivals-at-every-arrival", "rivals=same = rivals=any, evaluated at every arrival",
        "RSEP-QL (11)",
        rsepql("SEQR", joined, consume="RECENT"), "=",
        rsepql("SEQR", joined, consume="RECENT", rivals="any"),
        True, JOINED_EVENTS,
        "what has a partner is consumed at once, so that all rivals are of one instant",
        times="ties",
    )
    yield Claim(
        "rivals-kept", "rivals=same = rivals=any, evaluated at every arrival, without CONSUME",
        "RSEP-QL (11)",
        rsepql("SEQR", joined), "=", rsepql("SEQR", joined, rivals="any"), False, JOINED_EVENTS,
        "what is not consumed is a rival again",
    )
    yield Claim(
        "rivals", "rivals=same = rivals=any, evaluated once", "RSEP-QL Section 2 and (11): RSE-1",
        rsepql("SEQR", joined, every_arrival=False), "=",
        rsepql("SEQR", joined, every_arrival=False, rivals="any"),
        False, JOINED_EVENTS,
        "the last event of E2 shuts out those with other mappings, or it does not",
        case="rsepql/RSE-1-smallest-same",
    )
    yield Claim(
        "timestamps-some", "SEQ^n ⊆ C-SPARQL's timestamp() of the solution's triples",
        f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", joined, every_arrival=False)), "⊆",
        by_timestamps(bodies(joined), PROLOGUE, "solution"), True, JOINED_EVENTS,
        "the last of all is the last of those with its own mapping", times="ties",
    )
    yield Claim(
        "timestamps-of-patterns-some",
        "SEQ^n ⊆ C-SPARQL's timestamp() of whatever matches the pattern", f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", joined, every_arrival=False)), "⊆",
        by_timestamps(bodies(joined), PROLOGUE, "pattern"), True, JOINED_EVENTS,
        "the two latest times are those of (9)", times="ties",
    )
    yield Claim(
        "timestamps", "SEQ^n = C-SPARQL's timestamp() of the solution's triples",
        f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", joined, every_arrival=False)), "=",
        by_timestamps(bodies(joined), PROLOGUE, "solution"), False, JOINED_EVENTS,
        "(9) keeps the last events of each pattern only, the idiom those of each mapping",
    )
    yield Claim(
        "timestamps-of-patterns", "SEQ^n = C-SPARQL's timestamp() of whatever matches the pattern",
        f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", joined, every_arrival=False)), "=",
        by_timestamps(bodies(joined), PROLOGUE, "pattern"), False, JOINED_EVENTS,
        "the idiom keeps every solution of the snapshot once the two latest times are in order",
    )
    yield Claim(
        "recent-strict", "recent = strict contiguity", f"{_POLICIES}: SPA-14",
        rsepql("SEQR", free, consume="RECENT"), "=", spaseq(",", free), False, FREE_EVENTS,
        "what lies between the two events may be irrelevant to recent", case="spaseq/SPA-14-recent",
    )
    yield Claim(
        "chronological-next", "chronological = skip-till-next", f"{_POLICIES}: SPA-14",
        rsepql("SEQC", free, consume="CHRONOLOGICAL"), "=", spaseq(";", free), False, FREE_EVENTS,
        "chronological consumes, skip-till-next answers from every beginning",
        case="spaseq/SPA-14-chronological",
    )
    yield Claim(
        "unrestricted-next", "unrestricted = skip-till-next", f"{_POLICIES}: SPA-14",
        distinct(rsepql("SEQ", free, report="ISTREAM")), "=", spaseq(";", free), False,
        FREE_EVENTS,
        "skip-till-next stops at the first event that fits", case="spaseq/SPA-14-unrestricted",
    )
    yield Claim(
        "unrestricted-any", "unrestricted = skip-till-any", "SPAseq Def. 10, RSEP-QL (7)",
        distinct(rsepql("SEQ", free, report="ISTREAM")), "=", distinct(spaseq(":", free)), True,
        FREE_EVENTS,
        "both return every pair in order",
    )
    yield Claim(
        "unrestricted-any-filter-later",
        "unrestricted = skip-till-any, with a FILTER over a variable of the later pattern",
        "SPAseq Def. 10, RSEP-QL (7)",
        distinct(rsepql("SEQ", _LATER, report="ISTREAM")), "=", spaseq(":", _LATER), False,
        JOINED_EVENTS, "in μ2(E1) the FILTER sees the value, the head of a sequence has no past",
    )
    yield Claim(
        "unrestricted-any-filter-earlier",
        "unrestricted = skip-till-any, with a FILTER over a variable of the earlier pattern",
        "SPAseq Def. 10 (SPA-10), RSEP-QL (7)",
        distinct(rsepql("SEQ", _EARLIER, report="ISTREAM")), "=", spaseq(":", _EARLIER), False,
        JOINED_EVENTS, "SPAseq's filters see earlier events, E2 is evaluated alone",
    )
    yield Claim(
        "recent-any", "recent ⊆ skip-till-any", "SPAseq Def. 10, RSEP-QL (11)",
        distinct(rsepql("SEQR", joined, consume="RECENT")), "⊆", spaseq(":", joined), True,
        JOINED_EVENTS, "policies select among all pairs",
    )
    yield Claim(
        "seq-ep-cqels", "SEQ of EP-SPARQL = SEQ of CQELS-CEP", "EP-SPARQL 4.2, CQELS-CEP 4.2",
        epsparql(joined), "=", cqels(joined), True, JOINED_EVENTS,
        "patterns of one triple on point events: t2 < t3 in both, once an interval", times="ties",
    )
    yield Claim(
        "seq-cqels-rsepql", "SEQ of CQELS-CEP = SEQ of RSEP-QL", "CQELS-CEP 4.2, RSEP-QL (7)",
        distinct(solutions_by_the_end(cqels(_SPREAD))), "=",
        distinct(rsepql("SEQ", _SPREAD, every_arrival=False)), True,
        graphs(":a :p :b .", ":b :q :c .", ":c :r :d .", ":a :p :b . :b :q :c .",
               ":a :p :b . :b :q :c . :c :r :d ."),
        "both match one item at a time, whatever its triples", times="ties",
    )
    yield Claim(
        "seq-cqels-rsepql-filter",
        "SEQ of CQELS-CEP = SEQ of RSEP-QL, with a FILTER over a variable of the later pattern",
        "CQELS-CEP 4.2, RSEP-QL (7)",
        distinct(solutions_by_the_end(cqels(_LATER))), "=",
        distinct(rsepql("SEQ", _LATER, every_arrival=False)), False, JOINED_EVENTS,
        "in μ2(E1) the FILTER sees the value, in a pattern by itself the variable is not bound",
    )
    yield Claim(
        "seq-cqels-rsepql-optional",
        "SEQ of CQELS-CEP = SEQ of RSEP-QL, with an OPTIONAL that has a variable of the later"
        " pattern",
        "CQELS-CEP 4.2, RSEP-QL (7)",
        distinct(solutions_by_the_end(cqels(_OPTIONAL))), "=",
        distinct(rsepql("SEQ", _OPTIONAL, every_arrival=False)), False,
        graphs(":a :p :b . :b :q :c .", ":c :r :d .", ":d :r :c ."),
        "in μ2(E1) the OPTIONAL asks for the value, and E1 matches without it",
    )
    yield Claim(
        "seq-ep-cqels-blank", "SEQ of EP-SPARQL = SEQ of CQELS-CEP, with a blank node, as bags",
        "EP-SPARQL 4.2, CQELS-CEP 4.2",
        epsparql(_BLANK), "=", cqels(_BLANK), False, _BLANK_EVENTS,
        "a basic graph pattern of EP-SPARQL counts the values of the blank node, a set of mappings"
        " does not",
    )
    yield Claim(
        "seq-ep-cqels-projected",
        "SEQ of EP-SPARQL = SEQ of CQELS-CEP, with a projection, as bags",
        "EP-SPARQL 4.2, CQELS-CEP 4.2",
        _PROJECTED.around(epsparql(JOINED)), "=", _PROJECTED.around(cqels(JOINED)), False,
        JOINED_EVENTS,
        "a projection of EP-SPARQL counts, a set of mappings with intervals does not",
        times="ties",
    )
    yield Claim(
        "seq-ep-cqels-union", "SEQ of EP-SPARQL = SEQ of CQELS-CEP, in a UNION, as bags",
        "EP-SPARQL 4.2, CQELS-CEP 4.2",
        WholeQuery().around(epsparql(JOINED), epsparql(JOINED)), "=",
        WholeQuery().around(cqels(JOINED), cqels(JOINED)), False, JOINED_EVENTS,
        "Union of EP-SPARQL adds multiplicities, a set of mappings with intervals has none",
    )
    yield Claim(
        "seq-bags", "SEQ of CQELS-CEP = SEQ of RSEP-QL, as bags", "CQELS-CEP 4.2, RSEP-QL (8)",
        distinct(solutions_by_the_end(cqels(joined))), "=",
        rsepql("SEQ", joined, every_arrival=False), False, JOINED_EVENTS,
        "MATCH forgets the interval and counts, a set of answers does not",
    )
    yield Claim(
        "unrestricted-three",
        "EP-SPARQL unrestricted = landmark window + SEQ, three steps, as sets",
        f"{_TABLE}, row 1",
        distinct(solutions_by_the_end(epsparql(chain))), "=",
        distinct(rsepql("SEQ", chain, every_arrival=False)), True, CHAIN_EVENTS,
        "the same two instants at each step", most=4,
    )
    yield Claim(
        "unrestricted-three-bags",
        "EP-SPARQL unrestricted = landmark window + SEQ, three steps, as bags", f"{_TABLE}, row 1",
        solutions_by_the_end(epsparql(chain)), "=", rsepql("SEQ", chain, every_arrival=False),
        False, CHAIN_EVENTS,
        "of two events in the middle SeqJoin makes two solutions over one interval, (7) one event"
        " mapping", most=4,
    )
    yield Claim(
        "chronological-three",
        "ETALIS' chronological, two at a time = landmark window + SEQ^c + 𝒫^c, three steps",
        f"{_TABLE}, row 2",
        etalis(chain, "earliest"), "=",
        distinct(rsepql("SEQC", chain, consume="CHRONOLOGICAL")), False, CHAIN_EVENTS,
        "𝒫^c consumes what took part in the whole, ETALIS what took part in its beginning", most=4,
    )
    yield Claim(
        "chronological-three-some",
        "ETALIS' chronological, two at a time ⊆ landmark window + SEQ^c + 𝒫^c, three steps",
        f"{_TABLE}, row 2",
        etalis(chain, "earliest"), "⊆",
        distinct(rsepql("SEQC", chain, consume="CHRONOLOGICAL")), False, CHAIN_EVENTS[:5],
        "of two beginnings ETALIS consumes one with each second event, SEQ^c takes the first",
        most=5,
    )
    yield Claim(
        "recent-three-some",
        "ETALIS' recent, two at a time ⊆ landmark window + SEQ^r + 𝒫^r, three steps",
        f"{_TABLE}, row 3",
        etalis(_STAR, "latest"), "⊆", distinct(rsepql("SEQR", _STAR, consume="RECENT")),
        False, graphs(":a :p :b .", ":a :q :c .", ":a :q :d .", ":a :r :e ."),
        "ETALIS keeps the second event that it took first, SEQ^r takes the latest", most=4,
    )
    yield Claim(
        "recent-three",
        "ETALIS' recent, two at a time = landmark window + SEQ^r + 𝒫^r, three steps",
        f"{_TABLE}, row 3",
        etalis(chain, "latest"), "=", distinct(rsepql("SEQR", chain, consume="RECENT")),
        False, CHAIN_EVENTS,
        "𝒫^r consumes what took part in the whole, ETALIS what took part in its beginning", most=4,
    )
    yield Claim(
        "chronological-twice",
        "ETALIS' chronological = landmark window + SEQ^c + 𝒫^c, of one pattern twice",
        f"{_TABLE}, row 2",
        etalis(TWICE, "earliest"), "=",
        distinct(rsepql("SEQC", TWICE, consume="CHRONOLOGICAL")), False, FREE_EVENTS[:2],
        "𝒫^c consumes an event that ends an answer, for ETALIS it waits to begin the next",
    )
    yield Claim(
        "recent-twice", "ETALIS' recent = landmark window + SEQ^r + 𝒫^r, of one pattern twice",
        f"{_TABLE}, row 3",
        etalis(TWICE, "latest"), "=", distinct(rsepql("SEQR", TWICE, consume="RECENT")),
        False, FREE_EVENTS[:2], "likewise",
    )
    yield Claim(
        "chronological-reading-twice",
        "policy=chronological = what ETALIS is said to do, of one pattern twice",
        "EP-SPARQL, RSEP-QL Section 2",
        distinct(epsparql(TWICE, policy="chronological")), "=", etalis(TWICE, "earliest"),
        False, FREE_EVENTS[:2], "the reading of EP-SPARQL goes by way of RSEP-QL",
    )
    yield Claim(
        "recent-reading-twice", "policy=recent = what ETALIS is said to do, of one pattern twice",
        "EP-SPARQL, RSEP-QL Section 2",
        distinct(epsparql(TWICE, policy="recent")), "=", etalis(TWICE, "latest"),
        False, FREE_EVENTS[:2], "likewise",
    )
    yield Claim(
        "chronological-items",
        "ETALIS' chronological, each event by itself = landmark window + SEQ^c + 𝒫^c",
        f"{_TABLE}, row 2",
        etalis(joined, "earliest", each_by_itself=True), "=",
        distinct(rsepql("SEQC", joined, consume="CHRONOLOGICAL")), True, JOINED_EVENTS,
        "one event an instant: there is no difference",
    )
    yield Claim(
        "chronological-items-ties",
        "ETALIS' chronological, each event by itself = landmark window + SEQ^c + 𝒫^c, with ties",
        f"{_TABLE}, row 2",
        etalis(joined, "earliest", each_by_itself=True), "=",
        distinct(rsepql("SEQC", joined, consume="CHRONOLOGICAL")), False, JOINED_EVENTS,
        "what comes first takes what waits, and the others of its instant find nothing",
        times="ties",
    )
    yield Claim(
        "rivals-three",
        "rivals=same = rivals=any, evaluated at every arrival, (E1 SEQ^r E2) SEQ^r E3",
        "RSEP-QL (11)",
        rsepql("SEQR", chain, consume="RECENT"), "=",
        rsepql("SEQR", chain, consume="RECENT", rivals="any"), True, RIVALS,
        "the second SEQ^r takes the last of the first one's events in either case", most=4,
    )
    yield Claim(
        "rivals-three-right",
        "rivals=same = rivals=any, evaluated at every arrival, E1 SEQ^r (E2 SEQ^r E3)",
        "RSEP-QL (11)",
        rsepql("SEQR", chain, consume="RECENT", to_the_right=True), "=",
        rsepql("SEQR", chain, consume="RECENT", rivals="any", to_the_right=True), False, RIVALS,
        "rivals that end at one instant begin at several, and ≺ compares beginnings", most=4,
    )
    yield Claim(
        "unrestricted-any-three", "unrestricted = skip-till-any, three steps",
        "SPAseq Def. 10, RSEP-QL (7)",
        distinct(rsepql("SEQ", chain, report="ISTREAM")), "=", distinct(spaseq(":", chain)),
        True, CHAIN_EVENTS, "both return every triple of events in order", most=4,
    )
    yield Claim(
        "unrestricted-any-merged", "unrestricted = skip-till-any under ties=merge, with ties",
        "SPAseq Def. 10, RSEP-QL (7)",
        distinct(rsepql("SEQ", free, report="ISTREAM")), "=",
        distinct(spaseq(":", free, ties="merge")), True, FREE_EVENTS,
        "patterns of one triple: the union of two graphs has no other match",
        times="ties",
    )
    yield Claim(
        "unrestricted-any-ties", "unrestricted = skip-till-any under ties=sequence, with ties",
        "SPAseq Def. 10, RSEP-QL (7)",
        distinct(rsepql("SEQ", free, report="ISTREAM")), "=", spaseq(":", free, ties="sequence"),
        False, FREE_EVENTS, "(τ, 0) is before (τ, 1) there, and not in RSEP-QL", times="ties",
    )
    yield Claim(
        "seq-ep-cqels-three", "SEQ of EP-SPARQL = SEQ of CQELS-CEP, three steps, as sets",
        "EP-SPARQL 4.2, CQELS-CEP 4.2",
        distinct(epsparql(chain)), "=", distinct(cqels(chain)), True, CHAIN_EVENTS,
        "to which side it associates does not matter", most=4,
    )
    yield Claim(
        "seq-ep-cqels-three-bags", "SEQ of EP-SPARQL = SEQ of CQELS-CEP, three steps, as bags",
        "EP-SPARQL 4.2, CQELS-CEP 4.2",
        epsparql(chain), "=", cqels(chain), False, CHAIN_EVENTS,
        "a set of mappings with intervals does not count the events in the middle", most=4,
    )
    yield Claim(
        "seq-ep-cqels-intervals", "SEQ of EP-SPARQL = SEQ of CQELS-CEP, on intervals, as sets",
        "EP-SPARQL 4.2, CQELS-CEP 4.2",
        distinct(epsparql(joined)), "=", distinct(cqels(joined)), True, JOINED_EVENTS[:3],
        "t2 < t3 in both", times="intervals",
    )
    yield Claim(
        "seq-ep-cqels-intervals-bags", "SEQ of EP-SPARQL = SEQ of CQELS-CEP, on intervals, as bags",
        "EP-SPARQL 4.2, CQELS-CEP 4.2",
        epsparql(joined), "=", cqels(joined), False, JOINED_EVENTS[:3],
        "two events of one beginning span the same with what follows", times="intervals",
    )
    yield Claim(
        "seq-ep-cqels-clipped", "SEQ of EP-SPARQL = SEQ of CQELS-CEP in a window of 1",
        "EP-SPARQL 4.2, CQELS-CEP 4.1",
        distinct(epsparql(joined)), "=", distinct(cqels(joined, window=1, every_arrival=True)),
        False, JOINED_EVENTS, "a window that is shorter than the stream forgets",
    )
    yield Claim(
        "seq-cqels-rsepql-three", "SEQ of CQELS-CEP = SEQ of RSEP-QL, three steps, as sets",
        "CQELS-CEP 4.2, RSEP-QL (7)",
        distinct(solutions_by_the_end(cqels(chain))), "=",
        distinct(rsepql("SEQ", chain, every_arrival=False)), True, CHAIN_EVENTS,
        "likewise", most=4,
    )
    yield Claim(
        "join", "Join of EP-SPARQL = JOIN of CQELS-CEP", "EP-SPARQL 4.2, CQELS-CEP 4.2",
        distinct(epsparql(joined, "")), "=", cqels_join(joined), False, JOINED_EVENTS,
        "the one spans both intervals, the other is their intersection",
    )


CLAIMS = tuple(claims())
"""Every claim; docs/relations.md is made from them."""
