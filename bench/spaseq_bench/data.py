"""Streams in the shape of the four data sets of the paper (8.1), or mapped from a real one.

Times are whole seconds. Each item's graph is about one event, with a triple an attribute.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from rdflib.term import URIRef

from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import Graph, literal
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_DECIMAL = "http://www.w3.org/2001/XMLSchema#decimal"


def iri(name: str) -> URIRef:
    return URIRef(EX + name)


def _said(subject: URIRef, **values: URIRef | int | str) -> Graph:
    return frozenset(
        (
            subject,
            iri(name),
            value if isinstance(value, URIRef)
            # Not remembered, as `literal` is: a long stream has too many.
            else literal.__wrapped__(str(value), _INTEGER if isinstance(value, int) else _DECIMAL),
        )
        for name, value in values.items()
    )


def _item(stream: str, time: int, graph: Graph) -> StreamItem:
    return StreamItem(iri(stream), time, 0, graph, TimeKind.INTEGER)


def stock_market(events: int, companies: int = 110, seed: int = 1) -> list[StreamItem]:
    """SMD: trades of 110 companies in 11 sectors, one a second; six triples each."""
    draw = random.Random(seed)
    price = [draw.randrange(100, 1000) for _ in range(companies)]

    def trades() -> Iterator[StreamItem]:
        for count in range(events):
            which = draw.randrange(companies)
            price[which] = max(1, price[which] + draw.randint(-9, 9))
            yield _item("stocks", count, _said(
                iri(f"trade{count}"), company=iri(f"company{which}"), price=price[which],
                sector=iri(f"sector{which % 11}"), volume=draw.randrange(1, 1000),
                type=iri(draw.choice(("sell", "buy"))), number=count,
            ))

    return list(trades())


def smart_home(events: int, houses: int = 10, seed: int = 2) -> list[StreamItem]:
    """SHD: streams of power sources, of storage and of the weather; five triples each."""
    draw = random.Random(seed)

    def readings() -> Iterator[StreamItem]:
        for count in range(events):
            house, stream = iri(f"house{draw.randrange(houses)}"), draw.choice(
                ("power", "storage", "weather")
            )
            yield _item(stream, count, _said(
                iri(f"reading{count}"), kind=iri(stream), house=house, value=draw.randrange(1000),
                sensor=iri(f"{stream}-sensor{draw.randrange(houses)}"), number=count,
            ))

    return list(readings())


def credit_cards(events: int, cards: int = 2000, seed: int = 3) -> list[StreamItem]:
    """CCD: payments by card, one a second; four triples each. Most are small."""
    draw = random.Random(seed)

    def payments() -> Iterator[StreamItem]:
        for count in range(events):
            yield _item("payments", count, _said(
                iri(f"payment{count}"), card=iri(f"card{draw.randrange(cards)}"),
                amount=round(10 ** draw.uniform(0, 4)), place=iri(f"place{draw.randrange(50)}"),
                number=count,
            ))

    return list(payments())


def traffic(events: int, roads: int = 30, seed: int = 4) -> list[StreamItem]:
    """TD: three streams of one city's sensors, often at one instant; six triples each."""
    draw = random.Random(seed)

    def observations() -> Iterator[StreamItem]:
        for time in range(events // 2):
            for stream in sorted(draw.sample(("traffic1", "traffic2", "traffic3"), 2)):
                yield _item(stream, time, _said(
                    iri(f"observation{time}-{stream}"), kind=iri(stream),
                    road=iri(f"road{draw.randrange(roads)}"), value=draw.randrange(10),
                    speed=draw.randrange(20, 120), vehicles=draw.randrange(200),
                    estimate=draw.randrange(600),
                ))

    return list(observations())


def real_stocks(path: Path, events: int) -> list[StreamItem]:
    """Trades of a file with columns event_type, id, name, volume, price, stock_time (ms).

    Of the trades in one second the first is taken: a stream has one graph an instant (Def. 2).
    """
    with path.open(encoding="utf-8", newline="") as file:
        return list(_trades(csv.DictReader(file), events))


def _trades(rows: Iterable[dict[str, str]], events: int) -> Iterator[StreamItem]:
    latest = None
    for row in rows:
        time = int(row["stock_time"]) // 1000
        if time == latest:
            continue
        latest = time
        events -= 1
        if events < 0:
            return
        yield _item("stocks", time, _said(
            iri(f"trade{row['id']}"), company=iri(row["name"]), price=row["price"],
            volume=int(row["volume"]), type=iri(row["event_type"].lower()),
            number=int(row["id"]),
        ))


def company_register(triples: int) -> Graph:
    """A background graph about companies, four triples each, beside those that trade."""
    return frozenset(_register("company", triples, ("name", "address", "page", "phone")))


def card_register(triples: int) -> Graph:
    """A background graph about cards, four triples each."""
    return frozenset(_register("card", triples, ("holder", "bank", "address", "kind")))


def _register(
    subject: str, triples: int, facts: tuple[str, ...]
) -> Iterator[tuple[URIRef, URIRef, URIRef]]:
    for count in range(triples):
        which, fact = divmod(count, len(facts))
        yield iri(f"{subject}{which}"), iri(facts[fact]), iri(f"{facts[fact]}{which % 997}")
