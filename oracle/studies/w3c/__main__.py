"""Runs the W3C's suites, or other manifests: `python -m denota.oracle.studies.w3c [MANIFEST …]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ....semantics.model.errors import DenotaError
from ....semantics.model.printable import printable
from .assertions import write_earl
from .running import run_manifest
from .subjects import NAMES, subject
from .suites import fetch_suites
from .tables import against, summary
from .tables_page import page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, report, and return 1 if a test fails."""
    parser = argparse.ArgumentParser(
        prog="python -m denota.oracle.studies.w3c", description=__doc__
    )
    parser.add_argument("manifests", nargs="*", type=Path, metavar="MANIFEST")
    parser.add_argument(
        "--suites", type=Path, default=Path("build/w3c"), metavar="DIR",
        help="where the W3C's suites lie, or are put, if no manifest is named (%(default)s)",
    )
    parser.add_argument(
        "--engine", action="append", choices=NAMES, dest="engines",
        help="who is judged (repeatable; default: both)",
    )
    parser.add_argument(
        "--earl", type=Path, metavar="DIR", help="write EARL reports, one for each who is judged"
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page of the docs")
    options = parser.parse_args(arguments)
    try:
        manifests = options.manifests or fetch_suites(options.suites)
        judged = {
            name: [v for path in manifests for v in run_manifest(path, subject(name))]
            for name in options.engines or NAMES
        }
    except DenotaError as error:
        print(printable(str(error)), file=sys.stderr)
        return 2
    if options.earl is not None:
        options.earl.mkdir(parents=True, exist_ok=True)
        for name, verdicts in judged.items():
            write_earl(verdicts, options.earl / f"earl-{name}.ttl", f"denota {name}")
    if options.page is not None:
        options.page.write_text(page(judged), encoding="utf-8")
    print(printable("\n".join(summary(judged)), keep="\n"))
    return 1 if any(against(verdicts) for verdicts in judged.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
