"""Numbers of examples, which the profile scales; see README.md."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

MIN_EXAMPLES = 10
THOROUGH = 100
"""The examples of a property that names no number, under `thorough`."""


def count(number: int, *, least: int = MIN_EXAMPLES) -> int:
    """Return the number of examples under the profile in use, of `number` under `thorough`."""
    profile = settings.get_profile(settings.get_current_profile_name())
    return max(min(number, least), min(number, number * profile.max_examples // THOROUGH))


def examples(number: int, *, least: int = MIN_EXAMPLES, **others: Any) -> settings:
    """Return settings with `number` examples under `thorough`, and fewer under `ci`.

    There are at least `least`: as many as find the faults that are known to be made there.
    """
    return settings(max_examples=count(number, least=least), **others)
