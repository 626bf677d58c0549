"""Explanations of SPAseq matches: which definition and which events make one, or keep it away."""

from __future__ import annotations

from collections.abc import Iterator

from ....cases.reading import Case
from ....explanations.telling import told


def explained(case: Case, match: int | None, missing: str | None) -> Iterator[str]:
    """Lines that say why matches are there, or why one is not."""
    from .telling import SpaseqTeller

    return told(SpaseqTeller, case, match, missing)
