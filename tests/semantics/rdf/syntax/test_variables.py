"""Which variables a pattern binds, and which an expression or pattern mentions."""

from __future__ import annotations

from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Filter
from denota.semantics.rdf.syntax.variables import (
    in_scope,
    mentioned_variables,
    possible_variables,
)


def names(variables: frozenset[object]) -> str:
    return " ".join(sorted(map(str, variables)))


def test_the_rows_of_the_table_of_18_2_1() -> None:
    group = parse_group("""{
        ?a ?b ?c . ?d <p>* _:n .
        FILTER(?no1 > 1)
        OPTIONAL { ?e <p> 1 FILTER(?no2) }
        { ?f <p> 1 } UNION { ?g <p> 1 }
        MINUS { ?no3 <p> 1 }
        GRAPH ?h { ?i <p> 1 }
        BIND(?no4 AS ?j)
        VALUES (?k ?l) { (1 UNDEF) }
        { SELECT ?m (?no5 AS ?n) { ?m <p> ?no6 } }
        { SELECT * { ?o <p> 1 } VALUES ?p { 1 } }
    }""")
    assert names(possible_variables(group)) == "a b c d e f g h i j k l m n o p"
    assert "".join(in_scope(group)) == "abcdefghijklmnop"
    mentioned = names(mentioned_variables(group))
    assert mentioned == "a b c d e f g h i j k l m n no1 no2 no3 no4 no5 no6 o p"


def test_an_expression_mentions_what_stands_in_its_exists() -> None:
    (element,) = parse_group(
        "{ FILTER(?a IN (?b, -?c * 2) || !(<f>(?d) = IF(?e, 1, 2)) && "
        "EXISTS { ?g <p> ?h FILTER(?i) }) }"
    ).elements
    assert isinstance(element, Filter)
    assert names(mentioned_variables(element.condition)) == "a b c d e g h i"
