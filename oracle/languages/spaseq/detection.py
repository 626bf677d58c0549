"""Detection of SPAseq queries by their text; it imports nothing else of the language."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"#[^\n]*")
_LOOKS = re.compile(
    r"\bDEFINE\s+GPM\b|\bFROM\s+STREAM\s+\w+\s+(<[^>]*>|[\w.-]*:)|\bWHERE\s*\{\s*SEQ\s*\(",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\bWINDOW\s+(?:<[^<>\s]*>|[\w.-]*:)", re.IGNORECASE)


def is_query(text: str) -> bool:
    """Return True if a query text looks like one of this language."""
    bare = _COMMENT.sub("", text)
    return _LOOKS.search(bare) is not None and _OTHERS.search(bare) is None
