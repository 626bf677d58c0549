"""Built-in functions of values and strings (SPARQL 1.1 Query, 17.4)."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import quote

from ....semantics.model.errors import Impossible
from ....semantics.model.terms import BNode, Literal, URIRef, literal
from .operators import numeric
from .regular_expressions import compile_regex, replaced, replacement
from .values import (
    EXACT,
    NUMERIC,
    Duration,
    ExpressionError,
    LangString,
    Moment,
    Number,
    Single,
    Value,
    parse_duration,
    parse_moment,
)

Text: TypeAlias = str | LangString


def text(value: Value) -> Text:
    """Return a string literal, with or without a language tag."""
    if type(value) is str or isinstance(value, LangString):
        return value
    raise ExpressionError("not a string")


def plain(value: Value) -> str:
    """Return a string literal without a language tag."""
    if type(value) is str:
        return value
    raise ExpressionError("not a string without a language tag")


def characters(value: Text) -> str:
    """Return the string itself."""
    return value.text if isinstance(value, LangString) else value


def alike(model: Text, result: str) -> Text:
    """Return a string with the language tag of the model, if it has one."""
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
    """UCASE."""
    model = text(value)
    return alike(model, characters(model).upper())


def lcase(value: Value) -> Text:
    """LCASE."""
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
    """STRSTARTS."""
    _, whole, part = _compatible(value, start)
    return whole.startswith(part)


def strends(value: Value, end: Value) -> bool:
    """STRENDS."""
    _, whole, part = _compatible(value, end)
    return whole.endswith(part)


def contains(value: Value, part: Value) -> bool:
    """CONTAINS."""
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


# RFC 3987's scheme, then whatever SPARQL's IRIREF admits.
_ABSOLUTE_IRI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>\"{}|^`\\]*")

# --- terms (17.4.2) ------------------------------------------------------------------------------


def is_iri(value: Value) -> bool:
    """ISIRI, ISURI."""
    return isinstance(value, URIRef)


def is_blank(value: Value) -> bool:
    """ISBLANK."""
    return isinstance(value, BNode)


def is_literal(value: Value) -> bool:
    """ISLITERAL."""
    return not isinstance(value, (URIRef, BNode))


def is_numeric(value: Value) -> bool:
    """ISNUMERIC: a literal of a numeric type, and well-formed."""
    return type(value) in NUMERIC


def lang(value: Value) -> str:
    """LANG: the language tag, "" for a literal without one."""
    if not is_literal(value):
        raise ExpressionError("not a literal")
    return value.language if isinstance(value, LangString) else ""


def iri(value: Value) -> URIRef:
    """IRI, URI: of a string that is an absolute IRI (a pattern has no base to resolve others)."""
    if isinstance(value, URIRef):
        return value
    text = plain(value)
    if _ABSOLUTE_IRI.fullmatch(text) is None:
        raise ExpressionError("not an absolute IRI")
    return URIRef(text)


def strdt(value: Value, datatype: Value) -> Literal:
    """STRDT: the literal with this lexical form and datatype."""
    if not isinstance(datatype, URIRef):
        raise ExpressionError("not a datatype IRI")
    return literal(plain(value), datatype)


def strlang(value: Value, language: Value) -> LangString:
    """STRLANG."""
    tag = plain(language)
    first, *others = tag.split("-")
    if not (tag.isascii() and first.isalpha() and all(map(str.isalnum, others))):
        raise ExpressionError("no language tag")
    return LangString(plain(value), tag.lower())


# --- numbers (17.4.4) ----------------------------------------------------------------------------


def absolute(value: Value) -> Number:
    """ABS."""
    number = numeric(value)
    if isinstance(number, Single):
        return Single(abs(float(number)))
    return EXACT.abs(number) if isinstance(number, Decimal) else abs(number)


def _rounding(
    of_decimal: Callable[[Decimal], Decimal], of_double: Callable[[float], float]
) -> Callable[[Value], Number]:
    def rounded(value: Value) -> Number:
        number = numeric(value)
        if isinstance(number, Decimal):
            return of_decimal(number)
        if isinstance(number, float):
            if not math.isfinite(number):
                return number
            # A zero keeps the sign of what was rounded.
            result = math.copysign(of_double(number), number)
            return Single(result) if isinstance(number, Single) else result
        return number

    return rounded


def _half_up(number: Decimal) -> Decimal:
    """fn:round: halves go towards positive infinity."""
    return EXACT.add(number, Decimal("0.5")).to_integral_value(ROUND_FLOOR, EXACT)


def _double_half_up(number: float) -> float:
    floor = math.floor(number)
    return float(floor + 1 if number - floor >= 0.5 else floor)


NUMERIC_FUNCTIONS: Final[dict[str, Callable[[Value], Value]]] = {
    "ABS": absolute,
    "ROUND": _rounding(_half_up, _double_half_up),
    "CEIL": _rounding(lambda each: each.to_integral_value(ROUND_CEILING, EXACT), math.ceil),
    "FLOOR": _rounding(lambda each: each.to_integral_value(ROUND_FLOOR, EXACT), math.floor),
}

# --- dates and times (17.4.5) --------------------------------------------------------------------


def now() -> str:
    """Return the present, as an xsd:dateTime in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@lru_cache(maxsize=16)
