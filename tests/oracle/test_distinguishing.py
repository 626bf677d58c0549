"""Distinguishing: what is known to differ, and on how few events."""

from importlib import import_module
from itertools import count

import pytest

import denota
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli import main
from denota.oracle.distinguishing import Side, difference, distinguish, space_of
from denota.oracle.distinguishing.distinction import Distinction
from denota.oracle.distinguishing.search import Search
from denota.oracle.engines.builtin import Oracle
from denota.oracle.languages.registry import language, of_query
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

TEMPLATE = """
PREFIX : <http://example.org/>
SELECT * WITHIN 9 FROM STREAM S1 :u1 FROM STREAM S2 :u2
WHERE {{ SEQ({sequence})
  DEFINE GPM A ON S1 {{ ?x :p ?y }}
  DEFINE GPM B ON S2 {{ ?x :q ?z {filter} }} }}
"""


def side(sequence, filter="", **readings):
    query = parse(TEMPLATE.format(sequence=sequence, filter=filter))
    return Side(query, Readings(**readings))


@pytest.mark.parametrize(
    "a, b, events",
    [
        (side("A : B"), side("A ; B"), 3),
        (side("A : B"), side("A , B"), 3),
        (side("A ; B"), side("A , B"), 3),
        (side("A"), side("A | B"), 1),
        (side("A"), side("A & B"), 1),
        (side("A , B"), side("A & B"), 2),
        (side("A , B"), side("A , B+"), 3),
        (side("A , B+"), side("A , B+", kleene="join"), 3),
        (side("A , B+"), side("A , B+", kleene="collect"), 2),
        (side("A , B"), side("A , B", "FILTER (?z > ?y)"), 2),
        (side("A , B", "FILTER (?z > ?y)"), side("A , B", "FILTER (?z >= ?y)"), 2),
        (side("A"), side("A", ties="sequence"), 2),
        (side("A : B"), side("A : B", window="tumbling-half-open"), 2),
        (side("A : B"), side("A : B", window="match"), 3),
        (side("A , B! , A"), side("A , B! , A", negation="absence"), 2),
    ],
)
def test_the_smallest_stream_on_which_they_differ(a, b, events):
    search = distinguish(a, b, max_events=3)
    witness = search.witness
    assert witness is not None
    assert witness.events == events
    assert search.complete == events - 1
    again = difference(a, b, witness.data)
    assert again is not None
    assert (again.only_a, again.only_b) == (witness.only_a, witness.only_b)
    assert witness.only_a or witness.only_b or witness.error_a or witness.error_b


@pytest.mark.parametrize(
    "a, b",
    [
        (side("A | B"), side("B | A")),
        (side("A ; B"), side("A ; B", kleene="join")),
        pytest.param(side("A ; B"), side("A ; B"), marks=pytest.mark.slow),
        pytest.param(side("A & B"), side("B & A"), marks=pytest.mark.slow),
    ],
)
def test_what_means_the_same_is_not_told_apart(a, b):
    search = distinguish(a, b, max_events=2)
    assert search.witness is None
    assert search.complete == 2
    assert search.tried > 100


def test_a_search_ends_in_time(monkeypatch):
    module = import_module("denota.oracle.distinguishing.search")
    monkeypatch.setattr(module, "monotonic", count().__next__)
    search = distinguish(side("A ; B"), side("A ; B"), max_events=9, seconds=100)
    assert search.out_of_time
    assert search.complete < 9


def test_backgrounds_are_found():
    query = (
        "SELECT * WITHIN 9 FROM STREAM S <http://e/s> WHERE {{ SEQ(A) DEFINE GPM A ON S "
        "{{ ?x <http://e/p> ?y {} }} }}"
    )
    a = Side(parse(query.format("")), Readings())
    b = Side(parse(query.format("GRAPH <http://e/g> { ?x <http://e/in> ?c }")), Readings())
    assert distinguish(a, b, max_events=1).witness is not None


