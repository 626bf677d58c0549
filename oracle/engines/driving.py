"""The production engine, driven over a case as a schedule says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from ...engine.checkpoints.checkpoint_files import Checkpoint, parsed, written
from ...engine.checkpoints.streaming_query import StreamingQuery, restore_state, save_state
from ...semantics.model.errors import StreamError
from ...semantics.model.items import Item
from ...semantics.model.trees import triple_key
from ...semantics.streams.live.watermarks import Watermark
from ...semantics.streams.merging import StreamItem
from ..cases.case import Task
from ..cases.rdf_text import BlankLabels
from ..cases.schedule import Cut, Schedule
from .engine import EngineCrash

_MORE_THAN_THERE_ARE = 1 << 40
_SECOND = 1_000_000_000  # nanoseconds, which tuples count


def driven(case: Task, schedule: Schedule) -> Iterator[Any]:
    """Return the engine's results on a case under a schedule."""
    language: Any = case.language
    if schedule.driver == "counted" and hasattr(language, "sample"):
        return _by_numbers(case)
    if schedule.driver == "live" and hasattr(language, "running") and _may_be_live(case):
        return _pushed(case, schedule)
    return _read(case, schedule)


def _by_numbers(case: Task) -> Iterator[Any]:
    """Return the results by their numbers, as many as are counted."""
    language: Any = case.language
    found = language.sample(case.tree, _MORE_THAN_THERE_ARE, **case.inputs)
    count = language.count(case.tree, **case.inputs)
    if count != len(found):
        raise EngineCrash(f"{count} results are counted, and there are {len(found)}")
    return iter(found)


# --- batches and checkpoints ---------------------------------------------------------------------


def _read(case: Task, schedule: Schedule) -> Iterator[Any]:
    """Yield the results over a case's streams or, with the driver `file`, over files of them."""
    language: Any = case.language
    with ExitStack() as stack:
        files = None
        if schedule.driver == "file":
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="denota-")))
            files = _files(case, folder)

        def inputs() -> Any:
            return case.inputs if files is None else {**case.inputs, "streams": files()}

        if not schedule.cuts or not hasattr(language, "running"):
            yield from language.run(case.tree, **inputs())
        else:
            yield from _InCuts(case, schedule.cuts, inputs).results()


@dataclass
class _InCuts:
    """A run over batches, with checkpoints after some of them."""

    case: Task
    cuts: tuple[Cut, ...]
    inputs: Any
    """Makes what the query is evaluated on, with streams that start at their first items."""

    def results(self) -> Iterator[Any]:
        running = self._made()
        cuts = cycle(self.cuts)
        taken = 0
        over = False
        while not over:
            # Items of a file are encoded by the dictionary of the engine that they are for, so an
            # engine that has been restored has the streams opened again.
            for batch, size, checkpoint in self._batches(running, cuts, taken):
                if running.is_done:
                    return
                yield from running.process(batch)
                taken += size
                if checkpoint and not running.is_done:
                    content = written(Checkpoint({}, save_state(running)))
                    running = restore_state(self._made, parsed(content).state)
                    break
            else:
                over = True
        if not running.is_done:
            yield from running.finish()

    def _made(self, dictionaries: Any = ()) -> StreamingQuery:
        language: Any = self.case.language
        running: StreamingQuery = language.running(self.case.tree, dictionaries, **self.inputs())
        return running

    def _batches(
        self, running: StreamingQuery, cuts: Iterator[Cut], taken: int
    ) -> Iterator[tuple[Any, int, bool]]:
        """Yield (batch, its size in items, whether a checkpoint follows) after the first items."""
        language: Any = self.case.language
        arrivals = language.elements(running, self.case.tree, self.inputs()["streams"])
        pending: list[StreamItem] = []
        cut = next(cuts)

        def flushed(checkpoint: bool) -> Iterator[tuple[Any, int, bool]]:
            items = pending[:]
            pending.clear()
            if len(items) > 1 and getattr(running, "takes_batches", True):
                from ...engine.rdf.columns.batch import batch_of  # only batches pay for NumPy

                yield batch_of(items, running.dictionaries[0]), len(items), checkpoint
                return
            for number, item in enumerate(items, start=1):
                yield item, 1, checkpoint and number == len(items)

        for arrival in _behind(arrivals, taken):
            if isinstance(arrival, StreamItem):
                pending.append(arrival)
                if len(pending) == cut.size:
                    yield from flushed(cut.checkpoint)
                    cut = next(cuts)
                continue
            yield from flushed(checkpoint=False)
            size = _size(arrival)
            if not size:
                yield arrival, 0, False
            begin = 0
            while begin < size:
                end = min(begin + (cut.size or size), size)
                yield _part(arrival, begin, end), end - begin, cut.checkpoint
                begin, cut = end, next(cuts)
        yield from flushed(checkpoint=False)


def _behind(arrivals: Iterator[Any], count: int) -> Iterator[Any]:
    """Yield the arrivals behind the first `count` items."""
    for arrival in arrivals:
        size = _size(arrival)
        if not count:
            yield arrival
        elif count < size:
            yield _part(arrival, count, size)
            count = 0
        else:
            count -= size


def _size(arrival: Any) -> int:
    if isinstance(arrival, StreamItem):
        return 1
    if isinstance(arrival, Watermark):
        return 0
    size: int = arrival.num_rows if hasattr(arrival, "num_rows") else len(arrival)
    return size


