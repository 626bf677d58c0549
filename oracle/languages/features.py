"""The features of cases of any language, by the language's own names."""

from __future__ import annotations

from typing import Any, Protocol, cast

from .registry import has, language, part_of


class Features(Protocol):
    """The contents of a module of features; it may also have `operator_count(query)`."""

    def query_features(self, query: Any) -> frozenset[str]:
        """Return the operators and constructs of a query."""

    def title_of(self, query: Any) -> str:
        """Return the query in a line."""

    def words_of(self, query: Any) -> list[str]:
        """Return the query in words that can be part of a file's name."""


class _NameOnly:
    """The features of a language that tells none."""

    def __init__(self, name: str) -> None:
        self.name = name

    def query_features(self, query: Any) -> frozenset[str]:
        return frozenset()

    def title_of(self, query: Any) -> str:
        return " ".join(language(self.name).print(query).split())

    def words_of(self, query: Any) -> list[str]:
        return [self.name]


def features_of(name: str) -> Features:
    """Return the features of a language."""
    if not has(name, "features"):
        return _NameOnly(name)
    return cast(Features, part_of(name, "features"))
