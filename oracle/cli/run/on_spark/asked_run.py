"""What a command line asks for, rebuilt from its words in every process that has a part in it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import StringIO
from typing import Any

from rdflib.term import URIRef

from .....semantics.model.errors import UnsupportedError
from .....semantics.model.terms import Graph
from .....semantics.model.tuples import TIME, RecordBatch, UntimedError, out_of_order
from .....semantics.streams.live.addresses import address_of
from ....cases.texts import Text
from ....languages.registry import language as language_named
from ....languages.registry import names, of_query
from ...options import reading_options
from ..opening import opened, stream_files
from .background import NO_GRAPHS, shipped_graphs
from .keyed_time import POSITION

KAFKA = "kafka://"
_NANOSECONDS, _MICROSECONDS = 1_000_000, 1_000


def described(
    arguments: argparse.Namespace, text: str, source: str, background: str = NO_GRAPHS
) -> str:
    """The run as a text that `AskedRun.of` understands; its background graphs are in this file."""
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
        """Raises UnsupportedError for a query that cannot be evaluated key by key."""
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
        """How many groups of keys have one state each; None: each key has its own."""
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
        """How much of the streams' time is a millisecond of Spark's."""
        if self.keys is not None:
            return _MICROSECONDS if dated else 1
        return 1 if self.measure == POSITION else _NANOSECONDS

    @property
    def span(self) -> int | None:
        """So long after its last item a key's state cannot matter any more; None: it always may."""
        if self.keys is not None:
            return int(self.query.within.value)
        within = self.keyed.within
        if within is None or within.attribute not in (None, POSITION):
            return None
        return int(within.value)

    # --- streams and results ---

    @property
    def endless(self) -> bool:
        """Whether more may come on a stream when all that is there has been read."""
        files = stream_files(self.arguments, self.language, self.query).values()
        addresses = [each for each in map(address_of, files) if each is not None]
        return bool(self.arguments.follow) or any(
            "rows" not in each.options if each.scheme == "rate"
            else each.options.get("until") != "end"
            for each in addresses
        )

    def arrivals(self, taken: int = 0) -> tuple[Iterator[Any], Any]:
        """What the streams bring, merged, and what is known of late items.

        So many have been `taken` by the run before, and come again.
        """
        streams, arrivals = opened(self.arguments, self.language, self.query, self.source)
        if arrivals is not None:
            arrivals.again = taken
        if self.keys is None:
            running = self.language.running(
                self.query, streams=streams, kb={}, readings=self.readings, evaluation={}
            )
            arriving = self.language.arriving(running, self.query, streams)
            if self.measure == TIME:
                arriving = self._in_time_order(arriving, streams)
            return arriving, arrivals
        from .....semantics.streams.live.arriving import graphs_arriving
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
        """The results as `--format jsonl` writes them."""
        from ....results.times import ResultTimes
        from ....results.writer import writer

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
