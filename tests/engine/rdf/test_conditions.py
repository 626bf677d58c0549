"""Conditions and expressions, each on the smallest example that could go wrong."""

from __future__ import annotations

import pytest
from rdflib.term import BNode, URIRef, Variable

from denota.engine.rdf.conditions import compile_condition
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.expressions.compile import ExpressionCompiler
from denota.engine.rdf.expressions.values import ExpressionError
from denota.semantics.model.errors import QueryError
from denota.semantics.model.terms import Term, literal
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Bind, Expression, Filter, Prologue

XSD = "http://www.w3.org/2001/XMLSchema#"
PROLOGUE = Prologue(prefixes=(("", "http://example.org/"), ("xsd", XSD)))

A, B, C, L = map(Variable, "abcl")
COLUMNS = (A, B, C, L)


def expression(text: str) -> Expression:
    (element,) = parse_group(f"{{ BIND({text} AS ?result) }}", prologue=PROLOGUE).elements
    assert isinstance(element, Bind)
    return element.expression


def terms(text: str) -> list[Term]:
    """`1 "a" <urn:x>`: terms as they stand in a filter."""
    group = parse_group(f"{{ FILTER(1 IN ({text})) }}", prologue=PROLOGUE)
    (element,) = group.elements
    assert isinstance(element, Filter)
    return list(element.condition.choices)  # type: ignore[union-attr]


def row(dictionary: Dictionary, values: str) -> tuple[int, ...]:
    """?a and ?b bound to the values, ?c unbound, ?l a list."""
    bound = [dictionary.encode(term) for term in terms(values)]
    return (*bound, *(0,) * (3 - len(bound)), dictionary.encode_list(bound))


def holds(condition: str, values: str = "1, 2") -> bool:
    dictionary = Dictionary()
    return compile_condition(expression(condition), COLUMNS, dictionary)(row(dictionary, values))


def value(text: str, values: str = "1, 2") -> Term | None:
    dictionary = Dictionary()
    term = ExpressionCompiler({each: at for at, each in enumerate(COLUMNS)}, dictionary).term(
        expression(text)
    )
    try:
        return dictionary.decode(term(row(dictionary, values)))
    except ExpressionError:
        return None


@pytest.mark.parametrize(
    "condition",
    [
        "?a < ?b", "?a < 2", "2 > ?a", "?a = 1.0", "?a = 1e0", "?a != ?b", "?a <= 1", "?b >= ?a",
        "?a < ?b && ?b < 3", "?a > ?b || ?a < ?b", "!(?a > ?b)", "?a IN (3, 1)", "?a NOT IN (3)",
        "?a + ?b = 3", "-?a < 0", "BOUND(?a)", "!BOUND(?c)", "BOUND(?l)",
        # an error next to a decisive operand does not matter
        "?c = 1 || ?a = 1", "!(?c = 1 && ?a = 2)", "?a IN (?c, 1)",
        # exact, whatever the size
        "9007199254740993 > 9007199254740992", "0.1 + 0.2 = 0.3",
        "1000000000000000000000000000000001 > 1000000000000000000000000000000000",
        # promotion: the integer meets the double as a double
        "9007199254740993 = 9007199254740992e0",
        "'abc' < 'abd'", "true > false", "'a' = 'a'", "'a'@en = 'a'@EN", "'a'@en != 'a'",
        "'1'^^xsd:byte = 1", "<urn:a> = <urn:a>", "<urn:a> != 'urn:a'", "?a != <urn:a>",
        "'2020-01-01T00:00:00Z'^^xsd:dateTime < '2020-01-01T00:00:00-01:00'^^xsd:dateTime",
        "'2020-01-01T24:00:00Z'^^xsd:dateTime = '2020-01-02T00:00:00Z'^^xsd:dateTime",
        "'x'^^<urn:t> = 'x'^^<urn:t>", "sameTerm(?a, 1)", "!sameTerm(?a, 1.0)",
        "'INF'^^xsd:double > 1", "'NaN'^^xsd:double != 'NaN'^^xsd:double",
        # effective boolean values
        "'a'", "1", "'a'@en", "0.5", "!''", "!0", "!'NaN'^^xsd:double", "!'x'^^xsd:integer",
        "!'maybe'^^xsd:boolean",
    ],
)  # fmt: skip
def test_true(condition: str) -> None:
    assert holds(condition)


