"""Built-in functions of values (SPARQL 1.1 Query, 17.4), those on strings aside."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from typing import Final

from ....semantics.model.errors import Impossible
from ....semantics.model.terms import BNode, Literal, URIRef, literal
from .arithmetic import numeric
from .moments import EXACT, Duration, Moment, parse_duration, parse_moment
from .strings import (
    DIGESTS,
    concat,
    contains,
    encode_for_uri,
    langmatches,
    lcase,
    plain,
    regex,
    replace,
    strafter,
    strbefore,
    strends,
    strlen,
    strstarts,
    substr,
    ucase,
)
from .values import NUMERIC, ExpressionError, LangString, Number, Single, Value

# RFC 3987's scheme, then whatever SPARQL's IRIREF admits.
_ABSOLUTE_IRI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>\"{}|^`\\]*")

# --- terms (17.4.2) ------------------------------------------------------------------------------


def is_iri(value: Value) -> bool:
    """ISIRI, ISURI"""
    return isinstance(value, URIRef)


def is_blank(value: Value) -> bool:
    """ISBLANK"""
    return isinstance(value, BNode)


def is_literal(value: Value) -> bool:
    """ISLITERAL"""
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
    """STRLANG"""
    tag = plain(language)
    first, *others = tag.split("-")
    if not (tag.isascii() and first.isalpha() and all(map(str.isalnum, others))):
        raise ExpressionError("no language tag")
    return LangString(plain(value), tag.lower())


# --- numbers (17.4.4) ----------------------------------------------------------------------------


def absolute(value: Value) -> Number:
    """ABS"""
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
    """The present, as an xsd:dateTime in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@lru_cache(maxsize=16)
def instant(shown: str) -> Moment:
    """What `now` has shown, as a value: few queries ask."""
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
