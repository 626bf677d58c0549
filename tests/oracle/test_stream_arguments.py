"""Streams in Python: their names, their forms, and errors for what the query does not name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from rdflib.term import URIRef

import denota

QUERY = """PREFIX : <http://example.org/>
SELECT ?x ?y WITHIN 100 FROM STREAM In :in FROM STREAM Out <http://example.org/out>
WHERE { SEQ(A ; B) DEFINE GPM A ON In { ?x :p 1 } DEFINE GPM B ON Out { ?y :p 2 } }"""
FIRST = [(1, "@prefix : <http://example.org/> . :a :p 1 .")]
SECOND = [(2, "@prefix : <http://example.org/> . :b :p 2 .")]
CEQL = "SELECT * FROM Trades WHERE SELL ; BUY FILTER SELL[price > 10]"
ROWS = [{"type": "SELL", "price": 11}, {"type": "BUY", "price": 3}]



def pushed(query: str, streams: dict[str, Any]) -> list[Any]:
    running = denota.stream(query, streams)
    found = [
        result for name, items in streams.items() for item in items
        for result in running.push(name, item)
    ]
    return found + running.finish()


RESULTS: list[Callable[..., Any]] = [
    lambda *inputs: list(denota.run(*inputs)),
    denota.evaluate,
    lambda query, streams: denota.check(query, streams, []).missing,
    pushed,
    denota.explain,
    lambda query, streams: list(range(denota.count(query, streams))),
]


@pytest.mark.parametrize("results", RESULTS)
@pytest.mark.parametrize(("first", "second"), [
    ("In", "Out"), (":in", "<http://example.org/out>"), ("http://example.org/in", URIRef("http://example.org/out")),
])
def test_a_stream_has_its_name_in_the_query_or_its_iri(
    first: str, second: str, results: Callable[..., Any]
) -> None:
    assert len(results(QUERY, {first: FIRST, second: SECOND})) == 1


@pytest.mark.parametrize("results", RESULTS)
@pytest.mark.parametrize(("streams", "message"), [
    ({"In": FIRST}, "no input for the query's stream 'Out' (<http://example.org/out>)"),
    ({}, "no input for the query's stream 'In' (<http://example.org/in>)"),
    ({"In": FIRST, "Out": SECOND, "Ot": FIRST}, "no stream 'Ot', did you mean 'Out'?"),
    ({"In": FIRST, ":oui": SECOND}, "the query names no stream ':oui'"),
    ({"in": FIRST, "Out": SECOND}, "the query names no stream 'in', did you mean 'In'?"),
])
def test_streams_and_query_name_the_same(
    streams: dict[str, Any], message: str, results: Callable[..., Any]
) -> None:
    with pytest.raises(denota.StreamError) as raised:
        results(QUERY, streams)
    assert message in str(raised.value)


@pytest.mark.parametrize(("item", "message"), [
    (("2026-13-01", "<a:s> <a:p> <a:o> ."), "'2026-13-01' is not an xsd:dateTime"),
    (("2026-01-01T00:00:00Z", "a"), "<graph>:1:1: a is"),
])
def test_an_item_that_cannot_be_read_is_told_with_its_position(
    item: Any, message: str
) -> None:
    with pytest.raises(denota.StreamError, match=rf"^stream In: item 1: {message}"):
        denota.run(QUERY, {"In": [*FIRST, item], "Out": SECOND})


def test_a_stream_is_given_once() -> None:
    with pytest.raises(denota.StreamError, match="the stream 'In' is given twice"):
        denota.run(QUERY, {"In": FIRST, ":in": FIRST, ":out": SECOND})


def test_a_parsed_query_on_iris_is_taken_as_it_is() -> None:
    streams = {URIRef("http://example.org/in"): FIRST, URIRef("http://example.org/other"): SECOND}
    assert list(denota.run(denota.parse(QUERY), streams)) == []
    with pytest.raises(denota.StreamError, match="names no stream"):
        denota.run(denota.parse(QUERY), {str(name): each for name, each in streams.items()})


def test_a_pushed_stream_has_its_name() -> None:
    running = denota.stream(QUERY)
    running.push("In", FIRST[0])
    assert len(running.push(":out", SECOND[0]) + running.finish()) == 1
    with pytest.raises(denota.DenotaError, match="unknown stream 'Inn'"):
        denota.stream(QUERY).push("Inn", FIRST[0])


def frames() -> list[Any]:
    table = pa.Table.from_pylist(ROWS)
    found: list[Any] = [ROWS, iter(ROWS), table, table.to_reader()]
    try:
        import pandas
    except ModuleNotFoundError:
        pass
    else:
        found.append(pandas.DataFrame(ROWS, index=[7, 9]))
    try:
        import polars
    except ModuleNotFoundError:
        pass
    else:
        found.extend([polars.DataFrame(ROWS), polars.LazyFrame(ROWS)])
    return found


@pytest.mark.parametrize("stream", frames(), ids=lambda each: type(each).__module__)
def test_tuples_come_in_rows_tables_and_data_frames(stream: Any) -> None:
    [match] = denota.run(CEQL, {"Trades": stream})
    assert match.positions == (0, 1)


@pytest.mark.parametrize("form", ["table", "reader", "pandas"])
def test_quads_come_in_tables_and_data_frames(form: str) -> None:
    example, time = "http://example.org/", '"{}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    rows = [
        {"subject": f"<{example}g{at}>", "object": time.format(at), "graph": None,
         "predicate": "<http://www.w3.org/ns/prov#generatedAtTime>"}
        for at in (1, 2)
    ] + [
        {"subject": f"<{example}x{at}>", "predicate": f"<{example}p>", "object": f"<{example}y>",
         "graph": f"<{example}g{at}>"}
        for at in (1, 2)
    ]
    table = pa.Table.from_pylist([rows[0], rows[2], rows[1], rows[3]])
    stream = {
        "table": lambda: table, "reader": table.to_reader,
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(table.to_pandas()),
    }[form]()
    query = f"SELECT ?x FROM STREAM <{example}s> WHERE {{ ?x <{example}p> ?y }}"
    assert len(list(denota.run(query, {f"{example}s": stream}))) == 2
    with pytest.raises(denota.StreamError, match="this one has no predicate"):
        list(denota.run(query, {f"{example}s": table.drop_columns("predicate")}))


LANGUAGES = {
    "spaseq": "SELECT ?x WITHIN 5 FROM STREAM Power <urn:power> "
              "WHERE { SEQ(A) DEFINE GPM A ON Power { ?y <urn:p> ?x } }",
    "rsepql": "SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:power> [RANGE 5 STEP 1] "
              "WHERE { WINDOW <urn:w> { ?y <urn:p> ?x } }",
    "cqels": "SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:power> [RANGE 5] "
             "WHERE { WINDOW <urn:w> { ?y <urn:p> ?x } }",
    "epsparql": "SELECT ?x FROM STREAM <urn:power> WHERE { ?y <urn:p> ?x }",
    "ceql": "SELECT * FROM power WHERE SELL",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("results", RESULTS[:4])
def test_every_language_refuses_unknown_and_missing_streams(
    language: str, results: Callable[..., Any]
) -> None:
    query = denota.parse(LANGUAGES[language], language)
    name, other = ("power", "powre") if language == "ceql" else ("urn:power", "urn:powre")
    items = ROWS if language == "ceql" else FIRST
    results(query, {name: items})
    with pytest.raises(denota.StreamError, match=f"no stream '{other}', did you mean '{name}'"):
        results(query, {other: items})
    with pytest.raises(denota.StreamError, match="the query names no stream 'else'"):
        results(query, {name: items, "else": items})
    with pytest.raises(denota.StreamError, match="no input for the query's stream"):
        results(query, {})


NAMED: list[Callable[..., Any]] = [
    *RESULTS[:4], RESULTS[5],
    lambda *inputs: denota.sample(*inputs, size=1),
    lambda *inputs: [row for batch in denota.batches(*inputs) for row in range(len(batch))],
]


@pytest.mark.parametrize("form", [list, iter])
@pytest.mark.parametrize("results", NAMED)
@pytest.mark.parametrize(("query", "message"), [
    ("SEL ; BUY", "1:28: event type 'SEL' does not occur in the input, did you mean 'SELL'?"),
    ("SELL ; BUY FILTER SELL[prize > 9]",
     "1:51: attribute 'prize' does not occur in the input, did you mean 'price'?"),
    ("SELL ; BUY PARTITION BY [prize]",
     "attribute 'prize' does not occur in the input, did you mean 'price'"),
    ("SELL ; REFUND", None),
    ("SELL ; BUY FILTER SELL[colour = 9]", None),
    ("SELL ; BUY FILTER SELL[prize > 9 OR price > 11]", None),
    ("SELL ; BUY FILTER BUY[price > 3]", None),
    ("SELL ; SALL ; BUY", None),
])
def test_a_name_that_no_tuple_has_but_a_similar_one_is_an_error(
    query: str, message: str | None, results: Callable[..., Any], form: Callable[..., Any]
) -> None:
    text = f"SELECT * FROM Trades WHERE {query}"
    if message is None:
        assert len(results(text, {"Trades": form(ROWS)})) == 0
    else:
        with pytest.raises(denota.QueryError) as raised:
            results(text, {"Trades": form(ROWS)})
        assert message in str(raised.value)


def test_a_query_with_results_may_name_what_no_tuple_has() -> None:
    query = "SELECT * FROM Trades WHERE SELL OR SELM"
    for results in NAMED:
        assert len(results(query, {"Trades": ROWS})) == 1


def test_a_query_that_goes_on_from_a_checkpoint_does_not_know_all_tuples() -> None:
    query = "SELECT * FROM Trades WHERE SELL ; SELL"
    running = denota.stream(query)
    running.push("Trades", ROWS[0])
    again = denota.restore(running.state(), query)
    again.push("Trades", {"type": "SEL", "price": 1})
    assert again.finish() == []
