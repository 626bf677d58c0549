"""What is generated: every construct occurs, and cases often have solutions."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, Phase, given, settings

from denota.oracle.languages.epsparql.features import features
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.epsparql.syntax.tree import Operator
from denota.semantics.model.errors import DenotaError
from denota.strategies import EpsparqlCase, epsparql_cases

CONSTRUCTS = {
    *(str(operator) for operator in Operator if operator is not Operator.SEQOPTIONAL),
    "OPTIONAL", "UNION", "MINUS", "GRAPH", "GRAPH ?g", "BIND", "VALUES", "FILTER", "EXISTS",
    "sub-select", "nested group", "property path", "blank node in a pattern", "several triples",
    "interval function", "CONSTRUCT", "ASK", "DESCRIBE", "blank node in a template", "rules alone",
    "DISTINCT", "LIMIT", "GROUP BY", "interval", "ties", "a triple again", "several streams",
    "background",
    "dateTime",
}
READINGS = {
    f"{name}={value}" for name, (_, *others) in Readings.choices().items() for value in others
    if name != "seqoptional"
}


def test_every_construct_occurs_and_cases_have_solutions() -> None:
    seen: Counter[str] = Counter()
    answered = []

    @settings(
        max_examples=700, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(epsparql_cases())
    def generate(case: EpsparqlCase) -> None:
        seen.update(features(case))
        try:
            answered.append(bool(case.denotation()))
        except DenotaError:
            answered.append(False)

    generate()
    assert seen.keys() >= CONSTRUCTS | READINGS
    assert sum(answered) > 0.3 * len(answered)
