"""From tree to text and back."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef, Variable

from denota.semantics.model.terms import literal
from denota.semantics.rdf.syntax.parse import parse_group, parse_query
from denota.semantics.rdf.syntax.printing import to_text
from denota.semantics.rdf.syntax.tree import And, Arithmetic, Bind, Expression, Not, Or, Sign

X = Variable("x")
ONE, MINUS_ONE = (literal(n, "http://www.w3.org/2001/XMLSchema#integer") for n in ("1", "-1"))

QUERIES = [
    "SELECT * {}",
    "SELECT REDUCED ?x (?x + 1 AS ?y) FROM <d> FROM NAMED <n> { ?x <p> ?z } "
    "GROUP BY ?x (?z AS ?k) (?x + 1) STR(?x) HAVING (COUNT(*) > 1) MAX(?z) "
    "ORDER BY ?x DESC(?k) STR(?x) LIMIT 3 OFFSET 2 VALUES (?x ?y) { (1 UNDEF) ('a'@en <b>) }",
    "ASK { { SELECT DISTINCT ?x { ?x ?p ?y } LIMIT 1 } UNION { BIND(1 AS ?b) } UNION {} }",
    "CONSTRUCT { ?x <p> [ <q> (1 2) ] } WHERE { ?x <p> 1 . FILTER(?x < 1) ?x <q> 2 }",
    "CONSTRUCT WHERE { ?x <p> 1 }",
    "DESCRIBE *{ ?x ?y ?z }",
    "DESCRIBE ?x <a>",
    "ASK { ?x <p>/^<q>*|!(<r>|^a)/(<p>|<q>)+ ?y ; (<a>/<b>)? 1 . GRAPH ?g { ?x ^(<p>/<q>) 2 } }",
    "ASK { OPTIONAL { ?x <p> 'a\\n\"b' } MINUS { ?x <q> ?x } FILTER NOT EXISTS { ?x <r> 1 } }",
    "ASK { FILTER(1 + 2 * 3 - -4 = 5 && !(?x || ?y) || ?z IN (1, 2) && ?z NOT IN ()) }",
    "SELECT (GROUP_CONCAT(DISTINCT ?x; SEPARATOR=', ') AS ?c) (COUNT(DISTINCT *) AS ?n) {}",
    "ASK { FILTER(<f>(DISTINCT 1, 2) && COALESCE() && RAND() < IF(?x, .5, 1e0) && -?x = +1) }",
]


@pytest.mark.parametrize("text", QUERIES)
def test_parsing_what_was_printed_gives_the_tree_again(text: str) -> None:
    tree = parse_query(text)
    assert parse_query(to_text(tree)) == tree
    assert to_text(parse_query(to_text(tree))) == to_text(tree)


@pytest.mark.parametrize("expression", [
    Not(Not(X)),
    Sign("-", ONE), Sign("-", MINUS_ONE), Sign("+", Sign("-", X)),
    Arithmetic("-", X, ONE), Arithmetic("-", X, MINUS_ONE), Arithmetic("+", X, Sign("+", X)),
    Arithmetic("-", X, Arithmetic("-", X, X)), Arithmetic("*", Arithmetic("+", X, X), X),
    And((X, And((X, X)), Or((X, X)))), Or((And((X, X)), Or((X, X)), X)),
    literal("1.", "http://www.w3.org/2001/XMLSchema#decimal"), literal("a\r\t\\\"\n"),
    literal("x", "http://www.w3.org/2001/XMLSchema#integer"), literal("1", "u:t"),
])
def test_every_tree_has_a_text(expression: Expression) -> None:
    group = parse_group(f"{{ BIND({to_text(expression)} AS ?result) }}")
    (element,) = group.elements
    assert isinstance(element, Bind)
    assert element.expression == expression


def test_a_readable_text() -> None:
    group = parse_group("{?x a <C>;<p> 1.0 FILTER(?x>1&&BOUND(?y)) OPTIONAL{?x <q> _:n}}")
    assert to_text(group) == (
        "{ ?x <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <C> . ?x <p> 1.0 . "
        "FILTER (?x > 1 && BOUND(?y)) OPTIONAL { ?x <q> _:n } }"
    )
    assert to_text(URIRef("a b>")) == "<a%20b%3E>"
