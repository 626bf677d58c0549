"""`denota.run(...)` as an iterator, as tables, and as HTML."""

import sys
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import denota

NAMED = "PREFIX : <urn:> "
QUERIES = {
    "spaseq": NAMED + "SELECT ?x WITHIN 9s FROM STREAM S <urn:s>"
    " WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p ?y } }",
    "rsepql": NAMED + "SELECT ?x FROM NAMED WINDOW :w ON <urn:s> [RANGE 1s STEP 1s]"
    " WHERE { MATCH { EVENT :w { ?x :p ?y } } }",
    "cqels": NAMED + "SELECT ?x FROM NAMED WINDOW :w ON <urn:s> [RANGE 9s]"
    " WHERE { WINDOW :w { ?x :p ?y } }",
    "epsparql": NAMED + "SELECT ?x WHERE { ?x :p ?y }",
}
ROWS = [{"type": "AB"[n % 2], "x": n} for n in range(6)]
SEQUENCE = "SELECT * FROM S WHERE A ; B"


def stream(dated=True):
    items = []
    for n in range(30):
        time = f"2026-01-01T00:00:{n:02}Z" if dated else n * 1_000_000
        items.append((time, f"<urn:a{n}> <urn:p> {n} ."))
    return {"urn:s": items}


@pytest.mark.parametrize("language", QUERIES)
def test_every_language_has_tables(language):
    query = QUERIES[language]
    results = denota.run(query, stream(), language=language)
    assert isinstance(results, denota.Results)
    everything = list(denota.run(query, stream(), language=language))
    assert everything
    assert next(results) == everything[0]
    table = results.to_arrow()
    assert list(results) == []
    assert table is results.to_arrow()
    times = [field for field in table.schema if field.name in ("time", "at", "start", "end")]
    assert times
    assert all(field.type == pa.timestamp("us", tz="UTC") for field in times)
    assert table["result"].to_pylist()[0] == 1
    whole = denota.run(query, stream(), language=language).to_arrow()
    assert whole.slice(1).equals(table)
    assert whole["x_text"].to_pylist()[:2] == ["urn:a0", "urn:a1"]
    batches = list(denota.batches(query, stream(), language=language))
    assert pa.Table.from_batches(batches).equals(whole)
    [few] = denota.batches(query, stream(), language=language, limit=2)
    assert set(few["result"].to_pylist()) == {0, 1}


def test_integers_stay_integers():
    query = QUERIES["epsparql"]
    results = denota.run(query, stream(dated=False), language="epsparql")
    assert repr(results) == "<Results of the EP-SPARQL query: 0 taken>"
    table = results.to_arrow()
    assert table.schema.field("start").type == pa.int64()
    assert table["start"].to_pylist()[:2] == [0, 1_000_000]
    assert denota.run(query, {"urn:s": []}, language="epsparql").to_arrow().num_rows == 0


@pytest.mark.parametrize("made", [list, iter, pa.Table.from_pylist])
def test_matched_tuples(made):
    results = denota.run(SEQUENCE, {"S": made(ROWS)})
    table = results.to_arrow()
    found = list(denota.run(SEQUENCE, {"S": ROWS}))
    assert table.to_pylist() == [
        {"result": number, "start": each.start, "end": each.end, "position": at, **ROWS[at]}
        for number, each in enumerate(found) for at in each.positions
    ]
    assert list(results) == []


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_timestamps_of_matched_tuples_stay_timestamps(unit):
    times = [datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC) for second in range(6)]
    table = pa.Table.from_pylist(ROWS)
    dated = table.append_column("time", pa.array(times, pa.timestamp(unit, tz="UTC")))
    for given in (dated, dated.to_reader()):
        assert denota.run(SEQUENCE, {"S": given}).to_arrow()["time"].to_pylist()[:2] == times[:2]
    both = denota.run(SEQUENCE.replace("FROM S", "FROM S, T"), {"S": dated, "T": dated[:0]})
    assert both.to_arrow()["time"].to_pylist()[:2] == times[:2]
    numbered = table.append_column("time", pa.array(range(6)))
    assert denota.run(SEQUENCE, {"S": numbered}).to_arrow()["time"].to_pylist()[:2] == [0, 1]


