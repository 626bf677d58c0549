"""The naive engine of RSEP-QL's benchmark gives the same answers; its section finds its place."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_rsepql", BENCH / "rsepql.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.MACHINES = 5  # so that a short stream has many answers
    return module


def test_the_naive_engine_gives_the_same_answers(bench: ModuleType) -> None:
    """`compared` ends the program if they differ."""
    compared = {name: bench.compared(name, 400, 60) for name in bench.QUERIES}
    assert [name for name, rates in compared.items() if rates is None] == [
        "since ever, what never ends"
    ]


def test_a_difference_is_found(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.NaiveEngine, "_recent", bench.NaiveEngine._sequence)
    with pytest.raises(SystemExit, match="disagree"):
        bench.compared("recent", 400, 60)


def test_the_section_is_written_into_its_place(bench: ModuleType) -> None:
    name = "every sequence"
    rows = bench.measured(name, 40, 10)
    text = bench.section({name: rows}, {name: (20, 10)}, 10, 40)
    page = bench.written("# Memory\n\nText.\n\n## Other\n\nMore.\n", text)
    assert page.index("## Other") < page.index("## RSEP-QL")
    assert "| 20 | 10 | 2.0 |" in page
    assert bench.written(page, text) == page
