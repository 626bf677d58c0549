"""Known differences: how a file is read, what it recognises, and how a run goes on past them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import denota
from denota.oracle.cases.case import ExpectedResults
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case, expectation_of
from denota.oracle.cli import main
from denota.oracle.engines.builtin import Oracle
from denota.oracle.engines.capabilities import needs_of
from denota.oracle.engines.engine_specs import FunctionEngine
from denota.oracle.fuzzing.attribution import Attribution, FailingCase
from denota.oracle.fuzzing.differential import fuzz
from denota.oracle.fuzzing.fuzz_report import FuzzReport
from denota.oracle.fuzzing.known_differences import read_known
from denota.oracle.fuzzing.repairs import cure_of, repaired
from denota.oracle.fuzzing.rounds import ROUND, CaseRounds
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.oracle.reports.fuzz_summary import in_json, summary
from denota.semantics.ceql.syntax.tree import Negative
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.trees import has
from denota.semantics.spaseq.syntax.readings import Readings

CORPUS = Path(denota.__file__).resolve().parent / "corpus"
SCHEMA = jsonschema.Draft202012Validator(json.loads(
    (CORPUS / "known.schema.json").read_text("utf-8")
))

FILE = """
engine: odd
versions: ["*"]
known:
"""
COLLECT = """
  - name: collects-nothing
    what: Under kleene=collect it ends.
    language: spaseq
    features: [kleene=collect]
    shape: [crash]
    message: division
"""
HALF_OPEN = """
  - name: half-open
    what: Windows have no right ends.
    language: spaseq
    reading: {window: tumbling-half-open}
"""
NEVER = """
  - name: never
    what: It repeats what it says.
    language: spaseq
    shape: [repeated]
