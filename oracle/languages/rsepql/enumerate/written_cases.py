"""RSEP-QL cases whose queries are put together of written clauses, each clause with a size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from rdflib.term import URIRef

from .....semantics.rsepql.syntax.parse import parse
from .....semantics.rsepql.syntax.readings import Readings
from .....semantics.rsepql.syntax.tree import RsepqlQuery
from ....ranks.families import Family, Weight
from ....ranks.numbered_streams import NumberedStreams, Symbols
from ...enumerated_graphs import EXAMPLE, PREFIXES
from ...enumeration import Bounds, Enumeration
from .clauses import About, WrittenQuery
from .content_streams import content_streams, graph_of, items, written
from .event_joins import event_joins
from .group_patterns import group_patterns
from .two_windows import two_windows
from .window_clauses import window_functions

_ALPHABETS = {
    "window-functions": window_functions,
    "two-windows": two_windows,
    "event-joins": event_joins,
    "group-patterns": group_patterns,
}

_WIDE = 2


@dataclass(frozen=True, slots=True)
class _Named:
    """Queries that leave nothing open: the naming is none, what streams need to know is known."""

    about: About

    def total(self, weight: Weight[About]) -> int:
        """The weight of the only one."""
        return weight(self.about)

    def at(self, rank: int, weight: Weight[About]) -> tuple[None, About, int]:
        """The only one, and the rank in it."""
        return None, self.about, rank


class WrittenCases(Enumeration[RsepqlQuery, About, Readings]):
    """The operators are what each clause counts for; `within` is the width of windows, 2 if it is
    not said."""

    language, prefixes, readings_type = "rsepql", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("windows of RSEP-QL are N wide, without SLIDE")
        super().__init__(bounds)

    @property
    def called(self) -> str:
        return f"{self.language}-{self.bounds.alphabet}"

    def families(self, operators: int) -> list[Family[RsepqlQuery, None, About]]:
        return [
            Family(len(texts), _Named(about), partial(_query, texts))
            for about, texts in _by_about(self.bounds, operators)
        ]

    def streams(self, about: About, events: int) -> NumberedStreams:
        return content_streams(about.contents, events)

    def beside(self, about: About) -> Mapping[str, Any]:
        beside: dict[str, Any] = {}
        if about.kb:
            beside["kb"] = {URIRef(EXAMPLE + name): graph_of(those) for name, those in about.kb}
        if about.evaluation:
            beside["evaluation"] = dict(about.evaluation)
        return beside

    def written(self, about: About, streams: Symbols) -> str:
        return written(about.contents, about.streams, streams)

    def items(self, about: About, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return items(about.contents, about.streams, streams)


def _by_about(bounds: Bounds, operators: int) -> list[tuple[About, Sequence[str]]]:
    """The queries with exactly so many operators, those together whose streams are the same."""
    return _sorted(bounds.alphabet, bounds.within or _WIDE).get(operators, [])


@cache
def _sorted(alphabet: str, width: int) -> dict[int, list[tuple[About, Sequence[str]]]]:
    found: dict[int, dict[About, list[str]]] = {}
    asked: WrittenQuery
    for asked in _ALPHABETS[alphabet](width):
        found.setdefault(asked.operators, {}).setdefault(asked.about, []).append(asked.text)
    return {operators: list(those.items()) for operators, those in found.items()}


def _query(texts: Sequence[str], shape: int, _: None) -> RsepqlQuery:
    return _parsed(texts[shape])


@lru_cache(maxsize=1024)
def _parsed(text: str) -> RsepqlQuery:
    return parse(text)
