"""`--stats` and `.stats`: the items that each pattern matches, and names that none has."""

import sys

import pytest

import denota
from denota.oracle.cli import main

ENTERS = [(n, "<urn:a> <urn:enters> 1 .") for n in (1, 2)]
PAYS = [(n, "<urn:a> <urn:pays> 1 .") for n in range(3, 8)]
P = "PREFIX : <urn:> "
SPASEQ = P + """SELECT ?x WITHIN 9 FROM STREAM S1 :s FROM STREAM S2 :t WHERE { SEQ(In; Paid)
  DEFINE GPM In ON S1 { ?x :enters ?y }
  DEFINE GPM Paid ON S2 { ?x :paid ?y . FILTER (?z > 1) } }"""
QUERIES = {
    "rsepql": P + "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 1]"
    " WHERE { MATCH { EVENT :w { ?x :enters ?y } SEQ EVENT :w { ?x :paid ?z } } }",
    "cqels": P + "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 5]"
    " WHERE { WINDOW :w { SEQ({?x :enters ?y}, {?x :paid ?z}) } }",
    "epsparql": P + "SELECT ?x { { ?x :enters ?y } SEQ { ?x :paid ?z } }",
}


def test_the_pattern_that_no_item_matches():
    results = denota.run(SPASEQ, {"S1": ENTERS, "S2": PAYS})
    assert list(results) == []
    assert str(results.stats) == (
        "In: 2 items, Paid: 0; "
        "Paid never matched: 5 items on S2, none has :paid, did you mean ':pays'?"
    )
    assert [(each.items, each.matched) for each in results.stats.patterns] == [(2, 2), (5, 0)]
    with pytest.raises(denota.DenotaError, match="the streams can be read only once"):
        _ = denota.run(SPASEQ, {"S1": iter(ENTERS), "S2": PAYS}).stats


@pytest.mark.parametrize("language", QUERIES)
def test_every_language_of_graphs(language):
    results = denota.run(QUERIES[language], {"urn:s": ENTERS}, language=language)
    assert list(results) == []
    assert str(results.stats) == (
        "{ ?x :enters ?y }: 2 items, { ?x :paid ?z }: 0; "
        "{ ?x :paid ?z } never matched: 2 items on <urn:s>, none has :paid"
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text("type,name,price\nBUY,a,1\nBUY,b,2\nX,c,\n", encoding="utf-8")
    return tmp_path


def run(folder, query, *words, code=0):
    (folder / "q.ceql").write_text(query, encoding="utf-8")
    assert main(["run", "q.ceql", "--stream", "S=s.csv", *words]) == code


def test_tuples_of_no_type_and_attributes_of_no_tuple(folder, capsys):
    query = "SELECT * FROM S WHERE (SALE ; BUY AS b) FILTER b[prize > 3] PARTITION BY [nam]"
    run(folder, query, "--stats")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == (
        "denota run: SALE: 0 items, BUY: 2; "
        "SALE never matched: 3 items on S, none has the type SALE; "
        "attribute 'prize' does not occur in the input, did you mean 'price'?; "
        "attribute 'nam' does not occur in the input, did you mean 'name'?"
    )


def test_on_a_terminal_it_is_said_of_no_results_alone(folder, capsys, monkeypatch):
    run(folder, "SELECT * FROM S WHERE BUY ; BUY FILTER BUY[price > 9]")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    run(folder, "SELECT * FROM S WHERE (BUY ; BUY) FILTER BUY[price > 9]")
    assert capsys.readouterr().err == (
        "denota run: BUY: 2 items; BUY matches, but FILTER BUY[price > 9] is never true\n"
    )
    run(folder, "SELECT * FROM S WHERE BUY ; BUY")
    assert capsys.readouterr().err == ""


def test_live_input_has_no_statistics(folder, capsys, monkeypatch):
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"type\nBUY\n")))
    (folder / "q.ceql").write_text("SELECT * FROM S WHERE BUY", encoding="utf-8")
    assert main(["run", "q.ceql", "--stream", "S=-", "--stats", "--engine", "oracle"]) == 0
    assert "no statistics: they require files that are complete" in capsys.readouterr().err


def test_a_query_that_matches_at_other_times():
    where = f"WINDOW :w {{ SEQ({E}, {PAY}) }}"
    streams = {"urn:s": [(1, "<urn:a> <urn:enters> 1 ."), (3, "<urn:a> <urn:pays> 1 .")]}
    results = denota.run(with_windows(where, "cqels"), streams, language="cqels", at=99)
    assert list(results) == []
    assert results.stats.broken.endswith("matches, but not at the given times of evaluation")


