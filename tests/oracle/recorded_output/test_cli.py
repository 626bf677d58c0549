"""`denota check --recorded` on the command line."""

import json
from xml.etree import ElementTree

import pytest

from denota.oracle.cli import main


@pytest.fixture
def asked(busy):
    """A right and a wrong recording of one query, and how to ask about them."""
    a, b, c, d = (busy.row(name, value) for name, value in zip("abcd", (10, 20, 30, 40),
                                                               strict=True))
    busy.measures({6: {"e": 50}, 7: {"f": 60}, 9: {"g": 70}})
    e, f, g = (busy.row(name, value) for name, value in zip("efg", (50, 60, 70), strict=True))
    right = busy.file("csparql-1.json", (2000, [a]), (4000, [b, c]), (6000, [d]), (8000, [e, f]),
                      (10_000, [g]), (12_000, []))
    wrong = busy.file("sparqlstream-1.json", (2000, [a]), (4000, [b]), (8000, [e, f]),
                      (9500, [d]), (10_000, [g]))
    query = busy.folder / "q1.rq"
    query.write_text(busy.query("RANGE 2s STEP 2s"))
    options = ["--query", str(query), "--stream", f"{busy.stream}={busy.data}"]
    return busy, right, wrong, options


def test_a_right_recording(asked, capsys):
    _, right, _, options = asked
    assert main(["check", "--recorded", str(right), *options]) == 0
    out = capsys.readouterr().out
    assert "PASS  " in out
    assert "* window-close, RSTREAM, [a,b), empty answers reported: " in out
    assert "t0 ≤ 0 s" in out
    assert "1 recording: 1 right, 0 wrong" in out


def test_a_wrong_recording(asked, capsys):
    _, right, wrong, options = asked
    assert main(["check", "--recorded", str(right), str(wrong), *options]) == 1
    out = capsys.readouterr().out
    assert "FAIL  " in out
    assert "nearest: window-close, RSTREAM, [a,b), no empty answers, t0 = 0 s" in out
    assert "differs in 1 row missing, 1 row late by 3.5 s (allowed: 1 s late)" in out
    assert "missing     due at 4 s: s=:c v=30" in out
    assert "late by 3.5 s due at 6 s, came at 9.5 s: s=:d v=40" in out
    assert "2 recordings: 1 right, 1 wrong" in out


@pytest.mark.parametrize(
    ("more", "code"),
    [(["--emulate", "csparql"], 0), (["--emulate", "cqels"], 1), (["--emulate", "any"], 0),
     (["--max-delay", "0s"], 0), (["--max-delay", "0"], 0), (["--max-delay", "5"], 2)],
)
def test_options(asked, more, code, capsys):
    _, right, _, options = asked
    assert main(["check", "--recorded", str(right), *options, *more]) == code


def test_a_larger_delay_forgives(asked):
    busy, _, _, options = asked
    rows = {name: busy.row(name, 10 * number) for number, name in enumerate("abcdefg", start=1)}
    late = busy.file("late-1.json", *(
        (close * 1000 + 2400, [rows[name] for name in names])
        for close, names in ((2, "a"), (4, "bc"), (6, "d"), (8, "ef"), (10, "g"))
    ))
    strict = ["check", "--recorded", str(late), *options, "--emulate", "sparqlstream"]
    assert main(strict) == 1
    assert main([*strict, "--max-delay", "2500ms"]) == 0


def test_reports(asked, tmp_path, capsys):
    _, right, wrong, options = asked
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "html", "junit", "markdown")}
    written = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert main(["check", "--recorded", str(right), str(wrong), *options, *written]) == 1
    one, other = json.loads(files["json"].read_text())
    assert (one["right"], one["engine"], one["query"]) == (True, "csparql", "q1")
    closing = [s for s in one["settings"] if s["policy"] == "window-close" and s["own"]]
    assert {s["bounds"] for s in closing} >= {"[a,b)"}
    assert all(s["operator"] == "RSTREAM" and s["empty answers"] for s in closing)
    assert any(low <= 0 <= high for s in closing for low, high in s["t0"])
    assert not other["right"]
    assert [(m["due"], m["row"]["s"]["value"]) for m in other["nearest"]["missing"]] == [
        (4, "http://example.org/c")
    ]
    assert [m["by"] for m in other["nearest"]["late"]] == [3.5]
    suite = ElementTree.parse(files["junit"]).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "differs in 1 row missing" in files["html"].read_text()
    assert "| csparql-1 | right |" in files["markdown"].read_text()
    assert "| sparqlstream-1 | wrong |" in files["markdown"].read_text()


