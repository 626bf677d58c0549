"""How far the readings of a language agree: every two values of each, on all small cases.

    python -m denota.oracle.studies.relations --readings docs/readings.md

Where two differ the smallest query and streams are shown on which they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from ....semantics.model.errors import ReadingError
from ....semantics.model.items import Item
from ....semantics.model.tuples import EventTuple
from ...distinguishing.exhaustion import ApartCase, Exhausted, exhaust
from ...languages.enumerated_graphs import EXAMPLE
from ...languages.enumeration import Bounds
from ...languages.registry import having, language, part_of

SIZES: Mapping[str, tuple[int, int]] = {
    "spaseq": (1, 3), "rsepql": (1, 3), "cqels": (1, 3), "epsparql": (1, 3), "ceql": (2, 3),
}
"""Up to how many operators and events they are compared."""


@dataclass(frozen=True, slots=True)
class ReadingPair:
    """Two values of a reading, and the cases on which they are compared."""

    language: str
    name: str
    a: str
    b: str
    bounds: Bounds

    @property
    def says(self) -> str:
        """The pair as the table calls it."""
        window = f", windows of {self.bounds.within}" if self.bounds.within is not None else ""
        return f"`{self.name}={self.a}`, `{self.b}`{window}"


def pairs(sizes: Mapping[str, tuple[int, int]] = SIZES) -> Iterator[ReadingPair]:
    """Every two values of every reading, but sliding windows, which no other reading has."""
    for name, (operators, length) in sizes.items():
        if name not in having("enumerate"):
            continue
        readings = part_of(name, "enumerate").ENUMERATION.readings_type
        for reading, values in readings.choices().items():
            for a, b in combinations((each for each in values if each != "sliding"), 2):
                yield ReadingPair(name, reading, a, b, _bounds(name, reading, operators, length))


def _bounds(name: str, reading: str, operators: int, length: int) -> Bounds:
    """Where a reading is about windows there are windows to tell apart."""
    bounds = Bounds(operators, length, alphabet="single")
    if (name, reading) == ("spaseq", "window"):
        return replace(bounds, within=2)
    if (name, reading) == ("ceql", "strategy"):
        return replace(bounds, within=2, events=True)
    return bounds


def compared(pair: ReadingPair) -> Exhausted:
    """What comes of a pair."""
    return exhaust(pair.language, pair.bounds, {pair.name: pair.a}, {pair.name: pair.b})


def reading_rows(sizes: Mapping[str, tuple[int, int]] = SIZES) -> Iterator[tuple[str, str, str]]:
    """(language, the two values, what comes of them)."""
    for pair in pairs(sizes):
        try:
            yield language(pair.language).title, pair.says, outcome(compared(pair))
        except ReadingError:  # a reading that needs more than these bounds say
            continue


def readings_table() -> str:
    """All of them, in Markdown."""
    lines = ["| language | readings | on all small cases |", "| --- | --- | --- |"]
    lines += [f"| {' | '.join(row)} |" for row in reading_rows()]
    return "".join(f"{line}\n" for line in lines)


def outcome(found: Exhausted) -> str:
    """How far they agree, or on what they do not."""
    refused = f"; {found.refused:,} are an error under one of them" if found.refused else ""
    if found.apart is None:
        return f"agree ({found.tried:,} cases{refused})"
    return f"**differ**: {_query(found.apart)} on {_streams(found.apart)}"


def _query(apart: ApartCase) -> str:
    text = apart.a.language.print(apart.a.query, {"": EXAMPLE})
    lines = [line.strip() for line in text.splitlines() if not line.startswith("PREFIX")]
    return f"`{' '.join(lines)}`".replace("|", "\\|")


def _streams(apart: ApartCase) -> str:
    return ", ".join(
        event for items in apart.witness.streams.values() for event in map(_event, items)
    ) or "no event"


def _event(item: Item | EventTuple) -> str:
    if isinstance(item, EventTuple):
        return f"`{item.type}`"
    triples = sorted(
        " ".join(str(term).removeprefix(EXAMPLE) for term in triple) for triple in item.graph
    )
    time = str(item.end) if item.start == item.end else f"[{item.start}, {item.end}]"
    return f"{time} `{' . '.join(triples)}`"
