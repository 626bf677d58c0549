"""The page of the documentation that says what is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from .faults import Fault
from .killers import FUZZ, NAMES, Kill

_BEGIN = "<!-- measured: python bench/mutants --page -->"
_END = "<!-- end of what is measured -->"

Kills = Mapping[tuple[str, str], Kill]


def written(path: Path, faults: Sequence[Fault], kills: Kills) -> None:
    """Write the tables into a page, between the two marks; what stands around them stays."""
    page = path.read_text(encoding="utf-8")
    before, found, rest = page.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not found or not ended:
        raise SystemExit(f"{path}: there is no '{_BEGIN}' with '{_END}' after it")
    text = f"{before}{_BEGIN}\n\n{tables(faults, kills)}\n{_END}{after}"
    path.write_text(text, encoding="utf-8")


def tables(faults: Sequence[Fault], kills: Kills) -> str:
    """By part, then the survivors, then every fault."""
    parts = list(dict.fromkeys(fault.part for fault in faults))
    rows = [_row(part, [each for each in faults if each.part == part], kills) for part in parts]
    hand = [fault for fault in faults if not fault.mechanical]
    machine = [fault for fault in faults if fault.mechanical]
    rows += [
        _row("by hand", hand, kills), _row("mechanical", machine, kills), _row("all", faults, kills)
    ]
    head = ["faults of", "shown", *NAMES, "any", "cases", "seconds",
            "witness"]
    return "\n".join([
        _line(head), _line(["---"] * len(head)), *map(_line, rows), "",
        "*Shown*: those that some input shows. Each killer: how many it found, of how many it was"
        " asked. *Cases*, *seconds* (processor time) and *witness* (operators and items): the"
        " medians of what fuzzing found.", "",
        "### What fuzzing did not find", "", *_survivors(faults, kills), "",
        "### What no input shows", "", *_none(faults), "",
        "### Every fault", "", *_every(faults, kills), "",
    ])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(title: str, faults: Sequence[Fault], kills: Kills) -> list[str]:
    shown = [fault for fault in faults if fault.equivalent is None]
    cells = [title, str(len(shown))]
    for name in NAMES:
        asked = [kills[key] for fault in shown if (key := (fault.name, name)) in kills]
        found = sum(kill.killed for kill in asked)
        cells.append(f"{found} of {len(asked)}" if asked else "–")
    cells.append(_share(sum(bool(_found_by(fault, kills)) for fault in shown), len(shown)))
    fuzz = [
        kill for fault in shown
        if (kill := kills.get((fault.name, FUZZ))) is not None and kill.killed
    ]
    cells.append(_median([kill.cases for kill in fuzz]))
    cells.append(_median([round(kill.seconds, 1) for kill in fuzz]))
    cells.append(
        f"{_median([kill.operators for kill in fuzz])}, {_median([kill.items for kill in fuzz])}"
    )
    return cells


def _share(some: int, all_of_them: int) -> str:
    return f"{some} ({100 * some / all_of_them:.0f} %)" if all_of_them else "–"


def _median(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{median(known):g}" if known else "–"


def _found_by(fault: Fault, kills: Kills) -> list[str]:
    return [
        name for name in NAMES
        if (kill := kills.get((fault.name, name))) is not None and kill.killed
    ]


def _survivors(faults: Sequence[Fault], kills: Kills) -> list[str]:
    lines = []
    for fault in faults:
        kill = kills.get((fault.name, FUZZ))
        if fault.equivalent is not None or kill is None or kill.killed:
            continue
        others = _found_by(fault, kills)
        asked = any((fault.name, name) in kills for name in NAMES if name != FUZZ)
        found = f", found by {', '.join(others)}" if others else ", found by nothing" * asked
        reason = f" Fuzzing: {fault.hard}." if fault.hard is not None else ""
        lines.append(f"* `{fault.name}`{found}: {fault.why}.{reason}")
    return lines or ["Nothing."]


def _none(faults: Sequence[Fault]) -> list[str]:
    return [
        f"* `{fault.name}`: {fault.equivalent}." for fault in faults if fault.equivalent is not None
    ]


def _every(faults: Sequence[Fault], kills: Kills) -> list[str]:
    lines = [_line(["fault", "what is wrong", "found by", "cases"]), _line(["---"] * 4)]
    for fault in faults:
        kill = kills.get((fault.name, FUZZ))
        cases = str(kill.cases) if kill is not None and kill.killed else "–"
        found = "equivalent" if fault.equivalent else ", ".join(_found_by(fault, kills)) or "–"
        what = f"{fault.why} (`{fault.function or fault.module}`)".replace("|", "\\|")
        lines.append(_line([f"`{fault.name}`", what, found, cases]))
    return lines
