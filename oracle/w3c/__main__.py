"""Runs the W3C's suites, or other manifests: `python -m denota.oracle.w3c [MANIFEST …]`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...semantics.errors import DenotaError
from ..verdicts import Outcome
from .earl import write_earl
from .running import ManifestVerdict, run_manifest
from .suites import fetch_suites


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, report, and return 1 if a test fails."""
    parser = argparse.ArgumentParser(prog="python -m denota.oracle.w3c", description=__doc__)
    parser.add_argument("manifests", nargs="*", type=Path, metavar="MANIFEST")
    parser.add_argument(
        "--suites", type=Path, default=Path("build/w3c"), metavar="DIR",
        help="where the W3C's suites lie, or are put, if no manifest is named (%(default)s)",
    )
    parser.add_argument("--earl", type=Path, metavar="FILE", help="write an EARL report")
    options = parser.parse_args(arguments)
    try:
        manifests = options.manifests or fetch_suites(options.suites)
        verdicts = [verdict for path in manifests for verdict in run_manifest(path)]
    except DenotaError as error:
        print(error, file=sys.stderr)
        return 2
    if options.earl is not None:
        write_earl(verdicts, options.earl)
    print("\n".join(summary(verdicts)))
    return 1 if any(v.outcome not in (Outcome.PASS, Outcome.UNSUPPORTED) for v in verdicts) else 0


def summary(verdicts: Iterable[ManifestVerdict]) -> list[str]:
    """A table of categories, the failures, and the reasons for what was not run."""
    categories: dict[str, Counter[Outcome]] = defaultdict(Counter)
    reasons: Counter[str] = Counter()
    failures: list[str] = []
    for verdict in verdicts:
        folder = verdict.test.manifest.parent
        categories[f"{folder.parent.name}/{folder.name}"][verdict.outcome] += 1
        if verdict.outcome is Outcome.UNSUPPORTED:
            reasons[verdict.detail] += 1
        elif verdict.outcome is not Outcome.PASS:
            failures.append(f"{verdict.outcome}: {verdict.test.iri}: {verdict.detail}")
    rows = [("", "passed", "failed", "not run")]
    total: Counter[Outcome] = Counter()
    for name, counts in sorted(categories.items()):
        total += counts
        rows.append((name, *_figures(counts)))
    rows.append(("total", *_figures(total)))
    width = max(len(row[0]) for row in rows)
    lines = [f"{row[0]:{width}}" + "".join(f"{figure:>9}" for figure in row[1:]) for row in rows]
    if failures:
        lines += ["", *failures]
    if reasons:
        lines += ["", "not run:", *(f"{n:5}  {why}" for why, n in reasons.most_common())]
    return lines


def _figures(counts: Counter[Outcome]) -> tuple[str, str, str]:
    passed, not_run = counts[Outcome.PASS], counts[Outcome.UNSUPPORTED]
    return str(passed), str(counts.total() - passed - not_run), str(not_run)


if __name__ == "__main__":
    raise SystemExit(main())
