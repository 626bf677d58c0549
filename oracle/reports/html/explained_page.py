"""Explanations as a page, or as a part of a page: text and timelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from ....semantics.model.errors import DenotaError
from ...cases.case import Case
from ...explanations.explain_case import (
    Explanation,
    explain_verdict,
    explainer_of,
    explanation_html,
)
from ...explanations.explainer import Explainer
from ...judging.verdicts import Verdict
from ..page_parts import write_page
from .page_style import page_head

_MAX_EXPLAINED = 2
"""The number of answers of a case that are explained, for each kind of difference."""


def write_explanations(
    explainer: Explainer, explanations: Sequence[Explanation], path: Path
) -> None:
    """Write the output of `denota explain` as one self-contained HTML page."""
    write_page(path, "\n".join(_page(explainer, explanations)) + "\n")


def _page(explainer: Explainer, explanations: Sequence[Explanation]) -> Iterator[str]:
    case = explainer.case
    title = case.title or case.id
    yield from page_head(title, title, f"explained by denota, {case.language.title}", [])
    yield f"<pre>{escape(case.text.rstrip())}</pre>"
    for explanation in explanations:
        yield from explanation_html(explainer, explanation)
    yield "</body></html>"


def verdict_part(case: Case, verdict: Verdict) -> Iterator[str]:
    """Yield explanations of missing, unexpected and repeated answers."""
    if not (verdict.missing or verdict.unexpected or verdict.repeated):
        return
    try:
        explainer = explainer_of(case)
        for explanation in explain_verdict(explainer, verdict, _MAX_EXPLAINED):
            yield from explanation_html(explainer, explanation)
    except DenotaError as error:
        yield f"<p>no explanation available: {escape(error.message)}</p>"
