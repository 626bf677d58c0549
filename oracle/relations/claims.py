"""The claims: what papers and this project say about how the languages relate, with both sides.

A claim that holds is tested on random streams and on all small ones; of one that fails, the
smallest stream on which it does is looked for (see search.py). All queries are sequences of two
event patterns over one stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...semantics.rdf.syntax import Prologue
from ...semantics.rdf.terms import Graph
from ...semantics.streams.graphs import parse_graph
from .policies import by_timestamps, consuming
from .rows import Answering, Asked, Events, differ, distinct, solutions_by_the_end

PREFIX = "PREFIX : <http://example.org/>\n"
PROLOGUE = Prologue(prefixes=(("", "http://example.org/"),))
JOINED = ("?x :p ?y", "?y :q ?z")
"""Two patterns that share a variable."""

MOST_EVENTS = 3
"""All streams with so many events are tried."""

FREE = ("?a :is :A", "?b :is :B")
"""Two patterns that share none."""


def graphs(*texts: str) -> tuple[Graph, ...]:
    """Graphs of these Turtle texts."""
    return tuple(parse_graph(text, {"": "http://example.org/"}) for text in texts)


JOINED_EVENTS = graphs(
    ":a1 :p :b1 .", ":b1 :q :c1 .", ":a2 :p :b1 .", ":b1 :q :c2 .", ":b2 :q :c1 .", ":a2 :p :b2 .",
    ":x :r :x .", ":a1 :p :b1 . :b1 :q :c1 .",
)
FREE_EVENTS = graphs(":e1 :is :A .", ":e2 :is :A .", ":e3 :is :B .", ":e4 :is :B .", ":e5 :is :X .")

# --- the queries ---------------------------------------------------------------------------------


def spaseq(operator: str, patterns: Sequence[str]) -> Asked:
    """SEQ(A • B)"""
    first, second = patterns
    return Asked("spaseq", (
        f"{PREFIX}SELECT * WITHIN 1000 FROM STREAM S <http://example.org/s>\n"
        f"WHERE {{ SEQ(A {operator} B)\n"
        f"  DEFINE GPM A ON S {{ {first} }}\n  DEFINE GPM B ON S {{ {second} }} }}"
    ))


def rsepql(
    operator: str, patterns: Sequence[str], *, consume: str = "", rivals: str = "same",
    every_arrival: bool = True, report: str = "RSTREAM",
) -> Asked:
    """MATCH { E1 SEQ E2 } over a landmark window"""
    first, second = patterns
    return Asked("rsepql", (
        f"{PREFIX}REGISTER {report} :out AS SELECT *\n"
        f"FROM NAMED WINDOW :w ON :s [FROM 0]\n"
        f"WHERE {{ MATCH {{ EVENT :w {{ {first} }} {operator} EVENT :w {{ {second} }} }} }}"
        f"{' CONSUME ' + consume if consume else ''}"
    ), {"rivals": rivals}, every_arrival)


def epsparql(
    patterns: Sequence[str], operator: str = "SEQ", *, policy: str = "unrestricted"
) -> Asked:
    """{ P1 } SEQ { P2 }"""
    first, second = patterns
    text = f"{PREFIX}SELECT * WHERE {{ {{ {first} }} {operator} {{ {second} }} }}"
    return Asked("epsparql", text, {} if policy == "unrestricted" else {"policy": policy})


def cqels(patterns: Sequence[str]) -> Asked:
    """SEQ({P1}, {P2}) inside one window"""
    first, second = patterns
    return Asked("cqels", (
        f"{PREFIX}SELECT * FROM NAMED WINDOW :W ON :s [RANGE 1000]\n"
        f"WHERE {{ WINDOW :W {{ SEQ({{ {first} }}, {{ {second} }}) }} }}"
    ))


def cqels_join(patterns: Sequence[str]) -> Asked:
    """Two windows beside one another: JOIN"""
    first, second = patterns
    return Asked("cqels", (
        f"{PREFIX}SELECT * FROM NAMED WINDOW :W1 ON :s [RANGE 1000]\n"
        f"FROM NAMED WINDOW :W2 ON :s [RANGE 1000]\n"
        f"WHERE {{ WINDOW :W1 {{ {first} }} WINDOW :W2 {{ {second} }} }}"
    ))


def bodies(patterns: Sequence[str]) -> tuple[str, str]:
    """The two patterns as groups."""
    first, second = patterns
    return f"{{ {first} }}", f"{{ {second} }}"


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
    sides: tuple[str, str] = ("", "")  # what the two are called, where `says` does not tell
    case: str = ""  # of the corpus, where it fails
    ties: bool = False  # several graphs may come at one instant

    @property
    def left_is(self) -> str:
        """What stands before the sign."""
        return self.sides[0] or _parted(self.says)[0]

    @property
    def right_is(self) -> str:
        """What stands after it."""
        return self.sides[1] or _parted(self.says)[1]

    def fails(self, stream: Events) -> bool:
        """Whether the claim is false on this stream."""
        only_left, only_right = differ(self.left(stream), self.right(stream))
        return bool(only_left) or (self.relation == "=" and bool(only_right))


def _parted(says: str) -> tuple[str, str]:
    left, _, right = says.replace(" ⊆ ", " = ").partition(" = ")
    return left, right


_TABLE = "RSEP-QL Table 1"
_POLICIES = "SPAseq Section 3"
_SPREAD = ("?x :p ?y . ?y :q ?z", "?z :r ?u")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "unrestricted", "EP-SPARQL unrestricted = landmark window + SEQ", f"{_TABLE}, row 1",
        solutions_by_the_end(epsparql(JOINED)), "=", rsepql("SEQ", JOINED, every_arrival=False),
        True, JOINED_EVENTS,
        "patterns of one triple: SeqJoin and (7) ask for the same two instants", ties=True,
    ),
    Claim(
        "unrestricted-graphs",
        "EP-SPARQL unrestricted = landmark window + SEQ, of patterns of several triples",
        f"{_TABLE}, row 1",
        solutions_by_the_end(epsparql(_SPREAD)), "=", rsepql("SEQ", _SPREAD, every_arrival=False),
        False, graphs(":a :p :b .", ":b :q :c .", ":c :r :d .", ":a :p :b . :b :q :c ."),
        "EP-SPARQL joins occurrences of triples at any times, EVENT looks at one graph at a time",
    ),
    Claim(
        "chronological", "EP-SPARQL chronological = landmark window + SEQ^c + 𝒫^c",
        f"{_TABLE}, row 2",
        consuming(*bodies(JOINED), PROLOGUE, "earliest"), "=",
        distinct(rsepql("SEQC", JOINED, consume="CHRONOLOGICAL")),
        True, JOINED_EVENTS,
        "evaluated at every arrival: each event of E2 takes the earliest of E1 that waits",
        ties=True,
    ),
    Claim(
        "recent", "EP-SPARQL recent = landmark window + SEQ^r + 𝒫^r", f"{_TABLE}, row 3",
        consuming(*bodies(JOINED), PROLOGUE, "latest"), "=",
        distinct(rsepql("SEQR", JOINED, consume="RECENT")),
        True, JOINED_EVENTS,
        "evaluated at every arrival: each event of E2 takes the latest of E1 that waits", ties=True,
    ),
    Claim(
        "chronological-reading", "policy=chronological = what ETALIS is said to do",
        "EP-SPARQL, RSEP-QL Section 2",
        distinct(epsparql(JOINED, policy="chronological")), "=",
        consuming(*bodies(JOINED), PROLOGUE, "earliest"), True, JOINED_EVENTS,
        "the reading of EP-SPARQL goes by way of RSEP-QL, the model does not", ties=True,
    ),
    Claim(
        "recent-reading", "policy=recent = what ETALIS is said to do",
        "EP-SPARQL, RSEP-QL Section 2",
        distinct(epsparql(JOINED, policy="recent")), "=",
        consuming(*bodies(JOINED), PROLOGUE, "latest"), True, JOINED_EVENTS,
        "likewise", ties=True,
    ),
    Claim(
        "rivals-at-every-arrival", "rivals=same = rivals=any, evaluated at every arrival",
        "RSEP-QL (11)",
        rsepql("SEQR", JOINED, consume="RECENT"), "=",
        rsepql("SEQR", JOINED, consume="RECENT", rivals="any"),
        True, JOINED_EVENTS,
        "what has a partner is consumed at once, so that all rivals are of one instant", ties=True,
    ),
    Claim(
        "rivals", "rivals=same = rivals=any, evaluated once", "RSEP-QL Section 2 and (11): RSE-1",
        rsepql("SEQR", JOINED, every_arrival=False), "=",
        rsepql("SEQR", JOINED, every_arrival=False, rivals="any"),
        False, JOINED_EVENTS,
        "the last event of E2 shuts out those with other mappings, or it does not",
        case="rsepql/RSE-1-smallest-same",
    ),
    Claim(
        "timestamps-some", "SEQ^n ⊆ C-SPARQL's timestamp() of the solution's triples",
        f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", JOINED, every_arrival=False)), "⊆",
        by_timestamps(*bodies(JOINED), PROLOGUE, "solution"), True, JOINED_EVENTS,
        "the last of all is the last of those with its own mapping", ties=True,
    ),
    Claim(
        "timestamps-of-patterns-some",
        "SEQ^n ⊆ C-SPARQL's timestamp() of whatever matches the pattern", f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", JOINED, every_arrival=False)), "⊆",
        by_timestamps(*bodies(JOINED), PROLOGUE, "pattern"), True, JOINED_EVENTS,
        "the two latest times are those of (9)", ties=True,
    ),
    Claim(
        "timestamps", "SEQ^n = C-SPARQL's timestamp() of the solution's triples",
        f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", JOINED, every_arrival=False)), "=",
        by_timestamps(*bodies(JOINED), PROLOGUE, "solution"), False, JOINED_EVENTS,
        "(9) keeps the last events of each pattern only, the idiom those of each mapping",
    ),
    Claim(
        "timestamps-of-patterns", "SEQ^n = C-SPARQL's timestamp() of whatever matches the pattern",
        f"{_TABLE}, row 4",
        distinct(rsepql("SEQN", JOINED, every_arrival=False)), "=",
        by_timestamps(*bodies(JOINED), PROLOGUE, "pattern"), False, JOINED_EVENTS,
        "the idiom keeps every solution of the snapshot once the two latest times are in order",
    ),
    Claim(
        "recent-strict", "recent = strict contiguity", f"{_POLICIES}: SPA-14",
        rsepql("SEQR", FREE, consume="RECENT"), "=", spaseq(",", FREE), False, FREE_EVENTS,
        "what lies between the two events may be irrelevant to recent", case="spaseq/SPA-14-recent",
    ),
    Claim(
        "chronological-next", "chronological = skip-till-next", f"{_POLICIES}: SPA-14",
        rsepql("SEQC", FREE, consume="CHRONOLOGICAL"), "=", spaseq(";", FREE), False, FREE_EVENTS,
        "chronological consumes, skip-till-next answers from every beginning",
        case="spaseq/SPA-14-chronological",
    ),
    Claim(
        "unrestricted-next", "unrestricted = skip-till-next", f"{_POLICIES}: SPA-14",
        distinct(rsepql("SEQ", FREE, report="ISTREAM")), "=", spaseq(";", FREE), False,
        FREE_EVENTS,
        "skip-till-next stops at the first event that fits", case="spaseq/SPA-14-unrestricted",
    ),
    Claim(
        "unrestricted-any", "unrestricted = skip-till-any", "SPAseq Def. 10, RSEP-QL (7)",
        distinct(rsepql("SEQ", FREE, report="ISTREAM")), "=", spaseq(":", FREE), True, FREE_EVENTS,
        "both return every pair in order",
    ),
    Claim(
        "recent-any", "recent ⊆ skip-till-any", "SPAseq Def. 10, RSEP-QL (11)",
        distinct(rsepql("SEQR", JOINED, consume="RECENT")), "⊆", spaseq(":", JOINED), True,
        JOINED_EVENTS, "policies select among all pairs",
    ),
    Claim(
        "seq-ep-cqels", "SEQ of EP-SPARQL = SEQ of CQELS-CEP", "EP-SPARQL 4.2, CQELS-CEP 4.2",
        epsparql(JOINED), "=", cqels(JOINED), True, JOINED_EVENTS,
        "patterns of one triple on point events: t2 < t3 in both, once an interval", ties=True,
    ),
    Claim(
        "seq-cqels-rsepql", "SEQ of CQELS-CEP = SEQ of RSEP-QL", "CQELS-CEP 4.2, RSEP-QL (7)",
        distinct(solutions_by_the_end(cqels(_SPREAD))), "=",
        distinct(rsepql("SEQ", _SPREAD, every_arrival=False)), True,
        graphs(":a :p :b .", ":b :q :c .", ":c :r :d .", ":a :p :b . :b :q :c .",
               ":a :p :b . :b :q :c . :c :r :d ."),
        "both match one item at a time, whatever its triples", ties=True,
    ),
    Claim(
        "seq-bags", "SEQ of CQELS-CEP = SEQ of RSEP-QL, as bags", "CQELS-CEP 4.2, RSEP-QL (8)",
        distinct(solutions_by_the_end(cqels(JOINED))), "=",
        rsepql("SEQ", JOINED, every_arrival=False), False, JOINED_EVENTS,
        "MATCH forgets the interval and counts, a set of answers does not",
    ),
    Claim(
        "join", "Join of EP-SPARQL = JOIN of CQELS-CEP", "EP-SPARQL 4.2, CQELS-CEP 4.2",
        distinct(epsparql(JOINED, "")), "=", cqels_join(JOINED), False, JOINED_EVENTS,
        "the one spans both intervals, the other is their intersection",
    ),
)
"""Every claim; docs/relations.md is made from them."""
