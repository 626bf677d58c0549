"""Addresses of streams that are no files: tcp://HOST:PORT, unix:///PATH, kafka://…/TOPIC, rate://."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from ...model.errors import StreamError

_SCHEMES = ("tcp", "tcp-listen", "unix", "unix-listen", "kafka", "rate")


@dataclass(frozen=True)
class Address:
    """The address of a stream.

    `host` and `path` are what the scheme makes of them; `options` stand behind a question mark, and
    `name` is what messages call the stream, without them.
    """

    scheme: str
    host: str
    path: str
    options: dict[str, str]
    name: str

    @property
    def format(self) -> str | None:
        """The format that the address names."""
        return self.options.get("format")

    def socket_address(self) -> tuple[str, int] | str:
        """(host, port) or the path of a socket. Raises StreamError where there is none."""
        self.check_options("format")
        if self.scheme.startswith("unix"):
            if not self.host + self.path:
                raise StreamError("a Unix socket has a path, as in unix:///run/s", source=self.name)
            return self.host + self.path
        try:
            split = urlsplit(f"//{self.host}")
            port = split.port
        except ValueError:
            port = None
        if port is None or self.path not in ("", "/"):
            raise StreamError(
                f"expected a host and a port, as in {self.scheme}://localhost:9999",
                source=self.name,
            )
        return split.hostname or "127.0.0.1", port

    def check_options(self, *known: str) -> None:
        """Raise StreamError for an option that there is not; one with a dot is a library's."""
        for option in self.options:
            if option not in known and not ("." in option and self.scheme == "kafka"):
                there = f" (there are: {', '.join(known)})" if known else ""
                raise StreamError(f"unknown option '{option}'{there}", source=self.name)


def address_of(where: object) -> Address | None:
    """Return the address that is written here; None for a path."""
    if not isinstance(where, str):
        return None
    scheme, colon, rest = where.partition(":")
    if scheme not in _SCHEMES or not colon or not rest.startswith("//"):
        return None
    rest, _, options = rest[2:].partition("?")
    host, slash, path = rest.partition("/")
    return Address(
        scheme, unquote(host), unquote(slash + path),
        dict(parse_qsl(options, keep_blank_values=True)), f"{scheme}://{rest}",
    )


def is_rate(where: str) -> bool:
    """Return True if this is the address of a rate, which emits the same items on every read."""
    address = address_of(where)
    return address is not None and address.scheme == "rate"
