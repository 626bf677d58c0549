"""The plan of a sweep, written at its start: only the same sweep can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.input_errors import input_errors, json_value
from ...semantics.streams.files.outputs import folder_lock, write_text
from ..languages.enumeration import Bounds

FILE = "manifest.json"
LOCK = ".lock"
SPARK_LOG = "spark.log"

# The files of a sweep that ended before it checked a case.
_OF_NO_WORTH = (LOCK, SPARK_LOG)
_UNFINISHED = f".{FILE}."


class SweepError(DenotaError):
    """A sweep that cannot start, or cannot go on, in this directory."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A sweep's identity.

    `corpus` is what its cases come from, in words or as a path, `fingerprint` a hash of that: of
    the corpus file's bytes, or of `language` and `bounds`, which an enumeration has. `rows` is how
    many cases are checked, `limit` how many of them at most (None: all); `chunk` is how many are
    committed at a time; `timeout` is in seconds; `verdicts` says which of them have rows.
    `name` and `revision` are what the engine says of itself.
    """

    corpus: str
    fingerprint: str
    rows: int
    engine: str
    timeout: float
    limit: int | None
    chunk: int
    version: str
    name: str = ""
    revision: str = ""
    verdicts: str = "all"
    language: str = ""
    bounds: dict[str, Any] | None = None

    @property
    def judged(self) -> tuple[str, str]:
        """The engine's name and version."""
        return self.name or self.engine, self.revision

    def check_resumable(self, earlier: Manifest, directory: Path) -> None:
        """Raise SweepError unless a sweep with the manifest `earlier` can resume with this one."""
        for name, what in (
            ("fingerprint", "corpus" if self.bounds is None else "enumeration"),
            ("engine", "engine"), ("limit", "limit"), ("timeout", "timeout"),
            ("verdicts", "choice of verdicts"), ("version", "version of denota"),
        ):
            before, now = getattr(earlier, name), getattr(self, name)
            if before != now:
                told = f": it was {before!r}, it is {now!r}" if name != "fingerprint" else ""
                raise SweepError(
                    f"cannot resume, the {what} has changed since the sweep began{told}",
                    source=str(directory),
                )


def read_manifest(directory: Path) -> Manifest | None:
    """Return the manifest of the sweep in a directory; None if there is no sweep."""
    path = directory / FILE
    if not path.exists():
        return None
    with input_errors(str(path), kind=SweepError):
        text = path.read_text(encoding="utf-8")
    told = json_value(text, str(path), kind=SweepError)
    try:
        manifest = Manifest(**told)
        _check_types(manifest)
        if manifest.bounds is not None:
            _check_types(Bounds(**manifest.bounds))
        return manifest
    except TypeError:
        raise SweepError("not a sweep's manifest", source=str(path)) from None


def _check_types(made: Any) -> None:
    """Raise TypeError if a field of a dataclass, made from a file, is of another type."""
    for name, kind in get_type_hints(type(made)).items():
        kinds = get_args(kind) if get_origin(kind) is UnionType else (kind,)
        value = getattr(made, name)
        if kind is float and type(value) is int:
            continue  # JSON does not tell 10 from 10.0
        if not any(isinstance(value, get_origin(each) or each) for each in kinds):
            raise TypeError(f"'{name}' is no {kind}")


def write_manifest(manifest: Manifest, directory: Path) -> None:
    """Write the manifest, in one step."""
    write_text(directory / FILE, json.dumps(asdict(manifest), indent=2) + "\n")


def begin(directory: Path, *, resume: bool) -> Manifest | None:
    """Make a sweep's directory; the manifest of the sweep that is to be resumed, if there is one.

    Raises SweepError if the directory holds something that would be overwritten.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for entry in directory.rglob("*"):
        if entry.is_symlink():
            raise SweepError(
                "this is a link, through which the sweep would write elsewhere", source=str(entry)
            )
    earlier = read_manifest(directory)
    others = [
        entry for entry in directory.iterdir()
        if entry.name not in _OF_NO_WORTH and not entry.name.startswith(_UNFINISHED)
    ]
    if earlier is not None and not resume:
        raise SweepError(
            "there is a sweep in this directory already (--resume goes on with it)",
            source=str(directory),
        )
    if earlier is None and others:
        raise SweepError("the directory is not empty", source=str(directory))
    return earlier


def forget(directory: Path) -> None:
    """Let the next sweep begin anew, after one that could not start."""
    (directory / FILE).unlink(missing_ok=True)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep other sweeps out of a directory; the lock ends with this process, however it ends."""
    directory.mkdir(parents=True, exist_ok=True)
    busy = SweepError("this directory is locked by another sweep", source=str(directory))
    with folder_lock(directory / LOCK, busy):
        yield