def test_queries_are_found_by_their_numbers(asked, capsys):
    busy, right, _, _ = asked
    (busy.folder / "q2.rq").write_text(busy.query("RANGE 1s STEP 1s"))
    second = busy.file("csparql-2.json", (1000, []), (2000, [busy.row("b", 20)]),
                       (3000, [busy.row("c", 30)]), (4000, []), (5000, [busy.row("d", 40)]),
                       (6000, [busy.row("e", 50)]), (7000, [busy.row("f", 60)]), (8000, []),
                       (9000, [busy.row("g", 70)]))
    assert main([
        "check", "--recorded", str(right), str(second), "--query", str(busy.folder),
        "--stream", str(busy.data),
    ]) == 0
    assert "(a,b], empty answers reported: t0 = 0 s" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["query", "answers", "streams", "kb"])
@pytest.mark.parametrize("name", ["../outside.ttl", "links", "lin*/*.ttl", "{folder}/outside.ttl"])
def test_a_manifest_names_no_file_outside_of_its_folder(tmp_path, place, name, capsys):
    folder = tmp_path / "folder"
    (folder / "links").mkdir(parents=True)
    (tmp_path / "outside.ttl").write_text("<urn:s> <urn:p> 1 .")
    (folder / "links" / "1.ttl").symlink_to(tmp_path / "outside.ttl")
    named = {
        "query": "SELECT ?v { ?s ?p ?v }", "answers": ["a.json"], "streams": "s.trig",
        "kb": {"http://example.org/k": "k.ttl"},
    }
    written = name.format(folder=tmp_path)
    named[place] = {"http://example.org/k": written} if place == "kb" else written
    manifest = folder / "answers.yaml"
    manifest.write_text(json.dumps({"queries": [named]}))
    (folder / "a.json").write_text("[]")
    command = ["check", "--recorded", str(manifest)]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"{manifest}:1:")
    assert "(--allow-external-files)" in error
    assert error.count("\n") == 1
    assert main([*command, "--allow-external-files"]) == 2
    assert "(--allow-external-files)" not in capsys.readouterr().err


def test_manifests(asked, capsys):
    busy, *_ = asked
    manifest = busy.folder / "answers.yaml"
    manifest.write_text(f"""\
streams: {{{busy.stream}: data}}
queries:
  - query: q1.rq
    answers: [csparql-1.json, sparqlstream-1.json]
  - query: |
      PREFIX : <http://example.org/>
      SELECT ?s ?v WHERE {{ ?s :reads ?v }}
    window: 2s/2s
    setting: csparql
    delay: 200ms
    answers: csparql-1.json
""")
    assert main(["check", "--recorded", str(manifest)]) == 1
    assert "3 recordings: 2 right, 1 wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{right}"], "--recorded requires --query"),
        (["{right}", "--query", "{query}"], "name its stream"),
        (["nowhere.json", "--query", "{query}", "--stream", "{data}"], "nowhere.json: No such"),
        (["{right}", "--query", "{query}", "--stream", "http://example.org/other={data}"],
         "the stream <http://example.org/readings> is not given"),
        (["{right}", "--query", "{query}", "--stream", "{data}", "--emulate", "esper"],
         "there is no setting 'esper'"),
        (["{right}", "--query", "{query}", "--stream", "{data}", "--max-delay", "soon"], "soon"),
        (["{right}", "--query", "{query}", "--stream", "{data}", "--window", "2s"],
         "has windows of its own"),
        (["{data}", "--query", "{query}", "--stream", "{data}"], "no files of answers"),
        (["{right}", "--query", "{query}", "--stream", "{data}", "--engine", "oracle"],
         "--engine is for cases"),
        ([], "name a file of recorded output"),
    ],
)
def test_errors_are_one_line(asked, words, said, capsys):
    busy, right, _, _ = asked
    names = {"right": right, "query": busy.folder / "q1.rq", "data": busy.data}
    assert main(["check", "--recorded", *(word.format(**names) for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * WHERE { ?s ?p ?o }", "the query has no window"),
        ("ASK FROM WINDOW ON <http://example.org/readings> [RANGE 2s] WHERE { ?s ?p ?o }",
         "SELECT queries only"),
        ("SELECT * FROM WINDOW ON <http://example.org/readings> [ELEMENTS 3] WHERE { ?s ?p ?o }",
         "time-based windows"),
        ("SELECT * FROM WINDOW ON <http://example.org/readings> [RANGE 2 STEP 2] WHERE {?s ?p ?o}",
         "a length of time such as 10s"),
        ("SELECT * WHERE {", "line"),
    ],
)
def test_queries_that_cannot_be_judged(asked, query, said, capsys):
    busy, right, _, _ = asked
    path = busy.folder / "other.rq"
    path.write_text(query)
    code = main(["check", "--recorded", str(right), "--query", str(path), "--stream",
                 str(busy.data)])
    assert code == 2
    error = capsys.readouterr().err
    assert error.startswith(str(path))
    assert said == "line" or said in error
    assert error.count("\n") == 1


def test_check_without_cases_or_answers(capsys):
    assert main(["check"]) == 2
    assert "--recorded" in capsys.readouterr().err
