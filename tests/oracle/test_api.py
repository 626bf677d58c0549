from collections import Counter
from datetime import UTC, datetime
from itertools import count

import pytest
import rdflib
from rdflib import RDF, BNode, Literal, URIRef, Variable

import denota
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import literal
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.spaseq.syntax.tree import SpaseqQuery

U1, U2 = "http://example.org/u1", "http://example.org/u2"


def e(name):
    return URIRef(f"http://example.org/{name}")


@pytest.fixture
def query(files):
    return (files / "q.rq").read_text(encoding="utf-8")


@pytest.fixture
def streams(files):
    return {U1: list(denota.read_stream(files / "u1.trig")),
            U2: list(denota.read_stream(str(files / "u2.trig")))}


def test_a_query_is_sniffed_and_parsed(query):
    assert isinstance(denota.parse(query), SpaseqQuery)
    assert denota.parse(query) == denota.parse(query, language="spaseq")


def test_parse_errors_have_a_place():
    with pytest.raises(denota.QueryError) as caught:
        denota.parse("SELECT ?x WHERE", "spaseq", source="q.rq")
    assert str(caught.value).startswith("q.rq:1:11: ")


def test_languages_that_do_not_exist(query):
    with pytest.raises(denota.QueryError, match="no language 'sql'"):
        denota.parse(query, "sql")
    with pytest.raises(denota.QueryError, match="not a query: int"):
        denota.evaluate(3)


def test_oracle_and_engine_agree(query, streams):
    result = denota.evaluate(query, streams=streams)
    assert {pair.time for pair in result} == {20}
    assert len(result) == 2
    assert Counter(denota.run(query, streams=streams)) == Counter(result)
    assert denota.evaluate(denota.parse(query), streams) == result


def test_streams_may_be_iterators_pairs_and_paths(query, files, streams):
    whole = denota.evaluate(query, streams)
    paths = {U1: files / "u1.trig", URIRef(U2): str(files / "u2.trig")}
    assert denota.evaluate(query, paths) == whole
    found = list(denota.run(query, {iri: iter(s) for iri, s in streams.items()}))
    assert Counter(found) == Counter(whole)
    pairs = {}
    for iri, stream in streams.items():
        pairs[iri] = []
        for item in stream:
            graph = rdflib.Graph()
            for triple in item.graph:
                graph.add(triple)
            pairs[iri].append((item.time, graph))
    assert denota.evaluate(query, pairs) == whole


def test_run_is_lazy_over_streams_without_end():
    query = (
        "PREFIX : <http://example.org/> SELECT ?x WITHIN 10 FROM STREAM S :s "
        "WHERE { SEQ(A, B) DEFINE GPM A ON S { ?x :p 1 } DEFINE GPM B ON S { ?x :p 2 } }"
    )
    stream = (
        (n, {(e("a"), e("p"), Literal(n % 2 + 1))}) for n in count()
    )
    matches = denota.run(query, {"http://example.org/s": stream}, readings={"window": "match"})
    assert [next(matches).time for _ in range(3)] == [1, 3, 5]


def test_datetimes_may_be_datetimes():
    query = (
        "PREFIX : <http://example.org/> SELECT ?x WITHIN 10 SECONDS FROM STREAM S :s "
        "WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p 1 } }"
    )
    graph = {(e("a"), e("p"), Literal(1))}
    stream = [(datetime(1970, 1, 1, 0, 0, s, tzinfo=UTC), graph) for s in (1, 2)]
    for start in (datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC), "1970-01-01T00:00:02Z", 2_000_000):
        (pair,) = denota.evaluate(query, {"http://example.org/s": stream}, start=start)
        assert pair.time == 2_000_000


@pytest.mark.parametrize("form", ["graph", "triples", "text", "path"])
def test_background_graphs_in_every_form(form, tmp_path):
    query = (
        "PREFIX : <http://example.org/> SELECT ?c WITHIN 10 FROM STREAM S :s WHERE { SEQ(A) "
        "DEFINE GPM A ON S { ?x :p 1 GRAPH <http://example.org/k> { ?x :in ?c } } }"
    )
    triple = (e("a"), e("in"), Literal("01", datatype=rdflib.XSD.integer, normalize=False))
    datatype = "http://www.w3.org/2001/XMLSchema#integer"
    text = f'<http://example.org/a> <http://example.org/in> "01"^^<{datatype}> .'
    graph = rdflib.Graph().add(triple)
    path = tmp_path / "k.ttl"
    path.write_text(text, encoding="utf-8")
    kb = {"graph": graph, "triples": [triple], "text": text, "path": path}[form]
    result = denota.evaluate(
        query, {"http://example.org/s": [(1, {(e("a"), e("p"), Literal(1))})]},
        {"http://example.org/k": kb},
    )
    (pair,) = result
    (mu,) = pair.solutions
    assert mu[Variable("c")] == literal("01", str(rdflib.XSD.integer))


