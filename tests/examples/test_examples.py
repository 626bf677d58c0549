"""Real input, or what is like it: mapped, queried, and judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib.term import URIRef, Variable

import denota
from denota.examples import stocks, weather
from denota.examples.__main__ import main
from denota.examples.judging import judge
from denota.examples.questions import QUERIES, on_stocks, on_weather, stock_streams, weather_streams
from denota.semantics.model.errors import StreamError
from denota.semantics.model.terms import literal
from denota.semantics.model.time import XSD, parse_datetime
from denota.semantics.spaseq.syntax.analysis import check_query
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.streams.rdf.graphs import read_graph
from denota.semantics.streams.rdf.reader import read_stream

DATA = Path(denota.__file__).resolve().parent.parent / "shared" / "data"

REAL_BARS = DATA / "nasdaq" / "minute-bars.csv"
REAL_OBSERVATIONS = DATA / "linked-sensor-data"


def where_present(path: Path) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not path.exists(), reason=f"the data set {path.name} is not here")


ROW = "DRIV,200802010900,33.58,33.60,33.57,33.59,5650\n"

OBSERVATION = """
@prefix om-owl: <http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#> .
@prefix sens-obs: <http://knoesis.wright.edu/ssw/> .
@prefix weather: <http://knoesis.wright.edu/ssw/ont/weather.owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
sens-obs:Observation_1 om-owl:observedProperty weather:_AirTemperature ;
  om-owl:procedure sens-obs:System_C0863 ; om-owl:result sens-obs:Result_1 .
