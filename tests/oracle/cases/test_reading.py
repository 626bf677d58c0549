import re
from pathlib import Path

import pytest
from rdflib.term import BNode, URIRef, Variable

from denota.oracle.cases.case import ExpectedResults
from denota.oracle.cases.case_reader import find_cases, parse_case, read_case
from denota.oracle.cases.embedded_text import Table
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.verdicts import Outcome
from denota.oracle.engines.builtin import Oracle, Production
from denota.semantics.model.errors import CaseError, DenotaError
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import literal

XSD = "http://www.w3.org/2001/XMLSchema#"


def with_results(case_text, *lines, **more):
    return parse_case(case_text(results="".join(f"    - {line}\n" for line in lines), **more))


def only_solution(case):
    (result,) = case.expect.results
    (mu,) = result["solutions"]
    return mu


def test_a_case_is_read_with_all_its_fields(case_file):
    case = read_case(case_file)
    assert case.title == "each power event with the next weather event"
    assert (case.language, case.cites) == ("spaseq", "SPAseq Def. 11, Example 7")
    assert set(case.streams) == {
        URIRef("http://example.org/u1"), URIRef("http://example.org/u2")
    }
    assert isinstance(case.expect, ExpectedResults)
    assert case.expect.level == "pair"
    assert case.id == "example-7"


@pytest.mark.parametrize("engine", [Oracle(), Production()])
def test_a_right_case_passes_and_a_wrong_one_fails(case_file, wrong_case_file, engine):
    assert check_case(read_case(case_file), engine).outcome is Outcome.PASS
    verdict = check_case(read_case(wrong_case_file), engine)
    assert verdict.outcome is Outcome.FAIL
    assert len(verdict.missing) == len(verdict.unexpected) == 1


@pytest.mark.parametrize(
    "written, term",
    [
        ('":H1"', URIRef("http://example.org/H1")),
        ("<http://e/a>", URIRef("http://e/a")),
        ("5", literal("5", XSD + "integer")),
        ('"5"', literal("5", XSD + "integer")),
        ("-1.50", literal("-1.50", XSD + "decimal")),
        ("1e3", literal("1e3", XSD + "double")),
        ("true", literal("true", XSD + "boolean")),
        ("'\"a b\"'", literal("a b")),
        ("'\"a\"@en'", literal("a", language="en")),
        ("'\"01\"^^xsd:integer'", literal("01", XSD + "integer")),
        ('"_:n"', BNode("n")),
        ("{type: uri, value: http://e/a}", URIRef("http://e/a")),
    ],
)
def test_terms_are_written_in_turtle(case_text, written, term):
    case = with_results(case_text, f"{{time: 20, solutions: [{{h: {written}}}]}}")
    assert only_solution(case) == SolutionMapping({Variable("h"): term})


def test_variables_may_be_called_what_yaml_takes_for_something_else(case_text):
    case = with_results(case_text, "{time: 20, solutions: [{y: 1, no: 2, ?on: 3, null: 4}]}")
    assert set(only_solution(case)) == {Variable(v) for v in ("y", "no", "on", "null")}


def test_an_unbound_variable_is_left_out_or_null(case_text):
    case = with_results(case_text, "{time: 20, solutions: [{h: ~, w: 1}]}")
    assert set(only_solution(case)) == {Variable("w")}


def test_a_collected_value_is_a_list(case_text):
    case = with_results(case_text, "{time: 20, solutions: [{h: [1, 2]}]}")
    assert len(only_solution(case)[Variable("h")]) == 2


@pytest.mark.parametrize(
    "written, time",
    [("20", 20), ("-3", -3), ("1970-01-01T00:00:01Z", 1_000_000),
     ('"1970-01-01T00:00:01Z"', 1_000_000), ("1970-01-01 00:00:01", 1_000_000),
     ("1970-01-01T01:00:00+01:00", 0), ("1970-01-02", 86_400_000_000)],
)
def test_times_are_integers_or_datetimes(case_text, written, time):
    case = with_results(case_text, f"{{time: {written}, solutions: [{{}}]}}")
    assert case.expect.results[0]["time"] == time


