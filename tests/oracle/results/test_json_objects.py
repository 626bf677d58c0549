import pytest
from rdflib.term import BNode, URIRef, Variable

from denota.oracle.languages.spaseq.language import pair_from_json, pair_to_json
from denota.oracle.results.json_objects import (
    ResultError,
    mapping_from_json,
    term_from_json,
    term_to_json,
)
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import literal
from denota.semantics.spaseq.syntax.results import Pair

XSD = "http://www.w3.org/2001/XMLSchema#"
A = URIRef("http://example.org/a")


@pytest.mark.parametrize(
    "term, written",
    [
        (A, {"type": "uri", "value": "http://example.org/a"}),
        (BNode("b"), {"type": "bnode", "value": "b"}),
        (literal("x"), {"type": "literal", "value": "x"}),
        (literal("x", language="en"), {"type": "literal", "value": "x", "xml:lang": "en"}),
        (
            literal("01", XSD + "integer"),
            {"type": "literal", "value": "01", "datatype": XSD + "integer"},
        ),
    ],
)
def test_terms_are_written_as_in_sparql_json_and_read_back(term, written):
    assert term_to_json(term) == written
    assert term_from_json(written) == term


def test_a_string_literal_with_its_datatype_is_the_simple_literal():
    written = {"type": "literal", "value": "x", "datatype": XSD + "string"}
    assert term_from_json(written) == literal("x")


@pytest.mark.parametrize(
    "written",
    [None, "x", {"type": "uri"}, {"value": "x"}, {"type": "triple", "value": "x"},
     {"type": "uri", "value": 3}],
)
def test_what_is_no_term_is_an_error(written):
    with pytest.raises(ResultError):
        term_from_json(written)


def pair(**more):
    values = {
        "window": (10, 25), "time": 20,
        "solutions": frozenset({SolutionMapping({Variable("h"): A})}), **more,
    }
    return Pair(**values)


def test_a_pair_is_written_and_read_back():
    written = pair_to_json(pair())
    assert written == {
        "window": [10, 25], "time": 20,
        "solutions": [{"h": {"type": "uri", "value": "http://example.org/a"}}],
    }
    assert pair_from_json(written) == pair()


def test_the_window_is_left_out_where_there_is_none():
    written = pair_to_json(pair(window=None))
    assert "window" not in written
    assert pair_from_json(written) == pair(window=None)


def test_the_rank_is_written_under_ties_sequence_alone():
    assert "rank" not in pair_to_json(pair(rank=1))
    assert pair_to_json(pair(rank=1), ranks=True)["rank"] == 1
    assert pair_from_json(pair_to_json(pair(rank=1), ranks=True)).rank == 1


def test_a_collected_value_is_an_array():
    mu = SolutionMapping({Variable("v"): (literal("1"), literal("2"))})
    written = pair_to_json(pair(solutions=frozenset({mu})))
    assert [term["value"] for term in written["solutions"][0]["v"]] == ["1", "2"]
    assert pair_from_json(written).solutions == {mu}


def test_variables_stand_in_the_order_of_select():
    mu = SolutionMapping({Variable("a"): A, Variable("z"): A, Variable("m"): A})
    written = pair_to_json(pair(solutions=frozenset({mu})), order=[Variable("z"), Variable("a")])
    assert list(written["solutions"][0]) == ["z", "a", "m"]


def test_null_is_unbound():
    assert mapping_from_json({"x": None}) == SolutionMapping()


@pytest.mark.parametrize(
    "written",
    [[], {"time": 1}, {"time": "1", "solutions": []}, {"time": True, "solutions": []},
     {"time": 1, "solutions": {}}, {"time": 1, "solutions": [], "window": [1]},
     {"time": 1, "solutions": [[]]}],
)
def test_what_is_no_pair_is_an_error(written):
    with pytest.raises(ResultError):
        pair_from_json(written)
