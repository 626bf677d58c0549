"""How SPAseq queries look. To tell a query's language nothing else of it is loaded."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"#[^\n]*")
_LOOKS = re.compile(
    r"\bDEFINE\s+GPM\b|\bFROM\s+STREAM\s+\w+\s+(<[^>]*>|[\w.-]*:)|\bWHERE\s*\{\s*SEQ\s*\(",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\bWINDOW\s+(?:<[^<>\s]*>|[\w.-]*:)", re.IGNORECASE)


def looks_like(text: str) -> bool:
    """Whether a query text looks like one of this language."""
    bare = _COMMENT.sub("", text)
    return _LOOKS.search(bare) is not None and _OTHERS.search(bare) is None