"""


def known_in(tmp_path: Path, *entries: str, head: str = FILE) -> Path:
    path = tmp_path / "odd.known.yaml"
    path.write_text(head + "".join(entries), encoding="utf-8")
    SCHEMA.validate(yaml.safe_load(path.read_text("utf-8")))
    return path


def ends_under_collect(query: Any, **rest: Any) -> Iterable[Any]:
    if rest["readings"].kleene == "collect":
        raise ZeroDivisionError("division by zero")
    return SpaseqCase(query, **rest).matches()


def half_open(query: Any, **rest: Any) -> Iterable[Any]:
    if rest["readings"].window == "tumbling":
        rest["readings"] = Readings.of(
            {**_names(rest["readings"]), "window": "tumbling-half-open"}
        )
    return SpaseqCase(query, **rest).matches()


def _names(readings: Readings) -> dict[str, str]:
    return {name: getattr(readings, name) for name in Readings.choices()}


def run(function: Any, known: Path | None = None, **options: Any) -> FuzzReport:
    options = {"examples": 60, "seed": 1, **options}
    known_ones = () if known is None else read_known(known)
    return fuzz(FunctionEngine(function, "odd"), ["spaseq"], known=known_ones, **options)


def test_the_search_goes_on_past_what_is_known(tmp_path: Path) -> None:
    report = run(ends_under_collect, known_in(tmp_path, COLLECT, NEVER))
    assert report.ok
    assert report.failing == report.known_met["collects-nothing"] > 0
    assert [each.name for each in report.never_met] == ["never"]
    text = summary(report)
    assert "all known differences" in text
    assert "Under kleene=collect it ends." in text
    assert "known differences not observed: never" in text
    assert in_json(report)["known"] == {"collects-nothing": report.failing, "never": 0}


def test_known_refusals_are_avoided(tmp_path: Path) -> None:
    negation = COLLECT.replace("[kleene=collect]", '["!"]')

    def refuses_negation(query: Any, **rest: Any) -> Iterable[Any]:
        case = SpaseqCase(query, **rest)
        if "!" in needs_of(case)["operators"]:
            raise ZeroDivisionError("division by zero")
        return case.matches()

    rounds = CaseRounds("spaseq", FunctionEngine(refuses_negation, "odd"), 1)
    drawn = sum(
        "!" in needs_of(generated.case)["operators"]
        for number in range(2) for generated in rounds.round(number, number)
    )
    report = run(refuses_negation, known_in(tmp_path, negation), examples=2 * ROUND)
    assert report.ok
    assert report.examples == 2 * ROUND
    met, passed = report.known_met.total(), report.foretold["collects-nothing"]
    assert drawn > 30
    assert 0 < met <= 12
    assert f"{met} cases, {passed} more skipped" in summary(report)
    # The generator leaves negation out from the second round on.
    assert passed < drawn / 2


def test_an_entry_that_describes_more_than_is_refused_foretells_nothing(tmp_path: Path) -> None:
    sequences = COLLECT.replace("[kleene=collect]", '[";"]')
    report = run(ends_under_collect, known_in(tmp_path, sequences), examples=300)
    assert report.known_met["collects-nothing"] > 0
    assert not report.foretold


def test_what_is_not_known_is_found_beside_it(tmp_path: Path) -> None:
    other = COLLECT.replace("division", "multiplication")
    report = run(ends_under_collect, known_in(tmp_path, other))
    assert not report.ok
    assert report.known_met.total() == 0
    assert f"--known-differences {tmp_path}" in summary(report)  # it decides which cases come
    assert [cluster.cause.shape for cluster in report.clusters] == [{"crash"}]


def test_another_reading_is_named_as_a_difference_of_meaning() -> None:
    report = run(half_open, stop_after=1)
    [cluster] = report.clusters
    assert {"window": "tumbling-half-open"} in cluster.meanings
    text = summary(report)
    assert "semantic difference: the results agree with the oracle under" in text
    assert "window=tumbling-half-open" in text
    assert "docs/readings.md" in text


def test_a_known_reading_explains_what_it_explains_and_nothing_else(tmp_path: Path) -> None:
    known = known_in(tmp_path, HALF_OPEN)
    report = run(half_open, known)
    assert report.ok
    assert report.known_met["half-open"] > 0

    def silent(query: Any, **rest: Any) -> Iterable[Any]:
        return []

    report = run(silent, known, examples=20)
    assert not report.ok
    assert report.clusters


WITHOUT_PLUS = """
  - name: no-iterations
    what: Iterations are never found.
    language: spaseq
    repair: one iteration
