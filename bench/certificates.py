"""A certificate without Spark: every case of a bound checked in this process.

    python bench/certificates.py --language ceql --max-operators 2 --max-events 3 [--alphabet A]
                                 [--within W] [--slide N] [--reading K=V]... --out DIR
    python bench/certificates.py --page docs/certificates.md

`denota sweep --enumerate` does the same on as many cores as there are, and can be resumed; the
certificate is the same, as its digest does not depend on how the work is cut. The last line says
how many cases were checked in how many seconds. --page writes the table of the corpus's ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1] / ".typing"))

from denota.oracle.checking.worker_pool import identity_of
from denota.oracle.cli import UsageError
from denota.oracle.cli.options import add_bounds, bounds_of
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import language
from denota.oracle.ranks.certificates import (
    Certificate,
    Versions,
    beyond,
    read_certificate,
    write_certificate,
)
from denota.oracle.ranks.space import Space
from denota.oracle.reports.generated_sections import with_part
from denota.oracle.sweeps.case_sources import CheckSettings, RankPiece
from denota.oracle.sweeps.verdict_sum import VerdictSum, digest_text
from denota.semantics.model.errors import DenotaError

PIECE = 10_000
CORPUS = Path(__file__).parents[1] / "corpus" / "certificates"


def certified(name: str, bounds: Bounds, engine: str, timeout: float) -> Certificate:
    """What the verdicts on all cases come to."""
    total, cases = VerdictSum(), Space.of(name, bounds).cases
    settings = CheckSettings(engine, timeout, "against")
    began = perf_counter()
    for first in range(0, cases, PIECE):
        for each in RankPiece(name, bounds, first, min(first + PIECE, cases)).sums(settings):
            total.add(each.without_rows())
        print(f"{total.cases:,} of {cases:,}, {perf_counter() - began:.0f} s", file=sys.stderr)
    judged = identity_of(engine)
    return Certificate(
        name, bounds, engine, judged.name, timeout, Versions.here(judged.version),
        total.cases, dict(total.outcomes), digest_text(total.digest),
    )


def listed() -> str:
    """Return the table of the corpus's certificates, in Markdown."""
    lines = [
        "| language | bound | cases | digest |",
        "| --- | --- | --- | --- |",
    ]
    for path in sorted(CORPUS.rglob("*.json"), key=_place):
        told = read_certificate(path)
        if told.verdicts["pass"] != told.cases:
            raise SystemExit(f"{path}: not all cases pass, which the page says of each certificate")
        place = path.relative_to(CORPUS).as_posix()
        link = f"[{language(told.language).title}](../corpus/certificates/{place})"
        bounds = told.bounds
        readings = (f"`{name}={value}`" for name, value in sorted(bounds.readings.items()))
        otherwise = ", ".join([*beyond(told.language, bounds), *readings])
        otherwise = otherwise.removeprefix("alphabet ")
        bound = f"{bounds.operators},{bounds.length} {otherwise}".rstrip()
        lines.append(f"| {link} | {bound} | {told.cases:,} | `{told.digest}` |")
    return "".join(f"{line}\n" for line in lines)


def _place(path: Path) -> tuple[str, int, str]:
    """By languages; of each the one over all usual things first."""
    parts = path.relative_to(CORPUS).parts
    return parts[0].partition(".")[0], len(parts), path.name


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--language", default="spaseq")
    add_bounds(parser, size=1, length=2)
    parser.add_argument("--engine", default="production")
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--page", type=Path, metavar="FILE")
    chosen = parser.parse_args(arguments)
    if chosen.page is not None:
        text = with_part(chosen.page.read_text(encoding="utf-8"), "certified", listed())
        if text is None:
            parser.error(f"{chosen.page}: no part between <!-- certified --> and <!-- end -->")
        chosen.page.write_text(text, encoding="utf-8")
        return 0
    if chosen.out is None:
        parser.error("name the folder to write (--out DIR)")
    began = perf_counter()
    try:
        bounds = bounds_of(chosen, chosen.language)
        certificate = certified(chosen.language, bounds, chosen.engine, chosen.timeout)
    except (DenotaError, UsageError) as error:
        parser.error(str(error))
    seconds = perf_counter() - began
    chosen.out.mkdir(parents=True, exist_ok=True)
    write_certificate(certificate, chosen.out)
    print(certificate.statement)
    print(f"{certificate.cases:,} cases in {seconds:.0f} s")
    return 1 if certificate.failures else 0


if __name__ == "__main__":
    sys.exit(main())