sens-obs:Result_1 om-owl:floatValue "54"^^xsd:double .
"""


def bars_file(folder: Path, text: str) -> Path:
    path = folder / "bars.csv"
    path.write_text(text)
    return path


# --- mapping -------------------------------------------------------------------------------------


def test_a_bar_becomes_a_graph_about_its_company(tmp_path: Path) -> None:
    [item] = stocks.stream_of(stocks.read_bars(bars_file(tmp_path, ROW)))
    company = URIRef("urn:denota:stocks:company:DRIV")
    assert item.time == parse_datetime("2008-02-01T09:00:00Z")
    assert (company, URIRef("urn:denota:stocks:price"), literal("33.59", XSD + "decimal")) in (
        item.graph
    )
    assert {s for s, _, _ in item.graph} == {company}
    assert len(item.graph) == 5


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("DRIV,200802010900,1\n", r":2: expected 7 columns"),
        ("DRIV,2008-02-01,1,1,1,1,1\n", r":2: expected a symbol and a minute"),
        ("DRIV,200802010901,1,1,1,dear,1\n", r":2: 'dear' is not a price"),
        ("DRIV,200802010901,1,1,1,1,some\n", r":2: 'some' is not a volume"),
    ],
)
def test_a_row_that_is_no_bar_is_a_clear_error(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(StreamError, match=message):
        list(stocks.read_bars(bars_file(tmp_path, ROW + row)))


def test_a_minute_that_is_none_is_a_clear_error(tmp_path: Path) -> None:
    bars = stocks.read_bars(bars_file(tmp_path, ROW.replace("0802010900", "0802310900")))
    with pytest.raises(StreamError, match="day is out of range"):
        list(stocks.stream_of(bars))


def test_an_observation_becomes_a_value_at_a_station(tmp_path: Path) -> None:
    (tmp_path / "data_03.ttl").write_text(OBSERVATION)
    seen = list(weather.read_observations(tmp_path))
    value = literal("54", XSD + "double")
    assert seen == [weather.Observation(3, "C0863", "temperature", value)]
    [(iri, [item])] = weather.streams_of(seen).items()
    assert (iri, item.time, len(item.graph)) == (weather.stream_iri("temperature"), 3, 2)
    assert value in {o for _, _, o in item.graph}
    station = URIRef("urn:denota:weather:station:C0863")
    assert {s for s, _, _ in weather.stations_of(seen)} == {station}


def test_an_observation_without_a_value_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "data_00.ttl").write_text(OBSERVATION.replace("om-owl:floatValue", "om-owl:of"))
    with pytest.raises(StreamError, match=r"data_00\.ttl: .*Observation_1> has no station, or"):
        list(weather.read_observations(tmp_path))


def test_a_folder_without_observations_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match=r"no files data_NN\.ttl"):
        list(weather.read_observations(tmp_path))


# --- what is generated ---------------------------------------------------------------------------


def test_what_is_generated_depends_on_the_seed_alone() -> None:
    assert list(stocks.generate_bars(1)) == list(stocks.generate_bars(1))
    assert list(stocks.generate_bars(1)) != list(stocks.generate_bars(2))
    assert list(weather.generate_observations(1)) == list(weather.generate_observations(1))
    assert list(weather.generate_observations(1)) != list(weather.generate_observations(2))


def test_generated_bars_are_like_real_ones() -> None:
    bars = list(stocks.generate_bars(3, minutes=100))
    assert len({bar.symbol for bar in bars}) == 4
    assert [bar.minute for bar in bars] == sorted(bar.minute for bar in bars)
    assert 300 < len(bars) < 400  # some minutes are missing
    assert len({(bar.symbol, bar.minute) for bar in bars}) == len(bars)
    for bar in bars:
        assert float(bar.low) <= min(float(bar.open), float(bar.close))
        assert float(bar.high) >= max(float(bar.open), float(bar.close))


# --- queries -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(QUERIES.glob("*.rq")), ids=lambda path: path.stem)
def test_queries_draw_no_warnings(path: Path) -> None:
    query = parse(path.read_text(), source=path.name)
    streams = {clause.iri for clause in query.streams}
    assert check_query(query, streams, {weather.STATIONS}) == []


def test_engine_and_oracle_agree_on_generated_bars() -> None:
    streams = stock_streams(list(stocks.generate_bars(7, minutes=70)))
    judgements = [judge(question) for question in on_stocks(streams)]
    assert [judgement.report.ok for judgement in judgements] == [True] * 4
    assert all(j.pairs for j in judgements if j.question.file != "head_and_shoulders.rq")


def test_seven_minutes_make_a_head_and_two_shoulders() -> None:
    prices = ("10.00", "12.00", "11.00", "14.00", "12.00", "13.00", "12.50")
    bars = [
        stocks.Bar("COMA", f"2008010209{minute:02}", price, price, price, price, "100")
        for minute, price in enumerate(prices)
    ]
    [question] = [q for q in on_stocks(stock_streams(bars)) if q.file == "head_and_shoulders.rq"]
    judgement = judge(question)
    [pair] = judgement.pairs
    [mu] = pair.solutions
    assert tuple(str(mu[Variable(f"p{number}")]) for number in range(1, 8)) == prices
    assert judgement.report.ok


def test_engine_and_oracle_agree_on_generated_observations() -> None:
    observations = list(weather.generate_observations(7, rounds=10, stations=25))
    judgements = [judge(question) for question in on_weather(*weather_streams(observations))]
    assert [judgement.report.ok for judgement in judgements] == [True, True]
    assert all(judgement.pairs for judgement in judgements)


@where_present(REAL_BARS)
def test_engine_and_oracle_agree_on_real_bars() -> None:
    bars = list(stocks.read_bars(REAL_BARS))
    assert len(bars) == 1652
    judgements = [judge(question) for question in on_stocks(stock_streams(bars[:600]))]
    assert [judgement.report.ok for judgement in judgements] == [True] * 4


@where_present(REAL_OBSERVATIONS)
def test_engine_and_oracle_agree_on_real_observations() -> None:
    observations = list(weather.read_observations(REAL_OBSERVATIONS))
    assert len(observations) == 1890
    early = [seen for seen in observations if seen.time < 20]
    judgements = [judge(question) for question in on_weather(*weather_streams(early))]
    assert [judgement.report.ok for judgement in judgements] == [True, True]


# --- the command ---------------------------------------------------------------------------------


def test_the_command_judges_and_saves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--generate", "--seed", "3", "--limit", "9", "--save", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "9 minute bars of 4 companies (generated, seed 3)" in printed
    assert printed.count("  agree") == 6
    assert "engine and oracle agree on all 6 questions" in printed
    assert sum(1 for _ in read_stream(tmp_path / "stocks.trig")) == 9
    assert sum(1 for _ in read_stream(tmp_path / "temperature.trig")) == 9
    assert read_graph(tmp_path / "stations.nt")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stocks", "missing.csv"], "missing.csv: cannot be read: No such file"),
        (["--sensors", "missing"], "missing: there are no files data_NN.ttl"),
        (["--limit", "0"], "expected a positive number, not '0'"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main(arguments)
    except SystemExit as stopped:
        code = stopped.code
    errors = capsys.readouterr().err
    assert code == 2
    assert message in errors
    assert errors.count("\n") == 1
