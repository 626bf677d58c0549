from dataclasses import replace

import pyoxigraph
import pytest
import yaml
from rdflib.term import BNode, URIRef, Variable

from denota.oracle.cases.case import Case, ExpectedError, ExpectedResults
from denota.oracle.cases.case_reader import parse_case, read_case
from denota.oracle.cases.case_writer import case_text, write_case
from denota.oracle.cases.embedded_text import Text
from denota.oracle.cases.rdf_text import graph_text, stream_text, with_declarations
from denota.oracle.checking.case_checker import check_case, expectation_of
from denota.oracle.engines.builtin import Oracle
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import literal
from denota.semantics.spaseq.syntax.results import Pair

XSD = "http://www.w3.org/2001/XMLSchema#"


def name(local):
    return URIRef(f"http://example.org/{local}")


def test_a_written_case_is_the_case_again(case_file, tmp_path):
    case = read_case(case_file)
    write_case(case, tmp_path / "again.case.yaml")
    again = read_case(tmp_path / "again.case.yaml")
    rest = {"path": None, "streams": {}, "query": ""}
    assert again.but(**rest) == case.but(**rest)
    assert again.streams == case.streams
    assert again.tree == case.tree


def test_a_case_of_values_is_written_as_text(case_file):
    task = read_case(case_file)
    case = Case(
        "spaseq", task.tree, task.streams, expect=expectation_of(task), title="of values",
        kb={name("k"): frozenset({(name("a"), name("b"), literal("1", XSD + "integer"))})},
    )
    text = case_text(case)
    assert 'prefixes: {"": "http://example.org/"}' in text
    assert ":g10 prov:generatedAtTime 10 .  :g10 { :H1 :loc :L1 . }" in text
    assert '{window: [10, 25], time: 20, solutions: [{h: ":H1", w: ":W1"}]}' in text
    assert ":a :b 1 ." in text
    again = parse_case(text)
    assert check_case(again, Oracle()).ok
    assert again.kb == case.kb_sources
    assert yaml.safe_load(text)["streams"].keys() == {
        "http://example.org/u1", "http://example.org/u2"
    }


def test_datetimes_are_written_as_datetimes():
    query = Text(
        "PREFIX : <http://example.org/> SELECT ?x WITHIN 10 SECONDS FROM STREAM S :s "
        "WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p ?y } }"
    )
    item = TimestampedGraph(1_000_000, frozenset({(name("a"), name("p"), name("b"))}),
                            TimeKind.DATETIME)
    case = Case("spaseq", query, {name("s"): (item,)}, prefixes={"": "http://example.org/"})
    case = case.but(expect=expectation_of(case), evaluation={"from": 0})
    text = case_text(case.but(expect=expectation_of(case)))
    assert "evaluate: {from: 1970-01-01T00:00:00Z}" in text
    assert "time: 1970-01-01T00:00:01Z" in text
    assert "window: [1970-01-01T00:00:00Z, 1970-01-01T00:00:10Z]" in text
    assert check_case(parse_case(text), Oracle()).ok


@pytest.mark.parametrize(
    "title",
    ["plain", "with: colon", "# not a comment", "'quoted'", '"quoted"', "- dash", "yes", "12",
     "tab\there", "ends with space ", "[list]", "a #comment", "ünï ⋈", "{", "&anchor", "*alias",
     "!tag", "%percent", "null", "line\nbreak", "@at", "`tick", "a, b & c"],
)
def test_any_title_survives(title):
    case = Case("spaseq", Text("q\n"), {}, title=title, expect=ExpectedResults([]),
                tags=(title, "x"))
    again = parse_case(case_text(case))
    assert again.title == title
    assert again.tags == (title, "x")


@pytest.mark.parametrize(
    "text", ["q\n", "  indented first\nthen not\n", "a\n\n\nb\n", "tab\tin\n", "\x85\n",
             "# comment\n", "trailing: colon:\n"],
)
def test_any_query_text_survives(text):
    case = Case("spaseq", Text(text), {}, expect=ExpectedResults([]))
    assert parse_case(case_text(case)).query.text == text


def test_expectations_of_every_kind_survive():
    mu = SolutionMapping({
        Variable("y"): BNode("xyz"), Variable("no"): literal('a "b"\n'),
        Variable("t"): name("a.b,c"),
        Variable("c"): (literal("1", XSD + "integer"), literal("x", language="en")),
    })
    expect = ExpectedResults([Pair(None, 3, frozenset({mu}), 2)])
    query = Text("PREFIX : <http://example.org/> SELECT ?y WITHIN 5 FROM STREAM S :s "
                 "WHERE { SEQ(A) DEFINE GPM A ON S { ?y :p ?z } }")
    case = Case("spaseq", query, {}, expect=expect, readings={"ties": "sequence"})
    (result,) = parse_case(case_text(case)).expect.results
    assert (result["time"], result["rank"]) == (3, 2)
    (read,) = result["solutions"]
    assert read == SolutionMapping({**mu, Variable("y"): BNode("b0")})
    error = case.but(expect=ExpectedError("a+ [\"']"))
    assert parse_case(case_text(error)).expect == ExpectedError("a+ [\"']")


def test_graph_names_stay_and_missing_ones_are_invented():
    item = TimestampedGraph(1, frozenset(), name=name("g1"))
    text = stream_text([item, replace(item, name=None, time=2)], {"": "http://example.org/"})
    assert text == (
        ":g1 prov:generatedAtTime 1 .  :g1 { }\n:g2 prov:generatedAtTime 2 .  :g2 { }\n"
    )


def test_texts_without_prefixes_are_complete():
    item = TimestampedGraph(1, frozenset({(name("a"), name("b"), BNode("c"))}))
    assert stream_text([item], {}).startswith("@prefix prov:")
    assert graph_text(item.graph, {}).endswith(
        "<http://example.org/a> <http://example.org/b> _:b0 .\n"
    )


def test_a_case_in_a_file_declares_its_prefixes(case_file, tmp_path):
    write_case(read_case(case_file), tmp_path / "again.case.yaml")
    written = yaml.safe_load((tmp_path / "again.case.yaml").read_text(encoding="utf-8"))
    for text in written["streams"].values():
        assert list(pyoxigraph.parse(text.encode(), format=pyoxigraph.RdfFormat.TRIG))
        assert "@prefix" in text
        assert "xsd:" not in text  # only what is used


@pytest.mark.parametrize(
    "text, used",
    [
        (":a :b _:c .", [""]),
        ("x:a y.z:b-c 'q:a', \"q:a\" , <q:a> . # q:a", ["x", "y.z"]),
        ("@prefix x: <http://example.org/> . x:a :b 1", [""]),
        ("PREFIX x: <http://example.org/> x:a x:b 1", []),
        (''':a :b """q:a "q:a" q:a""" ''', [""]),
        ("", []),
    ],
)
def test_prefixes_are_declared_where_they_are_used(text, used):
    prefixes = {name: f"http://example.org/{name}" for name in ("", "x", "y.z", "q")}
    header = "".join(f"@prefix {name}: <http://example.org/{name}> .\n" for name in used)
    assert with_declarations(text, prefixes) == header + text
