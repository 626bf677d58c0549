"""Nested regular expressions: nSPARQL's own example, every axis, and tests in SPARQL's paths."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.rdf.evaluation import pairs
from denota.semantics.rdf.nested_regex import navigates, relation, voc
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.streams.rdf.graphs import parse_graph

EX = "http://example.org/"
# Cities and transport services, after the running example of nSPARQL.
GRAPH = parse_graph(
    """
    :paris :tgv :calais . :calais :seafrance :dover . :dover :nexpress :london .
    :tgv :sp :train . :seafrance :sp :ferry . :nexpress :sp :bus .
    :train :sp :transport . :ferry :sp :transport . :bus :sp :transport .
    :paris :country :france .
    """,
    {"": EX},
)


def path(text: str) -> s.Path:
    tree = parse(f"PREFIX : <{EX}> SELECT * {{ ?x {text} ?y }}")
    block = tree.where.elements[0]
    assert isinstance(block, s.TriplesBlock)
    found = block.triples[0].predicate
    assert isinstance(found, s.Path)
    return found


def found(text: str) -> set[tuple[str, str]]:
    def local(term: object) -> str:
        return str(term).removeprefix(EX)

    return {(local(x), local(y)) for x, y in relation(GRAPH, path(text))}


@pytest.mark.parametrize(("text", "expected"), [
    ("next:::country", {("paris", "france")}),
    ("next^-1:::country", {("france", "paris")}),
    ("edge:::calais", {("paris", "tgv")}),
    ("edge^-1:::calais", {("tgv", "paris")}),
    ("node:::dover", {("nexpress", "london")}),
    ("node^-1:::dover", {("london", "nexpress")}),
    ("self:::paris", {("paris", "paris")}),
    ("self:::nowhere", {("nowhere", "nowhere")}),
    ("edge:::calais/next:::sp", {("paris", "train")}),
    ("next::[next:::sp/self:::train]", {("paris", "calais")}),
    ("next::[next^-1]", {("tgv", "train")} - {("tgv", "train")}),
    ("edge::[next:::seafrance]", {("paris", "tgv")}),
    ("node::[next:::country]", {("tgv", "calais"), ("country", "france")}),
    ("self::[edge:::france]", {("paris", "paris")}),
    (
        "(next::[(next:::sp)*/self:::transport])+",
        {("paris", "calais"), ("paris", "dover"), ("paris", "london"), ("calais", "dover"),
         ("calais", "london"), ("dover", "london")},
    ),
    ("next:::tgv|next:::country", {("paris", "calais"), ("paris", "france")}),
    (":tgv/self:::calais", {("paris", "calais")}),
    (":tgv[:seafrance]/self", {("paris", "calais")}),
    ("[:tgv]/self", {("paris", "paris")}),
    ("self/!(:sp|:tgv|:nexpress|:seafrance)", {("paris", "france")}),
    ("self/!(^:sp|^:tgv|^:nexpress|^:seafrance)", {("france", "paris")}),
])
def test_relations(text: str, expected: set[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_self_and_closures_are_about_all_terms() -> None:
    everything = {(term, term) for term in voc(GRAPH)}
    assert relation(GRAPH, path("self")) == everything
    assert relation(GRAPH, path("(next:::nowhere)*")) == everything
    assert relation(GRAPH, path("(next:::nowhere)?")) == everything
    assert relation(GRAPH, path("(next:::nowhere)+")) == set()


@pytest.mark.parametrize(("text", "x", "y"), [
    (":tgv[:seafrance]", "paris", "calais"),
    (":tgv[:nexpress]", None, None),
    (":tgv[^:tgv]", "paris", "calais"),
    ("[:tgv]", "paris", "paris"),
    ("[:tgv :calais]", "paris", "paris"),
    ("[:tgv :dover]", None, None),
    ("^:tgv[:country]", "calais", "paris"),
    (":sp[:sp]", "*", "*"),
])
def test_tests_in_paths(text: str, x: str | None, y: str | None) -> None:
    assert not navigates(path(text))
    everything = set(pairs(GRAPH, path(text), None, None))
    if x is None:
        assert everything == set()
    elif x == "*":
        assert len(everything) == 3
    else:
        assert everything == {(URIRef(EX + x), URIRef(EX + str(y)))}


def test_what_navigates() -> None:
    assert navigates(path("(:p[next])+"))
    assert navigates(path("[^(edge|:p) :x]"))
    assert not navigates(path("!(:p|^:q)/[:p[:q]]?"))
