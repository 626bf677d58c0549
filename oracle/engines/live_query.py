"""Streaming queries in Python: items are pushed, and a checkpoint holds the state.

    running = denota.stream(query)
    for item in …:
        for result in running.push("http://example.org/s", item): …
    running.checkpoint("run.state")                 # here, and in another process:
    running = denota.restore("run.state", query)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final, Generic, ParamSpec, TypeVar

from ...engine.checkpoints.checkpoint_files import (
    Checkpoint,
    CheckpointError,
    parsed,
    read,
    write,
    written,
)
from ...semantics.model.errors import DenotaError, StreamError, nearest
from ...semantics.model.pretty_printing import ParsedQuery, ResultT_co
from ...semantics.model.time import parse_duration
from ...semantics.model.tuples import EventTuple, batches, of_one_type
from ...semantics.streams.files.outputs import Output
from ...semantics.streams.live.ordered_input import Placing
from ...semantics.streams.live.watermarks import LateItems, StreamMerger, Watermark
from ...semantics.streams.merging import arranged, interval_items, ordered
from ..api import AskedInputs, Instant, instant, item_of
from ..cases.tuple_sources import TupleNames
from .resumable_run import ResumableRun, of_checkpoint, put_back

P = ParamSpec("P")
T = TypeVar("T")

_FORMER: Final = {
    "apart": "independent_streams", "reorder": "max_out_of_orderness",
    "reorder_items": "reorder_buffer_size",
}


def _with_former_names(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function that accepts its parameters by their former names, too."""
    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        named: Any = {_FORMER.get(name, name): value for name, value in kwargs.items()}
        return function(*args, **named)

    return called


@_with_former_names
def stream(
    query: ParsedQuery[ResultT_co] | str,
    streams: Iterable[str] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    at: Iterable[Instant] | Instant | None = None,
    policy: str | None = None,
    setting: str | None = None,
    language: str | None = None,
    independent_streams: bool = False,
    max_out_of_orderness: int | str | None = None,
    reorder_buffer_size: int | None = None,
) -> LiveQuery[ResultT_co]:
    """Start a query of the production engine that takes its items one by one.

    The parameters that are not listed, and the errors, are those of `evaluate`.

    Args:
        streams: the names of the streams (default: those that the query names).
        independent_streams: whether only the items of one stream are in time order. An item is
            then buffered until no other stream can have an earlier one.
        max_out_of_orderness: the largest disorder of an item, as in a query: 5, "10s", "PT1H".
            Later items are dropped.
        reorder_buffer_size: the size of the reorder buffer of a stream, in items.

    >>> import denota
    >>> query = '''PREFIX : <http://example.org/>
    ...     SELECT ?a ?b WITHIN 60 FROM STREAM S <http://example.org/s>
    ...     WHERE { SEQ(A; B) DEFINE GPM A ON S { ?r :is ?a }
    ...                       DEFINE GPM B ON S { ?r :is ?b . FILTER (?b > ?a) } }'''
    >>> running = denota.stream(query)
    >>> running.push("S", (10, "@prefix : <http://example.org/> . :rack :is 31 ."))
    []
    >>> left = running.state()
    >>> again = denota.restore(left, query)
    >>> [pair] = again.push("S", (20, "@prefix : <http://example.org/> . :rack :is 35 ."))
    >>> pair.time
    20
    >>> again.push("S", (15, "@prefix : <http://example.org/> . :rack :is 36 ."))
    Traceback (most recent call last):
      ...
    denota.semantics.model.errors.StreamError: stream <http://example.org/s>: an item at 15 comes after 20: items come in time order, or up to `max_out_of_orderness` late
    >>> again.finish()
    []
    """  # noqa: E501 - the message is one line
    asked = AskedInputs(
        query, None, kb, readings, start, language, at, policy, setting, checked=False
    )
    return LiveQuery(
        asked, streams, independent_streams, max_out_of_orderness, reorder_buffer_size
    )


@_with_former_names
def restore(
    left: str | os.PathLike[str] | bytes,
    query: ParsedQuery[ResultT_co] | str,
    streams: Iterable[str] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    at: Iterable[Instant] | Instant | None = None,
    policy: str | None = None,
    setting: str | None = None,
    language: str | None = None,
    independent_streams: bool = False,
    max_out_of_orderness: int | str | None = None,
    reorder_buffer_size: int | None = None,
) -> LiveQuery[ResultT_co]:
    """Resume a running query from its checkpoint.

    The other parameters have to be those that `stream` had.

    Args:
        left: the file that `checkpoint` wrote, or the bytes that `state` returned.

    Raises:
        CheckpointError: if the checkpoint is damaged, or belongs to another version or query.

    >>> import denota
    >>> denota.restore(b"something else", "SELECT * FROM S WHERE A ; B")
    Traceback (most recent call last):
      ...
    denota.engine.checkpoints.checkpoint_files.CheckpointError: not a denota checkpoint
    """
    asked = AskedInputs(
        query, None, kb, readings, start, language, at, policy, setting, checked=False
    )
    source = None if isinstance(left, bytes) else os.fspath(left)
    before = parsed(left) if isinstance(left, bytes) else read(Path(left))
    return LiveQuery(
        asked, streams, independent_streams, max_out_of_orderness, reorder_buffer_size,
        (before, source),
    )


