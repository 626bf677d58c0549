"""Starting Spark: with a Java that need not be installed, quietly, on loopback.

The output of the JVM and of Spark's Python workers goes to a log file, not to the terminal.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ....semantics.model.errors import UnsupportedError
from .causes import cause_of, check_master
from .java import java_home
from .shipping import is_cluster, is_over, path_beside_driver, ship

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK = "127.0.0.1"

_ATTEMPTS = 4  # as on a cluster

_LITTLE_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""On one machine Java hands out work, and the processors are the judges': it compiles little."""


@contextlib.contextmanager
def spark_session(master: str, log: Path) -> Iterator[SparkSession]:
    """A Spark session on `master` (local[*], local[2], spark://…), stopped at the end.

    Where this process has one already, that one is used and left running. Spark's own log goes to
    the file `log`. Raises UnsupportedError if the extra 'spark' is not installed or Spark does not
    start.
    """
    check_installed()
    check_master(master)
    already = _is_running()
    builder = _builder(master)
    os.environ.update(_environment(master))
    try:
        with _stderr_into(log):
            session: SparkSession = builder.getOrCreate()
    except Exception as error:
        reason = cause_of(error, log)
        raise UnsupportedError(f"Spark does not start on {master}: {reason} (see {log})") from error
    session.sparkContext.setLogLevel("ERROR")
    application = session.sparkContext.applicationId
    try:
        ship(session, master)
        yield session
    finally:
        if not already:
            with _stderr_into(log):
                session.stop()
            is_over(application)


def _is_running() -> bool:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() is not None


def check_installed(what: str = "a sweep") -> None:
    """Raise UnsupportedError if the extra 'spark' is not installed."""
    try:
        import pandas  # noqa: F401  (pyspark's Arrow functions need it)
        import pyspark.sql  # noqa: F401
    except ImportError as error:
        raise UnsupportedError(
            f"{what} needs the extra 'spark', which is not installed "
            f"(pip install 'denota[spark]'): no module '{error.name}'"
        ) from None


def _builder(master: str) -> SparkSession.Builder:
    from pyspark.sql import SparkSession

    builder: SparkSession.Builder = SparkSession.builder
    options = {
        "spark.master": _retrying(master),
        "spark.app.name": "denota sweep",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.python.worker.reuse": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.adaptive.enabled": "false",  # it would merge the small partitions of a chunk
        "spark.sql.session.timeZone": "UTC",
    }
    if _is_local(master):
        options |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    if master.startswith("local"):
        options["spark.driver.extraJavaOptions"] = _LITTLE_JAVA
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder


def _environment(master: str) -> dict[str, str]:
    environment = {
        "JAVA_HOME": str(java_home()),
        # On a cluster the user may name another one, which is there on every worker.
        "PYSPARK_PYTHON": sys.executable if master.startswith("local") else os.environ.get(
            "PYSPARK_PYTHON", sys.executable
        ),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    if is_cluster(master):
        environment["PYTHONPATH"] = path_beside_driver()
    return environment | ({"SPARK_LOCAL_IP": LOOPBACK} if _is_local(master) else {})


def _retrying(master: str) -> str:
    """The same master; on this machine, too, a task whose process is lost is begun again."""
    inside = master.removeprefix("local").strip("[]") or "1"
    if not master.startswith("local") or "," in inside:
        return master
    return f"local[{inside},{_ATTEMPTS}]"


def _is_local(master: str) -> bool:
    """Whether everything runs on this machine, so that nothing need be heard outside of it."""
    return master.startswith(("local", f"spark://{LOOPBACK}:", "spark://localhost:"))


@contextlib.contextmanager
def _stderr_into(log: Path) -> Iterator[None]:
    """Let the processes that are started here write their errors into `log`."""
    sys.stderr.flush()
    kept = os.dup(2)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.dup2(target, 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(target)
