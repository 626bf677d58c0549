"""Explanations of the results of a case and of absent rows, as text and as timelines.

Conclusions follow the events that they use. A failing derivation is rendered up to the first
condition that fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

from rdflib.term import Identifier

from ...semantics.model.errors import DenotaError
from ..cases.case import Case, ExpectedResults
from ..cases.case_reader import parse_result
from ..checking.levels import Answer
from ..checking.verdicts import Verdict
from ..languages.drawing import Picture
from ..languages.registry import part_of
from ..results.normalisation import result_of
from .derivations import Step
from .explainer import Explainer
from .svg import svg_text
from .timeline import Lane, rejected_marks, timeline


def explanation_lines(step: Step) -> list[str]:
    """Return the lines of a derivation, or of the closest failing derivation."""
    reached = sum(part.event is not None and part.holds for part in step.parts())
    return list(_Renderer(reached > 1).lines(step))


class _Renderer:
    """Renderer of one derivation; numbers its events if there are several."""

    def __init__(self, numbered: bool) -> None:
        self.numbered = numbered
        self.number = 0

    def lines(self, step: Step) -> Iterator[str]:
        if not step.holds:
            yield from self.failing(step)
            return
        reasons = [each for each in step.premises if not each.events]
        for each in step.premises:
            if each.events:
                yield from self.lines(each)
        margin = ""
        if step.text:
            mark = self.mark() if step.event is not None else ""
            margin = " " * len(mark) or "  "
            yield mark + step.text
        for each in reasons:
            yield from _indent(self.lines(each), margin)

    def failing(self, step: Step) -> Iterator[str]:
        if not step.premises:
            if step.text:
                yield step.text
            return
        lines = self.partial(step)
        if step.context:
            yield f"{step.context}:"
            yield from _indent(lines, "  ")
        else:
            yield from lines

    def partial(self, step: Step) -> Iterator[str]:
        """Yield the part that holds, and the condition that fails."""
        *held, last = step.premises
        for each in held:
            if each.events or step.event is None:
                yield from self.lines(each)
        if step.event is not None:
            yield f"Fails at {step.text}:"
            yield from _indent(self.failing(last), "  ")
        else:
            yield from self.failing(last)
        for other in step.alternatives:
            yield f"Also fails at {other.text}: {other.failure}"

    def mark(self) -> str:
        if not self.numbered:
            return ""
        self.number += 1
        return f"{self.number}. "


def _indent(lines: Iterable[str], margin: str) -> Iterator[str]:
    return (margin + line for line in lines)


_MAX_ITEMS = 400
_MAX_FILTERED = 3


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reasons why a row is, or is not, a result: a heading, lines of text and a derivation.

    `label` is the kind of difference in a verdict: missing, unexpected or duplicate.
    """

    heading: str
    lines: tuple[str, ...] = ()
    step: Step | None = None
    label: str = ""

    def text(self) -> Iterator[str]:
        """Yield the lines that `denota explain` prints."""
        yield self.heading
        yield from (f"  {line}" for line in self.lines)
        yield ""


class Explanations(Sequence[Explanation]):
    """The explanations of one case; `print` shows text, notebooks also show timelines."""

    def __init__(self, explainer: Explainer, explanations: Iterable[Explanation]) -> None:
        self._explainer = explainer
        self._explanations = tuple(explanations)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Explanation, ...]: ...
    def __getitem__(self, index: int | slice) -> Explanation | tuple[Explanation, ...]:
        return self._explanations[index]

    def __len__(self) -> int:
        return len(self._explanations)

    def __str__(self) -> str:
        return "\n".join(line for each in self for line in each.text()).rstrip("\n")

    __repr__ = __str__

    def svg(self, index: int = 0) -> Picture:
        """Return the timeline of an explanation as an SVG document.

        Raises:
            DenotaError: if the case has no events, or too many.
        """
        picture = drawing(self._explainer, self[index], alone=True)
        if not picture:
            raise DenotaError(f"no timeline: the case does not have 1 to {_MAX_ITEMS} events")
        return Picture(picture)

    def _repr_html_(self) -> str:
        return "\n".join(
            line for each in self for line in explanation_html(self._explainer, each, image=True)
        )


def explanation_html(
    explainer: Explainer, explanation: Explanation, *, image: bool = False
) -> Iterator[str]:
    """Yield the lines of an explanation in HTML: heading, timeline, text.

    The timeline uses the style of the page, unless it is an `image`.
    """
    label = f"{explanation.label}: " if explanation.label else ""
    yield f'<div class="why"><h4>{escape(label + explanation.heading)}</h4>'
    picture = drawing(explainer, explanation, alone=image)
    if picture:
        picture = Picture(picture).as_image() if image else picture
        yield f'<div class="scroll" tabindex="0">{picture}</div>'
    if explanation.lines:
        yield '<div class="prose">'
        for line in explanation.lines:
            text = line.lstrip()
            # A wrapped line keeps its indentation, also on a narrow screen.
            yield f'<p style="margin-left:{2 + len(line) - len(text)}ch">{escape(text)}</p>'
        yield "</div>"
    yield "</div>"


def explainer_of(case: Case) -> Explainer:
    """Return the explainer of a case; raise UnsupportedError if its language has none."""
    make: Callable[[Case], Explainer] = part_of(case.language_name, "explain").EXPLAINER
    return make(case)


