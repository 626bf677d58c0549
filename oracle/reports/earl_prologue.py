"""What the EARL 1.0 reports of denota begin with, and how they write texts, in Turtle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from ...semantics.streams.files.outputs import write_text


def write_report(lines: Iterable[str], path: Path) -> None:
    """Write a report of these lines, which follow the prefixes and what denota is."""
    write_text(path, "\n".join([*_beginning(), *lines]) + "\n")


def now(precision: str = "seconds") -> str:
    """This instant as an xsd:dateTime; the precision is one of `datetime.isoformat`."""
    return datetime.now(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def quoted(text: str) -> str:
    """The text as a Turtle literal."""
    # Turtle has no surrogates, which texts from JSON may hold.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # JSON's escapes are Turtle's, given that what JSON leaves alone is written as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _beginning() -> Iterator[str]:
    from ... import __version__

    yield "@prefix earl: <http://www.w3.org/ns/earl#> ."
    yield "@prefix dct: <http://purl.org/dc/terms/> ."
    yield "@prefix doap: <http://usefulinc.com/ns/doap#> ."
    yield "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    yield ""
    yield "_:denota a earl:Software, earl:Assertor, doap:Project ;"
    yield f'  doap:name "denota" ; doap:release [ doap:revision {quoted(__version__)} ] .'
