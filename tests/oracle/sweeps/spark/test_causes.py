"""What is said of an error of Spark: its cause, in one line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from denota.oracle.sweeps.spark.session import cause_of, check_master
from denota.semantics.model.errors import UnsupportedError

WORKER = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "judging.py", line 14, in <module>
    import {module}
ModuleNotFoundError: No module named '{module}'
"""
JAVA = """An error occurred while calling None.org.apache.spark.sql.classic.SparkSession.
: java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.
\tat org.apache.spark.SparkContext.assertNotStopped(SparkContext.scala:105)
\tat java.base/java.lang.Thread.run(Thread.java:840)
"""
ABORTED = """An error occurred while calling o77.toArrow.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 failed 4 times
\tat org.apache.spark.scheduler.DAGScheduler.failJob(DAGScheduler.scala:2856)
Caused by: java.io.IOException: Cannot run program "/no/python": error=2, No such file or directory
\tat java.base/java.lang.ProcessBuilder.start(ProcessBuilder.java:1143)
Caused by: java.io.IOException: Cannot run program "/no/python": error=2, No such file or directory
"""


@pytest.mark.parametrize("module", ["denota", "pyarrow"])
def test_a_worker_without_a_module(module: str) -> None:
    said = cause_of(RuntimeError(WORKER.format(module=module)))
    assert said.startswith(f"a worker's Python has no module '{module}': denota comes to")


def test_what_an_engine_raises_is_said_also_if_java_speaks_after_it() -> None:
    text = WORKER.format(module="x").replace(
        "ModuleNotFoundError: No module named 'x'",
        "denota.oracle.engines.engine.EngineError: engine 'python:x:y': there is no module 'x'",
    )
    java = "\n\tat org.apache.spark.Runner.run(R.scala:1)\nCaused by: java.lang.Error: y"
    for after in ("", java):
        assert cause_of(RuntimeError(text + after)) == (
            "engine 'python:x:y': there is no module 'x'"
        )


def test_the_innermost_cause_of_java() -> None:
    assert cause_of(RuntimeError(ABORTED)) == (
        "a worker cannot run '/no/python': PYSPARK_PYTHON names the Python of the workers"
    )
    assert "stopped SparkContext" in cause_of(RuntimeError(JAVA))


def test_the_log_knows_why_spark_gave_up(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    log.write_text(
        "26/11/22 WARN x: y\n26/11/22 ERROR StandaloneSchedulerBackend: Application has been"
        " killed. Reason: All masters are unresponsive! Giving up.\n"
    )
    assert cause_of(RuntimeError(JAVA), log) == "All masters are unresponsive! Giving up."


def test_an_error_without_words_has_a_name() -> None:
    assert cause_of(KeyError()) == "KeyError"


def test_a_master_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        check_master(f"spark://127.0.0.1:{port}")
    refused = r"no Spark master answers at .*: connection refused"
    with pytest.raises(UnsupportedError, match=refused):
        check_master(f"spark://127.0.0.1:{port}")
    for wrong in ("spark://here", "spark://here:port", "spark://here:99999"):
        with pytest.raises(UnsupportedError, match="write spark://HOST:PORT"):
            check_master(wrong)
    check_master("local[2]")
