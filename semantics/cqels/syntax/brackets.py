"""Which square brackets hold a nested test of a path, and which a blank node.

`elt[elt]` and `?s :p [ :q ?o ]` look alike to a parser that sees one token ahead. What tells them
apart is what stands after the closing bracket: a test is followed by the rest of its path or by
the object, a blank node ends its triple. Brackets of a test are replaced, one character by one, so
that every place in the text stays what it was.
"""

from __future__ import annotations

import re
from functools import cached_property

OPEN, CLOSE = "\x01", "\x02"

_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n\r]*)
    |\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''
    |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'
    |<[^<>"{}|^`\\\x00-\x20]*>
    |[?$]\w+
    |(?:[\w:%]|[-.](?=[\w:%-])|\\.)+
    |.""",
    re.VERBOSE | re.DOTALL,
)
_IN_PATHS = ("/", "|", "^", "!")
_AFTER_ELEMENT = ("/", "|", "+", "*", "?", "[", "(")


def marked(text: str) -> str:
    """The text with the brackets of nested tests replaced by OPEN and CLOSE."""
    if "[" not in text:
        return text
    places = _Brackets(text).tests
    if not places:
        return text
    characters = list(text)
    for begin, end in places:
        characters[begin], characters[end] = OPEN, CLOSE
    return "".join(characters)


def unmarked(text: str) -> str:
    """The text as it was written."""
    return text.replace(OPEN, "[").replace(CLOSE, "]")


class _Brackets:
    """The tokens of a text, with every bracket's partner."""

    def __init__(self, text: str) -> None:
        matches = [match for match in _TOKEN.finditer(text) if match["space"] is None]
        self.tokens = [match[0] for match in matches]
        self.offsets = [match.start() for match in matches]
        self.partner: dict[int, int] = {}
        self.enclosing: dict[int, int] = {}
        waiting: list[int] = []
        for place, token in enumerate(self.tokens):
            if token in ("[", "("):
                if waiting:
                    self.enclosing[place] = waiting[-1]
                waiting.append(place)
            elif token in ("]", ")") and waiting:
                opening = waiting.pop()
                if self.tokens[opening] + token in ("[]", "()"):
                    self.partner[opening] = place

    @cached_property
    def tests(self) -> list[tuple[int, int]]:
        """The offsets of the brackets of every test."""
        return [
            (self.offsets[place], self.offsets[self.partner[place]])
            for place in self.partner
            if self.tokens[place] == "[" and self.is_test(place)
        ]

    def token(self, place: int) -> str:
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def is_test(self, place: int) -> bool:
        before, end = self.token(place - 1), self.partner.get(place)
        if end is None or end == place + 1:
            return False
        # Where a verb must stand, no blank node can.
        if before in ("/", "|", "^", ";", "[") or before.endswith("::"):
            return True
        if before == "(":
            return self.is_group(place - 1) and self.goes_on(end, place)
        return before not in ("", ".", ",", "{", "}", "!") and self.goes_on(end, place)

    def is_group(self, place: int) -> bool:
        """Whether a round bracket groups a path; if not, it is a collection or an expression."""
        before, end = self.token(place - 1), self.partner.get(place)
        if end is None or before in (".", ",", "{", "}"):
            return False
        return before in _IN_PATHS or self.goes_on(end, place)

    def goes_on(self, end: int, opening: int) -> bool:
        """Whether a path goes on after its bracket at `end`, or its object follows."""
        after = self.token(end + 1)
        if after in ("]", ")"):
            outer = self.enclosing.get(opening)
            if outer is None:
                return False
            return self.is_test(outer) if after == "]" else self.is_group(outer)
        return after in _AFTER_ELEMENT or _is_term(after)


def _is_term(token: str) -> bool:
    if token[:1] in ("<", '"', "'", "?", "$", "-", "+"):
        return len(token) > 1
    if ":" in token or token[:1].isdigit():
        return True
    return token.lower() in ("true", "false")