def _part(arrival: Any, begin: int, end: int) -> Any:
    if hasattr(arrival, "num_rows"):
        return arrival.slice(begin, end - begin)
    return arrival.cut(begin, end)


# --- files ---------------------------------------------------------------------------------------


def _files(case: Task, folder: Path) -> Any:
    """Return a function that opens a case's streams as files; None where no file can state them."""
    if case.language.items == "tuples":
        from ..cases.embedded_text import Table
        from ..cases.tuple_sources import table_of, tuples_of

        tables: dict[Any, Table] = {}
        for number, (name, tuples) in enumerate(case.streams.items()):
            table = table_of(tuple(tuples), str(name))
            path = folder / f"{number}.csv"
            path.write_text(str(table.csv), encoding="utf-8")
            tables[name] = Table(path, table.declaration)
        return lambda: {
            name: tuples_of(table, str(name), case.tree) for name, table in tables.items()
        }
    from ...semantics.streams.rdf.reader import StreamFile, read_items

    paths: dict[Any, Path] = {}
    # Results must not depend on the order of the mapping, which is usually that of the names.
    for number, (iri, items) in enumerate(reversed([*case.streams.items()])):
        try:
            paths[iri] = _write_file(_labelled(items), folder / str(number))
        except StreamError:  # two items with one name, for one
            return None
    instants_only = case.language.items == "graphs"

    def opened(path: Path) -> Any:
        # A file that is opened again is the same document as before for its blank nodes. The engine
        # reads a document by columns only if its scope consists of letters and digits.
        file = read_items(path, scope=f"stream{path.stem}")
        return file.of_instants() if instants_only and isinstance(file, StreamFile) else file

    return lambda: {name: opened(path) for name, path in paths.items()}


def _write_file(items: Sequence[Item], path: Path) -> Path:
    """Write a file, in TriG if a graph is empty, else in N-Quads; return its path."""
    from ...semantics.streams.rdf.writer import write_stream

    path = path.with_suffix(".nq" if all(item.graph for item in items) else ".trig")
    write_stream(items, path)
    return path


def _labelled(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items with their blank nodes relabelled b0, b1, …: documents share labels."""
    relabelled: Any = BlankLabels().relabelled  # of each place a term that may stand there
    return [
        replace(
            item, name=item.name and relabelled(item.name),
            graph=frozenset(
                tuple(map(relabelled, triple)) for triple in sorted(item.graph, key=triple_key)
            ),
        )
        for item in items
    ]


# --- live sources --------------------------------------------------------------------------------


def _may_be_live(case: Task) -> bool:
    """Return True if the order of a case's items follows from their times."""
    if case.language.items != "tuples":
        return True
    return len(case.streams) == 1 or all(
        each.time is not None for stream in case.streams.values() for each in stream
    )


def _pushed(case: Task, schedule: Schedule) -> Iterator[Any]:
    """Yield the results of a live query into which a case's items are pushed."""
    from ..api import AskedInputs
    from .live_query import LiveQuery

    asked = AskedInputs.of_case(case)
    names = [str(name) for name in case.streams]
    late = schedule.late if schedule.apart else 0
    options = (schedule.apart, str(late) if late else None, None)
    live = LiveQuery(asked, names, *options)
    cuts = cycle(schedule.cuts or (Cut(1),))
    cut = next(cuts)
    pending: list[Any] = []
    stream = ""
    arrivals = [*_in_order_of_arrival(case, schedule, late)]
    times = [_time(item) for name, item in arrivals if live.reads(name)]
    if None not in times:  # to the definitions, time ends with the last item that the query reads
        last = max(times, default=0)
        arrivals = [
            (name, item) for name, item in arrivals if live.reads(name) or _time(item) <= last
        ]
    for name, item in chain(arrivals, [("", None)]):
        if pending and (name != stream or len(pending) == cut.size):
            yield from live.push_batch(stream, pending)
            pending.clear()
            if cut.checkpoint:
                live = LiveQuery(asked, names, *options, (parsed(live.state()), None))
            cut = next(cuts)
        if item is not None:
            stream = name
            pending.append(item)
    yield from live.finish()


def _time(item: Any) -> Any:
    """Return the time of a tuple, or the end of an RDF item."""
    return item.end if hasattr(item, "end") else item.time


def _in_order_of_arrival(case: Task, schedule: Schedule, late: int) -> Iterator[tuple[str, Any]]:
    """Yield (stream, item): in the order of their times or, of streams apart, in a random one."""
    random = Random(schedule.seed)
    tuples = case.language.items == "tuples"
    queues: dict[str, list[tuple[Any, Any]]] = {}
    for stream, items in case.streams.items():
        delays: Mapping[Any, int] = {}
        keyed = []
        for item in items:
            time = _time(item)
            if late and time is not None:
                # Items of one time stay in their order, which may mean something.
                delays = {**delays, time: delays.get(time, random.randint(0, late))}
                time += delays[time] * (_SECOND if tuples else 1)
            keyed.append((time, item))
        if late and all(time is not None for time, _ in keyed):
            keyed.sort(key=lambda each: each[0])
        queues[str(stream)] = keyed
    while queues := {name: queue for name, queue in queues.items() if queue}:
        name = (
            random.choice(sorted(queues)) if schedule.apart
            else min(queues, key=lambda each: queues[each][0][0] or 0)
        )
        yield name, queues[name].pop(0)[1]


__all__ = ["driven"]
