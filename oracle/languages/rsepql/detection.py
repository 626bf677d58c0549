"""Detection of RSEP-QL queries by their text; it imports nothing else of the language."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"#[^\n]*")
_LOOKS = re.compile(
    r"\bMATCH\s*[{(]|\bMATCH\s+(?:EVENT|FIRST|LAST)\b|\bEVENT\s+\S+\s*\{|\bREGISTER\b|\bCONSUME\b"
    r"|\bFROM\s+WINDOW\b"
    r"|\[\s*(?:RANGE\b[^\]{}]*\b(?:STEP|BOUNDS|START)\b|FROM\b|BETWEEN\b|ALL\s*\]|ELEMENTS\b)",
    re.IGNORECASE,
)
_DIALECT = re.compile(  # the windows of C-SPARQL, SPARQLstream and CQELS
    r"(?<!ON )\b(?:FROM\s+(?:NAMED\s+)?)?STREAM\s+(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)\s*\[",
    re.IGNORECASE,
)
_OTHER = re.compile(  # CQELS-CEP's; the last is CEQL's: its patterns stand in no braces
    r"\b(?:SEQ|SEQ_WO|NO_HEAD|NO_TAIL)\s*\(\s*(?:[!{<?$\[]|[\w.-]*:)"
    r"|\[\s*(?:NOW|TRIPLES)\b|\b(?:self|next|edge|node)(?:\^?-1)?::"
    r"|\bWHERE\b(?!\s*\{)",
    re.IGNORECASE,
)


_RANGE = re.compile(r"\bFROM\s+NAMED\s+WINDOW\b[^\[{]*\[\s*RANGE\b", re.IGNORECASE)


def could_be(text: str) -> bool:
    """Return True if a text that looks like another language's may be one of this language."""
    text = _COMMENT.sub("", text)
    return _RANGE.search(text) is not None and _OTHER.search(text) is None


def is_query(text: str) -> bool:
    """Return True if a query text looks like one of this language."""
    text = _COMMENT.sub("", text)
    if _DIALECT.search(text):
        return True
    return _LOOKS.search(text) is not None and _OTHER.search(text) is None
