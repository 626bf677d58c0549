"""`denota run`: run a query over streams; emit each result as soon as it is final."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import UsageError
from ..options import ENGINES, add_inputs, add_query, add_renamed, positive, seconds, whole
from ..options import arranged as arranged

if TYPE_CHECKING:
    from ....semantics.streams.files.outputs import Output
    from .input_streams import QueryInputs

EPILOG = """\
A stream is a TriG, N-Quads, JSON-LD or JSON Lines (a JSON-LD object a line) file, plain, .gz or
.zst, or - for TriG on standard input; for CEQL a CSV, JSON Lines, Parquet or Arrow file, or - for
CSV, and IRI is the stream's name. Of a folder it is the files in it, one after the other, by time.
Standard input, pipes, (--follow) growing files, sockets and topics are read live: docs/live.md. A
socket is tcp://HOST:PORT or unix:///PATH, or tcp-listen:// and unix-listen://, which wait for a
writer; a topic of Kafka is kafka://BROKER:PORT/TOPIC (?until=end ends with what is there). They
bring N-Quads, for CEQL JSON Lines, unless --stream-format or ?format=F at the end says otherwise.
For CEQL, rate://?rows-per-second=R&rows=N&keys=K counts.
IRI is an IRI (in angle brackets if it contains '='), a prefixed name, or the name by which the
query calls the stream; one that the query does not name is an error. A T is an integer, or a
dateTime such as 2026-01-01T09:30:00Z.

formats:
  table    aligned columns as wide as the terminal, one row a solution, and the number of results
  jsonl    one object a pair: {"window":[b,e],"time":t,"solutions":[{"h":TERM,...},...]}; TERM as in
           SPARQL 1.1 Query Results JSON; times are as the streams', dateTimes in UTC;
           CEQL: {"start":i,"end":j,"positions":[...]}, with --reading output=valuation "bindings"
           RSEP-QL: {"at":t,"solutions":[...]}, of ASK "boolean", of CONSTRUCT "graph"
           EP-SPARQL: {"interval":[t1,t2],"solution":{...}}, of ASK {"boolean":true}
           CQELS-CEP: {"interval":[t1,t2],"solution":{...}}, of CONSTRUCT "graph", with RSTREAM,
           ISTREAM or DSTREAM and "at":t
  csv      one row a solution: window_start, window_end, time[, rank], then a column a variable
  srj      SPARQL 1.1 Query Results JSON, with window_start, window_end, time[, rank] as variables
  parquet  as csv, typed, and a column 'result' that numbers the pairs; -o, or standard output that
           is no terminal (written at the end); CEQL: start, end and lists of positions, in bounded
           memory

example:
  denota run q.rq --stream http://example.org/u1=power.trig --stream S2=- --reading kleene=join
