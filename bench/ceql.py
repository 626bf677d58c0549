"""How fast CEQL's engine is, beside a naive one that keeps a run for each partial match.

    python bench/ceql.py [--stocks stock_data.csv] [--events 224473] [--generated 2000000]
                         [--runs 7] [--naive-seconds 1] [--memory-events 10000000]
                         [--core PYTHON [--only-core]] [--page docs/ceql-speed.md]

The queries are those of CORE's appendices D and G. Without the file of the stock stream (or one
with the same columns) as many generated events of its shape stand for it. With --page the figures
are written as a page of the documentation, with a picture beside it; else they are printed only.
--core names a Python interpreter that has CORE's package, pycer: then CORE is measured as well, on
the same events.

Each time is the median of several runs. A run has a new engine, with nothing determinised yet;
kernels are compiled before. Beside the time that has gone by stands the processor time, which
other programs on the machine disturb less.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

from ceql_bench import core, data
from ceql_bench.naive import run_naive
from ceql_bench.page import Figures, QueryFigures, page, picture, shown
from ceql_bench.queries import QUERIES, within_events
from measuring.pages import sections, write_section

from denota.engine.ceql.runtime import CeqlEngine
from denota.engine.kernels import KERNELS
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.streams.tuples.reader import read_tuples

_OUTPUT = range(100_000, 100_000_001)  # complex events whose enumeration is timed


class Timed(NamedTuple):
    wall: float
    processor: float
    fastest: float

    def rate(self, count: int) -> tuple[float, float]:
        return count / self.wall, count / self.processor


def timed(make: Callable[[], Any], run: Callable[[Any], Any], runs: int) -> Timed:
    """Medians of `run` on what `make` makes anew each time, and the time of the fastest."""
    walls, processors = [], []
    for _ in range(runs):
        subject = make()
        wall, processor = perf_counter(), process_time()
        run(subject)
        walls.append(perf_counter() - wall)
        processors.append(process_time() - processor)
    return Timed(median(walls), median(processors), min(walls))


def drain(engine: CeqlEngine, batch: Any) -> int:
    return sum(found.num_rows for found in engine.batches(batch))


def check(name: str, query: Any, batch: Any, naive: Any) -> None:
    """Both engines found the same, as far as the naive one came."""
    matches = positions = 0
    for found in CeqlEngine(query).batches(batch.slice(0, naive.events)):
        matches += found.num_rows
        positions += int(found.column("positions").flatten().to_numpy().sum())
    if (matches, positions) != (naive.matches, naive.positions):
        sys.exit(f"{name}: the naive engine finds {naive.matches} matches, ours {matches}")


def measure_queries(
    batch: Any, generated: Any, runs: int, naive_seconds: float
) -> dict[str, QueryFigures]:
    encoded, plain = data.encoded(batch), data.plain(batch)
    events = batch.num_rows
    figures = {}
    for name, text in QUERIES.items():
        query = parse(text)

        def make(query: Any = query) -> CeqlEngine:
            return CeqlEngine(query)

        update = timed(make, lambda engine: engine.skip(encoded), runs)
        strings = timed(make, lambda engine: engine.skip(plain), runs)
        longer = timed(make, lambda engine: engine.skip(generated), runs)
        count = CeqlEngine(query).count(encoded)
        output = None
        if count in _OUTPUT:
            both = timed(make, lambda engine: drain(engine, encoded), 3)
            output = count / max(both.wall - update.wall, 1e-9)
            output_processor = count / max(both.processor - update.processor, 1e-9)
        naive = run_naive(CeqlEngine(query), encoded, naive_seconds)
        check(name, query, encoded, naive)
        prefix = encoded.slice(0, naive.events)
        ours = timed(make, lambda engine, prefix=prefix: drain(engine, prefix), 3)
        figures[name] = QueryFigures(
            *update.rate(events),
            events / update.fastest,
            *strings.rate(events),
            *longer.rate(generated.num_rows),
            count,
            output,
            output_processor if output else None,
            naive.events / naive.seconds,
            naive.seconds / ours.wall,
            naive.events == events,
        )
        print(shown(name, figures[name]), flush=True)
    return figures


def measure_windows(batch: Any, runs: int) -> dict[int, tuple[float, float, float]]:
    """Events a second by window: wall, processor, and those of the fastest run.

    The windows take turns, so that what slows the machine down for a while slows all of them.
    """
    queries = {n: parse(within_events(n)) for n in (100, 1_000, 10_000, 100_000)}
    taken: dict[int, list[Timed]] = {window: [] for window in queries}
    for _ in range(3 * runs):
        for window, query in queries.items():
            one = timed(lambda q=query: CeqlEngine(q), lambda engine: engine.skip(batch), 1)
            taken[window].append(one)
    rates = {}
    for window, times in taken.items():
        wall = median(one.wall for one in times)
        processor = median(one.processor for one in times)
        fastest = min(one.fastest for one in times)
        rates[window] = (
            batch.num_rows / wall, batch.num_rows / processor, batch.num_rows / fastest
        )
        print(
            f"window {window:>7,} events: {rates[window][0] / 1e6:6.1f} M events/s,"
            f" at best {rates[window][2] / 1e6:6.1f}",
            flush=True,
        )
    return rates


def measure_batches(batch: Any, runs: int) -> dict[int, tuple[float, float, float]]:
    """Nanoseconds an event by the size of the batches: wall, processor, and wall with output."""
    encoded = data.encoded(batch)
    query = parse(QUERIES["S3"])
    costs = {}
    for size in (1, 10, 100, 1_000, 10_000, 100_000):
        most = min(encoded.num_rows, 300 * size)
        pieces = [encoded.slice(at, size) for at in range(0, most, size)]
        events = sum(piece.num_rows for piece in pieces)

        def run(engine: CeqlEngine, pieces: list[Any] = pieces) -> None:
            for piece in pieces:
                engine.skip(piece)

        def report(engine: CeqlEngine, pieces: list[Any] = pieces) -> None:
            for piece in pieces:
                engine.feed(piece)

        taken = timed(lambda: CeqlEngine(query), run, runs)
        reported = timed(lambda: CeqlEngine(query), report, runs)
        times = (taken.wall, taken.processor, reported.wall)
        costs[size] = (times[0] / events * 1e9, times[1] / events * 1e9, times[2] / events * 1e9)
        print(
            f"batches of {size:>7,}: {costs[size][0]:9.1f} ns an event,"
            f" {costs[size][2]:9.1f} with output",
            flush=True,
        )
    return costs


def measure_csv(batch: Any, path: Path | None, runs: int) -> tuple[float, float]:
    """Events a second from a CSV file, reading included."""
    query = parse(QUERIES["S3"])
    with tempfile.TemporaryDirectory() as folder:
        column = "event_type"
        if path is None:
            path, column = Path(folder) / "events.csv", "type"
            data.as_csv(batch, path)

        def run(engine: CeqlEngine) -> None:
            found = read_tuples(str(path), type_column=column, columns=engine.columns)
            for piece in found.batches():
                engine.skip(piece)

        rates = timed(lambda: CeqlEngine(query), run, 2 * runs).rate(batch.num_rows)
    print(f"end to end from CSV: {rates[0] / 1e6:.1f} M events/s", flush=True)
    return rates


def measure_memory(events: int) -> list[tuple[int, float]]:
    """Resident memory (MiB) by events, of a process of its own."""
    if not events:
        return []
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from ceql_bench.memory import report;"
        "report(int(sys.argv[2]))"
    )
    folder = str(Path(__file__).parent)
    told = subprocess.run(
        [sys.executable, "-c", code, folder, str(events)], stdout=subprocess.PIPE, text=True,
        check=True,
    )  # fmt: skip
    rows = [line.split() for line in told.stdout.splitlines()]
    found = [(int(count), float(mib)) for count, mib in rows]
    print("memory:", "  ".join(f"{n:,}: {mib:.0f} MiB" for n, mib in found), flush=True)
    return found


def processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def versions() -> str:
    found = [f"{name} {version(name)}" for name in ("numba", "numpy", "pyarrow", "denota")]
    return ", ".join([f"Python {platform.python_version()}", *found])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stocks", type=Path, help="the stock stream, a CSV file")
    parser.add_argument("--events", type=int, default=224_473, help="generated events")
    parser.add_argument("--generated", type=int, default=2_000_000, help="for longer streams")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--naive-seconds", type=float, default=1.0)
    parser.add_argument("--memory-events", type=int, default=10_000_000)
    parser.add_argument("--page", type=Path, help="the Markdown file to write")
    parser.add_argument("--core", metavar="PYTHON", help="an interpreter that has pycer")
    parser.add_argument("--only-core", action="store_true", help="measure nothing else")
    arguments = parser.parse_args()
    if arguments.only_core and not arguments.core:
        parser.error("--only-core needs --core PYTHON")
    before = os.getloadavg()[0]
    KERNELS.compile()
    batch = (
        data.from_file(arguments.stocks) if arguments.stocks else data.generated(arguments.events)
    )
    for path in ("auto", "dense"):  # compile, or read from the cache
        drain(CeqlEngine(parse(QUERIES["Q6"]), path=path), batch.slice(0, 1000))
        CeqlEngine(parse(QUERIES["Q6"]), path=path).count(batch.slice(0, 1000))
    beside = None
    if arguments.core:
        measured = core.measure_core(batch, QUERIES, arguments.core, print)
        version_of_core = core.version_of_core(arguments.core)
        beside = core.section(measured, version_of_core, os.getloadavg()[0])
    if not arguments.only_core:
        measure_ours(arguments, batch, before)
    if beside is not None and arguments.page is not None:
        write_section(arguments.page, core.TITLE, beside)


def measure_ours(arguments: argparse.Namespace, batch: Any, before: float) -> None:
    """All figures but those of CORE."""
    generated = data.generated(arguments.generated)
    queries = measure_queries(batch, generated, arguments.runs, arguments.naive_seconds)
    figures = Figures(
        machine=f"{processor()}, {os.cpu_count()} processors; {versions()}",
        load=(before, os.getloadavg()[0]),
        events=batch.num_rows,
        real=arguments.stocks is not None,
        runs=arguments.runs,
        queries=queries,
        generated=generated.num_rows,
        windows=measure_windows(generated, arguments.runs),
        batches=measure_batches(batch, arguments.runs),
        csv=measure_csv(batch, arguments.stocks, arguments.runs),
        memory=measure_memory(arguments.memory_events),
    )
    if arguments.page is not None:
        drawn = arguments.page.parent / "pictures" / (arguments.page.stem + ".svg")
        drawn.parent.mkdir(exist_ok=True)
        drawn.write_text(picture(figures), encoding="utf-8")
        others = sections(arguments.page)  # which other measurements have written
        written = page(figures, f"pictures/{drawn.name}") + others
        arguments.page.write_text(written, encoding="utf-8")
        print(f"{arguments.page} and {drawn} are written")


if __name__ == "__main__":
    main()
