"""The base of the readings of all languages: names, and a few values for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, Final, Self, get_args, get_type_hints

from .errors import ReadingError, nearest

PRESET: Final = "preset"
"""The name under which a preset stands among readings."""
LETTER: Final = "letter"
"""The preset of the values under which a paper is evaluated as it is printed."""


@dataclass(frozen=True, slots=True)
class NamedChoices:
    """One value for each named choice; a field is a choice, its `Literal` type the values.

    >>> from denota.semantics.spaseq.syntax.readings import Readings
    >>> Readings.of({"kleene": "join"}).kleene
    'join'
    """

    language: ClassVar[str]
    letter: ClassVar[Mapping[str, str]] = {}
    """The values that differ from the defaults if the paper is evaluated as it is printed."""

    @classmethod
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Return every reading's name with its values, the default first."""
        own: Any = cls
        return dict(_choices(own))

    @classmethod
    def named(cls, given: str | Mapping[str, object]) -> dict[str, object]:
        """Return readings by name, with those of a preset.

        Args:
            given: the preset, or readings by name, of which `preset` names one; the others
                override it.

        Raises:
            ReadingError: for a preset that does not exist.
        """
        own: dict[str, object] = {}
        own.update({PRESET: given} if isinstance(given, str) else given)
        preset = own.pop(PRESET, None)
        if preset is None:
            return own
        if preset != LETTER:
            raise ReadingError(
                f"there is no preset '{preset}' of readings{nearest(str(preset), [LETTER])}"
                f" (there is: {LETTER})"
            )
        return {**cls.letter, **own}

    @classmethod
    def of(cls, given: str | Mapping[str, object]) -> Self:
        """Return the readings with these names and values, or those of a preset (`named`).

        Raises `ReadingError`, which says what there is, for one that the language does not have.
        """
        choices, named = cls.choices(), cls.named(given)
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
