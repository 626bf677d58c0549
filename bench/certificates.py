"""A certificate without Spark: every case of a bound judged in this process.

    python bench/certificates.py --language ceql --size 2 --length 3 --out DIR
    python bench/certificates.py --page docs/certificates.md

`denota sweep --enumerate` does the same on as many cores as there are, and can be resumed; the
certificate is the same, as its digest does not depend on how the work is cut. The last line says
how many cases were judged in how many seconds. --page writes the table of the corpus's ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1] / ".typing"))

from denota.oracle.judging.pool import identity_of
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import language
from denota.oracle.ranks.certificates.certificate import (
    Certificate,
    Versions,
    read_certificate,
    write_certificate,
)
from denota.oracle.ranks.space import Space
from denota.oracle.reports.page_parts import with_part
from denota.oracle.sweeps.case_sources.case_source import Judging
from denota.oracle.sweeps.case_sources.rank_source import RankPiece
from denota.oracle.sweeps.digest import digest_text
from denota.oracle.sweeps.verdict_sum import VerdictSum

PIECE = 10_000
CORPUS = Path(__file__).parents[1] / "corpus" / "certificates"


def certified(name: str, bounds: Bounds, engine: str, timeout: float) -> Certificate:
    """What the verdicts on all cases come to."""
    total, cases = VerdictSum(), Space.of(name, bounds).cases
    judging = Judging(engine, timeout, "against")
    began = perf_counter()
    for first in range(0, cases, PIECE):
        for each in RankPiece(name, bounds, first, min(first + PIECE, cases)).sums(judging):
            total.add(each.without_rows())
        print(f"{total.cases:,} of {cases:,}, {perf_counter() - began:.0f} s", file=sys.stderr)
    judged = identity_of(engine)
    return Certificate(
        name, bounds, engine, judged.name, timeout, Versions.here(judged.version),
        total.cases, dict(total.outcomes), digest_text(total.digest),
    )


def listed() -> str:
    """The certificates of the corpus, in Markdown."""
    lines = [
        "| language | operators | events | cases | verdicts | digest |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for path in sorted(CORPUS.glob("*.json")):
        told = read_certificate(path)
        verdicts = ", ".join(f"{count:,} {name}" for name, count in told.verdicts.items() if count)
        link = f"[{language(told.language).title}](../corpus/certificates/{path.name})"
        bounds = told.bounds
        lines.append(
            f"| {link} | {bounds.operators} | {bounds.length} | {told.cases:,} | {verdicts} "
            f"| `{told.digest}` |"
        )
    return "".join(f"{line}\n" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--language", default="spaseq")
    parser.add_argument("--size", type=int, default=1)
    parser.add_argument("--length", type=int, default=2)
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
    bounds = Bounds(chosen.size, chosen.length, alphabet="keys")
    began = perf_counter()
    certificate = certified(chosen.language, bounds, chosen.engine, chosen.timeout)
    seconds = perf_counter() - began
    chosen.out.mkdir(parents=True, exist_ok=True)
    write_certificate(certificate, chosen.out)
    print(certificate.statement)
    print(f"{certificate.cases:,} cases in {seconds:.0f} s")
    return 1 if certificate.against else 0


if __name__ == "__main__":
    sys.exit(main())
