"""What may be asked about: all of SELECT, several windows, background graphs, MATCH, integers."""

import pytest

from denota.oracle.languages.registry import detect_language
from denota.oracle.recorded_output.check_recorded import RecordedQuestion, check_recorded
from denota.oracle.recorded_output.recordings import Recording, Relation
from denota.oracle.recorded_output.schedules import Policy, WindowEnds
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import URIRef, Variable, literal
from denota.semantics.rsepql.syntax.tree import StreamOperator
from denota.semantics.streams.rdf.reader import parse_stream

EX = "http://example.org/"
PREFIX = f"PREFIX : <{EX}>"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def stream(text):
    return list(parse_stream(text, prefixes={"": EX}))


READINGS = stream("".join(
    f":g{t} prov:generatedAtTime {t} . :g{t} {{ :s{t % 3} :reads {t} }} " for t in range(1, 10)
))


def answers(*told):
    """Pairs of a time and solutions {variable: number or name}."""
    return Recording(tuple(
        Relation(time, tuple(
            SolutionMapping({
                Variable(name): literal(str(value), INTEGER) if isinstance(value, int)
                else URIRef(EX + value)
                for name, value in row.items()
            })
            for row in rows
        ))
        for time, rows in told
    ))


def closing(verdict):
    return [
        right for right in verdict.right
        if right.setting.policy is Policy.WINDOW_CLOSE
        and right.setting.operator is StreamOperator.RSTREAM
        and right.setting.bounds is WindowEnds.OPEN_CLOSED
    ]


SUMS = (
    f"{PREFIX} SELECT (SUM(?v) AS ?n) FROM NAMED WINDOW :w ON :r [RANGE 3 STEP 3]"
    " WHERE { WINDOW :w { ?s :reads ?v } }"
)


def test_integer_times_and_aggregates():
    told = answers((3, [{"n": 6}]), (6, [{"n": 15}]), (9, [{"n": 24}]))
    verdict = check_recorded(SUMS, {EX + "r": READINGS}, told)
    assert closing(verdict)
    late = answers((6, [{"n": 6}]), (9, [{"n": 15}]), (12, [{"n": 24}]))
    assert not check_recorded(SUMS, {EX + "r": READINGS}, late, setting="sparqlstream").ok
    assert check_recorded(SUMS, {EX + "r": READINGS}, late, setting="sparqlstream", delay=3).ok


def test_several_readings_joined_and_subselects():
    query = (
        f"{PREFIX} SELECT ?s ?v FROM NAMED WINDOW :w ON :r [RANGE 6 STEP 3] WHERE {{ WINDOW :w {{"
        " ?s :reads ?v, ?u . FILTER (?u < ?v) { SELECT (MAX(?x) AS ?v) WHERE { [] :reads ?x } } }"
        " }"
    )
    told = answers((6, [{"s": "s0", "v": 6}]), (9, [{"s": "s0", "v": 9}]))
    assert closing(check_recorded(query, {EX + "r": READINGS}, told))


def test_several_windows_and_a_background_graph():
    query = (
        f"{PREFIX} SELECT ?room ?v ?w FROM NAMED WINDOW :short ON :r [RANGE 1 STEP 3]"
        " FROM NAMED WINDOW :long ON :r [RANGE 3 STEP 3] WHERE { WINDOW :short { ?s :reads ?v }"
        " WINDOW :long { ?t :reads ?w FILTER NOT EXISTS { ?t :reads 2, 5, 8 } FILTER (?t = :s2) }"
        " GRAPH :places { ?s :in ?room } }"
    )
    told = answers((3, [{"room": "hall", "v": 3, "w": 2}]), (6, [{"room": "hall", "v": 6, "w": 5}]),
                   (9, [{"room": "hall", "v": 9, "w": 8}]))
    places = {EX + "places": f"@prefix : <{EX}> . :s0 :in :hall ."}
    verdict = check_recorded(query, {EX + "r": READINGS}, told, kb=places)
    assert closing(verdict)


def test_match():
    query = (
        f"{PREFIX} SELECT ?a ?b FROM NAMED WINDOW :w ON :r [RANGE 3 STEP 3] WHERE {{ MATCH {{"
        " EVENT :w { :s1 :reads ?a } SEQ EVENT :w { :s0 :reads ?b } } }"
    )
    told = answers((3, [{"a": 1, "b": 3}]), (6, [{"a": 4, "b": 6}]), (9, [{"a": 7, "b": 9}]))
    assert closing(check_recorded(query, {EX + "r": READINGS}, told))
    backwards = query.replace(":s1", ":sx").replace(":s0", ":s1").replace(":sx", ":s0")
    assert not check_recorded(backwards, {EX + "r": READINGS}, told).ok