@pytest.mark.parametrize(
    "condition",
    [
        # errors are false, also under negation
        "?c = 1", "!(?c = 1)", "?c < ?a", "?l = ?l", "!(?l = 1)", "STR(?l) = ''",
        "'a' < 1", "!('a' < 1)", "'a' = 1", "'a' != 1", "<urn:a> < <urn:b>", "!(<urn:a> < <urn:b>)",
        "'x'^^xsd:integer = 1", "'x'^^xsd:integer != 1", "' 1 '^^xsd:integer = 1",
        "'x'^^<urn:t> = 'y'^^<urn:t>", "'x'^^<urn:t> != 'y'^^<urn:t>",
        "'2020-01-01T00:00:00'^^xsd:dateTime < '2020-01-01T00:00:00Z'^^xsd:dateTime",
        "'2020-01-01T00:00:00'^^xsd:dateTime >= '2020-01-01T00:00:00Z'^^xsd:dateTime",
        "<urn:a>", "!<urn:a>", "?a + 'b' = 1", "1 / 0 = 1", "?a NOT IN (?c, 3)", "?a IN (?c, 3)",
        "<urn:function>(?a) = 1",
        # false
        "'NaN'^^xsd:double = 'NaN'^^xsd:double", "'NaN'^^xsd:double < 2", "?a > ?b",
        "'NaN'^^xsd:double >= 1.5", "sameTerm(1, 1.0)", "?a != 1", "1 != 1.0",
    ],
)  # fmt: skip
def test_false(condition: str) -> None:
    assert not holds(condition)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2", "3"), ("1 + 0.5", "1.5"), ("7 / 2", "3.5"), ("1 / 3", "0.333333333333333333"),
        ("1 / 1.0e0", "1.0E0"), ("2 * 0.50", "'1'^^xsd:decimal"), ("1.5e0 - 1", "5.0E-1"),
        ("1 / 0e0", "'INF'^^xsd:double"), ("-1 / 0e0", "'-INF'^^xsd:double"),
        ("xsd:float(0.1) + xsd:float(0.2)", "'3.0E-1'^^xsd:float"),
        ("ROUND(2.5)", "'3'^^xsd:decimal"), ("ROUND(-2.5)", "'-2'^^xsd:decimal"),
        ("CEIL(1.2e0)", "2.0E0"), ("FLOOR(-1.5)", "'-2'^^xsd:decimal"), ("ABS(-3)", "3"),
        ("STR(01)", "'01'"), ("STR(<urn:a>)", "'urn:a'"), ("DATATYPE(1)", "xsd:integer"),
        ("DATATYPE('5'^^xsd:byte)", "xsd:byte"), ("DATATYPE('a')", "xsd:string"),
        ("LANG('a'@en)", "'en'"), ("LANG(1)", "''"), ("STRLEN('héé')", "3"),
        ("UCASE('a'@en)", "'A'@en"), ("SUBSTR('motor', 2, 3)", "'oto'"),
        ("SUBSTR('motor', 0, 3)", "'mo'"), ("SUBSTR('motor', 4)", "'or'"),
        ("STRBEFORE('abc', 'b')", "'a'"), ("STRBEFORE('abc'@en, 'x')", "''"),
        ("STRBEFORE('abc'@en, '')", "''@en"), ("STRAFTER('abc'@en, 'b')", "'c'@en"),
        ("STRAFTER('abc', '')", "'abc'"), ("CONCAT('a'@en, 'b'@en)", "'ab'@en"),
        ("CONCAT('a'@en, 'b')", "'ab'"), ("ENCODE_FOR_URI('a/é')", "'a%2F%C3%A9'"),
        ("REPLACE('abab', 'b', 'Z')", "'aZaZ'"), ("REPLACE('abc', '(b)', '[$1]')", "'a[b]c'"),
        ("IF(true, 1, ?c)", "1"), ("COALESCE(?c, 1/0, 7)", "7"), ("?a", "1"),
        ("STRDT('01', xsd:integer)", "01"), ("STRDT('01', xsd:integer) + 1", "2"),
        ("STRLANG('a', 'EN')", "'a'@en"), ("IRI('urn:a')", "<urn:a>"),
        ("YEAR('2011-01-10T14:45:13.815-05:00'^^xsd:dateTime)", "2011"),
        ("SECONDS('2011-01-10T14:45:13.815-05:00'^^xsd:dateTime)", "13.815"),
        ("TZ('2011-01-10T14:45:13.815-05:00'^^xsd:dateTime)", "'-05:00'"),
        ("TIMEZONE('2011-01-10T14:45:13.815-05:30'^^xsd:dateTime)",
         "'-PT5H30M'^^xsd:dayTimeDuration"),
        ("MD5('abc')", "'900150983cd24fb0d6963f7d28e17f72'"),
        ("xsd:integer('  12 ')", "12"), ("xsd:integer(-1.9)", "-1"), ("xsd:boolean('1')", "true"),
        ("xsd:string(1.0e0)", "'1'"), ("xsd:string(1.0e7)", "'1.0E7'"), ("xsd:double(1)", "1.0E0"),
        ("xsd:decimal(5e-1)", "0.5"), ("xsd:boolean('NaN'^^xsd:double)", "false"),
        ("xsd:float('16777217.0000000001')", "'1.6777218E7'^^xsd:float"),
        ("xsd:float('3.4028235677973366e38')", "'3.4028235E38'^^xsd:float"),
        ("xsd:dateTime('2020-01-01T00:00:00Z')", "'2020-01-01T00:00:00Z'^^xsd:dateTime"),
    ],
)  # fmt: skip
def test_values(text: str, expected: str) -> None:
    assert value(text) == terms(expected)[0]