@pytest.fixture
def queries(tmp_path):
    for name, sequence in (("next", "A ; B"), ("any", "A : B")):
        (tmp_path / f"{name}.rq").write_text(TEMPLATE.format(sequence=sequence, filter=""),
                                             encoding="utf-8")
    return tmp_path


def test_the_command_shows_the_stream_and_saves_it_as_a_case(queries, capsys):
    saved = queries / "found.case.yaml"
    words = [str(queries / "next.rq"), str(queries / "any.rq"), "--save-case", str(saved)]
    assert main(["distinguish", *words]) == 0
    out = capsys.readouterr().out
    assert out.startswith("A and B differ in:\n  -SEQ(A; B)\n  +SEQ(A : B)\n\n")
    assert "\nMinimal distinguishing stream, 3 events" in out
    assert ":g1 prov:generatedAtTime 0 ." in out
    assert "only B" in out
    assert "only A" not in out
    assert check_case(read_case(saved), Oracle()).ok


def test_readings_stand_for_the_query_of_the_other_side(queries, capsys):
    query = str(queries / "next.rq")
    assert main(["distinguish", query, "window=tumbling-half-open"]) == 0
    one = capsys.readouterr().out
    assert main(["distinguish", "window=tumbling-half-open", f"{query}@window=tumbling"]) == 0
    other = capsys.readouterr().out
    assert "only A" in one
    assert "only B" in other


def test_nothing_found_is_exit_code_1(queries, capsys):
    query = str(queries / "next.rq")
    assert main(["distinguish", query, "kleene=join", "--max-events", "1"]) == 1
    assert "\nNo difference up to 1 event " in capsys.readouterr().out


def test_the_same_query_is_said_to_be_at_once(queries, capsys):
    query = queries / "next.rq"
    text = query.read_text(encoding="utf-8")
    for old, new in ((" A", " First"), ("(A", "(First"), ("S2", "Second"), ("  ", " \n ")):
        text = text.replace(old, new)
    (queries / "renamed.rq").write_text(text, encoding="utf-8")
    for other in (str(query), str(queries / "renamed.rq"), "kleene=last"):
        assert main(["distinguish", str(query), other]) == 1
        assert capsys.readouterr().out == "A and B are the same query, read in the same way.\n"


OVERHEATING = """
PREFIX : <http://example.org/>
SELECT ?rack ?first ?last ?fan
WITHIN 60
FROM STREAM Sensors <http://example.org/sensors>
FROM STREAM Fans <http://example.org/fans>
WHERE {
  SEQ(Warm; Warmer+; Stopped)
  DEFINE GPM Warm ON Sensors { ?rack :celsius ?first . FILTER (?first > 30) }
  DEFINE GPM Warmer ON Sensors { ?rack :celsius ?last . FILTER (?last > ?first) }
  DEFINE GPM Stopped ON Fans { ?fan :cools ?rack ; :state :stopped . }
}
"""


@pytest.mark.parametrize(
    "old, new, readings",
    [
        ("", "", {"kleene": "join"}),
        ("; Stopped", ": Stopped", {}),
        ("Warm; Warmer", "Warm: Warmer", {}),
        ("Warm; Warmer", "Warm, Warmer", {}),
        ("> 30", "> 31", {}),
        ("> 30", ">= 30", {}),
        ("?last > ?first", "?last >= ?first", {}),
        ("WITHIN 60", "WITHIN 61", {}),
        (":stopped", ":slow", {}),
        ("Warmer+", "Warmer", {}),
    ],
)
def test_queries_as_people_write_them(old, new, readings):
    a = Side(parse(OVERHEATING), Readings())
    b = Side(parse(OVERHEATING.replace(old, new)), Readings(**readings))
    _is_least(a, b, distinguish(a, b, seconds=100))


def _is_least(a, b, search):
    """The search has come to something of which nothing can be left out, and not by trying all."""
    witness = search.witness
    assert witness is not None
    assert search.tried < 12_000
    assert difference(a, b, witness.data) is not None
    smaller = list(space_of(a, b).smaller(witness.data))
    assert len(smaller) >= witness.events
    assert not any(difference(a, b, less) for less in smaller)


