"""What is generated for SPARQL: every construct and function, every corner among the literals."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from denota.oracle.sparql_evaluators.pattern_cases import Question, features
from denota.semantics.model.terms import Dataset
from denota.semantics.rdf.syntax.tree import ARITY, GroupGraphPattern
from denota.strategies import datasets, group_graph_patterns

CONSTRUCTS = {
    "triples", "variable predicate", "blank node", "FILTER", "OPTIONAL", "UNION", "group", "MINUS",
    "GRAPH", "GRAPH ?", "BIND", "VALUES", "SELECT", "DISTINCT", "GROUP BY", "HAVING", "EXISTS",
    "NOT EXISTS", "path ^", "path /", "path |", "path *", "path +", "path ?", "path !", "path !^",
    "COUNT", "COUNT(*)", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT", "=", "!=", "<", ">", "<=",
    ">=", "+", "-", "*", "/", "unary -", "unary +", "!", "&&", "||", "IN", "NOT IN", "IN ()",
}
CORNERS = {
    "beyond 64 bits", "near 64 bits", "NaN", "INF", "negative zero", "ill-typed", "language tag",
    "unknown datatype", "decimal", "double", "float", "boolean", "string", "dateTime", "date",
    "no time zone", "integer in odd form", "named graphs", "no data",
}
MANY_ANSWERS = {"BNODE", "NOW", "RAND", "STRUUID", "UUID"}
"""Functions without one right answer."""


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    made: list[Question] = []

    @seed(0)
    @settings(
        max_examples=700, phases=[Phase.generate], database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(group_graph_patterns(), datasets())
    def collect(pattern: GroupGraphPattern, dataset: Dataset) -> None:
        made.append(Question(pattern, dataset))

    collect()
    return made


def test_everything_occurs(questions: list[Question]) -> None:
    found = frozenset().union(*map(features, questions))
    assert CONSTRUCTS - found == set()
    assert CORNERS - found == set()
    assert {"cast " + name for name in ("integer", "decimal", "double", "string")} <= found
    assert set(ARITY) - MANY_ANSWERS - found == set()


def test_many_questions_have_a_solution(questions: list[Question]) -> None:
    assert sum(bool(question.solutions) for question in questions) > len(questions) / 6
