"""Results files, and the page that is made of them."""

import json
import re
import shlex
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

import pyoxigraph
import pytest

import denota
from denota.oracle.cli import main
from denota.oracle.fuzzing.differential import fuzz
from denota.oracle.reports import conformance
from denota.oracle.reports.conformance import (
    markdown,
    read_engines,
    sheets,
    verdict_on,
    write_html,
)
from denota.oracle.reports.run_result import asked_of
from denota.oracle.reports.verdict_records import ResultsError, read_results

CORPUS = Path(denota.__file__).parent / "corpus"

ENGINE = """
import denota

class Engine:
    name, version, languages, level = "forgetful", "1.0", ("spaseq",), "pair"

    def run(self, case):
        if "OPTIONAL" in case.text:
            raise denota.UnsupportedError("no OPTIONAL")
        return []
"""

SEQUENCES = {"spaseq": {"operators": {";"}}}


@pytest.fixture
def results(tmp_path, case_file, monkeypatch, capsys):
    """A folder in which two engines' verdicts on one case are."""
    (tmp_path / "forgetful.py").write_text(ENGINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results"
    command = ["check", str(case_file), "--save-verdicts", str(folder)]
    assert main(command) == 0
    assert main([*command, "--engine", "python:forgetful:Engine"]) == 1
    capsys.readouterr()
    return folder


def test_a_file_says_who_was_judged_and_what_each_case_asked(results):
    head, (record,) = read_results(results / "check-forgetful-1.jsonl")
    assert (head["engine"], head["version"], head["verb"]) == ("forgetful", "1.0", "check")
    assert record.outcome == "fail"
    assert record.asks["operators"] == [";"]
    assert record.asks["readings"] == ["the defaults"]


def test_every_line_is_as_the_schema_says(results):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((CORPUS / "results.schema.json").read_text(encoding="utf-8"))
    judge = jsonschema.Draft202012Validator(schema)
    lines = [line for path in results.iterdir() for line in path.read_text().splitlines()]
    assert len(lines) == 4
    for line in lines:
        judge.validate(json.loads(line))
    assert not judge.is_valid({**json.loads(lines[0]), "denota-results": 2})


def test_each_engine_has_a_table_of_its_own(results):
    engines = read_engines([results])
    assert list(engines.tallies) == [f"production {denota.__version__}", "forgetful 1.0"]
    ours, forgetful = sheets(engines)
    assert (forgetful.engine, forgetful.title) == ("forgetful 1.0", "SPAseq")
    for sheet, said in ((forgetful, ("fail", "1 of 1 failed")), (ours, ("pass", "1 passed"))):
        row = next(row for row in sheet.rows if (row.group, row.name) == ("operators", ";"))
        assert verdict_on(row.counts) == said
        assert not any(row.name == "!" for row in sheet.rows)
    text = markdown(engines, Path())
    assert "`!`" in text.split("not covered (operators)")[1]
    assert "1 of 2 failed" not in text  # nothing is added over engines


def test_features_without_a_judged_case_are_no_rows(tmp_path):
    head = {"denota-results": 1, "verb": "check", "engine": "e", "version": "1", "level": "pair"}
    asked = [({"operators": [";"]}, "pass"), ({"operators": [";", "!"]}, "unsupported")]
    lines = [{**head, "begun": "1"}, *(
        {"language": "spaseq", "title": "", "place": str(n), "asks": asks, "verdict": verdict}
        for n, (asks, verdict) in enumerate(asked)
    ), {"language": "ceql", "title": "", "place": "", "asks": {}, "verdict": "unsupported"}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    sheet, other = sheets(read_engines([tmp_path]))
    assert [(row.name, verdict_on(row.counts)[1]) for row in sheet.rows] == [
        (";", "1 passed, 1 unsupported")
    ]
    assert sheet.refused == (("operators", ("!",)),)
    assert not other.rows
    write_html(read_engines([tmp_path]), tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count("<section") == 1


def test_failures_are_linked_to_findings(tmp_path, monkeypatch):
    findings = tmp_path / "docs" / "findings"
    findings.mkdir(parents=True)
    (findings / "e.yaml").write_text(
        "findings:\n- {name: late, sort: meaning, what: Too `late`., cases: [{case: too-late}]}\n"
        "- {name: late-again, what: Again.}\n", encoding="utf-8",
    )
    monkeypatch.setattr(conformance, "FINDINGS", findings)
    head = {"denota-results": 1, "verb": "fuzz", "engine": "e", "version": "1", "level": "pair"}
    case = {"language": "spaseq", "title": "", "asks": {"operators": [";"]}, "verdict": "fail"}
    lines = [
        {**head, "begun": "1"},
        {**case, "place": "corpus/peers/e/too-late.case.yaml"},
        {**case, "place": "elsewhere/too-late.case.yaml"},
        {**case, "place": "seed 1, case 1", "known": "late-missing"},
        {**case, "place": "seed 1, case 2", "known": "late-again"},
        {**case, "place": "seed 1, case 3", "known": "<b>"},
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    pages = tmp_path / "pages"
    pages.mkdir()
    page, text = pages / "r.html", pages / "r.md"
    assert main(["report", str(tmp_path), "--html", str(page), "--markdown", str(text)]) == 0
    (sheet,) = sheets(read_engines([tmp_path]))
    assert [(each.name, len(each.records)) for each in sheet.faults] == [
        ("", 1), ("late-again", 1), ("<b>", 1), ("late", 2)
    ]
    html, written = page.read_text(encoding="utf-8"), text.read_text(encoding="utf-8")
    assert '<a href="../docs/findings/e.md#late">late</a>' in html
    assert "Too <code>late</code>." in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    late = "- [late](../docs/findings/e.md#late) (difference of meaning, 2 cases): Too `late`."
    assert late in written
    first, _ = written.split("not among the findings")[1].split("[late]")
    assert "elsewhere/too-late.case.yaml" in first
    (overview,) = [line for line in written.splitlines() if line.startswith("| e 1 | SPAseq")]
    assert overview == "| e 1 | SPAseq | 5 |  | 1 | 2 | 2 |  |  |"
    assert verdict_on(sheet.rows[0].counts, sheet.rows[0].explained) == (
        "fail", "1 of 5 failed, findings 4"
    )


def test_a_case_that_is_judged_again_counts_once(results, case_file, capsys):
    main(["check", str(case_file), "--save-verdicts", str(results)])
    assert len(list(results.glob("check-production-*.jsonl"))) == 2
    assert [sheet.total.judged for sheet in sheets(read_engines([results]))] == [1, 1]


def test_what_is_passed_over_in_fuzzing_is_told_of(tmp_path):
    class Sequences:
        name, version, languages, level = "sequences", "1.0", ("spaseq",), "pair"
        capabilities = SEQUENCES
        keeps_time = True

        def run(self, case):
            return case.denotation()

    told = []
    report = fuzz(
        Sequences(), examples=8, seed=1,
        witness=lambda case, verdict, place, known: told.append((verdict.outcome, asked_of(case))),
    )
    assert len(told) == report.examples + report.passed_over
    for outcome, asked in told:
        assert (outcome == "unsupported") == bool(asked["operators"] - {";"})


def test_a_generated_failure_has_the_command_that_repeats_it(results, tmp_path):
    words = ["fuzz", "--engine", "python:forgetful:Engine", "--cases", "8", "--seed", "-5"]
    assert main([*words, "--save-verdicts", str(tmp_path / "fuzzed")]) == 1
    _, records = read_results(tmp_path / "fuzzed" / "fuzz-forgetful-1.jsonl")
    failed = next(each for each in records if each.outcome.is_failure)
    assert "--seed -5" in failed.command
    assert main(shlex.split(failed.command)[1:]) == 1


def test_the_page_is_written(results, tmp_path, capsys):
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    assert main(["report", str(results), "--html", str(page), "--markdown", str(text)]) == 0
    assert capsys.readouterr().out == ""
    assert '<td class="fail">1 of 1 failed</td>' in page.read_text(encoding="utf-8")
    assert main(["report", str(results)]) == 0
    assert capsys.readouterr().out == text.read_text(encoding="utf-8")


def test_a_line_that_was_cut_off_is_left_out(results):
    path = results / "check-forgetful-1.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write('{"language": "spa')
    assert len(read_results(path)[1]) == 1


@pytest.mark.parametrize("line", [
    "{", "[]", json.dumps({"language": "spaseq"}),
    json.dumps({"language": "spaseq", "title": "", "place": "", "asks": {}, "verdict": "good"}),
])
def test_what_is_no_result_is_one_line(results, line, capsys):
    path = results / "check-forgetful-1.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"forgetful-1.jsonl:3:"):
        read_results(path)
    assert main(["report", str(results)]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "forgetful-1.jsonl:3:" in said


def test_an_empty_folder_has_no_results(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "there are no results" in capsys.readouterr().err


NAMED = """
import denota

class Engine:
    name, version, languages, level = NAME, NAME, ("spaseq",), "pair"

    def run(self, case):
        raise denota.UnsupportedError(NAME) if KIND else RuntimeError(NAME)
"""
NAMES = ("a\x1b[2Jb<script>alert(1)</script>|`_c", "\ud800", "`` x |\n\n# y")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [False, True])
def test_an_engine_is_called_anything_in_reports(
    name, kind, case_file, tmp_path, monkeypatch, capsys
):
    text = NAMED.replace("NAME", ascii(name)).replace("KIND", str(kind))
    module = f"named_{NAMES.index(name)}_{kind}"
    (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    pages = {kind: tmp_path / f"r.{kind}" for kind in ("html", "earl", "junit", "markdown")}
    options = [word for kind, path in pages.items() for word in (f"--{kind}", str(path))]
    command = ["check", str(case_file), "--engine", f"python:{module}:Engine", *options]
    assert main([*command, "--save-verdicts", str(tmp_path / "results")]) == (3 if kind else 1)
    pages |= {"page": tmp_path / "p.html", "sheet": tmp_path / "p.md"}
    report = ["report", str(tmp_path / "results"), "--html", str(pages["page"])]
    assert main([*report, "--markdown", str(pages["sheet"])]) == 0
    out, err = capsys.readouterr()
    texts = {each: path.read_text("utf-8") for each, path in pages.items()}
    assert "\x1b" not in out + err + "".join(texts.values())
    assert "<script>" not in texts["html"] + texts["page"]
    ElementTree.parse(pages["junit"])
    list(pyoxigraph.parse(path=str(pages["earl"]), format=pyoxigraph.RdfFormat.TURTLE))
    for each in ("markdown", "sheet"):
        markup = [line for line in texts[each].splitlines() if not line.startswith("    ")]
        assert not any(line.startswith("# y") for line in markup)
        assert "<script>" not in "\n".join(markup).replace("\\<", "")
        for is_table, rows in groupby(markup, key=lambda line: line.startswith("|")):
            cells = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
            assert not is_table or len(cells) == 1
