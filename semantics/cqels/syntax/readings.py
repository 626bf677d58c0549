"""The readings of CQELS-CEP: where the paper leaves a choice, it has a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...model.readings import NamedChoices

Inside = Literal["closed", "open"]


@dataclass(frozen=True, slots=True)
class Readings(NamedChoices):
    """One value for each named choice; the default is the definition's own.

    `inside`: what SEQ_WO(Ω1, Ω2, Ω3) does not allow is an interval [t3, t4] of Ω2 with
    [t3, t4] ⊆ [t2, t5] (`closed`: it may touch the events around it), or one strictly between,
    t2 < t3 and t4 < t5 (`open`).
    """

    language: ClassVar[str] = "CQELS-CEP"

    inside: Inside = "closed"
