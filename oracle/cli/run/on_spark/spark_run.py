"""The run itself: from the streams over the keys' states to where results go.

    streams -> withWatermark -> groupBy(key) -> transformWithState -> Parquet, console, Kafka

Each micro-batch is one commit of Spark's checkpoint: what was taken, the keys' states (RocksDB) and
the files of the sink. A run that is killed repeats the micro-batch that it was in.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....semantics.model.errors import UnsupportedError
from .....semantics.streams.files.boundaries import input_errors
from .....semantics.streams.live.addresses import address_of
from .....semantics.streams.live.growing import is_live
from .....semantics.streams.live.rates import Pace
from ....explanations.plurals import counted
from ....sweeps.spark.causes import cause_of
from ....sweeps.spark.session import check_installed, spark_session
from ....sweeps.spark.shipping import send
from ... import UsageError
from ..opening import check_streams, graph_of, stream_files, warn_of
from ..option_values import graph_files
from .asked_run import KAFKA, AskedRun, described
from .background import NO_GRAPHS, packed
from .interruption import await_end
from .run_folder import check_same_run, run_folder
from .topic_sink import TopicSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_NOT_HERE: dict[str, Any] = {
    "engine": "production", "limit": None, "count": False, "sample": None, "seed": None,
    "at": [], "idle_timeout": None,
}


def check_spark_options(arguments: argparse.Namespace) -> None:
    """Raises UsageError for options that a run on Spark does not have."""
    if not arguments.spark:
        for option in ("master", "key_groups"):
            if getattr(arguments, option) is not None:
                raise UsageError(f"--{option.replace('_', '-')} requires --spark")
        return
    for option, value in _NOT_HERE.items():
        if getattr(arguments, option) != value:
            raise UsageError(f"--{option.replace('_', '-')} is not allowed with --spark")
    to_kafka = str(arguments.output or "").startswith(KAFKA)
    if arguments.format not in ("jsonl", "parquet"):
        raise UsageError(f"--spark writes jsonl or parquet, not {arguments.format}")
    if (arguments.format == "parquet") != (arguments.output is not None and not to_kafka):
        raise UsageError("--spark: -o FOLDER is for --format parquet; without both, lines go to"
                         " standard output, with -o kafka://BROKER:PORT/TOPIC to a topic")


def run_on_spark(arguments: argparse.Namespace, text: str, source: str) -> int:
    """Runs a query until its streams have ended (with --follow, until it is interrupted)."""
    check_installed("--spark")
    asked = AskedRun.of(described(arguments, text, source))
    files = stream_files(arguments, asked.language, asked.query)
    check_streams(asked.language, asked.query, files)
    for file in files.values():
        address = address_of(file)
        if address is not None and address.scheme == "rate":
            Pace.of(address)
        elif file == "-" or (not file.startswith(KAFKA) and is_live(file)):
            raise UsageError(f"--spark: after a kill '{file}' cannot be read again (files,"
                             " topics and rates can)")
        elif address is None:
            with input_errors(file):
                os.stat(file)
    named = graph_files(arguments.kb, asked.language.prefixes(asked.query))
    graphs = {iri: graph_of(file, asked.language) for iri, file in named.items()}
    warn_of(asked.language, asked.query, source, files, graphs, asked.readings)
    output = _output(arguments.output)
    with run_folder(arguments) as folder:
        check_same_run(folder, asked, arguments, files, graphs)
        background, content = packed(graphs)
        asked = AskedRun.of(described(arguments, text, source, background))
        log = folder / "spark.log"
        master = arguments.master or "local[*]"
        with spark_session(master, log) as session:
            if background != NO_GRAPHS:
                send(session, background, content)
            try:
                query = started(session, asked, folder / "spark", output)
                await_end(query)
            except Exception as error:
                if isinstance(output, Console) and output.gone:
                    raise BrokenPipeError from None
                kept = "" if arguments.checkpoint is None else f" (see {log})"
                raise UnsupportedError(f"--spark: {_cause(error)}{kept}") from error
            _report_late(query)
    return 0


def started(
    session: SparkSession, asked: AskedRun, checkpoint: Path,
    output: str | Callable[[list[str]], None],
) -> Any:
    """The streaming query, at work; `output` is a folder for Parquet, or takes the lines."""
    from .keyed_state import RESULTS, KeyedState
    from .stream_source import FORMAT, DenotaStreams

    cores = max(session.sparkContext.defaultParallelism, 1)
    for name, value in {
        "spark.sql.streaming.stateStore.providerClass": _ROCKS,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.sql.shuffle.partitions": str(cores),
    }.items():
        session.conf.set(name, value)
    session.dataSource.register(DenotaStreams)
    streams = session.readStream.format(FORMAT).options(run=asked.description, tasks=cores).load()
    # The source is in order. What is as late as the watermark Spark drops: so it is behind by 1 ms.
    results = (
        streams.withWatermark("at", "1 millisecond")
        .groupBy("group")
        .transformWithState(
            KeyedState(asked.description), RESULTS, outputMode="Append", timeMode="EventTime"
        )
    )
    writing = results.writeStream.outputMode("append").option("checkpointLocation", str(checkpoint))
    if not isinstance(output, str):
        writing = writing.foreachBatch(lambda found, _: output(_lines(found)))
    else:
        writing = writing.format("parquet").option("path", str(Path(output).resolve()))
    if asked.endless:
        return writing.trigger(processingTime="0 seconds").start()
    return writing.trigger(availableNow=True).start()


def _lines(results: DataFrame) -> list[str]:
    """The lines of one micro-batch, by the end of what they tell."""
    table = results.toArrow()
    rows = sorted(zip(table["at"].to_pylist(), table["result"].to_pylist(), strict=True))
    return [line for _, line in rows]


class Console:
    """Standard output; `gone` says that nobody reads it any more."""

    gone = False

    def __call__(self, lines: list[str]) -> None:
        try:
            sys.stdout.writelines(f"{line}\n" for line in lines)
            sys.stdout.flush()
        except BrokenPipeError:
            self.gone = True
            raise


def _output(output: str | None) -> str | Callable[[list[str]], None]:
    """Where results go, as `started` takes it."""
    if output is None:
        return Console()
    address = address_of(output) if output.startswith(KAFKA) else None
    return output if address is None else TopicSink(address).write


def _cause(error: Exception) -> str:
    """What went wrong, without the plan that Spark shows behind it."""
    return cause_of(RuntimeError(str(error).split("=== Streaming Query ===")[0]))


def _report_late(query: Any) -> None:
    """Says on standard error how many items of which stream came too late."""
    progress = query.lastProgress
    if progress is None:
        return
    for name, items in sorted(json.loads(progress.sources[0].endOffset).get("late", {}).items()):
        one = items == 1
        print(f"denota run: {counted(items, 'item')} of <{name}> came too late and"
              f" {'was' if one else 'were'} left out", file=sys.stderr)