def test_an_integer_is_no_time_of_a_stream_with_dates(folder, capsys):
    (folder / "q.rq").write_text(QUERIES["rsepql"].replace("5 STEP 1", "5s STEP 1s"), "utf-8")
    (folder / "s.trig").write_text(
        '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "2026-01-01T00:00:00Z"'
        "^^<http://www.w3.org/2001/XMLSchema#dateTime> . <urn:g> { <urn:a> <urn:enters> 1 }",
        encoding="utf-8",
    )
    assert main(["run", "q.rq", "--stream", "urn:s=s.trig", "--at", "12"]) == 0
    assert capsys.readouterr().err == (
        "q.rq: warning: no item has ':paid'\n"
        "denota run: warning: --at 12 is an integer, but the streams have dateTimes; the nearest is"
        " 2026-01-01T00:00:00Z\n"
    )


@pytest.mark.parametrize("inner", [
    None, "?x :enters ?y OPTIONAL {{ ?x :paid ?w {} }}", "?x :enters ?y {}",
])
@pytest.mark.parametrize("language", QUERIES)
def test_a_filter_of_what_no_pattern_binds(language, inner):
    query, condition = QUERIES[language], "FILTER (?nobody > 1)"
    if inner is None:
        query = f"{query[: query.rindex('}')]} {condition} }}"
    else:
        query = query.replace("?x :enters ?y", inner.format(condition))
    parsed = denota.parse(query, language=language)
    from denota.oracle.languages.registry import language as named

    own = named(language)
    found = own.warnings(parsed, streams=["urn:s"], kb=[], readings=own.readings({}, parsed))
    (message,) = [each.message for each in found if each.code == "unbound-condition"]
    assert message.startswith("the FILTER needs ?nobody, which n")


@pytest.mark.parametrize(("language", "query"), [
    ("spaseq", SPASEQ.replace("FILTER (?z > 1)", "OPTIONAL { ?x :left ?w FILTER (?nobody > 1) }")),
    ("cqels", QUERIES["cqels"].replace("?z})", "?z}) FILTER (?nobody > 1)")),
])
def test_a_filter_that_is_not_of_a_pattern_itself(language, query):
    from denota.oracle.languages.registry import language as named

    own, parsed = named(language), denota.parse(query, language=language)
    found = own.warnings(parsed, streams=[], kb=[], readings=own.readings({}, parsed))
    messages = [each.message for each in found if each.code == "unbound-condition"]
    assert messages == ["the FILTER needs ?nobody, which no pattern of the query binds"]


FOLLOWED = P + """SELECT ?x WITHIN {within} FROM STREAM S1 :s FROM STREAM S2 :t
  WHERE {{ SEQ({sequence})
  DEFINE GPM In ON S1 {{ ?x :enters ?y }}
  DEFINE GPM Paid ON S2 {{ ?x :pays ?z {filter} }}
  DEFINE GPM Left ON S1 {{ ?w :leaves ?x }} }}"""


@pytest.mark.parametrize(("sequence", "pays", "filter", "within", "told"), [
    ("In; Paid", "30 a", "", 9, "after In: Paid follows, but not in one window (WITHIN)"),
    ("In; Paid", "3 b", "", 9, "after In: Paid follows, but not with the same ?x"),
    ("In; Paid", "3 a", "FILTER (?z > ?y)", 9,
     "after In: Paid follows, but a FILTER on variables of several patterns is never true"),
    ("In; Paid", "30 b", "", 9, "after In: Paid follows, but not as its demands together require"),
    ("Left; In", "3 a", "", 9, "after Left: no In follows"),
    ("In; Paid; Left", "3 a", "", 50, "after In; Paid: Left follows, but not with the same ?x"),
    ("In, Paid!; Left", "3 a", "", 9, "after In: no Paid!; Left follows"),
    ("In & Paid", "30 a", "", 9, "(In & Paid) never matches"),
    ("In; In+; Paid", "30 a", "", 9,
     "after In; In+: Paid follows, but not in one window (WITHIN)"),
])
def test_where_a_sequence_breaks_off(sequence, pays, filter, within, told):
    time, who = pays.split()
    query = FOLLOWED.format(sequence=sequence, filter=filter, within=within)
    streams = {
        "S1": [*ENTERS, (20, "<urn:a> <urn:leaves> <urn:q> .")],
        "S2": [(int(time), f"<urn:{who}> <urn:pays> 1 .")],
    }
    results = denota.run(query, streams)
    assert list(results) == []
    assert results.stats.broken.endswith(told)
    assert str(results.stats).endswith(told)


