from pathlib import Path
from xml.etree import ElementTree

import pytest

from denota.oracle.cases.case_reader import read_case
from denota.oracle.cli import main
from denota.oracle.languages.registry import having, part_of
from denota.semantics.model.errors import DenotaError

CORPUS = Path(__file__).parents[3] / "corpus"
SVG = "{http://www.w3.org/2000/svg}"


def test_a_query_is_drawn(files, tmp_path, capsys):
    path = tmp_path / "a.svg"
    assert main(["draw", str(files / "q.rq"), "-o", str(path)]) == 0
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert capsys.readouterr().out == ""
    assert main(["draw", str(files / "q.rq")]) == 0
    assert capsys.readouterr().out.lstrip().startswith("<")


def test_what_cannot_be_drawn_is_one_line(files, capsys):
    (files / "bad.rq").write_text("SELECT", encoding="utf-8")
    assert main(["draw", str(files / "bad.rq")]) == 2
    assert capsys.readouterr().err.startswith(f"{files / 'bad.rq'}:1:")
    assert main(["draw", str(files / "q.rq"), "--reading", "kleene=x"]) == 2


@pytest.mark.parametrize("language", having("draw"))
def test_every_query_of_the_corpus_is_drawn_and_nothing_stands_outside_the_picture(
    language, corpus_cases
):
    drawn = 0
    for path, case in corpus_cases:
        if case.language != language:
            continue
        try:
            query, readings = case.tree, case.readings
        except DenotaError:
            continue
        picture = ElementTree.fromstring(part_of(language, "draw").picture(query, readings))
        width, height = (float(picture.get(name)) for name in ("width", "height"))
        texts = list(picture.iter(f"{SVG}text"))
        assert texts, path
        for text in texts:
            assert 0 <= float(text.get("x")) <= width, path
            assert 0 <= float(text.get("y")) <= height, path
        drawn += 1
    assert drawn > 90


def test_operators_stand_over_what_they_are_applied_to():
    case = read_case(CORPUS / "papers" / "cqels" / "example-06.case.yaml")
    picture = ElementTree.fromstring(part_of("cqels", "draw").picture(case.tree, case.readings))
    heights = {
        "".join(text.itertext()): float(text.get("y")) for text in picture.iter(f"{SVG}text")
    }
    assert heights["JOIN"] < heights["SEQ"] < heights["?v :delayAt ?s"]
    assert heights["! absent"] < heights["?v :arriveAt ?s"]
    assert "WINDOW :W ON :publicTransport [RANGE 10]" in heights
