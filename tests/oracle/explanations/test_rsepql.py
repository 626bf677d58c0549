"""Why an RSEP-QL query has an answer, or has it not."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Namespace

import denota
from denota.oracle.cli import main
from denota.oracle.languages.rsepql.explain import RsepqlExplainer
from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.rsepql.syntax.evaluation import Evaluation

EX = Namespace("http://example.org/")
CORPUS = Path(denota.__file__).resolve().parent / "corpus"


def explained(capsys, name, *options):
    assert main(["explain", str(CORPUS / f"{name}.case.yaml"), *options]) == 0
    return capsys.readouterr().out


def test_equal_answers_are_explained_by_their_intervals(capsys):
    out = explained(capsys, "papers/rsepql/example-08")
    assert "Answer 3 of 3: at 8, ?x = :a2, ?y = :b2, ?z = :c2" in out
    for interval in ("[2, 6]", "[4, 6]", "[4, 8]"):
        assert out.count(f"MATCH returns it over {interval} (8)") == 1
    assert "EVENT :w2 { ?y :q ?z } matches :g4 at 8, with ?y = :b2, ?z = :c2 (4)" in out
    assert "The window :w2 contains the graphs at 4, 6, 8 (Def. 3)" in out


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("papers/rsepql/section-2-recent",
         "The second operand is the last of 2 candidates (rivals=same)"),
        ("papers/rsepql/section-2-csparql",
         "SEQN: the first operand ends at 4, before the second starts (9), both are last"),
        ("rulings/rsepql/order-end-start", "It is the first of 4 events (order=end-start) (5)"),
        ("papers/rsepql/example-06", "The window :w2 contains the graphs at 8, 10 (Def. 3)"),
        ("rulings/rsepql/substitution-optional", "MATCH returns it over [0, 1] (8)"),
        ("rulings/rsepql/time-varying-graph-changes", "Answer 2 of 2: at 6"),
    ],
)
def test_what_decides_is_said(capsys, case, says):
    assert says in explained(capsys, case)


@pytest.mark.parametrize(
    ("case", "row", "says"),
    [
        ("papers/rsepql/section-2-chronological", '{at: 10, x: ":a1"}',
         "EVENT :w1 { ?x :p ?y } matched at 2, but that event was already consumed (12)"),
        ("papers/rsepql/section-2-chronological", '{at: 9, x: ":a1"}',
         "not evaluated at 9 (Def. 5); evaluation times: 8, 10"),
        ("papers/rsepql/section-2-chronological", '{at: 8, x: ":a3"}',
         "?x :p ?y matches :g1 at 2 (4), but ?x is :a1, not :a3"),
        ("papers/rsepql/section-2-chronological", '{at: 8, x: ":a1"}',
         "is a result: see answer 1, at 8, ?x = :a1"),
        ("papers/rsepql/section-2-chronological", '{at: 8, z: ":c9"}',
         "?y :q ?z matches :g3 at 6 (4), but ?z is :c1, not :c9"),
        ("rulings/rsepql/naive-is-of-all", '{at: 3, x: ":a"}',
         "SEQN selects the last event (9)"),
        ("rulings/rsepql/ties-are-kept", '{at: 2, x: ":c"}', "FIRST selects another event"),
        ("rulings/rsepql/filter-on-match", '{at: 3, n: 7, m: 4}',
         "FILTER (?n < ?m) is not true with ?m = 4, ?n = 7"),
        ("rulings/rsepql/consume-each-once", '{at: 5, x: ":a"}',
         "but those events were already consumed (12)"),
    ],
)
def test_what_is_missing(capsys, case, row, says):
    assert says in explained(capsys, case, "--missing", row)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("ask", "Answer 1 of 2: at 0, no\n  The window :w contains no graph (Def. 3)\n"
         "  ?x :is :e does not match in the window :w\n"),
        ("ask", "Answer 2 of 2: at 1, yes\n"),
        ("istream", "ISTREAM emits it: it is not a solution"),
        ("dstream", "DSTREAM emits it: it is not a solution"),
        ("construct", "?predicate = "),
    ],
)
def test_what_stands_around_the_patterns_is_explained_too(capsys, case, says):
    assert says in explained(capsys, f"rulings/rsepql/{case}")


@pytest.mark.parametrize(
    "path", sorted((CORPUS / "papers" / "rsepql").glob("*.case.yaml")), ids=lambda path: path.name
)
def test_every_example_can_be_explained(capsys, path):
    assert main(["explain", str(path)]) == 0
    assert "nswer" in capsys.readouterr().out


def derived(query, items, **case):
    """Whether each answer of a query on one stream is derived."""
    stream = [
        TimestampedGraph(time, frozenset({tuple(EX[name] for name in triple.split())}))
        for time, triple in items
    ]
    explainer = RsepqlExplainer(RsepqlCase(
        denota.parse(f"PREFIX : <{EX}> {query}"), {EX.s: tuple(stream)}, **case
    ))
    return [explainer.presence(number + 1).proof.holds for number in range(len(explainer.results))]


def test_what_a_sub_select_does_not_select_is_another_variable_outside():
    query = """SELECT * FROM NAMED WINDOW :w ON :s [ALL]
        WHERE { WINDOW :w { ?y :p :a . { SELECT DISTINCT ?x WHERE { ?x :p ?y } } } }"""
    items = [(1, "b p a"), (2, "c p b")]
    assert derived(query, items, evaluation=Evaluation(at=(2,))) == [True, True]


@pytest.mark.parametrize("form", ["SELECT *", "SELECT ?x", "ASK", "DESCRIBE ?y"])
@pytest.mark.parametrize("operator", ["ISTREAM", "DSTREAM"])
def test_a_solution_that_is_another_one_with_its_optional_part(form, operator):
    query = f"""REGISTER {operator} :out AS {form}
        FROM NAMED WINDOW :w ON :s [RANGE 2 STEP 1]
        WHERE {{ WINDOW :w {{ ?x :p ?y OPTIONAL {{ ?y :q ?z }} }} }}"""
    items = [(1, "a p b"), (2, "b q c"), (3, "a p b"), (9, "c p d")]
    explained = derived(query, items)
    assert explained
    assert all(explained) or form == "ASK"  # ASK answers no, too
