"""The four forms of queries, and their datasets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rdflib.term import BNode, URIRef, Variable

from denota.semantics.model.errors import QueryError
from denota.semantics.model.terms import Dataset, Graph
from denota.semantics.rdf.isomorphism import isomorphic_graphs
from denota.semantics.rdf.queries import QueryResult, SelectResult, evaluate_query
from denota.semantics.rdf.syntax.parse import parse_query

Make = Callable[[str], Graph]
DATA = ":a :p 1 ; :q :b . :b :p 2 ."


def run(graph: Make, query: str, data: str = DATA, **named: str) -> QueryResult:
    graphs = {URIRef(f"http://e/{name}"): graph(text) for name, text in named.items()}
    tree = parse_query(f"PREFIX : <http://e/> {query}")
    return evaluate_query(tree, Dataset(graph(data), graphs))


def test_select(graph: Make) -> None:
    result = run(graph, "SELECT ?v ?none { ?x :p ?v } ORDER BY DESC(?v)")
    assert isinstance(result, SelectResult)
    assert result.variables == (Variable("v"), Variable("none"))
    assert [str(mu[Variable("v")]) for mu in result.solutions] == ["2", "1"]
    every = run(graph, "SELECT * { ?x :p ?v BIND(1 AS ?y) FILTER(?x) } VALUES ?z { 1 }")
    assert isinstance(every, SelectResult)
    assert every.variables == tuple(map(Variable, "xvyz"))


def test_distinct_and_reduced(graph: Make) -> None:
    def count(form: str) -> int:
        result = run(graph, f"SELECT {form} (1 AS ?y) {{ ?x :p ?v }}")
        assert isinstance(result, SelectResult)
        return len(result.solutions)

    assert count("DISTINCT") == 1
    assert count("REDUCED") in (1, 2)
    assert count("") == 2


def test_ask(graph: Make) -> None:
    assert run(graph, "ASK { ?x :p 1 }") is True
    assert run(graph, "ASK { ?x :p 3 }") is False
    assert run(graph, "ASK { ?x :p ?v } OFFSET 2") is False
    assert run(graph, "ASK { ?x :p ?v } VALUES ?v { 3 }") is False


def test_construct(graph: Make) -> None:
    result = run(graph, "CONSTRUCT { ?x :r [ :v ?v ] . ?v :no ?x . ?x ?v :no . ?none :no 1 } "
                        "WHERE { ?x :p ?v }")
    assert isinstance(result, frozenset)
    # One blank node a solution; no triple with a literal subject or predicate.
    assert isomorphic_graphs(result, graph(":a :r _:m . _:m :v 1 . :b :r _:n . _:n :v 2 ."))
    short = run(graph, "CONSTRUCT WHERE { ?x :q ?y . ?y :p ?v }")
    assert short == graph(":a :q :b . :b :p 2 .")


def test_describe(graph: Make) -> None:
    node = BNode("n")
    data = graph(":a :p 1 ; :q :b . :b :p 2 . :c :p 3 .") | {
        (URIRef("http://e/a"), URIRef("http://e/r"), node),
        (node, URIRef("http://e/r"), node),
    }
    result = evaluate_query(parse_query("DESCRIBE <http://e/a>"), Dataset(data))
    assert result == {t for t in data if t[0] in (URIRef("http://e/a"), node)}
    every = evaluate_query(parse_query("DESCRIBE * { ?x <http://e/p> 3 }"), Dataset(data))
    assert every == graph(":c :p 3 .")
    nothing = evaluate_query(parse_query("DESCRIBE ?x { ?y <http://e/p> 3 }"), Dataset(data))
    assert nothing == frozenset()


def test_a_query_may_choose_its_dataset(graph: Make) -> None:
    named = {"g": ":a :p 7 .", "h": ":b :p 8 ."}

    def ask(clauses: str, pattern: str) -> QueryResult:
        return run(graph, f"ASK {clauses} {{ {pattern} }}", DATA, **named)

    assert ask("FROM :g FROM :h", "?x :p 7 . ?y :p 8 FILTER NOT EXISTS { ?z :p 1 }") is True
    assert ask("FROM :g", "GRAPH ?g {}") is False
    assert ask("FROM NAMED :h", "GRAPH ?g { ?x :p 8 }") is True
    assert ask("FROM NAMED :h", "?x :p ?y") is False
    with pytest.raises(QueryError, match="<http://e/none>, which is not there"):
        ask("FROM :none", "")


def test_the_graphs_to_choose_from_may_be_others(graph: Make) -> None:
    query = parse_query("ASK FROM <http://e/g> { ?x ?p 9 }")
    assert evaluate_query(query, Dataset(), {URIRef("http://e/g"): graph(":a :p 9 .")}) is True
