"""The naive engine of RSEP-QL's benchmark gives the same answers; its section finds its place."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module")
def folder() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))  # where Python looks first when it runs a script there
        yield


@pytest.fixture
def pages(folder: None) -> Any:
    return importlib.import_module("measuring.pages")


@pytest.fixture(scope="module")
def bench(folder: None) -> ModuleType:
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


def test_the_section_is_written_into_its_place(
    bench: ModuleType, pages: Any, tmp_path: Path
) -> None:
    name = "every sequence"
    rows = bench.measured(name, 40, 10)
    text = bench.section({name: rows}, {name: (20, 10)}, 10, 40)
    page = pages.with_section("# Memory\n\nText.\n\n## Other\n\nMore.\n", "RSEP-QL", text)
    assert page.index("## Other") < page.index("## RSEP-QL")
    assert "| 20 | 10 | 2.0 |" in page
    (tmp_path / "page.md").write_text(page + "\n## Last\n", encoding="utf-8")
    pages.write_section(tmp_path / "page.md", "RSEP-QL", text.replace("| 2.0 |", "| 2.5 |"))
    again = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert again == page.replace("| 2.0 |", "| 2.5 |") + "\n## Last\n"
    assert pages.with_section(page, "RSEP-QL", text) == page
