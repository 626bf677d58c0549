"""Timelines of derivations, as values and as SVG."""

from xml.etree import ElementTree

import pytest

from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cli import main
from denota.oracle.explanations.derivations import Event, Frame, Step
from denota.oracle.explanations.explain_case import drawing, explain_results, explainer_of
from denota.oracle.explanations.svg import svg_text
from denota.oracle.explanations.timeline import Lane, Mark, Role, timeline

LANES = (
    Lane("A", (Mark(1, 1, "a1"), Mark(2, 4, "a2"), Mark(9, 9, "a3")), frozenset({"A"})),
    Lane("B", (Mark(3, 3, "b1"), Mark(5, 5, "b2")), frozenset({"B"})),
)
STEP = Step("", (
    Step("first", event=Event("A", 1, 1)), Step("second", event=Event("B", 5, 5)),
), frames=(Frame("w", 1, 6),))


def roles(found):
    return {mark.name: mark.role for lane in found.lanes for mark in lane.marks}


def test_events_in_between_are_skipped():
    assert roles(timeline(LANES, STEP, str)) == {
        "a1": Role.MATCHED, "a2": Role.SKIPPED, "b1": Role.SKIPPED, "b2": Role.MATCHED,
        "a3": Role.UNUSED,
    }


def test_events_have_the_numbers_of_the_prose():
    found = timeline(LANES, STEP, str)
    assert {mark.name: mark.number for lane in found.lanes for mark in lane.marks
            if mark.number} == {"a1": 1, "b2": 2}


def test_a_failing_event_is_rejected():
    failing = Step("", (STEP.premises[0], Step("", event=Event("B", 3, 3), holds=False)),
                   holds=False)
    assert roles(timeline(LANES, failing, str))["b1"] is Role.REJECTED


def test_an_interval_that_a_window_has_clipped_is_still_the_item():
    clipped = Step("", (Step("", event=Event("A", 3, 4)),))
    assert roles(timeline(LANES, clipped, str))["a2"] is Role.MATCHED


def test_of_a_long_stream_what_is_near_is_drawn():
    lane = Lane("A", tuple(Mark(t, t, f"g{t}") for t in range(300)), frozenset({"A"}))
    step = Step("", (Step("", event=Event("A", 150, 150)),))
    found = timeline([lane], step, str)
    assert 150 in found.instants
    assert len(found.instants) + sum(found.omitted) == 300
    assert "instants not shown" in svg_text(found, "title")


def test_the_drawing_is_xml_whatever_names_are():
    lanes = [Lane("<&", (Mark(1, 1, "<b>", '"&'),), frozenset({"<&"}))]
    root = ElementTree.fromstring(svg_text(timeline(lanes, None, str), "a < b", alone=True))
    texts = [each.text for each in root.iter() if each.text]
    assert {"<b>", "a < b", "<&"} <= set(texts)


def test_what_is_wider_than_its_columns_still_fits():
    wide = Step("", (), frames=(Frame("a window with a very long name " * 4, 1, 1),))
    root = ElementTree.fromstring(svg_text(timeline(LANES, wide, str), "", alone=True))
    assert float(root.get("width")) > 800


@pytest.mark.parametrize("name", ["spaseq", "rsepql", "cqels", "epsparql", "ceql"])
def test_every_language_is_drawn(name, explained_cases):
    told = explainer_of(explained_cases[name])
    explanation = next(iter(explain_results(told, 1, None)))
    picture = drawing(told, explanation, alone=True)
    ElementTree.fromstring(picture)
    events = explanation.step.events
    assert events
    assert picture.count('class="mark matched"') >= len(set(events)) + 1  # and one in the legend


def test_the_command_draws(explained_cases, tmp_path, capsys):
    from denota.oracle.cases.case_writer import write_case

    path, page, picture = (tmp_path / name for name in ("c.case.yaml", "c.html", "c.svg"))
    write_case(explained_cases["ceql"], path)
    assert main(["explain", str(path), "--html", str(page), "--svg", str(picture)]) == 0
    assert "mark matched" in picture.read_text(encoding="utf-8")
    assert "mark matched" in page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def explained_cases():
    """The cases of docs/explaining.md, by language."""
    import re
    from pathlib import Path

    import denota

    text = (Path(denota.__file__).parent / "docs" / "explaining.md").read_text(encoding="utf-8")
    found = {}
    for block in re.findall(r"<!-- file: \S+\.case\.yaml -->\n```yaml\n(.*?)```", text, re.S):
        case = parse_case(block)
        found[case.language_name] = case
    return found


REFUSING = {
    "spaseq": "SELECT ?x ?z WITHIN 9 FROM STREAM S :s WHERE { SEQ(In; Paid)"
    " DEFINE GPM In ON S { ?x :enters ?y } DEFINE GPM Paid ON S { ?x :pays ?z FILTER (?z > 5) } }",
    "rsepql": "SELECT ?x ?z FROM NAMED WINDOW :w ON :s [RANGE 9 STEP 1] WHERE { MATCH {"
    " EVENT :w { ?x :enters ?y } SEQ EVENT :w { ?x :pays ?z FILTER (?z > 5) } } }",
}


@pytest.mark.parametrize("language", REFUSING)
def test_an_item_that_a_filter_rejects_is_marked(language, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    prefix = "PREFIX : <urn:> "
    (tmp_path / "q.rq").write_text(prefix + REFUSING[language], encoding="utf-8")
    times = "".join(
        f":g{n} <http://www.w3.org/ns/prov#generatedAtTime> {n} . :g{n} {{ :a {content} }}\n"
        for n, content in enumerate((":enters 1", ":pays 3", ":sees 1", ":pays 7"), start=1)
    )
    (tmp_path / "s.trig").write_text("@prefix : <urn:> .\n" + times, encoding="utf-8")
    words = ["explain", "q.rq", "--language", language, "--stream", ":s=s.trig", "--match", "1"]
    assert main([*words, "--svg", "x.svg"]) == 0
    out = capsys.readouterr().out
    assert out.count("is rejected by") == 1
    assert ":g2 of " in out
    assert "FILTER (?z > 5)." in out
    picture = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert picture.count('class="mark filtered"') == 2  # and one in the legend
    assert "rejected by a FILTER" in picture
    assert "FILTER (?z &gt; 5))</title>" in picture
    assert main([*words[:-2], "--missing", "{z: 3}"]) == 0
    assert "FILTER (?z > 5) is not true with ?z = 3" in capsys.readouterr().out


@pytest.mark.parametrize(("where", "refused"), [
    ("(A ; B AS b) FILTER b[x > 5]", {1: "B: FILTER b[x > 5]"}),
    ("((A ; B AS b) FILTER b[x > 5]) ; B", {}),
    ("(A ; B AS b) FILTER b[x > 5] OR A[x > 5]", {}),
    ("(A ; B AS b) FILTER b[x > 5] AND b[x > 2]", {1: "B: FILTER b[x > 5]"}),
    ("((A ; B) FILTER B[x > 5]) OR NOT(C)", {}),
])
def test_tuples_that_a_filter_rejects(where, refused):
    from denota.oracle.explanations.timeline import rejected_marks

    case = parse_case(
        "language: ceql\n"
        f'query: "SELECT * FROM S WHERE {where}"\n'
        "streams:\n  S: |\n    type,x\n    A,1\n    B,3\n    B,7\n"
        "expect: {results: []}\n"
    )
    lanes = explainer_of(case).timeline_lanes
    assert {mark.start: mark.rejected_by for _, mark in rejected_marks(lanes, None)} == refused
