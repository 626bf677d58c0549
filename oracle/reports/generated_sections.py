"""Generated sections of pages, between `<!-- NAME -->` and the next `<!-- end -->`."""

from __future__ import annotations

import re
from pathlib import Path

from ...semantics.model.printable import printable
from ...semantics.streams.files.outputs import write_text


def write_page(path: Path, page: str) -> None:
    """Write a page for people; what an engine or a file says cannot command a terminal there."""
    write_text(path, printable(page, keep="\n\t"))


def plain(text: str) -> str:
    """Return the Markdown of a text on one line, so that nothing in it is markup."""
    return "".join(
        "\\" + letter if letter in "\\`*_[]<>#|" else letter for letter in " ".join(text.split())
    )


def with_part(page: str, name: str, text: str) -> str | None:
    """Return the page with the text as its part of this name; None if it has no such part.

    >>> with_part("one <!-- n -->\\n2<!-- end --> three", "n", "two\\n")
    'one <!-- n -->\\ntwo\\n<!-- end --> three'
    """
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    written, count = pattern.subn(lambda part: part[1] + text + part[2], page)
    return written if count else None
