"""Result documents: reading, comparing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rdflib.term import BNode, URIRef, Variable

from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Graph, Term, literal
from denota.semantics.rdf.queries import SelectResult
from denota.semantics.rdf.results import (
    FORMATS,
    ResultError,
    as_csv,
    read_results,
    results_in_graph,
    same_results,
)

XSD = "http://www.w3.org/2001/XMLSchema#"
X, Y = Variable("x"), Variable("y")


def result(*rows: dict[Variable, Term], variables: tuple[Variable, ...] = (X, Y)) -> SelectResult:
    return SelectResult(variables, tuple(map(SolutionMapping, rows)))


TRUE = {
    "srx": '<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><boolean>true</boolean>'
    "</sparql>",
    "srj": '{"head": {}, "boolean": true}',
}


@pytest.mark.parametrize("format", TRUE)
@pytest.mark.parametrize("truth", [True, False])
def test_truth_values(format: str, truth: bool) -> None:
    stated = TRUE[format].replace("true", str(truth).lower())
    assert read_results(stated, format) is truth


def test_csv_keeps_strings_and_blank_nodes() -> None:
    read = read_results('x,y\r\n"a,""b""",u:x\r\n_:b,\r\n', "csv")
    assert read == result({X: literal('a,"b"'), Y: literal("u:x")}, {X: BNode("b")})
    given = result({X: literal('a,"b"', language="en"), Y: URIRef("u:x")}, {X: BNode("b")})
    assert as_csv(given) == read


def test_results_without_variables_have_rows() -> None:
    stated = '{"head": {"vars": []}, "results": {"bindings": [{}, {}]}}'
    assert read_results(stated, "srj") == result({}, {}, variables=())


def test_tsv_abbreviates_and_escapes() -> None:
    text = '?x\t?y\n<u:\\u00E9>\t"a\\tb"@EN\n-1\t.5\n1e0\ttrue\n\t_:b\n'
    assert read_results(text, "tsv") == result(
        {X: URIRef("u:é"), Y: literal("a\tb", language="en")},
        {X: literal("-1", XSD + "integer"), Y: literal(".5", XSD + "decimal")},
        {X: literal("1e0", XSD + "double"), Y: literal("true", XSD + "boolean")},
        {Y: BNode("b")},
    )


@pytest.mark.parametrize("text, format, message", [
    ("<sparql>", "srx", "^r: not a result in the format srx: "),
    ("<x/>", "srx", "^r: not a result in the format srx: Expecting <sparql> tag, found <x>"),
    ("{", "srj", r"^r:1:2: not a result in the format srj: "),
    ('{"head": {}}', "srj", "^r: not a result in the format srj"),
    ('{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"t","value":""}}]}}', "srj",
     "^r: not a result in the format srj: Unexpected term type: 't'"),
    ("?x\nfoo\n", "tsv", "^r:2:1: not a result in the format tsv: "),
    ("x\n1,2\n", "csv", "^r: not a result"),
    ("", "xyz", "no such result format: xyz"),
])
def test_what_is_no_result_is_a_clear_error(text: str, format: str, message: str) -> None:
    with pytest.raises(ResultError, match=message):
        read_results(text, format, "r")


def test_formats_are_known_by_name() -> None:
    assert FORMATS == ("srx", "srj", "csv", "tsv")


# --- comparing -----------------------------------------------------------------------------------


def test_solutions_compare_as_a_bag_up_to_blank_nodes() -> None:
    one, two = {X: BNode("a"), Y: BNode("b")}, {X: BNode("b"), Y: literal("c")}
    assert same_results(
        result(one, two),
        result({X: BNode("v"), Y: literal("c")}, {X: BNode("u"), Y: BNode("v")}),
    )
    assert not same_results(result(one, one), result(one))
    assert not same_results(result(one), result({X: BNode("a"), Y: BNode("a")}))
    assert not same_results(result(one), True)
    assert same_results(True, True)
    assert not same_results(True, False)


def test_variables_count() -> None:
    assert same_results(result({}), result({}, variables=(Y, X)))
    assert not same_results(result({}), result({}, variables=(X,)))


def test_order_counts_where_it_is_asked_for() -> None:
    rows = {X: literal("a")}, {X: literal("b")}
    assert same_results(result(*rows), result(*reversed(rows)))
    assert not same_results(result(*rows), result(*reversed(rows)), ordered=True)
    assert same_results(result(*rows), result(*rows), ordered=True)


def test_reduced_solutions_may_come_less_often() -> None:
    row, other = {X: literal("a")}, {X: literal("b")}
    assert same_results(result(row, row), result(row), reduced=True)
    assert not same_results(result(row), result(row, row), reduced=True)
    assert not same_results(result(row, other), result(row), reduced=True)


def test_numbers_of_one_datatype_compare_by_value() -> None:
    def same(a: Term, b: Term) -> bool:
        return same_results(result({X: a}), result({X: b}))

    assert same(literal("2.0", XSD + "decimal"), literal("2", XSD + "decimal"))
    assert same(literal("NaN", XSD + "double"), literal("NaN", XSD + "double"))
    assert not same(literal("2", XSD + "decimal"), literal("2", XSD + "integer"))
    assert not same(literal("x", XSD + "integer"), literal("y", XSD + "integer"))
    assert not same(literal("2.0"), literal("2"))


def test_the_result_vocabulary(graph: Callable[[str], Graph]) -> None:
    rs = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
    stated = graph(
        f"[] a <{rs}ResultSet> ; <{rs}resultVariable> 'x', 'y' ; <{rs}solution> "
        f"[ <{rs}index> 2 ; <{rs}binding> [ <{rs}variable> 'x' ; <{rs}value> :b ] ], "
        f"[ <{rs}index> 1 ; <{rs}binding> [ <{rs}variable> 'x' ; <{rs}value> :a ] ] ."
    )
    expected = result({X: URIRef("http://e/a")}, {X: URIRef("http://e/b")})
    assert results_in_graph(stated) == (expected, True)
    assert results_in_graph(graph(f"[] a <{rs}ResultSet> ; <{rs}boolean> true .")) == (True, False)
    with pytest.raises(ResultError, match="0 result sets"):
        results_in_graph(frozenset())