def test_readings_by_name_or_as_an_object(query, streams):
    named = denota.evaluate(query, streams, readings={"window": "match"})
    assert named == denota.evaluate(query, streams, readings=Readings(window="match"))
    assert {pair.window for pair in named} == {None}
    with pytest.raises(denota.ReadingError):
        denota.evaluate(query, streams, readings={"window": "round"})


def test_bad_items_are_clear_errors(query):
    for stream in ([3], [(1, 2)], [(1, [(1, 2, 3)])], [("noon", set())]):
        with pytest.raises(denota.DenotaError):
            denota.evaluate(query, {U1: stream})


def test_check_finds_what_is_missing_and_unexpected(query, streams):
    right = denota.evaluate(query, streams)
    report = denota.check(query, streams=streams, actual=right)
    assert report.ok
    assert report
    assert report.level == "pair"
    lost, *kept = sorted(right, key=repr)
    extra = Pair((10, 25), 21, lost.solutions)
    report = denota.check(query, streams=streams, actual=[*kept, extra])
    assert not report.ok
    assert report.missing == (lost,)
    assert report.unexpected == (extra,)


ROW = {"h": e("H1"), "w": e("W1")}


@pytest.mark.parametrize(
    "form",
    [
        lambda row: (20, row),
        lambda row: {"time": 20, "solution": row},
        lambda row: {"time": 20, "window": [10, 25], "solution": row},
        lambda row: (20, {Variable(name): term for name, term in row.items()}),
        lambda row: (20, SolutionMapping((Variable(n), t) for n, t in row.items())),
        lambda row: (20, {n: {"type": "uri", "value": str(t)} for n, t in row.items()}),
        lambda row: (20, {f"?{n}": f"<{t}>" for n, t in row.items()}),
    ],
)
def test_rows_are_checked_as_rows(query, streams, form):
    other = {**ROW, "h": e("H2")}
    report = denota.check(query, streams=streams, actual=[form(ROW), form(other)])
    assert report.ok
    assert report.level == "row"
    report = denota.check(query, streams=streams, actual=[form(ROW)])
    (missing,) = report.missing
    assert missing.time == 20
    assert missing.solution[Variable("h")] == e("H2")


def test_result_objects_are_checked_as_pairs(query, streams):
    written = [
        {"window": [10, 25], "time": 20,
         "solutions": [{n: {"type": "uri", "value": str(t)} for n, t in row.items()}]}
        for row in (ROW, {**ROW, "h": e("H2")})
    ]
    report = denota.check(query, streams=streams, actual=written)
    assert report.ok
    assert report.level == "pair"
    assert denota.check(query, streams=streams, actual=written, level="bag").ok
    assert not denota.check(query, streams=streams, actual=written * 2, level="bag").ok
    assert len(denota.check(query, streams=streams, actual=written * 2).duplicate) == 2


@pytest.mark.parametrize(
    "actual", [[3], ["x"], [{}], [{"time": 20}], [(20, 3)], [(20, {"h": "no term"})],
               [{"time": "x", "solution": {}}], [(20, {"h": object()})]],
)
def test_what_cannot_be_checked_is_a_clear_error(query, streams, actual):
    with pytest.raises(denota.DenotaError):
        denota.check(query, streams=streams, actual=actual)


def test_an_unknown_level_is_a_clear_error(query, streams):
    with pytest.raises(denota.DenotaError, match="no level 'positions'"):
        denota.check(query, streams=streams, level="positions")


def test_blank_nodes_are_checked_up_to_a_bijection():
    query = (
        "PREFIX : <http://example.org/> SELECT ?x WITHIN 10 FROM STREAM S :s "
        "WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p 1 } }"
    )
    triple = (BNode("n"), e("p"), literal("1", str(rdflib.XSD.integer)))
    streams = {
        "http://example.org/s": [TimestampedGraph(n, frozenset({triple})) for n in (1, 2)]
    }
    assert denota.check(query, streams, [(1, {"x": "_:q"}), (2, {"x": "_:q"})]).ok
    assert not denota.check(query, streams, [(1, {"x": "_:q"}), (2, {"x": "_:r"})]).ok


