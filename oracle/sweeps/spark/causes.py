"""What went wrong in Spark, in one line: the cause, and not the call in which it was noticed."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from ....semantics.model.errors import UnsupportedError

_TRACEBACK = "Traceback (most recent call last)"
_PYTHON = re.compile(r"^(?:\w+\.)*\w+: (?P<words>.+)$")
_JAVA = re.compile(r"^(?:: |Caused by: )?(?:[\w$]+\.)+[\w$]+: (?P<words>.+)$")
_GAVE_UP = re.compile(r"ERROR .*(?:Reason: |Error initializing SparkContext\W*)(?P<words>.+)$")
_WRAPPERS = ("Job aborted", "An error occurred", "An exception was thrown", "Exception in thread")
_MODULE = re.compile(r"No module named '([\w.]+)'")
_PROGRAM = re.compile(r'Cannot run program "([^"]+)"')
_CONNECT = 10.0


def cause_of(error: BaseException, log: Path | None = None) -> str:
    """The innermost cause that an error of Spark, Py4J or a worker tells, or that the log does."""
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
    """Why Spark gave up, if its log says so."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found = [told["words"] for line in lines if (told := _GAVE_UP.search(line))]
    return found[-1] if found else ""


def check_master(master: str) -> None:
    """Raises UnsupportedError if no master of a `spark://HOST:PORT[,…]` answers.

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
