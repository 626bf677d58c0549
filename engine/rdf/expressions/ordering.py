"""The order of terms that ORDER BY, MIN and MAX use (SPARQL 1.1 Query, 15.1).

Unbound comes first, then blank nodes, IRIs, literals. Literals that `<` does not compare are
ordered by their kind, so that the order is total and sorting is well-defined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from functools import cmp_to_key
from typing import Any, Final

from ....semantics.model.terms import BNode, URIRef
from .moments import Duration, Moment
from .values import NUMERIC, LangString, Opaque, Value

_BLANK, _IRI, _STRING, _TAGGED, _BOOLEAN, _NUMBER, _MOMENT, _DURATION, _OTHER = range(1, 10)


def compare(left: Value | None, right: Value | None) -> int:
    """Negative, 0 or positive as the left comes before, with or after the right; None is unbound.

    >>> compare(None, URIRef("urn:a")) < 0
    True
    """
    kind, other = _kind(left), _kind(right)
    if kind != other:
        return kind - other
    one, two = _comparable(left), _comparable(right)
    if one < two:
        return -1
    return 1 if two < one else 0


def _kind(value: Value | None) -> int:
    if value is None:
        return 0
    if isinstance(value, BNode):
        return _BLANK
    if isinstance(value, URIRef):
        return _IRI
    if type(value) in NUMERIC:
        return _NUMBER
    if isinstance(value, bool):
        return _BOOLEAN
    if isinstance(value, LangString):
        return _TAGGED
    if isinstance(value, Moment):
        return _MOMENT
    if isinstance(value, Duration):
        return _DURATION
    return _OTHER if isinstance(value, Opaque) else _STRING


def _comparable(value: Value | None) -> Any:
    if value is None or isinstance(value, BNode):
        return 0
    if isinstance(value, URIRef):
        return str(value)
    if isinstance(value, Moment):
        return (value.dated_only, value.seconds)
    if isinstance(value, Opaque):
        return (value.lexical, str(value.datatype))
    if isinstance(value, float):
        # NaN is below all numbers; tuples make it comparable. Others are compared exactly.
        return (0, 0) if math.isnan(value) else (1, float(value))
    if type(value) is int or isinstance(value, Decimal):
        return (1, value)
    return value


ascending: Final[Callable[[Value | None], Any]] = cmp_to_key(compare)
"""Sort key of the order."""
