"""The readings of EP-SPARQL: where the paper is silent or contradicts itself, named choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from ...model.readings import NamedChoices

LeftJoinReading = Literal["default", "paper", "closed"]
OptionalFilter = Literal["group", "paper"]
Occurrences = Literal["some", "each"]
Multiplicity = Literal["bags", "sets"]
Background = Literal["everywhere", "named"]
EntailmentReading = Literal["rdfs", "none"]
Policy = Literal["unrestricted", "chronological", "recent"]
SeqOptional = Literal["refused", "hypothetical"]


@dataclass(frozen=True, slots=True)
class Readings(NamedChoices):
    """One value for each named choice; the defaults are those of the definitions as settled.

    `leftjoin`: OPTIONAL is SPARQL's (`default`), keeps section 4.2's stray condition, which lets
    only what ends before the mandatory part join (`paper`), or lets join what ends no later than
    that (`closed`: both downward compatible and timewise monotone).
    `optionalfilter`: getDURATION() and its like in a FILTER of an optional group read the interval
    of that `group`, or what the formulas of LeftJoin and SeqRightJoin write there (`paper`).
    `occurrences`: a basic graph pattern has a solution over an interval once if `some` choice of
    occurrences has it, or once for `each` choice.
    `solutions`: what stands before a projection is a bag, as in SPARQL (`bags`), or the set of
    solutions that section 4.2 speaks of (`sets`).
    `background`: triples of background graphs match `everywhere`, without time, or only inside
    GRAPH (`named`).
    `entailment`: what occurs and what the background says are taken with what they entail by the
    background's schema (`rdfs`), or as they are (`none`).
    `policy`: the detection policies of ETALIS, by way of RSEP-QL's Table 1.
    `seqoptional`: the operator SEQOPTIONAL of query (7) is `refused`, or means what its name says
    (`hypothetical`).
    """

    language: ClassVar[str] = "EP-SPARQL"
    letter: ClassVar[Mapping[str, str]] = {
        "leftjoin": "paper", "optionalfilter": "paper", "solutions": "sets",
    }

    leftjoin: LeftJoinReading = "default"
    optionalfilter: OptionalFilter = "group"
    occurrences: Occurrences = "some"
    solutions: Multiplicity = "bags"
    background: Background = "everywhere"
    entailment: EntailmentReading = "rdfs"
    policy: Policy = "unrestricted"
    seqoptional: SeqOptional = "refused"
