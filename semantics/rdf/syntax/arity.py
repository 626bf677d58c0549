"""How many arguments each built-in function takes (SPARQL 1.1 Query, 19.8, BuiltInCall)."""

from __future__ import annotations

import sys

_NONE = range(1)
_ONE = range(1, 2)
_TWO = range(2, 3)
_THREE = range(3, 4)
_ANY = range(sys.maxsize)

ARITY: dict[str, range] = {
    **dict.fromkeys(("NOW", "RAND", "STRUUID", "UUID"), _NONE),
    **dict.fromkeys((
        "ABS", "BOUND", "CEIL", "DATATYPE", "DAY", "ENCODE_FOR_URI", "FLOOR", "HOURS", "IRI",
        "ISBLANK", "ISIRI", "ISLITERAL", "ISNUMERIC", "ISURI", "LANG", "LCASE", "MD5", "MINUTES",
        "MONTH", "ROUND", "SECONDS", "SHA1", "SHA256", "SHA384", "SHA512", "STR", "STRLEN",
        "TIMEZONE", "TZ", "UCASE", "URI", "YEAR",
    ), _ONE),
    **dict.fromkeys((
        "CONTAINS", "LANGMATCHES", "SAMETERM", "STRAFTER", "STRBEFORE", "STRDT", "STRENDS",
        "STRLANG", "STRSTARTS",
    ), _TWO),
    "IF": _THREE,
    "BNODE": range(2),
    "REGEX": range(2, 4),
    "SUBSTR": range(2, 4),
    "REPLACE": range(3, 5),
    "COALESCE": _ANY,
    "CONCAT": _ANY,
}


def in_words(arity: range) -> str:
    """An arity for people.

    >>> in_words(ARITY["REGEX"])
    '2 to 3 arguments'
    """
    low, high = arity[0], arity[-1]
    if low == high:
        return f"{low or 'no'} argument{'' if low == 1 else 's'}"
    return f"{low} to {high} arguments"
