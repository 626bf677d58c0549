"""Shrinking: the smallest case found that fails in the same way.

Case-level delta debugging, for cases from anywhere: operators, graph patterns, filters, events,
triples and readings are dropped, times and terms made plainer, as long as the case fails still.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...semantics.errors import DenotaError, UnsupportedError
from ..cases import Case

LIMIT = 5_000
"""How often `fails` is asked at most."""


def shrink(case: Case, fails: Callable[[Case], bool], *, limit: int = LIMIT) -> Case:
    """The simplest case found that `fails` still; it has no expectation, the oracle's has changed.

    `fails` is true of the case itself. It depends on nothing but the case; a DenotaError in it
    means that a simplification has no meaning. A case in a language that cannot be shrunk yet
    raises UnsupportedError.
    """
    of, shrunk = _shrinker(case.language)
    language = case.task().language

    def as_case(small: Any) -> Case:
        made: Case = small.case()
        return replace(
            made, title=case.title, cites=case.cites, tags=case.tags,
            prefixes={**case.prefixes, **made.prefixes},
        )

    def still_fails(small: Any) -> bool:
        try:
            return fails(as_case(small)) and bool(
                language.parse(language.print(small.query)) == small.query
            )
        except DenotaError:
            return False

    simplest = as_case(shrunk(of(case), still_fails, limit=limit))
    return simplest


def _shrinker(language: str) -> tuple[Callable[[Case], Any], Callable[..., Any]]:
    """How a language's cases are read as data, and how these are shrunk."""
    if language == "spaseq":
        from ..spaseq_case import SpaseqCase
        from .spaseq import shrink_spaseq

        return SpaseqCase.of, shrink_spaseq
    if language == "ceql":
        from ..ceql_case import CeqlCase
        from .ceql import shrink_ceql

        return CeqlCase.of, shrink_ceql
    if language == "rsepql":
        from ..rsepql_case import RsepqlCase
        from .rsepql import shrink_rsepql

        return RsepqlCase.of, shrink_rsepql
    if language == "cqels":
        from ..cqels_case import CqelsCase
        from .cqels import shrink_cqels

        return CqelsCase.of, shrink_cqels
    if language == "epsparql":
        from ..epsparql_case import EpsparqlCase
        from .epsparql import shrink_epsparql

        return EpsparqlCase.of, shrink_epsparql
    raise UnsupportedError(f"cases in {language} cannot be shrunk yet")


__all__ = ["LIMIT", "shrink"]
