"""`denota run --checkpoint FILE`: a run that can be ended at any time, and gone on with."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from ....engine.checkpoints.checkpoint_files import Checkpoint, CheckpointError, read, write
from ....engine.checkpoints.streaming_query import StreamingQuery
from ....semantics.streams.files.folder import is_folder
from ....semantics.streams.files.outputs import Output
from ....semantics.streams.live.addresses import is_rate
from ....semantics.streams.live.reader import Arrivals
from ....semantics.streams.live.watermarks import StreamMerger, Watermark
from ....semantics.streams.merging import StreamItem
from ...engines.resumable_run import (
    ResumableRun,
    not_written_by,
    of_checkpoint,
    of_other_run,
    put_back,
)
from ...explanations.plurals import counted
from ...results.times import ResultTimes
from .. import UsageError
from .input_streams import notice

EVERY = 100_000
OPTIONS = ("reorder", "type_column", "time_column", "stream_format")
_CHUNK = 1 << 20  # bytes
_ALL = ""  # by what name tuples of all streams together are counted


def check_options(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options that a run with checkpoints does not have."""
    if arguments.checkpoint is None:
        if arguments.every is not None:
            raise UsageError("--checkpoint-interval requires --checkpoint")
        return
    if arguments.engine != "production":
        raise UsageError("--checkpoint requires --engine production")
    if arguments.format not in ("jsonl", "csv"):
        raise UsageError(
            f"--checkpoint requires --format jsonl or csv, got {arguments.format}"
        )
    for option in ("limit", "count", "sample"):
        if getattr(arguments, option):
            raise UsageError(f"--{option} is not allowed with --checkpoint")


def left_off(arguments: argparse.Namespace) -> Checkpoint | None:
    """Return the checkpoint that the run resumes from; None if there is none yet."""
    if arguments.checkpoint is None or not os.path.lexists(arguments.checkpoint):
        return None
    return read(Path(arguments.checkpoint))