def test_a_sequence_that_matches_does_not_break_off():
    query = FOLLOWED.format(sequence="In; Paid", filter="", within=9)
    results = denota.run(query, {"S1": ENTERS, "S2": [(3, "<urn:a> <urn:pays> 1 .")]})
    assert len(list(results)) == 1
    assert results.stats.broken == ""


@pytest.mark.parametrize(("where", "told"), [
    ("(A ; B ; C) FILTER B[price > 3]",
     "after A: B follows, but FILTER B[price > 3] is never true"),
    ("(A ; B FILTER B[price > 3]) FILTER A[price > 0]",
     "after A: B follows, but not with FILTER B[price > 3]"),
    ("(A ; B FILTER B[price > 3]) FILTER B[price > 4]",
     "after A: B follows, but not with FILTER B[price > 4] and FILTER B[price > 3]"),
    ("C ; A", "after C: no A follows"),
    ("A ; B ; C PARTITION BY [name]",
     "after A: B follows, but not with the same name (PARTITION BY)"),
    ("A ; D WITHIN 1 EVENTS", "after A: D follows, but not WITHIN 1 EVENTS"),
    ("(A AS a ; B AS b) : C", "after A AS a ; B AS b: C follows, but not next to it (':')"),
    ("(A ; (B OR A)) : D WITHIN 1 EVENTS",
     "after A ; (B OR A): D follows, but not as its demands together require"),
])
def test_where_a_formula_breaks_off(tmp_path, monkeypatch, capsys, where, told):
    monkeypatch.chdir(tmp_path)
    rows = "A,x,1\nB,y,2\nA,y,5\nC,x,1\nD,x,0\n"
    (tmp_path / "s.csv").write_text("type,name,price\n" + rows, encoding="utf-8")
    run(tmp_path, f"SELECT * FROM S WHERE {where}", "--stats")
    out, err = capsys.readouterr()
    assert out == ""
    assert f"the sequence breaks off {told}" in " ".join(err.split())


PAYS_FOLLOWS = "breaks off after { ?x :enters ?y }: { ?x :pays ?z } follows, but"


@pytest.mark.parametrize(("where", "pays", "told"), [
    ("{ ?x :enters ?y } SEQ { ?x :pays ?z }", "3 b", f"{PAYS_FOLLOWS} not with the same ?x"),
    ("{ ?x :pays ?y } SEQ { ?x :enters ?z }", "3 a",
     "breaks off after { ?x :pays ?y }: no { ?x :enters ?z } follows"),
    ("{ ?x :enters ?y } SEQ { ?x :pays ?z } SEQ { ?x :enters ?w }", "3 a",
     "SEQ { ?x :pays ?z } } (2 matches): no { ?x :enters ?w } follows"),
    ("{ ?x :pays ?v } SEQ { { ?x :enters ?y } SEQ { ?x :pays ?z } }", "3 b",
     f"{PAYS_FOLLOWS} not with the same ?x"),
    ("{ ?x :enters ?y } EQUALS { ?x :pays ?z }", "3 a",
     "{ ?x :enters ?y } and { ?x :pays ?z } match, but not over the same interval"),
    ("{ ?x :enters ?y } EQUALS { ?x :pays ?z }", "2 b", "match, but not with the same ?x"),
    ("{ ?x :enters ?y } EQUALS { ?x :pays ?z }", "3 b",
     "match, but neither over the same interval nor with the same ?x"),
    ("{ ?x :enters ?y } OPTIONALSEQ { ?x :pays ?z FILTER (?z > 1) }", "3 a",
     "?x :pays ?z matches, but FILTER (?z > 1) is never true"),
    ("{ ?x :enters ?y } SEQ { ?x :pays ?z } FILTER (getDURATION() > 9)", "3 a",
     "SEQ { ?x :pays ?z } matches, but FILTER (GETDURATION() > 9) is never true"),
    ("?x :enters ?y . ?x :pays ?z", "3 b",
     "?x :enters ?y and ?x :pays ?z match, but not with the same ?x"),
    ("{ { ?x :enters ?y } SEQ { ?x :pays ?z } } UNION { ?x :enters 1 . ?x :pays ?z }", "3 b",
     f"in each branch of UNION: the sequence {PAYS_FOLLOWS} not with the same ?x; ?x :enters 1"
     " and ?x :pays ?z match, but not with the same ?x"),
    ("{ SELECT ?x { { ?x :enters ?y } SEQ { ?x :pays ?z } } }", "3 b",
     f"in SELECT: the sequence {PAYS_FOLLOWS} not with the same ?x"),
])
def test_where_an_epsparql_pattern_breaks_off(where, pays, told):
    time, who = pays.split()
    streams = {"urn:s": [*ENTERS, (int(time), f"<urn:{who}> <urn:pays> 1 .")]}
    query = f"{P} SELECT ?x {{ {where} }}"
    stats = denota.run(query, streams, language="epsparql").stats
    assert stats.broken.endswith(told)
    rule = f"{P} CONSTRUCT {{ ?x :done 1 }} WHERE {{ {where} }} SELECT ?x {{ ?x :done ?y }}"
    assert denota.run(rule, streams, language="epsparql").stats.broken == stats.broken