def explain_results(
    explainer: Explainer, match: int | None = None, missing: Any = None, *, source: str = "missing"
) -> Iterator[Explanation]:
    """Yield the explanations of one result, of a missing row, or of all results.

    `missing` is a row in YAML (errors name `source`), the same as a mapping, an object of
    `--format jsonl`, or a result. Without `match` and `missing`, explanations of expected rows
    that are not results follow.
    """
    if _is_loose(missing):
        if isinstance(missing, Mapping):
            missing = {
                name: value.n3() if isinstance(value, Identifier) else value
                for name, value in missing.items()
            }
        missing = json.dumps(missing, default=str)  # JSON is YAML
    if isinstance(missing, str):
        for request in explainer.requests(parse_result(missing, explainer.case, source=source)):
            yield why_not(explainer, request)
        return
    if missing is not None:
        language = explainer.case.language
        given = result_of(missing)
        rows = (
            explainer.requests(given) if isinstance(given, Mapping)
            else [row for answer in language.answers([given], language.levels[0], partial=True)
                  for row in explainer.requests_of(answer)]
        )
        for request in rows:
            yield why_not(explainer, request)
        return
    for number in _numbers(match, len(explainer.results), explainer.noun):
        yield why(explainer, number)
    if match is None:
        if not explainer.results:
            yield Explanation(f"There is no {explainer.noun}.")
        for request in _expected_rows(explainer):
            if explainer.result_number(request) is None:
                yield why_not(explainer, request)


def _is_loose(missing: Any) -> bool:
    """Return whether a row has its variables on the same level as its time, as in YAML."""
    if isinstance(missing, Mapping):
        return not missing.keys() & {"solution", "solutions"}
    return isinstance(missing, list | int | float)


def explain_verdict(explainer: Explainer, verdict: Verdict, most: int) -> Iterator[Explanation]:
    """Yield explanations of at most `most` answers of each kind of difference."""
    for label in ("missing", "unexpected", "duplicate"):
        answers: tuple[Answer, ...] = getattr(verdict, label)
        for answer in dict.fromkeys(answers[:most]):
            for request in explainer.requests_of(answer)[:most]:
                number = explainer.result_number(request)
                found = why_not(explainer, request) if number is None else why(explainer, number)
                yield Explanation(found.heading, found.lines, found.step, label)


def drawing(explainer: Explainer, explanation: Explanation, *, alone: bool = False) -> str:
    """Return the timeline of an explanation; "" if the case has no events, or too many."""
    lanes = _lanes(explainer)
    if not lanes:
        return ""
    return svg_text(
        timeline(lanes, explanation.step, explainer.instant), explanation.heading, alone=alone
    )


def why(explainer: Explainer, number: int) -> Explanation:
    """Explain a result."""
    step = explainer.presence(number).proof
    many, noun = len(explainer.results), explainer.noun.capitalize()
    heading = f"{noun} {number} of {many}: {explainer.result_text(number)}"
    return Explanation(heading, (*explanation_lines(step), *_rejections(explainer, step)), step)


def why_not(explainer: Explainer, request: Any) -> Explanation:
    """Explain why a row is not a result, or name the result that has it."""
    row, number = explainer.request_text(request), explainer.result_number(request)
    if number is not None:
        result = f"{explainer.noun} {number}, {explainer.result_text(number)}"
        return Explanation(f"{row} is a result: see {result}.")
    also_correct = explainer.open_choice(request)
    if also_correct:
        return Explanation(f"{row} may be a result: {also_correct}")
    heading = f"Not {explainer.a_noun}: {row}"
    impossible = explainer.impossible(request)
    if impossible:
        return Explanation(heading, (impossible,))
    step = explainer.absence(request).proof
    lines = *explainer.remarks(request), *explanation_lines(step), *_rejections(explainer, step)
    return Explanation(heading, lines, step)


def _rejections(explainer: Explainer, step: Step) -> Iterator[str]:
    """Yield a line for each of the first items of the timeline that a FILTER rejects."""
    lanes = _lanes(explainer)
    if not lanes:
        return
    marks = rejected_marks(lanes, step)
    for lane, mark in marks[:_MAX_FILTERED]:
        name = "an event" if mark.name == "·" else mark.name
        place = f"{name} of {lane.name} at {explainer.instant(mark.start)}"
        yield f"{place} is rejected by {mark.rejected_by}."
    if len(marks) > _MAX_FILTERED:
        yield f"{len(marks) - _MAX_FILTERED} more items are rejected by a FILTER."


def _lanes(explainer: Explainer) -> list[Lane]:
    """Return the lanes of a timeline; none if the case has no events, or too many."""
    if not 0 < explainer.items <= _MAX_ITEMS:
        return []
    return explainer.timeline_lanes


def _expected_rows(explainer: Explainer) -> Iterable[Any]:
    expect = explainer.case.expect
    if not isinstance(expect, ExpectedResults):
        return []
    return [
        request for result in expect.results if isinstance(result, Mapping)
        for request in explainer.requests(result)
    ]


def _numbers(request: int | None, many: int, noun: str) -> range:
    """Return the numbers of the results to explain."""
    if request is None:
        return range(1, many + 1)
    if not 1 <= request <= many:
        valid = f"1 to {many}" if many else f"there is no {noun}"
        raise DenotaError(f"argument --match: {request} is out of range ({valid})")
    return range(request, request + 1)
