"""What bounds catch is written down, read and listed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from denota.oracle.languages.enumeration import Bounds

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from mutants.caught import Found, caught_in, listed, read

SMALL = Bounds(1, 2, alphabet="keys")
WINDOWS = Bounds(2, 2, 2, False, 1, "single", {"window": "sliding"})
EARLY, LATE, NEVER = "spaseq-number-6", "spaseq-arithmetic-1", "spaseq-connective-3"
KNOWN = (
    Found("spaseq", EARLY, SMALL, 100, 100, 7, 0, 1, "keys-0-1-0000002"),
    Found("spaseq", LATE, SMALL, 100, 100, 0),
    Found("spaseq", NEVER, SMALL, 100, 100, 0),
    Found("spaseq", LATE, WINDOWS, 900, 40, 2, 1, 2, "single-1-2-0000004"),
    Found("spaseq", NEVER, WINDOWS, 900, 900, 0),
)


def results(path: Path, *known: Found) -> Path:
    path.write_text("".join(each.line() for each in known), encoding="utf-8")
    return path


def test_what_is_written_is_read_and_the_last_word_counts(tmp_path: Path) -> None:
    mistaken = replace(KNOWN[0], against=0, operators=None, events=None, case=None)
    gone = replace(KNOWN[0], fault="spaseq-no-longer-in-the-catalogue")
    path = results(tmp_path / "results", mistaken, gone, *KNOWN)
    assert read(path) == list(KNOWN)
    assert caught_in(path) == {EARLY, LATE}
    assert caught_in(tmp_path / "none") == set()


def test_a_fault_is_listed_at_the_first_bound_that_finds_it() -> None:
    lines = listed(KNOWN).splitlines()
    assert "| 1 | 2 |  | 100 | 3 | 1 | `number-6` 0,1:7 |" in lines
    assert (
        "| 2 | 2 | 'single', windows of 2 that slide by 1, window=sliding | 900 | 2 | 1"
        " | `arithmetic-1` 1,2:2/40 |"
    ) in lines
    assert "Together they find 2 of 3 faults." in lines
    assert "Not found: `connective-3`." in lines


def test_a_fault_that_hangs_is_found() -> None:
    hanging = replace(KNOWN[1], asked=30, lost=True)
    assert "| `arithmetic-1` hangs or crashes:0/30 |" in listed([hanging])