RSEPQL = """
PREFIX : <http://example.org/>
SELECT ?x ?z FROM NAMED WINDOW :w1 ON :s [RANGE 9] FROM NAMED WINDOW :w2 ON :s [RANGE 5]
WHERE { MATCH { EVENT :w1 { ?x :p ?y . FILTER (?y > 7) } SEQ EVENT :w2 { ?x :q ?z } } }
"""
CQELS = """
PREFIX : <http://example.org/>
SELECT ?s FROM NAMED WINDOW :W ON :stream [RANGE 10]
WHERE { WINDOW :W { SEQ({?v :delayAt ?s}, {?v :delayAt ?s}, !{?v :arriveAt ?s}) } }
"""
EPSPARQL = """
PREFIX : <http://example.org/>
SELECT ?c WHERE { ?c :price ?p1 } SEQ { ?c :price ?p2 } FILTER (?p2 < ?p1 && getDURATION() < 5)
"""


@pytest.mark.parametrize(
    "query, old, new",
    [
        (RSEPQL, "SEQ", "SEQN"),
        (RSEPQL, "RANGE 5", "RANGE 6"),
        (RSEPQL, "?x :q", "?z :q"),
        (RSEPQL, "RSTREAM", "ISTREAM"),
        (CQELS, ", !{?v :arriveAt ?s}", ""),
        (CQELS, "RANGE 10", "RANGE 11"),
        (CQELS, "SEQ({?v", "SEQ({?w"),
        (EPSPARQL, "SEQ", "EQUALS"),
        (EPSPARQL, "?p2 < ?p1", "?p2 <= ?p1"),
        (EPSPARQL, "() < 5", "() <= 5"),
        (EPSPARQL, " && getDURATION() < 5", ""),
    ],
)
def test_every_language_is_told_apart(query, old, new):
    if old == "RSTREAM":
        query = query.replace("SELECT", "REGISTER RSTREAM :out AS SELECT")
    language = of_query(query)
    a, b = (
        Side(tree, language.readings({}, tree))
        for tree in (language.parse(query), language.parse(query.replace(old, new)))
    )
    _is_least(a, b, distinguish(a, b, seconds=100))


PREFIXES = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
ONE_VALUE = {
    "spaseq": "SELECT ?x WITHIN 9 FROM STREAM S :s WHERE { SEQ(A) DEFINE GPM A ON S { PATTERN } }",
    "rsepql": "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 9] WHERE { WINDOW :w { PATTERN } }",
    "cqels": "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 9] WHERE { WINDOW :w {SEQ({PATTERN})} }",
    "epsparql": "SELECT ?x WHERE { PATTERN }",
}


def sides(name, text, *changes):
    found = language(name)
    trees = [found.parse(PREFIXES + text.replace("PATTERN", each)) for each in changes]
    return [Side(tree, found.readings({}, tree)) for tree in trees]


@pytest.mark.parametrize("name", ONE_VALUE)
@pytest.mark.parametrize(
    "a, b",
    [
        ("?v > 2", "?v >= 3"),
        ("?v > 2", "?v >= 2.0000001"),
        ("?v = 2", "sameTerm(?v, 2)"),
        ("?v IN (1, 2, 3)", "?v >= 1 && ?v <= 3"),
        ("!(?v > 2)", "?v <= 2"),
        ("?v = 1 || ?v = 'one'", "?v = 1"),
        ("?v = true", "?v"),
        ("?v > 'b'", "?v >= 'c'"),
        ("REGEX(?v, 'ab')", "STRSTARTS(?v, 'ab')"),
        ("?v > '2020-02-29T00:00:00Z'^^xsd:dateTime", "?v >= '2020-02-29T00:00:01Z'^^xsd:dateTime"),
        ("?v > '2020-02-29'^^xsd:date", "?v > '2020-03-01'^^xsd:date"),
    ],
)
def test_one_value_tells_conditions_apart(name, a, b):
    changes = (f"?x :p ?v FILTER({each})" for each in (a, b))
    search = distinguish(*sides(name, ONE_VALUE[name], *changes), max_events=1)
    assert search.witness is not None
    assert search.witness.events == 1
    assert search.tried < 100


