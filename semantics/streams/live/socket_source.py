"""The bytes that come through a socket: of one that we connect to, or of writers that connect."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from weakref import finalize

from ..files.input_errors import input_errors
from .addresses import Address
from .byte_sources import Bytes, StopSignal

_READ = 1 << 16


def open_socket(
    address: Address, stop: StopSignal, *, follow: bool = False,
    listening: Callable[[str], object] = lambda name: None,
) -> Bytes:
    """Return the bytes from an address; `listening` gets the address for writers to connect to.

    Raises StreamError if nobody listens there, or if we cannot.
    """
    where = address.socket_address()
    if address.scheme.endswith("-listen"):
        with input_errors(address.name, what="cannot listen"):
            listener = Listener(where, stop, follow=follow)
        listening(listener.name)
        return listener
    with input_errors(address.name, what="cannot connect"):
        if isinstance(where, tuple):
            connected = socket.create_connection(where)
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        else:
            connected = socket.socket(socket.AF_UNIX)
            try:
                connected.connect(where)
            except OSError:
                connected.close()
                raise
    return Connection(connected, stop)


class Connection:
    """A socket that somebody writes to; it ends when they close it."""

    def __init__(self, connected: socket.socket, stop: StopSignal) -> None:
        self._socket = connected
        self._stop = stop

    def read_available(self, seconds: float | None) -> bytes | None:
        ready = self._stop.wait(seconds, self._socket.fileno())
        return self._socket.recv(_READ) if ready else None

    def close(self) -> None:
        self._socket.close()


class Listener:
    """A socket to which writers connect, one after another, to write one document together.

    It ends with the first of them; with `follow` it waits for the next one. Where a writer breaks
    off in the middle of a line, the line ends.
    """

    def __init__(
        self, where: tuple[str, int] | str, stop: StopSignal, *, follow: bool = False
    ) -> None:
        self._stop = stop
        self._follow = follow
        self._writer: Connection | None = None
        self._in_line = False
        self._remove: Callable[[], object] | None = None
        if isinstance(where, tuple):
            family = socket.AF_INET6 if ":" in where[0] else socket.AF_INET
            self._socket = socket.create_server(where, family=family)
            host, port = self._socket.getsockname()[:2]
            self.name = f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
            return
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(where)
            self._socket.listen()
        except OSError:
            self._socket.close()
            raise
        self.name = f"unix://{where}"
        self._remove = finalize(self, _removed, where)  # at the latest when the process ends

    def read_available(self, seconds: float | None) -> bytes | None:
        if self._writer is None:
            if not self._stop.wait(seconds, self._socket.fileno()):
                return None
            self._writer = Connection(self._socket.accept()[0], self._stop)
        chunk = self._writer.read_available(seconds)
        if chunk:
            self._in_line = not chunk.endswith(b"\n")
        if chunk != b"" or not self._follow:
            return chunk
        self._writer.close()
        self._writer = None
        in_line, self._in_line = self._in_line, False
        return b"\n" if in_line else self.read_available(seconds)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._socket.close()
        if self._remove is not None:
            self._remove()


def _removed(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
