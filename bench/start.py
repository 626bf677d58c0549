"""What a user waits for: small runs in every language, cold and warm, and CEQL from a CSV file.

    python bench/start.py [--runs 5] [--stocks stock_data.csv] [--events 2000000]
                          [--core PYTHON] [--page docs/ceql-speed.md]

Each figure is processor time (user and system) of a whole process, `denota run …` as one types it,
imports included: the median of several. Processes that are measured take turns with an empty Python
program and, for CSV, with Arrow reading the same columns alone, so that ratios are of the same
minutes. *Warm* is what one waits for every day. *Cold* is the first run of a user: no compiled
grammar and no compiled kernel. *New* is the first run of an installation: no bytecode of any
package either.

With --stocks (the stock stream of CORE's paper) the queries of CORE's own tests are run on the
whole stream. --core names a Python interpreter that has CORE's package, pycer: then CORE is
measured, too, on events that have been made before (reading the file is not part of it).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from ceql_bench import data
from ceql_bench.queries import CORE_TESTS, QUERIES
from measuring.pages import write_section

_STREAM = "http://example.org/s"
_PREFIXES = "@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
_GRAPHS = _PREFIXES + "".join(
    f":g{i} prov:generatedAtTime {i} . :g{i} {{ :c{i % 7} :price {i * 37 % 50} . }}\n"
    for i in range(40)
)
_TUPLES = "type,name,price,at\n" + "".join(
    f"{('BUY', 'SELL')[i % 2]},S{i % 7},{i * 37 % 50},{i}\n" for i in range(99)
)
_PREFIX = "PREFIX : <http://example.org/> SELECT ?c ?x ?y "

SMALL = {
    "SPAseq": f"{_PREFIX} WITHIN 30 FROM STREAM S <{_STREAM}> WHERE {{ SEQ(A; B)"
    " DEFINE GPM A ON S { ?c :price ?x . FILTER (?x > 20) }"
    " DEFINE GPM B ON S { ?c :price ?y . FILTER (?y > ?x) } }",
    "RSEP-QL": f"{_PREFIX} FROM NAMED WINDOW :w ON <{_STREAM}> [RANGE 30 STEP 10]"
    " WHERE { MATCH { EVENT :w { ?c :price ?x } SEQ EVENT :w { ?c :price ?y } } }",
    "EP-SPARQL": f"{_PREFIX} FROM STREAM <{_STREAM}>"
    " WHERE { { ?c :price ?x } SEQ { ?c :price ?y } FILTER (?y < ?x) }",
    "CQELS-CEP": f"{_PREFIX} FROM NAMED WINDOW :w ON <{_STREAM}> [RANGE 30]"
    " WHERE { WINDOW :w { SEQ({ ?c :price ?x }, { ?c :price ?y }) } }",
    "CEQL": "SELECT * FROM S WHERE SELL AS a ; BUY AS b FILTER a[name = 'S1'] AND b[price > 40]"
    " WITHIN 30 [at]",
}

_ARROW = """
import sys, pyarrow.csv as csv
table = csv.read_csv(sys.argv[1], csv.ReadOptions(use_threads=False),
    convert_options=csv.ConvertOptions(include_columns=sys.argv[2:]))
print(table.num_rows)
"""

_CORE = """
import csv, json, os, resource, sys, time
import pycer
declaration = '''CREATE STREAM S {
EVENT BUY { id:int, name:string, volume:int, price:double, stock_time:int },
EVENT SELL { id:int, name:string, volume:int, price:double, stock_time:int } }'''
server = pycer.PyOfflineServer()
numbers = {event.name: event.id for event in server.declare_stream(declaration).events_info}
whole, text, real = pycer.PyIntValue, pycer.PyStringValue, pycer.PyDoubleValue
events = []
with open(sys.argv[1], newline="") as file:
    for row in csv.DictReader(file):
        at = whole(int(row["stock_time"]))
        values = [whole(int(row["id"])), text(row["name"]), whole(int(row["volume"]))]
        values += [real(float(row["price"])), at]
        events.append(pycer.PyEvent(numbers[row["event_type"]], values, at))
