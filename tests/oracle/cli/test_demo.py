"""The demonstration: it fails if the engine or the self-test fails."""

from __future__ import annotations

import pytest

from denota.oracle.cli import demo
from denota.oracle.engines.builtin import Production
from denota.semantics.model.errors import UnsupportedError


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(demo, "STEPS", {name: demo.STEPS[name] for name in names})
    monkeypatch.setattr(demo, "CORPUS", demo.CORPUS / "papers")
    monkeypatch.setattr(demo, "FUZZED", 15)


def test_the_engine_and_the_self_test_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "corpus", "fuzz", "self-test")
    assert demo.main() == 0
    told = capsys.readouterr().out
    assert "cases passed: the engine agrees with the oracle" in told
    assert "no discrepancy" in told
    assert "found after" in told


def test_a_wrong_engine_fails_and_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "corpus", "fuzz")
    monkeypatch.setattr(Production, "run", lambda self, task: [])
    assert demo.main() == 1
    told = capsys.readouterr().out
    assert "Failed: corpus, fuzz." in told
    assert "missing" in told


def test_a_bug_that_is_not_found_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "self-test")
    monkeypatch.setattr(demo, "_at_the_end", lambda pair: False)
    assert demo.main() == 1
    assert "bug not found" in capsys.readouterr().out


def test_what_cannot_be_run_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_spark() -> demo.Line:
        raise UnsupportedError("a sweep needs the extra 'spark' [really]")

    monkeypatch.setattr(demo, "STEPS", {"sweep": without_spark})
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
    assert f"{line.cases:,} passed" in line.result