def test_a_time_may_carry_its_rank(case_text):
    case = with_results(case_text, "{time: [20, 1], window: [10, 25], solutions: [{}]}")
    assert case.expect.results[0] == {
        "time": 20, "rank": 1, "window": [10, 25], "solutions": [SolutionMapping()]
    }


def test_rows_have_one_solution(case_text):
    case = with_results(
        case_text,
        '{time: 20, solution: {h: ":H1", w: ":W1"}}', '{time: 20, solution: {h: ":H2", w: ":W1"}}',
        level="row",
    )
    assert check_case(case, Oracle()).ok


def test_an_expected_error_is_matched_by_its_text(case_text):
    text = case_text().replace("SEQ(A; B)", "SEQ(A; C)")
    wrong = re.sub(r"expect:.*", "expect: {error: \"PATTERN\"}\n", text, flags=re.DOTALL)
    assert check_case(parse_case(wrong.replace("PATTERN", "GPM.*C")), Oracle()).ok
    verdict = check_case(parse_case(wrong.replace("PATTERN", "no such thing")), Oracle())
    assert verdict.outcome is Outcome.FAIL
    assert "no such thing" in verdict.detail


def test_an_expected_error_that_does_not_come_is_a_failure(case_text):
    text = re.sub(r"expect:.*", "expect: {error: x}\n", case_text(), flags=re.DOTALL)
    verdict = check_case(parse_case(text), Oracle())
    assert verdict.outcome is Outcome.FAIL
    assert len(verdict.unexpected) == 2


def test_files_are_looked_for_beside_the_case(case_text, tmp_path, files):
    text = case_text()
    start = text.index("  http://example.org/u1")
    end = text.index("expect:")
    text = (
        text[:start] + "  http://example.org/u1: {file: u1.trig}\n  :u2: {file: u2.trig}\n"
        + text[end:]
    )
    path = tmp_path / "c.case.yaml"
    path.write_text(text, encoding="utf-8")
    assert check_case(read_case(path), Production()).ok


def test_tables_are_part_of_the_format():
    case = parse_case(
        "language: ceql\n"
        "query: SELECT * FROM S WHERE A ; B\n"
        'streams: {S: {csv: "type\\nA\\nB\\n", declaration: "CREATE STREAM S { EVENT A { } }"}}\n'
        "expect: {results: [{start: 0, end: 1, positions: [0, 1]}]}\n"
    )
    assert isinstance(case.stream_sources[URIRef("S")], Table)
    assert case.expect.results == [{"start": 0, "end": 1, "positions": [0, 1]}]
    assert check_case(case, Oracle()).ok


