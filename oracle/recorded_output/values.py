"""RDF terms as foreign engines write them, and when two of them are the same answer.

Terms are compared as terms: an IRI is equal to itself only, a string to the same string. The one
exception are numbers. Engines pass numbers through their own types (an xsd:double comes back as
xsd:integer, an average with eighteen digits or with twenty-four), so two literals that are both of
a numeric datatype are equal iff their values are: integral values exactly, others within a relative
tolerance. Nothing else is ever turned into a number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import isfinite
from typing import Any, TypeAlias

from rdflib.term import BNode, Literal, URIRef

from ...semantics.model.terms import Term, literal
from ...semantics.rdf.expressions.values import XSD
from ..results.json_objects import ResultError

TOLERANCE = Fraction(1, 10**9)
"""By how much, relatively, two numbers may differ that are not both integers."""

NUMERIC = frozenset(
    XSD + name
    for name in (
        "decimal", "double", "float", "integer", "nonPositiveInteger", "negativeInteger", "long",
        "int", "short", "byte", "nonNegativeInteger", "unsignedLong", "unsignedInt",
        "unsignedShort", "unsignedByte", "positiveInteger",
    )
)

Key: TypeAlias = tuple[str, ...]
"""The key of a term in comparisons: equal keys, equal answers."""

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*")
_WRITTEN = re.compile(r'"?(?P<value>.*?)"?\^\^<?(?P<datatype>[^\s<>"]+)>?', re.DOTALL)
_TAGGED = re.compile(r'"(?P<value>.*)"@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*)', re.DOTALL)
_QUOTED = re.compile(r'"(?P<value>.*)"', re.DOTALL)
_SPECIAL = {"INF": "INF", "+INF": "INF", "-INF": "-INF", "NAN": "NaN"}


# --- reading -------------------------------------------------------------------------------------


def foreign_term(written: Any) -> Term | None:
    """Return the term that an engine wrote; None where it wrote null: the variable is unbound.

    Known are a TERM of SPARQL's JSON results, also one without a type, or with the datatype inside
    its value; a JSON number or truth value; and a text: an IRI, a blank node, a literal in Turtle's
    manner, else a plain string. Raises ResultError for anything else.
    """
    if isinstance(written, Mapping):
        return _of_object(written)
    if written is None:
        return None
    if isinstance(written, bool):
        return literal(str(written).lower(), XSD + "boolean")
    if isinstance(written, int):
        return literal(str(written), XSD + "integer")
    if isinstance(written, float):
        return literal(repr(written), XSD + "double")
    if isinstance(written, str):
        return _of_text(written)
    raise ResultError(f"not a term: {_brief(written)}")


def _of_object(written: Mapping[str, Any]) -> Term | None:
    value = written.get("value")
    if value is None:
        return None
    kind = str(written.get("type") or "").lower()
    datatype = written.get("datatype") or None
    language = written.get("xml:lang") or written.get("lang") or None
    if kind in ("uri", "iri"):
        return URIRef(str(value).removeprefix("<").removesuffix(">"))
    if kind in ("bnode", "blank"):
        return BNode(str(value).removeprefix("_:"))
    if kind and kind not in ("literal", "typed-literal", "plain-literal"):
        raise ResultError(f"a term's type is uri, bnode or literal, not {_brief(written['type'])}")
    if not isinstance(value, str):
        return foreign_term(value)
    if datatype is not None:
        return literal(_unquoted(value), _expanded(str(datatype)))
    if language is not None:
        return literal(value, None, str(language))
    if not kind:
        return _of_text(value)
    inside = _WRITTEN.fullmatch(value)
    if inside is not None and _is_datatype(inside["datatype"]):
        return literal(inside["value"], _expanded(inside["datatype"]))
    return literal(value)


def _of_text(text: str) -> Term:
    if text.startswith("<") and text.endswith(">"):
        return URIRef(text[1:-1])
    if text.startswith("_:"):
        return BNode(text[2:])
    for pattern in (_WRITTEN, _TAGGED, _QUOTED):
        found = pattern.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        if "datatype" in parts and not _is_datatype(parts["datatype"]):
            continue
        datatype = _expanded(parts["datatype"]) if "datatype" in parts else None
        return literal(parts["value"], datatype, parts.get("language"))
    return URIRef(text) if _IRI.fullmatch(text) else literal(text)


def _is_datatype(text: str) -> bool:
    return _IRI.fullmatch(text) is not None


def _expanded(datatype: str) -> str:
    datatype = datatype.removeprefix("<").removesuffix(">")
    for prefix in ("xsd:", "xs:"):
        if datatype.startswith(prefix):
            return XSD + datatype.removeprefix(prefix)
    return datatype


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value.startswith('"') and value.endswith('"'):
        return value[1:-1]
    return value


def _brief(written: object) -> str:
    text = repr(written)
    return text if len(text) <= 60 else text[:57] + "…"


# --- comparing -----------------------------------------------------------------------------------


def number_of(term: Term) -> Fraction | str | None:
    """Return a numeric literal's value (INF, -INF and NaN as text); None for any other term."""
    if not isinstance(term, Literal) or str(term.datatype) not in NUMERIC:
        return None
    text = str(term).strip()
    special = _SPECIAL.get(text.upper())
    if special is not None:
        return special
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None  # ill-typed: no number, a term like any other
    return Fraction(value) if isfinite(value) else None


class Comparer:
    """Keys of terms such that equal answers have equal keys.

    The numbers that an engine recorded are given at first; a number within the tolerance of one of
    them gets that one's key.
    """

    def __init__(self, recorded: Iterable[Term], tolerance: Fraction = TOLERANCE) -> None:
        self._tolerance = tolerance
        self._known: list[Fraction] = []
        for value in sorted({v for v in map(number_of, recorded) if isinstance(v, Fraction)}):
            if not self._known or not self._close(self._known[-1], value):
                self._known.append(value)
        self._keys: dict[Term, Key] = {}

    def key(self, term: Term) -> Key:
        """Return the key of a term; all blank nodes share one, as their labels are local."""
        known = self._keys.get(term)
        if known is None:
            known = self._keys[term] = self._key(term)
        return known

    def _key(self, term: Term) -> Key:
        if isinstance(term, URIRef):
            return "iri", str(term)
        if isinstance(term, BNode):
            return ("blank",)
        number = number_of(term)
        if isinstance(number, Fraction):
            return "number", str(self._nearest(number))
        if number is not None:
            return "number", number
        return "literal", str(term), str(term.datatype or ""), str(term.language or "")

    def _nearest(self, value: Fraction) -> Fraction:
        place = bisect_left(self._known, value)
        near = [k for k in self._known[max(0, place - 1) : place + 1] if self._close(k, value)]
        return min(near, key=lambda known: abs(known - value), default=value)

    def _close(self, one: Fraction, other: Fraction) -> bool:
        if one == other:
            return True
        if one.denominator == 1 and other.denominator == 1:
            return False
        return abs(one - other) <= self._tolerance * max(abs(one), abs(other))
