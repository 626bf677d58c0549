"""Live runs: a child is told one thing, and must answer before it is told the next.

Nothing here is timed.
"""

import json

import pytest

from denota.oracle.cli.run import input_streams
from denota.semantics.model.tuples import EventTuple
from denota.semantics.streams.live.watermarks import LateItems

from .children import (
    CQELS,
    EPSPARQL,
    EQUALS,
    ONE_STREAM,
    PREFIXES,
    RSEPQL,
    SPASEQ,
    Child,
    heartbeat,
    nquads,
    trig,
)


def test_ceql_answers_line_by_line(tmp_path):
    query = "SELECT * FROM S WHERE A : B"
    with Child(tmp_path, query, "--stream", "S=-") as child:
        child.tell("type,x\nA,1\n")
        for position in range(1, 5):
            child.tell(f"{'B' if position % 2 else 'A'},2\n")
            if position % 2:
                assert child.match()["positions"] == [position - 1, position]
        assert child.interrupted() == (130, "", "")


def test_ceql_answers_line_by_line_in_json_and_csv(tmp_path):
    query = "SELECT * FROM S WHERE A ; B FILTER B[x > 1.5]"
    options = ("--stream", "S=-", "--stream-format", "jsonl", "--format", "csv")
    with Child(tmp_path, query, *options) as child:
        child.tell('{"type": "A", "x": 1}\n{"type": "B", "x": 1}\n')
        assert child.line() == "start,end,positions\n"
        child.tell('{"type": "B", "x": 2.5}\n')  # a double after ints
        assert child.line() == "0,2,0 2\n"
        child.tell('{"type": "B", "x": 3}\n')
        assert child.line() == "0,3,0 3\n"
        assert child.ended() == (0, "", "")


def test_types_of_csv_are_told_by_the_first_values_and_widen(tmp_path):
    query = "SELECT * FROM S WHERE B FILTER B[x > 1.5 AND y > 5]"
    with Child(tmp_path, query, "--stream", "S=-") as child:
        child.tell("type,x,y\nA,1,\n")
        child.tell("B,2,6\n")
        assert child.match()["positions"] == [1]
        child.tell("B,2.5,7\n")
        assert child.match()["positions"] == [2]
        child.tell("B,1.25,8\nB,3,8\n")
        assert child.match()["positions"] == [4]


def test_ceql_merges_live_streams_by_arrival_time(tmp_path):
    query = "SELECT * FROM S, T WHERE S>A ; T>A WITHIN 100 SECONDS"
    options = ("--stream", "S=s.csv", "--stream", "T=t.jsonl")
    with Child(tmp_path, query, *options, pipes=("s.csv", "t.jsonl")) as child:
        child.tell("type,time\nA,1\n", "s.csv")
        child.tell('{"type": "A", "time": 3}\n', "t.jsonl")
        child.tell("@heartbeat,5\n", "s.csv")  # nothing before 5 comes on S any more
        assert child.match()["positions"] == [0, 1]
        child.tell('{"type": "A", "time": 4}\n', "t.jsonl")
        assert child.match()["positions"] == [0, 2]
        child.tell('{"type": "@heartbeat", "time": 9}\n', "t.jsonl")
        child.tell("A,6\n", "s.csv")
        child.tell('{"type": "A", "time": 9}\n', "t.jsonl")
        code, out, err = child.ended()
        found = [json.loads(line)["positions"] for line in out.splitlines()]
        assert (code, sorted(found), err) == (0, [[0, 4], [3, 4]], "")


@pytest.mark.parametrize(
    "query, passes",
    [(ONE_STREAM, False), (EPSPARQL, False), (RSEPQL, True), (CQELS, True)],
    ids=["SPAseq", "EP-SPARQL", "RSEP-QL", "CQELS-CEP"],
)
def test_an_item_whose_end_can_be_told_is_processed(tmp_path, query, passes):
    """In TriG by its brace; where an instant must pass, a heartbeat says that it has."""
    with Child(tmp_path, query, "--stream", ":s=-") as child:
        child.tell(PREFIXES + trig(1, 1) + trig(2, 2))
        if passes:
            child.tell("[] <urn:denota:heartbeat> 3 .\n")
        assert "x2" in child.line()
        child.tell(trig(3, 2))
        if passes:
            child.tell("[] <urn:denota:heartbeat> 4 .\n")
        assert "x3" in child.line()
        code, _out, err = child.interrupted()
        assert (code, err) == (130, "")


def test_what_waits_for_its_instant_leaves_with_a_heartbeat(tmp_path):
    with Child(tmp_path, EQUALS, "--stream", ":s=-") as child:
        child.tell(PREFIXES + trig(1, 1) + "[] <urn:denota:heartbeat> 2 .\n")
        assert child.match()["interval"] == [1, 1]


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_a_policy_detects_when_the_instant_is_over(tmp_path, policy):
    options = ("--stream", ":s=-", "--reading", f"policy={policy}")
    with Child(tmp_path, EPSPARQL, *options) as child:
        child.tell(PREFIXES + trig(1, 1) + trig(2, 2) + "[] <urn:denota:heartbeat> 3 .\n")
        assert child.match()["interval"] == [1, 2]


