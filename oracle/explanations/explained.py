"""What is explained of a case: its results, and what is not among them, in prose and drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

from rdflib.term import Identifier

from ...engine.drawing import Picture
from ...semantics.model.errors import DenotaError
from ..cases.case import Case
from ..cases.expectations import ExpectedResults
from ..cases.reading import parse_result
from ..judging.levels import Answer
from ..judging.verdicts import Verdict
from ..languages.registry import part_of
from ..results.actual import result_of
from . import prose
from .derivations import Step
from .svg import drawn
from .telling import Explainer
from .timeline import Lane, refused_marks, timeline

_MOST_ITEMS = 400
_MOST_REFUSED = 3


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a result is one, or a row none: a heading, prose, and a drawing of what it rests on.

    `label` says of an explanation of a verdict what the answer is there: missing, unexpected or
    repeated.
    """

    heading: str
    lines: tuple[str, ...] = ()
    step: Step | None = None
    label: str = ""

    def text(self) -> Iterator[str]:
        """As `denota explain` prints it."""
        yield self.heading
        yield from (f"  {line}" for line in self.lines)
        yield ""


class Explanations(Sequence[Explanation]):
    """The explanations of one case; `print` shows them as text, a notebook draws them."""

    def __init__(self, told: Explainer, explanations: Iterable[Explanation]) -> None:
        self._told = told
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

        Raises DenotaError if there is nothing to draw, or too much.
        """
        picture = drawing(self._told, self[index], alone=True)
        if not picture:
            raise DenotaError("there is nothing to draw: no event, or too many")
        return Picture(picture)

    def _repr_html_(self) -> str:
        return "\n".join(
            line for each in self for line in explanation_html(self._told, each, image=True)
        )


def explanation_html(
    told: Explainer, explanation: Explanation, *, image: bool = False
) -> Iterator[str]:
    """Yield the lines of an explanation in HTML: heading, timeline, prose.

    The timeline has the style of the page around it, unless it is an `image`.
    """
    label = f"{explanation.label}: " if explanation.label else ""
    yield f'<div class="why"><h4>{escape(label + explanation.heading)}</h4>'
    picture = drawing(told, explanation, alone=image)
    if picture:
        picture = Picture(picture).as_image() if image else picture
        yield f'<div class="scroll" tabindex="0">{picture}</div>'
    if explanation.lines:
        yield '<div class="prose">'
        for line in explanation.lines:
            text = line.lstrip()
            # A wrapped line hangs below its beginning, also on a narrow screen.
            yield f'<p style="margin-left:{2 + len(line) - len(text)}ch">{escape(text)}</p>'
        yield "</div>"
    yield "</div>"


def explainer_of(case: Case) -> Explainer:
    """What explains a case; raises UnsupportedError where its language has nothing that does."""
    make: Callable[[Case], Explainer] = part_of(case.language_name, "explain").EXPLAINER
    return make(case)


def explained(
    told: Explainer, match: int | None = None, missing: Any = None, *, source: str = "missing"
) -> Iterator[Explanation]:
    """Yield the explanations of one result, of a row that is missing, or of all results.

    `missing` is a row in YAML, whose errors name `source`, the same as a mapping, an object of
    `--format jsonl`, or a result. Without both, the rows that the case expects and that are no
    results follow.
    """
    if _is_loose(missing):
        if isinstance(missing, Mapping):
            missing = {
                name: value.n3() if isinstance(value, Identifier) else value
                for name, value in missing.items()
            }
        missing = json.dumps(missing, default=str)  # JSON is YAML
    if isinstance(missing, str):
        for asked in told.asked(parse_result(missing, told.case, source=source)):
            yield why_not(told, asked)
        return
    if missing is not None:
        language = told.case.language
        given = result_of(missing)
        rows = (
            told.asked(given) if isinstance(given, Mapping)
            else [row for answer in language.answers([given], language.levels[0], partial=True)
                  for row in told.asked_by(answer)]
        )
        for asked in rows:
            yield why_not(told, asked)
        return
    for number in _chosen(match, len(told.results), told.noun):
        yield why(told, number)
    if match is None:
        if not told.results:
            yield Explanation(f"There is no {told.noun}.")
        for asked in _expected(told):
            if told.among(asked) is None:
                yield why_not(told, asked)


def _is_loose(missing: Any) -> bool:
    """Return whether a row has its variables beside its time, as in YAML."""
    if isinstance(missing, Mapping):
        return not missing.keys() & {"solution", "solutions"}
    return isinstance(missing, list | int | float)


def of_verdict(told: Explainer, verdict: Verdict, most: int) -> Iterator[Explanation]:
    """Of the answers in which an engine differs, so many of each kind, why they should be there or
    should not."""
    for label in ("missing", "unexpected", "repeated"):
        answers: tuple[Answer, ...] = getattr(verdict, label)
        for answer in dict.fromkeys(answers[:most]):
            for asked in told.asked_by(answer)[:most]:
                number = told.among(asked)
                found = why_not(told, asked) if number is None else why(told, number)
                yield Explanation(found.heading, found.lines, found.step, label)


def drawing(told: Explainer, explanation: Explanation, *, alone: bool = False) -> str:
    """The timeline of an explanation; "" where there is too much, or nothing, to be drawn."""
    lanes = _lanes(told)
    if not lanes:
        return ""
    return drawn(
        timeline(lanes, explanation.step, told.instant), explanation.heading, alone=alone
    )


def why(told: Explainer, number: int) -> Explanation:
    """Why a result is one."""
    step = told.presence(number).proof
    heading = f"{told.noun} {number} of {len(told.results)}: {told.result(number)}"
    return Explanation(heading, (*prose.told(step), *_refused(told, step)), step)


def why_not(told: Explainer, asked: Any) -> Explanation:
    """Why what is asked for is no result; that it is one, where it is."""
    there = told.among(asked)
    if there is not None:
        return Explanation(
            f"{told.named(asked)} is there: it is in {told.noun} {there}, {told.result(there)}."
        )
    also_right = told.left_open(asked)
    if also_right:
        return Explanation(f"{told.named(asked)} may be one: {also_right}")
    article = "an" if told.noun == "answer" else "a"
    heading = f"not {article} {told.noun}: {told.named(asked)}"
    impossible = told.impossible(asked)
    if impossible:
        return Explanation(heading, (impossible,))
    step = told.absence(asked).proof
    lines = (*told.aside(asked), *prose.told(step), *_refused(told, step))
    return Explanation(heading, lines, step)


def _refused(told: Explainer, step: Step) -> Iterator[str]:
    """Yield a line for each of the first items that a pattern refuses, as far as they are drawn."""
    lanes = _lanes(told)
    if not lanes:
        return
    marks = refused_marks(lanes, step)
    for lane, mark in marks[:_MOST_REFUSED]:
        name = "an event" if mark.name == "·" else mark.name
        place = f"{name} of {lane.name} at {told.instant(mark.start)}"
        yield f"{place} is refused by {mark.refused}."
    if len(marks) > _MOST_REFUSED:
        yield f"{len(marks) - _MOST_REFUSED} more items are refused."


def _lanes(told: Explainer) -> list[Lane]:
    """The lanes of a drawing; none where there is too much, or nothing, to be drawn."""
    if not 0 < told.items <= _MOST_ITEMS:
        return []
    return told.drawn_lanes


def _expected(told: Explainer) -> Iterable[Any]:
    expect = told.case.expect
    if not isinstance(expect, ExpectedResults):
        return []
    return [
        asked for result in expect.results if isinstance(result, Mapping)
        for asked in told.asked(result)
    ]


def _chosen(asked: int | None, many: int, noun: str) -> range:
    """The numbers of the results to explain."""
    if asked is None:
        return range(1, many + 1)
    if not 1 <= asked <= many:
        several = "matches" if noun == "match" else f"{noun}s"
        count = f"the {several} are 1 to {many}" if many else f"there is no {noun}"
        raise DenotaError(f"--match {asked}: {count}")
    return range(asked, asked + 1)
