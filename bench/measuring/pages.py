"""Pages of the documentation that several measurements write, each a section."""

from __future__ import annotations

import re
from pathlib import Path


def with_section(page: str, title: str, text: str) -> str:
    """The page with the section, heading included, in the place of the one of this title.

    A page that has none gets it at its end.
    """
    pattern = rf"^## {re.escape(title)}\n.*?(?=^## |\Z)"
    found = re.search(pattern, page, re.MULTILINE | re.DOTALL)
    if found is None:
        return page.rstrip("\n") + "\n\n" + text
    rest = page[found.end() :]
    return page[: found.start()] + text + ("\n" + rest if rest else "")


def write_section(path: Path, title: str, text: str) -> None:
    page = path.read_text(encoding="utf-8")
    path.write_text(with_section(page, title, text), encoding="utf-8")


def sections(path: Path) -> str:
    """All sections of a page, with an empty line before them; nothing if it has none."""
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    found = re.search(r"^## .*", page, re.MULTILINE | re.DOTALL)
    return f"\n{found[0]}" if found else ""
