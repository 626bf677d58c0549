"""The page of the documentation that says what is found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import median

from .faults import Fault, sampled
from .killers import FUZZ, FUZZ_AGAIN, NAMES, SUITES, Results

_BEGIN = "<!-- measured: python bench/mutants --page -->"
_END = "<!-- end of what is measured -->"


def written(path: Path, faults: Sequence[Fault], results: Results, every: int = 1) -> None:
    """Write the tables into a page, between the two marks; what stands around them stays."""
    page = path.read_text(encoding="utf-8")
    before, found, rest = page.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not found or not ended:
        raise SystemExit(f"{path}: there is no '{_BEGIN}' with '{_END}' after it")
    text = f"{before}{_BEGIN}\n\n{tables(faults, results, every)}\n{_END}{after}"
    path.write_text(text, encoding="utf-8")


def tables(faults: Sequence[Fault], results: Results, every: int = 1) -> str:
    """Return the table by part and the survivors; the tests ran on every `every`th fault."""
    parts = list(dict.fromkeys(fault.part for fault in faults))
    known = [each for each in faults if any(results.asked(each, name) for name in SUITES)]
    samples = [sampled([each for each in known if each.part == part], every) for part in parts]
    asked = {  # of a part that is not through, what is known would say too much
        fault.name for sample in samples for fault in sample
        if all(_judged(each, results) for each in sample)
    }
    groups = {part: [each for each in faults if each.part == part] for part in parts}
    for area in sorted({fault.area for fault in faults}):
        groups[area] = [fault for fault in faults if fault.area == area]
    groups["by hand"] = [fault for fault in faults if not fault.mechanical]
    groups["mechanical"] = [fault for fault in faults if fault.mechanical]
    groups["all"] = list(faults)
    head = ["faults of", "shown", *NAMES, "tests", "any", "cases", "seconds", "witness"]
    return "\n".join([
        *_table(head, [_row(title, each, results, asked) for title, each in groups.items()]), "",
        "*Shown*: faults that some input shows. Each killer: how many it found, of how many it was"
        f" run on; a suite runs on faults that no suite to its left has found. *{FUZZ_AGAIN}* has"
        " a seed with which nothing was tuned. *Tests*: found by the corpus, unit tests, properties"
        f" or laws{_of_every(every)}. *Cases*, *seconds* (processor time) and *witness* (operators"
        " and items): the medians of fuzzing's first seed.",
        "",
        "### Faults that nothing found", "", *_survivors(faults, results), "",
    ])


def _of_every(every: int) -> str:
    return f", of a sample: one of {every} of a part" if every > 1 else ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _row(
    title: str, faults: Sequence[Fault], results: Results, asked: Collection[str]
) -> list[str]:
    shown = [fault for fault in faults if fault.equivalent is None]
    fuzz = [
        kill for fault in shown
        if (kill := results.kills.get((fault.name, FUZZ))) is not None and kill.killed
    ]
    tested = [fault for fault in shown if fault.name in asked]
    known = [fault for fault in shown if any(results.asked(fault, name) for name in NAMES)]
    return [
        title, str(len(shown)),
        *(_found(shown, results, name) for name in NAMES),
        _share(sum(_by_tests(fault, results) for fault in tested), len(tested)),
        _share(sum(bool(results.found_by(fault)) for fault in known), len(known)),
        _median([kill.cases for kill in fuzz]),
        _median([round(kill.seconds, 1) for kill in fuzz]),
        f"{_median([kill.operators for kill in fuzz])}, {_median([kill.items for kill in fuzz])}",
    ]


def _found(faults: Sequence[Fault], results: Results, name: str) -> str:
    asked = [fault for fault in faults if results.asked(fault, name)]
    found = sum(name in results.found_by(fault) for fault in asked)
    return f"{found} of {len(asked)}" if asked else "–"


def _by_tests(fault: Fault, results: Results) -> bool:
    return any(name in SUITES for name in results.found_by(fault))


def _judged(fault: Fault, results: Results) -> bool:
    """Whether it is known if the tests find it."""
    return _by_tests(fault, results) or all(results.asked(fault, name) for name in SUITES)


def _share(some: int, all_of_them: int) -> str:
    return f"{some} of {all_of_them} ({100 * some / all_of_them:.0f} %)" if all_of_them else "–"


def _median(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{median(known):g}" if known else "–"


def _survivors(faults: Sequence[Fault], results: Results) -> list[str]:
    """Return the faults that were measured and found by no killer, with what makes them hard."""
    lines = [
        f"* `{fault.name}`: {fault.why}.{_sentence(fault.hard)}" for fault in faults
        if fault.equivalent is None and not results.found_by(fault)
        and any(results.asked(fault, name) for name in NAMES)
    ]
    return lines or ["Nothing."]


def _sentence(text: str | None) -> str:
    return f" {text[0].upper()}{text[1:]}." if text else ""
