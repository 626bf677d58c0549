"""The package on its way to the workers of a cluster: they need not have denota installed.

An archive holds the rooms that workers run and, as `denota/__init__.py`, what unpacks them beside
the archive when a worker first imports `denota`: grammars and caches are then ordinary files. What
denota needs of others (pyarrow, Numba, …) is not in it: docs/clusters.md.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
    """Whether workers are processes that do not find what this process finds."""
    return master != "local" and not master.startswith("local[")


@cache
def _alone() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="denota-")
    Path(folder.name, "denota").symlink_to(_root())
    return folder


def path_beside_driver() -> str:
    """The search path of Python for what Spark starts beside the driver, with the workers' Python
    and without what was sent to them: this package is there, and nothing else of this Python."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join(dict.fromkeys(filter(None, (_alone().name, *given))))


def ship(session: SparkSession, master: str) -> None:
    """From now on the workers of a cluster import this very package, whatever they have."""
    if not is_cluster(master):
        return  # its workers are processes of this machine, and find it where this one did
    path = _place(session, ARCHIVE)
    if not path.exists():
        session.sparkContext.addPyFile(str(archived(path)))
        # That is for workers: this process and its children have the package.
        sys.path[:] = [entry for entry in sys.path if not entry.endswith(ARCHIVE)]


def send(session: SparkSession, name: str, content: str) -> None:
    """Sends a file to all workers of a session; what has this name there has this content."""
    path = _place(session, name)
    if not path.exists():
        path.write_text(content, encoding="utf-8")
        session.sparkContext.addFile(str(path))


def is_over(application: str) -> None:
    """Nobody asks for what was sent to this application any more."""
    folder = _sent.pop(application, None)
    if folder is not None:
        folder.cleanup()


def _place(session: SparkSession, name: str) -> Path:
    application = session.sparkContext.applicationId
    if application not in _sent:
        _sent[application] = tempfile.TemporaryDirectory(prefix="denota-")
    return Path(_sent[application].name) / name


def archived(path: Path) -> Path:
    """Writes the archive of the package; where it is."""
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
