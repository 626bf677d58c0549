"""The readings of RSEP-QL: what the paper leaves open or contradicts, as choices with names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from ..errors import ReadingError

Rivals = Literal["same", "any"]
Consumption = Literal["occurrence", "triple"]
Order = Literal["end-start", "start-end", "end", "start", "before"]


@dataclass(frozen=True, slots=True)
class Readings:
    """One value for each named choice.

    `rivals`: SEQ^c and SEQ^r choose the first and last event of E2 among those that carry the
    `same` mapping, or among `any` (the literal sentence of section 4.3).
    `consumption`: what is consumed is an `occurrence` (a triple at its time), or a `triple`
    (Defs. 8 and 9, taken literally: a triple that arrives again while it is in the window is not
    new).
    `order`: ≺, by which FIRST, LAST and the sequence operators choose: by `end-start` (the end,
    then the start), by `start-end`, by the `end` alone, by the `start` alone, or [t1, t2] ≺
    [t3, t4] iff the one lies `before` the other (t2 < t3).
    """

    rivals: Rivals = "same"
    consumption: Consumption = "occurrence"
    order: Order = "end-start"

    @classmethod
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Every reading's name with its values, the default first."""
        hints = get_type_hints(cls)
        return {f.name: get_args(hints[f.name]) for f in fields(cls)}

    @classmethod
    def of(cls, named: Mapping[str, object]) -> Readings:
        """The readings with these names and values; an unknown one is a clear error.

        >>> Readings.of({"rivals": "any"}).rivals
        'any'
        """
        choices = cls.choices()
        for name, value in named.items():
            if name not in choices:
                raise ReadingError(
                    f"RSEP-QL has no reading '{name}' (it has: {', '.join(choices)})"
                )
            if value not in choices[name]:
                raise ReadingError(
                    f"reading '{name}' has no value '{value}' (it has: {', '.join(choices[name])})"
                )
        return cls(**named)  # type: ignore[arg-type]
