"""Sockets as sources of bytes, and the addresses that name them."""

from __future__ import annotations

import socket
import struct

import pytest

from denota.semantics.model.errors import StreamError
from denota.semantics.streams.files.documents import open_live
from denota.semantics.streams.live.addresses import Address, address_of
from denota.semantics.streams.live.byte_sources import StopSignal, is_live
from denota.semantics.streams.live.graphs import live_items
from denota.semantics.streams.live.reader import Arrivals, all_of
from denota.semantics.streams.live.socket_source import Connection, Listener
from denota.semantics.streams.live.tuples import live_tuples


@pytest.fixture
def stop():
    stop = StopSignal()
    yield stop
    stop.close()


def test_an_address_is_told_from_a_path():
    assert address_of("tcp://h:1?format=jsonl") == Address(
        "tcp", "h:1", "", {"format": "jsonl"}, "tcp://h:1"
    )
    for path in ("-", "s.nq", "tcp", "tcp:s", "c://x/y.nq", "http://h:1/s.nq"):
        assert address_of(path) is None
        assert not is_live(path) or path == "-"
    assert is_live("unix:///nowhere")


@pytest.mark.parametrize("written, address", [
    ("tcp://localhost:9", ("localhost", 9)),
    ("tcp://[::1]:9", ("::1", 9)),
    ("tcp-listen://:0", ("127.0.0.1", 0)),
    ("unix:///run/s%20t", "/run/s t"),
    ("unix-listen://s.sock", "s.sock"),
])
def test_where_a_socket_is(written, address):
    assert address_of(written).socket_address() == address


@pytest.mark.parametrize("written, message", [
    ("tcp://localhost", "expected a host and a port"),
    ("tcp://localhost:http", "expected a host and a port"),
    ("tcp://localhost:99999", "expected a host and a port"),
    ("tcp-listen://localhost:9/x", "expected a host and a port"),
    ("unix://", "has a path"),
    ("tcp://h:9?from=end", r"unknown option 'from' \(there are: format\)"),
    ("tcp://h:9?a.b=end", "unknown option"),
    ("unix:///nowhere/at/all", "cannot connect: no such file"),
    ("unix-listen:///nowhere/at/all", "cannot listen: no such file"),
])
def test_what_is_wrong_with_an_address(written, message, stop):
    with pytest.raises(StreamError, match=message) as error:
        open_live(written, stop)
    assert error.value.source == written.partition("?")[0]


def test_nobody_listens(stop):
    with socket.socket() as taken:  # bound and not listening: nobody else gets the port
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(StreamError, match="cannot connect: connection refused"):
            open_live(f"tcp://127.0.0.1:{taken.getsockname()[1]}", stop)


def test_a_connection_gives_what_is_there_and_ends(stop):
    ours, theirs = socket.socketpair()
    connection = Connection(ours, stop)
    assert connection.read_available(0) is None
    theirs.sendall(b"a")
    assert connection.read_available(None) == b"a"
    theirs.close()
    assert connection.read_available(None) == b""
    connection.close()


def test_a_listener_ends_with_its_first_writer(stop, tmp_path):
    path = str(tmp_path / "s")
    listener = Listener(path, stop)
    assert listener.name == f"unix://{path}"
    assert listener.read_available(0) is None
    with socket.socket(socket.AF_UNIX) as writer:
        writer.connect(path)
        writer.sendall(b"a\nb")
        assert listener.read_available(None) == b"a\nb"
    assert listener.read_available(None) == b""
    listener.close()
    assert not (tmp_path / "s").exists()


def test_a_listener_that_is_followed_takes_one_writer_after_another(stop, tmp_path):
    path = str(tmp_path / "s")
    listener = Listener(path, stop, follow=True)
    writers = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for writer, text in zip(writers, (b"a\nb", b"c\n", b"d\n"), strict=True):
        writer.connect(path)
        writer.sendall(text)
    assert listener.read_available(None) == b"a\nb"
    for writer in writers:
        writer.close()
    assert [listener.read_available(None) for _ in range(3)] == [b"\n", b"c\n", b"d\n"]
    assert listener.read_available(0) is None
    listener.close()


def test_a_connection_that_is_reset_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        stream = live_tuples(Arrivals(), f"tcp://{host}:{port}", format="csv")
        writer, _ = server.accept()
        with writer:
            writer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.sendall(b"type,time\nA,1\n")
        with pytest.raises(StreamError, match="connection reset by peer") as error:
            all_of(stream, lambda each: each.time)
        assert str(error.value).startswith(f"tcp://{host}:{port}: cannot be read: ")


@pytest.mark.parametrize("format, text, message", [
    (None, "<x:a> 5 <x:b> .\n", r"tcp://127\.0\.0\.1:\d+:1:\d+: "),
    ("jsonl", "{}\n{]\n", r"tcp://127\.0\.0\.1:\d+:2:2: not JSON: "),
])
def test_what_is_wrong_with_a_line_names_address_and_line(format, text, message):
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        option = f"?format={format}" if format else ""
        stream = live_items(Arrivals(), f"tcp://{host}:{port}{option}")
        writer, _ = server.accept()
        with writer:
            writer.sendall(text.encode())
        with pytest.raises(StreamError, match=f"^{message}"):
            all_of(stream, lambda item: item.end)


def test_what_cannot_be_read_as_it_comes_is_no_format_of_a_socket():
    with pytest.raises(StreamError, match="parquet is read as a whole"):
        live_tuples(Arrivals(), "tcp://localhost:1?format=parquet")
