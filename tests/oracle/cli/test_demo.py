"""The demonstration tells the truth: it fails when engine or judge fail."""

from __future__ import annotations

import pytest

from denota.oracle.cli import demo
from denota.oracle.engines.own import Production
from denota.semantics.model.errors import UnsupportedError


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(demo, "CHAPTERS", {name: demo.CHAPTERS[name] for name in names})
    monkeypatch.setattr(demo, "CORPUS", demo.CORPUS / "papers")
    monkeypatch.setattr(demo, "FUZZED", 15)


def test_engine_and_judge_stand_the_test(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "corpus", "fuzz", "judge")
    assert demo.main() == 0
    told = capsys.readouterr().out
    assert "The engine agrees with the definitions on all" in told
    assert "no discrepancy" in told
    assert "found after" in told


def test_a_wrong_engine_fails_and_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "corpus", "fuzz")
    monkeypatch.setattr(Production, "run", lambda self, task: [])
    assert demo.main() == 1
    told = capsys.readouterr().out
    assert "Not everything is as it should be: corpus, fuzz." in told
    assert "missing" in told


def test_a_sleeping_judge_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "judge")
    monkeypatch.setattr(demo, "_at_the_end", lambda pair: False)
    assert demo.main() == 1
    assert "overlooked" in capsys.readouterr().out


def test_what_cannot_be_run_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_spark() -> demo.Line:
        raise UnsupportedError("a sweep needs the extra 'spark' [really]")

    monkeypatch.setattr(demo, "CHAPTERS", {"sweep": without_spark})
    assert demo.main() == 1
    assert "extra 'spark' [really]" in capsys.readouterr().out


@pytest.mark.spark
@pytest.mark.slow
def test_the_sweep_judges_every_small_case(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    monkeypatch.setattr(demo, "EVENTS", 1)
    line = demo.spark()
    assert line.ok
    assert line.cases > 100
    assert f"{line.cases:,} pass" in line.finding
