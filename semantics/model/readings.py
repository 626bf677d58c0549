"""What the readings of all languages have in common: names, and a few values for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, Self, get_args, get_type_hints

from .errors import ReadingError
from .nearest import nearest


@dataclass(frozen=True, slots=True)
class NamedChoices:
    """One value for each named choice; a field is a choice, its `Literal` type the values.

    >>> from denota.semantics.spaseq.syntax.readings import Readings
    >>> Readings.of({"kleene": "join"}).kleene
    'join'
    """

    language: ClassVar[str]

    @classmethod
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Every reading's name with its values, the default first."""
        own: Any = cls
        return dict(_choices(own))

    @classmethod
    def of(cls, named: Mapping[str, object]) -> Self:
        """The readings with these names and values.

        Raises `ReadingError`, which says what there is, for one that the language does not have.
        """
        choices = cls.choices()
        for name, value in named.items():
            if name not in choices:
                raise ReadingError(
                    f"{cls.language} has no reading '{name}'{nearest(name, choices)}"
                    f" (it has: {', '.join(choices)})"
                )
            if value not in choices[name]:
                raise ReadingError(
                    f"reading '{name}' has no value '{value}'{nearest(str(value), choices[name])}"
                    f" (it has: {', '.join(choices[name])})"
                )
        return cls(**named)


@cache
def _choices(cls: Any) -> dict[str, tuple[str, ...]]:
    hints = get_type_hints(cls)
    return {f.name: get_args(hints[f.name]) for f in fields(cls)}
