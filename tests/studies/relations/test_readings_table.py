"""The page's table of readings, repeated up to a small bound."""

from __future__ import annotations

from pathlib import Path

from denota.studies.relations.page import SIZES, pairs, reading_rows

PAGE = Path(__file__).resolve().parents[3] / "docs" / "readings.md"
SMALL = {"spaseq": (1, 2), "rsepql": (1, 1), "cqels": (1, 1), "epsparql": (1, 1), "ceql": (1, 1)}


def test_the_page_says_what_small_bounds_say() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listing = text.partition("<!-- exhausted -->\n")[2].partition("<!-- end -->")[0]
    page = {
        (cells[1].strip(), says): line
        for line in listing.splitlines()[2:] if (cells := line.split("|"))
        for says in cells[2].strip().split("; ")
    }
    small = list(reading_rows(SMALL))
    assert {(title, says) for title, says, _ in small} == page.keys()
    for title, says, told in small:
        if told.startswith("**differ**"):
            assert told in page[title, says]
    assert sum(told.startswith("**differ**") for _, _, told in small) >= 5


def test_every_language_is_compared() -> None:
    assert {pair.language for pair in pairs()} == set(SIZES)