class Checkpointed:
    """A run over the streams in these files, from its beginning or from a checkpoint on."""

    def __init__(
        self, arguments: argparse.Namespace, language: Any, query: Any, text: str,
        inputs: Mapping[str, Any], files: Mapping[Any, str], arrivals: Arrivals | None,
        times: ResultTimes, before: Checkpoint | None, state: Output,
    ) -> None:
        self._state = state
        self._source = str(state.path)
        self._every: int = arguments.every or EVERY
        for file in files.values():
            if is_folder(file):
                raise UsageError(f"--checkpoint of a folder ('{file}') needs --spark")
        self._language, self._query, self._inputs = language, query, inputs
        output = Path(arguments.output) if arguments.output else None
        # A device or a pipe has no length that a run could go on at.
        self._output = None if output is None or _is_device(output) else output
        self._kept_output: int | None = None
        options = {name: getattr(arguments, name) for name in OPTIONS}
        self._resumable = ResumableRun(language, query, text, inputs, files, options)
        self._prefixes = {
            str(name): Prefix(Path(file)) for name, file in files.items() if Path(file).is_file()
        }
        self._again = {
            *self._prefixes, *(str(name) for name, file in files.items() if is_rate(file))
        }
        self._all_again = len(self._again) == len(files)
        self.taken: Counter[str] = Counter()
        """By stream, how many items were taken."""
        self._past: Counter[str] = Counter()
        """By stream, how many of them come again; to be passed over."""
        self.results = 0
        self._arrivals_shared, self._times = arrivals, times
        self._format = arguments.format
        self._merging: StreamMerger[Any] | None = None
        self._waited = None if before is None else before.waiting
        self._since = 0
        self._over = False
        self._out: TextIO | None = None
        self._waiting = False
        self._ended_by: int | None = None
        self._goes_on = before is not None
        start = self._resumable.start
        self._running = start() if before is None else self._resumed(before)

    def _resumed(self, before: Checkpoint) -> StreamingQuery:
        source, about = self._source, before.about
        try:
            length, format = about["output"], about["format"]
            taken = {str(name): whole_number(count) for name, count in about["taken"].items()}
            self.taken.update(taken)
            self.results = whole_number(about["results"])
            self._times.dated = bool(about["dated"]) or None
            positions, prefixes = dict(about["positions"]), dict(about["files"])
            for name, stream in self._inputs["streams"].items():
                if str(name) in positions and hasattr(stream, "go_on"):
                    stream.go_on(positions[str(name)])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise not_written_by("denota run", source) from error
        running = self._resumable.resume(before, source)
        if format != self._format:
            raise of_other_run(f"that writes {format}", source)
        if self._output is not None:
            self._check_output(length)
        for name, prefix in self._prefixes.items():
            if name in prefixes:
                prefix.check(prefixes[name], source)
        items = counted(sum(self.taken.values()), "item")
        notice(f"resuming from {self._source} after {items} and {counted(self.results, 'result')}")
        return running

    def _check_output(self, length: int | None) -> None:
        assert self._output is not None
        there = self._output.stat().st_size if self._output.exists() else 0
        if type(length) is not int or not 0 <= length <= there:
            raise CheckpointError(
                f"{self._output} is not the output that the checkpoint goes on with",
                source=self._source,
            )
        self._kept_output = length

    # --- the run ---------------------------------------------------------------------------------

    def run(self, written: Any, out: TextIO) -> int:
        """Write the results; return their number, with those before the checkpoint."""
        self._out = out
        if self._output is not None and self._kept_output is not None:
            os.truncate(self._output, self._kept_output)  # now that nobody else writes it
        self._listen()
        guard = of_checkpoint(self._source) if self._goes_on else nullcontext()
        with handled_by(self._told_to_end), guard:
            try:
                self._take_all(written)
            except KeyboardInterrupt:
                self._save()
                if self._ended_by == signal.SIGTERM:
                    raise SystemExit(128 + signal.SIGTERM) from None
                raise
            self._save()
            if not self._running.is_done:
                self._write(written, self._running.finish())
        return self.results

    def _take_all(self, written: Any) -> None:
        since = 0
        for arrival in self._arrivals():
            self._write(written, self._running.process(arrival))
            if self._merging is None:
                since += self._count(arrival)
                if since >= self._every:
                    self._save()
                    since = 0
                if self._ended_by is not None:
                    raise KeyboardInterrupt
            if self._running.is_done:
                return

    # --- streams that are put in order ----------------------------------------------------------

    def _listen(self) -> None:
        """Let the arrivals of ordered input save checkpoints only between two items."""
        arrivals = self._arrivals_shared
        if arrivals is not None:
            arrivals.taken.update({name: self.taken[name] for name in self.taken if name != _ALL})
            arrivals.past.update({name: self.taken[name] for name in self._again})
            arrivals.again = sum(self.taken[name] for name in (*self._again, _ALL))
            arrivals.begun, arrivals.between = self._begun, self._between
            arrivals.ending = self._ending

    def _begun(self, merging: StreamMerger[Any]) -> None:
        assert self._arrivals_shared is not None
        self._merging, self._past = merging, self._arrivals_shared.past
        if self.taken[_ALL]:
            raise self._otherwise()
        if self._waited is not None:
            put_back(merging, self._waited, self._source)
            self._waited = None
            late = {str(name): each for name, each in merging.late.items()}
            self._arrivals_shared.late.update(late)
        self.taken = self._arrivals_shared.taken
        self._since = self.taken.total()

    def _otherwise(self) -> CheckpointError:
        return of_other_run("that reads its streams otherwise", self._source)

    def _between(self) -> None:
        if self.taken.total() - self._since >= self._every:
            self._since = self.taken.total()
            self._save()
        if self._ended_by is not None:
            raise KeyboardInterrupt

    def _ending(self) -> None:
        """Save the state; results that only the end makes final are retracted on resume."""
        self._save()
        self._over = True

    def _write(self, written: Any, results: Iterable[Any]) -> None:
        for result in results:
            written.write(result)
            self.results += 1

    def _told_to_end(self, number: int, _: Any) -> None:
        """End at once between two arrivals, else after the current one."""
        self._ended_by = number
        if self._merging is None and self._waiting:
            raise KeyboardInterrupt
        if self._arrivals_shared is not None:
            self._arrivals_shared.interrupted = True

    def _arrivals(self) -> Iterator[Any]:
        """Yield the arrivals, without those taken before the checkpoint."""
        past = self._past = self.taken.copy()
        arrivals = self._language.elements(self._running, self._query, self._inputs["streams"])
        while True:
            self._waiting = True
            arrival = next(arrivals, None)
            self._waiting = False
            if self._waited is not None:
                raise self._otherwise()
            if arrival is None:
                self._check_passed()
                return
            if self._merging is not None:
                yield arrival
                continue
            for piece in pieces(arrival, self._every):
                yield from self._fresh(piece, past)

    def _check_passed(self) -> None:
        """Raise CheckpointError if a stream has fewer items than were taken of it."""
        for name in (*self._again, *([_ALL] if self._all_again else [])):
            if self._past[name] > 0:
                stream = f"stream <{name}>" if name else "the input"
                raise CheckpointError(
                    f"{stream} ends {counted(self._past[name], 'item')} before the checkpoint",
                    source=self._source,
                )

    def _fresh(self, arrival: Any, past: Counter[str]) -> Iterator[Any]:
        """Yield an arrival without its items that are `past`."""
        if isinstance(arrival, StreamItem):
            name = str(arrival.iri)
            if name in self._again and past[name]:
                past[name] -= 1
            else:
                yield arrival
        elif isinstance(arrival, Watermark):
            if not +past:
                yield arrival
        elif self._language.items == "tuples":
            rows = min(past[_ALL], arrival.num_rows) if self._all_again else 0
            past[_ALL] -= rows
            if rows < arrival.num_rows:
                yield arrival.slice(rows)
        else:
            came = counted_in(arrival)
            gone = Counter({name: min(past[name], came[name]) for name in came})
            past -= gone
            if gone == came:
                return
            first = gone.total()
            if counted_in(arrival.cut(0, first)) == +gone:
                yield arrival.cut(first, len(arrival))
                return
            for item in list(arrival.items()):  # one of the streams is further than another
                yield from self._fresh(item, gone)

    def _count(self, arrival: Any) -> int:
        """Return the number of items of an arrival."""
        if self._language.items == "tuples":
            came = Counter({_ALL: int(arrival.num_rows)})
        elif isinstance(arrival, StreamItem):
            came = Counter([str(arrival.iri)])
        else:
            came = Counter() if isinstance(arrival, Watermark) else counted_in(arrival)
        self.taken += came
        return came.total()

    def _save(self) -> None:
        assert self._out is not None
        if self._over:
            return
        self._out.flush()
        length = None
        if self._output is not None:
            os.fsync(self._out.fileno())
            length = self._output.stat().st_size
        about = {
            "taken": dict(sorted(self.taken.items())), "results": self.results, "output": length,
            "positions": self._positions(), "dated": bool(self._times.dated),
            "format": self._format,
            "files": {name: prefix.now() for name, prefix in sorted(self._prefixes.items())},
        }
        write(self._state, self._resumable.save(self._running, about, self._merging))

    def _positions(self) -> dict[str, Any]:
        """Return where to resume each stream that can be read from a position on."""
        shared = self._arrivals_shared
        found: dict[str, Any] = {}
        for name, stream in self._inputs["streams"].items():
            if shared is not None and hasattr(stream, "positions"):
                places = {
                    lane: place for (of, lane), place in shared.places.items() if of == str(name)
                }
                found[str(name)] = stream.positions(places)
        return found


