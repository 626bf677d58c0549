"""How CEQL queries look. To tell a query's language nothing else of it is loaded."""

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


def looks_like(text: str) -> bool:
    """Whether a query text looks like one of this language."""
    return _LOOKS.search(_COMMENT.sub(" ", text)) is not None
