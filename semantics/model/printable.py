r"""Printable text: data for people that cannot command a terminal, hide, or change direction.

Escaped are controls (ESC, BEL, NUL, C1, …), format characters (bidirectional controls, zero-width
ones, tags), surrogates, line and paragraph separators, and what Unicode has not assigned: `\u001b`.
"""

from __future__ import annotations

import json
import re
from unicodedata import category

_ESCAPED = ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp")
_NOT_ASCII_TEXT = re.compile(r"[^ -~]")


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with each invisible character escaped, except those to `keep`.

    >>> printable("red \x1b[31m alert\u202e")
    'red \\u001b[31m alert\\u202e'
    """
    if text.isprintable():
        return text
    return _NOT_ASCII_TEXT.sub(lambda found: _shown(found[0], keep), text)


def printable_json(value: object) -> str:
    """Return a value's JSON text on one line; invisible characters have JSON's escapes."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return _NOT_ASCII_TEXT.sub(
        lambda found: json.dumps(found[0])[1:-1] if _is_escaped(found[0]) else found[0], text
    )


def _shown(character: str, keep: str) -> str:
    if character in keep or not _is_escaped(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_escaped(character: str) -> bool:
    return category(character) in _ESCAPED
