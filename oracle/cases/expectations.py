"""What is expected of a case: results, or a clear error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..judging.levels import Level


@dataclass(frozen=True, slots=True)
class ExpectedResults:
    """Results, or result objects in which what is left out is open, compared at `level`."""

    results: Sequence[Any]
    level: Level = "pair"
    partial: bool = True


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """A clear error: one whose text matches `pattern`, or, the oracle having one, any.

    `pattern` is a regular expression, or None where `message` is the oracle's own (an engine may
    word it in its own way).
    """

    pattern: str | None
    message: str = ""


Expectation: TypeAlias = ExpectedResults | ExpectedError
