"""Readings of any language by their names."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any, ClassVar, Protocol


class Readings(Protocol):
    """The readings of a language: a dataclass whose fields have defaults."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def non_default(readings: Readings) -> dict[str, str]:
    """Return names and values of those that are not the default.

    >>> from denota.semantics.cqels.syntax.readings import Readings
    >>> non_default(Readings(inside="open")), non_default(Readings())
    ({'inside': 'open'}, {})
    """
    default = type(readings)()
    return {
        each.name: getattr(readings, each.name)
        for each in fields(readings)
        if getattr(readings, each.name) != getattr(default, each.name)
    }


def reading_features(readings: Readings) -> frozenset[str]:
    """Return `name=value` for each reading that is not the default."""
    return frozenset(f"{name}={value}" for name, value in non_default(readings).items())
