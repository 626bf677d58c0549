"""Streams that are read while they grow: standard input, pipes and followed files.

Each is read by a thread of its own, which hands on elements: an item, a heartbeat (a watermark), a
silence, the end. `watermarks` puts items in order; `graphs` and `tuples` say when an item is
complete. docs/live.md says the same to users.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Any, Generic, TypeVar

from .growing import Stop, Stopped
from .watermarks import Merging, Watermark

T = TypeVar("T")

_WAITING = 1 << 10  # elements of one stream that are read ahead, at most


class Silence:
    """Nothing has been read for `idle` seconds."""


class End:
    """The stream has ended."""


Element = Any  # an item, a Watermark, Silence, End, or the exception that reading ended with


class LiveStream(Generic[T]):
    """A stream whose elements come while it is read; several share one `Arrivals`.

    `read(put)` reads it to its end, and hands over items, heartbeats and silences by `put`.
    """

    def __init__(
        self, arrivals: Arrivals, source: str, read: Callable[[Callable[[Element], None]], None]
    ) -> None:
        self.arrivals = arrivals
        self.source = source
        self._read = read
        self._waiting: deque[Element] = deque()
        self._started = False

    def watched(self, look: Callable[[Element], None]) -> LiveStream[T]:
        """This stream, each element of which `look` sees before it is there."""
        read = self._read

        def watching(put: Callable[[Element], None]) -> None:
            def seen(element: Element) -> None:
                look(element)
                put(element)

            read(seen)

        self._read = watching
        return self

    def start(self) -> None:
        """Begins to read, if it has not begun."""
        if not self._started:
            self._started = True
            reader = Thread(target=self._run, name=f"reads {self.source}", daemon=True)
            self.arrivals.readers.append(reader)
            reader.start()

    def taken(self) -> list[Element]:
        """The elements read so far; under the lock of the arrivals."""
        elements = list(self._waiting)
        if elements:
            self._waiting.clear()
            self.arrivals.changed.notify_all()
        return elements

    def first(self) -> Element:
        """Waits for the first element, and leaves it there."""
        self.start()
        with self.arrivals.changed:
            while not self._waiting:
                self.arrivals.changed.wait()
            return self._waiting[0]

    def _run(self) -> None:
        try:
            self._read(self._put)
            self._put(End())
        except Stopped:
            return
        except BaseException as error:  # it is raised where the stream is used
            if not self.arrivals.stop.told:
                self._put(error)

    def _put(self, element: Element) -> None:
        changed = self.arrivals.changed
        with changed:
            while len(self._waiting) >= _WAITING and not self.arrivals.stop.told:
                changed.wait()
            if self.arrivals.stop.told:
                raise Stopped
            self._waiting.append(element)
            changed.notify_all()


@dataclass
class Arrivals:
    """What the streams of one run share: `delay` is that of `--reorder`, None without."""

    delay: int | None = None

    def __post_init__(self) -> None:
        self.changed = Condition()
        self.stop = Stop()
        self.readers: list[Thread] = []
        self.late: Counter[str] = Counter()
        """By stream, how many items came too late and were left out."""

    def end(self) -> None:
        """Nobody asks for more: the readers' threads end, and so can the process."""
        self.stop.tell()
        with self.changed:
            self.changed.notify_all()
        for reader in self.readers:
            reader.join()
        self.stop.close()

    def next(
        self, streams: Mapping[Any, LiveStream[Any]], *, wait: bool = True
    ) -> list[tuple[Any, Element]]:
        """What was read on these streams, each with its name; waits until there is something."""
        with self.changed:
            while not (found := [
                (name, element) for name, stream in streams.items() for element in stream.taken()
            ]) and wait:
                self.changed.wait()
            return found


def in_order(
    streams: Mapping[Any, Iterable[T]],
    names: list[Any],
    time_of: Callable[[T], int],
    *,
    ranks: bool = False,
    whole: bool = False,
) -> Iterator[list[tuple[Any, int, int, list[T]] | Watermark]]:
    """(stream, time, rank, items) in the order of `watermarks`, and watermarks between them.

    What can leave at once is one list. At least one of the streams is a `LiveStream`; of another
    iterable the next item is always there.
    """
    live = {name: s for name in names if isinstance(s := streams[name], LiveStream)}
    ready = {name: iter(streams[name]) for name in names if name not in live}
    arrivals = next(iter(live.values())).arrivals
    merging: Merging[T] = Merging(names, delay=arrivals.delay, ranks=ranks, whole=whole)
    for stream in live.values():
        stream.start()
    asleep: set[Any] = set()

    def take(name: Any, element: Element) -> None:
        asleep.discard(name)
        if isinstance(element, End):
            merging.end(name)
            live.pop(name, None)
            ready.pop(name, None)
        elif isinstance(element, Silence):
            merging.silent(name)
            asleep.add(name)
        elif isinstance(element, Watermark):
            merging.promise(name, element.time)
        else:
            merging.arrive(name, time_of(element), element)

    try:
        while live or ready:
            # A silent stream may go on, also while others are waited for.
            elements = arrivals.next({name: live[name] for name in asleep}, wait=False)
            awaited = merging.blocking()
            own = [name for name in awaited if name in ready]
            if own:
                elements += [(name, next(ready[name], End())) for name in own]
            elif not elements:
                watched = {*awaited, *asleep}
                elements = arrivals.next({name: live[name] for name in watched})
            failed = None
            for name, element in elements:
                if isinstance(element, BaseException):
                    failed = element
                    break
                take(name, element)
            leaving = list(merging.leaving())
            if leaving:
                yield leaving
            if failed is not None:
                raise failed
    finally:
        arrivals.end()
        arrivals.late.update({str(name): items for name, items in merging.late.items()})
