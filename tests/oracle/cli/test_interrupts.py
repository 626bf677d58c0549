"""Ctrl-C ends a verb in one line, with what has been checked so far."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import denota
from denota.oracle.checking import worker_pool
from denota.oracle.cli import main
from denota.oracle.sweeps import sweep

CASES = str(Path(denota.__file__).parent / "corpus" / "papers" / "spaseq")


@pytest.mark.parametrize("judged", [0, 2])
def test_check_tells_what_was_judged(
    judged: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    every = worker_pool.check_cases

    def interrupted(*given: Any, **options: Any) -> Iterator[Any]:
        verdicts = every(*given, **options)
        for _ in range(judged):
            yield next(verdicts)
        verdicts.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(worker_pool, "check_cases", interrupted)
    junit = tmp_path / "junit.xml"
    assert main(["check", CASES, "--jobs", "2", "--junit", str(junit)]) == 130
    out, err = capsys.readouterr()
    assert err == "denota: interrupted\n"
    assert ("2 cases: 2 passed" in out) == bool(judged)
    assert junit.exists() == bool(judged)


def test_sweep_says_that_verdicts_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "sweep", interrupted)
    assert main(["sweep", "no.parquet", "-o", str(tmp_path)]) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert "resume with --resume" in err
    assert err.endswith("denota: interrupted\n")


def test_the_exit_code_is_the_same_in_the_midst_of_an_exec() -> None:
    program = (
        "import sys; from denota.oracle import cli\n"
        "cli._dispatch = lambda words: exec('raise KeyboardInterrupt')\n"
        "sys.argv = ['denota', 'check']; sys.exit(cli.main())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "denota: interrupted\n")


def test_an_interrupt_while_modules_are_imported_leaves_no_traceback() -> None:
    program = (
        "import os, runpy, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'denota.oracle.cli':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.argv = ['denota', '--version']; runpy.run_module('denota', run_name='__main__')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")
