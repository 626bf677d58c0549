"""How two queries differ as texts, what makes no difference aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

from ..languages.registry import part_of
from . import Side


def differences(a: Side, b: Side) -> list[str]:
    """Lines that only A (-) or only B (+) has; none if the two are the same query, read alike.

    The layout, the prefixes and the names of SPAseq's patterns and streams make no difference.
    """
    plain = getattr(part_of(a.language.name, "distinguish"), "plain", lambda query: query)
    if _lines(a, plain(a.query), {}) == _lines(b, plain(b.query), {}):
        return []
    prefixes = {**b.language.prefixes(b.query), **a.language.prefixes(a.query)}
    one, two = (_lines(side, side.query, prefixes) for side in (a, b))
    told = list(unified_diff(one, two, n=0, lineterm=""))[2:]
    return [line for line in told if not line.startswith("@@")]


def _lines(side: Side, query: Any, prefixes: Mapping[str, str]) -> list[str]:
    text = side.language.print(query, prefixes)
    return [line.strip() for line in text.splitlines()] + list(_readings(side))


def _readings(side: Side) -> Iterator[str]:
    named = side.language.reading_names(side.readings)
    for name, value in named.items():
        if name != "language":
            yield f"{name}={value}"