TWO_VALUES = """SELECT ?x WITHIN 9 FROM STREAM S :s WHERE { SEQ(A; B)
DEFINE GPM A ON S { ?x :p ?v ; :r ?z } DEFINE GPM B ON S { ?x :q ?w PATTERN } }"""


@pytest.mark.parametrize(
    "text, a, b, events",
    [
        (ONE_VALUE["spaseq"], "?x :p ?v FILTER(?v > 2)", "?x :p ?u FILTER(?u >= 2.2)", 1),
        (ONE_VALUE["spaseq"], "?x :p 2", "?x :p ?v FILTER(?v = 2)", 1),
        (ONE_VALUE["spaseq"], "?x :p ?v BIND(?v + 1 AS ?w) FILTER(?w > 3)",
         "?x :p ?v FILTER(?v >= 3)", 1),
        (TWO_VALUES, "FILTER(?w > ?v)", "FILTER(?w >= ?v + 1)", 2),
        (TWO_VALUES, "FILTER(?w = ?v)", "FILTER(sameTerm(?w, ?v))", 2),
        (TWO_VALUES, "FILTER(?w < 7 && ?v > 2 && ?z = 'on')",
         "FILTER(?w <= 6 && ?v > 2 && ?z = 'on')", 2),
    ],
)
def test_variables_of_one_predicate_or_condition_have_values_in_common(text, a, b, events):
    search = distinguish(*sides("spaseq", text, a, b))
    assert search.witness is not None
    assert search.witness.events == events
    assert search.tried < 6_000


def test_a_duration_between_two():
    query = "SELECT ?x WHERE { ?x :p ?v } SEQ { ?x :q ?w } FILTER(PATTERN)"
    a, b = (f"getDURATION() {each}S'^^xsd:dayTimeDuration" for each in ("> 'PT2", ">= 'PT3"))
    assert distinguish(*sides("epsparql", query, a, b), max_events=2).witness is not None


@pytest.mark.parametrize(
    "words, message",
    [
        (["kleene=join", "kleene=last"], "must be a query's file"),
        (["no-such.rq", "kleene=last"], "no-such.rq: No such file"),
        (["QUERY", "kleene=lst"], "no value 'lst'"),
        (["QUERY@kleen=last", "QUERY"], "no reading 'kleen'"),
        (["QUERY", "QUERY", "--max-events", "few"], "--max-events: 'few' is not a natural number"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(queries, words, message, capsys):
    query = str(queries / "next.rq")
    assert main(["distinguish", *(word.replace("QUERY", query) for word in words)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("complete, told", [
    (-1, "not the streams of any number of events"), (2, "all streams of at most 2 events"),
])
def test_a_time_limit_says_which_streams_were_tried(complete: int, told: str) -> None:
    query = denota.parse("SELECT * FROM S WHERE A")
    side = Side(query, None)
    found = Distinction(side, side, ("-A", "+B"), Search(7, complete, out_of_time=True))
    assert str(found).splitlines()[-1] == (
        f"No difference found within the time limit (7 streams tried; completed: {told})."
    )


def test_the_lines_that_differ_are_printed_before_the_search(queries, capsys, monkeypatch):
    module = import_module("denota.oracle.distinguishing.distinction")
    before = []

    def searched(a, b, **options):
        before.append(capsys.readouterr().out)
        return Search(complete=4)

    monkeypatch.setattr(module, "distinguish", searched)
    query = str(queries / "next.rq")
    assert main(["distinguish", query, "kleene=join"]) == 1
    assert before == ["A and B differ in:\n  -kleene=last\n  +kleene=join\n\n"]
    assert capsys.readouterr().out == "No difference up to 4 events (0 streams tried).\n"
