"""`denota certificate`: check what a sweep over all small cases has certified."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from ..explanations.counted import counted
from .options import positive, whole

if TYPE_CHECKING:
    from ..ranks.certificates.rejudging import CertificateCheck

CHECK = """\
Judge a random sample of a certificate's cases again, and count the cases. An outcome that the
certificate counts nowhere contradicts it: of one without failures, every case that fails.
"""

EPILOG = """\
'denota sweep --enumerate LANGUAGE …' writes the certificate: DIR/certificate.json. The seed is
printed; the same one draws the same cases again. --all judges every case, in one process, and
compares the digest of the verdicts. FILE never decides which program is run: a certificate of
another engine than --engine names is refused.

Exit code 0 if nothing contradicts the certificate, 1 if something does, 2 if FILE is none.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check", help="judge cases of a certificate again",
        description=CHECK, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("file", metavar="FILE", type=Path, help="a certificate.json")
    check.add_argument(
        "--engine", default="production", metavar="ENGINE",
        help="engine that is judged; the certificate must be of it (default: production)",
    )
    check.add_argument(
        "--sample", type=positive, default=1000, metavar="N", help="judge N cases (1000)"
    )
    check.add_argument(
        "--seed", type=whole, metavar="N", help="draw the cases with this seed (default: any)"
    )
    check.add_argument(
        "--all", action="store_true", help="judge every case, and compare the digest"
    )


def run(arguments: argparse.Namespace) -> int:
    """0 if nothing contradicts the certificate, 1 if something does."""
    from ..ranks.certificates.certificate import read_certificate
    from ..ranks.certificates.rejudging import begun, repeated, sampled
    from .terminal.progress import bar

    certificate = read_certificate(arguments.file)
    check = begun(certificate, arguments.engine)
    print(certificate.statement)
    for note in check.notes:
        print(f"note: {note}")
    if check.ok:
        seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
        with bar("judging") as shown:

            def progress(done: int, total: int) -> None:
                shown.show("judging", done, total)

            if arguments.all:
                repeated(certificate, check, progress)
            else:
                sampled(certificate, check, arguments.sample, seed, progress)
        how = "all of them" if arguments.all else f"drawn with --seed {seed}"
        print(f"{counted(check.judged, 'case')} judged again, {how}: {_outcomes(check)}")
    for said in check.contradictions[:_SHOWN]:
        print(f"contradicts it: {said}")
    if len(check.contradictions) > _SHOWN:
        print(f"and {len(check.contradictions) - _SHOWN:,} more")
    if check.ok:
        print("the digest is the certificate's" if arguments.all else "nothing contradicts it")
    return 0 if check.ok else 1


_SHOWN = 5


def _outcomes(check: CertificateCheck) -> str:
    return ", ".join(f"{count:,} {outcome}" for outcome, count in check.outcomes.most_common())
