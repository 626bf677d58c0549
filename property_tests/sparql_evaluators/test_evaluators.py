"""Where other evaluators of SPARQL and the definitions disagree, a listed deviation explains it.

A failure is a discovery: a new deviation of theirs (write it down in
oracle/sparql_evaluators/deviations.yaml, with a witness), or an error of ours.
"""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings

from denota.oracle.sparql_evaluators.evaluator_comparison import disagreement
from denota.oracle.sparql_evaluators.evaluators import opinion
from denota.oracle.sparql_evaluators.pattern_cases import Question
from denota.semantics.model.terms import Dataset
from denota.semantics.rdf.syntax.tree import GroupGraphPattern
from denota.strategies import datasets, group_graph_patterns

from ..examples import count


def ask(who: str, pattern: GroupGraphPattern, dataset: Dataset) -> None:
    found = disagreement(opinion(who), Question(pattern, dataset))
    if found is not None and found.deviation is None:
        pytest.fail(str(found))


# What is found is in its smallest form already. Short runs ask the same every time: a discovery is
# for those who search, by the deep profile or by `denota fuzz --language sparql`.
ASKED = settings(
    phases=[Phase.generate], derandomize=settings.get_current_profile_name() != "deep"
)


@settings(ASKED, max_examples=count(150))
@given(group_graph_patterns(), datasets())
def test_pyoxigraph_deviates_as_listed(pattern: GroupGraphPattern, dataset: Dataset) -> None:
    ask("pyoxigraph", pattern, dataset)


@settings(ASKED, max_examples=count(30))
@given(group_graph_patterns(), datasets())
def test_rdflib_deviates_as_listed(pattern: GroupGraphPattern, dataset: Dataset) -> None:
    ask("rdflib", pattern, dataset)
