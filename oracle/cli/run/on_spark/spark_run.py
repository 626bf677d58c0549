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
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....engine.checkpoints.checkpoint_files import CheckpointError
from .....semantics.model.errors import UnsupportedError
from .....semantics.streams.live.addresses import address_of
from .....semantics.streams.live.growing import is_live
from .....semantics.streams.live.rates import Pace
from ....engines.continuing import Continuing
from ....explanations.counted import counted
from ....sweeps.spark.causes import cause_of
from ....sweeps.spark.session import check_installed, spark_session
from ... import UsageError
from ..checkpointing import OPTIONS
from ..opening import check_streams, stream_files
from .asked_run import KAFKA, AskedRun, described

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_ASKED = "denota-run.json"
_NOT_HERE: dict[str, Any] = {
    "engine": "production", "kb": [], "limit": None, "count": False, "sample": None, "seed": None,
    "at": [], "idle": None,
}


def check_spark_options(arguments: argparse.Namespace) -> None:
    """Raises UsageError for options that a run on Spark does not have."""
    if not arguments.spark:
        for option in ("master", "key_groups"):
            if getattr(arguments, option) is not None:
                raise UsageError(f"--{option.replace('_', '-')} needs --spark")
        return
    for option, value in _NOT_HERE.items():
        if getattr(arguments, option) != value:
            raise UsageError(f"--spark and --{option} cannot be combined")
    for option in ("every", "key_groups"):
        if getattr(arguments, option) == 0:
            raise UsageError(f"--{option.replace('_', '-')}: at least 1")
    to_kafka = str(arguments.output or "").startswith(KAFKA)
    if arguments.format not in ("jsonl", "parquet"):
        raise UsageError(f"--spark writes jsonl or parquet, not {arguments.format}")
    if (arguments.format == "parquet") != (arguments.output is not None and not to_kafka):
        raise UsageError("--spark: -o FOLDER is for --format parquet; without both, lines go to"
                         " standard output, with -o kafka://BROKER:PORT/TOPIC to a topic")


def run_on_spark(arguments: argparse.Namespace, text: str, source: str) -> int:
    """Runs a query until its streams have ended (with --follow, until it is interrupted)."""
    check_installed("--spark")
    description = described(arguments, text, source)
    asked = AskedRun.of(description)
    files = stream_files(arguments, asked.language, asked.query)
    check_streams(asked.language, asked.query, files)
    for file in files.values():
        address = address_of(file)
        if address is not None and address.scheme == "rate":
            Pace.of(address)
        elif not file.startswith(KAFKA) and is_live(file):
            raise UsageError(f"--spark: after a kill '{file}' cannot be read again (files,"
                             " topics and rates can)")
    with _folder(arguments) as folder:
        _check_same_run(folder, asked, arguments, files)
        log = folder / "spark.log"
        master = arguments.master or "local[*]"
        with spark_session(master, log) as session:
            query = started(session, asked, folder / "spark", arguments.output)
            try:
                query.awaitTermination()
            except KeyboardInterrupt:
                query.stop()
                raise
            except Exception as error:
                kept = "" if arguments.checkpoint is None else f" (see {log})"
                raise UnsupportedError(f"--spark: {_cause(error)}{kept}") from error
            _report_late(query)
    return 0


def started(
    session: SparkSession, asked: AskedRun, checkpoint: Path, output: str | None
) -> Any:
    """The streaming query, at work."""
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
    if output is None:
        writing = writing.foreachBatch(_print)
    elif output.startswith(KAFKA):
        brokers, _, topic = output.removeprefix(KAFKA).partition("/")
        writing = results.selectExpr("result AS value").writeStream.outputMode("append").options(
            **{"checkpointLocation": str(checkpoint), "kafka.bootstrap.servers": brokers,
               "topic": topic}
        ).format("kafka")
    else:
        writing = writing.format("parquet").option("path", str(Path(output).resolve()))
    if asked.endless:
        return writing.trigger(processingTime="0 seconds").start()
    return writing.trigger(availableNow=True).start()


def _print(results: DataFrame, number: int) -> None:
    """The lines of one micro-batch, by the end of what they tell."""
    table = results.toArrow()
    rows = sorted(zip(table["at"].to_pylist(), table["result"].to_pylist(), strict=True))
    sys.stdout.writelines(f"{line}\n" for _, line in rows)
    sys.stdout.flush()


def _cause(error: Exception) -> str:
    """What went wrong, without the plan that Spark shows behind it."""
    return cause_of(RuntimeError(str(error).split("=== Streaming Query ===")[0]))


# --- the checkpoint's folder ---


@contextmanager
def _folder(arguments: argparse.Namespace) -> Iterator[Path]:
    """Where Spark keeps the run's state; without --checkpoint it ends with the run."""
    if arguments.checkpoint is None:
        with tempfile.TemporaryDirectory(prefix="denota-") as passing:
            yield Path(passing)
        return
    folder = Path(arguments.checkpoint)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CheckpointError(f"the checkpoint is no folder: {error.strerror}",
                              source=str(folder)) from error
    yield folder


def _check_same_run(
    folder: Path, asked: AskedRun, arguments: argparse.Namespace, files: dict[Any, str]
) -> None:
    """Raises CheckpointError if the folder is that of another run."""
    inputs = {"readings": asked.readings, "evaluation": asked.evaluation, "kb": {}}
    options = {name: getattr(arguments, name) for name in OPTIONS}
    this = Continuing(asked.language, asked.query, asked.text, inputs, files, options)
    there = folder / _ASKED
    if there.exists():
        before = json.loads(there.read_text(encoding="utf-8"))
        this.check_same(before.get("asked"), str(folder))
        if before.get("groups") != asked.groups:
            raise CheckpointError(
                "the checkpoint is of a run with other --key-groups", source=str(folder)
            )
        return
    beside = there.with_suffix(".new")
    said = {"asked": this.asked(), "groups": asked.groups}
    beside.write_text(json.dumps(said), encoding="utf-8")
    os.replace(beside, there)


def _report_late(query: Any) -> None:
    """Says on standard error how many items of which stream came too late."""
    progress = query.lastProgress
    if progress is None:
        return
    for name, items in sorted(json.loads(progress.sources[0].endOffset).get("late", {}).items()):
        one = items == 1
        print(f"denota run: {counted(items, 'item')} of <{name}> came too late and"
              f" {'was' if one else 'were'} left out", file=sys.stderr)
