"""Shrinking: the smallest case found that fails in the same way.

Case-level delta debugging, for cases from anywhere: operators, graph patterns, filters, events,
triples and readings are dropped, times and terms made plainer, as long as the case fails still.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...semantics.errors import DenotaError, UnsupportedError
from ..cases import Case
from ..spaseq_case import SpaseqCase
from .spaseq import shrink_spaseq

LIMIT = 5_000
"""How often `fails` is asked at most."""


def shrink(case: Case, fails: Callable[[Case], bool], *, limit: int = LIMIT) -> Case:
    """The simplest case found that `fails` still; it has no expectation, the oracle's has changed.

    `fails` is true of the case itself. It depends on nothing but the case; a DenotaError in it
    means that a simplification has no meaning. A case in a language that cannot be shrunk yet
    raises UnsupportedError.
    """
    if case.language != "spaseq":
        raise UnsupportedError(f"cases in {case.language} cannot be shrunk yet")
    from ...semantics.spaseq.parse import parse
    from ...semantics.spaseq.printing import to_text

    def as_case(small: SpaseqCase) -> Case:
        made = small.case()
        return replace(
            made, title=case.title, cites=case.cites, tags=case.tags,
            prefixes={**case.prefixes, **made.prefixes},
        )

    def still_fails(small: SpaseqCase) -> bool:
        try:
            return fails(as_case(small)) and parse(to_text(small.query)) == small.query
        except DenotaError:
            return False

    return as_case(shrink_spaseq(SpaseqCase.of(case), still_fails, limit=limit))


__all__ = ["LIMIT", "shrink"]