"""


# One table: an option a line.
def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    add_query(parser)
    add_inputs(parser)
    parser.add_argument("--engine", default="production", metavar="ENGINE", help=ENGINES)
    parser.add_argument(
        "--format", choices=("table", "jsonl", "csv", "srj", "parquet"),
        help="format of the results (default: table on a terminal, else jsonl)",
    )
    parser.add_argument(
        "--limit", metavar="N", type=whole, help="stop after N results"
    )
    parser.add_argument(
        "--count", action="store_true",
        help="print only the number of results (CEQL: without enumerating them)",
    )
    parser.add_argument(
        "--sample", metavar="N", type=whole,
        help="write a uniform random sample of N results (CEQL: without enumerating the others)",
    )
    parser.add_argument(
        "--seed", metavar="K", type=int, help="random seed of --sample"
    )
    parser.add_argument(
        "--stats", action="store_true",
        help="write the number of items that each pattern matches to stderr (default: on a"
        " terminal, if there are no results)",
    )
    parser.add_argument(
        "--follow", action="store_true", help="keep reading stream files as they grow"
    )
    add_renamed(
        parser, "--idle", "--idle-timeout", metavar="SECONDS", type=seconds,
        help="treat a stream as idle after SECONDS without input; idle streams do not hold back the"
        " watermark (standard input, pipes, --follow)",
    )
    add_renamed(
        parser, "--reorder", "--max-out-of-orderness", dest="reorder", metavar="D",
        help="sort items that are at most D (5, 10m, PT1H) out of order; drop and count later ones",
    )
    add_renamed(
        parser, "--reorder-items", "--reorder-buffer-size", dest="reorder_items", metavar="N",
        type=whole,
        help="buffer at most N items per stream (default: 100000); on overflow emit the earliest",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the results to FILE (default: stdout)"
    )
    parser.add_argument(
        "--save-case", metavar="FILE", type=Path,
        help="write query and streams to FILE as a case, with the results of the oracle",
    )
    parser.add_argument(
        "--checkpoint", metavar="FILE",
        help="write the state of the run to FILE; resume from FILE if it exists"
        " (docs/checkpoints.md)",
    )
    add_renamed(
        parser, "--every", "--checkpoint-interval", dest="every", metavar="N", type=positive,
        help="write a checkpoint every N items (default: 100000), at the end, and on SIGINT or"
        " SIGTERM",
    )
    parser.add_argument(
        "--spark", action="store_true",
        help="run a partitioned query on Spark Structured Streaming, one engine per key"
        " (docs/streaming-on-spark.md)",
    )
    parser.add_argument(
        "--master", metavar="URL",
        help="Spark master of --spark (default: local[*]; docs/clusters.md)",
    )
    parser.add_argument(
        "--key-groups", metavar="N", type=positive,
        help="hash the keys of --spark into N groups with one state each (default: one state per"
        " key)",
    )


def run(arguments: argparse.Namespace) -> int:
    from ...cases.embedded_text import Text
    from .option_values import query_text

    if arguments.format is None:
        arguments.format = _usual_format(arguments)
    text, source = query_text(arguments.query)
    if arguments.spark or arguments.master or arguments.key_groups is not None:
        from .on_spark.spark_run import check_spark_options, run_on_spark

        check_spark_options(arguments)
        return run_on_spark(arguments, text, source)
    with ExitStack() as held:
        held.enter_context(Text(text, source).unplaced_errors_here())
        state = None
        if arguments.checkpoint is not None:
            from ....semantics.streams.files.outputs import Output

            state = held.enter_context(Output(Path(arguments.checkpoint)))
        return _run(arguments, text, source, state)


def _usual_format(arguments: argparse.Namespace) -> str:
    """Return `table` where people read the results, else `jsonl`."""
    others = arguments.output or arguments.count or arguments.checkpoint or arguments.spark
    return "table" if sys.stdout.isatty() and not others else "jsonl"


# Each step needs the results of the steps before it.
def _run(
    arguments: argparse.Namespace, text: str, source: str, state: Output | None
) -> int:
    from ....semantics.streams.live.byte_sources import is_live
    from ...explanations.query_warnings import OTHER_TIMES, EvaluatedQuery
    from .input_streams import (
        case_of,
        check_streams,
        inputs_of,
        notice,
        opened,
        streams_at_rest,
        warn,
        warn_of,
    )
    from .option_values import given_times
    from .result_output import check_amount, written

    check_amount(arguments)
    before = None
    if arguments.checkpoint is not None or arguments.every is not None:
        from .checkpointing import check_options, left_off

        check_options(arguments)
        before = left_off(arguments)
    asked = inputs_of(arguments, text, source)
    language, query, files = asked.language, asked.query, asked.files
    live = arguments.follow or any(map(is_live, files.values()))
    if arguments.save_case is not None and (live or arguments.checkpoint is not None):
        raise UsageError(
            "--save-case requires files that are complete, and is not allowed with --checkpoint"
        )

    from ...results.times import ResultTimes

    tuples: Any = language if language.items == "tuples" else None
    waited = before is not None and before.waiting is not None
    streams, arrivals = opened(arguments, language, query, source, waited=waited)
    times = ResultTimes(files.values(), arguments.stream_format)
    inputs: dict[str, Any] = {
        "streams": streams, "kb": asked.background(), "readings": asked.readings,
        "evaluation": asked.evaluation,
    }
    # Files that are sorted while they are read cannot be read again as they are.
    again = not arguments.follow and arguments.reorder is None and all(
        Path(file).is_file() for file in files.values()
    )
    seen = names = None
    if tuples is None:
        inputs = times.watching(inputs)
        if not again and state is None:
            from ...explanations.pattern_counts import graph_names

            names = graph_names(language, query, inputs["kb"])
            inputs["streams"] = {
                iri: names.watching(each) for iri, each in inputs["streams"].items()
            }
    elif state is None:
        from ...cases.tuple_sources import noted

        inputs["streams"], seen = noted(language, query, streams)
    check_streams(language, query, files)
    warn_of(language, query, source, files, inputs["kb"], asked.readings)
    kept = None
    if state is not None:
        from .checkpointing import Checkpointed

        kept = Checkpointed(
            arguments, language, query, text, inputs, files, arrivals, times, before, state
        )
    found = written(
        arguments, language, query, text, inputs, times, arrivals, kept,
        goes_on=before is not None, live=live,
    )
    nothing = not found and 0 not in (arguments.limit, arguments.sample)
    stats = arguments.stats or (nothing and again and sys.stderr.isatty())
    if stats:
        notice(_stats(arguments, asked, inputs["kb"], nothing=nothing) if again else (
            "no statistics: they require files that are complete and in time order"
        ))
    evaluated = EvaluatedQuery(
        language, query, inputs["kb"], not nothing, given_times(arguments), times.dated, seen,
        names, (lambda: streams_at_rest(arguments, asked)) if again else None, files,
        arguments.stream_format,
    )
    for each in evaluated.warnings(but_names=stats and again):
        if each.code == OTHER_TIMES:
            notice(f"warning: {each.message}")
        else:
            warn(source, each.position, each.message)
    if arguments.save_case is not None:
        from ...cases.case_writer import write_case
        from ...checking.case_checker import expectation_of

        case = case_of(arguments, asked)
        write_case(case.but(title=source, expect=expectation_of(case)), arguments.save_case)
    return 0


def _stats(
    arguments: argparse.Namespace, asked: QueryInputs, kb: Mapping[Any, Any], *,
    nothing: bool,
) -> str:
    from ...explanations.pattern_counts import pattern_counts
    from .input_streams import streams_at_rest

    streams = streams_at_rest(arguments, asked)
    counts = pattern_counts(
        asked.language, asked.query, streams, kb, asked.readings, asked.evaluation
    )
    return counts.without_results() if nothing else str(counts)
