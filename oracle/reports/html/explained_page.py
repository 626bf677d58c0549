"""Explanations as a part of a page: prose, and what it rests on drawn as a timeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from ....semantics.model.errors import DenotaError
from ...cases.case import Case
from ...explanations.explained import Explanation, explainer_of, explanation_html, of_verdict
from ...explanations.telling import Explainer
from ...judging.verdicts import Verdict
from ..page_parts import write_page
from .page_style import page_head

_MOST = 2
"""So many missing answers of a case are explained, and so many unexpected ones."""


def write_explanations(
    told: Explainer, explanations: Sequence[Explanation], path: Path
) -> None:
    """Write what `denota explain` says as one self-contained HTML page."""
    write_page(path, "\n".join(_page(told, explanations)) + "\n")


def _page(told: Explainer, explanations: Sequence[Explanation]) -> Iterator[str]:
    case = told.case
    title = case.title or case.id
    yield from page_head(title, title, f"explained by denota, {case.language.title}", [])
    yield f"<pre>{escape(case.text.rstrip())}</pre>"
    for explanation in explanations:
        yield from explanation_html(told, explanation)
    yield "</body></html>"


def verdict_part(case: Case, verdict: Verdict) -> Iterator[str]:
    """Why what an engine misses should be there, and why what it has too many should not."""
    if not (verdict.missing or verdict.unexpected or verdict.repeated):
        return
    try:
        told = explainer_of(case)
        for explanation in of_verdict(told, verdict, _MOST):
            yield from explanation_html(told, explanation)
    except DenotaError as error:
        yield f"<p>There is no explanation: {escape(error.message)}</p>"