def instant(shown: str) -> Moment:
    """Return the text of `now` as a value: few queries need it."""
    moment = parse_moment(shown, dated_only=False)
    if moment is None:
        raise Impossible("a clock that shows no time")
    return moment


def _of_moment(part: Callable[[Moment], Value]) -> Callable[[Value], Value]:
    def function(value: Value) -> Value:
        if not isinstance(value, Moment) or value.dated_only:
            raise ExpressionError("not an xsd:dateTime")
        return part(value)

    return function


def _time_zone(moment: Moment) -> Duration:
    """TIMEZONE as an xsd:dayTimeDuration in canonical form."""
    if moment.zone is None:
        raise ExpressionError("no time zone")
    hours, minutes = divmod(abs(moment.zone), 60)
    written = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    sign = "-" if moment.zone < 0 else ""
    duration = parse_duration(f"{sign}PT{written or '0S'}")
    if duration is None:
        raise Impossible("a time zone that is no duration")
    return duration


MOMENT_FUNCTIONS: Final[dict[str, Callable[[Value], Value]]] = {
    "YEAR": _of_moment(lambda moment: moment.year),
    "MONTH": _of_moment(lambda moment: moment.month),
    "DAY": _of_moment(lambda moment: moment.day),
    "HOURS": _of_moment(lambda moment: moment.hour),
    "MINUTES": _of_moment(lambda moment: moment.minute),
    "SECONDS": _of_moment(lambda moment: moment.second),
    "TIMEZONE": _of_moment(_time_zone),
    "TZ": _of_moment(lambda moment: moment.zone_text),
}

FUNCTIONS: Final[dict[str, Callable[..., Value]]] = {
    "ISIRI": is_iri,
    "ISURI": is_iri,
    "ISBLANK": is_blank,
    "ISLITERAL": is_literal,
    "ISNUMERIC": is_numeric,
    "LANG": lang,
    "IRI": iri,
    "URI": iri,
    "STRLANG": strlang,
    "STRLEN": strlen,
    "UCASE": ucase,
    "LCASE": lcase,
    "SUBSTR": substr,
    "STRSTARTS": strstarts,
    "STRENDS": strends,
    "CONTAINS": contains,
    "STRBEFORE": strbefore,
    "STRAFTER": strafter,
    "CONCAT": concat,
    "ENCODE_FOR_URI": encode_for_uri,
    "LANGMATCHES": langmatches,
    "REGEX": regex,
    "REPLACE": replace,
    **DIGESTS,
    **NUMERIC_FUNCTIONS,
    **MOMENT_FUNCTIONS,
}
"""Functions that are given values; the others look at terms or at the solution (expressions)."""
