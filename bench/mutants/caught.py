"""The faults that bounds find: results, tables by bound, and the summary of a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import language
from denota.oracle.ranks.certificates import beyond, so_many

from .faults import catalogue

TABLES = Path(__file__).parent / "by_bound.md"

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
    def otherwise(self) -> str:
        """Return the alphabet, windows and readings of the bound other than the defaults."""
        readings = (f"{k}={v}" for k, v in sorted(self.bounds.readings.items()))
        return ", ".join([*beyond(self.part, self.bounds), *readings])

    @property
    def addition(self) -> str:
        """Return `otherwise` as a column about alphabets shows it."""
        return self.otherwise.removeprefix("alphabet ")

    @property
    def words(self) -> str:
        """Return the bound."""
        return ", ".join(filter(None, [so_many(self.bounds), self.otherwise]))

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
    """Return, by language, the faults that each bound finds and those not found, in Markdown."""
    lines: list[str] = []
    for part, those in groupby(found, key=lambda each: each.part):
        lines += [f"### {language(part).title}", "", *_of_language(list(those)), ""]
    return "\n".join(lines)


def summary(found: Sequence[Found]) -> str:
    """Return, by language, how many of the faults run each bound finds, in Markdown."""
    lines: list[str] = []
    for part, group in groupby(found, key=lambda each: each.part):
        told = list(group)
        bounds = (
            f"{of_bound[0].bounds.operators},{of_bound[0].bounds.length} {of_bound[0].addition}"
            .rstrip() + f": {sum(each.caught for each in of_bound)}/{len(of_bound)}"
            for of_bound in _by_bound(told)
        )
        faults = {each.fault for each in told}
        lines.append(
            f"* {language(part).title}: {len(_first(told))} of {len(faults)} faults found"
            f" ({'; '.join(bounds)}).\n"
        )
    return "".join(lines)


def _by_bound(told: Sequence[Found]) -> list[list[Found]]:
    """Return the results by bound, in the order in which the bounds ran first."""
    bounds: dict[str, list[Found]] = {}
    for each in told:
        bounds.setdefault(each.words, []).append(each)
    return list(bounds.values())


def _first(told: Sequence[Found]) -> dict[str, Found]:
    """Return each fault that is found, at the first bound that finds it."""
    first: dict[str, Found] = {}
    for each in chain.from_iterable(_by_bound(told)):
        if each.caught:
            first.setdefault(each.fault, each)
    return first


def _of_language(told: Sequence[Found]) -> Iterator[str]:
    first = _first(told)
    yield from (
        "| operators | events | alphabet, windows, readings | cases | faults | found"
        " | found first here |",
        "| --: | --: | --- | --: | --: | --: | --- |",
    )
    for of_bound in _by_bound(told):
        caught = sum(each.caught for each in of_bound)
        new = sorted((each for each in first.values() if each in of_bound), key=_size)
        bound = of_bound[0].bounds
        yield (
            f"| {bound.operators} | {bound.length} | {of_bound[0].addition}"
            f" | {of_bound[0].cases:,} | {len(of_bound)} | {caught}"
            f" | {'; '.join(map(_line, new))} |"
        )
    faults = list(dict.fromkeys(each.fault for each in told))
    missed = ", ".join(
        _name(each) for each in {each.fault: each for each in told}.values()
        if each.fault not in first
    )
    yield from ("", f"Together they find {len(first)} of {len(faults)} faults.")
    if missed:
        yield from ("", f"Not found: {missed}.")


def _size(each: Found) -> tuple[int, int, int]:
    if each.operators is None or each.events is None:
        return (0, 0, 0)
    return each.operators + each.events, each.operators, -each.against


def _name(each: Found) -> str:
    return f"`{each.fault.removeprefix(f'{each.part}-')}`"


def _line(each: Found) -> str:
    """Return the fault, where it is found, how many cases fail, and of how many if not of all."""
    hangs = each.operators is None
    where = "hangs or crashes" if hangs else f"{each.operators},{each.events}"
    of = f"/{each.asked:,}" if each.asked < each.cases else ""
    return f"{_name(each)} {where}:{each.against:,}{of}"


def written(page: Path, found: Sequence[Found]) -> None:
    """Renew the tables by bound, and their summary on a page."""
    from denota.oracle.reports.generated_sections import with_part

    for path, generated in ((TABLES, listed(found)), (page, summary(found))):
        text = with_part(path.read_text(encoding="utf-8"), "faults", generated)
        if text is None:
            raise SystemExit(f"{path}: no part between <!-- faults --> and <!-- end -->")
        path.write_text(text, encoding="utf-8")
