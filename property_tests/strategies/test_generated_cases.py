"""Cases as strategies draw them: how often they have results, and that everything occurs."""

from __future__ import annotations

from collections import Counter

import pytest

from denota.oracle.cases.case import ExpectedResults
from denota.oracle.checking.case_checker import expectation_of
from denota.oracle.fuzzing.rounds import random_cases
from denota.oracle.languages.registry import part_of
from denota.oracle.languages.spaseq.features import OPERATORS
from denota.semantics.epsparql.syntax.readings import Readings as EpsparqlReadings
from denota.semantics.epsparql.syntax.tree import Operator
from denota.semantics.rsepql.syntax.readings import Readings as RsepqlReadings
from denota.semantics.rsepql.syntax.settings import POLICIES
from denota.semantics.rsepql.syntax.tree import ConsumptionPolicy, SequenceOperator, StreamOperator
from denota.semantics.spaseq.syntax.analysis import check_query

from ..examples import count

CASES = 2_000
SEED = "1"

SPASEQ = {
    *OPERATORS,
    "nested BOp", "+ on a BOp", "+ first", "+ after an operand", "local filter", "deferred filter",
    "shared variable", "OPTIONAL", "UNION", "MINUS", "GRAPH", "GRAPH ?g", "BIND", "VALUES",
    "EXISTS", "property path", "sub-select", "blank node in a pattern", "WITHIN EVENTS",
    "dateTime", "SLIDE", "SELECT list", "ties=merge", "ties=sequence", "kleene=join",
    "kleene=collect", "window=tumbling-half-open", "window=match", "window=sliding",
    "negation=absence", "entailment=rdfs", "blank node in data", "equal times across streams",
    "ties in a stream", "empty stream", "absent stream", "unnamed stream", "event on a boundary",
    "several windows", "start", "background graph",
}
RSEPQL = {
    *SequenceOperator, "FIRST", "LAST", "MATCH", "WINDOW", "WINDOW ?w", "several patterns",
    "RANGE", "FROM", "BETWEEN", "ALL", "ELEMENTS", "OF", "FROM WINDOW", "dataset",
    "OPTIONAL", "UNION", "MINUS", "GRAPH", "FILTER", "BIND", "VALUES", "EXISTS", "sub-select",
    "aggregate", "ASK", "CONSTRUCT", "DESCRIBE",
    StreamOperator.ISTREAM, StreamOperator.DSTREAM,
    ConsumptionPolicy.CHRONOLOGICAL, ConsumptionPolicy.RECENT,
    "at", *POLICIES, "equal timestamps", "empty stream",
    *(
        f"{name}={value}"
        for name, values in RsepqlReadings.choices().items() for value in values[1:]
    ),
}
CQELS = {
    "[RANGE]", "[RANGE SLIDE]", "[NOW]", "[ALL]", "[TRIPLES]", "SEQ", "SEQ of windows", "SEQ_WO",
    "NO_HEAD", "NO_TAIL", "JOIN", "OPTIONAL", "UNION", "MINUS", "FILTER", "EXISTS", "GRAPH",
    "axis", "nested path", "node test", "background", "inside=open", "intervals", "at",
    "changing background", "CONSTRUCT", "RSTREAM", "ISTREAM", "DSTREAM",
}
EPSPARQL = {
    *(str(operator) for operator in Operator if operator is not Operator.SEQOPTIONAL),
    "OPTIONAL", "UNION", "MINUS", "GRAPH", "GRAPH ?g", "BIND", "VALUES", "FILTER", "EXISTS",
    "sub-select", "nested group", "property path", "blank node in a pattern", "several triples",
    "interval function", "CONSTRUCT", "ASK", "DESCRIBE", "blank node in a template", "rules alone",
    "DISTINCT", "LIMIT", "GROUP BY", "interval", "ties", "a triple again", "several streams",
    "background",
    "dateTime",
    *(
        f"{name}={value}" for name, (_, *others) in EpsparqlReadings.choices().items()
        for value in others if name != "seqoptional"
    ),
}
CEQL = {
    ";", ":", "+", ":+", "OR", "AS", "FILTER", "NOT", "S>R", "nested +", "OR in +",
    "θ AND θ", "θ OR θ", "NOT θ", "P AND P", "P OR P", "NOT P",
    "LIKE", "IN", "NOT IN", "interval", "IN RANGE", "arithmetic",
    "SELECT NEXT", "SELECT LAST", "SELECT MAX", "SELECT STRICT", "SELECT ANY", "SELECT NONE",
    "projection", "PARTITION BY", "several lists", "several streams", "LIMIT",
    "WITHIN events", "WITHIN time", "WITHIN attribute", "CONSUME BY ANY", "CONSUME BY PARTITION",
    "within=core", "strategy=after-within", "output=valuation", "limit=query",
    "partition=core",
    "empty stream", "missing attribute", "equal times", "tuple in no partition",
    "several partitions",
}
EXPECTED = {
    "spaseq": SPASEQ, "rsepql": RSEPQL, "cqels": CQELS, "epsparql": EPSPARQL, "ceql": CEQL,
}
"""The operators, constructs, readings and kinds of data that occur."""
SHARES = {"spaseq": 0.5, "rsepql": 0.46, "cqels": 0.43, "epsparql": 0.3, "ceql": 0.46}
"""The share of cases that have results: items that miss a window by one are worth as much."""


@pytest.mark.parametrize("language", EXPECTED)
def test_everything_occurs_and_many_cases_have_results(language: str) -> None:
    features = part_of(language, "features")
    occurring: Counter[str] = Counter()
    matching: Counter[str] = Counter()
    answered = errors = 0
    cases = count(CASES)
    for case in random_cases(language, SEED, cases):
        found = features.features(case)
        occurring.update(found)
        expected = expectation_of(case)
        if not isinstance(expected, ExpectedResults):
            errors += 1
        elif expected.results:
            answered += 1
            matching.update(found)
    assert EXPECTED[language] - occurring.keys() == set()
    assert answered > SHARES[language] * cases
    assert errors < cases / 20
    if language == "spaseq":
        assert not errors
        assert {name for name in SPASEQ if occurring[name] < cases / 100} == set()
        assert {name for name in OPERATORS if occurring[name] < cases / 10} == set()
        assert {name for name in OPERATORS if matching[name] < cases / 20} == set()


def test_warnings_are_the_exception() -> None:
    """But for streams that no GPM is on: their events count for `,` and are there on purpose."""
    cases = [*random_cases("spaseq", SEED, count(400))]
    warned = sum(
        any(
            "no GPM is on" not in warning.message
            for warning in check_query(
                case.query, list(case.streams), list(case.kb), case.readings
            )
        )
        for case in cases
    )
    assert warned < len(cases) / 2
