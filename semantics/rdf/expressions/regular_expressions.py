r"""Regular expressions as REGEX and REPLACE mean them (XQuery 1.0 Functions and Operators, 7.6).

They are translated to Python's, part by part, since the two differ in many small ways: `$` is the
very end, `\w` is everything but punctuation, separators and others, classes can be subtracted, a
back-reference to a group that took no part matches the empty string, and much that Python lets
pass is an error. Not covered: Unicode blocks, \p{Is…}.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache


class RegularExpressionError(ValueError):
    """The pattern, its flags or the replacement is not one (err:FORX0001 to FORX0004)."""


_SINGLE = {"n": r"\n", "r": r"\r", "t": r"\t"}
_ESCAPABLE = frozenset("\\|.-^?*+{}()[]$")
_CATEGORIES = frozenset((
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc",
    "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Z", "Zs", "Zl", "Zp", "S", "Sm", "Sc", "Sk", "So", "C",
    "Cc", "Cf", "Co", "Cn",
))
_NAME_START = (
    ":A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = _NAME_START + r"\-.0-9\u00b7\u0300-\u036f\u203f-\u2040"


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: str = "") -> re.Pattern[str]:
    """Return the pattern with its flags (s, m, i, x; q takes the pattern literally).

    >>> bool(compiled("^a.c$", "i").search("ABC"))
    True
    """
    unknown = set(flags) - set("smixq")
    if unknown:
        raise RegularExpressionError(f"unknown flag '{min(unknown)}' of a regular expression")
    python_flags = re.IGNORECASE if "i" in flags else re.NOFLAG
    if "q" in flags:
        return re.compile(re.escape(pattern), python_flags)
    if "s" in flags:
        python_flags |= re.DOTALL
    translation = _Translation(
        pattern, multiline="m" in flags, extended="x" in flags, ignore_case="i" in flags
    )
    try:
        return re.compile(translation.result(), python_flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise RegularExpressionError(f"not a regular expression: {error}") from None


def replacement(
    text: str, groups: int, *, literal_text: bool = False
) -> Callable[[re.Match[str]], str]:
    r"""Return REPLACE's text for a match: $N is the N-th group, \$ and \\ are literal (7.6.3)."""
    if literal_text:
        return lambda match: text
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character == "\\":
            following = text[position + 1 : position + 2]
            if following not in ("\\", "$") or not following:
                raise RegularExpressionError("a lone backslash in the replacement")
            parts.append(following)
            position += 2
        elif character == "$":
            digits = re.match(r"[0-9]+", text[position + 1 :])
            if digits is None:
                raise RegularExpressionError("a lone $ in the replacement")
            # The longest number that is a group's; what follows it is text.
            number = digits[0]
            while len(number) > 1 and int(number) > groups:
                number = number[:-1]
            parts.append(int(number))
            position += 1 + len(number)
        else:
            parts.append(character)
            position += 1

    def substitute(match: re.Match[str]) -> str:
        return "".join(
            part if isinstance(part, str) else (match[part] or "") if part <= groups else ""
            for part in parts
        )

    return substitute


