"""The readings of SPAseq: where the paper is silent or contradicts itself, a choice with a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from ..errors import ReadingError

Ties = Literal["error", "merge", "sequence"]
Kleene = Literal["last", "join", "collect"]
Window = Literal["tumbling", "tumbling-half-open", "match", "sliding"]
NegationReading = Literal["event", "absence"]


@dataclass(frozen=True, slots=True)
class Readings:
    """One value for each named choice; the defaults are the definitions' own.

    `ties`: a second graph at one timestamp of one stream is an `error` (Def. 2), is `merge`d with
    the first, or follows it in `sequence` as (τ, k).
    `kleene`: the result of P+ carries the `last` iteration's values, all iterations `join`, or
    values are `collect`ed into lists.
    `window`: `tumbling` (Def. 16, closed at both ends), `tumbling-half-open`, `match` (a match
    spans at most ω), `sliding` (a window every β of the SLIDE clause).
    `negation`: (u, P)! is an `event` of u on which P has no match, or the `absence` of a
    compatible match strictly between its neighbours.
    """

    ties: Ties = "error"
    kleene: Kleene = "last"
    window: Window = "tumbling"
    negation: NegationReading = "event"

    @classmethod
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Every reading's name with its values, the default first."""
        hints = get_type_hints(cls)
        return {f.name: get_args(hints[f.name]) for f in fields(cls)}

    @classmethod
    def of(cls, named: Mapping[str, object]) -> Readings:
        """The readings with these names and values; an unknown one is a clear error.

        >>> Readings.of({"kleene": "join"}).kleene
        'join'
        """
        choices = cls.choices()
        for name, value in named.items():
            if name not in choices:
                raise ReadingError(
                    f"SPAseq has no reading '{name}' (it has: {', '.join(choices)})"
                )
            if value not in choices[name]:
                raise ReadingError(
                    f"reading '{name}' has no value '{value}' (it has: {', '.join(choices[name])})"
                )
        return cls(**named)  # type: ignore[arg-type]
