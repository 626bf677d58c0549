"""C-SPARQL, SPARQLstream and CQELS texts are RSEP-QL queries in other clothes."""

import pytest

from denota.semantics.model.errors import DenotaError, QueryError, UnsupportedError
from denota.semantics.model.time import parse_duration
from denota.semantics.rsepql.denotation import evaluate
from denota.semantics.rsepql.syntax.dialects import parse_dialect, to_rsepql
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.tree import CountWindow, IdentityWindow, TimeBasedWindow
from denota.semantics.streams.rdf.reader import parse_stream

EX = "http://example.org/"
PREFIX = f"PREFIX : <{EX}>"
TIMESTAMP = f"{PREFIX} PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>"


def test_csparql():
    text = (
        "REGISTER QUERY warm AS PREFIX : <http://example.org/>\n"
        "SELECT ?s ?v FROM STREAM <http://example.org/s> [RANGE 10s STEP 2s]\n"
        "WHERE { ?s :reads ?v . FILTER (?v > 80) }"
    )
    dialect, query = parse_dialect(text)
    assert dialect == "csparql"
    assert query == parse(
        f"{PREFIX} SELECT ?s ?v FROM WINDOW ON :s [RANGE 10s STEP 2s]"
        " WHERE { ?s :reads ?v . FILTER (?v > 80) }"
    )


def test_sparqlstream():
    dialect, query = parse_dialect(
        f"{PREFIX} SELECT ?s FROM NAMED STREAM :s [NOW - 10000 MS SLIDE 2000 MS] "
        "WHERE { ?s :reads ?v }"
    )
    assert dialect == "sparqlstream"
    (window,) = query.windows
    assert (window.function.width.value, window.function.step.value) == (10_000_000, 2_000_000)
    assert window.in_default


def test_cqels():
    text = (
        f"{PREFIX}\nSELECT ?s\nWHERE {{\n STREAM <{EX}s> [RANGE 10s SLIDE 2s] {{ ?s :reads ?v }}"
        f"\n STREAM <{EX}t> [TRIPLES 5] {{ ?s :at ?place }}\n FILTER (?v > 80) }}"
    )
    dialect, query = parse_dialect(text)
    assert dialect == "cqels"
    assert query == parse(
        f"{PREFIX} SELECT ?s FROM NAMED WINDOW <urn:denota:window:1> ON :s [RANGE 10s STEP 2s]"
        " FROM NAMED WINDOW <urn:denota:window:2> ON :t [ELEMENTS 5]"
        " WHERE { WINDOW <urn:denota:window:1> { ?s :reads ?v }"
        " WINDOW <urn:denota:window:2> { ?s :at ?place } FILTER (?v > 80) }"
    )


@pytest.mark.parametrize(
    ("window", "width", "step"),
    [
        ("RANGE 10s STEP 2s", "10s", "2s"), ("RANGE 10m SLIDE 5m", "10m", "5m"),
        ("RANGE 4s TUMBLING", "4s", "4s"), ("range 4 seconds step 2 seconds", "4s", "2s"),
        ("RANGE 1h", "1h", None), ("NOW - 10 S SLIDE 1 S", "10s", "1s"), ("NOW-30 S", "30s", None),
        ("FROM NOW - 10 MINUTES TO NOW STEP 1 MINUTE", "10m", "1m"),
        ("FROM NOW - 3 HOURS TO NOW - 0 HOURS SLIDE 1 HOUR", "3h", "1h"),
    ],
)
def test_windows(window, width, step):
    query = parse_dialect(f"SELECT * FROM STREAM <{EX}s> [{window}] WHERE {{ ?a ?b ?c }}").query
    function = query.windows[0].function
    assert isinstance(function, TimeBasedWindow)
    assert function.width.value == parse_duration(width)[0]
    assert (function.step and function.step.value) == (step and parse_duration(step)[0])


@pytest.mark.parametrize(
    ("window", "function"),
    [
        ("ALL", IdentityWindow()), ("TRIPLES 5", CountWindow(5)),
        ("RANGE TRIPLES 6 STEP 3", CountWindow(6, 3)),
    ],
)
def test_windows_that_are_not_of_time(window, function):
    query = parse_dialect(f"SELECT * FROM STREAM <{EX}s> [{window}] WHERE {{ ?a ?b ?c }}").query
    assert query.windows[0].function == function


@pytest.mark.parametrize(
    "text",
    [
        f"{PREFIX} SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 1] WHERE {{ WINDOW :w {{ ?a "
        ":p ?b }}",
        "# FROM STREAM <urn:s> [RANGE 1s]\nSELECT * WHERE { ?a ?b 'FROM STREAM <urn:s> [NOW]' }",
        "SELECT * WHERE { ?a <FROM-STREAM> ?c }",
        "SELECT * FROM NAMED WINDOW <urn:w> ON STREAM <urn:s> [RANGE 5] { WINDOW <urn:w> {} }",
    ],
)
def test_what_is_rsepql_stays_as_it_is(text):
    assert to_rsepql(text) == ("rsepql", text)