def test_the_branches_of_a_union_are_shown_as_such():
    either = "{ ?x :enters ?y } UNION { ?x :leaves ?y }"
    query = f"{P} SELECT * FROM NAMED WINDOW :w ON <urn:s> [NOW] {{ WINDOW :w {{ {either} }} }}"
    stats = denota.run(query, {"urn:s": ENTERS}).stats
    [union] = stats.patterns
    assert (union.pattern, union.matched) == (either, 2)
    assert [branch.matched for branch in union.branches] == [2, 0]
    assert str(stats) == (
        f"{either}: 2 items ({{ ?x :enters ?y }}: 2, {{ ?x :leaves ?y }}: 0);"
        " { ?x :leaves ?y } never matched: 2 items on <urn:s>, none has :leaves"
    )


@pytest.mark.parametrize(("where", "told"), [
    ("{ { ?x :pays ?z FILTER (?z > 5) } UNION { ?x :left ?z } ?x :pays ?y }",
     "{ ?x :pays ?z }: 5 items match the pattern, none satisfies FILTER (?z > 5); "
     "{ ?x :left ?z } never matched: 5 items on S2, none has :left"),
    ("{ { ?x :pays ?z FILTER (?z > 0) } UNION { ?x :pays ?z } ?x :pays ?y FILTER (?y > 5) }",
     "{ ?x :pays ?z }: 5 items match the pattern, none satisfies FILTER (?y > 5); "
     "{ ?x :pays ?z }: 5 items match the pattern, none satisfies FILTER (?y > 5)"),
    ("{ { ?x :pays ?z FILTER (?z > 5) } ?x :pays ?y }",
     "Paid: 5 items match the pattern, none satisfies FILTER (?z > 5)"),
])
def test_a_filter_in_a_branch_beside_other_elements(where, told):
    query = SPASEQ.replace("{ ?x :paid ?y . FILTER (?z > 1) }", where)
    assert str(denota.run(query, {"S1": ENTERS, "S2": PAYS}).stats).endswith(f"; {told}")


def test_a_union_is_no_reason_where_one_branch_matches():
    query = f"{P} SELECT ?x {{ {{ ?x :enters ?y }} UNION {{ ?x :leaves ?z }} FILTER (?y > 3) }}"
    told = denota.run(query, {"urn:s": ENTERS}, language="epsparql").stats.broken
    assert told.endswith("matches, but FILTER (?y > 3) is never true")


REFUSED = "Paid: 5 items match the pattern, none satisfies"


@pytest.mark.parametrize(("conditions", "told"), [
    ("FILTER (?z > 5)", f"{REFUSED} FILTER (?z > 5)"),
    ("FILTER (?z > 0) FILTER (?x = :c)", f"{REFUSED} FILTER (?x = :c)"),
    ("FILTER (?z > 0 && ?z > 5)", f"{REFUSED} FILTER (?z > 5)"),
    ("FILTER (?x = :a) FILTER (?n)", "the same ?x"),
    ("FILTER (?w > 5)", "Paid never matched: 5 items on S2, none has :left"),
])
def test_a_pattern_that_its_filter_refuses(conditions, told):
    left = "; :left ?w" * ("?w" in conditions)
    query = SPASEQ.replace("?x :paid ?y . FILTER (?z > 1)", f"?x :pays ?z {left} {conditions}")
    stats = denota.run(query, {"S1": [(1, "<urn:b> <urn:enters> 1 .")], "S2": PAYS}).stats
    assert str(stats).endswith(told)


