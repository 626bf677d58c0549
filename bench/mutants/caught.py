"""What bounds catch: what is known of each fault at each bound, and the tables of a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import language
from denota.oracle.ranks.certificates import beyond, so_many

from .faults import catalogue


@dataclass(frozen=True)
class Found:
    """What comes of a fault within bounds.

    `operators` and `events` are the block of the first case that is a failure (None:
    there is none), `case` is its id; `against` is how many of the `asked` cases do. A process that
    was `lost` has hung or gone down before it was through.
    """

    part: str
    fault: str
    bounds: Bounds
    cases: int
    asked: int
    against: int
    operators: int | None = None
    events: int | None = None
    case: str | None = None
    lost: bool = False
    seconds: float = 0.0

    @property
    def caught(self) -> bool:
        """Whether the bound finds the fault."""
        return self.case is not None or self.lost

    @property
    def words(self) -> str:
        """The bound."""
        readings = (f"{k}={v}" for k, v in sorted(self.bounds.readings.items()))
        return ", ".join([so_many(self.bounds), *beyond(self.part, self.bounds), *readings])

    def line(self) -> str:
        """What `read` reads."""
        bounds = {**asdict(self.bounds), "readings": dict(self.bounds.readings)}
        return json.dumps({**asdict(self), "bounds": bounds}) + "\n"


def read(results: Path) -> list[Found]:
    """All that is known of the faults of the catalogue, the last word on each at each bound.

    The bounds of a language stand in the order in which they were asked first.
    """
    there = {each.name for each in catalogue() if each.equivalent is None}
    known: dict[tuple[str, str], Found] = {}
    for line in results.read_text(encoding="utf-8").splitlines():
        told: dict[str, Any] = json.loads(line)
        each = Found(**{**told, "bounds": Bounds(**told["bounds"])})
        if each.fault in there:
            known[each.fault, each.words] = each
    return sorted(known.values(), key=lambda each: each.part)


def caught_in(results: Path) -> set[str]:
    """The faults that some bound finds."""
    return {each.fault for each in read(results) if each.caught} if results.exists() else set()


def listed(found: Sequence[Found]) -> str:
    """Of each language, in Markdown: what each bound finds, where each fault is found, and what is
    not found."""
    lines: list[str] = []
    for part, those in groupby(found, key=lambda each: each.part):
        lines += [f"### {language(part).title}", "", *_of_language(list(those)), ""]
    return "\n".join(lines)


def _of_language(told: Sequence[Found]) -> Iterator[str]:
    numbers: dict[str, int] = {}
    for each in told:
        numbers.setdefault(each.words, len(numbers) + 1)
    first: dict[str, Found] = {}
    for each in sorted(told, key=lambda each: numbers[each.words]):
        if each.caught:
            first.setdefault(each.fault, each)
    yield from ("| | bound | cases | faults asked | found | found by no bound above |",
                "| --- | --- | --: | --: | --: | --: |")
    for words, number in numbers.items():
        of_bound = [each for each in told if each.words == words]
        new = sum(each.words == words for each in first.values())
        yield (
            f"| {number} | {words} | {of_bound[0].cases:,} | {len(of_bound)}"
            f" | {sum(each.caught for each in of_bound)} | {new} |"
        )
    faults = list(dict.fromkeys(each.fault for each in told))
    yield from ("", f"Together they find {len(first)} of {len(faults)} faults.", "")
    yield from ("| fault | bound | found at (operators, events) | cases against the engine |",
                "| --- | --- | --- | --- |")
    for each in sorted(first.values(), key=lambda each: (numbers[each.words], *_size(each))):
        yield _line(each, numbers[each.words])
    missed = [f"`{fault}`" for fault in faults if fault not in first]
    if missed:
        yield from ("", f"Not found: {', '.join(missed)}.")


def _size(each: Found) -> tuple[int, int, int]:
    if each.operators is None or each.events is None:
        return (0, 0, 0)
    return each.operators + each.events, each.operators, -each.against


def _line(each: Found, number: int) -> str:
    hangs = each.operators is None
    where = "it hangs or crashes" if hangs else f"{each.operators}, {each.events}"
    share = f"{each.against:,}"
    if each.asked < each.cases:
        share += f" of the first {each.asked:,}"
    return f"| `{each.fault}` | {number} | {where} | {share} |"


def written(page: Path, found: Sequence[Found]) -> None:
    """Renew the tables on a page."""
    from denota.oracle.reports.generated_sections import with_part

    text = with_part(page.read_text(encoding="utf-8"), "faults", listed(found))
    if text is None:
        raise SystemExit(f"{page}: no part between <!-- faults --> and <!-- end -->")
    page.write_text(text, encoding="utf-8")
