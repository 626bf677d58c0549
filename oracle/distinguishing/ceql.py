"""Distinguishing in CEQL: the smallest stream on which two queries, or two readings, differ.

Streams are listed by their number of tuples, over tuples that the two queries can tell apart
(`ceql_alphabet`) and over gaps, of time or of an attribute, that fit and exceed their windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from ...semantics.ceql.denotation import Choice, choices
from ...semantics.ceql.readings import Readings
from ...semantics.ceql.results import ComplexEvent
from ...semantics.ceql.syntax import CeqlQuery, WindowUnit
from ...semantics.errors import DenotaError
from ...semantics.streams.tuples import EventTuple, Value, merged
from .ceql_alphabet import Tuple, alphabet
from .search import Search, least, search_by_size

Streams = Mapping[str, tuple[EventTuple, ...]]

_SECOND = 1_000_000_000
_STREAM = "S"


@dataclass(frozen=True, slots=True)
class CeqlSide:
    """A query under readings."""

    query: CeqlQuery
    readings: Readings = Readings()

    def answers(self, streams: Streams) -> tuple[Choice, ...]:
        """What the definitions say, with what they leave open."""
        return choices(self.query, list(merged(streams, self.query.streams)), self.readings)


@dataclass(frozen=True, slots=True)
class CeqlWitness:
    """Streams on which two sides differ, with what only the one or the other may answer.

    `error_a` and `error_b` are the errors of a side that gives none. Where both may answer the
    same but leave another choice, `note` says so.
    """

    streams: Streams
    only_a: frozenset[ComplexEvent] = frozenset()
    only_b: frozenset[ComplexEvent] = frozenset()
    error_a: str = ""
    error_b: str = ""
    note: str = ""

    @property
    def events(self) -> int:
        """The number of its tuples."""
        return sum(map(len, self.streams.values()))


def distinguish_ceql(
    a: CeqlSide,
    b: CeqlSide,
    *,
    max_events: int = 4,
    seconds: float = 60.0,
    progress: Callable[[int, int], None] = lambda events, tried: None,
) -> Search[CeqlWitness]:
    """A smallest stream on which `a` and `b` differ, if there is one within the bounds.

    All streams over the alphabet with fewer tuples have been tried. `progress` is told the number
    of tuples and how many streams were tried.
    """
    search = search_by_size(
        lambda events: _streams(events, a.query, b.query),
        lambda streams: ceql_difference(a, b, streams),
        max_events=max_events,
        seconds=seconds,
        progress=progress,
    )
    if search.witness is not None:  # without the attributes that it does not need
        search.witness = least(
            search.witness,
            lambda witness: _without_one(witness.streams),
            lambda streams: _without_errors(ceql_difference(a, b, streams)),
        )
    return search


def ceql_difference(a: CeqlSide, b: CeqlSide, streams: Streams) -> CeqlWitness | None:
    """The witness that these streams are, None if both sides answer alike."""
    answers: list[tuple[Choice, ...]] = []
    errors: list[str] = []
    for side in (a, b):
        try:
            answers.append(side.answers(streams))
            errors.append("")
        except DenotaError as error:
            answers.append(())
            errors.append(error.message)
    bare = a.readings.output != b.readings.output
    possible = [_possible(each, bare=bare) for each in answers]
    open_choices = [
        sorted(_choice(each, bare=bare) for each in side if each.count < len(each.candidates))
        for side in answers
    ]
    alike = possible[0] == possible[1]
    fail_alike = bool(errors[0]) == bool(errors[1])
    if alike and fail_alike and open_choices[0] == open_choices[1]:
        return None
    note = ""
    if alike and not any(errors):
        note = "Both may answer the same, and leave another choice among it."
    return CeqlWitness(
        streams, possible[0] - possible[1], possible[1] - possible[0], errors[0], errors[1], note
    )


def _possible(answers: tuple[Choice, ...], *, bare: bool) -> frozenset[ComplexEvent]:
    events = (event for each in answers if each.count for event in each.candidates)
    return frozenset(replace(event, bindings=None) if bare else event for event in events)


def _choice(choice: Choice, *, bare: bool) -> tuple[list[ComplexEvent], int]:
    return sorted(_possible((choice,), bare=bare)), choice.count


# --- streams --------------------------------------------------------------------------------------


def _streams(events: int, a: CeqlQuery, b: CeqlQuery) -> Iterator[Streams]:
    letters = alphabet(a, b)
    names = tuple(dict.fromkeys((*a.streams, *b.streams))) or (_STREAM,)
    placed = [(name, letter) for letter in letters for name in names]
    measured = list(dict.fromkeys(
        query.within.attribute for query in (a, b)
        if query.within is not None and query.within.attribute is not None
    ))
    gaps = [_gaps(WindowUnit.ATTRIBUTE, name, a, b) for name in measured]
    timed = len(names) > 1 or any(
        query.within is not None and query.within.unit is WindowUnit.TIME for query in (a, b)
    )
    if timed:
        gaps.append(_gaps(WindowUnit.TIME, None, a, b))
    for chosen in product(placed, repeat=events):
        for steps in product(product(*gaps), repeat=max(0, events - 1)):
            yield _made(names, chosen, measured, steps, timed=timed)


def _gaps(unit: WindowUnit, attribute: str | None, a: CeqlQuery, b: CeqlQuery) -> tuple[int, ...]:
    """A step, none, and what just fits and just exceeds a window."""
    step = _SECOND if unit is WindowUnit.TIME else 1
    found = {step: None, 0: None}
    for query in (a, b):
        within = query.within
        if within is not None and within.unit is unit and within.attribute == attribute:
            found.update({within.value: None, within.value + step: None})
    if unit is WindowUnit.ATTRIBUTE:
        found[-1] = None
    return tuple(found)


def _made(
    names: tuple[str, ...],
    chosen: tuple[tuple[str, Tuple], ...],
    measured: list[str],
    steps: tuple[tuple[int, ...], ...],
    *,
    timed: bool,
) -> Streams:
    streams: dict[str, tuple[EventTuple, ...]] = dict.fromkeys(names, ())
    place = [0] * (len(measured) + timed)
    for number, (name, (kind, given)) in enumerate(chosen):
        if number:
            place = [old + gap for old, gap in zip(place, steps[number - 1], strict=True)]
        attributes: dict[str, Value] = {**given}
        for attribute, value in zip(measured, place, strict=False):
            attributes.setdefault(attribute, value)
        time = place[-1] if timed else None
        streams[name] = (*streams[name], EventTuple(kind, attributes, time))
    return streams


def _without_errors(witness: CeqlWitness | None) -> CeqlWitness | None:
    return None if witness is None or witness.error_a or witness.error_b else witness


def _without_one(streams: Streams) -> Iterator[Streams]:
    for name, stream in streams.items():
        for place, each in enumerate(stream):
            for attribute in each.attributes:
                fewer = {n: v for n, v in each.attributes.items() if n != attribute}
                less = replace(each, attributes=fewer)
                yield {**streams, name: (*stream[:place], less, *stream[place + 1 :])}


__all__ = [
    "CeqlSide", "CeqlWitness", "ceql_difference", "distinguish_ceql",
]