@pytest.mark.parametrize(
    "old, new, place, message",
    [
        ("language: spaseq\n", "", "1:1", "no 'language'"),
        ("language: spaseq", "language: sparseq", "2:11", "did you mean 'spaseq'"),
        ("cites:", "citse:", "3:1", "did you mean 'cites'"),
        ("title: ", "title: [a]\nlanguage: ceql #", "3:1", "stands here twice"),
        ("  level: pair", "  level: pear", "20:10", "no level 'pear'"),
        ("expect:", "readings: {kleen: join}\nexpect:", "19:11", "no reading 'kleen'"),
        ("expect:", "readings: {kleene: jon}\nexpect:", "19:11", "no value 'jon'"),
        ("expect:", "evaluate: {at: 5}\nexpect:", "19:12", "no field 'at'"),
        ("expect:", "evaluate: {from: soon}\nexpect:", "19:18", "not a time: 'soon'"),
        ('h: ":H1"', 'h: "H1"', "22:34", "not a term in Turtle"),
        ('h: ":H1"', 'h: "x:H1"', "22:34", "not been declared"),
        ('h: ":H1"', 'h: ":H1, :H2"', "22:34", "not one term"),
        ("time: 20,", "tme: 20,", "22:8", "did you mean 'time'"),
        ("time: 20, ", "", "22:7", "the result has no time"),
        ("  results:\n", "  result:\n", "21:3", "did you mean 'results'"),
        ("  http://example.org/u1:", "  http://exam ple.org/u1:", "13:27", "not an IRI"),
        ("title: each", "title: 'each", "", "not YAML"),
        ("prefixes: {", "prefixes: [{", "", "not YAML"),
    ],
)
def test_every_mistake_is_named_with_its_place(case_text, old, new, place, message):
    text = case_text()
    assert old in text
    with pytest.raises(CaseError, match=re.escape(message)) as caught:
        parse_case(text.replace(old, new, 1), source="f.yaml")
    assert str(caught.value).startswith(f"f.yaml:{place}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "a", "- a\n", b"\xff\xfe\x00", "a: b: c", "\t", "a: \x00"])
def test_what_is_no_case_is_an_error_in_one_line(text):
    with pytest.raises(CaseError) as caught:
        parse_case(text, source="f.yaml")
    assert str(caught.value).startswith("f.yaml")
    assert "\n" not in str(caught.value)


def test_a_pattern_that_is_no_regular_expression_is_an_error(case_text):
    text = re.sub(r"expect:.*", "expect: {error: '('}\n", case_text(), flags=re.DOTALL)
    with pytest.raises(CaseError, match="not a regular expression"):
        parse_case(text)


def test_errors_inside_a_text_are_placed_in_the_file(case_text):
    query = case_text().replace("SEQ(A; B)", "SEQ(A; C)")
    with pytest.raises(DenotaError) as caught:
        parse_case(query, source="f.yaml").tree  # noqa: B018
    assert str(caught.value).startswith("f.yaml:9:18: ")
    stream = case_text().replace(":H2 :loc :L1", ":H2 :loc ; :L1")
    with pytest.raises(DenotaError) as caught:
        parse_case(stream, source="f.yaml").streams  # noqa: B018
    assert str(caught.value).startswith("f.yaml:15:53: ")


def test_the_same_label_in_two_streams_is_two_nodes(case_text):
    text = case_text().replace(":H1 :loc :L1", "_:n :loc :L1").replace(
        ":W1 :at :L1", "_:n :at :L1"
    )
    task = parse_case(text)
    first, second = (
        {t[0] for item in task.streams[URIRef(f"http://example.org/{u}")] for t in item.graph
         if isinstance(t[0], BNode)}
        for u in ("u1", "u2")
    )
    assert first
    assert not first & second


def test_directories_are_searched(case_file, tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "x.case.yaml").write_text("", encoding="utf-8")
    (inner / "not-a-case.yaml").write_text("", encoding="utf-8")
    assert find_cases([tmp_path, case_file]) == [inner / "x.case.yaml", case_file]
    with pytest.raises(FileNotFoundError):
        find_cases([tmp_path / "nothing"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(CaseError, match="no case in this directory"):
        find_cases([tmp_path / "empty"])


def _case_with(folder: Path, name: str) -> Path:
    path = folder / "a.case.yaml"
    path.write_text(
        "language: spaseq\nquery: SELECT\nstreams:\n"
        f"  urn:s: {{file: {name}}}\nexpect: {{error: x}}\n"
    )
    return path


@pytest.mark.parametrize(
    "name", ["../s.trig", "link.trig", "{folder}/s.trig", '"\\0"', "x/../../s.trig"]
)
def test_a_file_stays_in_the_folder_of_its_case(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    (tmp_path / "s.trig").touch()
    (folder / "link.trig").symlink_to(tmp_path / "s.trig")
    path = _case_with(folder, name.format(folder=tmp_path))
    outside = "(is not in the folder|no name of a file)"
    with pytest.raises(CaseError, match=rf"^{path}:4:17: .*{outside}"):
        read_case(path)


def test_a_file_elsewhere_may_be_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    (folder / "inside").mkdir(parents=True)
    (tmp_path / "s.trig").touch()
    (folder / "inside" / "s.trig").touch()
    assert read_case(_case_with(folder, "inside/../inside/s.trig")).streams
    outside = _case_with(folder, "../s.trig")
    assert read_case(outside, files_outside=True).streams
    with pytest.raises(CaseError, match="there is no file"):
        read_case(_case_with(folder, "../none.trig"), files_outside=True)
