"""The list of deviations: every witness still shows what its entry says, and only that explains."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from denota.oracle.sparql_evaluators.evaluator_comparison import (
    Deviation,
    answer_of,
    deviation_file,
    deviations,
    disagreement,
)
from denota.oracle.sparql_evaluators.evaluators import NAMES, Refusal, opinion
from denota.oracle.sparql_evaluators.pattern_cases import Question, Solutions, pattern_of
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.terms import Dataset

LISTED_FOR = {"pyoxigraph": "0.5.13", "rdflib": "7.6.0"}
"""The releases whose deviations are listed: another one is asked for its own list."""


@pytest.mark.parametrize("entry", deviations(), ids=lambda entry: entry.id)
def test_a_deviation_still_exists_and_explains_its_witness(entry: Deviation) -> None:
    asked = opinion(entry.who)
    if asked.version != LISTED_FOR[entry.who]:
        pytest.skip(f"the list was made with {entry.who} {LISTED_FOR[entry.who]}")
    answer = answer_of(asked, entry.witness)
    assert entry.witness.solutions == entry.ours
    assert answer_of(opinion("production"), entry.witness) == entry.ours
    assert answer != entry.ours, (
        f"{entry.who} {asked.version} has mended {entry.id}: take it off the list"
    )
    assert entry.is_answer(answer)
    assert isinstance(answer, Refusal) or answer == entry.theirs
    assert entry.explains(entry.witness, answer)


def test_entries_are_told_apart_and_say_what_decides() -> None:
    names = [entry.id for entry in deviations()]
    assert len(names) == len(set(names))
    assert {entry.who for entry in deviations()} == {"pyoxigraph", "rdflib"}
    assert all(entry.what and entry.decided_by for entry in deviations())


class _Planted:
    """The oracle, but without duplicates."""

    name = "planted"
    version = "1"
    ruled = False

    def solutions(self, question: Question) -> Solutions:
        return type(question.solutions)(set(question.solutions))


def test_a_new_deviation_stands_out_in_its_smallest_form() -> None:
    question = Question(
        pattern_of(
            "SELECT * { OPTIONAL { ?x <urn:p> ?y FILTER (?y > 1) } { VALUES ?z { 1 1 2 } } "
            "UNION { BIND (1 AS ?z) } }"
        ),
        Dataset(),
    )
    found = disagreement(_Planted(), question)
    assert found is not None
    assert found.deviation is None
    assert len(found.question.text) < 50
    assert not found.question.dataset.default
    assert "planted deviates" in str(found)
    written = yaml.safe_load(deviation_file(found))[0]
    assert written["who"] == "planted"
    assert len(written["ours"]) == len(written["theirs"]) + 1


def test_a_deviation_of_form_explains_no_other_value() -> None:
    entry = next(each for each in deviations() if each.id == "oxigraph-double-form")
    question = Question(pattern_of("SELECT * { BIND (1.0E0 AS ?x) }"), Dataset())
    other = Question(pattern_of("SELECT * { BIND (2.0E0 AS ?x) }"), Dataset())
    assert entry.explains(question, opinion("pyoxigraph").solutions(question))
    assert not entry.explains(question, opinion("pyoxigraph").solutions(other))


@pytest.mark.parametrize("who", NAMES)
def test_everybody_answers_with_the_terms_as_they_are(who: str) -> None:
    question = Question(
        pattern_of(
            'SELECT * { VALUES ?x { "a" "b"@en <urn:i> 1 } OPTIONAL { ?x <urn:p> ?y } }'
        ),
        Dataset(),
    )
    assert opinion(who).solutions(question) == question.solutions
    nothing = replace(question, pattern=pattern_of("SELECT * { }"))
    assert opinion(who).solutions(nothing) == nothing.solutions


def test_nobody_else_is_asked() -> None:
    with pytest.raises(UnsupportedError, match="nobody"):
        opinion("nobody")
