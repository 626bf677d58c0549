"""Writes the lines of the errata pages that name their cases, and the index of the pages.

    python docs/errata/pages.py          rewrites the pages
    python docs/errata/pages.py --check  exit code 1 if a page does not agree with its cases

A page is written by hand, except for its cases: each is one line, a link to the case file with its
title and its readings. Write `* [](PATH)` to add a case. `with_cases` puts
query, input and results in place of these lines: so the site shows them, and no page repeats a
file. `index.md` lists the pages by their titles, those of one paper each, between
`<!-- pages: ID -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent
_CASE = re.compile(r"^\* \[.*\]\((\.\./\.\./corpus/errata/\S+\.case\.yaml)\).*$", re.MULTILINE)
_INDEX = re.compile(r"(<!-- pages: ([A-Z]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_PREFIX = re.compile(r"^@prefix .*\n", re.MULTILINE)  # the query has them
_SYNTAX = {"ceql": "sql"}  # the others look like SPARQL
_HEADING = re.compile(r"\A# ([A-Z]+-[0-9]+): (.+)\n\n\*Where:\* (.+?)\n\n", re.DOTALL)


def pages() -> list[Path]:
    """The pages, by language and number."""
    return sorted(
        FOLDER.glob("*-*.md"),
        key=lambda page: (page.stem.split("-")[0], int(page.stem.split("-")[1])),
    )


def cases_of(page: Path) -> list[Path]:
    """Return the case files that a page names."""
    found = _CASE.findall(page.read_text(encoding="utf-8"))
    return [(FOLDER / path).resolve() for path in found]


def rendered(page: Path) -> str:
    """Return the page as its cases, or the other pages, want it."""
    text = page.read_text(encoding="utf-8")
    if page.name == "index.md":
        return _INDEX.sub(lambda match: match[1] + "".join(_index(match[2])) + match[3], text)
    return _CASE.sub(lambda match: _line(match[1]), text)


def with_cases(text: str) -> str:
    """Return a page's text with its cases in full, as the site shows it."""
    return _CASE.sub(lambda match: _shown(match[1]), text)


def heading(page: Path) -> tuple[str, str, str]:
    """Its identifier, its title and where in the paper it is about."""
    match = _HEADING.match(page.read_text(encoding="utf-8"))
    if match is None:
        raise SystemExit(f"{page}: expected '# ID: title' and '*Where:* …' at the top")
    return match[1], match[2], " ".join(match[3].split())


def _index(paper: str) -> Iterator[str]:
    for page in pages():
        if page.stem.split("-")[0] == paper:
            name, title, _ = heading(page)
            yield f"* [{name}: {title}]({page.name})\n"


def _line(path: str) -> str:
    case = _read(path)
    readings = [f"`{name}={value}`" for name, value in (case.get("readings") or {}).items()]
    under = f" ({', '.join(readings)})" if readings else ""
    return f"* [{_capitalised(case['title'])}]({path}){under}"


def _read(path: str) -> dict[str, Any]:
    case: dict[str, Any] = yaml.safe_load((FOLDER / path).read_text(encoding="utf-8"))
    return case


def _shown(path: str) -> str:
    case = _read(path)
    name = Path(path).name.removesuffix(".case.yaml")
    return "\n".join([
        "", f"### {_capitalised(case['title'])}", "", f"Case [{name}]({path}); {case['cites']}.",
        "", f"```{_SYNTAX.get(case['language'], 'sparql')}", case["query"].rstrip(), "```", "",
        *_inputs(case), *_answer(case["expect"]), "",
    ])


def _capitalised(title: str) -> str:
    return title[:1].upper() + title[1:]