def test_matched_tuples_with_variables():
    query = "SELECT * FROM S WHERE A AS a ; B"
    table = denota.run(query, {"S": ROWS[:2]}, readings={"output": "valuation"}).to_arrow()
    assert table["variables"].to_pylist() == [["A", "a"], ["B"]]


def test_matched_tuples_of_several_streams():
    streams = {"S": ROWS[:1], "T": iter([{"type": "B", "position": "y"}])}
    table = denota.run("SELECT * FROM S, T WHERE A ; B", streams).to_arrow()
    assert table.to_pylist() == [
        {"result": 0, "start": 0, "end": 1, "position": at, "type": "AB"[at], "stream": "ST"[at],
         "x": (0, None)[at], "position_": (None, "y")[at]}
        for at in range(2)
    ]
    streams["T"] = [{"type": "B", "x": "y"}]
    with pytest.raises(denota.DenotaError, match="do not fit into one table"):
        denota.run("SELECT * FROM S, T WHERE A ; B", streams).to_arrow()


def test_times_of_tuples():
    rows = [{"type": "A", "time": "2026-01-01T00:00:01.5Z"}, {"type": "A", "time": None}]
    table = denota.run("SELECT * FROM S WHERE A", {"S": rows[:1]}).to_arrow()
    assert table["time"].to_pylist() == [datetime(2026, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)]
    rows = [{"type": "A", "time": 7}]
    table = denota.run("SELECT * FROM S WHERE A", {"S": rows}).to_arrow()
    assert table["time"].to_pylist() == [7]


def test_what_is_read_once_gives_its_tuples_before_the_first_result():
    results = denota.run(SEQUENCE, {"S": iter(ROWS)})
    next(results)
    with pytest.raises(denota.DenotaError, match="the streams can be read only once"):
        results.to_arrow()
    results = denota.run(SEQUENCE, {"S": ROWS})
    next(results)
    assert results.to_arrow()["result"].to_pylist()[:2] == [1, 1]


def test_data_frames(monkeypatch):
    pandas = pytest.importorskip("pandas")
    frame = denota.run(QUERIES["epsparql"], stream(), language="epsparql").to_pandas()
    assert frame["start"][1] == pandas.Timestamp("2026-01-01T00:00:01Z")
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(denota.DenotaError, match=f"to_{name}.. requires {name}"):
            getattr(denota.run(SEQUENCE, {"S": ROWS}), f"to_{name}")()


def test_polars():
    pytest.importorskip("polars")
    frame = denota.run(SEQUENCE, {"S": ROWS}).to_polars()
    assert frame["position"].to_list()[:2] == [0, 1]


def test_html_shows_the_first_rows_and_takes_none():
    query = QUERIES["epsparql"]
    results = denota.run(query, stream(), language="epsparql")
    shown = results._repr_html_()
    assert shown.count("<tr>") == 1 + 20 + 1
    assert "<td>2026-01-01T00:00:19Z</td><td>2026-01-01T00:00:19Z</td><td>:a19</td>" in shown
    assert "<td>…</td>" in shown
    assert len(list(results)) == 30
    assert results._repr_html_() == shown
    endless = ({"type": "A", "x": "<b>"} for _ in iter(int, 1))
    shown = denota.run("SELECT * FROM S WHERE A AS a", {"S": endless})._repr_html_()
    assert shown.count("<tr>") == 22
    few = denota.run(SEQUENCE, {"S": ROWS[:2]})._repr_html_()
    assert "<td>0</td><td>1</td><td>0 1</td>" in few
    assert "…" not in few


def test_html_is_escaped():
    items = [(1, '<urn:a> <urn:p> "<b>&\\u001b" .')]
    query = "SELECT ?y WHERE { ?x <urn:p> ?y }"
    shown = denota.run(query, {"urn:s": items}, language="epsparql")._repr_html_()
    assert "<td>&lt;b&gt;&amp;\\u001b</td>" in shown
