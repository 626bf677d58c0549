"""Numbers of examples, which the profile scales; see README.md."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

FRACTIONS = {"ci": 0.25}
"""The fraction of a property's examples that a profile asks for; other profiles ask for all."""
MIN_EXAMPLES = 10


def count(number: int) -> int:
    """Return the number of examples under the profile in use, of `number` under `thorough`."""
    fraction = FRACTIONS.get(settings.get_current_profile_name(), 1.0)
    return max(min(number, MIN_EXAMPLES), round(number * fraction))


def examples(number: int, **others: Any) -> settings:
    """Return settings with `number` examples under `thorough`, and fewer under `ci`."""
    return settings(max_examples=count(number), **others)