def test_nquads_end_with_their_time_with_another_graph_or_with_a_heartbeat(tmp_path):
    options = ("--stream", ":s=-", "--stream-format", "nquads")
    with Child(tmp_path, ONE_STREAM, *options) as child:
        child.tell(nquads(1, 1) + nquads(2, 2))
        assert child.match()["time"] == 2
        child.tell(nquads(3, 2, time_first=True) + nquads(4, 1, time_first=True))
        assert child.match()["time"] == 3
        child.tell(nquads(5, 2, time_first=True) + heartbeat(6))
        assert [child.match()["time"] for _ in range(2)] == [5, 5]


def test_json_ld_ends_with_its_brace(tmp_path):
    options = ("--stream", ":s=-", "--stream-format", "jsonld")
    item = (
        '{{"@id": "x:g{0}", "http://www.w3.org/ns/prov#generatedAtTime": {0}, "@graph":'
        ' [{{"@id": "x:x{0}", "http://example.org/p": {1}}}]}}'
    )
    with Child(tmp_path, ONE_STREAM, *options) as child:
        child.tell("[" + item.format(1, 1) + "\n")
        child.tell("," + item.format(2, 2) + "\n")
        assert child.match()["time"] == 2


def test_silence_completes_an_item_and_lets_others_go_on(tmp_path):
    """S has said 1 and then nothing: with --idle-timeout T goes on without it."""
    options = ("--stream", ":s=s.nq", "--stream", ":t=t.nq", "--idle-timeout", "0.05")
    with Child(tmp_path, SPASEQ, *options, pipes=("s.nq", "t.nq")) as child:
        child.tell(nquads(1, 1, time_first=True), "s.nq")
        child.tell(nquads(2, 2, time_first=True), "t.nq")
        assert child.match()["time"] == 2
        child.tell(nquads(4, 2, time_first=True), "t.nq")
        assert child.match()["time"] == 4
        child.tell(nquads(3, 1), "s.nq")  # it speaks again, of a time that is over
        code, out, err = child.ended()
        assert (code, out) == (0, "")
        assert err == (
            "denota run: dropped 1 late item of <http://example.org/s>"
            " (at 3, s.nq:3)\n"
        )


def test_silence_ends_the_instant(tmp_path):
    options = ("--stream", ":s=-", "--stream-format", "nquads", "--idle-timeout", "0.05")
    with Child(tmp_path, RSEPQL, *options) as child:
        child.tell(nquads(1, 1) + nquads(2, 2))
        assert child.match()["at"] == 2


def test_a_stream_that_is_behind_holds_up_only_what_comes_after_it(tmp_path):
    options = ("--stream", ":s=s.trig", "--stream", ":t=t.trig")
    with Child(tmp_path, SPASEQ, *options, pipes=("s.trig", "t.trig")) as child:
        child.tell(PREFIXES + trig(1, 1), "s.trig")
        child.tell(PREFIXES + trig(2, 2), "t.trig")
        child.tell(trig(5, 1), "s.trig")
        assert child.match()["time"] == 2
        child.tell(trig(4, 2), "t.trig")
        assert child.match()["time"] == 4  # S is at 5, so nothing of it comes before


def test_reorder_puts_in_order_and_counts_what_is_late(tmp_path):
    options = ("--stream", ":s=-", "--max-out-of-orderness", "2", "--format", "csv")
    with Child(tmp_path, ONE_STREAM, *options) as child:
        child.tell(PREFIXES + trig(3, 2) + trig(2, 1) + trig(6, 1))
        assert child.line() == "window_start,window_end,time,x,y\n"
        assert child.line() == "2,102,3,http://example.org/x2,http://example.org/x3\n"
        child.tell(trig(1, 1) + trig(9, 2))
        child.process.stdin.close()
        child.process.stdin = None
        code, out, err = child.ended()
        assert code == 0
        assert sorted(line.split(",")[3][-1] for line in out.splitlines()) == ["2", "6"]
        assert err == (
            "denota run: dropped 1 late item of <http://example.org/s>"
            " (at 1, <stdin>:6)\n"
        )


def test_reorder_of_files_at_rest_and_of_tuples(tmp_path):
    (tmp_path / "s.csv").write_text("type,time\nB,3\nA,2\nB,9\nA,1\n", encoding="utf-8")
    query = "SELECT * FROM S WHERE A ; B"
    with Child(tmp_path, query, "--stream", "S=s.csv", "--max-out-of-orderness", "2") as child:
        code, out, err = child.ended()
        assert [json.loads(line)["positions"] for line in out.splitlines()] == [[0, 1], [0, 2]]
        late = "dropped 1 late item of <S> (A, s.csv, tuple 3)"
        assert (code, err) == (0, f"denota run: {late}\n")


