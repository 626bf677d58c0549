"""Verification of a certificate: a random sample of its cases is checked again, or all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from shlex import quote

from ..checking.batch_checker import BatchChecker
from ..checking.verdicts import Outcome
from ..checking.worker_pool import identity_of
from ..sweeps.case_sources import CheckSettings, RankPiece
from ..sweeps.verdict_sum import OUTCOMES, VerdictSum, digest_text
from .certificates import Certificate, CertificateError, Versions
from .space import Space

_TOGETHER = 2_000  # cases between two words about how far it is

Progress = Callable[[int, int], None]
"""A callback with the number of checked cases and of all."""


@dataclass
class CertificateCheck:
    """The result of a verification.

    `contradictions` are sentences; `notes` are what makes them likely.
    """

    judged: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    contradictions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if nothing contradicts the certificate."""
        return not self.contradictions


def begun(certificate: Certificate, engine: str) -> CertificateCheck:
    """Return notes on versions and on the number of cases, for the start of a verification.

    `engine` comes from the user and has to be the certificate's: an ENGINE string may name a
    program, and no file decides which program is run. Raises CertificateError for another engine,
    BoundsError, ReadingError, QueryError or EngineError for what there is not.
    """
    if certificate.engine != engine:
        raise CertificateError(
            f"the certificate is of the engine '{certificate.engine}', not of '{engine}': name "
            f"that engine with --engine {quote(certificate.engine)}, which runs it"
        )
    check = CertificateCheck()
    here = Versions.here(identity_of(certificate.engine).version)
    for what in ("denota", "engine", "python"):
        then, now = getattr(certificate.versions, what), getattr(here, what)
        if then != now:
            check.notes.append(f"made with {what} {then}; this is {what} {now}")
    cases = certificate.space.cases
    if cases != certificate.cases:
        check.contradictions.append(
            f"{cases:,} cases within these bounds, the certificate has {certificate.cases:,}"
        )
    return check


def sampled(
    certificate: Certificate, check: CertificateCheck, size: int, seed: int, progress: Progress
) -> None:
    """Check so many cases again, drawn with this seed.

    A certificate says which verdicts there are, not on which case: an outcome that it counts
    nowhere contradicts it.
    """
    space = certificate.space
    ranks = sorted(Random(seed).sample(range(space.cases), min(size, space.cases)))
    with BatchChecker(
        certificate.language, certificate.engine, certificate.timeout, space.runs
    ) as checker:
        for done, rank in enumerate(ranks, start=1):
            (code,) = checker.judged(rank, rank + 1).outcomes
            _count(certificate, check, space, rank, OUTCOMES[code])
            progress(done, len(ranks))


def repeated(certificate: Certificate, check: CertificateCheck, progress: Progress) -> None:
    """Check all cases again; the verdicts have to have the certificate's digest."""
    total = VerdictSum()
    settings = CheckSettings(certificate.engine, certificate.timeout, "against")
    for piece in _pieces(certificate):
        for each in piece.sums(settings):
            total.add(each.without_rows())
        progress(total.cases, certificate.cases)
    check.judged, check.outcomes = total.cases, total.outcomes
    for outcome in Outcome:
        then, now = certificate.verdicts.get(outcome, 0), total.outcomes[outcome]
        if then != now:
            check.contradictions.append(
                f"{now:,} cases {_has(outcome)}, the certificate has {then:,}"
            )
    if digest_text(total.digest) != certificate.digest:
        check.contradictions.append(f"the digest of the verdicts is {digest_text(total.digest)}")


def _pieces(certificate: Certificate) -> Iterator[RankPiece]:
    for first in range(0, certificate.space.cases, _TOGETHER):
        end = min(first + _TOGETHER, certificate.space.cases)
        yield RankPiece(certificate.language, certificate.bounds, first, end)


def _count(
    certificate: Certificate, check: CertificateCheck, space: Space, rank: int, outcome: Outcome
) -> None:
    check.judged += 1
    check.outcomes[outcome] += 1
    if not certificate.verdicts.get(outcome, 0):
        check.contradictions.append(
            f"case {space.row(rank).id} (rank {rank}) {_has(outcome)},"
            " which the certificate does not have"
        )


def _has(outcome: Outcome) -> str:
    return f"with verdict {outcome}"