server = pycer.PyOfflineServer()
server.declare_stream(declaration)
server.add_query(sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF)
server.send_events(events)
server.get_output()
after = resource.getrusage(resource.RUSAGE_SELF)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
sys.stderr.write("\\nseconds %f\\n" % seconds)
"""


def taken(words: Sequence[str], **environment: str) -> float:
    """The processor time of a process, which must succeed; what it writes is not kept."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        words, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_words(query: Path, stream: Path, *more: str) -> list[str]:
    name = "S" if stream.suffix == ".csv" else _STREAM
    denota = [sys.executable, "-m", "denota", "run", str(query), "--stream", f"{name}={stream}"]
    return [*denota, *more]


def measure_small(folder: Path, runs: int) -> dict[str, tuple[float, float, float]]:
    """Seconds warm, cold and new by language; and of an empty program and of --help."""
    graphs, tuples = folder / "stream.trig", folder / "small.csv"
    graphs.write_text(_GRAPHS, encoding="utf-8")
    tuples.write_text(_TUPLES, encoding="utf-8")
    programs = {
        "an empty Python program": [sys.executable, "-c", "pass"],
        "`denota --help`": [sys.executable, "-m", "denota", "--help"],
    }
    for language, text in SMALL.items():
        query = folder / f"{language}.query"
        query.write_text(text, encoding="utf-8")
        programs[language] = run_words(query, tuples if language == "CEQL" else graphs)
    times: dict[str, list[list[float]]] = {name: [[], [], []] for name in programs}
    for words in programs.values():
        taken(words)  # what is kept between runs is written
    for _ in range(runs):
        for name, words in programs.items():
            warm, cold, new = times[name]
            warm.append(taken(words))
            with tempfile.TemporaryDirectory() as empty:
                nothing = {"XDG_CACHE_HOME": empty, "NUMBA_CACHE_DIR": f"{empty}/kernels"}
                cold.append(taken(words, **nothing))
            with tempfile.TemporaryDirectory() as empty:
                nothing = {"XDG_CACHE_HOME": empty, "NUMBA_CACHE_DIR": f"{empty}/kernels"}
                new.append(taken(words, PYTHONPYCACHEPREFIX=f"{empty}/bytecode", **nothing))
    found = {}
    for name, (warm, cold, new) in times.items():
        found[name] = median(warm), median(cold), median(new)
        print(f"{name:25} {'  '.join(f'{each:5.2f}' for each in found[name])} s", flush=True)
    return found


def measure_csv(folder: Path, events: int, runs: int) -> tuple[float, float, float]:
    """Seconds for a large file, for Arrow reading the same columns, and for a file of 99 events."""
    large, small = folder / "large.csv", folder / "small.csv"
    data.as_csv(data.generated(events), large)
    query = folder / "large.query"
    query.write_text(QUERIES["S3'"], encoding="utf-8")
    arrow = [sys.executable, "-c", _ARROW, str(large), "type", "name", "stock_time"]
    taken(run_words(query, large))
    times = [
        (taken(run_words(query, large)), taken(arrow), taken([*arrow[:3], str(small), "type"]))
        for _ in range(runs)
    ]
    whole, alone, empty = (median(column) for column in zip(*times, strict=True))
    print(
        f"CSV, {events:,} events: {whole:.2f} s, {events / whole / 1e6:.1f} M events/s;"
        f" Arrow alone {alone:.2f} s (of it {empty:.2f} s to start)",
        flush=True,
    )
    return whole, alone, empty


