"""Functions on strings and language tags (SPARQL 1.1 Query, 17.4.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final, TypeAlias
from urllib.parse import quote

from .regular_expressions import compile_regex, replaced, replacement
from .values import ExpressionError, LangString, Value

Text: TypeAlias = str | LangString


def text(value: Value) -> Text:
    """A string literal, with or without a language tag."""
    if type(value) is str or isinstance(value, LangString):
        return value
    raise ExpressionError("not a string")


def plain(value: Value) -> str:
    """A string literal without a language tag."""
    if type(value) is str:
        return value
    raise ExpressionError("not a string without a language tag")


def characters(value: Text) -> str:
    """The string itself."""
    return value.text if isinstance(value, LangString) else value


def alike(model: Text, result: str) -> Text:
    """A string with the language tag of the model, if it has one."""
    return LangString(result, model.language) if isinstance(model, LangString) else result


def _compatible(first: Value, second: Value) -> tuple[Text, str, str]:
    """17.4.3.1.2: the second is without a language tag, or has the first one's."""
    one, other = text(first), text(second)
    if isinstance(other, LangString) and (
        not isinstance(one, LangString) or one.language != other.language
    ):
        raise ExpressionError("the language tags do not go together")
    return one, characters(one), characters(other)


def strlen(value: Value) -> int:
    """STRLEN: the number of characters (code points)."""
    return len(characters(text(value)))


def ucase(value: Value) -> Text:
    """UCASE"""
    model = text(value)
    return alike(model, characters(model).upper())


def lcase(value: Value) -> Text:
    """LCASE"""
    model = text(value)
    return alike(model, characters(model).lower())


def substr(value: Value, start: Value, length: Value | None = None) -> Text:
    """SUBSTR: characters from position `start` on, counted from 1."""
    model = text(value)
    first = _integer(start)
    end = None if length is None else max(first + _integer(length) - 1, 0)
    return alike(model, characters(model)[max(first - 1, 0) : end])


def _integer(value: Value) -> int:
    if type(value) is int:
        return value
    raise ExpressionError("not an integer")


def strstarts(value: Value, start: Value) -> bool:
    """STRSTARTS"""
    _, whole, part = _compatible(value, start)
    return whole.startswith(part)


def strends(value: Value, end: Value) -> bool:
    """STRENDS"""
    _, whole, part = _compatible(value, end)
    return whole.endswith(part)


def contains(value: Value, part: Value) -> bool:
    """CONTAINS"""
    _, whole, inner = _compatible(value, part)
    return inner in whole


def strbefore(value: Value, part: Value) -> Text:
    """STRBEFORE: what stands before the first occurrence; "" without a tag if there is none."""
    model, whole, inner = _compatible(value, part)
    at = whole.find(inner)
    return alike(model, whole[:at]) if at >= 0 else ""


def strafter(value: Value, part: Value) -> Text:
    """STRAFTER: what stands after the first occurrence; "" without a tag if there is none."""
    model, whole, inner = _compatible(value, part)
    at = whole.find(inner)
    return alike(model, whole[at + len(inner) :]) if at >= 0 else ""


def concat(*values: Value) -> Text:
    """CONCAT: with a language tag if all have the same one."""
    parts = [text(value) for value in values]
    joined = "".join(map(characters, parts))
    tags = {part.language if isinstance(part, LangString) else None for part in parts}
    tag = tags.pop() if len(tags) == 1 else None
    return joined if tag is None else LangString(joined, tag)


def encode_for_uri(value: Value) -> str:
    """ENCODE_FOR_URI: percent-encoding of all but the unreserved characters (RFC 3986, 2.3)."""
    return quote(characters(text(value)), safe="-_.~")


def langmatches(tag: Value, language_range: Value) -> bool:
    """LANGMATCHES: basic filtering (RFC 4647, 3.3.1)."""
    wanted = plain(language_range).lower()
    actual = plain(tag).lower()
    if wanted == "*":
        return actual != ""
    return actual == wanted or (wanted != "" and actual.startswith(wanted + "-"))


def regex(value: Value, pattern: Value, flags: Value = "") -> bool:
    """REGEX: whether the pattern matches somewhere in the string."""
    return compile_regex(plain(pattern), plain(flags)).search(characters(text(value))) is not None


def replace(value: Value, pattern: Value, by: Value, flags: Value = "") -> Text:
    """REPLACE: all matches replaced; a pattern that matches the empty string is an error."""
    model = text(value)
    compiled = compile_regex(plain(pattern), plain(flags))
    if compiled.search("") is not None:
        raise ExpressionError("the pattern matches the empty string")
    literally = "q" in plain(flags)
    parts = (plain(by),) if literally else replacement(plain(by), compiled.groups)
    return alike(model, compiled.sub(lambda found: replaced(found, parts), characters(model)))


def _digest(algorithm: str) -> Callable[[Value], Value]:
    def digest(value: Value) -> str:
        return hashlib.new(algorithm, plain(value).encode()).hexdigest()

    return digest


DIGESTS: Final[dict[str, Callable[[Value], Value]]] = {
    name: _digest(name.lower()) for name in ("MD5", "SHA1", "SHA256", "SHA384", "SHA512")
}
