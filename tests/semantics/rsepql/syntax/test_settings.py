"""Named settings: how C-SPARQL, CQELS and SPARQLstream report, by definition and in the engine."""

import pytest
from rdflib.term import URIRef, Variable

from denota.engine.rsepql import run
from denota.semantics.model.errors import QueryError
from denota.semantics.rsepql.denotation import evaluate
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.streams.rdf.reader import parse_stream

EX = "http://example.org/"
QUERY = parse(
    f"PREFIX : <{EX}> REGISTER DSTREAM :out AS SELECT ?s FROM NAMED WINDOW :w ON :s"
    " [RANGE 4 STEP 2] WHERE { WINDOW :w { ?s :warm true } }"
)
STREAM = tuple(parse_stream(
    """:g1 prov:generatedAtTime 1 . :g1 { :a :warm true }
       :g4 prov:generatedAtTime 4 . :g4 { :b :warm true }
       :g5 prov:generatedAtTime 5 . :g5 { :c :warm false }""",
    prefixes={"": EX},
))

EXPECTED = {
    # Windows (−2,2], (0,4], (2,6], (4,8]; the last holds nothing warm, and C-SPARQL says so.
    "csparql": [(2, "a"), (4, "ab"), (6, "b"), (8, "")],
    "sparqlstream": [(2, "a"), (4, "ab"), (6, "b")],
    # What is new when something comes.
    "cqels": [(1, "a"), (4, "b")],
}


def told(answers):
    return [
        (a.time, "".join(sorted(str(mu[Variable("s")])[-1] for mu in a.content))) for a in answers
    ]


@pytest.mark.parametrize("setting", EXPECTED)
@pytest.mark.parametrize("evaluator", [evaluate, run])
def test_how_engines_report(setting, evaluator):
    evaluation = Evaluation.of({"setting": setting})
    answers = evaluator(QUERY, {URIRef(EX + "s"): STREAM}, evaluation=evaluation)
    assert told(answers) == EXPECTED[setting]


@pytest.mark.parametrize("evaluator", [evaluate, run])
def test_a_setting_is_a_choice_that_may_be_changed(evaluator):
    evaluation = Evaluation.of({"setting": "csparql", "operator": "istream", "first": 4})
    answers = evaluator(QUERY, {URIRef(EX + "s"): STREAM}, evaluation=evaluation)
    assert told(answers) == [(4, "ab"), (6, ""), (8, "")]
    listed = Evaluation.of({"setting": "csparql", "at": [3, 7]})
    answers = evaluator(QUERY, {URIRef(EX + "s"): STREAM}, evaluation=listed)
    assert told(answers) == [(3, "a"), (7, "b")]


@pytest.mark.parametrize("evaluator", [evaluate, run])
def test_an_empty_graph_is_reported_too(evaluator):
    query = parse(
        f"PREFIX : <{EX}> CONSTRUCT {{ ?s a :Warm }} FROM NAMED WINDOW :w ON :s"
        " [RANGE 1 STEP 1] WHERE { WINDOW :w { ?s :warm true } }"
    )
    evaluation = Evaluation.of({"policy": "window-close", "empty": True})
    answers = evaluator(query, {URIRef(EX + "s"): STREAM}, evaluation=evaluation)
    assert [(a.time, len(a.content)) for a in answers] == [
        (1, 1), (2, 0), (3, 0), (4, 1), (5, 0)
    ]


@pytest.mark.parametrize(
    "named",
    [
        {"at": [1], "operator": "ISTREAM", "empty": True},
        {"policy": "window-close", "sliding": True},
        {"setting": "cqels"}, {"setting": "csparql", "last": 5},
    ],
)
def test_an_evaluation_by_its_names(named):
    evaluation = Evaluation.of(named)
    assert Evaluation.of(evaluation.named()) == evaluation


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"setting": "esper"}, "there is no setting 'esper'"),
        ({"operator": "XSTREAM"}, "there is no stream operator 'XSTREAM'"),
        ({"at": [1], "policy": "window-close"}, "by 'at' or by 'policy'"),
    ],
)
def test_what_there_is_not(named, said):
    with pytest.raises(QueryError, match=said):
        Evaluation.of(named)
