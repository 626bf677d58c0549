"""The output of `denota run`: results, their limit, and their destination."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TextIO

from ....semantics.streams.files.outputs import Output, output_errors
from ...results import writers
from ...results.text_table import BLOCK, TextTable
from ...results.times import ResultTimes
from ...results.writers import text_rows, writer
from .. import UsageError
from ..terminal import columns, machine_output
from .input_streams import report_late

if TYPE_CHECKING:
    from .checkpointing import Checkpointed


def check_amount(arguments: argparse.Namespace) -> None:
    """Raise UsageError where options ask for different numbers of results."""
    asked = [
        option
        for option, value in (
            ("--limit", arguments.limit),
            ("--count", arguments.count or None),
            ("--sample", arguments.sample),
        )
        if value is not None
    ]
    if len(asked) > 1:
        raise UsageError(f"{asked[1]} is not allowed with {asked[0]}")
    if arguments.seed is not None and arguments.sample is None:
        raise UsageError("--seed requires --sample")
    if arguments.count and arguments.format != "jsonl":
        raise UsageError(f"--count writes a number, no {arguments.format}")


def written(
    arguments: argparse.Namespace, language: Any, query: Any, text: str, inputs: dict[str, Any],
    times: ResultTimes, arrivals: Any, kept: Checkpointed | None = None, *, goes_on: bool = False,
    live: bool = False,
) -> int:
    """Write the requested results; return their number.

    `kept` is a run with checkpoints; one that `goes_on` adds to its output. With checkpoints, or
    over `live` streams, text grows in its file; other output appears in it at the end.
    """
    named = Path(arguments.output) if arguments.output else None
    mode: Literal["a", "w"] = "a" if goes_on else "w"
    with output(
        named, arguments.format, mode, grows=live or kept is not None
    ) as (out, path, finished):
        if arguments.count:
            found = count(arguments, language, query, text, inputs)
            out.write(f"{found}\n")
            finished()
            return found
        to: Any = _BehindHead(out) if goes_on and arguments.format == "csv" else out
        results: Any
        if arguments.format == "table":
            rows = text_rows(language, query, inputs["readings"], times)
            results = TextTable(rows, to, columns(to), 1 if live else BLOCK)
        else:
            results = writer(
                arguments.format, language, query, inputs["readings"],
                out=to, path=path, times=times,
            )
        try:
            if kept is not None:
                return kept.run(results, out)
            return write(results, arguments, language, query, text, inputs)
        except BaseException:
            if isinstance(results, TextTable):
                results.complete = False
            raise
        finally:  # what is certain stays certain, also if the streams end in an error
            results.close()
            finished()
            report_late(arrivals)


class _BehindHead:
    """An output that a run goes on with: it has the line with the names of the columns."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._head = True

    def write(self, text: str) -> int:
        if self._head:
            self._head = False
            return len(text)
        return self._out.write(text)

    def flush(self) -> None:
        self._out.flush()


def write(
    written: Any,
    arguments: argparse.Namespace,
    language: Any,
    query: Any,
    text: str,
    inputs: dict[str, Any],
) -> int:
    """Write the results; return their number."""
    found = 0
    own = arguments.engine == "production"
    results: Iterable[Any]
    if arguments.sample is not None:
        size, seed = arguments.sample, arguments.seed
        if own:
            results = writers.sample(language, query, size, seed, inputs)
        else:
            everything = _results(arguments, language, query, text, inputs)
            results = writers.sampled(everything, size, seed)
    else:
        batches = None
        if own and hasattr(written, "write_batch"):
            batches = writers.own_batches(language, query, arguments.limit, inputs)
        if batches is not None:
            for batch in batches:
                written.write_batch(batch)
                found += batch.num_rows
            return found
        everything = _results(arguments, language, query, text, inputs)
        results = writers.first(everything, arguments.limit)
    for result in results:
        written.write(result)
        found += 1
    return found


def count(
    arguments: argparse.Namespace, language: Any, query: Any, text: str, inputs: dict[str, Any]
) -> int:
    if arguments.engine == "production":
        return writers.count(language, query, inputs)
    return sum(1 for _ in _results(arguments, language, query, text, inputs))


def _results(
    arguments: argparse.Namespace, language: Any, query: Any, text: str, inputs: dict[str, Any]
) -> Iterable[Any]:
    if arguments.engine == "production":
        results: Iterator[Any] = language.run(query, **inputs)
        return results
    if arguments.follow:
        raise UsageError("--follow needs the production engine")
    if arguments.engine == "oracle":
        return sorted(language.evaluate(query, **inputs), key=language.order)
    return _foreign_results(arguments.engine, language, text, inputs)


def _foreign_results(
    name: str, language: Any, text: str, inputs: dict[str, Any]
) -> Iterator[Any]:
    from rdflib.term import URIRef

    from ...cases.case import Task
    from ...cases.embedded_text import Text
    from ...engines.engine import EngineCrash, EngineError, EngineTimeout, close
    from ...engines.engine_specs import engine

    foreign = engine(name, timeout=3600.0)
    case = Task(
        language.name,
        Text(text),
        {URIRef(iri): tuple(stream) for iri, stream in inputs["streams"].items()},
        inputs["kb"],
        inputs["readings"],
        inputs["evaluation"],
        title="run",
    )
    try:
        for result in foreign.run(case):
            yield language.from_json(result) if isinstance(result, Mapping) else result
    except (EngineCrash, EngineTimeout) as error:
        raise EngineError(f"engine '{name}': {error}") from error
    finally:
        close(foreign)


@contextmanager
def output(
    path: Path | None, format: str, mode: Literal["w", "a"] = "w", *, grows: bool = False
) -> Iterator[tuple[TextIO, Path | Output | None, Callable[[], None]]]:
    """Yield a text file to write to, the file that Parquet opens itself, and a function.

    The function makes the text appear in its file, unless it `grows` there.
    """
    if format == "parquet":
        with open(os.devnull, "w", encoding="utf-8") as nothing, _parquet_file(path) as to:
            yield nothing, to, _nothing
    elif path is None:
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
        yield machine_output(), None, _nothing
    else:
        with Output(path) as file, output_errors(str(path)), open(
            file.place if grows else file.begin(), mode,
            encoding="utf-8", errors="backslashreplace", newline="",
        ) as out:

            def finish() -> None:
                out.flush()
                if not grows:
                    file.commit()

            yield out, path, finish


def _nothing() -> None:
    pass


@contextmanager
def _parquet_file(path: Path | None) -> Iterator[Path | Output | None]:
    """Provide the file, or one whose bytes go to standard output unless that is a terminal."""
    if path is not None:
        with Output(path) as whole:
            yield whole
        return
    if sys.stdout.isatty():
        yield None
        return
    with TemporaryDirectory(prefix="denota-") as folder:
        file = Path(folder, "results.parquet")
        try:
            yield file
        finally:
            if file.exists():
                with open(file, "rb") as written:
                    copyfileobj(written, sys.stdout.buffer)
                    sys.stdout.buffer.flush()
