"""The named settings of the judge are those by which denota itself reports."""

import pytest

from denota.oracle.studies.answers.expected.settings import NAMED, Policy, setting_of_file
from denota.semantics.rsepql.syntax.settings import SETTINGS


def test_the_names_are_the_same():
    assert set(NAMED) == set(SETTINGS)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_they_say_the_same(name):
    judged, reported = NAMED[name], SETTINGS[name]
    assert judged.title == reported.title
    assert judged.operator is reported.operator
    assert judged.empty_answers is reported.empty
    assert Policy(reported.policy) in judged.policies


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("csparql-3.json", "csparql"), ("C-SPARQL_q1.json", "csparql"),
        ("cqels-answer-6.json", "cqels"), ("sparqlstream-1.json", "sparqlstream"),
        ("100sparqlstream-answer-2.json", "sparqlstream"), ("morph-streams-4.json", "sparqlstream"),
        ("esper.json", None),
    ],
)
def test_files_are_named_after_engines(file, name):
    setting = setting_of_file(file)
    assert (setting and setting.name) == name
