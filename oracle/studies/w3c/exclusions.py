"""Which tests are not run, and why; the reasons are in exclusions.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .manifests import ManifestTest

JUDGED_KINDS = (
    "QueryEvaluationTest", "CSVResultFormatTest", "PositiveSyntaxTest", "PositiveSyntaxTest11",
    "NegativeSyntaxTest", "NegativeSyntaxTest11",
)
JUDGED_REGIMES = ("RDFS", "RDF")
"""The entailment regimes that tests can be judged under, the stronger first."""

_WITHDRAWN = ("Withdrawn", "Rejected", "Obsoleted")


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The reasons, by kinds of tests and by the IRIs of single tests."""

    kinds: Mapping[str, str]
    tests: Mapping[str, str]


@cache
def exclusions() -> Exclusions:
    """What exclusions.yaml says."""
    import yaml

    said = yaml.safe_load(Path(__file__).with_name("exclusions.yaml").read_text(encoding="utf-8"))
    tests = {}
    for entry in said["tests"]:
        for name in entry["tests"]:
            suite, _, rest = name.partition("/")
            category, _, local = rest.partition("#")
            tests[f"{said['suites'][suite]}{category}/manifest#{local}"] = entry["reason"]
    return Exclusions(said["kinds"], tests)


def exclusion(test: ManifestTest) -> str | None:
    """Why a test is not run; None if it is."""
    listed = exclusions()
    if str(test.iri) in listed.tests:
        return listed.tests[str(test.iri)]
    if test.approval in _WITHDRAWN:
        return f"the working group has marked the test {test.approval}"
    if test.kind in listed.kinds:
        return listed.kinds[test.kind]
    if test.entailment and regime(test) is None:
        return f"entailment regimes ({', '.join(test.entailment)}) are beyond RDFS"
    if test.remote:
        return "SERVICE (federated query) is not supported"
    if test.kind not in JUDGED_KINDS:
        return f"tests of type mf:{test.kind} are not known" if test.kind else "it has no type"
    return None


def regime(test: ManifestTest) -> str | None:
    """The entailment regime that a test is judged under: it has one answer for all it names."""
    return next((each for each in JUDGED_REGIMES if each in test.entailment), None)