class Prefix:
    """The bytes that a stream's file had when a checkpoint was written: `[number, SHA-256]`.

    A file may grow between two runs. Bytes that were hashed once are not read again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._length = 0
        self._hash = sha256()

    def now(self) -> list[Any]:
        """Return the prefix that is the whole file now."""
        self._extend(None)
        return [self._length, self._hash.hexdigest()]

    def check(self, said: Any, source: str) -> None:
        """Raise CheckpointError if the file does not begin with the prefix of a checkpoint."""
        try:
            length, digest = whole_number(said[0]), said[1]
        except (LookupError, TypeError, ValueError) as error:
            raise not_written_by("denota run", source) from error
        self._extend(length)
        if self._length < length:
            raise CheckpointError(
                f"{self._path} is shorter than it was at the checkpoint:"
                f" {self._length} of {length} bytes", source=source,
            )
        if self._hash.hexdigest() != digest:
            raise CheckpointError(
                f"{self._path} is another file than at the checkpoint: its first {length} bytes"
                " are others", source=source,
            )

    def _extend(self, length: int | None) -> None:
        with open(self._path, "rb") as file:
            file.seek(self._length)
            while length is None or self._length < length:
                left = _CHUNK if length is None else min(_CHUNK, length - self._length)
                read = file.read(left)
                if not read:
                    return
                self._hash.update(read)
                self._length += len(read)


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def whole_number(value: Any) -> int:
    """Return a count in a checkpoint; raises ValueError if it is none."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value


@contextmanager
def handled_by(handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Let SIGINT and SIGTERM call `handler` in the block; restore the old handlers after it.

    Only the main thread can have a signal handler: in another one nothing is installed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.signal(each, handler) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, earlier in before.items():
            signal.signal(each, signal.SIG_DFL if earlier is None else earlier)


def pieces(arrival: Any, most: int) -> Iterator[Any]:
    """Yield an arrival in pieces of at most that many items."""
    if isinstance(arrival, StreamItem | Watermark):
        yield arrival
    elif hasattr(arrival, "cut"):
        for begin in range(0, len(arrival), most):
            yield arrival.cut(begin, min(begin + most, len(arrival)))
    else:
        batches = arrival.to_batches() if hasattr(arrival, "to_batches") else (arrival,)
        for batch in batches:
            for begin in range(0, batch.num_rows, most):
                yield batch.slice(begin, most)


def counted_in(batch: Any) -> Counter[str]:
    """Return the number of items of each stream in a batch."""
    numbers = Counter(batch.stream.tolist())
    return Counter({str(batch.streams[number]): items for number, items in numbers.items()})


__all__ = ["Checkpointed", "check_options", "left_off"]
