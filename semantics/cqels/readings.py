"""The readings of CQELS-CEP: where the paper leaves a choice, it has a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from ..errors import ReadingError

Inside = Literal["closed", "open"]


@dataclass(frozen=True, slots=True)
class Readings:
    """One value for each named choice; the default is the definition's own.

    `inside`: what SEQ_WO(Ω1, Ω2, Ω3) does not allow is an interval [t3, t4] of Ω2 with
    [t3, t4] ⊆ [t2, t5] (`closed`: it may touch the events around it), or one strictly between,
    t2 < t3 and t4 < t5 (`open`).
    """

    inside: Inside = "closed"

    @classmethod
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Every reading's name with its values, the default first."""
        hints = get_type_hints(cls)
        return {f.name: get_args(hints[f.name]) for f in fields(cls)}

    @classmethod
    def of(cls, named: Mapping[str, object]) -> Readings:
        """The readings with these names and values; an unknown one is a clear error.

        >>> Readings.of({"inside": "open"}).inside
        'open'
        """
        choices = cls.choices()
        for name, value in named.items():
            if name not in choices:
                raise ReadingError(
                    f"CQELS-CEP has no reading '{name}' (it has: {', '.join(choices)})"
                )
            if value not in choices[name]:
                raise ReadingError(
                    f"reading '{name}' has no value '{value}' (it has: {', '.join(choices[name])})"
                )
        return cls(**named)  # type: ignore[arg-type]
