"""The bytes of what is read while it grows: standard input, pipes and followed files."""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from collections.abc import Callable
from typing import BinaryIO, Protocol

from .addresses import address_of

_READ = 1 << 16
_SECONDS_BETWEEN_LOOKS = 0.05


class Stopped(Exception):
    """The exception that ends a reader: no more bytes are needed."""


class StopSignal:
    """A signal that ends the threads that wait for bytes."""

    def __init__(self) -> None:
        self.told = False
        self._reading, self._writing = os.pipe()

    def set(self) -> None:
        """Make those who wait raise Stopped."""
        self.told = True
        os.write(self._writing, b"!")

    def wait(self, seconds: float | None, descriptor: int | None = None) -> bool:
        """Return True if the descriptor has bytes within `seconds`. Raises Stopped."""
        watched = [self._reading] if descriptor is None else [descriptor, self._reading]
        ready, _, _ = select.select(watched, [], [], seconds)
        if self._reading in ready:
            raise Stopped
        return bool(ready)

    def close(self) -> None:
        os.close(self._reading)
        os.close(self._writing)


class Bytes(Protocol):
    """A source of bytes."""

    def read_available(self, seconds: float | None) -> bytes | None:
        """Return the available bytes, b"" at the end; None if none arrive within `seconds`."""

    def close(self) -> None: ...


class Pipe:
    """Standard input, a named pipe or a terminal, to which somebody writes."""

    def __init__(self, descriptor: int, stop: StopSignal, *, owned: bool = False) -> None:
        self._descriptor = descriptor
        self._stop = stop
        self._owned = owned

    def read_available(self, seconds: float | None) -> bytes | None:
        ready = self._stop.wait(seconds, self._descriptor)
        return os.read(self._descriptor, _READ) if ready else None

    def close(self) -> None:
        if self._owned:
            os.close(self._descriptor)


class GrowingFile:
    """A file that somebody appends to; it never ends."""

    def __init__(
        self, file: BinaryIO, *, clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._file = file
        self._read = getattr(file, "read1", file.read)
        self._clock = clock
        self._sleep = sleep

    def read_available(self, seconds: float | None) -> bytes | None:
        until = None if seconds is None else self._clock() + seconds
        while not (chunk := self._read(_READ)):
            if until is not None and self._clock() >= until:
                return None
            self._sleep(_SECONDS_BETWEEN_LOOKS)
        return chunk

    def close(self) -> None:
        self._file.close()


class AtRest:
    """A file that is there as a whole."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read_available(self, seconds: float | None) -> bytes | None:
        return self._file.read(_READ)

    def close(self) -> None:
        self._file.close()


class LiveFile:
    """The lines of a source. Before it waits it calls `waiting`, after `idle` seconds `silent`."""

    def __init__(self, source: Bytes, idle: float | None = None) -> None:
        self.waiting: Callable[[], None] = _nothing
        self.silent: Callable[[], None] = _nothing
        self._source = source
        self._idle = idle
        self._held = b""
        self._searched = 0
        self._ended = False

    def readline(self, size: int = -1, /) -> bytes:
        """Return the next line, as much of it as `size` allows; b"" at the end."""
        while (end := self._held.find(b"\n", self._searched) + 1) == 0 and not self._ended:
            self._searched = len(self._held)
            if 0 <= size <= len(self._held):
                break
            self._more()
        end = end or len(self._held)
        return self._taken(end if size < 0 else min(end, size))

    def read1(self, size: int = -1, /) -> bytes:
        """Return the bytes that are there, at least one; b"" at the end."""
        if not self._held and not self._ended:
            self._more()
        return self._taken(len(self._held) if size < 0 else size)

    def close(self) -> None:
        self._source.close()

    def _taken(self, size: int) -> bytes:
        taken, self._held = self._held[:size], self._held[size:]
        self._searched = 0
        return taken

    def _more(self) -> None:
        chunk = self._source.read_available(0)
        if chunk is None:
            self.waiting()
            chunk = self._source.read_available(self._idle)
        if chunk is None:
            self.silent()
            chunk = self._source.read_available(None)
        assert chunk is not None
        self._held += chunk
        self._ended = not chunk


def _nothing() -> None:
    pass


def is_live(path: str) -> bool:
    """Return True if a path (`-`: standard input) is a pipe, terminal or address, not a file."""
    if address_of(path) is not None:
        return True
    if path == "-":
        try:
            return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
        except (OSError, ValueError, AttributeError):
            return False  # standard input is no file: a text in memory
    try:
        return not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path)
    except OSError:
        return False
