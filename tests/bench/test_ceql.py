"""The naive engine finds the same as ours; the page and the picture show all figures."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from denota.engine.ceql import CeqlEngine
from denota.oracle.engines.engine import EngineError
from denota.peers.core import PYCER
from denota.semantics.ceql.syntax.parse import parse

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    return lambda name: importlib.import_module(f"ceql_bench.{name}")


@pytest.mark.parametrize("name", ["S3", "S6'", "S24", "Q2", "Q3", "Q6", "Q7"])
def test_the_naive_engine_finds_the_same(part: Any, name: str, monkeypatch: Any) -> None:
    naive, data = part("naive"), part("data")
    monkeypatch.setattr(naive, "MOST_RUNS", 1 << 16)
    query = parse(part("queries").QUERIES[name])
    batch = data.generated(3_000)
    outcome = naive.run_naive(CeqlEngine(query), data.encoded(batch), math.inf)
    assert outcome.events > 1_000
    found = CeqlEngine(query).feed(data.plain(batch).slice(0, outcome.events))
    assert found.num_rows == outcome.matches
    positions = found.column("positions").combine_chunks().flatten().to_numpy()
    assert int(positions.sum()) == outcome.positions


def test_the_naive_engine_stops_when_it_has_too_many_runs(part: Any, monkeypatch: Any) -> None:
    naive, data = part("naive"), part("data")
    monkeypatch.setattr(naive, "MOST_RUNS", 64)
    query = parse(part("queries").QUERIES["S6"])
    outcome = naive.run_naive(CeqlEngine(query), data.generated(3_000), math.inf)
    assert 0 < outcome.events < 3_000


def test_generated_events_have_the_shape_of_the_stock_stream(part: Any, tmp_path: Path) -> None:
    data = part("data")
    batch = data.generated(5_000)
    data.as_csv(batch.rename_columns(["event_type", *batch.schema.names[1:]]), tmp_path / "s.csv")
    again = data.from_file(tmp_path / "s.csv")
    assert again.schema.names == batch.schema.names
    assert again.equals(data.plain(batch))
    times = batch.column("stock_time").to_numpy()
    assert (times[1:] >= times[:-1]).all()
    assert math.isclose(131 / 5_000, 10_000 / (times[-1] - times[0]), rel_tol=0.1)


def test_the_page_and_the_picture(part: Any) -> None:
    page = part("page")
    rows = {
        name: page.QueryFigures(
            1e7 + at, 2e7, 2.5e7, 3e7, 4e7, 5e7, 6e7, at, None, None, 1e3, 7.0, False
        )
        for at, name in enumerate(part("queries").QUERIES)
    }
    figures = page.Figures(
        "a machine", (0.1, 0.2), 1_000, 2_000, True, 3, rows, {100: (8e7, 9e7)},
        {1_000: (31.0, 32.0, 33.0)}, (5e6, 4e6), [(10, 100.0), (20, 101.0)],
    )  # fmt: skip
    text = page.page(figures, "p.svg")
    for name in rows:
        assert f"| {name} | 10.0 | 20.0 | 25.0 | 30.0 | 50.0 |" in text
    for told in ("| 100 | 80.0 | 90.0 |", "| 1,000 | 31 | 32 | 33 |", "a machine", "101 MiB"):
        assert told in text
    drawn = ElementTree.fromstring(page.picture(figures))
    dots = [element for element in drawn.iter() if element.tag.endswith("circle")]
    assert len(dots) == 3 * len(rows) + 3
    words = {element.text for element in drawn.iter() if element.tag.endswith("text")}
    assert set(rows) <= words


def test_core_gets_the_query_in_its_own_meaning(part: Any) -> None:
    core, queries = part("core"), part("queries").QUERIES
    assert "WITHIN 10001 [stock_time]" in core.in_core(queries["S3"])
    assert core.in_core(queries["S3"]).replace("10001", "10000") == queries["S3"]


def test_of_a_query_with_many_complex_events_core_gets_the_first_events(
    part: Any, monkeypatch: Any
) -> None:
    core, data, queries = part("core"), part("data"), part("queries").QUERIES
    batch = data.generated(4_000)
    assert core.few(queries["S3'"], batch).num_rows == 4_000
    monkeypatch.setattr(core, "MOST", 100)
    fewer = core.few(queries["S3"], batch)
    more = batch.slice(0, fewer.num_rows + 1)
    counts = [CeqlEngine(parse(queries["S3"])).count(each) for each in (fewer, more)]
    assert counts[0] <= 100 < counts[1]


def test_core_is_measured_beside(part: Any, tmp_path: Path) -> None:
    try:
        python = PYCER.words(tmp_path)[0]
    except EngineError as error:
        pytest.skip(str(error))
    core, data, queries = part("core"), part("data"), part("queries").QUERIES
    told: list[str] = []
    found = core.measure_core(data.generated(2_000), {"S3": queries["S3"]}, python, told.append)
    assert found["S3"].events == 2_000
    assert found["S3"].matches > 0
    assert found["S3"].ratio > 0
    assert len(told) == 1


def test_the_section_on_core_shows_all_figures(part: Any) -> None:
    core = part("core")
    text = core.section({"S3": core.Beside(5_000, 26_860, 0.25, 0.005)}, "0.1", 1.0)
    assert text.startswith(f"## {core.TITLE}\n")
    assert "| S3 | 5,000 | 26,860 | 0.250 | 0.0050 | 50 |" in text
