"""The values that notebooks show as HTML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import denota
from denota.oracle.cases.case_reader import find_cases, read_case
from denota.oracle.checking.verdicts import Outcome, Verdict
from denota.oracle.fuzzing.clusters import Cluster, Discrepancy, cause_of
from denota.oracle.languages.registry import having
from denota.oracle.ranks.certificates import read_certificate

CORPUS = Path(denota.__file__).resolve().parent / "corpus"
CEQL = "SELECT * FROM S WHERE A ; B"
STREAM = [{"type": "A"}, {"type": "C"}, {"type": "B"}, {"type": "B"}]


def html(value: Any) -> str:
    return str(value._repr_html_())


def test_a_query_is_its_text_and_its_picture_in_a_notebook() -> None:
    cases = [read_case(path) for path in find_cases([CORPUS / "papers"])]
    for language in having("draw"):
        text = next(case.text for case in cases if case.language_name == language)
        query = denota.parse(text, language)
        text, picture = html(query).split("</pre>\n")
        assert text.startswith("<pre>")
        assert picture.startswith("<img ")
    assert "&lt;" in html(denota.parse(f"{CEQL} FILTER A[x < 1]"))


def test_a_report_is_a_table() -> None:
    right = list(denota.run(CEQL, {"S": STREAM}))
    agrees = denota.check(CEQL, {"S": STREAM}, right)
    assert str(agrees) == "as expected (comparison level: positions)"
    assert "<table>" not in html(agrees)
    differs = denota.check(CEQL, {"S": STREAM}, [*right[1:], *right[1:], {
        "start": 1, "end": 2, "positions": [1, 2],
    }])
    assert html(differs).count("<tr>") == 4
    assert str(differs).splitlines()[0].startswith("1 missing, 1 unexpected, 1 duplicate")
    many = denota.check("SELECT * FROM S WHERE A", {"S": [{"type": "A"}] * 50})
    assert html(many).endswith("<p>… and 10 more</p>")


def test_what_fuzzing_finds_is_shown_with_its_case() -> None:
    case = read_case(find_cases([CORPUS / "papers"])[0])
    verdict = Verdict(Outcome.CRASH, detail="it <died>")
    found = Discrepancy(case, verdict, 1)
    assert str(found).splitlines()[:3] == [case.title, "", "it <died>"]
    assert "it &lt;died&gt;" in html(found)
    cluster = Cluster(cause_of(case, verdict), found, count=3)
    assert html(cluster).startswith("<p>3 cases; ")
    assert html(cluster).endswith(html(found))


def test_a_certificate_is_its_statement() -> None:
    path = min((CORPUS / "certificates").rglob("*.json"))
    certificate = read_certificate(path)
    renamed = replace(certificate, name="denota <engine>")
    assert html(renamed).startswith("<p>denota &lt;engine&gt; ")
    assert certificate.digest in html(certificate)