def test_rdf_type_needs_no_special_care():
    assert denota.check(
        "SELECT ?x WITHIN 10 FROM STREAM S <http://s> WHERE { SEQ(A) "
        "DEFINE GPM A ON S { ?x a <http://c> } }",
        {"http://s": [(1, {(e("a"), RDF.type, URIRef("http://c"))})]},
        [(1, {"x": e("a")})],
    ).ok


def test_public_names_are_there():
    for name in denota.__all__:
        assert getattr(denota, name) is not None
    with pytest.raises(AttributeError):
        denota.nothing  # noqa: B018
    from denota import strategies

    assert denota.strategies is strategies
    assert set(strategies.__all__) <= set(dir(strategies))


def test_what_is_no_iri_is_a_clear_error(query):
    for streams in ({"a b": []}, {"": []}, {"<http://e />": []}):
        with pytest.raises(denota.DenotaError, match="not an IRI"):
            denota.evaluate(query, streams)


SEQUENCE = """
SELECT ?x ?y FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE 10]
WHERE { WINDOW <urn:w> { SEQ({ ?x <urn:p> ?y }, { ?x <urn:q> ?y }) } }
"""
P, Q = [[(e("a"), URIRef(f"urn:{letter}"), e("b"))] for letter in "pq"]


@pytest.mark.parametrize(
    "items",
    [
        [((1, 2), P), ((3, 4), Q)],
        [(1, 2, P), (3, 4, Q)],
        [(("1", "2"), P), ((Literal(3), Literal(4)), Q)],
    ],
)
def test_items_over_intervals(items):
    found = denota.evaluate(SEQUENCE, streams={"urn:s": items}, at=[5])
    assert [(each.start, each.end) for each in found] == [(1, 4)]
    assert list(denota.run(SEQUENCE, streams={"urn:s": items}, at=[5])) == list(found)


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        ([(P, 1)], "a time is an integer, a datetime or its text, not"),
        ([(rdflib.Graph(), 1)], "a time is an integer, a datetime or its text, not"),
        ([(1.5, P)], "a time is an integer, a datetime or its text, not 1.5"),
        ([((1, "2026-01-01T00:00:00Z"), P)], "between integers or between dateTimes, not from 1"),
        ([((2, 1), P)], "ends before it starts"),
        ([(1,)], "an item of a stream is"),
        (None, "a stream is a file's name or its items, not None"),
    ],
)
@pytest.mark.parametrize("function", [denota.evaluate, denota.run])
def test_what_is_no_item_is_a_stream_error(function, stream, message):
    with pytest.raises(denota.StreamError, match=message):
        list(function(SEQUENCE, streams={"urn:s": stream}, at=[5]))


def test_a_digit_string_is_an_integer_time():
    text = SEQUENCE.replace("[RANGE 10]", "[RANGE 10m]")
    with pytest.raises(denota.DenotaError, match="integer"):
        denota.evaluate(text, streams={"urn:s": [("1", P)]}, at=[5])


@pytest.mark.parametrize("at", [10, "10", [10], ["10"]])
def test_one_time_needs_no_list(at):
    items = [(1, P), (10, Q)]
    for function in (denota.evaluate, denota.run):
        found = list(function(SEQUENCE, streams={"urn:s": items}, at=at))
        assert [(each.start, each.end) for each in found] == [(1, 10)]


@pytest.mark.parametrize("made", [dict, lambda **row: denota.semantics.model.tuples.EventTuple(
    row.pop("type"), {k: v for k, v in row.items() if k != "time"}, row.get("time")
)])
@pytest.mark.parametrize("names", ["S", "S, T"])
def test_a_match_of_an_iterator_does_not_wait_for_the_next_row(made, names):
    found = []

    def rows():
        for position in range(6):
            # What the row before completed has been found.
            assert len(found) == sum(1 for n in range(position) if n % 2)
            yield made(type="AB"[position % 2], time=position, x=position)

    streams = {"S": rows()} | ({"T": iter(())} if "T" in names else {})
    query = f"SELECT * FROM {names} WHERE A ; B WITHIN 2 EVENTS"
    for match in denota.run(query, streams):
        found.append(match)
    assert len(found) == 3
