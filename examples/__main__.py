"""`python -m denota.examples`: real streams, the production engine, and the oracle's verdict."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from denota.semantics.streams.rdf.writer import write_graph, write_stream

from ..semantics.model.errors import DenotaError
from . import stocks, weather
from .judging import judge
from .questions import (
    QUERIES,
    Graphs,
    Question,
    Streams,
    on_stocks,
    on_weather,
    stock_streams,
    weather_streams,
)
from .summary import Summary


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: engine and oracle agree; 1: they do not; 2: the data cannot be read."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except DenotaError as error:
        print(f"denota.examples: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m denota.examples",
        description="Maps stock prices and weather observations to RDF streams, asks the queries of"
        " this folder of the production engine, and judges its answers by the oracle.",
    )
    parser.add_argument(
        "--stocks", metavar="CSV", type=Path,
        help="minute bars: symbol, yyyymmddHHMM, open, high, low, close, volume"
        " (default: generated)",
    )
    parser.add_argument(
        "--sensors", metavar="DIR", type=Path,
        help="linked sensor data: data_NN.ttl, NN the time in seconds (default: generated)",
    )
    parser.add_argument(
        "--generate", action="store_true",
        help="generate like-shaped data for whatever is not given, as is done anyway",
    )
    parser.add_argument("--seed", type=int, default=7, help="of what is generated (default: 7)")
    parser.add_argument(
        "--limit", metavar="N", type=_positive,
        help="use the first N bars and the first N rounds of observations",
    )
    parser.add_argument(
        "--save", metavar="DIR", type=Path,
        help="write the streams, the background graph and the queries there, for `denota run`",
    )
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, not '{text}'")
    return int(text)


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the options."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _run(options: argparse.Namespace) -> int:
    summary = Summary()
    bars = _bars(options, summary)
    observations = _observations(options, summary)
    on_bars = stock_streams(bars)
    streams, kb = weather_streams(observations)
    if options.save is not None:
        _save(options.save, {**on_bars, **streams}, kb, summary)
    questions: list[Question] = [*on_stocks(on_bars), *on_weather(streams, kb)]
    for question in questions:
        with summary.waiting(question):
            judgement = judge(question)
        summary.add(judgement)
    return summary.finish()


def _bars(options: argparse.Namespace, summary: Summary) -> list[stocks.Bar]:
    read = (
        stocks.read_bars(options.stocks)
        if options.stocks
        else stocks.generate_bars(options.seed)
    )
    bars = list(read)[: options.limit]
    companies = len({bar.symbol for bar in bars})
    summary.input(
        "stocks", options.stocks, options.seed,
        f"{len(bars):,} minute bars of {companies} companies",
    )
    return bars


def _observations(options: argparse.Namespace, summary: Summary) -> list[weather.Observation]:
    read = (
        weather.read_observations(options.sensors)
        if options.sensors
        else weather.generate_observations(options.seed)
    )
    observations = list(read)
    rounds = sorted({seen.time for seen in observations})[: options.limit]
    observations = [seen for seen in observations if seen.time in set(rounds)]
    stations = {seen.station for seen in observations}
    summary.input(
        "weather", options.sensors, options.seed,
        f"{len(observations):,} observations in {len(rounds)} rounds at {len(stations)} stations",
    )
    return observations


def _save(
    directory: Path, streams: Streams, kb: Graphs, summary: Summary
) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for query in QUERIES.glob("*.rq"):
            (directory / query.name).write_bytes(query.read_bytes())
    except OSError as error:
        raise DenotaError(f"cannot be written: {error.strerror}", source=str(directory)) from None
    prefixes = {**stocks.PREFIXES, **weather.PREFIXES}
    for iri, items in streams.items():
        path = directory / f"{iri.rpartition(':')[2]}.trig"
        write_stream(items, path, prefixes=prefixes)
        summary.saved(iri, path)
    for iri, graph in kb.items():
        path = directory / f"{iri.rpartition(':')[2]}.nt"
        write_graph(graph, path)
        summary.saved(iri, path)


if __name__ == "__main__":
    sys.exit(main())
