from xml.etree import ElementTree

from denota.oracle.cli import main


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
