"""Detection of EP-SPARQL queries by their text; it imports nothing else of the language."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"#[^\n<>]*(?=\n|$)")
_LOOKS = re.compile(
    r"\}\s*(?:SEQ|EQUALS|OPTIONALSEQ|EQUALSOPTIONAL|SEQOPTIONAL)\s*\{"
    r"|\bGET(?:DURATION|STARTTIME|ENDTIME)\s*\(",
    re.IGNORECASE,
)
_RULE = re.compile(r"\bCONSTRUCT\b|\bFROM\s+STREAM\s+(?:<|[\w.-]*:)", re.IGNORECASE)
# Every SPARQL query is one of EP-SPARQL.
_SPARQL = re.compile(
    r"\bDESCRIBE\s+(?:[?$<]|[\w.-]*:)[^{}]*\Z"
    r"|\b(?:SELECT|ASK|DESCRIBE)\b[^{}]*"
    r"\{\s*(?:[?$<{\[]|_:|[\w.-]*:|\w+\s*\{|(?:VALUES|GRAPH|BIND)\b)",
    re.IGNORECASE,
)
_OTHERS = re.compile(  # the first is CEQL's: its patterns stand in no braces
    r"\bWHERE\b(?!\s*\{)|\bSTREAM\s+(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)\s*\["
    r"|\b(?:self|next|edge|node)(?:\^?-1)?::"
    r"|\bWITHIN\b|\bWINDOW\b|\bMATCH\s*\{|\bEVENT\b|\bREGISTER\b|\bDEFINE\b|\bSEQ\s*\(|\bCONSUME\b",
    re.IGNORECASE,
)


def is_query(text: str) -> bool:
    """Return True if a query text looks like one of this language."""
    bare = _COMMENT.sub("", text)
    if _OTHERS.search(bare) is not None:
        return False
    return any(each.search(bare) for each in (_LOOKS, _RULE, _SPARQL))
