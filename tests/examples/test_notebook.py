"""The notebook of examples/: executed, it has the outputs that are stored in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import denota

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(denota.__file__).resolve().parent / "examples" / "overheating.ipynb"


def outputs_of(notebook: Any) -> Iterator[list[Mapping[str, str]]]:
    """Yield, for each cell of code, its outputs: the text and the HTML, or what was printed."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield [
                {kind: data for kind, data in output.data.items() if kind.startswith("text/")}
                if "data" in output else dict(output)
                for output in cell.outputs
            ]


def test_the_stored_outputs_are_those_of_the_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    stored = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(stored)
    shown = list(outputs_of(stored))
    assert sum(map(bool, shown)) >= 7
    for cell in stored.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = nbclient.NotebookClient(
        stored, timeout=None, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    assert list(outputs_of(stored)) == shown


def test_the_notebook_shows_a_query_its_matches_and_two_readings() -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)
    shown = [output for cell in outputs_of(stored) for output in cell]
    html = [output["text/html"] for output in shown if "text/html" in output]
    assert "SEQ(Warm; Warmer+; Stopped)" in html[1]
    assert "data:image/svg+xml" in html[1]
    assert [page.count("<tr>") - 1 for page in html if page.startswith("<table>")] == [3, 3, 2]
    assert any("Not a match: ?rack = :rack2" in page for page in html)
    assert any("1 missing" in page for page in html)
    assert "Distinguishing stream, 4 events" in html[-1]
