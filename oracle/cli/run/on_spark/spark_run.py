"""A run on Spark: from streams over the keys' states to files or a Kafka topic; its run folder.

Spark's own handler raises in the midst of a call, of which Py4J then shows tracebacks.

streams -> withWatermark -> groupBy(key) -> transformWithState -> Parquet, console, Kafka

Each micro-batch is one commit of Spark's checkpoint: what was taken, the keys' states (RocksDB) and
the files of the sink. A run that is killed repeats the micro-batch that it was in.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, Any

from .....engine.checkpoints.checkpoint_files import CheckpointError
from .....semantics.model.errors import StreamError, UnsupportedError
from .....semantics.streams.files.input_errors import input_errors
from .....semantics.streams.files.outputs import folder_lock
from .....semantics.streams.live.addresses import Address, address_of
from .....semantics.streams.live.byte_sources import is_live
from .....semantics.streams.live.kafka_source import quiet, words_of
from .....semantics.streams.live.rate_source import Pace
from ....engines.resumable_run import ResumableRun, not_written_by, of_other_run
from ....explanations.plurals import counted
from ....sweeps.spark.session import cause_of, check_installed, send, spark_session
from ... import UsageError
from ..checkpointing import OPTIONS
from ..input_streams import check_streams, graph_of, stream_files, warn_of
from ..option_values import graph_files
from .run_spec import KAFKA, NO_GRAPHS, AskedRun, described, packed

if TYPE_CHECKING:
    from confluent_kafka import Producer
    from pyspark.sql import DataFrame, SparkSession


_SECONDS_BETWEEN_LOOKS = 0.2


def await_end(query: Any) -> None:
    """Wait until the query has ended; raise the error that ended it.

    Told to end by a signal it stops the query, and raises KeyboardInterrupt, or SystemExit with
    128 + 15. A second signal does not wait for that.
    """
    told: list[int] = []
    asked = Event()

    def told_to_end(number: int, _: object) -> None:
        if told:
            raise KeyboardInterrupt
        told.append(number)
        asked.set()

    with ExitStack() as handlers:
        if current_thread() is main_thread():
            for each in (signal.SIGINT, signal.SIGTERM):
                handlers.callback(signal.signal, each, signal.signal(each, told_to_end))
        while query.isActive and not asked.wait(_SECONDS_BETWEEN_LOOKS):
            pass
        if not told:
            query.awaitTermination()
            return
        with suppress(Exception):  # of the micro-batch that is given up
            query.stop()
    if told[0] == signal.SIGTERM:
        raise SystemExit(128 + signal.SIGTERM)
    raise KeyboardInterrupt


_ASKED = "denota-run.json"
_COMMAND = "denota run --spark"
_OTHER = {"groups": "other --key-groups", "output": "its results in another place"}
_COMMITTED = "_spark_metadata"
"""The subfolder of a folder of Parquet that lists the files with results."""


@contextmanager
def run_folder(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield the folder of the run's state; without --checkpoint it ends with the run."""
    if arguments.checkpoint is None:
        with tempfile.TemporaryDirectory(prefix="denota-") as passing:
            yield Path(passing)
        return
    folder = Path(arguments.checkpoint)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint is not a writable directory: {error.strerror}",
            source=str(folder),
        ) from error
    busy = CheckpointError("another run is at work in this folder", source=str(folder))
    with folder_lock(folder / ".lock", busy):
        yield folder


