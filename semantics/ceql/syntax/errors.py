"""Errors of CEQL's syntax, in the words of the language."""

from __future__ import annotations

import re

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from ...model.errors import QueryError
from .tree import Strategy

WORDS = {
    **{
        name: name
        for name in ("ALL", "ANY", "STRICT", "NEXT", "LAST", "MAX", "NONE", "NOT", "PARTITION")
    },
    **{
        f"_{name}": name
        for name in (
            "SELECT", "FROM", "WHERE", "FILTER", "OR", "AS", "AND", "LIKE", "IN", "RANGE", "BY",
            "WITHIN", "CONSUME", "LIMIT", "CHECK", "CREATE", "DECLARE",
            "STREAM", "EVENT",
        )
    },
    "TRUE": "", "FALSE": "", "QUOTED_NAME": "", "REGEXP": "",
    "COMPARISON": "a comparison", "MORE": "", "FACTOR": "", "STAR": "",
    "STRING": "a string", "DURATION": "a duration", "OR_CONDITION": "OR",
}
"""What messages call the terminals of the grammar."""

_CLAUSES = {
    "SELECT": "SELECT", "FROM": "FROM", "WHERE": "WHERE", "PARTITION": "PARTITION BY",
    "WITHIN": "WITHIN", "CONSUME": "CONSUME BY", "LIMIT": "LIMIT",
}
_OPENED = {"'": "string", '"': "string", "`": "name", "\u2018": "string", "\u2019": "string"}
_PASSED_OVER = re.compile(
    r"""--[^\n]*|/\*[\s\S]*?(?:\*/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|<<[\s\S]*?>>"""
)
_STRATEGY = re.compile(r"SELECT\s+(?:(\w+)\s+)?(\w+)\s*\Z", re.IGNORECASE)


def told_better(plain: QueryError, error: UnexpectedInput, text: str) -> QueryError | None:
    """The error that is behind a syntax error, where it is one that people make."""
    if isinstance(error, UnexpectedCharacters):
        return _unclosed(plain, text[error.pos_in_stream :][:2])
    if not isinstance(error, UnexpectedToken) or error.token.type == "$END":
        return None
    token = error.token
    if text.startswith("<<", token.start_pos or 0):
        return _unclosed(plain, "<<")
    before = _blanked(text[: token.start_pos or 0])
    return _misplaced_clause(plain, token, before) or _no_strategy(plain, token, before)


def _unclosed(plain: QueryError, begin: str) -> QueryError | None:
    what = "regular expression" if begin == "<<" else _OPENED.get(begin[:1])
    if what is None:
        return None
    message = f"the {what} that begins here has no end"
    return QueryError(message, source=plain.source, line=plain.line, column=plain.column)


def _misplaced_clause(plain: QueryError, token: Token, before: str) -> QueryError | None:
    keyword = str(token).upper()
    if keyword not in _CLAUSES:
        return None
    order = list(_CLAUSES)
    words = {word.upper() for word in re.findall(r"\w+", _outside_brackets(before))}
    given = [clause for clause in order if clause in words]
    if keyword in given:
        message = f"a second {_CLAUSES[keyword]} clause"
    else:
        later = [clause for clause in given if order.index(clause) > order.index(keyword)]
        if not later:
            return None
        names = ", ".join(_CLAUSES.values())
        message = (
            f"{_CLAUSES[keyword]} stands behind {_CLAUSES[later[0]]}: the order of the clauses is"
            f" {names}"
        )
    return QueryError(message, source=plain.source, line=plain.line, column=plain.column)


def _no_strategy(plain: QueryError, token: Token, before: str) -> QueryError | None:
    found = _STRATEGY.search(before) if str(token) == "*" else None
    if found is None:
        return None
    first, last = found.groups()
    known = ", ".join(Strategy)
    if first is not None and {first.upper(), last.upper()} <= set(Strategy):
        message = f"a second strategy, {last}"
    else:
        message = f"there is no strategy '{last}' (there is: {known})"
    start = found.start(2)
    line = before.count("\n", 0, start) + 1
    column = start - (before.rfind("\n", 0, start) + 1) + 1
    return QueryError(message, source=plain.source, line=line, column=column)


def _blanked(text: str) -> str:
    """The text with blanks for comments, strings and quoted names, every place as it was."""
    return _PASSED_OVER.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _outside_brackets(text: str) -> str:
    depth, kept = 0, []
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        kept.append(letter if depth == 0 else " ")
    return "".join(kept)
