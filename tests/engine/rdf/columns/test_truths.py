"""Conditions over columns: where doubles decide, where they must not, and what is remembered."""

from __future__ import annotations

import numpy as np
import pytest
from rdflib.term import URIRef, Variable

from denota.engine.rdf.columns.matching.filter_conditions import compile_truth
from denota.engine.rdf.columns.matching.tables import Table
from denota.engine.rdf.conditions import compile_condition
from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.terms import Term, literal
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Expression, Filter, Prologue

XSD = "http://www.w3.org/2001/XMLSchema#"
X, Y, Z = map(Variable, "xyz")


def condition(text: str) -> Expression:
    prologue = Prologue(prefixes=(("", "http://example.org/"), ("xsd", XSD)))
    [element] = parse_group(f"{{ FILTER({text}) }}", prologue=prologue).elements
    assert isinstance(element, Filter)
    return element.condition


def number(text: str) -> Term:
    if "e" in text or text in ("INF", "NaN"):
        return literal(text, XSD + "double")
    return literal(text, XSD + ("decimal" if "." in text else "integer"))


def told(text: str, *rows: tuple[Term, ...]) -> list[bool]:
    """Of rows over ?x and ?y; ?z stands in a column, too, and is out of scope."""
    dictionary = Dictionary()
    expression = condition(text)
    numbers = [[dictionary.encode(term) for term in row] for row in rows]
    ids = np.array(numbers, np.int64).reshape(-1, 2)
    columns = dict(zip((X, Y), np.ascontiguousarray(ids.T), strict=True))
    table = Table(np.arange(len(rows)), {**columns, Z: columns[Y]})
    found = compile_truth(expression, (X, Y), dictionary)(table).tolist()
    holds = compile_condition(expression, (X, Y), dictionary)
    assert found == [holds(row) for row in ids.tolist()]
    return found


@pytest.mark.parametrize(
    ("text", "x", "y", "expected"),
    [
        pytest.param("?x + 2 = ?x + 1", "9007199254740991", "1", False, id="beyond doubles"),
        pytest.param("?x < ?y", "9007199254740992", "9007199254740993", True, id="one apart"),
        pytest.param("?x = ?y", "0.1", "0.10000000000000000001", False, id="decimals apart"),
        pytest.param("?x = ?y", "0.1", "0.10", True, id="decimals written differently"),
        pytest.param("?x = ?y", "0.1", "1e-1", True, id="a decimal becomes a double"),
        pytest.param("?x + ?y = 0.3", "0.1", "0.2", True, id="exact sum"),
        pytest.param("?x + ?y + 0e0 = 0.3e0", "0.1", "0.2", True, id="exact sum becomes a double"),
        pytest.param("?x + ?y = 0.3e0", "0.1", "0.2", True, id="exact sum meets a double"),
        pytest.param("?x + ?y > 0.3e0", "0.1e0", "0.2", True, id="sum of doubles"),
        pytest.param("1 / (?x + ?y - 0.3) > 1", "0.1", "0.2", False, id="by an exact zero"),
        pytest.param("1 / ?x = 0.333333333333333333", "3", "1", True, id="digits of a quotient"),
        pytest.param("1e0 / (?x * ?y) > 0", "0", "-1", True, id="exact zero has no sign"),
        pytest.param("1e0 / (?x * ?y) < 0", "0e0", "-1", True, id="a double's zero has"),
        pytest.param("1e0 / -?x < 0", "0e0", "1", True, id="a double's zero is negated"),
        pytest.param("1e0 / -?x > 0", "0", "1", True, id="an exact one stays"),
        pytest.param("?x != ?x", "NaN", "1", True, id="NaN"),
        pytest.param("?x * ?y = ?x * ?y", "1" + "0" * 200, "1" + "0" * 200, True, id="huge"),
        pytest.param("?x * ?y > ?x", "1" + "0" * 200, "1" + "0" * 200, True, id="huge, greater"),
        pytest.param("?x + 'a' != :a", "1", "1", False, id="an error is unequal to nothing"),
        pytest.param("?x != :a", "1", "1", True, id="a number is no IRI"),
        pytest.param("!(?x < :a)", "1", "1", False, id="has no order with an IRI"),
        pytest.param("!(?z > 0)", "1", "1", False, id="out of scope"),
        pytest.param("!(?x > ?z) || ?x = ?y", "1", "1", True, id="out of scope, and yet"),
        pytest.param("!bound(?z)", "1", "1", True, id="out of scope is not bound"),
    ],
)
def test_numbers(text: str, x: str, y: str, expected: bool) -> None:
    assert told(text, (number(x), number(y))) == [expected]


def test_each_row_has_its_own_answer() -> None:
    texts, iri = [literal(each) for each in ("b", "a", "10")], URIRef("http://example.org/a")
    rows = [(one, other) for one in (*texts, iri, number("9")) for other in (*texts, iri)]
    for text in ("?x < ?y", "?x = ?y", "?x != ?y", "strlen(?x) = strlen(?y)", "?x = :a && ?y = :a"):
        assert True in told(text, *rows)
        assert False in told(text, *rows)


def test_no_row_asks_nothing() -> None:
    for text in ("?x < ?y", "?x + ?y > 1", "strlen(?x) = strlen(?y)", "?x > 1", "1 > 2"):
        assert told(text) == []
