"""The page's table of claims on enumerated cases, repeated up to a small bound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from denota.studies.relations.claims import CLAIMS
from denota.studies.relations.page import Bound, cells, exhausted, streams

PAGE = Path(__file__).resolve().parents[3] / "docs" / "relations.md"
SMALL: Bound = {
    (2, "apart"): 3, (2, "ties"): 2, (2, "intervals"): 2, (3, "apart"): 2, (3, "ties"): 2,
}
KINDS = ("apart", "ties", "intervals")


def on_the_page() -> Iterator[tuple[str, list[str]]]:
    text = PAGE.read_text(encoding="utf-8")
    listing = text.partition("<!-- exhausted -->\n")[2].partition("<!-- end -->")[0]
    for line in listing.splitlines()[2:]:
        claim, *told = [cell.strip() for cell in line.strip("|").split("|")]
        yield claim, told


def size(cell: str) -> int:
    """The events of the witness in a cell."""
    return len(re.findall(r"`\w+ \w+ \w+`", cell))


def test_the_page_says_what_small_bounds_say() -> None:
    page = dict(on_the_page())
    small = cells(SMALL)
    seen = 0
    for claim in CLAIMS:
        for place, kind in enumerate(KINDS):
            now = small.get((claim.id, kind))  # type: ignore[call-overload]
            if now is None:
                continue
            told = page[claim.id][place]
            seen += 1
            if "fails" in now:
                assert told.partition("**fails**")[2] == now.partition("**fails**")[2], claim.id
            elif "fails" in told:
                limit = SMALL[claim.steps, kind]  # type: ignore[index]
                assert size(told) > limit, claim.id
            else:
                assert told.startswith(now[:3]), claim.id
    assert seen > 40


def test_claims_that_fail_on_the_page_of_claims_fail_on_enumerated_cases_too() -> None:
    """A claim that fails for the patterns of the page fails on four events of other ones."""
    failing = {claim.id for claim in CLAIMS if not claim.holds}
    page = dict(on_the_page())
    assert {name for name in failing & page.keys() if "fails" not in "".join(page[name])} <= {
        "rivals-three-right",
    }  # its witness has graphs of two triples


def test_streams_with_ties_are_the_others() -> None:
    kinds = [sum(1 for _ in streams("AB", 3, kind)) for kind in ("apart", "ties")]
    assert kinds == [153, 243]


def test_all_streams_are_asked_where_a_claim_holds() -> None:
    told = exhausted(2, 2, "apart", repeated=False)["unrestricted"]
    assert told.held == sum(1 for n in range(3) for _ in streams("AB", n, "apart"))
    assert told.witness is None
