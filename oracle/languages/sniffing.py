"""Which language a query's text is of, by how it looks: of no language more is loaded for that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

# --- SPAseq ---

_SPASEQ_COMMENT = re.compile(r"#[^\n]*")
_SPASEQ_LOOKS = re.compile(
    r"\bDEFINE\s+GPM\b|\bFROM\s+STREAM\s+\w+\s+(<[^>]*>|[\w.-]*:)|\bWHERE\s*\{\s*SEQ\s*\(",
    re.IGNORECASE,
)
_SPASEQ_OTHERS = re.compile(r"\bWINDOW\s+(?:<[^<>\s]*>|[\w.-]*:)", re.IGNORECASE)


def _is_spaseq(text: str) -> bool:
    bare = _SPASEQ_COMMENT.sub("", text)
    return _SPASEQ_LOOKS.search(bare) is not None and _SPASEQ_OTHERS.search(bare) is None


# --- RSEP-QL ---

_RSEPQL_COMMENT = re.compile(r"#[^\n]*")
_RSEPQL_LOOKS = re.compile(
    r"\bMATCH\s*[{(]|\bMATCH\s+(?:EVENT|FIRST|LAST)\b|\bEVENT\s+\S+\s*\{|\bREGISTER\b|\bCONSUME\b"
    r"|\bFROM\s+WINDOW\b"
    r"|\[\s*(?:RANGE\b[^\]{}]*\b(?:STEP|BOUNDS|START)\b|FROM\b|BETWEEN\b|ALL\s*\]|ELEMENTS\b)",
    re.IGNORECASE,
)
_RSEPQL_DIALECT = re.compile(  # the windows of C-SPARQL, SPARQLstream and CQELS
    r"(?<!ON )\b(?:FROM\s+(?:NAMED\s+)?)?STREAM\s+(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)\s*\[",
    re.IGNORECASE,
)
_RSEPQL_OTHER = re.compile(  # CQELS-CEP's; the last is CEQL's: its patterns stand in no braces
    r"\b(?:SEQ|SEQ_WO|NO_HEAD|NO_TAIL)\s*\(\s*(?:[!{<?$\[]|[\w.-]*:)"
    r"|\[\s*(?:NOW|TRIPLES)\b|\b(?:self|next|edge|node)(?:\^?-1)?::"
    r"|\bWHERE\b(?!\s*\{)",
    re.IGNORECASE,
)


def _is_rsepql(text: str) -> bool:
    text = _RSEPQL_COMMENT.sub("", text)
    if _RSEPQL_DIALECT.search(text):
        return True
    return _RSEPQL_LOOKS.search(text) is not None and _RSEPQL_OTHER.search(text) is None


# --- CQELS-CEP ---

_CQELS_COMMENT = re.compile(r"#[^\n]*(?=\n|$)")
_CQELS_WINDOW = re.compile(r"\bFROM\s+NAMED\s+WINDOW\b|\bWINDOW\s+\S+\s+ON\b", re.IGNORECASE)
_CQELS_OTHERS = re.compile(
    r"\bMATCH\s*\{|\bEVENT\b|\bFROM\s+STREAM\b|\bSTEP\b|\bCONSUME\b|\bBETWEEN\b"
    r"|\[\s*(ELEMENTS|FROM)\b|\bSEQ[NCR]\b",
    re.IGNORECASE,
)
_CQELS_AXIS = re.compile(r"\b(?:self|next|edge|node)(?:\^?-1)?::", re.IGNORECASE)
_CQELS_OWN = re.compile(r"\bSEQ\s*\(|\[\s*(?:NOW|TRIPLES)\b", re.IGNORECASE)
_CQELS_R2S = re.compile(r"\bREGISTER\b|\b[RID]STREAM\b", re.IGNORECASE)
# RSEP-QL's identity window, unless _CQELS_OWN
_CQELS_ALL = re.compile(r"\[\s*ALL\s*\]", re.IGNORECASE)


def _is_cqels(text: str) -> bool:
    bare = _CQELS_COMMENT.sub("", text)
    if _CQELS_OTHERS.search(bare) is not None:
        return False
    if _CQELS_AXIS.search(bare) is not None:
        return True
    if _CQELS_R2S.search(bare) is not None and _CQELS_OWN.search(bare) is None:
        return False
    if _CQELS_WINDOW.search(bare) is None:
        return False
    return _CQELS_ALL.search(bare) is None or _CQELS_OWN.search(bare) is not None


# --- EP-SPARQL ---

_EPSPARQL_COMMENT = re.compile(r"#[^\n<>]*(?=\n|$)")
_EPSPARQL_LOOKS = re.compile(
    r"\}\s*(?:SEQ|EQUALS|OPTIONALSEQ|EQUALSOPTIONAL|SEQOPTIONAL)\s*\{"
    r"|\bGET(?:DURATION|STARTTIME|ENDTIME)\s*\(",
    re.IGNORECASE,
)
_EPSPARQL_RULE = re.compile(r"\bCONSTRUCT\b|\bFROM\s+STREAM\s+(?:<|[\w.-]*:)", re.IGNORECASE)
# Every SPARQL query is one of EP-SPARQL.
_EPSPARQL_SPARQL = re.compile(
    r"\bDESCRIBE\s+(?:[?$<]|[\w.-]*:)[^{}]*\Z"
    r"|\b(?:SELECT|ASK|DESCRIBE)\b[^{}]*"
    r"\{\s*(?:[?$<{\[]|_:|[\w.-]*:|\w+\s*\{|(?:VALUES|GRAPH|BIND)\b)",
    re.IGNORECASE,
)
_EPSPARQL_OTHERS = re.compile(  # the first is CEQL's: its patterns stand in no braces
    r"\bWHERE\b(?!\s*\{)|\bSTREAM\s+(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)\s*\["
    r"|\b(?:self|next|edge|node)(?:\^?-1)?::"
    r"|\bWITHIN\b|\bWINDOW\b|\bMATCH\s*\{|\bEVENT\b|\bREGISTER\b|\bDEFINE\b|\bSEQ\s*\(|\bCONSUME\b",
    re.IGNORECASE,
)


def _is_epsparql(text: str) -> bool:
    bare = _EPSPARQL_COMMENT.sub("", text)
    if _EPSPARQL_OTHERS.search(bare) is not None:
        return False
    return any(each.search(bare) for each in (_EPSPARQL_LOOKS, _EPSPARQL_RULE, _EPSPARQL_SPARQL))


# --- CEQL ---

_CEQL_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_CEQL_LOOKS = re.compile(
    r"""\A\s*(?:CREATE|DECLARE)\s+STREAM\b
    | \A\s*CHECK\s*\{
    | \A\s*SELECT\b[^{}?:<]*?\bWHERE\b(?!\s*\{)
    | \A\s*SELECT\b[^{}?:<]*?\bFROM\s+(?!STREAM\b|NAMED\b)(?:\w+|`[^`]*`)(?![\w:])""",
    re.IGNORECASE | re.VERBOSE,
)


def _is_ceql(text: str) -> bool:
    return _CEQL_LOOKS.search(_CEQL_COMMENT.sub(" ", text)) is not None


LOOKS_LIKE: Mapping[str, Callable[[str], bool]] = {
    "spaseq": _is_spaseq,
    "rsepql": _is_rsepql,
    "cqels": _is_cqels,
    "epsparql": _is_epsparql,
    "ceql": _is_ceql,
}
"""Whether a query text looks like one of this language."""