class _Translation:
    """One pass over a pattern; each method reads one production of XSD 1.1 part 2, G."""

    def __init__(
        self, pattern: str, *, multiline: bool, extended: bool, ignore_case: bool
    ) -> None:
        self.pattern = _without_space(pattern) if extended else pattern
        self.multiline = multiline
        self.ignore_case = ignore_case
        self.position = 0
        self.groups = 0
        self.closed: set[int] = set()

    def result(self) -> str:
        translated = self.alternatives()
        if self.position < len(self.pattern):
            raise self.error("unbalanced ')'")
        return translated

    def error(self, message: str) -> RegularExpressionError:
        return RegularExpressionError(f"{message} in the regular expression '{self.pattern}'")

    def peek(self, length: int = 1) -> str:
        return self.pattern[self.position : self.position + length]

    def take(self) -> str:
        character = self.peek()
        if not character:
            raise self.error("an unfinished part")
        self.position += 1
        return character

    def alternatives(self) -> str:
        branches = [self.branch()]
        while self.peek() == "|":
            self.take()
            branches.append(self.branch())
        return "|".join(branches)

    def branch(self) -> str:
        pieces = []
        while self.peek() not in ("", "|", ")"):
            pieces.append(self.piece())
        return "".join(pieces)

    def piece(self) -> str:
        atom = self.atom()
        quantifier = self.quantifier()
        return f"(?:{atom}){quantifier}" if quantifier else atom

    def quantifier(self) -> str:
        match = re.compile(r"[?*+]|\{([0-9]+)(?:,([0-9]*))?\}").match(self.pattern, self.position)
        if match is None:
            return ""
        if match[1] and match[2] and int(match[1]) > int(match[2]):
            raise self.error(f"the quantifier {match[0]}")
        self.position = match.end()
        if self.peek() == "?":
            self.take()
            return match[0] + "?"
        return match[0]

    def atom(self) -> str:
        character = self.take()
        match character:
            case "(":
                return self.group()
            case "[":
                return self.character_class()
            case "\\":
                return self.escape()
            case ".":
                return "."
            case "^":
                return r"(?:\A|(?<=\n)(?!\Z))" if self.multiline else r"\A"
            case "$":
                return r"(?=\n|\Z)" if self.multiline else r"\Z"
            case "?" | "*" | "+" | "{" | "}" | "]":
                raise self.error(f"a '{character}' without a place")
        return re.escape(character)

    def group(self) -> str:
        capturing = self.peek(2) != "?:"
        if capturing:
            self.groups += 1
            number = self.groups
            inner = self.alternatives()
        else:
            self.position += 2
            inner = self.alternatives()
        if self.peek() != ")":
            raise self.error("unbalanced '('")
        self.take()
        if not capturing:
            return f"(?:{inner})"
        self.closed.add(number)
        return f"({inner})"

    def escape(self) -> str:
        character = self.take()
        if character in "123456789":
            return self.back_reference(character)
        members = self.class_escape(character)
        return self.exact(members) if members is not None else self.single_escape(character)

    def exact(self, members: str) -> str:
        """Return a class of these members, which the flag i does not affect (7.6.1.1)."""
        return f"(?-i:[{members}])" if self.ignore_case else f"[{members}]"

    def back_reference(self, digits: str) -> str:
        while self.peek().isdecimal() and int(digits + self.peek()) <= self.groups:
            digits += self.take()
        number = int(digits)
        if number not in self.closed:
            raise self.error(f"a reference to the group {number}, which is not complete before it")
        return f"(?({number})\\{number})"

    def single_escape(self, character: str) -> str:
        if character in _SINGLE:
            return _SINGLE[character]
        if character in _ESCAPABLE:
            return re.escape(character)
        raise self.error(f"the unknown escape '\\{character}'")

    def class_escape(self, character: str) -> str | None:
        r"""Return the members of \d, \p{…} and the like for use inside Python's brackets."""
        match character:
            case "d":
                return r"\d"
            case "D":
                return r"\D"
            case "s":
                return r" \t\n\r"
            case "S":
                return _complement(" \t\n\r")
            case "w":
                return _complement_of_categories(("P", "Z", "C"))
            case "W":
                return _categories(("P", "Z", "C"))
            case "i":
                return _NAME_START
            case "I":
                return _complement(_NAME_START)
            case "c":
                return _NAME
            case "C":
                return _complement(_NAME)
            case "p" | "P":
                return self.category(character)
        return None

    def category(self, character: str) -> str:
        match = re.compile(r"\{([A-Za-z0-9-]+)\}").match(self.pattern, self.position)
        if match is None or match[1] not in _CATEGORIES:
            raise self.error("an unknown category of characters")
        self.position = match.end()
        names = (match[1],)
        return _categories(names) if character == "p" else _complement_of_categories(names)

    def character_class(self) -> str:
        negated = self.peek() == "^"
        if negated:
            self.take()
        members, escapes = [""], [""]
        subtracted = ""
        first = True
        while first or self.peek() != "]":
            if not first and self.peek(2) == "-[":
                self.position += 2
                subtracted = self.character_class()
                if self.peek() != "]":
                    raise self.error("something after a subtracted class")
                break
            member = self.class_member(first=first)
            (escapes if self.ignore_case and self.is_class_escape else members).append(member)
            first = False
        self.take()
        inside, exact = "".join(members), "".join(escapes)
        if exact:
            either = f"(?:[{inside}]|{self.exact(exact)})" if inside else self.exact(exact)
            positive = rf"(?:(?!{either})[\s\S])" if negated else either
        else:
            positive = f"[{'^' if negated else ''}{inside}]"
        return f"(?:(?!{subtracted}){positive})" if subtracted else positive

    def class_member(self, *, first: bool) -> str:
        self.is_class_escape = False
        character = self.take()
        if character == "\\":
            escaped = self.take()
            members = self.class_escape(escaped)
            if members is not None:
                self.is_class_escape = True
                return members
            low = self.single_escape(escaped)
        elif character == "-":
            # A hyphen stands for itself at either end only.
            if not first and self.peek() != "]":
                raise self.error("a '-' in the middle of a class")
            return r"\-"
        elif character in "[]":
            raise self.error(f"a '{character}' inside a class")
        else:
            low = re.escape(character)
        if self.peek() != "-" or self.peek(2) in ("-]", "-["):
            return low
        self.take()
        high = self.take()
        if high == "\\":
            high_member = self.single_escape(self.take())
        elif high in "[]-":
            raise self.error("an unfinished range")
        else:
            high_member = re.escape(high)
        return f"{low}-{high_member}"


def _without_space(pattern: str) -> str:
    """Flag x: white space is removed, but not in a class."""
    depth = 0
    kept = []
    escaped = False
    for character in pattern:
        if depth == 0 and character in " \t\n\r":
            continue
        if not escaped and character == "[":
            depth += 1
        elif not escaped and character == "]":
            depth -= 1
        kept.append(character)
        escaped = character == "\\" and not escaped
    return "".join(kept)


@lru_cache(maxsize=64)
def _categories(names: tuple[str, ...]) -> str:
    return _members(code for code in range(sys.maxunicode + 1) if _is_of(code, names))


@lru_cache(maxsize=64)
def _complement_of_categories(names: tuple[str, ...]) -> str:
    return _members(code for code in range(sys.maxunicode + 1) if not _is_of(code, names))


def _is_of(code: int, names: tuple[str, ...]) -> bool:
    return unicodedata.category(chr(code)).startswith(names)


@lru_cache(maxsize=8)
def _complement(members: str) -> str:
    inside = re.compile(f"[{members}]")
    return _members(code for code in range(sys.maxunicode + 1) if not inside.match(chr(code)))


def _members(codes: Iterator[int]) -> str:
    """Return code points in increasing order, as ranges inside brackets."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
