"""The engine item by item: when solutions come, and what is remembered."""

from __future__ import annotations

from itertools import islice

import pytest
from rdflib.term import URIRef

from denota.engine.epsparql import EpsparqlEngine, run
from denota.engine.epsparql.basic_graph_patterns import Block
from denota.engine.tuning import capacities
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.model.errors import DenotaError, QueryError, StreamError
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import literal
from denota.semantics.streams.merging import interval_items
from denota.semantics.streams.rdf.graphs import parse_graph

STREAM = URIRef("http://example.org/s")
PREFIXES = {"": "http://example.org/", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
PREFIX = "PREFIX : <http://example.org/>\n"


def item(time, text):
    graph = TimestampedGraph(time, parse_graph(text, PREFIXES))
    return next(interval_items([graph], STREAM))


def engine(text, kb="", **readings):
    graphs = {URIRef("http://example.org/kb"): parse_graph(kb, PREFIXES)} if kb else {}
    return EpsparqlEngine(parse(PREFIX + text), graphs, Readings.of(readings))


def intervals(solutions):
    return [each.interval for each in solutions]


def test_a_sequence_comes_with_its_last_item():
    running = engine("SELECT * WHERE { ?x :p ?y } SEQ { ?x :q ?z }")
    assert running.feed(item(1, ":a :p :b .")) == []
    assert intervals(running.feed(item(3, ":a :q :c ."))) == [(1, 3)]
    assert running.finish() == []


def test_an_optional_sequence_comes_with_its_last_item():
    running = engine("SELECT * WHERE { ?x :p ?y } OPTIONALSEQ { ?x :q ?z }")
    assert intervals(running.feed(item(1, ":a :q :c ."))) == [(1, 1)]
    running.feed(item(2, ":a :p :b ."))
    assert intervals(running.feed(item(3, ":a :q :c ."))) == [(2, 3)]


def test_what_is_simultaneous_waits_for_the_instant_to_pass():
    running = engine("SELECT * WHERE { ?x :p ?y } EQUALSOPTIONAL { ?x :q ?z }")
    assert running.feed(item(1, ":a :p :b .")) == []
    assert running.feed(item(1, ":a :q :c .")) == []
    (found,) = running.feed(item(2, ":d :p :e ."))
    assert len(found.mapping) == 3
    assert intervals(running.finish()) == [(2, 2)]


def test_optional_returns_what_is_joined_at_once_and_the_rest_at_the_end():
    running = engine("SELECT * WHERE { ?x :p ?y OPTIONAL { ?x :q ?z } }")
    assert running.feed(item(1, ":a :p :b . :d :p :b .")) == []
    assert intervals(running.feed(item(4, ":a :q :c ."))) == [(1, 4)]
    assert intervals(running.finish()) == [(1, 1)]


@pytest.mark.parametrize(
    "where",
    [
        "{ ?x :p ?y MINUS { ?x :q ?z } }",
        "{ ?x :p ?y FILTER NOT EXISTS { ?x :q ?z } }",
        "{ SELECT (COUNT(*) AS ?n) WHERE { ?x :p ?y } }",
        "{ SELECT * WHERE { ?x :p ?y } LIMIT 1 }",
    ],
)
def test_what_needs_all_of_the_stream_comes_at_its_end(where):
    running = engine(f"SELECT * WHERE {where}")
    assert running.feed(item(1, ":a :p :b .")) == []
    assert running.feed(item(2, ":c :q :b .")) == []
    assert intervals(running.finish()) == [(1, 1)]


def test_rules_are_applied_at_once():
    running = engine(
        "CONSTRUCT { ?x :r ?z } WHERE { ?x :r ?y } SEQ { ?y :p ?z }\n"
        "CONSTRUCT { ?x :r ?y } WHERE { ?x :p ?y }\n"
        "SELECT ?y WHERE { :a :r ?y }"
    )
    assert intervals(running.feed(item(1, ":a :p :b ."))) == [(1, 1)]
    assert intervals(running.feed(item(2, ":b :p :c ."))) == [(1, 2)]
    assert intervals(running.feed(item(3, ":c :p :d ."))) == [(1, 3)]


def test_ask_is_answered_as_soon_as_there_is_a_solution():
    def endless():
        for time in range(10**9):
            yield TimestampedGraph(time, parse_graph("<urn:a> <urn:p> <urn:b> ."))

    query = parse("ASK { ?x <urn:p> ?y } SEQ { ?y2 <urn:p> ?z }")
    assert list(run(query, {STREAM: endless()})) == [True]
    query = parse("ASK { ?x <urn:q> ?y }")
    assert list(run(query, {STREAM: islice(endless(), 3)})) == [False]
    assert list(run(query, {STREAM: ()})) == [False]


def test_descriptions_come_with_what_they_say_or_with_their_resource():
    running = engine("DESCRIBE ?x WHERE { ?x <urn:q> ?y }")
    assert running.feed(item(1, "<urn:a> <urn:p> 1 .")) == []
    found = running.feed(item(2, "<urn:a> <urn:q> 2 . <urn:b> <urn:p> 3 ."))
    assert sorted(each.interval for each in found) == [(1, 1), (2, 2)]
    assert intervals(running.feed(item(3, "<urn:a> <urn:p> 4 ."))) == [(3, 3)]
    assert running.finish() == []


def test_an_unbounded_stream_is_read_as_far_as_it_is_asked():
    def forever():
        time = 0
        while True:
            time += 1
            yield TimestampedGraph(time, parse_graph(":a :p :b .", PREFIXES))

    query = parse(PREFIX + "SELECT * WHERE { ?x :p ?y }")
    found = list(islice(run(query, {STREAM: forever()}), 5))
    assert intervals(found) == [(t, t) for t in range(1, 6)]


def prices(count):
    price = URIRef("http://example.org/price")
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    for t in range(count):
        company = URIRef(f"http://example.org/c{t % 7}")
        value = literal(str(t * 7919 % 10007), integer)
        yield TimestampedGraph(t, frozenset({(company, price, value)}))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?c WHERE { ?c :price ?p } SEQ { ?c :price ?q } SEQ { ?c :price ?r }"
        " FILTER (?q < ?p && ?r > ?q && getDURATION() < 40)",
        "SELECT ?c WHERE { ?c :price ?p . ?c :price ?q FILTER (?q < ?p && getDURATION() <= 20) }",
        "SELECT ?c WHERE { { ?c :price ?p } { ?d :price ?p } FILTER (getDURATION() < 20) }",
        "SELECT ?c WHERE { ?c :price ?p } EQUALSOPTIONAL { ?d :price ?p }",
        "SELECT DISTINCT ?c WHERE { ?c :price ?p }",
        "CONSTRUCT { ?c :fell _:x } WHERE { ?c :price ?p } SEQ { ?c :price ?q }"
        " FILTER (?q < ?p && getDURATION() < 10)\n SELECT * WHERE { ?c :fell ?x }",
    ],
)
def test_memory_is_bounded_where_the_duration_is(text):
    running = EpsparqlEngine(parse(PREFIX + text))
    most = 0
    for each in interval_items(prices(3_000), STREAM):
        running.feed(each)
        most = max(most, running.statistics().rows)
    assert 0 <= most < 1_200
    # What was decided long ago leaves no trace of its terms behind, but for a sweep's threshold.
    assert running.statistics().terms < 20_000


