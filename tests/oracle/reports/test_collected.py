"""Reports of what fuzzing and sweeps have found."""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from rdflib import Graph, URIRef

from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.verdicts import Outcome, Verdict
from denota.oracle.checking.worker_pool import Identity
from denota.oracle.cli import main
from denota.oracle.reports.collected_results import of_sweep
from denota.oracle.reports.files import ReportFiles
from denota.oracle.reports.run_result import Tally
from denota.oracle.sweeps.failures import Failure, Failures
from denota.oracle.sweeps.manifest import Manifest
from denota.oracle.sweeps.row_verdicts import RowVerdict
from denota.oracle.sweeps.summary import SweepReport

ENGINE = """
class Engine:
    name, version, languages, level = "silent", "1.0", ("spaseq",), "pair"

    def run(self, case):
        return []
"""
OUTCOME = URIRef("http://www.w3.org/ns/earl#outcome")


def outcomes(path):
    return Counter(str(each).rpartition("#")[2] for each in Graph().parse(path).objects(
        None, OUTCOME
    ))


def test_fuzzing_writes_every_report(tmp_path, monkeypatch, capsys):
    (tmp_path / "silent.py").write_text(ENGINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main([
        "fuzz", "--engine", "python:silent:Engine", "-n", "12", "--seed", "1", "--html", "r.html",
        "--earl", "r.ttl", "--junit", "r.xml", "--markdown", "r.md",
    ]) == 1
    page, text = (Path(name).read_text(encoding="utf-8") for name in ("r.html", "r.md"))
    repeated = "denota fuzz --engine python:silent:Engine --seed 1"
    assert repeated in page
    assert repeated in text
    assert 'class="timeline"' in page
    assert "<svg" in page
    assert "generated from seed 1" in text
    found = outcomes("r.ttl")
    suites = ElementTree.parse("r.xml").getroot()
    assert int(suites.get("tests")) == len(suites.findall(".//testcase")) == found.total()
    assert int(suites.get("failures")) == found["failed"] > 1


TRANSLATING = """
import json, sys

TEXT = "Pattern.begin(1)\\n<script>alert(1)</script>\\u001b[31m]]>"
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "name": "silent", "languages": ["spaseq"]}
    elif "+" in message["query"]:
        answer = {"type": "error", "id": message["id"], "message": "no", "translated": TEXT}
    else:
        answer = {"type": "result", "id": message["id"], "results": [], "translated": TEXT}
    print(json.dumps(answer), flush=True)
"""


def test_reports_show_the_translated_query(case_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("adapter.py").write_text(TRANSLATING, encoding="utf-8")
    engine = f"command:{sys.executable} adapter.py"
    files = ["--html", "r.html", "--junit", "r.xml", "--markdown", "r.md", "--timeout", "1000"]
    for command in (["check", str(case_file)], ["fuzz", "-n", "5", "--seed", "1"]):
        assert main([*command, "--engine", engine, *files]) == 1
        printed = capsys.readouterr().out
        assert "the query as the adapter translated it:" in printed
        assert "<script>alert(1)</script>\\u001b[31m" in printed
        page, text = (Path(name).read_text(encoding="utf-8") for name in ("r.html", "r.md"))
        assert "Pattern.begin(1)\n&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "<script>" not in page
        assert "\n      <script>alert(1)</script>" in text  # in an indented block
        said = [each.text for each in ElementTree.parse("r.xml").iter("failure")]
        assert any("<script>alert(1)</script>" in each for each in said)


def test_a_sweep_writes_what_it_shrank_and_counts_the_rest(case_file, tmp_path):
    case = read_case(case_file)
    failure = Failure(
        frozenset(), case, RowVerdict("fail", missing=1), "keys-1", Verdict(Outcome.FAIL, "pair"),
        explains=7, path=tmp_path / "01-fail.case.yaml",
    )
    report = SweepReport(
        Manifest("c.parquet", "", 20, "toy", 10.0, None, 10, "0.1"), "local",
        failures=Failures([failure], failing=7, shrunk=1),
    )
    counted = Tally()
    counted.add("spaseq", {"operators": [";"]}, Outcome.PASS, 13)
    counted.add("spaseq", {"operators": [";", ","]}, Outcome.FAIL, 7)
    judgement = of_sweep(
        report, Identity("toy", "1.0", "pair"), counted, lambda path: f"denota check {path.name}"
    )
    assert judgement.counts == {Outcome.PASS: 13, Outcome.FAIL: 7}
    assert judgement.summary().startswith("20 cases: 13 passed, 7 failed (toy 1.0")
    files = ReportFiles(tmp_path / "s.html", tmp_path / "s.ttl", tmp_path / "s.xml",
                        tmp_path / "s.md")
    files.write(judgement)
    page = files.html.read_text(encoding="utf-8")
    assert "7 similar cases" in page
    assert "denota check 01-fail.case.yaml" in page
    assert "7 of 20 failed" in page
    assert "7 of 7 failed" in files.markdown.read_text(encoding="utf-8")
    assert outcomes(files.earl) == {"passed": 1, "failed": 2}
    assert ElementTree.parse(files.junit).getroot().get("tests") == "3"