def _inputs(case: dict[str, Any]) -> Iterator[str]:
    for kind, named in (("Stream", case["streams"]), ("Background graph", case.get("kb") or {})):
        for iri, text in named.items():
            if isinstance(text, dict):
                yield from (f"{kind} `{iri}`:", "", "```csv", text["csv"].rstrip(), "```", "")
                if "declaration" in text:
                    yield from (f"declared as `{text['declaration']}`", "")
                continue
            said = _PREFIX.sub("", text).rstrip()
            yield from (f"{kind} `<{iri}>`:", "", "```turtle", said, "```", "")
    for name, value in (case.get("readings") or {}).items():
        yield from (f"Reading: `{name}={value}`.", "")
    for name, value in (case.get("evaluate") or {}).items():
        yield from (f"Evaluated {name} {value}.", "")


def _answer(expect: dict[str, Any]) -> Iterator[str]:
    if "error" in expect:
        yield f"Answer: an error that says `{expect['error']}`."
        return
    if not expect["results"]:
        yield "Answer: nothing."
        return
    results = expect["results"]
    if expect.get("level") == "positions":
        yield from _complex_events(results)
        return
    if expect.get("level") == "solutions":
        yield from _solutions(results)
        return
    windows = any("window" in result for result in results)
    names = list(dict.fromkeys(name for r in results for mu in r["solutions"] for name in mu))
    columns = ["time", *(["window"] if windows else []), *(f"?{name}" for name in names)]
    yield from ("Answer, one pair a time:" if len(results) > 1 else "Answer, one pair:", "")
    yield _row(columns)
    yield _row(["---"] * len(columns))
    for result in results:
        place = [_time(result["time"]), *([str(result.get("window", ""))] if windows else [])]
        for mu in result["solutions"]:
            values = [_term(mu.get(name)) for name in names] if names else []
            note = " (the empty mapping)" if not mu else ""
            yield _row([place[0] + note, *place[1:], *values])
            place = [""] * len(place)


def _complex_events(results: list[dict[str, Any]]) -> Iterator[str]:
    yield from ("Answer, complex events:" if len(results) > 1 else "Answer, a complex event:", "")
    told = any("bindings" in result for result in results)
    columns = ["interval", "positions", *(["bindings"] if told else [])]
    yield _row(columns)
    yield _row(["---"] * len(columns))
    for result in results:
        cells = [f"[{result['start']}, {result['end']}]", _set(result["positions"])]
        if told:
            bound = result.get("bindings", {}).items()
            cells.append(", ".join(f"{name} = {_set(places)}" for name, places in bound))
        yield _row(cells)


def _solutions(results: list[dict[str, Any]]) -> Iterator[str]:
    """Answers at instants (RSEP-QL), or solutions over intervals (CQELS-CEP, EP-SPARQL)."""
    rows = [
        (_when(result), mu)
        for result in results
        for mu in result.get("solutions", [result.get("solution", {})])
    ]
    names = list(dict.fromkeys(name for _, mu in rows for name in mu))
    yield from ("Answer:", "")
    yield _row(["interval" if "interval" in results[0] else "at", *(f"?{n}" for n in names)])
    yield _row(["---"] * (1 + len(names)))
    shown = ""
    for when, mu in rows:
        yield _row(["" if when == shown else when, *(_term(mu.get(name)) for name in names)])
        shown = when


def _when(result: dict[str, Any]) -> str:
    if "interval" in result:
        return "[" + ", ".join(map(_time, result["interval"])) + "]"
    return _time(result["at"])


def _set(positions: list[int]) -> str:
    return "{" + ", ".join(map(str, positions)) + "}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _time(time: object) -> str:
    if isinstance(time, datetime):
        return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")  # noqa: UP017
    return str(time)


def _term(term: object) -> str:
    if term is None:
        return ""
    if isinstance(term, list):
        return "(" + " ".join(map(_term, term)) + ")"
    return f"`{term}`"


def main(arguments: list[str]) -> int:
    """Rewrites or checks the pages."""
    stale = 0
    for page in [*pages(), FOLDER / "index.md"]:
        text = rendered(page)
        if text == page.read_text(encoding="utf-8"):
            continue
        if "--check" in arguments:
            print(f"{page}: does not agree with its cases")
            stale += 1
        else:
            page.write_text(text, encoding="utf-8")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
