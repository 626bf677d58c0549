"""The regular expressions of LIKE."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache


@lru_cache(maxsize=256)
def regular_expression(pattern: str) -> re.Pattern[str]:
    """What a LIKE looks for. Raises re.error for what is no regular expression."""
    with warnings.catch_warnings():  # of what future versions of Python may take for a nested set
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern)
