"""`denota certificate`: re-run cases that a sweep over all small cases has certified."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from ..explanations.plurals import counted
from .options import positive, whole

if TYPE_CHECKING:
    from ..ranks.verification import CertificateCheck

CHECK = """\
Re-run a random sample of the cases of a certificate, and count the cases. A verdict that the
certificate does not have refutes it: for a certificate without failures, each failing case.
"""

EPILOG = """\
'denota sweep --enumerate LANGUAGE …' writes the certificate to DIR/certificate.json. The seed is
printed; the same seed draws the same cases. --all runs every case, in one process, and compares the
digest of the verdicts. FILE does not choose the engine: a certificate of another engine than
--engine is refused.

Exit code 0 if the certificate is confirmed, 1 if it is refuted, 2 if FILE is not a certificate.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "verify", aliases=["check"], help="re-run a sample, or all, of the certified cases",
        description=CHECK, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("file", metavar="FILE", type=Path, help="certificate.json of a sweep")
    check.add_argument(
        "--engine", default="production", metavar="ENGINE",
        help="engine under test; the certificate must be of it (default: production)",
    )
    check.add_argument(
        "--sample", type=positive, default=1000, metavar="N", help="re-run N cases (default: 1000)"
    )
    check.add_argument(
        "--seed", type=whole, metavar="N", help="random seed of the sample (default: a new one)"
    )
    check.add_argument(
        "--all", action="store_true", help="re-run every case, and compare the digest"
    )


def run(arguments: argparse.Namespace) -> int:
    """Return 0 if the certificate is confirmed, 1 if it is refuted."""
    from ..ranks.certificates import read_certificate
    from ..ranks.verification import begun, repeated, sampled
    from .progress import bar

    certificate = read_certificate(arguments.file)
    check = begun(certificate, arguments.engine)
    print(certificate.statement)
    for note in check.notes:
        print(f"note: {note}")
    if check.ok:
        seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
        with bar("testing") as shown:

            def progress(done: int, total: int) -> None:
                shown.show("testing", done, total)

            if arguments.all:
                repeated(certificate, check, progress)
            else:
                sampled(certificate, check, arguments.sample, seed, progress)
        how = "all" if arguments.all else f"--seed {seed}"
        cases = counted(check.judged, "case" if arguments.all else "sampled case")
        print(f"{cases} re-run ({how}): {_outcomes(check)}")
    for said in check.contradictions[:_SHOWN]:
        print(f"refuted: {said}")
    if len(check.contradictions) > _SHOWN:
        print(f"and {len(check.contradictions) - _SHOWN:,} more")
    if check.ok:
        print(f"certificate confirmed{'' if arguments.all else ' on the sample'}")
    return 0 if check.ok else 1


_SHOWN = 5


def _outcomes(check: CertificateCheck) -> str:
    return ", ".join(f"{count:,} {outcome}" for outcome, count in check.outcomes.most_common())