def test_errors_are_on_the_lines_of_the_text():
    text = (
        "PREFIX : <http://example.org/>\nSELECT ?s\nFROM STREAM :s\n  [RANGE 10s\n STEP 2s]\n"
        "WHERE {\n ?s ?p }"
    )
    with pytest.raises(QueryError) as caught:
        parse_dialect(text, source="q.rq")
    assert str(caught.value).startswith("q.rq:7:")


# --- timestamp() ---------------------------------------------------------------------------------


def figure_1():
    return tuple(parse_stream(
        """:g1 prov:generatedAtTime 2 .   :g1 { :a1 :p :b1 . }
           :g2 prov:generatedAtTime 4 .   :g2 { :a2 :p :b2 . }
           :g3 prov:generatedAtTime 6 .   :g3 { :b1 :q :c1 . :b2 :q :c2 . }
           :g4 prov:generatedAtTime 8 .   :g4 { :b2 :q :c2 . }
           :g5 prov:generatedAtTime 10 .  :g5 { :a3 :p :b3 . :b1 :q :c1 . }""",
        prefixes={"": EX},
    ))


IDIOM = (
    TIMESTAMP + " REGISTER QUERY seq AS SELECT ?x ?y ?z FROM STREAM :s [RANGE 7 STEP 1] WHERE {"
    " ?x :p ?y . ?y :q ?z . FILTER (f:timestamp(?x, :p, ?y) < f:timestamp(?y, :q, ?z)) }"
)


@pytest.mark.parametrize("text", [IDIOM, IDIOM.replace(
    "f:timestamp(?x, :p, ?y) < f:timestamp(?y, :q, ?z)",
    "f:timestamp(?y, :q, ?z) > f:timestamp(?x, :p, ?y)",
)])
def test_timestamp_of_section_2(text):
    """RSEP-QL, R3.2: over (7, 1) C-SPARQL answers e3 at 8, and nothing at 10."""
    streams = {parse_dialect(text).query.windows[0].stream: figure_1()}
    (answer,) = evaluate(
        parse_dialect(text).query, streams, evaluation=Evaluation(at=(8, 10))
    )
    assert answer.time == 8
    assert [{str(v): str(t).removeprefix(EX) for v, t in mu.items()} for mu in answer.content] == [
        {"x": "a2", "y": "b2", "z": "c2"}
    ]


def test_timestamp_becomes_a_naive_sequence_and_the_rest_stays():
    query = parse_dialect(
        TIMESTAMP + " SELECT * FROM STREAM :s [RANGE 7 STEP 1] WHERE { ?x :p ?y . ?y :q ?z ."
        " ?z :r ?u . ?u a :Thing . FILTER (f:timestamp(?x, :p, ?y) < f:timestamp(?y, :q, ?z)"
        " && ?x != ?u && f:timestamp(?y, :q, ?z) < f:timestamp(?z, :r, ?u)) }"
    ).query
    window = "<urn:denota:window:1>"
    assert query == parse(
        f"{TIMESTAMP} SELECT * FROM WINDOW {window} ON :s [RANGE 7 STEP 1] WHERE {{"
        f" MATCH {{ (EVENT {window} {{ ?x :p ?y }} SEQN EVENT {window} {{ ?y :q ?z }})"
        f" SEQN EVENT {window} {{ ?z :r ?u }} }} ?u a :Thing . FILTER (?x != ?u) }}"
    )


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("f:timestamp(?x, :p, ?y) < f:timestamp(?y, :r, ?z)", "no such triple pattern"),
        ("f:timestamp(?x, :p, ?y) < 5", "in a comparison of two"),
        ("f:timestamp(?x, :p) < f:timestamp(?y, :q, ?z)", "three terms"),
        ("f:timestamp(?x, :p, ?y) < f:timestamp(?x, :p, ?y)", "one order"),
    ],
)
def test_other_uses_of_timestamp_are_said(condition, said):
    text = (
        TIMESTAMP + " SELECT * FROM STREAM :s [RANGE 7 STEP 1] WHERE { ?x :p ?y . ?y :q ?z ."
        f" FILTER ({condition}) }}"
    )
    with pytest.raises(DenotaError, match=said):
        parse_dialect(text)


def test_timestamp_over_two_windows_is_unsupported():
    text = IDIOM.replace("WHERE", "FROM STREAM :t [RANGE 7 STEP 1] WHERE")
    with pytest.raises(UnsupportedError, match="one window"):
        parse_dialect(text)