def test_csparql_s_timestamp():
    query = (
        f"{PREFIX} PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#> SELECT ?a ?b"
        " FROM STREAM :r [RANGE 3 STEP 3] WHERE { :s1 :reads ?a . :s0 :reads ?b ."
        " FILTER (f:timestamp(:s1, :reads, ?a) < f:timestamp(:s0, :reads, ?b)) }"
    )
    told = answers((3, [{"a": 1, "b": 3}]), (6, [{"a": 4, "b": 6}]), (9, [{"a": 7, "b": 9}]))
    assert closing(check_recorded(query, {EX + "r": READINGS}, told))


@pytest.mark.parametrize("query", [
    f"{PREFIX} SELECT ?v FROM STREAM :r [RANGE 3 STEP 3] WHERE {{ ?s :reads ?v }}",
    f"{PREFIX} SELECT ?v WHERE {{ STREAM :r [RANGE 3 SLIDE 3] {{ ?s :reads ?v }} }}",
    f"{PREFIX} SELECT ?v FROM NAMED WINDOW :w ON :r [RANGE 3 STEP 3] WHERE {{ WINDOW :w {{ ?s"
    " :reads ?v } }",
    f"{PREFIX} SELECT ?v FROM NAMED WINDOW :w ON :r [RANGE 3 STEP 3] WHERE {{ WINDOW ?x {{ ?s"
    " :reads ?v } }",
])
def test_one_question_in_many_languages(query):
    told = answers((3, [{"v": v} for v in (1, 2, 3)]), (6, [{"v": v} for v in (4, 5, 6)]),
                   (9, [{"v": v} for v in (7, 8, 9)]))
    assert closing(check_recorded(query, {EX + "r": READINGS}, told))


def test_the_name_of_a_window_may_be_asked_for():
    query = (
        f"{PREFIX} SELECT ?w (COUNT(*) AS ?n) FROM NAMED WINDOW :three ON :r [RANGE 3 STEP 3]"
        " FROM NAMED WINDOW :one ON :r [RANGE 1 STEP 3] WHERE { WINDOW ?w { ?s :reads ?v } }"
        " GROUP BY ?w"
    )
    told = answers(*((t, [{"w": "three", "n": 3}, {"w": "one", "n": 1}]) for t in (3, 6, 9)))
    assert closing(check_recorded(query, {EX + "r": READINGS}, told))
    single = query.replace("FROM NAMED WINDOW :one ON :r [RANGE 1 STEP 3]", "")
    told = answers(*((t, [{"w": "three", "n": 3}]) for t in (3, 6, 9)))
    assert closing(check_recorded(single, {EX + "r": READINGS}, told))


@pytest.mark.parametrize("query", [SUMS, SUMS.replace("(SUM(?v) AS ?n)", "?s ?v")])
def test_the_definitions_and_the_matcher_say_the_same(query):
    told = answers((3, [{"n": 6}]), (6, [{"n": 15}]), (9, [{"n": 24}]))
    verdicts = [
        RecordedQuestion.of(query, {EX + "r": READINGS}, by_definition=by_definition).check(told)
        for by_definition in (False, True)
    ]
    assert verdicts[0] == verdicts[1]


def test_answers_to_another_query_are_noticed():
    verdict = check_recorded(SUMS, READINGS, answers((3, [{"total": 6}])))
    assert not verdict.ok
    assert verdict.note == "the answers bind ?total, which the query does not select"


def test_a_stream_without_a_name_is_the_one_that_is_asked_about():
    told = answers((3, [{"n": 6}]), (6, [{"n": 15}]), (9, [{"n": 24}]))
    assert check_recorded(SUMS, READINGS, told).ok


@pytest.mark.parametrize(
    ("query", "streams", "said"),
    [
        (SUMS, {EX + "other": READINGS}, "is not given"),
        (SUMS, {EX + "r": []}, "no items"),
        (SUMS.replace("RANGE 3 STEP 3", "RANGE 3s STEP 3s"), {EX + "r": READINGS}, "an integer"),
        (SUMS + " CONSUME RECENT", {EX + "r": READINGS}, "CONSUME"),
        (SUMS, {EX + "r": READINGS[::-1]}, "time order"),
    ],
)
def test_what_cannot_be_judged_is_said(query, streams, said):
    with pytest.raises(DenotaError, match=said):
        check_recorded(query, streams, answers((3, [{"n": 6}])))


@pytest.mark.parametrize("text", [
    f"{PREFIX} SELECT ?s FROM STREAM :s [RANGE 4 STEP 2] WHERE {{ ?s :reads ?v }}",
    f"{PREFIX} SELECT ?s WHERE {{ STREAM :s [RANGE 4 SLIDE 2] {{ ?s :reads ?v }} }}",
    f"{PREFIX} SELECT ?s FROM NAMED STREAM :s [NOW - 4 S SLIDE 2 S] WHERE {{ ?s :reads ?v }}",
])
def test_the_engines_languages_are_taken_for_rsepql(text):
    assert detect_language(text).name == "rsepql"