"""


def finds_no_iteration(query: Any, **rest: Any) -> Iterable[Any]:
    case = SpaseqCase(query, **rest)
    return [] if "+" in needs_of(case)["operators"] else case.matches()


def finds_no_alternative_either(query: Any, **rest: Any) -> Iterable[Any]:
    return [] if "|" in needs_of(SpaseqCase(query, **rest))["operators"] else (
        finds_no_iteration(query, **rest)
    )


def test_a_failure_is_known_if_the_repaired_case_passes(tmp_path: Path) -> None:
    known = known_in(tmp_path, WITHOUT_PLUS)
    report = run(finds_no_iteration, known)
    assert report.ok
    assert report.known_met["no-iterations"] == report.failing > 3


def test_what_fails_when_it_is_repaired_goes_on_as_repaired(tmp_path: Path) -> None:
    report = run(finds_no_alternative_either, known_in(tmp_path, WITHOUT_PLUS))
    assert report.known_met["no-iterations"] > 0
    assert report.clusters
    for cluster in report.clusters:
        operators = needs_of(cluster.witness.case)["operators"]
        assert "|" in operators
        assert "+" not in operators


def test_what_a_refusal_hid_may_be_a_crash(tmp_path: Path) -> None:
    refused = WITHOUT_PLUS + "    shape: [error]\n"
    ends = COLLECT.replace("[kleene=collect]", '["|"]')

    def refuses_before_it_ends(query: Any, **rest: Any) -> Iterable[Any]:
        case = SpaseqCase(query, **rest)
        if "+" in needs_of(case)["operators"]:
            raise DenotaError("no iterations")
        if "|" in needs_of(case)["operators"]:
            raise ZeroDivisionError("division by zero")
        return case.matches()

    report = run(refuses_before_it_ends, known_in(tmp_path, refused, ends), examples=2 * ROUND)
    assert report.ok
    assert set(report.known_met) == {"no-iterations", "collects-nothing"}


def test_a_failure_that_waits_for_others_is_shrunk_before_the_run_ends() -> None:
    [cluster] = run(finds_no_iteration).clusters
    witness, engine = cluster.witness, FunctionEngine(finds_no_iteration, "odd")
    report = FuzzReport("odd", ("spaseq",), 1)
    attribution = Attribution(report, None, None, None, together=12)
    attribution.goes_on(FailingCase(witness.case, witness.verdict, engine, 1, cluster.cause.repair))
    attribution.checked(100)
    assert not report.clusters
    attribution.checked(300)
    assert [each.cause for each in report.clusters] == [cluster.cause]


def test_what_is_known_well_is_avoided(tmp_path: Path) -> None:
    with_plus = []

    def watched(query: Any, **rest: Any) -> Iterable[Any]:
        with_plus.append("+" in needs_of(SpaseqCase(query, **rest))["operators"])
        return finds_no_iteration(query, **rest)

    report = run(watched, known_in(tmp_path, WITHOUT_PLUS), examples=5 * ROUND)
    assert report.ok
    assert 16 <= report.known_met["no-iterations"] < 60
    assert sum(with_plus[-ROUND:]) < ROUND / 4


def test_what_one_repair_cures_is_one_cluster() -> None:
    report = run(finds_no_alternative_either)
    repairs = [cluster.cause.repair for cluster in report.clusters]
    assert repairs.count("one iteration") == 1
    cured = next(each for each in report.clusters if each.cause.repair == "one iteration")
    assert "+" in needs_of(cured.witness.case)["operators"]
    assert "|" not in needs_of(cured.witness.case)["operators"]
    assert "cured by 'one iteration'" in summary(report)


def test_what_fails_as_the_run_is_asked_to_stop_is_told_as_it_is() -> None:
    asked = 0

    class Interrupted:
        name, version, languages, level, own = "odd", "", ("spaseq",), "pair", False
        keeps_time = True

        def run(self, case: Any) -> Iterable[Any]:
            nonlocal asked
            asked += 1
            if asked == 20:
                raise KeyboardInterrupt
            return []

    report = fuzz(Interrupted(), ["spaseq"], examples=60, seed=1)
    assert report.interrupted
    [cluster] = report.clusters
    assert (cluster.count, cluster.shrunk) == (report.failing, 0)
    assert "1. not shrunk: SEQ(" in summary(report)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("known: []", "'engine' is missing"),
        ("engine: odd\nversions: []\nknown: []", "versions must name at least one"),
        (FILE + "  - {name: a, language: spaseq, shape: [crash]}", "needs 'what'"),
        (FILE + "  - {name: a, what: b, language: spaseq}", "a 'reading' or a 'shape'"),
        (FILE + "  - {name: a, what: b, language: spasek, shape: [crash]}", "no language 'spasek'"),
        (FILE + "  - {name: a, what: b, language: ceql, shape: [crush]}", "no shape 'crush'"),
        (FILE + "  - {name: a, what: b, language: ceql, shape: [crash], message: '('}", "regular"),
        (FILE + "  - {name: a, what: b, language: ceql, repair: integers, message: x}", "beside"),
        (FILE + "  - {name: a, what: b, language: ceql, reading: {x: y}}", "no reading 'x'"),
        (FILE + "  - {name: a, what: b, language: ceql, shape: [crash], sort: x}", "'sort'"),
        (FILE + "  - {name: a, what: b, language: ceql, shape: [missing]}", "no shape 'missing'"),
        (FILE + "  - {name: a, what: b, language: ceql, repair: add WITHI}", "'add WITHIN'"),
        (FILE + NEVER + NEVER, "two known differences 'never'"),
        (FILE + NEVER, "odd.known.yaml knows nothing of oracle"),
        ("engine: oracle\nversions: ['9*']\nknown:\n" + NEVER, "knows nothing of oracle"),
    ],
)
def test_a_bad_file_gets_one_clear_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.known.yaml"
    path.write_text(text, encoding="utf-8")
    words = ["fuzz", "-e", "oracle", "-l", "spaseq", "-n", "1", "--known-differences", str(path)]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
    assert "odd.known.yaml" in err


def test_a_file_that_is_none_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_known(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"engine: \xff")
    with pytest.raises(DenotaError, match="not UTF-8"):
        read_known(tmp_path / "bytes.yaml")


@pytest.mark.parametrize(("case", "repair"), [
    ("core/order-of-a-double-beside-integers", "no fractions"),
    ("core/integer-times-double", "integers beside doubles"),
    ("core/in-range-of-two-types", "integers beside doubles"),
    ("core/large-integer-of-two-types", "small integers"),
    ("core/division-by-zero", "divide by 1"),
    ("core/remainder-of-a-double", "sums for remainders"),
    ("rsp-js/window-after-many-answers", "one solution"),
    ("pandas-match-recognize/sum-beyond-64-bits", "small integers"),
])
def test_a_repaired_case_has_results(case: str, repair: str) -> None:
    found = repaired(read_case(CORPUS / "peers" / f"{case}.case.yaml").parsed(), repair)
    assert found is not None
    expected = expectation_of(found)
    assert isinstance(expected, ExpectedResults)
    assert expected.results


def test_the_repair_of_integers_beside_doubles_keeps_doubles_alone() -> None:
    alone = read_case(CORPUS / "peers" / "core" / "remainder-of-a-double.case.yaml").parsed()
    assert repaired(alone, "integers beside doubles") is None


def test_the_repair_of_integers_beside_doubles_takes_ranges_of_constants() -> None:
    case = read_case(CORPUS / "peers" / "core" / "in-range-of-two-types.case.yaml").parsed()
    query = case.language.parse("SELECT * FROM S WHERE A FILTER A[0 IN RANGE (1.0, 0)]")
    found = repaired(case.but(query=query), "integers beside doubles")
    assert found is not None
    assert "RANGE (1, 0)" in found.language.print(found.tree)


def test_a_refusal_is_cured_by_an_answer_of_nothing() -> None:
    def refuses_signs(query: Any, **rest: Any) -> Iterable[Any]:
        if has(query, Negative):
            raise DenotaError("Invalid argument")
        return Oracle().run(CeqlCase(query, rest["streams"], rest["readings"]))

    case = read_case(CORPUS / "peers" / "core" / "negative-number.case.yaml").parsed()
    case = case.but(query=case.language.parse("SELECT * FROM S WHERE A FILTER A[n > -1000]"))
    case = case.but(expect=expectation_of(case))
    engine = FunctionEngine(refuses_signs, "odd")
    verdict = check_case(case, engine, timeout=None)
    assert verdict.missing
    assert cure_of(case, verdict, engine, timeout=None) == "no signs"


def test_comparisons_for_in_are_as_they_are_read() -> None:
    case = read_case(CORPUS / "peers" / "core" / "in-numbers.case.yaml").parsed()
    language = case.language
    asked = case.but(query=language.parse("SELECT * FROM S WHERE A FILTER A[n IN {-1, 1}]"))
    found = repaired(asked, "comparisons for IN")
    assert found is not None
    assert language.parse(language.print(found.tree)) == found.tree
    assert repaired(found, "no signs") is not None
