"""Minute bars of stocks as an RDF graph stream: one graph a bar.

    bar:MSFT-200802010901 prov:generatedAtTime "2008-02-01T09:01:00Z"^^xsd:dateTime .
    bar:MSFT-200802010901 { company:MSFT stock:price 31.27 ; stock:volume 193265 ; … }

The price of a bar is its closing price. The exchange's local time is written without a zone, and so
taken as UTC.
"""

from __future__ import annotations

import csv
import os
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from ..semantics.model.errors import StreamError
from ..semantics.model.items import TimeKind, TimestampedGraph
from ..semantics.model.terms import URIRef, literal
from ..semantics.model.time import XSD, parse_datetime

STREAM = URIRef("urn:denota:stocks")
PREFIXES = {
    "stock": "urn:denota:stocks:",
    "company": "urn:denota:stocks:company:",
    "bar": "urn:denota:stocks:bar:",
}

_PRICE, _OPEN, _HIGH, _LOW, _VOLUME = (
    URIRef(PREFIXES["stock"] + name) for name in ("price", "open", "high", "low", "volume")
)
_MINUTE = re.compile(r"[0-9]{12}")
_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_INTEGER = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Bar:
    """What was paid for one share of a company within a minute (`yyyymmddHHMM`), as written."""

    symbol: str
    minute: str
    open: str
    high: str
    low: str
    close: str
    volume: str


def read_bars(path: str | os.PathLike[str]) -> Iterator[Bar]:
    """The bars of a CSV file: symbol, yyyymmddHHMM, open, high, low, close, volume; no header.

    Raises StreamError with file and line for a row that is not one.
    """
    source = os.fspath(path)
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for number, row in enumerate(csv.reader(file), 1):
                if row:
                    yield _bar(row, source, number)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StreamError(f"cannot be read: {reason}", source=source) from None


def _bar(row: list[str], source: str, line: int) -> Bar:
    if len(row) != 7:
        raise StreamError(
            "expected 7 columns (symbol, yyyymmddHHMM, open, high, low, close, volume),"
            f" not {len(row)}", source=source, line=line,
        )
    bar = Bar(*(cell.strip() for cell in row))
    if not bar.symbol or not _MINUTE.fullmatch(bar.minute):
        raise StreamError(
            f"expected a symbol and a minute such as 200802010901, not '{bar.symbol}' and"
            f" '{bar.minute}'", source=source, line=line,
        )
    for value in (bar.open, bar.high, bar.low, bar.close):
        if not _DECIMAL.fullmatch(value):
            raise StreamError(f"'{value}' is not a price", source=source, line=line)
    if not _INTEGER.fullmatch(bar.volume):
        raise StreamError(f"'{bar.volume}' is not a volume", source=source, line=line)
    return bar


def generate_bars(seed: int, minutes: int = 400, companies: int = 4) -> Iterator[Bar]:
    """Bars like real ones: prices walk in cents, and all but one company miss a minute at times."""
    dice = random.Random(seed)
    cents = {f"COM{chr(ord('A') + number)}": dice.randrange(1000, 5000)
             for number in range(companies)}
    for minute in range(minutes):
        hour, past = divmod(9 * 60 + minute, 60)
        day, hour = divmod(hour, 24)
        for number, symbol in enumerate(sorted(cents)):
            if number and dice.random() < 0.15:
                continue
            opened = cents[symbol]
            path = [opened]
            for _ in range(3):
                path.append(max(1, path[-1] + dice.choice((-3, -2, -1, -1, 0, 0, 1, 1, 2, 3))))
            cents[symbol] = path[-1]
            high, low, close = max(path), min(path), path[-1]
            yield Bar(
                symbol, f"200801{day + 1:02}{hour:02}{past:02}", _money(opened), _money(high),
                _money(low), _money(close), str(int(100 * dice.lognormvariate(3, 1.5))),
            )


def _money(cents: int) -> str:
    return f"{cents / 100:.2f}"


def stream_of(bars: Iterable[Bar]) -> Iterator[TimestampedGraph]:
    """One graph a bar, at the bar's minute. Bars of several companies share their minutes."""
    for bar in bars:
        company = URIRef(PREFIXES["company"] + quote(bar.symbol, safe=""))
        year, month, day, hour, minute = re.findall("^....|..", bar.minute)
        graph = frozenset(
            (company, predicate, literal(value, XSD + datatype))
            for predicate, value, datatype in (
                (_PRICE, bar.close, "decimal"), (_OPEN, bar.open, "decimal"),
                (_HIGH, bar.high, "decimal"), (_LOW, bar.low, "decimal"),
                (_VOLUME, bar.volume, "integer"),
            )
        )
        yield TimestampedGraph(
            parse_datetime(f"{year}-{month}-{day}T{hour}:{minute}:00"),
            graph,
            TimeKind.DATETIME,
            URIRef(f"{PREFIXES['bar']}{quote(bar.symbol, safe='')}-{bar.minute}"),
        )