def check_same_run(
    folder: Path, asked: AskedRun, arguments: argparse.Namespace, files: dict[Any, str],
    graphs: dict[Any, Any],
) -> None:
    """Raise CheckpointError if the folder, or that of the results, is of another run."""
    inputs = {"readings": asked.readings, "evaluation": asked.evaluation, "kb": graphs}
    options = {name: getattr(arguments, name) for name in OPTIONS}
    this = ResumableRun(asked.language, asked.query, asked.text, inputs, files, options)
    there = folder / _ASKED
    output = None if arguments.format != "parquet" else str(Path(arguments.output).resolve())
    also = {"groups": asked.groups, "output": output}
    if there.exists():
        try:
            before = dict(json.loads(there.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise not_written_by(_COMMAND, str(folder)) from error
        this.check_same(before.get("asked"), str(folder))
        for what, now in also.items():
            if before.get(what) != now:
                raise of_other_run(f"with {_OTHER[what]}", str(folder))
        return
    if (folder / "spark").exists():
        raise not_written_by(_COMMAND, str(folder))
    if output is not None:
        _check_output(Path(arguments.output))
    beside = there.with_suffix(".new")
    beside.write_text(json.dumps({"asked": this.asked(), **also}), encoding="utf-8")
    os.replace(beside, there)


def _check_output(output: Path) -> None:
    """Raise UsageError where a run that begins cannot write.

    Spark takes what another run has committed for its own, and writes nothing.
    """
    if (output / _COMMITTED).exists():
        raise UsageError(f"-o: '{output}' has the results of another run")
    if output.exists() and not output.is_dir():
        raise UsageError(f"-o: '{output}' is no folder")
    try:
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output):
            pass
    except OSError as error:
        raise UsageError(f"-o: '{output}' cannot be written to: {error.strerror}") from error


_SECONDS_TO_ANSWER = 10
_SECONDS_TO_TAKE = 60


class TopicSink:
    """A producer of the topic at an address; what has a dot there is an option of librdkafka's.

    Raises StreamError if no broker answers, if there is no such topic, and if one does not take a
    message.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._topic = address.path.strip("/")
        if not address.host or not self._topic:
            raise self._error("expected a broker and a topic, as in kafka://localhost:9092/found")
        address.check_options()
        self._refused: list[Any] = []
        self._producer = self._connected()

    def write(self, lines: Iterable[str]) -> None:
        """Write the results and wait until the brokers have all of them."""
        for line in lines:
            while True:
                try:
                    self._producer.produce(self._topic, line.encode(), on_delivery=self._delivered)
                    break
                except BufferError:  # so much is on the way
                    self._producer.poll(1.0)
            self._producer.poll(0)
        left = self._producer.flush(_SECONDS_TO_TAKE)
        if self._refused:
            raise self._error(words_of(self._refused[0]))
        if left:
            raise self._error(f"for {_SECONDS_TO_TAKE} s no broker has taken {left:,} results")

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._refused.append(error)

    def _connected(self) -> Producer:
        try:
            import confluent_kafka
        except ModuleNotFoundError as error:
            raise self._error(
                "a Kafka topic needs confluent-kafka: pip install 'denota[kafka]'"
            ) from error
        try:
            producer = confluent_kafka.Producer({
                "acks": "all", "enable.idempotence": True, **self._address.options,
                "bootstrap.servers": self._address.host,
            }, logger=quiet())
            known = producer.list_topics(self._topic, timeout=_SECONDS_TO_ANSWER)
        except confluent_kafka.KafkaException as error:
            raise self._error(words_of(error.args[0])) from error
        topic = known.topics[self._topic]
        if topic.error is not None:
            raise self._error(words_of(topic.error))
        return producer

    def _error(self, message: str) -> StreamError:
        return StreamError(message, source=self._address.name)


_ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_NOT_HERE: dict[str, Any] = {
    "engine": "production", "limit": None, "count": False, "sample": None, "seed": None,
    "at": [], "idle_timeout": None,
}


def check_spark_options(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options that a run on Spark does not have."""
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
    """Return the started streaming query; `output` is a folder for Parquet, or takes the lines."""
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
    """Return the lines of one micro-batch, by the ends of their results."""
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
    """Return the output of results, as `started` takes it."""
    if output is None:
        return Console()
    address = address_of(output) if output.startswith(KAFKA) else None
    return output if address is None else TopicSink(address).write


def _cause(error: Exception) -> str:
    """Return the cause of an error, without the plan that Spark shows behind it."""
    return cause_of(RuntimeError(str(error).split("=== Streaming Query ===")[0]))


def _report_late(query: Any) -> None:
    """Print the number of late items of each stream on standard error."""
    progress = query.lastProgress
    if progress is None:
        return
    for name, items in sorted(json.loads(progress.sources[0].endOffset).get("late", {}).items()):
        one = items == 1
        print(f"denota run: {counted(items, 'item')} of <{name}> came too late and"
              f" {'was' if one else 'were'} left out", file=sys.stderr)
