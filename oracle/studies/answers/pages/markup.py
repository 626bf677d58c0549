"""Verdicts on recorded answers as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path, PurePath

from ....reports.html.page_style import page_head
from ....reports.page_parts import write_page
from .listing import groups
from .printed import (
    Answered,
    difference_in_words,
    difference_lines,
    engine_lines,
    headline,
    nearest_ones,
    place_in_words,
)


def write_html(judged: Sequence[Answered], path: Path) -> None:
    """Write the page."""
    write_page(path, "\n".join(_page(judged)))


def _page(judged: Sequence[Answered]) -> Iterator[str]:
    right = sum(entry.verdict.ok for entry in judged)
    yield from page_head(
        "recorded answers", "Recorded answers",
        "judged by denota over all window starts, report policies, stream operators and conventions"
        " for the ends of windows",
        [("pass", right, "right"), ("fail", len(judged) - right, "wrong")],
    )
    lines = list(engine_lines(judged))
    if lines:
        yield f"<pre>{escape(chr(10).join(lines))}</pre>"
    for title, chosen in (("Wrong", False), ("Right", True)):
        entries = [entry for entry in judged if entry.verdict.ok is chosen]
        if entries:
            yield f"<h2>{title}</h2>"
        for entry in entries:
            yield from _article(entry)
    yield "</body></html>"


def _article(entry: Answered) -> Iterator[str]:
    word, style = ("right", "pass") if entry.verdict.ok else ("wrong", "fail")
    yield (
        f'<article><h3><small class="{style}">{word}</small>'
        f"{escape(PurePath(entry.place).name)}</h3>"
    )
    yield f'<p class="place">{escape(entry.place)}, {escape(entry.query)}</p>'
    yield f"<p>{escape(headline(entry))}</p>"
    found = groups(entry.verdict, entry.question.slide)
    if found:
        yield '<div class="scroll"><table class="all"><tbody>'
        for group in found:
            star = "★" if group.own else ""
            cells = (star, group.setting(entry.words), group.when(entry.words))
            yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        yield "</tbody></table></div>"
    for nearest, whose in nearest_ones(entry.verdict):
        yield f"<p>Nearest{escape(whose)}: {escape(place_in_words(nearest, entry.words))}.</p>"
        yield f"<p>It differs in {escape(difference_in_words(nearest, entry))}.</p>"
        yield f"<pre>{escape(chr(10).join(difference_lines(nearest, entry)))}</pre>"
    yield "</article>"