def test_filters_that_are_true_each_but_not_together():
    query = f"{P} SELECT ?x WITHIN 9 FROM STREAM S :s WHERE {{ SEQ(In) DEFINE GPM In ON S {{"
    query += " ?x :enters ?y FILTER (?y < 2) FILTER (?y > 1) } }"
    items = [(n, f"<urn:a> <urn:enters> {n} .") for n in (1, 2)]
    told = str(denota.run(query, {"S": items}).stats)
    assert told.endswith("none satisfies FILTER (?y < 2) and FILTER (?y > 1)")


def test_background_data_without_time_matches():
    query = f"{P} SELECT * FROM NAMED :k {{ GRAPH :k {{ ?x :knows ?y }} ?x :enters ?z }}"
    kb = {"urn:k": "<urn:b> <urn:knows> 1 ."}
    told = denota.run(query, {"urn:s": ENTERS}, kb=kb, language="epsparql").stats.broken
    assert told == (
        "GRAPH :k { ?x :knows ?y } (1 match) and ?x :enters ?z match, but not with the same ?x"
    )


def test_where_the_pattern_of_a_background_graph_breaks_off():
    query = f"{P} SELECT * FROM NAMED :k {{ ?x :enters ?z . GRAPH :k {{ ?u :a ?w . ?w :b ?v }} }}"
    kb = {"urn:k": "<urn:b> <urn:a> 1 . <urn:c> <urn:b> 2 ."}
    told = denota.run(query, {"urn:s": ENTERS}, kb=kb, language="epsparql").stats.broken
    assert told == "in GRAPH :k: ?u :a ?w and ?w :b ?v match, but not with the same ?w"


E, PAY = "{ ?x :enters ?y }", "{ ?x :pays ?z }"


def with_windows(where, language):
    bounds = "[RANGE 5]" if language == "cqels" else "[RANGE 5 STEP 1]"
    windows = " ".join(f"FROM NAMED WINDOW :{name} ON :s {bounds}" for name in "wv")
    return f"{P} SELECT ?x {windows} WHERE {{ {where} }}"


@pytest.mark.parametrize(("where", "pays", "told"), [
    (f"WINDOW :w {{ SEQ({E}, {PAY}) }}", "3 b", f"{PAYS_FOLLOWS} not with the same ?x"),
    (f"WINDOW :w {{ SEQ({E}, {PAY}) }}", "30 a",
     f"{PAYS_FOLLOWS} not in its window at one evaluation time"),
    (f"WINDOW :w {{ SEQ({E}, {PAY}) }}", "30 b",
     f"{PAYS_FOLLOWS} not as its demands together require"),
    (f"WINDOW :w {{ SEQ({PAY}, {E}) }}", "3 a", f"after {PAY}: no {E} follows"),
    (f"WINDOW :w {{ SEQ({E}, {PAY}, {E}) }}", "3 a",
     f"after SEQ({E}, {PAY}) (2 matches): no {E} follows"),
    (f"WINDOW :w {{ SEQ({{ ?x :enters 1 }}, !{E}, {PAY}) }}", "3 a",
     f"{PAY} follows, but not without {E} between them"),
    (f"WINDOW :w {{ SEQ(!{E}, {PAY}) }}", "3 a", f"{PAY} matches, but not without {E} before it"),
    (f"WINDOW :w {{ SEQ({PAY}, !{{ ?w :enters 1 }}) }}", "0 a",
     f"{PAY} matches, but not without {{ ?w :enters 1 }} after it"),
    (f"WINDOW :w {{ SEQ({E}, {PAY}) FILTER (?y > ?z) }}", "3 a",
     f"WINDOW :w {{ SEQ({E}, {PAY}) }} matches, but FILTER (?y > ?z) is never true"),
    (f"WINDOW :w {E} WINDOW :v {PAY} SEQ(:w, :v)", "3 b",
     f"after WINDOW :w {E}: WINDOW :v {PAY} follows, but not with the same ?x"),
    (f"WINDOW :w {E} WINDOW :v {PAY} SEQ(:v, :w)", "3 a",
     f"after WINDOW :v {PAY}: no WINDOW :w {E} follows"),
    (f"WINDOW :w {E} WINDOW :v {PAY}", "2 b", "match, but not with the same ?x"),
    (f"WINDOW :w {E} WINDOW :v {PAY}", "3 a", "match, but not over intervals that intersect"),
])
def test_where_a_cqels_sequence_breaks_off(where, pays, told):
    time, who = pays.split()
    streams = {"urn:s": sorted([*ENTERS, (int(time), f"<urn:{who}> <urn:pays> 1 .")])}
    results = denota.run(with_windows(where, "cqels"), streams, language="cqels", at=[3, 30])
    assert list(results) == []
    assert results.stats.broken.endswith(told)


