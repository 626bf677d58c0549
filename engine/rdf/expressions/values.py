"""The values of RDF terms as expressions see them (SPARQL 1.1 Query, 17.1; XML Schema, part 2).

A value is a Python object whose exact type says what it is:

    int       xsd:integer and the types derived from it     bool        xsd:boolean
    Decimal   xsd:decimal                                   str         xsd:string
    Single    xsd:float                                     LangString  rdf:langString
    float     xsd:double                                    Moment      xsd:dateTime, xsd:date
    Duration  xsd:dayTimeDuration
    URIRef, BNode  themselves                               Opaque      any other literal

A literal whose lexical form its datatype does not have is Opaque too: it has no value. White space
around a number is such a form (XML Schema collapses it before, RDF has no "before").
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple, Protocol, TypeAlias

from ....semantics.model.errors import Impossible
from ....semantics.model.terms import BNode, Literal, Term, URIRef
from .moments import Duration, Moment, parse_duration, parse_moment


class ExpressionError(Exception):
    """SPARQL's type error: what an expression without a value evaluates to."""


class Single(float):
    """An xsd:float: a double that a 32-bit float represents exactly."""

    __slots__ = ()


class LangString(NamedTuple):
    """A language-tagged string; the tag is in lower case."""

    text: str
    language: str


class Opaque(NamedTuple):
    """A literal without a value that we know: equal to itself, incomparable to other literals."""

    lexical: str
    datatype: URIRef


Number: TypeAlias = int | Decimal | Single | float
Value: TypeAlias = Number | bool | str | LangString | Moment | Duration | URIRef | BNode | Opaque

NUMERIC: Final = frozenset({int, Decimal, Single, float})

XSD: Final = "http://www.w3.org/2001/XMLSchema#"

# Inclusive bounds of the types derived from xsd:integer, None for unbounded.
INTEGER_RANGES: Final[dict[str, tuple[int | None, int | None]]] = {
    XSD + "integer": (None, None),
    XSD + "nonPositiveInteger": (None, 0),
    XSD + "negativeInteger": (None, -1),
    XSD + "nonNegativeInteger": (0, None),
    XSD + "positiveInteger": (1, None),
    XSD + "long": (-(1 << 63), (1 << 63) - 1),
    XSD + "int": (-(1 << 31), (1 << 31) - 1),
    XSD + "short": (-(1 << 15), (1 << 15) - 1),
    XSD + "byte": (-128, 127),
    XSD + "unsignedLong": (0, (1 << 64) - 1),
    XSD + "unsignedInt": (0, (1 << 32) - 1),
    XSD + "unsignedShort": (0, (1 << 16) - 1),
    XSD + "unsignedByte": (0, 255),
}
NUMERIC_DATATYPES: Final = frozenset(INTEGER_RANGES) | {
    XSD + "decimal", XSD + "float", XSD + "double",
}

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPECIAL = {"INF": float("inf"), "+INF": float("inf"), "-INF": float("-inf"), "NaN": float("nan")}
_BOOLEAN = {"true": True, "1": True, "false": False, "0": False}

_BOOLEAN_TYPE = XSD + "boolean"
_DECIMAL_TYPE = XSD + "decimal"
_DOUBLE_TYPE = XSD + "double"
_FLOAT_TYPE = XSD + "float"
_STRING_TYPE = XSD + "string"
_DATE_TYPE = XSD + "date"
_DURATION_TYPE = XSD + "dayTimeDuration"
_MOMENT_TYPES = frozenset({XSD + "dateTime", _DATE_TYPE})


