"""The relations as a table and as cases.

    python -m denota.oracle.studies.relations
        the claims and the witnesses, in Markdown
    python -m denota.oracle.studies.relations --page FILE
        renews them on a page
    python -m denota.oracle.studies.relations --exhausted FILE
        renews on a page what the claims come to on enumerated cases (minutes)
    python -m denota.oracle.studies.relations --readings FILE
        renews on a page how far the readings of each language agree (minutes)
    python -m denota.oracle.studies.relations --cases DIR
        writes the witnesses as cases, one a side, in one folder a language

A claim that holds has been tried on all small streams over its alphabet; of one that fails, the
smallest stream on which it does is shown with what either side answers there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ....semantics.model.errors import DenotaError
from ...cases.case import Case
from ...cases.expectations import ExpectedResults
from ...cases.rdf_text import stream_text
from ...cases.writing import write_case
from ...reports.page_parts import with_part
from .by_rank import exhaustion_table
from .claims import CLAIMS, Claim
from .readings_table import readings_table
from .rows import STREAM, Events, Rows, asked_in
from .smallest import Found, Times, smallest

PREFIXES = {"": "http://example.org/"}

_SORT: dict[Times, str] = {"apart": "", "ties": " with ties", "intervals": " over intervals"}


@cache
def found(claim: Claim) -> Found:
    """What the search says of a claim."""
    return smallest(claim.fails, claim.events, claim.most, claim.times)


def table() -> str:
    """Every claim with its verdict, in Markdown."""
    lines = ["| Claim | Where | Verdict | Why |", "| --- | --- | --- | --- |"]
    for claim in CLAIMS:
        lines.append(
            f"| {claim.says} | {claim.source} | {_verdict(claim)} | {claim.why} |"
        )
    return "".join(f"{line}\n" for line in lines)


def witnesses() -> str:
    """Of every claim that fails the smallest stream, and what either side answers, in Markdown."""
    return "\n".join(
        "".join(f"{line}\n" for line in _witness(claim, stream))
        for claim in CLAIMS
        if (stream := found(claim).witness) is not None
    )


def witness_cases(claim: Claim) -> Iterator[tuple[str, Case]]:
    """The name and the case of each side that is a query, on the smallest stream.

    A claim that holds has none.
    """
    stream = found(claim).witness
    if stream is None:
        return
    sides = [asked for side in (claim.left, claim.right) if (asked := asked_in(side)) is not None]
    alike = len({asked.name for asked in sides}) < len(sides)
    for place, asked in enumerate(sides, start=1):
        yield f"{claim.id}-{asked.name}{f'-{place}' if alike else ''}", Case(
            asked.name,
            asked.query,
            {STREAM: stream},
            expect=ExpectedResults(asked.results(stream), asked.language.levels[0]),
            title=f"not everywhere: {claim.says}",
            cites=claim.source,
            prefixes=PREFIXES,
            readings=asked.readings,
            evaluation=asked.evaluation(stream),
            tags=("law", "relation"),
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the page's table and witnesses, or write the witnesses as cases."""
    parser = argparse.ArgumentParser(prog="python -m denota.oracle.studies.relations")
    parser.add_argument("--cases", metavar="DIR", type=Path, help="write the witnesses as cases")
    parser.add_argument("--page", metavar="FILE", type=Path, help="renew the page's two listings")
    parser.add_argument(
        "--exhausted", metavar="FILE", type=Path, help="renew the page's table of enumerated cases"
    )
    parser.add_argument(
        "--readings", metavar="FILE", type=Path, help="renew the page's table of readings"
    )
    chosen = parser.parse_args(arguments)
    if chosen.cases is not None:
        for claim in CLAIMS:
            for name, case in witness_cases(claim):
                folder = chosen.cases / case.language_name
                folder.mkdir(parents=True, exist_ok=True)
                write_case(case, folder / f"{name}.case.yaml")
    elif chosen.page is not None:
        text = chosen.page.read_text(encoding="utf-8")
        chosen.page.write_text(renewed(text), encoding="utf-8")
    elif chosen.exhausted is not None:
        _renew(chosen.exhausted, "exhausted", exhaustion_table())
    elif chosen.readings is not None:
        _renew(chosen.readings, "exhausted", readings_table())
    else:
        print(table())
        print(witnesses())
    return 0


def renewed(page: str) -> str:
    """The page with its listings as they should be; DenotaError if it has no place for one."""
    for name, listing in (("claims", table()), ("witnesses", witnesses())):
        page = _with_listing(page, name, listing)
    return page


def _renew(path: Path, name: str, listing: str) -> None:
    text = _with_listing(path.read_text(encoding="utf-8"), name, listing)
    path.write_text(text, encoding="utf-8")


def _with_listing(page: str, name: str, listing: str) -> str:
    written = with_part(page, name, listing)
    if written is None:
        raise DenotaError(f"the page has no part between <!-- {name} --> and <!-- end -->")
    return written


def _verdict(claim: Claim) -> str:
    search = found(claim)
    if search.witness is None:
        return f"holds ({search.tried:,} streams of up to {claim.most} events{_SORT[claim.times]})"
    if claim.case:
        return f"**fails** ([{claim.case}](../corpus/errata/{claim.case}.case.yaml))"
    return f"**fails** ([below](#{claim.id}))"


def _witness(claim: Claim, stream: Events) -> Iterator[str]:
    yield f"### {claim.id}"
    yield ""
    yield f"Not: {claim.says} ({claim.source})."
    yield ""
    yield "```turtle"
    yield from stream_text(stream, PREFIXES).splitlines()
    yield "```"
    yield ""
    yield f"| {claim.left_is} | {claim.right_is} |"
    yield "| --- | --- |"
    yield f"| {_rows(claim.left(stream))} | {_rows(claim.right(stream))} |"


def _rows(rows: Rows) -> str:
    written = [
        f"{time}: " + ", ".join(f"?{v} {_short(mu[v])}" for v in sorted(mu))
        for time, mu in sorted(rows.elements(), key=lambda row: (row[0], repr(row[1])))
    ]
    return "<br>".join(written) or "nothing"


def _short(value: object) -> str:
    return f"`{str(value).replace(PREFIXES[''], ':')}`"
