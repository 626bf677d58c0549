"""A folder whose files, one after the other, are one stream.

They are taken as Spark's file source takes them: first those that are there, by the time of their
last change and then by name; after them those that have come since, in the same way. A name that
begins with `.` or `_`, or ends in `._COPYING_`, is of a file that somebody still writes, and is
passed over. A file is there as a whole when it is there: what is appended to it later is not read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...model.errors import StreamError
from ..live.addresses import address_of
from .input_errors import input_errors

LOOK_EVERY = 0.2
"""Seconds between two looks for files that have come."""


@dataclass
class Folder:
    """The files of a folder, in the order in which they are taken.

    `kept` is a file that says which have been taken: whoever reads the folder again takes these
    first, in their order. The file's folder is there.
    """

    path: str
    kept: Path | None = None
    waiting: Callable[[], None] = lambda: None
    """The callback before each wait for the next file."""
    silent: Callable[[], None] = lambda: None
    """The callback when no file has come for `idle` seconds."""
    idle: float | None = None

    def files(self, wait: Callable[[float], object] | None = None) -> Iterator[str]:
        """Yield their paths; with `wait`, which waits for a number of seconds, without end.

        Raises StreamError if the folder, or a file that was taken before, is not as it was.
        """
        names: set[str] = set()
        for name, size in self._taken_before().items():
            names.add(name)
            yield self._as_it_was(name, size)
        while True:
            found = self._there(names)
            names.update(found)
            self._note(found)
            for name in found:
                yield os.path.join(self.path, name)
            if wait is None:
                return
            waited = 0.0
            self.waiting()
            while not self._there(names):
                wait(LOOK_EVERY)
                waited += LOOK_EVERY
                if self.idle is not None and waited - LOOK_EVERY < self.idle <= waited:
                    self.silent()

    def _there(self, without: set[str]) -> list[str]:
        found = []
        with input_errors(self.path), os.scandir(self.path) as entries:
            for each in entries:
                if each.name not in without and not _hidden(each.name) and each.is_file():
                    found.append((each.stat().st_mtime_ns, each.name))
        return [name for _, name in sorted(found)]

    # --- what was taken ---

    def _taken_before(self) -> dict[str, int]:
        """Return the files with their sizes; a reader that was not ended may name one again."""
        if self.kept is None or not self.kept.exists():
            return {}
        said = self.kept.read_bytes()
        whole = said[: said.rfind(b"\n") + 1]  # of a line that is cut off no item was taken
        if whole != said:
            os.truncate(self.kept, len(whole))
        return dict(map(json.loads, whole.splitlines()))

    def _note(self, found: list[str]) -> None:
        if self.kept is None or not found:
            return
        lines = [json.dumps([name, self._size(name)]).encode() + b"\n" for name in found]
        with input_errors(str(self.kept), what="cannot be written"), self.kept.open("ab") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())

    def _as_it_was(self, name: str, size: int) -> str:
        path = os.path.join(self.path, name)
        now = self._size(name)
        if now != size:
            raise StreamError(
                f"the run has read this file when it had {size:,} bytes, now it has {now:,}",
                source=path,
            )
        return path

    def _size(self, name: str) -> int:
        path = os.path.join(self.path, name)
        with input_errors(path):
            return os.stat(path).st_size


def is_folder(path: str) -> bool:
    """Return True if a path means a folder: it is one, or ends as the path of one does."""
    return os.path.isdir(path) or (path.endswith(os.sep) and address_of(path) is None)


def _hidden(name: str) -> bool:
    return name.startswith((".", "_")) or name.endswith("._COPYING_")
