"""The specification of a run: a command line, parsed again in every process that executes it.

Spark ships the file to the machines as it ships programs; a process reads it when the first engine
needs it. Its name says what is in it, so that no run takes that of another.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any
from zlib import crc32

from rdflib.term import URIRef

from .....semantics.model.errors import UnsupportedError
from .....semantics.model.terms import Graph
from .....semantics.model.tuples import TIME, RecordBatch, UntimedError, out_of_order
from .....semantics.streams.live.addresses import address_of
from ....cases.embedded_text import Text
from ....languages.registry import language as language_named
from ....languages.registry import names, of_query
from ....results.json_objects import term_from_json, term_to_json
from ...options import reading_options
from ..input_streams import opened, stream_files

POSITION = "@position"
"""The column of a tuple's position in the merged stream."""

EARLIEST, LATEST = 1, 1 << 47
_SHIFT = 1 << 46


def on_the_clock(time: int, a_millisecond: int, *, up: bool = False) -> int:
    """Return a time in Spark's event time: milliseconds, all of them after 1970.

    Spark's first watermark is 1970's first millisecond, and nothing may come before it.
    """
    whole = -(-time // a_millisecond) if up else time // a_millisecond
    return min(max(whole + _SHIFT, EARLIEST), LATEST)


def group_name(key: str, groups: int | None) -> str:
    """Return the name of a state: a key by itself, or one of `groups` groups of keys."""
    return key if groups is None else str(crc32(key.encode("utf-8", "surrogatepass")) % groups)


def tuple_keys(batch: Any, names: Iterable[str]) -> Iterator[str | None]:
    """Return the key of each tuple; None for one that is in no partition.

    Equal values have equal keys; where that is hard to say others have, too: the engine of a key
    partitions for itself.
    """
    columns = []
    for name in names:
        if name not in batch.schema.names:
            return iter([None] * batch.num_rows)
        columns.append([_text(value) for value in batch.column(name).to_pylist()])
    return (None if None in row else "\x1f".join(row) for row in zip(*columns, strict=True))


def _text(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value if value is None else f"'{value}"
    return str(value) if isinstance(value, bool) else repr(float(value))


NO_GRAPHS = ""


def packed(graphs: Mapping[URIRef, Graph]) -> tuple[str, str]:
    """Return the name and content of the file of background graphs; `NO_GRAPHS` if there are none.

    A blank node keeps its label.
    """
    if not graphs:
        return NO_GRAPHS, ""
    numbers: dict[Any, int] = {}

    def number(term: Any) -> int:
        return numbers.setdefault(term, len(numbers))

    said = {
        str(name): [[number(term) for term in triple] for triple in sorted(graph)]
        for name, graph in sorted(graphs.items())
    }
    content = json.dumps({"terms": [term_to_json(term) for term in numbers], "graphs": said})
    digest = sha256(content.encode()).hexdigest()
    return f"denota-background-{digest[:32]}.json", content


def shipped_graphs(name: str) -> dict[URIRef, Graph]:
    """Return the background graphs of a file that Spark has sent here."""
    from pyspark import SparkFiles

    said = json.loads(Path(SparkFiles.get(name)).read_text(encoding="utf-8"))
    terms = [term_from_json(each) for each in said["terms"]]
    return {
        URIRef(iri): frozenset((terms[s], terms[p], terms[o]) for s, p, o in triples)
        for iri, triples in said["graphs"].items()
    }


KAFKA = "kafka://"
_NANOSECONDS, _MICROSECONDS = 1_000_000, 1_000


def described(
    arguments: argparse.Namespace, text: str, source: str, background: str = NO_GRAPHS
) -> str:
    """Return the run as a text for `AskedRun.of`; its background graphs are in this file."""
    words = {name: value for name, value in vars(arguments).items()
             if isinstance(value, str | int | float | list | None)}
    said = {"words": words, "text": text, "source": source, "background": background}
    return json.dumps(said, sort_keys=True)


@dataclass
class AskedRun:
    """A query, by what it is partitioned, and how its streams are read."""

    description: str
    arguments: argparse.Namespace
    text: str
    source: str
    language: Any
    query: Any
    readings: Any
    evaluation: dict[str, Any]
    keys: Any
    """By what items are partitioned (`key(item)`); None for tuples, whose query says it."""
    background: str
    """The file of its background graphs."""

    @staticmethod
    @lru_cache(maxsize=8)
    def of(description: str) -> AskedRun:
        """Raise UnsupportedError for a query that cannot be evaluated key by key."""
        from ..option_values import evaluation_of

        said = json.loads(description)
        arguments = argparse.Namespace(**said["words"])
        text, source = said["text"], said["source"]
        with Text(text, source).unplaced_errors_here():
            language: Any = of_query(text, arguments.language)
            query = language.parse(text, source=source)
            readings = language.readings(reading_options(arguments.reading), query)
            keys = _keys(language, query, readings)
        evaluation = evaluation_of(arguments, language)
        return AskedRun(description, arguments, text, source, language, query, readings,
                        evaluation, keys, said["background"])

    @cached_property
    def graphs(self) -> dict[URIRef, Graph]:
        """The background graphs, which are the same for all keys."""
        return {} if self.background == NO_GRAPHS else shipped_graphs(self.background)

    @property
    def groups(self) -> int | None:
        """The number of groups of keys with one state each; None: each key has its own."""
        groups: int | None = self.arguments.key_groups
        return groups

    @property
    def keyed(self) -> Any:
        """The query that one key's engine evaluates."""
        return self.language.of_one_key(self.query, self.readings, POSITION)

    # --- time ---

    @property
    def measure(self) -> str:
        """The column of tuples that event time is: the arrival time if the window measures it."""
        within = self.query.within
        return TIME if within is not None and within.unit.name == "TIME" else POSITION

    def a_millisecond(self, *, dated: bool) -> int:
        """Return a millisecond of Spark's in the streams' time unit."""
        if self.keys is not None:
            return _MICROSECONDS if dated else 1
        return 1 if self.measure == POSITION else _NANOSECONDS

    @property
    def span(self) -> int | None:
        """The time after its last item for which a key's state can matter; None: it always may."""
        if self.keys is not None:
            return int(self.query.within.value)
        within = self.keyed.within
        if within is None or within.attribute not in (None, POSITION):
            return None
        return int(within.value)

    # --- streams and results ---

    @property
    def endless(self) -> bool:
        """True if a stream may get more input when all that is there has been read."""
        files = stream_files(self.arguments, self.language, self.query).values()
        addresses = [each for each in map(address_of, files) if each is not None]
        return bool(self.arguments.follow) or any(
            "rows" not in each.options if each.scheme == "rate"
            else each.options.get("until") != "end"
            for each in addresses
        )

    def arrivals(self, taken: int = 0) -> tuple[Iterator[Any], Any]:
        """Return the merged input of the streams, and the state of late items.

        So many have been `taken` by the run before, and come again.
        """
        streams, arrivals = opened(self.arguments, self.language, self.query, self.source)
        if arrivals is not None:
            arrivals.again = taken
        if self.keys is None:
            running = self.language.running(
                self.query, streams=streams, kb={}, readings=self.readings, evaluation={}
            )
            arriving = self.language.elements(running, self.query, streams)
            if self.measure == TIME:
                arriving = self._in_time_order(arriving, streams)
            return arriving, arrivals
        from .....semantics.streams.live.ordered_input import graphs_arriving
        from .....semantics.streams.merging import StreamItem

        order = tuple(clause.iri for clause in self.query.streams)
        arriving = graphs_arriving(streams, self.readings.ties, order)
        return (each for each in arriving if isinstance(each, StreamItem)), arrivals

    def _in_time_order(
        self, arriving: Iterator[Any], streams: dict[Any, Any]
    ) -> Iterator[RecordBatch]:
        """Raise StreamError as the engine does: the engine of one key sees its tuples alone."""
        taken, latest = 0, None
        with self.language.errors_at(self.query, streams):
            for each in arriving:
                for batch in each.to_batches() if hasattr(each, "to_batches") else (each,):
                    times = batch.column(TIME).to_pylist() if TIME in batch.schema.names else [None]
                    for row, time in enumerate(times, start=taken):
                        if time is None:
                            raise UntimedError(f"tuple {row} has no arrival time")
                        if latest is not None and time < latest:
                            raise out_of_order(row, time, latest)
                        latest = time
                    taken += batch.num_rows
                    yield batch

    def lines(self, results: list[Any], *, dated: bool) -> list[str]:
        """Return the results as `--format jsonl` writes them."""
        from ....results.times import ResultTimes
        from ....results.writers import writer

        out, times = StringIO(), ResultTimes()
        times.dated = dated
        written = writer("jsonl", self.language, self.query, self.readings, out=out, path=None,
                         times=times)
        for result in results:
            written.write(result)
        written.close()
        return out.getvalue().splitlines()


def _keys(language: Any, query: Any, readings: Any) -> Any:
    try:
        if not hasattr(language, "item_keys"):
            able = " and ".join(
                each.title for each in map(language_named, names()) if hasattr(each, "item_keys")
            )
            raise UnsupportedError(
                f"of {language.title} no query says by which key ({able} have them)"
            )
        return language.item_keys(query, readings)
    except UnsupportedError as error:
        raise UnsupportedError(f"--spark runs a query key by key: {error.message}") from None
