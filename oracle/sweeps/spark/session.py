"""Spark sessions: started quietly on loopback, the package sent to workers, errors in one line.

An archive holds the rooms that workers run and, as `denota/__init__.py`, what unpacks them beside
the archive when a worker first imports `denota`: grammars and caches are then ordinary files. What
denota needs of others (pyarrow, Numba, …) is not in it: docs/clusters.md.

The output of the JVM and of Spark's Python workers goes to a log file, not to the terminal.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from ....semantics.model.errors import UnsupportedError
from .java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_TRACEBACK = "Traceback (most recent call last)"
_PYTHON = re.compile(r"^(?:\w+\.)*\w+: (?P<words>.+)$")
_JAVA = re.compile(r"^(?:: |Caused by: )?(?:[\w$]+\.)+[\w$]+: (?P<words>.+)$")
_GAVE_UP = re.compile(r"ERROR .*(?:Reason: |Error initializing SparkContext\W*)(?P<words>.+)$")
_WRAPPERS = ("Job aborted", "An error occurred", "An exception was thrown", "Exception in thread")
_MODULE = re.compile(r"No module named '([\w.]+)'")
_PROGRAM = re.compile(r'Cannot run program "([^"]+)"')
_CONNECT = 10.0


def cause_of(error: BaseException, log: Path | None = None) -> str:
    """Return the innermost cause of an error of Spark, Py4J or a worker, or in the log."""
    text = str(error)
    own = text[text.rfind(_TRACEBACK) :].split("\n\tat ")[0] if _TRACEBACK in text else ""
    raised = [found["words"] for line in own.splitlines() if (found := _PYTHON.match(line))]
    if raised:
        return _explained(raised[-1])
    if log is not None and (told := _told_by(log)):
        return _explained(told)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    thrown = [found["words"] for line in lines if (found := _JAVA.match(line))]
    known = [words for words in thrown or lines if not words.startswith(_WRAPPERS)]
    return _explained((known or lines or [type(error).__name__])[-1 if thrown else 0])


def _explained(words: str) -> str:
    if module := _MODULE.search(words):
        return (
            f"a worker's Python has no module '{module[1]}': denota comes to the workers by itself,"
            " what it needs has to be there (pip install 'denota[spark]'), in the Python that"
            " PYSPARK_PYTHON names, or be sent along (docs/clusters.md)"
        )
    if program := _PROGRAM.search(words):
        return (
            f"a worker cannot run '{program[1]}': PYSPARK_PYTHON names the Python of the workers"
        )
    return words


def _told_by(log: Path) -> str:
    """Return the reason that Spark gave up, if its log states it."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found = [told["words"] for line in lines if (told := _GAVE_UP.search(line))]
    return found[-1] if found else ""


def check_master(master: str) -> None:
    """Raise UnsupportedError if no master of a `spark://HOST:PORT[,…]` answers.

    Spark itself tries for minutes.
    """
    if not master.startswith("spark://"):
        return
    reason = ""
    for place in master.removeprefix("spark://").split(","):
        host, colon, port = place.rpartition(":")
        if not colon or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise UnsupportedError(f"'{master}' is no master: write spark://HOST:PORT")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT):
                return
        except OSError as error:
            reason = error.strerror or str(error)
    raise UnsupportedError(f"no Spark master answers at {master}: {reason.lower()}")


ROOMS = ("semantics", "engine", "oracle", "peers")
ARCHIVE = "denota-shipped.zip"

_PACKED = "packed/"

_UNPACKING = '''\
"""Unpacks the package that lies in this archive, and is replaced by it."""

import os
import shutil
import sys
import tempfile
import zipfile

archive = __loader__.archive
unpacked = archive + ".unpacked"
if not os.path.isdir(unpacked):
    # Several workers may get here together: each unpacks, the first one's folder stands.
    own = tempfile.mkdtemp(dir=os.path.dirname(archive))
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(own, [name for name in packed.namelist() if name.startswith("packed/")])
    try:
        os.rename(os.path.join(own, "packed"), unpacked)
    except OSError:
        if not os.path.isdir(unpacked):
            raise
    shutil.rmtree(own, ignore_errors=True)
sys.path.insert(0, unpacked)
children = os.environ.get("PYTHONPATH")
os.environ["PYTHONPATH"] = unpacked if not children else unpacked + os.pathsep + children
del sys.modules["denota"]
import denota  # noqa: E402, F401
'''


_sent: dict[str, tempfile.TemporaryDirectory[str]] = {}
"""By application of Spark, the folder of what was sent: workers that start later ask for it."""


def is_cluster(master: str) -> bool:
    """Return True if workers are processes that do not find what this process finds."""
    return master != "local" and not master.startswith("local[")


@cache
def _alone() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="denota-")
    Path(folder.name, "denota").symlink_to(_root())
    return folder


def path_beside_driver() -> str:
    """Return the search path of Python for what Spark starts beside the driver, with the workers'
    Python and without what was sent to them: this package is there, and nothing else of this
    Python."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join(dict.fromkeys(filter(None, (_alone().name, *given))))


def ship(session: SparkSession, master: str) -> None:
    """Ship this very package to the workers of a cluster, whatever they have."""
    if not is_cluster(master):
        return  # its workers are processes of this machine, and find it where this one did
    path = _place(session, ARCHIVE)
    if not path.exists():
        session.sparkContext.addPyFile(str(archived(path)))
        # That is for workers: this process and its children have the package.
        sys.path[:] = [entry for entry in sys.path if not entry.endswith(ARCHIVE)]


def send(session: SparkSession, name: str, content: str) -> None:
    """Send a file to all workers of a session; what has this name there has this content."""
    path = _place(session, name)
    if not path.exists():
        path.write_text(content, encoding="utf-8")
        session.sparkContext.addFile(str(path))


def is_over(application: str) -> None:
    """Delete the files sent to this application, which is over."""
    folder = _sent.pop(application, None)
    if folder is not None:
        folder.cleanup()


def _place(session: SparkSession, name: str) -> Path:
    application = session.sparkContext.applicationId
    if application not in _sent:
        _sent[application] = tempfile.TemporaryDirectory(prefix="denota-")
    return Path(_sent[application].name) / name


def archived(path: Path) -> Path:
    """Write the archive of the package; return its path."""
    root = _root()
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("denota/__init__.py", _UNPACKING)
        for file in _files(root):
            archive.write(file, f"{_PACKED}denota/{file.relative_to(root).as_posix()}")
    return path


def _root() -> Path:
    return Path(__file__).resolve().parents[3]


def _files(root: Path) -> Iterator[Path]:
    yield from sorted(root.glob("*.py"))
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file


LOOPBACK = "127.0.0.1"

_ATTEMPTS = 4  # as on a cluster

_LITTLE_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""On one machine Java only schedules; few compiler threads leave the processors to the workers."""


@contextlib.contextmanager
def spark_session(master: str, log: Path) -> Iterator[SparkSession]:
    """Provide a Spark session on `master` (local[*], local[2], spark://…); stop it at the end.

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
    """Return the same master; on this machine, too, a task whose process is lost is begun again."""
    inside = master.removeprefix("local").strip("[]") or "1"
    if not master.startswith("local") or "," in inside:
        return master
    return f"local[{inside},{_ATTEMPTS}]"


def _is_local(master: str) -> bool:
    """Return True if everything runs on this machine, without connections from outside."""
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
