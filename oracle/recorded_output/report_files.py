"""Verdicts on recorded answers as files: JSON, JUnit XML, a table in Markdown, an HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path, PurePath
from typing import Any
from xml.etree import ElementTree

from ...semantics.model.items import TimeKind
from ...semantics.model.mappings import SolutionMapping
from ...semantics.streams.files.outputs import write_text
from ..reports.generated_sections import plain, with_part, write_page
from ..reports.html.page_style import page_head
from ..reports.renderers import write_suites
from ..results.json_objects import mapping_to_json
from .report_text import (
    Answered,
    detail_lines,
    difference_in_words,
    difference_lines,
    engine_lines,
    groups,
    headline,
    lateness,
    nearest_ones,
    place_in_words,
    setting_in_words,
)
from .schedules import Extent, Setting
from .setting_search import Nearest, Right


def write_json(judged: Sequence[Answered], path: Path) -> None:
    """Write one object per recording; times are seconds, or integers on integer streams."""
    text = json.dumps([verdict_object(entry) for entry in judged], indent=1, ensure_ascii=False)
    write_text(path, text + "\n")


def verdict_object(answered: Answered) -> dict[str, Any]:
    """Return a verdict as JSON: {answers, query, right, settings: […], nearest: {…}}."""
    verdict = answered.verdict
    written: dict[str, Any] = {
        "answers": answered.place,
        "query": answered.query,
        "engine": verdict.engine.name if verdict.engine is not None else None,
        "right": verdict.ok,
        "delay": _time(verdict.delay, answered),
        "settings": [_right_object(right, answered) for right in verdict.right],
    }
    if verdict.note:
        written["note"] = verdict.note
    for name, nearest in (("nearest", verdict.nearest), ("nearest own", verdict.nearest_own)):
        if nearest is not None:
            written[name] = _nearest_object(nearest, answered)
    return written


def _nearest_object(nearest: Nearest, answered: Answered) -> dict[str, Any]:
    return {
        "setting": setting_object(nearest.setting, answered),
        "t0": "any" if nearest.start is None else _time(nearest.start, answered),
        "size": nearest.size,
        "missing": [
            {"due": _time(e.time, answered), "row": _row(e.row, answered)} for e in nearest.missing
        ],
        "unexpected": [
            {"came": _time(e.time, answered), "row": _row(e.row, answered)}
            for e in nearest.unexpected
        ],
        "late": [
            {
                "due": _time(e.due, answered), "came": _time(e.came, answered),
                "by": _time(e.came - e.due, answered), "row": _row(e.row, answered),
            }
            for e in nearest.misplaced
        ],
    }


def _right_object(right: Right, answered: Answered) -> dict[str, Any]:
    own = right in answered.verdict.own
    return {
        **setting_object(right.setting, answered),
        "t0": [
            [_time(starts.earliest, answered), _time(starts.latest, answered)]
            for starts in right.starts
        ] or "any",
        "late": [_time(right.least, answered), _time(right.most, answered)],
        "own": own,
    }


def setting_object(setting: Setting, answered: Answered) -> dict[str, Any]:
    """Return a setting by its fields; those that the policy does not have are left out."""
    written: dict[str, Any] = {
        "policy": str(setting.policy),
        "operator": str(setting.operator),
        "bounds": str(setting.bounds),
        "empty answers": setting.empty_answers,
        "window": setting.extent.name.lower(),
    }
    if setting.extent is Extent.CLOSED:
        written["first window"] = setting.first.name.lower()
    if setting.trigger is not None:
        written["trigger"] = setting.trigger.name.lower()
    if setting.period is not None:
        written["period"] = _time(setting.period, answered)
    return written


def _time(time: int, answered: Answered) -> float | int:
    if answered.question.kind is TimeKind.INTEGER:
        return time
    seconds = time / 1_000_000
    return int(seconds) if seconds.is_integer() else seconds


def _row(row: SolutionMapping | None, answered: Answered) -> dict[str, Any] | None:
    return None if row is None else mapping_to_json(row, answered.verdict.variables)


# --- JUnit ---------------------------------------------------------------------------------------


def write_junit(judged: Sequence[Answered], path: Path, seconds: float) -> None:
    """Write one test case per recording."""
    wrong = sum(not entry.verdict.ok for entry in judged)
    counts: dict[str, str] = {
        "tests": str(len(judged)), "failures": str(wrong), "errors": "0",
        "time": f"{seconds:.6f}",
    }
    suites = ElementTree.Element("testsuites", {"name": "denota: recorded answers", **counts})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "recorded answers", **counts})
    for entry in judged:
        case = ElementTree.SubElement(
            suite, "testcase", name=PurePath(entry.place).name,
            classname=entry.query, file=entry.place, time=f"{entry.seconds:.6f}",
        )
        text = "\n".join(detail_lines(entry))
        if entry.verdict.ok:
            ElementTree.SubElement(case, "system-out").text = text
        else:
            message = _told(entry)
            failure = ElementTree.SubElement(case, "failure", type="wrong", message=message)
            failure.text = text
    write_suites(suites, path)


def _told(entry: Answered) -> str:
    if entry.verdict.nearest is None:
        return f"wrong {headline(entry)}"
    return f"wrong {headline(entry)}: {difference_in_words(entry.verdict.nearest, entry)}"


# --- Markdown ------------------------------------------------------------------------------------


def write_markdown(judged: Sequence[Answered], path: Path) -> None:
    """Write a table with the settings of each recording.

    In a page that has a part between `<!-- answers -->` and `<!-- end -->`, that part is replaced.
    """
    table = "\n".join(table_lines(judged)) + "\n"
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    renewed = with_part(page, "answers", table)
    write_page(path, table if renewed is None else renewed)


def table_lines(judged: Sequence[Answered]) -> Iterator[str]:
    """Yield the table, by engine; and what the recordings of an engine have in common.

    Where a recording is right under its engine's own settings, only these are listed.
    """
    yield "| answers | verdict | setting | window start | late |"
    yield "|---|---|---|---|---|"
    ordered = sorted(judged, key=lambda entry: PurePath(entry.place).stem)
    for entry in ordered:
        name = plain(PurePath(entry.place).stem)
        if entry.verdict.ok:
            yield from _right_rows(name, entry)
        else:
            yield from _wrong_rows(name, entry)
    lines = list(engine_lines(ordered))
    if lines:
        yield ""
        yield "```text"
        yield from lines
        yield "```"


def _right_rows(name: str, entry: Answered) -> Iterator[str]:
    found = groups(entry.verdict, entry.question.slide)
    own = [group for group in found if group.own]
    others = sum(group.size for group in found) - sum(group.size for group in own)
    for number, group in enumerate(own or found):
        first = f"| {name} | right" if not number else "| | "
        more = f"; {others} others" if own and others and number == len(own) - 1 else ""
        when = entry.words.starts(group.starts) or "any"
        late = lateness(group.least, group.most, entry.words).strip(", ").removesuffix(" late")
        yield f"{first} | {group.setting(entry.words)}{more} | {when} | {late} |"


def _wrong_rows(name: str, entry: Answered) -> Iterator[str]:
    for number, (nearest, whose) in enumerate(nearest_ones(entry.verdict)):
        first = f"| {name} | wrong" if not number else "| | "
        setting = setting_in_words(nearest.setting, entry.words)
        when = "any" if nearest.start is None else f"t0 = {entry.words.time(nearest.start)}"
        yield f"{first} | nearest{whose}: {setting} | {when} | |"
        yield f"| | | it differs in {plain(difference_in_words(nearest, entry))} | | |"


# --- HTML -----------------------------------------------------------------------------------------


def write_html(judged: Sequence[Answered], path: Path) -> None:
    """Write the page."""
    write_page(path, "\n".join(_page(judged)))


def _page(judged: Sequence[Answered]) -> Iterator[str]:
    right = sum(entry.verdict.ok for entry in judged)
    yield from page_head(
        "recorded answers", "Recorded answers",
        "checked by denota over all window starts, report policies, stream operators and"
        " conventions for the ends of windows",
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
