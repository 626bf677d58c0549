"""Regular expressions of XPath (XPath functions and operators, 7.6) in Python's notation.

XPath takes those of XML Schema (part 2, appendix F) and adds anchors, reluctant quantifiers,
back-references and flags. The differences that matter are translated: `$` is the very end, `\\i`
and `\\c` are XML name characters, `\\p{…}` is a Unicode category, `[a-z-[aeiou]]` a difference.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .values import ExpressionError

_FLAGS = {"s": re.DOTALL, "m": re.MULTILINE, "i": re.IGNORECASE, "x": re.NOFLAG, "q": re.NOFLAG}
_NAME_START = (
    "A-Z_a-z:\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = _NAME_START + "\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040"
_NOT_SPACE = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f!-\U0010ffff"
_SINGLE_ESCAPES = {"n": "\\n", "r": "\\r", "t": "\\t"}
_CLASS_ESCAPES = frozenset("sSdDwWiIcCpP")
_LITERAL = frozenset("\\|.-^?*+{}()[]$")
_DIGITS = re.compile("[0-9]+")
_QUANTITY = re.compile(r"[0-9]+(?:,[0-9]*)?\}")
_CATEGORY = re.compile(r"\{(\^?)(Is[A-Za-z0-9-]+|[LMNPZSC][a-z]?)\}")


@lru_cache(maxsize=512)
def compile_regex(pattern: str, flags: str) -> re.Pattern[str]:
    """Return the pattern as a Python pattern; an ExpressionError if it is not well-formed.

    Of XPath 3 there are groups that do not capture, and the flag q: the pattern is a plain string.
    """
    unknown = set(flags) - set(_FLAGS)
    if unknown:
        raise ExpressionError("unknown flag of a regular expression")
    bits = re.NOFLAG
    for flag in flags:
        bits |= _FLAGS[flag]
    try:
        if "q" in flags:
            return re.compile(re.escape(pattern), bits & re.IGNORECASE)
        return re.compile(_Translation(pattern, flags).translate(), bits)
    except (re.error, OverflowError, RecursionError) as error:
        raise ExpressionError("not a regular expression") from error


@lru_cache(maxsize=512)
def replacement(template: str, groups: int) -> tuple[str | int, ...]:
    r"""Return a replacement string as texts and numbers of groups: $0, $1, … name groups.

    \$ and \\ are the characters themselves; any other use of $ or \ is an ExpressionError. Of the
    digits after $, as many are taken as there are groups to name; a missing group is empty.
    """
    parts: list[str | int] = []
    at = 0
    while at < len(template):
        character = template[at]
        at += 1
        if character == "\\":
            if template[at : at + 1] not in ("\\", "$"):
                raise ExpressionError("a backslash in a replacement escapes \\ or $ only")
            parts.append(template[at])
            at += 1
        elif character == "$":
            digits = _DIGITS.match(template, at)
            if digits is None:
                raise ExpressionError("a $ in a replacement stands before a digit")
            number = digits[0]
            while len(number) > 1 and int(number) > groups:
                number = number[:-1]
            if int(number) <= groups:
                parts.append(int(number))
            at += len(number)
        else:
            parts.append(character)
    return tuple(parts)


def replaced(found: re.Match[str], parts: tuple[str | int, ...]) -> str:
    """Return the replacement of a match."""
    return "".join(part if isinstance(part, str) else found[part] or "" for part in parts)


class _Translation:
    def __init__(self, pattern: str, flags: str) -> None:
        self.pattern = "".join(_packed(pattern)) if "x" in flags else pattern
        self.at = 0
        # The flag i changes characters and ranges, and no class escape (7.6.1.1).
        self.sensitive = "(?-i:{})" if "i" in flags else "{}"
        self.multiline = "m" in flags
        self.previous = ""
        self.groups = 0

    def translate(self) -> str:
        out: list[str] = []
        while self.at < len(self.pattern):
            start = self.at
            out.append(self.token())
            self.previous = self.pattern[start : self.at]
        return "".join(out)

    def next(self) -> str:
        if self.at >= len(self.pattern):
            raise ExpressionError("a regular expression ends too early")
        character = self.pattern[self.at]
        self.at += 1
        return character

    def token(self) -> str:
        character = self.next()
        if character == "\\":
            return self.escape()
        if character == "[":
            return self.character_class()
        if character in "^$":
            # In a group, for XPath lets a quantifier follow an anchor.
            return self.anchor(character)
        if character == "(" and self.pattern[self.at : self.at + 1] == "?":
            if self.pattern[self.at : self.at + 2] != "?:":
                # Python's other extensions XPath does not have.
                raise ExpressionError("a group begins with a quantifier")
            self.at += 2
            return "(?:"
        if character == "(":
            self.groups += 1
        if character == "{":
            return self.quantity()
        if character in "]}":
            raise ExpressionError(f"{character} must be escaped in a regular expression")
        if character == "+" and self.previous[:1] in ("*", "+", "?", "{"):
            # Possessive in Python, nothing in XPath.
            raise ExpressionError("two quantifiers in a row")
        if character in " #\t\r\n~&":
            return re.escape(character)
        return character

    def escape(self) -> str:
        character = self.next()
        if character in "123456789":
            return self.back_reference(character)
        if character in _LITERAL:
            return re.escape(character)
        if character in _SINGLE_ESCAPES:
            return _SINGLE_ESCAPES[character]
        return self.sensitive.format(f"[{self.class_escape(character)}]")

    def anchor(self, character: str) -> str:
        if not self.multiline:
            return "(?:^)" if character == "^" else "(?:\\Z)"
        # A newline at the very end begins no line.
        return "(?:\\A|(?<=\\n)(?!\\Z))" if character == "^" else "(?:$)"

    def back_reference(self, number: str) -> str:
        # As many digits as there are groups so far; a group without a match is empty.
        while (longer := number + self.pattern[self.at : self.at + 1]) != number:
            if not longer.isdecimal() or int(longer) > self.groups:
                break
            number = longer
            self.at += 1
        return f"(?:(?({number})\\{number}))"

    def class_escape(self, character: str) -> str:
        """Return the members of an escape, as they stand in a Python character class."""
        if character in _LITERAL:
            return re.escape(character)
        if character in _SINGLE_ESCAPES:
            return _SINGLE_ESCAPES[character]
        match character:
            case "s":
                return " \\t\\n\\r"
            case "S":
                return _NOT_SPACE
            case "d" | "D":
                return "\\" + character
            case "w":
                return _category("PZC", True)
            case "W":
                return _category("PZC", False)
            case "i":
                return _NAME_START
            case "c":
                return _NAME
            case "I" | "C":
                return _ranges_without(_NAME_START if character == "I" else _NAME)
            case "p" | "P":
                return self.category(character == "P")
        raise ExpressionError(f"unknown escape \\{character} in a regular expression")

    def category(self, negated: bool) -> str:
        found = _CATEGORY.match(self.pattern, self.at)
        if found is None or found[2].startswith("Is"):
            raise ExpressionError("unknown category in a regular expression")
        self.at = found.end()
        return _category(found[2], negated)

    def quantity(self) -> str:
        found = _QUANTITY.match(self.pattern, self.at)
        if found is None:
            raise ExpressionError("{ begins a quantifier in a regular expression")
        self.at = found.end()
        return "{" + found[0]

    def character_class(self) -> str:
        negated = self.pattern[self.at : self.at + 1] == "^"
        if negated:
            self.at += 1
        members: list[str] = []
        escapes: list[str] = []
        while True:
            character = self.next()
            following = self.pattern[self.at : self.at + 1]
            if character == "]" and (members or escapes):
                return self.bracketed(members, escapes, negated)
            if character == "-" and following == "[" and (members or escapes):
                self.at += 1
                excluded = self.character_class()
                if self.next() != "]":
                    raise ExpressionError("a subtraction ends its character class")
                return f"(?:(?!{excluded}){self.bracketed(members, escapes, negated)})"
            if character == "-" and (members or escapes) and following != "]":
                raise ExpressionError("a - in a character class must be escaped")
            is_escape = character == "\\" and following in _CLASS_ESCAPES
            member = self.member(character)
            if self.pattern[self.at : self.at + 1] == "-" and (
                self.pattern[self.at + 1 : self.at + 2] not in ("]", "[", "")
            ):
                self.at += 1
                member += "-" + self.member(self.next())
            (escapes if is_escape and self.sensitive != "{}" else members).append(member)

    def bracketed(self, members: list[str], escapes: list[str], negated: bool) -> str:
        """Return the class of members, affected by the flag i, and of escapes, which are not."""
        if not escapes:
            return f"[{'^' if negated else ''}{''.join(members)}]"
        one_of = [f"[{''.join(members)}]"] if members else []
        one_of.append(self.sensitive.format(f"[{''.join(escapes)}]"))
        union = "|".join(one_of)
        return f"(?:(?!{union})(?s:.))" if negated else f"(?:{union})"

    def member(self, character: str) -> str:
        if character == "\\":
            return self.class_escape(self.next())
        if character in "[]":
            raise ExpressionError("a bracket in a character class must be escaped")
        # Python warns of doubled signs that may become set operators one day.
        return "\\" + character if character in "-&~|" else re.escape(character)


def _packed(pattern: str) -> Iterator[str]:
    """Yield the characters that the flag x leaves: white space is kept only in a class."""
    classes = 0
    quoted = False
    for character in pattern:
        if not classes and character.isspace() and character in " \t\r\n":
            continue
        yield character
        if quoted:
            quoted = False
        elif character == "\\":
            quoted = True
        else:
            classes += (character == "[") - (character == "]")


@lru_cache(maxsize=64)
def _ranges_without(members: str) -> str:
    inside = re.compile(f"[{members}]")
    return _ranges([inside.match(chr(code)) is None for code in range(sys.maxunicode + 1)])


@lru_cache(maxsize=1)
def _categories() -> list[str]:
    return list(map(unicodedata.category, map(chr, range(sys.maxunicode + 1))))


@lru_cache(maxsize=64)
def _category(name: str, negated: bool) -> str:
    """Return the characters of a Unicode category such as Lu, or of any of the groups L, M, …"""
    if len(name) == 2 and name[1].islower():
        return _ranges([(each == name) != negated for each in _categories()])
    return _ranges([(each[0] in name) != negated for each in _categories()])


def _ranges(members: list[bool]) -> str:
    out: list[str] = []
    start: int | None = None
    for code, inside in enumerate([*members, False]):
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            out.append(f"{re.escape(chr(start))}-{re.escape(chr(code - 1))}")
            start = None
    return "".join(out)
