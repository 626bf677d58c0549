"""`denota run --spark` whose driver is killed: started again, each result is there once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow]

QUICK_TO_START = (
    "--driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'"
    " --conf spark.sql.codegen.wholeStage=false pyspark-shell"
)


def results(sink: Path) -> list[str]:
    """Return the lines in the files that the sink has committed.

    Each tenth log of Spark's sink is a compaction: it has the entries of all logs before it.
    """
    import pyarrow.parquet as pq

    logs = {
        int(log.stem): log for log in (sink / "_spark_metadata").iterdir()
        if log.stem.isdigit() and log.suffix in ("", ".compact")
    }
    first = max((number for number, log in logs.items() if log.suffix), default=0)
    named = [
        Path(json.loads(line)["path"].removeprefix("file:"))
        for number, log in logs.items() if number >= first
        for line in log.read_text().splitlines() if line.startswith("{")
    ]
    return [line for file in named for line in pq.read_table(file).column("result").to_pylist()]


def write(file: Path, rows: list[str], changed: int = 0) -> None:
    file.write_text("\n".join(["type,m", *rows]) + "\n")
    os.utime(file, (changed, changed))


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    draw = Random(3)
    (tmp_path / "q.ceql").write_text(
        "SELECT * FROM S WHERE Low ; High PARTITION BY [m] WITHIN 40 EVENTS"
    )
    rows = [f"{draw.choice(['Low', 'High'])},{draw.randrange(7)}" for _ in range(400)]
    write(tmp_path / "s.csv", rows)
    run = [sys.executable, "-m", "denota", "run", "q.ceql", "--stream"]
    wanted = subprocess.run(
        [*run, "S=s.csv"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (tmp_path / "come").mkdir()
    write(tmp_path / "come/second.csv", rows[150:300], changed=2)
    write(tmp_path / "come/then.csv", rows[:150], changed=1)
    write(tmp_path / "come/.first.csv", rows[300:])
    asked = [*run, "S=come/", "--spark", "--master", "local[1]", "--checkpoint", "state",
             "--format", "parquet", "-o", "found"]
    quick = {**os.environ, "PYSPARK_SUBMIT_ARGS": QUICK_TO_START}

    # It follows the folder, so that it cannot end before it is killed, however late that is.
    first = subprocess.Popen(
        [*asked, "--checkpoint-interval", "10", "--follow"],
        cwd=tmp_path, env=quick, start_new_session=True,
    )
    while not (tmp_path / "state/spark/commits/1").exists():
        assert first.poll() is None, "the run has ended by itself"
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    found = len(results(tmp_path / "found"))
    assert found < len(wanted.stdout.splitlines())
    # It comes last, whatever its name and time say.
    write(tmp_path / "come/first.csv", rows[300:], changed=0)

    done = subprocess.run(
        asked, cwd=tmp_path, env=quick, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(results(tmp_path / "found")) == sorted(wanted.stdout.splitlines())

    other = subprocess.run(
        [*asked, "--key-groups", "3"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert other.returncode == 2
    assert "cannot resume: the checkpoint belongs to a run with other --key-groups" in other.stderr
