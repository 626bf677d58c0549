"""Short ways to say: the value of an expression, the solutions of a pattern over a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from rdflib.term import URIRef, Variable

from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Dataset, Graph, Term
from denota.semantics.rdf.evaluation import evaluate
from denota.semantics.rdf.expressions.context import Context
from denota.semantics.rdf.expressions.evaluation import ExpressionError
from denota.semantics.rdf.expressions.evaluation import evaluate as evaluate_expression
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.printing import to_text
from denota.semantics.rdf.syntax.tree import Bind, Prologue, TriplesBlock

PROLOGUE = Prologue(None, (
    ("", "http://e/"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
))


def _term(text: str) -> Term:
    block = parse_group(f"{{ [] :p {text} }}", PROLOGUE).elements[0]
    assert isinstance(block, TriplesBlock)
    return block.triples[0].object  # type: ignore[return-value]


def _graph(text: str) -> Graph:
    triples = [
        (t.subject, t.predicate, t.object)
        for element in parse_group(f"{{ {text} }}", PROLOGUE).elements
        if isinstance(element, TriplesBlock)
        for t in element.triples
    ]
    return frozenset(triples)  # type: ignore[arg-type]


@pytest.fixture
def term() -> Callable[[str], Term]:
    """The term that a text names, in SPARQL's syntax."""
    return _term


@pytest.fixture
def graph() -> Callable[[str], Graph]:
    """The graph that a text states, in SPARQL's syntax."""
    return _graph


@pytest.fixture
def value() -> Callable[..., str]:
    """The value of an expression, as text; "error" if it has none."""

    def of(expression: str, **bound: str) -> str:
        element = parse_group(f"{{ BIND({expression} AS ?result) }}", PROLOGUE).elements[0]
        assert isinstance(element, Bind)
        mu = SolutionMapping({Variable(name): _term(text) for name, text in bound.items()})
        try:
            text = to_text(evaluate_expression(element.expression, mu, Context()))
        except ExpressionError:
            return "error"
        return text.replace("http://www.w3.org/2001/XMLSchema#", "xsd:")

    return of


@pytest.fixture
def rows() -> Callable[..., list[dict[str, str]]]:
    """The bag of solutions of a pattern, terms as text without `http://e/`, in a stable order."""

    def of(
        pattern: str, data: str, named: Mapping[str, str] | None = None
    ) -> list[dict[str, str]]:
        graphs = {URIRef(f"http://e/{name}"): _graph(text) for name, text in (named or {}).items()}
        omega = evaluate(parse_group(pattern, PROLOGUE), Dataset(_graph(data), graphs))
        found = [
            {str(v): _short(to_text(t)) for v, t in mu.items()}  # type: ignore[arg-type]
            for mu in omega
        ]
        return sorted(found, key=lambda row: sorted(row.items()))

    return of


def _short(text: str) -> str:
    own = text.startswith("<http://e/")
    return f":{text.removeprefix('<http://e/').removesuffix('>')}" if own else text