def test_a_full_buffer_lets_the_earliest_go(tmp_path):
    """10 is not yet certain, but a third item has no room: 10 leaves, and 9 is late."""
    rows = "A,10\nB,12\nB,11\nA,9\nA,8\n@heartbeat,50\n"
    (tmp_path / "s.csv").write_text(f"type,time\n{rows}", encoding="utf-8")
    query = "SELECT * FROM S WHERE A ; B"
    options = ("--stream", "S=s.csv", "--max-out-of-orderness", "20", "--reorder-buffer-size", "2")
    with Child(tmp_path, query, *options) as child:
        code, out, err = child.ended()
        assert [json.loads(line)["positions"] for line in out.splitlines()] == [[0, 1], [0, 2]]
        assert (code, err) == (
            0,
            "denota run: dropped 2 late items of <S> (the first A, s.csv,"
            " tuple 3); reorder buffer full (--reorder-buffer-size 2)\n",
        )


def test_a_terminal_is_told_of_the_first_the_tenth_the_hundredth(monkeypatch, capsys):
    monkeypatch.setattr(input_streams.sys.stderr, "isatty", lambda: True, raising=False)
    late = LateItems(0, EventTuple("A"), "<stdin>, tuple 3")
    for late.items in range(1, 120):
        input_streams.when_late("S", late)
    assert capsys.readouterr().err.splitlines() == [
        "denota run: dropped 1 late item of <S> (A, <stdin>, tuple 3)",
        "denota run: dropped 10 late items of <S> so far",
        "denota run: dropped 100 late items of <S> so far",
    ]


def test_tuples_without_times_cannot_be_put_in_order(tmp_path):
    (tmp_path / "s.csv").write_text("type,x\nB,3\n", encoding="utf-8")
    query = "SELECT * FROM S WHERE A ; B"
    with Child(tmp_path, query, "--stream", "S=s.csv", "--max-out-of-orderness", "2") as child:
        code, out, err = child.ended()
        assert (code, out) == (2, "")
        assert "no arrival time" in err
        assert err.count("\n") == 1


def test_growing_files_are_followed(tmp_path):
    for name in ("s.trig", "t.trig"):
        (tmp_path / name).write_text(PREFIXES, encoding="utf-8")
    options = ("--stream", ":s=s.trig", "--stream", ":t=t.trig", "--follow")
    with Child(tmp_path, SPASEQ, *options) as child:
        for name, text in (("s.trig", trig(1, 1)), ("t.trig", trig(2, 2)), ("s.trig", trig(3, 1))):
            with open(tmp_path / name, "a", encoding="utf-8") as file:
                file.write(text)
        assert child.match()["time"] == 2
        assert child.interrupted() == (130, "", "")


def test_an_item_that_goes_on_after_its_end_is_an_error(tmp_path):
    options = ("--stream", ":s=-", "--stream-format", "nquads")
    with Child(tmp_path, ONE_STREAM, *options) as child:
        child.tell(nquads(1, 1) + nquads(2, 2) + nquads(2, 1, time_first=True))
        assert child.match()["time"] == 2
        code, out, err = child.ended()
        assert (code, out) == (2, "")
        assert err.startswith("<stdin>:5: graph <http://example.org/g2> goes on after it was")


def test_what_was_certain_before_an_error_is_written(tmp_path):
    with Child(tmp_path, ONE_STREAM, "--stream", ":s=-") as child:
        child.tell(PREFIXES + trig(1, 1) + trig(2, 2) + trig(1, 2).replace(":g1", ":g"))
        code, out, err = child.ended()
        assert code == 2
        assert json.loads(out)["time"] == 2
        assert "must be in time order" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    "options, message",
    [
        (("--idle-timeout", "0"), "--idle-timeout: '0' is not a positive number of seconds"),
        (("--idle-timeout", "nan"), "--idle-timeout: 'nan' is not a positive number of seconds"),
        (("--max-out-of-orderness", "soon"), "--max-out-of-orderness: duration 'soon'"),
        (("--max-out-of-orderness", "-2"), "--max-out-of-orderness: "),
        (("--max-out-of-orderness", "2", "--engine", "oracle"),
            "--max-out-of-orderness requires --engine production"),
        (("--reorder-buffer-size", "2", "--engine", "oracle"),
            "--reorder-buffer-size requires --engine production"),
        (("--reorder-buffer-size", "2"), "--reorder-buffer-size requires --max-out-of-orderness"),
    ],
)
def test_bad_options(tmp_path, options, message):
    with Child(tmp_path, ONE_STREAM, "--stream", ":s=-", *options) as child:
        code, out, err = child.ended()
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_a_table_has_the_zone_of_a_live_stream(tmp_path):
    query = "SELECT ?a WHERE { ?a <urn:p> ?x }"
    options = ("--language", "epsparql", "--stream", "urn:s=-", "--format", "table")
    with Child(tmp_path, query, *options) as child:
        child.tell(
            '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "2026-01-01T01:00:00+01:00"'
            "^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
            "<urn:g> { <urn:a> <urn:p> 1 }\n"
        )
        code, out, _ = child.ended()
    assert code == 0
    assert out.splitlines()[-2].split() == [*["2026-01-01T01:00:00+01:00"] * 2, "<urn:a>"]
