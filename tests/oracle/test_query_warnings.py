"""Python warnings beside results: those that `denota run` prints, at the caller's line."""

import inspect
import re
import warnings

import pytest

import denota
from denota.oracle.cli import main

P = "PREFIX : <urn:> "
FROM = f"{P}SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 5s STEP 1s] WHERE "
DATED = [(f"2026-01-01T00:00:0{n}Z", "<urn:a> <urn:enters> 1 .") for n in range(2)]
TUPLES = [{"type": "BUY", "price": n} for n in range(3)]


def rsepql(pattern):
    return f"{FROM} {{ WINDOW :w {{ {pattern} }} }}"


def warned(call):
    """The texts of the warnings of a call, each of which must point to the call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    for each in caught:
        assert each.category is denota.QueryWarning
        assert (each.filename, each.lineno) == (__file__, inspect.getsourcelines(call)[1])
    return [str(each.message) for each in caught]


AT_12 = rsepql("?x :entres ?y"), {":s": DATED}


@pytest.mark.parametrize("call", [
    lambda: denota.evaluate(*AT_12, at=12),
    lambda: list(denota.run(*AT_12, at=iter([12]))),
    lambda: denota.run(*AT_12, at=12).to_arrow(),
    lambda: denota.check(*AT_12, at=12),
])
def test_a_name_that_no_item_has_and_a_time_of_another_kind(call):
    assert warned(call) == [
        "no item has ':entres', did you mean ':enters'?",
        "at=12 is an integer, but the streams have dateTimes; the nearest is 2026-01-01T00:00:00Z",
    ]


@pytest.mark.parametrize(("properties", "times", "told"), [
    ("generatedAtTime", ["2026-01-01T01:00:00+01:00"], "2026-01-01T01:00:00+01:00"),
    ("startedAtTime endedAtTime", ["2026-01-01T01:00:00+01:00", "2026-01-01T00:00:02"],
     "[2026-01-01T01:00:00+01:00, 2026-01-01T00:00:02]"),
])
def test_the_nearest_time_is_as_the_stream_writes_it(properties, times, told, tmp_path, capsys):
    query, file = tmp_path / "q.rq", tmp_path / "s.trig"
    text = f"{P}SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 5s] {{ WINDOW :w {{ ?x :enters ?y }} }}"
    query.write_text(text, encoding="utf-8")
    stated = " ; ".join(
        f'prov:{name} "{time}"^^xsd:dateTime'
        for name, time in zip(properties.split(), times, strict=True)
    )
    file.write_text(
        "@prefix prov: <http://www.w3.org/ns/prov#> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        f"<urn:g> {stated} . <urn:g> {{ <urn:a> <urn:enters> 1 }}", encoding="utf-8",
    )
    words = ["run", str(query), "--language", "cqels", "--stream", f":s={file}", "--at", "12"]
    assert main(words) == 0
    assert f"; the nearest is {told}\n" in capsys.readouterr().err
    item = (*times, "<urn:a> <urn:enters> 1 .")
    for stream in (str(file), [item]):
        [message] = warned(
            lambda: denota.evaluate(text, {":s": stream}, language="cqels", at=12)  # noqa: B023
        )
        assert message.endswith(f"; the nearest is {told}")


@pytest.mark.parametrize("call", [
    lambda: denota.run(rsepql("?x :enters ?y FILTER (?n > 1)"), {":s": iter(DATED)}),
    lambda: denota.stream(rsepql("?x :enters ?y FILTER (?n > 1)")),
    lambda: denota.explain(rsepql("?x :enters ?y FILTER (?n > 1)"), {":s": DATED}),
])
def test_the_query_alone(call):
    [text] = warned(call)
    assert re.fullmatch(r"1:\d+: the FILTER needs \?n, which no pattern of the query binds", text)


@pytest.mark.parametrize("call", [
    lambda: denota.count("SELECT * FROM S WHERE BUY PARTITION BY [nam]", {"S": TUPLES}),
    lambda: denota.sample("SELECT * FROM S WHERE BUY PARTITION BY [nam]", {"S": TUPLES}, size=1),
    lambda: list(denota.batches("SELECT * FROM S WHERE BUY PARTITION BY [nam]", {"S": TUPLES})),
    lambda: list(denota.run("SELECT * FROM S WHERE BUY PARTITION BY [nam]", {"S": iter(TUPLES)})),
])
def test_an_attribute_that_no_tuple_has(call):
    assert warned(call) == ["1:41: attribute 'nam' does not occur in the input"]


def test_beside_results_only_of_similar_names_of_short_streams():
    optional = "?x :enters ?y OPTIONAL { ?x :entres ?w } OPTIONAL { ?x :zzz ?v }"
    [text] = warned(lambda: denota.evaluate(rsepql(optional), {":s": DATED}))
    assert text == "no item has ':entres', did you mean ':enters'?"
    many = [("2026-01-01T00:00:00Z", "<urn:a> <urn:enters> 1 .")] * 600
    assert warned(lambda: denota.evaluate(rsepql(optional), {":s": many})) == []


def test_a_parsed_query_on_the_streams_of_a_case_is_taken_as_it_is():
    from rdflib import URIRef

    parsed = denota.parse(rsepql("?x :entres ?y FILTER (?n > 1)"))
    assert warned(lambda: denota.evaluate(parsed, {URIRef("urn:s"): DATED})) == []


def test_a_warning_is_an_error_where_it_should_be():
    with warnings.catch_warnings():
        warnings.simplefilter("error", denota.QueryWarning)
        with pytest.raises(denota.QueryWarning) as raised:
            denota.evaluate(*AT_12)
    assert raised.value.code == "absent-name"
