"""What cases of any language are about, by the language's own names."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, cast

_HOMES = {
    "spaseq": ".spaseq.features",
    "ceql": ".ceql.features",
    "cqels": ".cqels.features",
    "rsepql": ".rsepql.features",
    "epsparql": ".epsparql.features",
}


class Features(Protocol):
    """What a module of features has."""

    def query_features(self, query: Any) -> frozenset[str]:
        """The operators and constructs of a query."""

    def title_of(self, query: Any) -> str:
        """The query in a line."""

    def words_of(self, query: Any) -> list[str]:
        """The query in words that can be part of a file's name."""


def features_of(language: str) -> Features:
    """The features of a language; KeyError for one that has none."""
    return cast(Features, import_module(_HOMES[language], __package__))