def measure_stocks(
    folder: Path, stocks: Path, core: str | None, runs: int
) -> dict[str, tuple[float, float | None]]:
    """Seconds of denota and of CORE by query."""
    found = {}
    for name, text in CORE_TESTS.items():
        query = folder / "core.query"
        query.write_text(text, encoding="utf-8")
        words = run_words(query, stocks, "--type-column", "event_type")
        taken(words)
        ours = median(taken(words) for _ in range(runs))
        theirs = core_seconds(core, stocks, text) if core else None
        found[name] = ours, theirs
        shown = f"  CORE {theirs:.2f} s" if theirs is not None else ""
        print(f"{name:12} {ours:.2f} s{shown}", flush=True)
    return found


def core_seconds(core: str, stocks: Path, query: str) -> float:
    """Of one run: it takes up to a minute."""
    told = subprocess.run(
        [core, "-c", _CORE, str(stocks), query], check=True, capture_output=True, text=True
    )
    return float(told.stderr.split()[-1])


def section(
    small: dict[str, tuple[float, float, float]],
    csv: tuple[int, float, float, float],
    stocks: dict[str, tuple[float, float | None]],
    runs: int,
    load: float,
) -> str:
    lines = [
        "## From the command line",
        "",
        "Seconds of processor time of the whole process, imports included: 40",
        "graphs, or 99 tuples. *Warm* is every run but the first; *cold* the first of a user,",
        "without compiled grammars and kernels; *new* the first of an installation, without",
        "bytecode. Kernels are interpreted up to some thousand events, so that small runs do not",
        "load Numba.",
        "",
        "| | warm | cold | new |",
        "|---|--:|--:|--:|",
    ]
    for name, times in small.items():
        lines.append(f"| {name} | {' | '.join(f'{each:.2f}' for each in times)} |")
    events, whole, alone, empty = csv
    lines += [
        "",
        f"**CSV**, S3' over {events:,} generated events: {whole:.2f} s of processor time, or",
        f"{events / whole / 1e6:.1f} million events a second from the command line; without what"
        f" starting takes, {events / (whole - small['CEQL'][0]) / 1e6:.1f} million.",
        f"Arrow alone reads the columns that the query needs in {alone:.2f} s"
        f" ({alone - empty:.2f} s without starting).",
        "",
    ]
    if stocks:
        measured = any(theirs is not None for _, theirs in stocks.values())
        lines += [
            "**The queries of CORE's tests** on its stock stream, results written as JSON Lines"
            + (
                "; CORE (pycer, once) on events that have been read before, its complex events\n"
                "as text:"
                if measured else ":"
            ),
            "",
            "| query | seconds |" + (" CORE | CORE / denota |" if measured else ""),
            "|---|--:|" + ("--:|--:|" if measured else ""),
        ]
        for name, (ours, theirs) in stocks.items():
            more = f" {theirs:.2f} | {theirs / ours:.1f} |" if theirs is not None else ""
            lines.append(f"| {name} | {ours:.2f} |{more}")
        lines.append("")
    lines += [
        f"Medians of {runs} runs that took turns; the load average was {load:.1f}, which makes",
        "processor times somewhat longer. `python bench/start.py --page docs/ceql-speed.md`",
        "measures this and writes this section.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--stocks", type=Path, help="the stock stream, a CSV file")
    parser.add_argument("--events", type=int, default=2_000_000, help="in the large CSV file")
    parser.add_argument("--core", metavar="PYTHON", help="an interpreter that has pycer")
    parser.add_argument("--page", type=Path, help="the Markdown file to write a section of")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = measure_small(folder, arguments.runs)
        csv = (arguments.events, *measure_csv(folder, arguments.events, arguments.runs))
        stocks: dict[str, tuple[float, float | None]] = {}
        if arguments.stocks is not None:
            stocks = measure_stocks(
                folder, arguments.stocks.resolve(), arguments.core, arguments.runs
            )
    if arguments.page is not None:
        text = section(small, csv, stocks, arguments.runs, os.getloadavg()[1])
        write_section(arguments.page, "From the command line", text)
        print(f"{arguments.page} is written")


if __name__ == "__main__":
    main()
