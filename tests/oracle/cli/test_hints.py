"""One line that says what was meant: options, formats, languages, out-of-order tuples."""

from __future__ import annotations

from pathlib import Path

import pytest

import denota
from denota.oracle.cli import main

FILES = {
    "q.rq": "PREFIX : <http://e/> SELECT ?x FROM STREAM :s WHERE { ?x :p ?y }",
    "broken.rq": "PREFIX : <http://e/> SELECT ?x FROM STREAM :s WHERE { ?x :p }",
    "either.rq": "PREFIX : <http://e/> SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 10]"
                 " WHERE { WINDOW :w { ?x :p ?y } }",
    "q.ceql": "SELECT * FROM S WHERE A WITHIN 10 SECONDS",
    "two.rq": "PREFIX : <http://e/> SELECT ?x WITHIN 5 FROM STREAM A :a FROM STREAM B :b"
              " WHERE { SEQ(X; Y) DEFINE GPM X ON A { ?x :p ?y } DEFINE GPM Y ON B { ?x :q ?y } }",
    "epsparql.rq": "PREFIX : <http://e/> SELECT ?x WHERE { ?x :p ?y } SEQ { ?x :q ?z }",
    "s.foo": "",
    "s.nq": "",
    "s.jsonld": "@prefix : <http://e/> .\n",
    "word.jsonld": "nothing",
    "s.jsonl": "@prefix : <http://e/> .\n",
    "late.csv": "type,time\nA,2026-01-01T00:00:05Z\nA,2026-01-01T00:00:01Z\n",
    "month.csv": "type,time\nA,2026-01-01T00:00:05Z\nA,2026-13-01\n",
}


@pytest.mark.parametrize(("words", "message"), [
    ("run q.rq --steam :s=s.nq", "--steam :s=s.nq, did you mean '--stream'?"),
    ("fuzz --caes 3", "did you mean '--cases'?"),
    ("draw q.rq -o x.png", "draw writes SVG, not .png"),
    ("run q.rq --stream :s=s.foo", "s.foo: the file is of no known format"),
    ("run q.rq --stream :s=s.foo", "--stream-format names it"),
    ("run q.ceql --stream S=s.foo", "--stream-format names it"),
    ("run q.rq --stream :s=s.jsonld", "s.jsonld:1: not JSON-LD: expected { or [, got '@'; the file"
     " looks like TriG (--stream-format trig)"),
    ("run q.rq --stream :s=s.jsonl", "s.jsonl:1:1: not JSON: expecting value; the file looks like"
     " TriG (--stream-format trig)"),
    ("run q.rq --stream :s=word.jsonld", "not JSON-LD: expected { or [, got 'n'\n"),
    ("run broken.rq", "(read as EP-SPARQL; --language, or in Python language, names another)"),
    ("draw broken.rq", "(read as EP-SPARQL;"),
    ("distinguish broken.rq q.rq", "(read as EP-SPARQL;"),
    ("run either.rq", "the query may be CQELS-CEP or RSEP-QL: name its language"),
    ("run q.ceql --stream S=late.csv --time-column time", "late.csv:3: tuple 1 is out of order:"
     " 2026-01-01T00:00:01Z after 2026-01-01T00:00:05Z;"
     " set --max-out-of-orderness to sort the input"),
    ("run q.ceql --stream S=month.csv --time-column time", "month.csv:3: column 'time' cannot hold"
     " arrival times: '2026-13-01' is not an xsd:dateTime"),
    ("run q.ceql --stream S=month.csv", "month.csv:3: column 'time' cannot hold arrival times"),
    ("run q.ceql --stream S=month.csv --engine oracle --format table", "time zone (row 2)"),
    ("run q.rq --format tabel", "invalid choice: 'tabel', did you mean 'table'? (choose from"),
    ("corpus enumerat", "did you mean 'enumerate'?"),
    ("run two.rq --reading windw=match", "no reading 'windw', did you mean 'window'? (it has:"),
    ("run two.rq --reading window=mtch", "no value 'mtch', did you mean 'match'? (it has:"),
    ("run two.rq --stream A=s.nq", "no input for the query's stream 'B' (<http://e/b>)"),
    ("explain two.rq --stream A=s.nq", "no input for the query's stream 'B' (<http://e/b>)"),
    ("run epsparql.rq", "--stream: no input for the query's stream"),
])
def test_a_hint(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert main(words.split()) == 2
    out, error = capsys.readouterr()
    assert (out, message in error) == ("", True), error
    assert error.count("\n") == 1
    assert not Path("x.png").exists()


@pytest.mark.parametrize("language", ["cqels", "rsepql"])
def test_a_query_of_two_languages_is_read_in_the_one_that_is_named(language: str) -> None:
    text = FILES["either.rq"]
    assert type(denota.parse(text, language)).__name__.lower() == f"{language}query"
    with pytest.raises(denota.QueryError, match="may be CQELS-CEP or RSEP-QL"):
        denota.parse(text)
    # With a step it is RSEP-QL's, with a sequence in parentheses CQELS-CEP's.
    assert denota.parse(text.replace("10]", "10 STEP 5]"))
    assert denota.parse(text.replace("?x :p ?y", "SEQ({?x :p ?y}, {?x :q ?z})"))


def test_a_language_that_was_named_is_not_guessed() -> None:
    with pytest.raises(denota.QueryError) as raised:
        denota.parse(FILES["broken.rq"], "epsparql")
    assert "read as" not in str(raised.value)
