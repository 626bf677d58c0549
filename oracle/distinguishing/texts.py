"""How two queries differ as texts, what makes no difference aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from typing import Any

from ...semantics.model.trees import names_in, renamed
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from ..languages.spaseq.shrink import GPM_NAMES, STREAM_NAMES
from . import Side


def differences(a: Side, b: Side) -> list[str]:
    """Lines that only A (-) or only B (+) has; none if the two are the same query, read alike.

    The layout, the prefixes and the names of SPAseq's patterns and streams make no difference.
    """
    if _lines(a, _renamed(a.query), {}) == _lines(b, _renamed(b.query), {}):
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


def _renamed(query: Any) -> Any:
    if not isinstance(query, SpaseqQuery):
        return query
    found = names_in(query.sequence, GPM_NAMES)
    names = {name: f"E{number}" for number, name in enumerate(found, start=1)}
    streams = {clause.name: f"S{number}" for number, clause in enumerate(query.streams, start=1)}
    plain = renamed(renamed(query, GPM_NAMES, names), STREAM_NAMES, streams)
    used = [each for each in plain.definitions if each.name in names.values()]
    return replace(plain, definitions=tuple(sorted(used, key=lambda each: each.name)))


__all__ = ["differences"]
