import sys
from xml.etree import ElementTree

import pytest
from rdflib import Graph, URIRef

from denota.oracle.cli import main

from .children import fork_denota

EARL = "http://www.w3.org/ns/earl#"


@pytest.fixture
def folder(tmp_path, case_text, unsupported_case_text):
    """One case that passes, one that fails, one that no engine takes."""
    cases = tmp_path / "cases"
    (cases / "deep").mkdir(parents=True)
    (cases / "right.case.yaml").write_text(case_text(), encoding="utf-8")
    (cases / "deep" / "wrong.case.yaml").write_text(
        case_text().replace("{h: \":H1\"", "{h: \":H3\""),
        encoding="utf-8",
    )
    (cases / "other.case.yaml").write_text(unsupported_case_text, encoding="utf-8")
    return cases


def test_cases_that_pass_are_one_line(case_file, capsys):
    assert main(["check", str(case_file)]) == 0
    captured = capsys.readouterr()
    (line,) = captured.out.splitlines()
    assert line.startswith("1 case: 1 passed (production ")
    assert "comparison level: pair" in line
    assert captured.err == ""


def test_a_failing_case_prints_what_differs_in_aligned_rows(wrong_case_file, capsys):
    assert main(["check", str(wrong_case_file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(maxsplit=1) == ["FAIL", "each power event with the next weather event"]
    assert lines[1].strip() == str(wrong_case_file)
    header = next(line for line in lines if line.split() == ["window", "time", "h", "w"])
    missing = next(line for line in lines if line.strip().startswith("missing"))
    unexpected = next(line for line in lines if line.strip().startswith("unexpected"))
    assert missing.split() == ["missing", "20", ":H3", ":W1"]
    assert unexpected.split() == ["unexpected", "[10,", "25]", "20", ":H1", ":W1"]
    for column, cells in (("h", (":H3", ":H1")), ("time", ("20", "20"))):
        assert {line.index(c) for line, c in zip((missing, unexpected), cells, strict=True)} == {
            header.index(column)
        }
    decided = "\n".join(lines)
    assert "SPAseq Def. 11, Example 7" in decided
    assert "Def. 11 (skip-till-next ';')" in decided
    assert "Def. 16 (windows, WITHIN 15, window=tumbling)" in decided
    assert lines[-1].startswith("1 case: 1 failed")


def test_directories_are_searched_and_verdicts_counted(folder, capsys):
    assert main(["check", str(folder)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("3 cases: 1 passed, 1 failed, 1 unsupported (")
    assert "UNSUPPORTED" in out
    assert "PASS" not in out


def test_verbose_prints_what_passes_too(case_file, capsys):
    assert main(["check", "-v", str(case_file)]) == 0
    assert capsys.readouterr().out.startswith("PASS ")


def test_what_is_unsupported_does_not_fail(folder, capsys):
    assert main(["check", str(folder / "other.case.yaml"), str(folder / "right.case.yaml")]) == 0


def test_several_processes_judge_alike(folder, capsys):
    main(["check", str(folder)])
    alone = capsys.readouterr().out.splitlines()[:-1]
    assert main(["check", str(folder), "--jobs", "2"]) == 1
    assert capsys.readouterr().out.splitlines()[:-1] == alone


def test_junit(folder, tmp_path, capsys):
    path = tmp_path / "r.xml"
    assert main(["check", str(folder), "--junit", str(path)]) == 1
    suites = ElementTree.parse(path).getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("skipped")) == ("3", "1", "1")
    assert len(suites.findall("testsuite")) == 2
    failure = suites.find(".//failure")
    assert failure.get("message") == "1 missing, 1 unexpected at level pair"
    assert ":H3" in failure.text
    assert suites.find(".//skipped").get("message").startswith("SERVICE")


def test_earl(folder, tmp_path, capsys):
    path = tmp_path / "r.ttl"
    assert main(["check", str(folder), "--earl", str(path)]) == 1
    graph = Graph().parse(path)
    outcomes = sorted(
        str(o).removeprefix(EARL) for o in graph.objects(None, URIRef(EARL + "outcome"))
    )
    assert outcomes == ["failed", "inapplicable", "passed"]
    tests = set(graph.objects(None, URIRef(EARL + "test")))
    assert len(tests) == 3
    assert all(str(test).startswith("urn:denota:case:") for test in tests)
    assert len(set(graph.objects(None, URIRef(EARL + "subject")))) == 1


def test_html_is_one_page_by_itself(folder, tmp_path, capsys):
    path = tmp_path / "r.html"
    text = (folder / "right.case.yaml").read_text(encoding="utf-8")
    (folder / "right.case.yaml").write_text(
        text.replace("title: each", "title: <script>alert(1)</script> each"), encoding="utf-8"
    )
    assert main(["check", str(folder), "--html", str(path)]) == 1
    page = path.read_text(encoding="utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "http://www" not in page.replace("http://www.w3.org/ns/prov#", "")
    assert "src=" not in page
    assert "href=" not in page
    for word in ("passed", "failed", "unsupported", ":H3", "Def. 11"):
        assert word in page
    assert page.count("<article") == page.count("</article>") == 1


def test_a_crashing_engine_does_not_end_the_run(folder, tmp_path, capsys):
    script = tmp_path / "crash.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    if json.loads(line)['type'] == 'hello':\n"
        "        print(json.dumps(dict(type='hello', name='toy', version='3',\n"
        "              languages=['spaseq'], level='row')), flush=True)\n"
        "    else:\n"
        "        print('no memory left', file=sys.stderr, flush=True); sys.exit(7)\n",
        encoding="utf-8",
    )
    earl, html, junit = (tmp_path / name for name in ("r.ttl", "r.html", "r.xml"))
    engine = f"command:{sys.executable} {script}"
    assert main([
        "check", str(folder), "--engine", engine, "--earl", str(earl), "--html", str(html),
        "--junit", str(junit),
    ]) == 1
    out = capsys.readouterr().out
    assert out.count("the engine process exited with exit code 7") == 2
    assert out.count("no memory left") == 2
    assert out.splitlines()[-1].startswith("3 cases: 1 unsupported, 2 crashed (toy 3,")
    assert ElementTree.parse(junit).getroot().get("errors") == "2"
    assert "no memory left" in html.read_text(encoding="utf-8")
    assert "toy" in earl.read_text(encoding="utf-8")


def test_a_hanging_engine_times_out(case_file, tmp_path, clock, until_gone, capsys):
    script, number = tmp_path / "hang.py", tmp_path / "number"
    script.write_text(
        f"import os, sys, time; open({str(number)!r}, 'w').write(str(os.getpid()));"
        # Time passes once it is asked: before that nobody waits for it.
        f" sys.stdin.readline(); {clock}; time.sleep(1e6)",
        encoding="utf-8",
    )
    engine = f"command:{sys.executable} {script}"
    assert main(["check", str(case_file), "--engine", engine, "--timeout", "10"]) == 1
    assert "1 timed out" in capsys.readouterr().out
    until_gone(int(number.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "words, message",
    [
        (["no-such-place"], "no-such-place: No such file or directory"),
        (["EMPTY"], "no case in this directory"),
        (["CASE", "--engine", "flnk"], "no engine 'flnk'"),
        (["CASE", "--timeout", "0"], "positive number of seconds"),
        (["CASE", "--jobs", "many"], "positive number"),
        (["CASE", "--html", "/no/such/folder/x.html"], "/no/such/folder/x.html"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(case_file, tmp_path, words, message, capsys):
    (tmp_path / "empty").mkdir()
    places = {"EMPTY": str(tmp_path / "empty"), "CASE": str(case_file)}
    assert main(["check", *(places.get(word, word) for word in words)]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert captured.out == ""


def test_every_case_that_cannot_be_read_is_named(folder, capsys):
    (folder / "a.case.yaml").write_text("language: [", encoding="utf-8")
    (folder / "b.case.yaml").write_text("language: spaseq\n", encoding="utf-8")
    assert main(["check", str(folder)]) == 2
    captured = capsys.readouterr()
    first, second = captured.err.splitlines()
    assert first.startswith(f"{folder / 'a.case.yaml'}:")
    assert second.startswith(f"{folder / 'b.case.yaml'}:1:1: ")
    assert captured.out == ""


def test_there_is_no_bar_and_no_colour_in_a_pipe(folder):
    running = fork_denota(["check", str(folder)], folder)
    out, err = running.communicate()
    assert (running.returncode, err) == (1, "")
    assert "\x1b" not in out


def test_w3c_manifests_are_run_on_the_oracle(tmp_path, capsys):
    (tmp_path / "q.rq").write_text("SELECT ?v { ?s ?p ?v }", encoding="utf-8")
    (tmp_path / "d.ttl").write_text("<http://e/s> <http://e/p> 1 .", encoding="utf-8")
    (tmp_path / "r.csv").write_text("v\r\n1\r\n", encoding="utf-8")
    (tmp_path / "wrong.csv").write_text("v\r\n2\r\n", encoding="utf-8")
    manifest = tmp_path / "manifest.ttl"
    tests = "".join(
        f":{name} a mf:QueryEvaluationTest ; mf:name '{name}' ; mf:result <{result}> ; "
        "mf:action [ qt:query <q.rq> ; qt:data <d.ttl> ] .\n"
        for name, result in (("right", "r.csv"), ("wrong", "wrong.csv"))
    )
    manifest.write_text(
        "@prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> .\n"
        "@prefix qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#> .\n"
        f"@prefix : <http://tests/#> .\n<> a mf:Manifest ; mf:entries (:right :wrong) .\n{tests}",
        encoding="utf-8",
    )
    reports = [tmp_path / name for name in ("r.ttl", "r.html", "r.xml")]
    assert main(["check", str(manifest), "--earl", str(reports[0]), "--html", str(reports[1]),
                 "--junit", str(reports[2])]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("2 cases: 1 passed, 1 failed (oracle ")
    assert "wrong" in out
    graph = Graph().parse(reports[0])
    assert (URIRef("http://tests/#wrong") in set(graph.objects(None, URIRef(EARL + "test"))))
    # A directory with a manifest and no case stands for it; the matcher can be checked as well.
    assert main(["check", str(tmp_path), "--engine", "production"]) == 1
    out = capsys.readouterr().out
    assert ["total", "1", "1", "0"] in [line.split() for line in out.splitlines()]
    assert out.splitlines()[-1].startswith("2 cases: 1 passed, 1 failed (production ")
    assert main(["check", str(manifest), "--engine", "command:true"]) == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_nothing_judged_is_not_success(tmp_path, unsupported_case_text, jobs, capsys):
    for number in range(2):
        path = tmp_path / f"{number}.case.yaml"
        path.write_text(unsupported_case_text, encoding="utf-8")
    assert main(["check", str(tmp_path), "--jobs", jobs]) == 3
    assert "2 cases: 2 unsupported" in capsys.readouterr().out