class LiveQuery(Generic[ResultT_co]):
    """A running query that takes items one by one; `stream` and `restore` return it.

    Its results are those of `run`, each as soon as it is final. An item that raises an error is not
    added; the next call returns the results that were final before.
    """

    def __init__(
        self, asked: AskedInputs, streams: Iterable[str] | None, independent: bool,
        disorder: int | str | None, buffer_size: int | None,
        before: tuple[Checkpoint, str | None] | None = None,
    ) -> None:
        language: Any = asked.language
        self._asked, self._apart = asked, independent
        self._called = dict(language.stream_names(asked.query))
        given = self._named(streams)
        asked.warn_of(given)
        inputs = {**asked.inputs, "streams": dict.fromkeys(given, ())}
        self._of_tuples = language.items == "tuples"
        options = {"apart": independent, "reorder": disorder, "reorder_items": buffer_size}
        text = str(language.print(asked.query))
        self._resumable = ResumableRun(language, asked.query, text, inputs, given, options)
        source = None if before is None else before[1]
        self._guard: Callable[[], AbstractContextManager[None]] = (
            nullcontext if before is None else partial(of_checkpoint, source)
        )
        this = self._resumable
        running: Any = this.start() if before is None else this.resume(*before)
        self._running = running
        delay = None if disorder is None else delay_of(str(disorder), tuples=self._of_tuples)
        self._placing = Placing(None if self._of_tuples else self._running.ties)
        own = {} if self._of_tuples else self._running.own_streams
        self._given = frozenset(given)
        self._read = self._given if self._of_tuples else frozenset(
            self._running.asked_for(dict.fromkeys(given, ()))
        )
        if self._of_tuples and asked.query.streams:
            self._read &= {*(self._order() or ())}
        self._others = {name: self._given - {name} for name in given}
        self._merging: StreamMerger[Any] = StreamMerger(
            [*arranged({*given, *own}, self._order())], delay=delay, bound=buffer_size,
            ranks=self._placing.ranks, whole=self._placing.whole,
        )
        self._times: str | None = None
        """The kind of the items' times; for tuples: if they have any."""
        self._finished = False
        self._found: list[ResultT_co] = []
        """The results that were final when an item was refused."""
        self._seen = TupleNames() if self._of_tuples and before is None else None
        """The names of the tuples, as long as there are no results and all tuples are known."""
        if before is None:
            for name, items in own.items():
                for item in items:
                    self._merging.add(name, item.end, item)
                self._merging.end(name)
            return
        try:
            self._times, self._finished = before[0].about["times"], before[0].about["finished"]
        except (LookupError, TypeError) as error:
            raise CheckpointError(
                "cannot resume: the checkpoint was written by 'denota run', not by denota.stream",
                source=source,
            ) from error
        if before[0].waiting is not None:
            put_back(self._merging, before[0].waiting, source)
        for name in own:
            self._merging.end(name)

    def _named(self, streams: Iterable[str] | None) -> list[Any]:
        """Return the keys of these streams, or else of those that the query names."""
        asked = self._asked
        names = asked.language.streams_read(asked.query) if streams is None else [*streams]
        if names is None:
            raise DenotaError("the query names no stream: say which there are (streams=[…])")
        if streams is not None:
            asked.check_streams(names)
        return [asked.name_of(name) for name in names]

    def _order(self) -> Sequence[Any] | None:
        if self._of_tuples:
            return [self._asked.name_of(name) for name in self._resumable.query.streams]
        order: Sequence[Any] | None = self._running.order
        return order

    # --- items -----------------------------------------------------------------------------------

    def reads(self, stream: str) -> bool:
        """Return whether the query reads items of a stream; the others only let time advance."""
        return self._known(stream) in self._read

    def push(self, stream: str, item: Any) -> list[ResultT_co]:
        """Add an item of a stream, and return the results that are final now.

        Args:
            stream: the name or IRI of the stream.
            item: a graph with its time, or a tuple, as in a stream of `evaluate`.

        Raises:
            StreamError: if the item is out of order.
        """
        return self.push_batch(stream, (item,))

    def push_batch(self, stream: str, items: Iterable[Any]) -> list[ResultT_co]:
        """Add items of a stream, and return the results that are final now; faster than `push`."""
        name = self._known(stream)
        left: list[Any] = []
        try:
            for item in self._tuples(name, items) if self._of_tuples else items:
                self._arrive(name, item, left)
        finally:
            self._take(left)
        return self._asked_for()

    def advance(self, time: Instant, stream: str | None = None) -> list[ResultT_co]:
        """Advance the watermark of a stream, or of all; return the results that are final now."""
        names = self._given if stream is None else {self._known(stream)}
        self._check_open()
        at = instant(time)
        if self._of_tuples and not isinstance(time, int):
            at *= 1_000  # tuples count nanoseconds
        for name in names:
            self._merging.advance_watermark(name, at)
        self._leave()
        return self._asked_for()

    def finish(self) -> list[ResultT_co]:
        """End all streams, and return the remaining results.

        Raises:
            QueryError: if there was no result, and the tuples have only a name similar to an event
                type or an attribute of the query.
        """
        self._check_open()
        for name in self._given:
            self._merging.end(name)
        self._leave()
        self._finished = True
        with self._guard():
            if not self._running.is_done:
                self._found += self._running.finish()
        if not self._found and self._seen is not None:
            self._asked.finish(False, self._seen)
        return self._asked_for()

    @property
    def late(self) -> Mapping[str, int]:
        """The number of late items of each stream, which were dropped."""
        late: Mapping[Any, LateItems] = self._merging.late
        return {str(name): each.items for name, each in late.items()}

    # --- leaving ---------------------------------------------------------------------------------

    def state(self) -> bytes:
        """Return a checkpoint for `restore` as bytes."""
        return written(self._left())

    def checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint to a file, which it replaces in one step."""
        with Output(Path(path)) as output:
            write(output, self._left())

    def _left(self) -> Checkpoint:
        if self._found:
            raise DenotaError(
                "results were certain when an item was refused: the next push returns them"
            )
        about = {"times": self._times, "finished": self._finished}
        with self._guard():
            return self._resumable.save(self._running, about, self._merging)

    # --- what is pushed --------------------------------------------------------------------------

    def _known(self, stream: str) -> Any:
        self._check_open()
        name = self._asked.name_of(stream)
        if name not in self._given:
            known = {*self._called, *map(str, self._given)}
            raise StreamError(
                f"unknown stream '{stream}'"
                + (nearest(stream, known) or f" (known: {', '.join(sorted(known))})")
            )
        return name

    def _check_open(self) -> None:
        if self._finished:
            raise DenotaError("the running query is finished: nothing comes any more")

    def _arrive(self, name: Any, given: Any, left: list[Any]) -> None:
        """Add an item; append the items that may leave now to `left`."""
        if self._of_tuples:
            item, time = replace(given, stream=str(name)), given.time
            self._check_times(name, "no arrival times" if time is None else "arrival times")
            if time is None:
                left.extend([item] * (name in self._read))
                return
        else:
            item = item_of(given)
            alone: Any = interval_items if self._running.ties is None else ordered
            next(alone((item,), name))  # raises what is wrong with the item itself
            self._check_times(name, f"{item.kind} times")
            time = item.end
        try:
            with self._guard():
                if name in self._read:
                    self._merging.add(name, time, item)
                else:
                    self._merging.advance_watermark(name, time)
        except StreamError as error:
            before, _, _ = error.message.partition(": a stream must be")
            raise StreamError(
                f"{before}: items come in time order, or up to `max_out_of_orderness` late"
            ) from None
        with self._guard():
            if not self._apart:
                for other in self._others[name]:
                    self._merging.advance_watermark(other, time)
            for each in self._merging.emit():
                left.append(self._placed(each))

    def _check_times(self, name: Any, times: str) -> None:
        if self._times is None:
            self._times = times
        elif self._times != times:
            raise StreamError(
                f"an item of <{name}> has {times}, and those before it {self._times}: they cannot"
                " be compared"
            )

    def _leave(self) -> None:
        left: list[Any] = []
        try:
            with self._guard():
                for each in self._merging.emit():
                    left.append(self._placed(each))
        finally:
            self._take(left)

    def _placed(self, each: Any) -> Any:
        if not self._of_tuples or isinstance(each, Watermark):
            return self._placing(each)
        _, _, _, (item,) = each
        return item

    def _tuples(self, name: Any, items: Iterable[Any]) -> Iterable[EventTuple]:
        from ..cases.tuple_sources import tuples_of

        given = list(items)
        if all(isinstance(each, EventTuple) for each in given):
            return given
        return tuples_of(given, str(name), self._resumable.query)

    def _take(self, left: list[Any]) -> None:
        if self._of_tuples:
            came = [each for each in left if isinstance(each, EventTuple)]
            if self._seen is not None:
                self._seen.types.update([each.type for each in came])
                self._seen.attributes.update(*[each.attributes for each in came])
            left = [batch for alike in of_one_type(came) for batch in batches(alike)]
        with self._guard():
            self._found.extend(self._running.process_all(left))

    def _asked_for(self) -> list[ResultT_co]:
        found, self._found = self._found, []
        if found:
            self._seen = None
        return found


def delay_of(written: str, *, tuples: bool) -> int:
    """Return a duration in the streams' unit; for tuples, a bare number counts seconds."""
    delay, _ = parse_duration(written)
    if tuples:  # which count nanoseconds
        delay *= 1_000_000_000 if written.strip().isdigit() else 1_000
    return delay
