"""Clusters: the failures of a run, by their cause.

Shrinking takes hundreds of questions to the engine, so most failures are counted unshrunk: those
that may well be a cluster's again are shrunk ever more rarely, the 1st, 2nd, 4th, 8th, … of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from ...semantics.model.shown import preformatted
from ..cases.case import Case
from ..cases.writing import case_text
from ..explanations.plurals import counted
from ..judging.verdicts import Verdict
from ..reports.judged import Judged
from ..reports.lines import explanation
from .failure_causes import Cause
from .other_readings import Readings


@dataclass(frozen=True)
class Discrepancy:
    """A shrunk case on which engine and oracle differ; its expectation is the oracle's answer.

    `verdict` speaks of the shrunk case, `example` is the number (from 1) of the generated case that
    it was shrunk from, `path` is where it was saved. It is `flaky` if the engine, asked again in
    a new process, did not fail in this way. `engine` names the engine as it was set up.
    """

    case: Case
    verdict: Verdict
    example: int
    path: Path | None = None
    flaky: bool = False
    engine: str = ""

    def __str__(self) -> str:
        judged = Judged(self.case, self.verdict, self.case.id)
        lines = [self.case.title, "", *explanation(judged), "", case_text(self.case)]
        return "\n".join(lines).rstrip()

    def _repr_html_(self) -> str:
        return preformatted(str(self))


@dataclass(eq=False)
class Cluster:
    """The failures of one cause, with the first witness of it.

    `count` is how many failing cases are counted here, `shrunk` how many of them were shrunk to
    this cause; the others have all that it has. `meanings` are other readings of the witness under
    which the definitions answer as the engine does, each of them alone: then it is a difference of
    meaning. `read_so` counts the cases that were found to be answered under one of them as they
    were generated. `variants` are failures that most likely have the same cause, with more features
    around it; `count` includes them.
    """

    cause: Cause
    witness: Discrepancy
    count: int = 1
    shrunk: int = 1
    meanings: tuple[Readings, ...] = ()
    read_so: int = 0
    variants: list[Cluster] = field(default_factory=list)

    def _repr_html_(self) -> str:
        many = f"{counted(self.count, 'case')}; {self.cause}"
        return f"<p>{escape(many)}</p>\n{self.witness._repr_html_()}"

    def has_variant(self, other: Cluster) -> bool:
        """Whether another cluster most likely has the cause of this one."""
        same_meaning = self.meanings == other.meanings or any(
            each in other.meanings for each in self.meanings
        )
        return same_meaning and self.cause.is_root_of(other.cause)


@dataclass
class Counted:
    """How often failures that were not shrunk may have been some cluster's or known difference's.

    >>> counted = Counted()
    >>> [number for number in range(1, 10) if counted.worth_shrinking("cluster")]
    [1, 2, 4, 8]
    """

    times: dict[object, int] = field(default_factory=dict)

    def worth_shrinking(self, explanation: object) -> bool:
        """Count one more that this may explain; whether it is to be shrunk all the same."""
        times = self.times[explanation] = self.times.get(explanation, 0) + 1
        return is_worth_shrinking(times)


def is_worth_shrinking(times: int) -> bool:
    """Whether the failure that is number `times` of its kind is shrunk: the 1st, 2nd, 4th, …"""
    return times & (times - 1) == 0


def likeliest(clusters: Sequence[Cluster], found: Cause) -> Cluster | None:
    """The cluster, or variant of one, that most likely explains a failure that is not shrunk."""
    explaining = (each for each in with_variants(clusters) if each.cause.may_explain(found))
    return max(explaining, key=_detail, default=None)


def of_cause(clusters: Sequence[Cluster], cause: Cause) -> Cluster | None:
    """The cluster, or variant of one, of a shrunk failure."""
    return next((each for each in with_variants(clusters) if each.cause.is_same(cause)), None)


def count_one(clusters: Sequence[Cluster], found: Cluster) -> None:
    """Count one more failure of a cluster, or of a variant and its cluster."""
    found.count += 1
    for each in clusters:
        each.count += found in each.variants


def add_cluster(clusters: list[Cluster], new: Cluster) -> None:
    """Add a cluster, or make it a variant of one, or others variants of it."""
    root = next((each for each in clusters if each.has_variant(new)), None)
    if root is not None:
        root.variants.append(new)
        root.count += new.count
        return
    for each in [each for each in clusters if new.has_variant(each)]:
        clusters.remove(each)
        new.count += each.count
        each.count -= sum(variant.count for variant in each.variants)
        new.variants += [each, *each.variants]
        each.variants = []
    clusters.append(new)


def with_variants(clusters: Sequence[Cluster]) -> Iterator[Cluster]:
    """Return the clusters, each before its variants."""
    for each in clusters:
        yield each
        yield from each.variants


def _detail(cluster: Cluster) -> tuple[int, int]:
    return len(cluster.cause.features), len(cluster.cause.shape)
