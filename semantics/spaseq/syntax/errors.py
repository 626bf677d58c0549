"""What is wrong inside SEQ( … ), in the words of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...model.errors import Position

_TOKEN = re.compile(r"\s+|\#[^\n\r]*|(?P<name>[^\W\d]\w*)|(?P<sign>.)", re.DOTALL)
_SEQ = re.compile(r"\bSEQ\s*\(", re.IGNORECASE)
_SELECTION, _BINARY, _POSTFIX = ",;:", "&|", "+!?"


class Diagnosis(NamedTuple):
    """What to say, and where."""

    message: str
    position: Position


class _Token(NamedTuple):
    text: str
    offset: int


def diagnose(text: str, offset: int) -> Diagnosis | None:
    """Why the parser stopped at `offset`; None if that is not inside SEQ( … )."""
    opening = _opening(text, offset)
    if opening is None:
        return None
    before = list(_tokens(text, opening, offset))
    token = next(_tokens(text, offset, len(text)), None)
    found = _said(before, token)
    if found is None:
        return None
    message, place = found
    at = place.offset if place is not None else len(text.rstrip())
    line_start = text.rfind("\n", 0, at) + 1
    return Diagnosis(message, Position(text.count("\n", 0, at) + 1, at - line_start + 1))


def _opening(text: str, offset: int) -> int | None:
    """Where the SEQ( … ) around `offset` begins, after its bracket."""
    begins = [match.end() for match in _SEQ.finditer(text, 0, offset)]
    if not begins or any(sign in text[begins[-1] : offset] for sign in "{}"):
        return None
    depth = 1
    for token in _tokens(text, begins[-1], offset):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            return None
    return begins[-1]


def _tokens(text: str, begin: int, end: int) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text, begin, end):
        if match["name"] or match["sign"]:
            yield _Token(match[0], match.start())


def _said(before: list[_Token], token: _Token | None) -> tuple[str, _Token | None] | None:
    previous = before[-1] if before else _Token("(", 0)
    if token is None:
        return "the end of the query, but SEQ( is not closed", None
    if token.text == "}" or (token.text.upper() == "DEFINE" and _ends_an_element(previous)):
        return f"SEQ( is not closed before '{token.text}'", token
    after_operator = previous.text in _SELECTION + _BINARY
    if token.text == ")" and after_operator:
        return f"trailing '{previous.text}' in SEQ: a GPM name must follow it", previous
    if previous.text == "(" and token.text == ")":
        return "empty brackets in SEQ: a GPM name must stand in them", token
    if (after_operator or previous.text == "(") and token.text in _POSTFIX:
        return f"'{token.text}' stands after the GPM name it applies to, as in A{token.text}", token
    if after_operator or previous.text == "(":
        return f"unexpected '{token.text}' in SEQ, expected a GPM name or '('", token
    return _said_after_element(before, previous, token)


def _said_after_element(
    before: list[_Token], previous: _Token, token: _Token
) -> tuple[str, _Token] | None:
    level = _level(before)
    nested = _depth(before) > 0
    if token.text in _POSTFIX and previous.text in _POSTFIX:
        return f"'{previous.text}{token.text}': at most one of + ! ? may follow an element", token
    if token.text in "!?" and previous.text == ")":
        return f"'{token.text}' applies to a GPM name only, not to an expression in brackets", token
    if token.text == "+" or (token.text in _BINARY and previous.text == "+"):
        return "Kleene plus cannot stand inside & or |: it applies to a whole element", token
    if token.text in _BINARY and level - {token.text}:
        return "& and | cannot be mixed without brackets, as in (A & B) | C", token
    if token.text in _SELECTION and nested:
        return (
            f"'{token.text}' in brackets: only & and | nest, a sequence does not"
            " (so + ! ? never apply to a sequence)",
            token,
        )
    if token.text == "(" or token.text.isidentifier():
        return f"an operator is missing before '{token.text}': one of , ; : & |", token
    return f"unexpected '{token.text}' in SEQ, expected one of , ; : & | + ! ? or ')'", token


def _ends_an_element(token: _Token) -> bool:
    return token.text in ")+!?" or token.text.isidentifier()


def _depth(before: list[_Token]) -> int:
    return sum({"(": 1, ")": -1}.get(token.text, 0) for token in before)


def _level(before: list[_Token]) -> set[str]:
    """Which of & and | stand at the innermost open bracket, since the last , ; or :"""
    levels: list[set[str]] = [set()]
    for token in before:
        if token.text == "(":
            levels.append(set())
        elif token.text == ")":
            levels.pop()
        elif token.text in _SELECTION:
            levels[-1] = set()
        elif token.text in _BINARY:
            levels[-1].add(token.text)
    return levels[-1]
