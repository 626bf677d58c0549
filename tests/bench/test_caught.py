"""What bounds catch is written down, read and listed."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from denota.oracle.languages.enumeration import Bounds

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from mutants import caught
from mutants.caught import TABLES, Found, caught_in, listed, read, written
from mutants.faults import ROOT, catalogue

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


def test_notes_before_the_summary_of_a_page_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, tables = tmp_path / "page.md", tmp_path / "tables.md"
    for path in (page, tables):
        path.write_text("a note\n<!-- faults -->\nformer\n<!-- end -->\n")
    monkeypatch.setattr(caught, "TABLES", tables)
    written(page, KNOWN)
    assert page.read_text() == (
        "a note\n<!-- faults -->\n* SPAseq: 2 of 3 faults found (1,2: 1/3; 2,2 'single',"
        " windows of 2 that slide by 1, window=sliding: 1/2).\n<!-- end -->\n"
    )
    assert tables.read_text() == f"a note\n<!-- faults -->\n{listed(KNOWN)}<!-- end -->\n"


def test_the_committed_tables_and_their_summary_agree() -> None:
    page = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    summaries = re.findall(r"^\* (\S+): (\d+) of (\d+) faults found \((.*)\)\.$", page, re.M)
    names = {each.name.partition("-")[2] for each in catalogue() if each.equivalent is None}
    sections = TABLES.read_text(encoding="utf-8").split("\n### ")[1:]
    for (title, found, faults, by_bound), section in zip(summaries, sections, strict=True):
        rows = re.findall(
            r"^\| (\d+) \| (\d+) \| (.*?) ?\| \S+ \| (\d+) \| (\d+) \|", section, re.M
        )
        assert section.startswith(f"{title}\n")
        assert by_bound.split("; ") == [
            f"{operators},{events} {addition}".rstrip() + f": {some}/{run}"
            for operators, events, addition, run, some in rows
        ]
        listed_names = re.findall(r"`([^`]+)`", section)
        assert f"Together they find {found} of {faults} faults." in section
        assert len(listed_names) == int(faults)
        assert names.issuperset(listed_names)