@pytest.mark.parametrize(("where", "pays", "told"), [
    (f"EVENT :w {E} SEQ EVENT :v {PAY}", "3 b", "follows, but not with the same ?x"),
    (f"EVENT :w {E} SEQ EVENT :v {PAY}", "30 a",
     f"after EVENT :w {E}: EVENT :v {PAY} follows, but not in its window at one evaluation time"),
    (f"EVENT :w {E} SEQ EVENT :v {PAY}", "30 b", "not as its demands together require"),
    (f"EVENT :w {PAY} SEQ EVENT :v {E}", "3 a", f"after EVENT :w {PAY}: no EVENT :v {E} follows"),
    (f"EVENT :w {E} SEQ EVENT :w {PAY} SEQ EVENT :w {E}", "3 a",
     f"SEQ EVENT :w {PAY} (2 matches): no EVENT :w {E} follows"),
    (f"FIRST (EVENT :w {E}) SEQ LAST (EVENT :w {{ ?x :enters 1 }})", "3 a",
     "no LAST (EVENT :w { ?x :enters 1 }) follows"),
    ("EVENT :w { ?v :enters 2 } SEQ FIRST (EVENT :w { ?v ?p 1 })", "3 a",
     "FIRST (EVENT :w { ?v ?p 1 }) follows, but not among the events that are selected"),
    (f"EVENT :w {{ ?x :enters ?y FILTER (?y > ?z + 7) }} SEQ EVENT :w {PAY}", "3 a",
     "follows, but a FILTER on variables of several patterns is never true"),
])
def test_where_an_rsepql_event_pattern_breaks_off(where, pays, told):
    time, who = pays.split()
    first, second = ((n, f"<urn:a> <urn:enters> {n} .") for n in (1, 2))
    streams = {"urn:s": [first, second, (int(time), f"<urn:{who}> <urn:pays> 1 .")]}
    results = denota.run(
        with_windows(f"MATCH {{ {where} }}", "rsepql"), streams, language="rsepql", at=[3, 30]
    )
    assert list(results) == []
    assert results.stats.broken.endswith(told)


def test_long_input_is_not_evaluated_again(monkeypatch):
    monkeypatch.setattr("denota.oracle.explanations.pattern_counts.MAX_EVENTS", 2)
    query = FOLLOWED.format(sequence="In; Paid", filter="", within=9)
    results = denota.run(query, {"S1": ENTERS, "S2": [(30, "<urn:a> <urn:pays> 1 .")]})
    assert list(results) == []
    assert results.stats.broken == ""