@pytest.mark.parametrize(
    "text",
    [
        "?c", "?l", "LANG(<urn:a>)", "STRLEN(1)", "UCASE(<urn:a>)", "SUBSTR('a', 'b')",
        "CONTAINS('a', 'a'@en)", "STRDT('a'@en, xsd:string)", "IRI('not an iri')", "STR(BNODE())",
        "xsd:integer('1.5')", "xsd:integer('INF'^^xsd:double)", "xsd:dateTime('yesterday')",
        "xsd:integer(<urn:a>)", "COALESCE()", "IF(?c, 1, 2)", "REPLACE('a', 'x*', 'b')",
        "REGEX('a', '(')", "YEAR('2020-01-01'^^xsd:date)", "ROUND('a')", "1 / 0.0",
        "TIMEZONE('2020-01-01T00:00:00'^^xsd:dateTime)", "MD5('a'@en)", "<urn:unknown>(1)",
    ],
)  # fmt: skip
def test_errors(text: str) -> None:
    assert value(text) is None


def test_blank_nodes_and_unique_names_are_new() -> None:
    one, other = value("BNODE()"), value("BNODE()")
    assert isinstance(one, BNode)
    assert one != other
    assert str(value("UUID()")).startswith("urn:uuid:")
    assert isinstance(value("UUID()"), URIRef)
    assert value("STRUUID()") != value("STRUUID()")


def test_integers_beyond_pythons_text_limit() -> None:
    big = "1" * 5000
    dictionary = Dictionary()
    number = dictionary.encode(literal(big, XSD + "integer"))
    compiler = ExpressionCompiler({A: 0}, dictionary)
    term = compiler.term(expression("?a + 1"))
    assert dictionary.decode(term((number,))) == literal("1" * 4999 + "2", XSD + "integer")


def test_exists_has_no_graph_here() -> None:
    with pytest.raises(QueryError, match="EXISTS"):
        compile_condition(expression("EXISTS { ?x ?y ?z }"), COLUMNS, Dictionary())
