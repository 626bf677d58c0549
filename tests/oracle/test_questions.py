"""`denota explain`, `distinguish`, `draw` and `run --save-case` on a query and its streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rdflib.term import URIRef

import denota
from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import find_cases, read_case
from denota.oracle.cli import main
from denota.oracle.languages.registry import having

CORPUS = Path(denota.__file__).resolve().parent / "corpus" / "regressions"
MAX_CASES = 3


def small_cases(language: str) -> list[Path]:
    """Return cases with results, default readings and no background graphs."""
    found = []
    for path in find_cases([CORPUS]):
        case = read_case(path)
        if (
            case.language == language and getattr(case.expect, "results", ())
            and not case.kb_sources and not case.reading_names
            and {*case.evaluation} <= {"at", "policy"}
            and "BNODE" not in case.text  # whose labels differ from one evaluation to the next
        ):
            found.append(path)
        if len(found) == MAX_CASES:
            return found
    raise AssertionError(f"too few small cases in {language}")


def as_files(case: Case, folder: Path) -> list[str]:
    """Write a case's query and streams to files; return the words that name them."""
    (folder / "query").write_text(case.text, encoding="utf-8")
    words = [str(folder / "query"), "--language", case.language_name]
    for number, (name, text) in enumerate(case.message()["streams"].items()):
        file = folder / f"stream-{number}.trig"
        if isinstance(text, dict):
            file = file.with_suffix(".csv")
            if "declaration" in text:
                file.with_suffix(".sql").write_text(text["declaration"], encoding="utf-8")
                words += ["--schema", str(file.with_suffix(".sql"))]
            text = text["csv"]
        file.write_text(text, encoding="utf-8")
        words += ["--stream", f"{name}={file}"]
    for option, value in case.evaluation.items():
        words += [f"--{option}", *map(str, value if isinstance(value, list) else [value])]
    return words


@pytest.mark.parametrize("language", having("explain"))
def test_a_query_and_its_streams_are_explained_as_the_case_of_them(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, path in enumerate(small_cases(language)):
        folder = tmp_path / str(number)
        folder.mkdir()
        words = as_files(read_case(path), folder)
        assert main(["explain", str(path), "--match", "1"]) == 0
        of_case = capsys.readouterr().out
        assert main(["explain", *words, "--match", "1"]) == 0
        assert capsys.readouterr().out == of_case

        saved = folder / "saved.case.yaml"
        assert main(["run", *words, "--save-case", str(saved)]) == 0
        assert main(["check", str(saved)]) == 0
        capsys.readouterr()
        assert main(["explain", str(saved), "--match", "1"]) == 0
        assert capsys.readouterr().out == of_case


@pytest.mark.parametrize(("words", "message"), [
    (["explain", "CASE", "--stream", "S=x.csv"], "--stream is not allowed with a case"),
    (["explain", "CASE", "--from", "3"], "--from is not allowed with a case"),
    (["explain", "QUERY", "--stream", "T=s.csv"], "names no stream 'T'"),
    (["explain", "QUERY", "--stream", "S=s.csv", "--match", "7"], "is out of range (1 to 1)"),
    (["run", "QUERY", "--stream", "S=s.csv", "--save-case", "s.csv"], "name the same file"),
    (["run", "QUERY", "--stream", "S=s.csv", "--follow", "--save-case", "c"],
     "--save-case requires files that are complete"),
    (["run", "QUERY", "--stream", "S=s.csv", "--checkpoint", "k", "--save-case", "c"],
     "--save-case requires files that are complete"),
])
def test_wrong_inputs_are_one_line(
    words: list[str], message: str, tmp_path: Path, case_file: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("QUERY").write_text("SELECT * FROM S WHERE A ; B")
    Path("s.csv").write_text("type\nA\nB\n")
    words = [str(case_file) if word == "CASE" else word for word in words]
    assert main([*words, *(["--language", "ceql"] if "QUERY" in words else [])]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert Path("s.csv").read_text() == "type\nA\nB\n"


CEQL = "SELECT * FROM S WHERE A ; B"
STREAM = [{"type": "A"}, {"type": "C"}, {"type": "B"}, {"type": "B"}]


def test_explanations_are_values_that_print_as_the_command_does(case_file: Path) -> None:
    [one] = denota.explain(CEQL, {"S": STREAM}, match=1)
    assert one.heading.startswith("Match 1 of 2")
    both = denota.explain(CEQL, {"S": STREAM})
    assert [each.heading for each in both] == [one.heading, both[1].heading]
    assert str(both).startswith("\n".join(one.text()))
    assert both[:1] == (one,)
    assert both.svg().startswith("<svg")
    assert both._repr_html_().count("<h4>") == 2
    [missing] = denota.explain(CEQL, {"S": STREAM}, missing="{end: 1}")
    assert missing.heading.startswith("Not a match")
    [there] = denota.explain(CEQL, {"S": STREAM}, missing=next(denota.run(CEQL, {"S": STREAM})))
    assert "is a result" in there.heading
    [of_object] = denota.explain(CEQL, {"S": STREAM}, missing={"end": 1})
    assert of_object == missing
    assert len(denota.explain(read_case(case_file))) == 2
    with pytest.raises(denota.DenotaError, match="not allowed with missing"):
        denota.explain(CEQL, {"S": STREAM}, match=1, missing="{end: 1}")


@pytest.mark.parametrize("missing", [
    "{x: ':b'}", {"x": ":b"}, {"x": URIRef("http://e/b")},
])
def test_a_missing_row_is_a_text_or_a_mapping(missing: Any) -> None:
    query = "PREFIX : <http://e/> SELECT ?x WHERE { ?x :p ?y FILTER (?y > 2) }"
    stream = [(1, "<http://e/a> <http://e/p> 9 ."), (3, "<http://e/b> <http://e/p> 1 .")]
    [told] = denota.explain(query, {"s": stream}, missing=missing, language="epsparql")
    assert told.heading.startswith("Not a solution: ?x = :b")
    assert any("FILTER (?y > 2)" in line for line in told.lines)


@pytest.mark.parametrize("missing", [3, [1, 2]])
def test_a_missing_row_is_nothing_else(missing: Any) -> None:
    with pytest.raises(denota.DenotaError, match="a row must be a mapping"):
        denota.explain(CEQL, {"S": STREAM}, missing=missing)


def test_two_queries_and_two_readings_are_distinguished() -> None:
    found = denota.distinguish(CEQL, CEQL.replace("A ; B", "A : B"))
    assert found
    assert found.case is not None
    assert str(found).splitlines()[0] == "A and B differ in:"
    assert "Minimal distinguishing stream, 3 events" in str(found)
    assert found._repr_html_().startswith("<pre>")
    answers = [set(denota.evaluate(side.query, found.case.streams)) for side in (found.a, found.b)]
    assert answers[0] != answers[1]
    same = denota.distinguish(CEQL)
    assert not same
    assert same.case is None
    assert str(same) == "A and B are the same query, read in the same way."
    with pytest.raises(denota.DenotaError, match="different languages"):
        denota.distinguish(CEQL, "PREFIX : <http://e/> SELECT ?x FROM STREAM :s WHERE { ?x :p 1 }")


def test_a_picture_is_the_text_that_the_command_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = denota.draw(CEQL)
    assert picture._repr_svg_() == picture
    (tmp_path / "q.ceql").write_text(CEQL)
    assert main(["draw", str(tmp_path / "q.ceql")]) == 0
    assert capsys.readouterr().out.strip() == picture.strip()
