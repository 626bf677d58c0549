"""Write the table of sizes into CONTRIBUTING.md: lines of Python that git tracks.

    python docs/sizes.py

`tests/docs/test_sizes.py` fails if a figure is off by more than 2 %.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
_ROW = re.compile(r"^\| `?(\w+)`? \| ([\d,]+) \|$", re.MULTILINE)
_TOLERANCE = 0.02


def lines(folder: str) -> int:
    """Return the number of lines of Python in a folder, or in the repository for `all`."""
    pattern = "*.py" if folder == "all" else f"{folder}/*.py"
    listed = subprocess.run(
        ["git", "ls-files", "-z", pattern], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = filter(None, listed.stdout.split("\0"))
    return sum((ROOT / path).read_bytes().count(b"\n") for path in paths)


def stale(page: str) -> list[str]:
    """Return the folders whose figure on the page is off by more than the tolerance."""
    figures = [(folder, int(figure.replace(",", ""))) for folder, figure in _ROW.findall(page)]
    return [
        folder for folder, figure in figures
        if abs(figure - (present := lines(folder))) > _TOLERANCE * present
    ]


def written(page: str) -> str:
    """Return the page with the present figures, rounded to hundreds."""
    def row(found: re.Match[str]) -> str:
        return found[0].replace(found[2], f"{round(lines(found[1]), -2):,}")

    return _ROW.sub(row, page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