def test_without_a_bound_memory_grows_with_the_stream():
    running = EpsparqlEngine(parse(
        PREFIX + "SELECT ?c WHERE { ?c :price ?p } SEQ { ?c :price 1 }"
    ))
    for each in interval_items(prices(2_000), STREAM):
        running.feed(each)
    assert running.statistics().rows >= 2_000


@pytest.mark.parametrize(
    ("end", "policy", "count", "least", "terms"),
    [
        (" FILTER (?q < ?p && getDURATION() < 10)", "unrestricted", 2_000, 500, 1_200),
        ("", "recent", 300, 0, 150),
    ],
)
def test_terms_are_forgotten(end, policy, count, least, terms):
    query = parse(PREFIX + "SELECT ?p WHERE { ?c :price ?p } SEQ { ?c :price ?q }" + end)
    readings = Readings(policy=policy)
    with capacities(terms=64):
        running = EpsparqlEngine(query, {}, readings)
        found = sum(len(running.feed(each)) for each in interval_items(prices(count), STREAM))
        found += len(running.finish())
        assert running.statistics().terms < terms
    assert found == len(list(run(query, {STREAM: prices(count)}, {}, readings))) > least


def test_the_choices_of_equal_patterns_do_not_multiply(monkeypatch):
    looked_at = []
    bound = Block._bound
    monkeypatch.setattr(Block, "_bound", lambda *given: looked_at.append(1) or bound(*given))
    query = parse(f"SELECT ?x WHERE {{ {' . '.join(['?x ?r ?y'] * 5)} }}")
    stream = [TimestampedGraph(t, parse_graph("<urn:a> <urn:p> <urn:b> .")) for t in range(6)]
    assert len(list(run(query, {STREAM: stream}))) == 21  # one from each item to each later one
    assert 0 < len(looked_at) < 2_000


def test_the_schema_is_closed_once(monkeypatch):
    from denota.engine.rdf.data import dictionary

    closures = []
    original = dictionary.entailed_triples

    def counted(*arguments):
        closures.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(dictionary, "entailed_triples", counted)
    running = engine(
        "SELECT ?x WHERE { ?x a :Plant }",
        kb=":Oak rdfs:subClassOf :Tree . :Tree rdfs:subClassOf :Plant .",
    )
    for t in range(1, 30):
        assert intervals(running.feed(item(t, ":o a :Oak ."))) == [(t, t)]
    assert len(closures) == 2  # what matches everywhere, and the graph that GRAPH can name


def test_errors():
    query = parse(PREFIX + "SELECT * WHERE { ?x :p ?y } FILTER (getDURATION() < 2 DAYS)")
    with pytest.raises(QueryError, match="integers"):
        list(run(query, {STREAM: [TimestampedGraph(1, frozenset())]}))
    with pytest.raises(QueryError, match="FROM STREAM"):
        list(run(query, {STREAM: [], URIRef("urn:t"): []}))
    plain = parse(PREFIX + "SELECT * WHERE { ?x :p ?y }")
    late = [TimestampedGraph(2, frozenset()), TimestampedGraph(1, frozenset())]
    with pytest.raises(StreamError):
        list(run(plain, {STREAM: late}))
    endless = parse(PREFIX + "CONSTRUCT { ?y :p _:m } WHERE { ?x :p ?y }")
    stream = [TimestampedGraph(3, parse_graph(":a :p :b .", PREFIXES))]
    with pytest.raises(DenotaError, match="grows without bound at 3"):
        list(run(endless, {STREAM: stream}))