@pytest.mark.parametrize("language", QUERIES)
def test_a_namespace_that_no_item_has(language, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = QUERIES[language].replace("?x :enters", "?x <http://e.org/v2#enters>")
    (tmp_path / "q.rq").write_text(text, encoding="utf-8")
    (tmp_path / "s.nq").write_text(
        '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^'
        "<http://www.w3.org/2001/XMLSchema#integer> .\n"
        "<urn:a> <http://e.org/v1#enters> <urn:b> <urn:g> .\n<urn:a> <urn:paid> <urn:b> <urn:g> .",
        encoding="utf-8",
    )
    words = ["run", "q.rq", "--language", language, "--stream", "urn:s=s.nq"]
    assert main(words) == 0
    message = (
        "no item has an IRI of the namespace 'http://e.org/v2#', did you mean 'http://e.org/v1#'?"
    )
    assert capsys.readouterr().err == f"q.rq: warning: {message}\n"
    assert main([*words, "--stats"]) == 0
    assert message in " ".join(capsys.readouterr().err.split())


def test_namespaces_and_similar_names_that_no_item_has_are_told_beside_results(folder, capsys):
    (folder / "q.rq").write_text(
        f"{P} SELECT ?x {{ ?x :enters 1 OPTIONAL {{ ?x :entres 2 }} OPTIONAL {{ ?x :zzz 2 }}"
        " OPTIONAL { ?x <http://e.org/v2#enters> 2 } }",
        encoding="utf-8",
    )
    time = "<http://www.w3.org/ns/prov#generatedAtTime>"
    text = f"<urn:g> {time} 1 . <urn:g> {{ <urn:a> <urn:enters> 1 }}"
    (folder / "s.trig").write_text(text, encoding="utf-8")
    words = ["run", "q.rq", "--language", "epsparql", "--stream", "urn:s=s.trig"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert err == (
        "q.rq: warning: no item has an IRI of the namespace 'http://e.org/v2#'\n"
        "q.rq: warning: no item has ':entres', did you mean ':enters'?\n"
    )


def test_a_background_graph_has_namespaces_as_well():
    query = P + (
        "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 5] WHERE "
        "{ WINDOW :w { ?x <http://e.org/v2#enters> ?y } }"
    )
    told = denota.run(
        query, {"urn:s": ENTERS}, language="cqels",
        kb={"urn:k": "<urn:a> <http://e.org/v2#b> 1 ."},
    ).stats
    assert told.notes == ()


LOOSE = "OPTIONAL { ?x :payed ?w } OPTIONAL { ?x :left|^:entrs ?x } FILTER (?y > 7)"
NAMED_GRAPH = "GRAPH :k { ?x :know ?y }"


@pytest.mark.parametrize(("language", "query"), [
    ("epsparql", f"SELECT ?x FROM NAMED :k {{ ?x :enters ?y {LOOSE} {NAMED_GRAPH} }}"),
    ("cqels", "SELECT ?x FROM NAMED :k FROM NAMED WINDOW :w ON :s [RANGE 5]"
     f" {{ WINDOW :w {{ ?x :enters ?y {LOOSE} }} {NAMED_GRAPH} }}"),
    ("rsepql", "SELECT ?x FROM NAMED :k FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 1]"
     f" {{ WINDOW :w {{ ?x :enters ?y {LOOSE} }} {NAMED_GRAPH} }}"),
    ("spaseq", "SELECT ?x WITHIN 9 FROM STREAM S :s WHERE { SEQ(In)"
     f" DEFINE GPM In ON S {{ ?x :enters ?y {LOOSE} {NAMED_GRAPH} }} }}"),
])
def test_names_in_optional_graph_and_paths(language, query, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(P + query, encoding="utf-8")
    time = "<http://www.w3.org/ns/prov#generatedAtTime>"
    (tmp_path / "s.trig").write_text(
        f"<urn:g> {time} 1 . <urn:g> {{ <urn:a> <urn:enters> 1 ; <urn:left> 1 ; <urn:pay> 1 }}",
        encoding="utf-8",
    )
    (tmp_path / "k.ttl").write_text("<urn:b> <urn:knows> 1 .", encoding="utf-8")
    words = ["run", "q.rq", "--language", language, "--stream", "urn:s=s.trig"]
    assert main([*words, "--kb", "urn:k=k.ttl"]) == 0
    messages = {line.partition("warning: ")[2] for line in capsys.readouterr().err.splitlines()}
    assert messages == {
        "no item has ':payed', did you mean ':pay'?",
        "no item has ':entrs', did you mean ':enters'?",
        "no background graph has ':know', did you mean ':knows'?",
    }


def test_an_optional_pattern_does_not_break_a_sequence():
    query = f"{P} SELECT ?x {{ {E} SEQ {PAY} OPTIONAL {{ ?x :left ?w }} }}"
    streams = {"urn:s": [*ENTERS, (3, "<urn:b> <urn:pays> 1 .")]}
    told = denota.run(query, streams, language="epsparql").stats.broken
    assert told.endswith("{ ?x :pays ?z } follows, but not with the same ?x")


def test_attributes_of_no_tuple_are_a_warning(folder, capsys):
    run(folder, "SELECT * FROM S WHERE BUY AS b FILTER b[prize > 3] PARTITION BY [nam]")
    assert capsys.readouterr().err == (
        "q.ceql:1:41: warning: attribute 'prize' does not occur in the input, did you mean"
        " 'price'?\n"
        "q.ceql:1:66: warning: attribute 'nam' does not occur in the input, did you mean 'name'?\n"
    )


def test_attributes_of_no_tuple_are_a_warning_beside_results(folder, capsys):
    run(folder, "SELECT * FROM S WHERE BUY AS b FILTER b[prize > 3 OR price > 0]")
    out, err = capsys.readouterr()
    assert out.count("positions") == 2
    assert err == "q.ceql:1:41: warning: attribute 'prize' does not occur in the input\n"
    run(folder, "SELECT * FROM S WHERE BUY OR BUYS", "--limit", "1")
    assert capsys.readouterr().err == ""


def test_a_date_is_no_time_of_a_stream_with_integers(folder, capsys):
    (folder / "q.rq").write_text(QUERIES["rsepql"], encoding="utf-8")
    (folder / "s.trig").write_text(
        "<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> 1 ."
        " <urn:g> { <urn:a> <urn:enters> 1 }",
        encoding="utf-8",
    )
    words = ["run", "q.rq", "--stream", "urn:s=s.trig", "--at", "2026-01-01T00:00:00Z"]
    assert main(words) == 0
    assert capsys.readouterr().err == (
        "q.rq: warning: no item has ':paid'\n"
        "denota run: warning: --at 2026-01-01T00:00:00Z is a dateTime, but the streams have"
        " integers; the nearest is 1\n"
    )


@pytest.mark.parametrize(("where", "message", "code"), [
    ("BUYS", "1:23: event type 'BUYS' does not occur in the input, did you mean 'BUY'?", 2),
    ("BUY FILTER BUY[prize > 3]",
     "1:38: warning: attribute 'prize' does not occur in the input, did you mean 'price'?", 0),
    ("BUY FILTER BUY[prize > 3 OR price > 0]",
     "1:38: warning: attribute 'prize' does not occur in the input", 0),
    ("BUY", "", 0),
])
def test_names_that_no_tuple_of_standard_input_has(
    folder, capsys, monkeypatch, where, message, code
):
    import io

    text = (folder / "s.csv").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    (folder / "q.ceql").write_text(f"SELECT * FROM S WHERE {where}", encoding="utf-8")
    assert main(["run", "q.ceql", "--stream", "S=-"]) == code
    err = capsys.readouterr().err
    assert err.removeprefix("denota: ").removeprefix("q.ceql:").strip() == message


@pytest.mark.parametrize("language", QUERIES)
@pytest.mark.parametrize("engine", ["production", "oracle"])
def test_names_that_no_item_of_live_input_has(language, engine, folder, capsys, monkeypatch):
    import io

    time = "<http://www.w3.org/ns/prov#generatedAtTime>"
    text = f"<urn:g> {time} 1 . <urn:g> {{ <urn:a> <urn:enters> 1 ; <urn:pay> 1 }}"
    (folder / "s.trig").write_text(text, encoding="utf-8")
    query = QUERIES[language]
    beside = []
    if language == "epsparql":
        query = query.replace("{", "FROM STREAM :s FROM STREAM :t {", 1)
        beside = ["--stream", "urn:t=s.trig"]
    (folder / "q.rq").write_text(query, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    words = ["run", "q.rq", "--language", language, "--engine", engine, "--stream", "urn:s=-"]
    assert main([*words, *beside]) == 0
    assert capsys.readouterr().err == (
        "q.rq: warning: no item has ':paid', did you mean ':pay'?\n"
    )


def test_names_that_no_tuple_of_merged_live_streams_has(folder, capsys, monkeypatch):
    import io

    text = "type,price,time\nBUY,1,2026-01-01T00:00:00Z\n"
    for more, code in (("", 2), ("@heartbeat,,2026-01-01T00:00:01Z\n", 2), (text[16:], 2),
                       ("BUYS,1,2026-01-01T00:00:01Z\n", 0)):
        (folder / "t.csv").write_text(text + more, encoding="utf-8")
        (folder / "q.ceql").write_text("SELECT * FROM S, T WHERE BUYS", encoding="utf-8")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main(["run", "q.ceql", "--stream", "S=-", "--stream", "T=t.csv"]) == code
        err = "q.ceql:1:26: event type 'BUYS' does not occur in the input, did you mean 'BUY'?"
        assert (err in capsys.readouterr().err) == bool(code)


def test_names_of_iterators_are_held_in_bounds(monkeypatch):
    monkeypatch.setattr("denota.oracle.explanations.pattern_counts.MAX_NAMES", 1)
    query = QUERIES["epsparql"]
    graphs = ["<urn:a> <urn:pay> 1 .", "<urn:a> <http://e/b> 1 .", "<urn:a> <urn:enters> 1 ."]
    with pytest.warns(denota.QueryWarning, match=r"no item has ':paid', did you mean ':pay'\?$"):
        assert not [*denota.run(query, {"urn:s": enumerate(graphs)}, language="epsparql")]
