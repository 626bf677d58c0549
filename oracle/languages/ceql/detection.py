"""Detection of CEQL queries by their text; it imports nothing else of the language."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LOOKS = re.compile(
    r"""\A\s*(?:CREATE|DECLARE)\s+STREAM\b
    | \A\s*CHECK\s*\{
    | \A\s*SELECT\b[^{}?:<]*?\bWHERE\b(?!\s*\{)
    | \A\s*SELECT\b[^{}?:<]*?\bFROM\s+(?!STREAM\b|NAMED\b)(?:\w+|`[^`]*`)(?![\w:])""",
    re.IGNORECASE | re.VERBOSE,
)


def is_query(text: str) -> bool:
    """Return True if a query text looks like one of this language."""
    return _LOOKS.search(_COMMENT.sub(" ", text)) is not None
