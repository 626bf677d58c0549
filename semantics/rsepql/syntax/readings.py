"""The readings of RSEP-QL: what the paper leaves open or contradicts, as choices with names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from ...model.readings import NamedChoices

Rivals = Literal["same", "any"]
Consumption = Literal["occurrence", "triple"]
Order = Literal["end-start", "start-end", "end", "start", "before"]
Exists = Literal["restricted", "substituted"]


@dataclass(frozen=True, slots=True)
class Readings(NamedChoices):
    """One value for each named choice.

    `rivals`: SEQ^c and SEQ^r choose the first and last event of E2 among those that carry the
    `same` mapping, or among `any` (the literal sentence of section 4.3).
    `consumption`: what is consumed is an `occurrence` (a triple at its time), or a `triple`
    (Defs. 8 and 9, taken literally: a triple that arrives again while it is in the window is not
    new).
    `order`: ≺, by which FIRST, LAST and the sequence operators choose: by `end-start` (the end,
    then the start), by `start-end`, by the `end` alone, by the `start` alone, or [t1, t2] ≺
    [t3, t4] iff the one lies `before` the other (t2 < t3).
    `exists`: within EXISTS, and in an event, what is bound outside is a variable that is
    `restricted` to its value, or the value is `substituted` for it (SPARQL 1.1 Query, 18.6): a path
    of no length then leads from it to itself, even if it is no node of the graph.
    """

    language: ClassVar[str] = "RSEP-QL"
    letter: ClassVar[Mapping[str, str]] = {
        "rivals": "any", "consumption": "triple", "exists": "substituted",
    }

    rivals: Rivals = "same"
    consumption: Consumption = "occurrence"
    order: Order = "end-start"
    exists: Exists = "restricted"
