"""Detection of CQELS-CEP queries by their text; it imports nothing else of the language."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"#[^\n]*(?=\n|$)")
_WINDOW = re.compile(r"\bFROM\s+NAMED\s+WINDOW\b|\bWINDOW\s+\S+\s+ON\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\bMATCH\s*\{|\bEVENT\b|\bFROM\s+STREAM\b|\bSTEP\b|\bCONSUME\b|\bBETWEEN\b"
    r"|\[\s*(ELEMENTS|FROM)\b|\bSEQ[NCR]\b",
    re.IGNORECASE,
)
_AXIS = re.compile(r"\b(?:self|next|edge|node)(?:\^?-1)?::", re.IGNORECASE)
_OWN = re.compile(r"\bSEQ\s*\(|\[\s*(?:NOW|TRIPLES)\b", re.IGNORECASE)
_R2S = re.compile(r"\bREGISTER\b|\b[RID]STREAM\b", re.IGNORECASE)
# RSEP-QL's identity window, unless _OWN
_ALL = re.compile(r"\[\s*ALL\s*\]", re.IGNORECASE)


def is_query(text: str) -> bool:
    """Return True if a query text looks like one of this language."""
    bare = _COMMENT.sub("", text)
    if _OTHERS.search(bare) is not None:
        return False
    if _AXIS.search(bare) is not None:
        return True
    if _R2S.search(bare) is not None and _OWN.search(bare) is None:
        return False
    if _WINDOW.search(bare) is None:
        return False
    return _ALL.search(bare) is None or _OWN.search(bare) is not None