def single(value: float) -> Single:
    """The 32-bit float nearest to a double."""
    try:
        return Single(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return Single("inf" if value > 0 else "-inf")


def nearest_single(value: int | Decimal | Fraction) -> Single:
    """The 32-bit float nearest to a number, rounded once: not by way of the nearest double."""
    double = nearest_double(value)
    if math.isinf(double):
        return Single(double)
    below, above = (single(math.nextafter(double, end)) for end in (-math.inf, math.inf))
    if below == above:
        return single(double)
    # The double is as good as half-way between two floats: only the number itself can decide.
    exact = Fraction(value)
    to_below, to_above = exact - _bound(below), _bound(above) - exact
    if to_below == to_above:
        return single(double)
    return below if to_below < to_above else above


def _bound(value: Single) -> Fraction:
    """The float as a number; an infinity counts as the next power of two for rounding."""
    if math.isinf(value):
        return Fraction(2**128 if value > 0 else -(2**128))
    return Fraction(float(value))


def nearest_double(value: int | Decimal | Fraction) -> float:
    """The nearest double; a number beyond the range becomes an infinity."""
    try:
        # Decimal has a negative zero, xsd:decimal has not.
        return float(value) or 0.0
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def parse_integer(lexical: str) -> int | None:
    """The value of an xsd:integer, None for a lexical form that it does not have."""
    return _long_integer(lexical) if _INTEGER.fullmatch(lexical) else None


def _long_integer(text: str) -> int:
    if len(text) < 4000:
        return int(text)
    # int() refuses texts of more than some 4,300 digits; integers here are unbounded.
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    value = 0
    for start in range(0, len(digits), 4000):
        piece = digits[start : start + 4000]
        value = value * 10 ** len(piece) + int(piece)
    return sign * value


def parse_decimal(lexical: str) -> Decimal | None:
    """The value of an xsd:decimal, exactly, None for a lexical form that it does not have."""
    return Decimal(lexical) if _DECIMAL.fullmatch(lexical) else None


def parse_double(lexical: str) -> float | None:
    """The value of an xsd:double, None for a lexical form that it does not have."""
    if _DOUBLE.fullmatch(lexical):
        return float(lexical)
    return _SPECIAL.get(lexical)


def parse_float(lexical: str) -> Single | None:
    """The value of an xsd:float, None for a lexical form that it does not have."""
    double = parse_double(lexical)
    if double is None:
        return None
    if not math.isfinite(double) or double == 0:
        return single(double)
    return nearest_single(Fraction(lexical))


def parse_boolean(lexical: str) -> bool | None:
    """The value of an xsd:boolean, None for a lexical form that it does not have."""
    return _BOOLEAN.get(lexical)


def value_of(term: Term) -> Value:
    """The value of a term."""
    if not isinstance(term, Literal):
        return term
    language = term.language
    lexical = str(term)
    if language is not None:
        return LangString(lexical, language.lower())
    datatype = term.datatype
    if datatype is None:
        return lexical
    value: Value | None = None
    name = str(datatype)
    if name in INTEGER_RANGES:
        value = _within(parse_integer(lexical), INTEGER_RANGES[name])
    elif name == _DECIMAL_TYPE:
        value = parse_decimal(lexical)
    elif name == _DOUBLE_TYPE:
        value = parse_double(lexical)
    elif name == _FLOAT_TYPE:
        value = parse_float(lexical)
    elif name == _BOOLEAN_TYPE:
        value = parse_boolean(lexical)
    elif name == _STRING_TYPE:
        value = lexical
    elif name in _MOMENT_TYPES:
        value = parse_moment(lexical, dated_only=name == _DATE_TYPE)
    elif name == _DURATION_TYPE:
        value = parse_duration(lexical)
    return Opaque(lexical, datatype) if value is None else value


def _within(value: int | None, bounds: tuple[int | None, int | None]) -> int | None:
    if value is None:
        return None
    low, high = bounds
    if (low is not None and value < low) or (high is not None and value > high):
        return None
    return value


class TermsById(Protocol):
    """What a dictionary knows by bytes alone."""

    def term(self, number: int) -> Term | None: ...


class ValueCache(dict[int, Value]):
    """Id to value, found out when first asked for; reading one for 0 or a list is a type error."""

    __slots__ = ("_terms", "interned")

    def __init__(self, terms: list[Term | None]) -> None:
        super().__init__()
        self._terms = terms
        self.interned: TermsById | None = None
        """Makes terms that no one has looked at yet."""

    def __missing__(self, number: int) -> Value:
        if number <= 0:
            raise ExpressionError("unbound, or a list")
        term = self._terms[number]
        if term is None and self.interned is not None:
            term = self.interned.term(number)
        if term is None:
            raise Impossible(f"{number} is not the id of a term")
        value = self[number] = value_of(term)
        return value
