"""Streams that are read while they grow: standard input, pipes, followed files, sockets, topics.

Each is read by a thread of its own, which hands on elements: an item, a heartbeat (a watermark), a
silence, the end. `watermarks` puts items in order; `graphs` and `tuples` say when an item is
complete. docs/live.md says the same to users.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition, Lock, RLock, Thread
from typing import Any, Generic, Protocol, TypeVar

from ...model.errors import StreamError
from .byte_sources import Stopped, StopSignal
from .watermarks import LateItems, StreamMerger, Watermark

T = TypeVar("T")

_AT_ONCE = 1 << 6  # elements are handed over together, at most

READ_AHEAD = 1 << 10
"""Elements of one lane that are read ahead, at most."""

_GLANCE = 0.25  # seconds between looks at what has changed meanwhile


class Idle:
    """Nothing has been read for `idle` seconds."""


class End:
    """The stream has ended."""


@dataclass(frozen=True, slots=True)
class NewLane:
    """The stream has another lane."""

    lane: Hashable


Element = Any
"""An item, a Watermark, Silence, NewLane, End, or the exception that reading ended with."""


class Put(Protocol):
    """Hands an element over: `place` tells where it stands, as the stream's `shown` takes it."""

    def __call__(self, element: Element, place: Any = None, lane: Hashable = 0, /) -> None: ...


class LiveStream(Generic[T]):
    """A stream whose elements come while it is read; several share one `Arrivals`.

    `read(put)` reads it to its end, and hands over items, heartbeats and silences by `put`. Several
    are handed over together; before it waits for more it says `flush`. What is known of an
    element's place says from where the stream could be read again: a line, the number of a tuple,
    the partition and offset of a message.
    """

    def __init__(
        self, arrivals: Arrivals, source: str, read: Callable[[Put], None],
        lanes: Sequence[Hashable] = (0,),
    ) -> None:
        self.arrivals = arrivals
        self.source = source
        self._read = read
        self._waiting: dict[Hashable, deque[tuple[Element, Any]]] = {
            lane: deque() for lane in lanes
        }
        self._unhanded: list[tuple[Hashable, Element, Any]] = []
        self._started = False
        self.times: Sequence[str] = ()
        """The time of the first item, or its start and its end, as they are written, if known."""

    @property
    def lanes(self) -> list[Hashable]:
        """The parts of the stream that have an order of their own."""
        return list(self._waiting)

    def shown(self, place: Any) -> str:
        """Return the name of a place of the stream in messages."""
        return self.source if place is None else f"{self.source}:{place}"

    def placed(self, error: StreamError, item: Any, place: Any) -> StreamError:
        """Return the error that the item at this place raises, with the place."""
        return error.at(self.shown(place))

    def watched(
        self, look: Callable[[Element], None], end: Callable[[], None] = lambda: None
    ) -> LiveStream[T]:
        """This stream, each element of which `look` sees before it is there; then comes `end`."""
        read = self._read

        def watching(put: Put) -> None:
            def seen(element: Element, place: Any = None, lane: Hashable = 0, /) -> None:
                look(element)
                put(element, place, lane)

            read(seen)
            end()

        self._read = watching
        return self

    def start(self) -> None:
        """Begin to read, if it has not begun."""
        if not self._started:
            self._started = True
            reader = Thread(target=self._run, name=f"reads {self.source}", daemon=True)
            self.arrivals.readers.append(reader)
            reader.start()

    def taken(self, lane: Hashable) -> list[tuple[Element, Any]]:
        """Return a lane's elements read so far, with their places; under the arrivals' lock."""
        waiting = self._waiting[lane]
        elements = list(waiting)
        if elements:
            waiting.clear()
            self.arrivals.made_room()
        return elements

    def first(self) -> Element:
        """Waits for the first item, heartbeat or fault of any lane, and leaves it there.

        It is an End where there is none.
        """
        self.start()
        try:
            while True:
                with self.arrivals.lock:
                    told = [e for waiting in self._waiting.values() for e, _ in waiting]
                    for element in told:
                        if not isinstance(element, Idle | NewLane | End):
                            return element
                    if sum(isinstance(each, End) for each in told) == len(self._waiting):
                        return End()
                self.arrivals.wait()
        except BaseException:
            self.arrivals.end()
            raise

    def full(self, lane: Hashable) -> bool:
        """Return True if the maximum number of elements of a lane has been read ahead."""
        return len(self._waiting[lane]) >= READ_AHEAD

    def _run(self) -> None:
        try:
            self._read(self._put)
            for lane in self.lanes:
                self._put(End(), None, lane)
            self.flush()
        except Stopped:
            return
        except BaseException as error:  # it is raised where the stream is used
            self._fail(error)

    def _put(self, element: Element, place: Any = None, lane: Hashable = 0, /) -> None:
        self._unhanded.append((lane, element, place))
        if len(self._unhanded) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Hands over what was put; waits while there is no room. Raises Stopped."""
        stop = self.arrivals.stop
        with self.arrivals.lock:
            for lane, element, place in self._unhanded:
                while self.full(lane) and not stop.told:
                    self.arrivals.ring()
                    self.arrivals.wait_for_room()
                self._waiting[lane].append((element, place))
            self._unhanded.clear()
        self.arrivals.ring()
        if stop.told:
            raise Stopped

    def _fail(self, error: BaseException) -> None:
        try:
            self.flush()
        except Stopped:
            return
        with self.arrivals.lock:
            for waiting in self._waiting.values():
                waiting.append((error, None))
        self.arrivals.ring()


Asked = tuple[Any, LiveStream[Any], Hashable]
"""A name, its stream, and one of its lanes."""


@dataclass
class Arrivals:
    """The reorder buffer and late items that the streams of one run share.

    `delay` is the maximum out-of-orderness, None without one; `bound` is the buffer size, in items
    of one stream.
    """

    delay: int | None = None
    bound: int | None = None
    late: dict[str, LateItems] = field(default_factory=dict)
    """By stream, the items that came too late and were left out; a place as messages show it."""
    overfull: set[str] = field(default_factory=set)
    """The streams of which more was to be held back than the bound."""
    when_late: Callable[[str, LateItems], object] = lambda name, late: None
    """The callback for each late item."""
    notice: Callable[[str], object] = lambda message: None
    """The callback for notices to users: where writers may connect, a broker is gone."""
    begun: Callable[[StreamMerger[Any]], object] = lambda merging: None
    """The callback before streams are put in order, which may restore buffered items."""
    between: Callable[[], object] = lambda: None
    """The callback whenever all emitted items have been taken: a run can be saved there."""
    ending: Callable[[], object] = lambda: None
    """The same, before the end of all streams lets everything leave."""

    def __post_init__(self) -> None:
        self.taken: Counter[str] = Counter()
        """By stream, how many items have come, those that wait or were left out included."""
        self.past: Counter[str] = Counter()
        """By stream, how many items come again, and are left out."""
        self.places: dict[tuple[str, Hashable], tuple[Any, int]] = {}
        """By stream and lane, the place of the last element, and how many there were at it."""
        self.again = 0
        """The maximum number of items that come again, of all streams: no rate limits them."""
        self.files_too = False
        """True if files at rest are put in order with the others."""
        self.interrupted = False
        """Set by a handler of signals: the next wait raises KeyboardInterrupt."""
        # A signal may raise wherever the main thread is. Entering this lock and waiting for the
        # bell are single steps of the interpreter; entering or waiting for a Condition is not.
        self.lock = RLock()
        self._room = Condition(self.lock)
        self._bell = Lock()
        self._bell.acquire()
        self.stop = StopSignal()
        self.readers: list[Thread] = []

    def listening_at(self, name: str) -> None:
        """Writers may connect to this address; a port of 0 has become one that was free."""
        self.notice(f"listening at {name}")

    def end(self) -> None:
        """End the readers' threads, so that the process can end."""
        self.stop.set()
        with self.lock:
            self._room.notify_all()
        for reader in self.readers:
            reader.join()
        self.stop.close()

    def next(
        self, asked: Iterable[Asked], *, wait: bool = True
    ) -> list[tuple[Any, Hashable, Element, Any]]:
        """Return the elements read from these lanes, each with its name, lane and place.

        It waits until there is an element, unless `wait` is False.
        """
        asked = list(asked)
        while True:
            with self.lock:
                found = [
                    (name, lane, element, place)
                    for name, stream, lane in asked for element, place in stream.taken(lane)
                ]
            if found or not wait:
                return found
            self.wait()

    def made_room(self) -> None:
        """Elements were taken; under the lock."""
        self._room.notify_all()

    def wait_for_room(self) -> None:
        """Wait, as a reader that holds the lock, until elements were taken, or for a moment."""
        self._room.wait(_GLANCE)

    def ring(self) -> None:
        """Something was read; called by the readers."""
        with suppress(RuntimeError):  # it has been rung already
            self._bell.release()

    def wait(self) -> None:
        """Wait until something was read, or for a moment. Raises KeyboardInterrupt.

        A signal that comes when the wait is about to begin does not end it, so it is short.
        """
        if not self.interrupted:
            self._bell.acquire(timeout=_GLANCE)
        if self.interrupted:
            raise KeyboardInterrupt


def in_order(
    streams: Mapping[Any, Iterable[T]],
    names: list[Any],
    time_of: Callable[[T], int],
    *,
    ranks: bool = False,
    whole: bool = False,
    since: int | None = None,
) -> Iterator[list[tuple[Any, int, int, list[T]] | Watermark]]:
    """(stream, time, rank, items) in the order of `watermarks`, and watermarks between them.

    What can leave at once is one list. At least one of the streams is a `LiveStream`; of another
    iterable the next item is always there. No item is earlier than `since`, where that is known.
    """
    ordered = _InOrder(streams, names, time_of, ranks=ranks, whole=whole)
    if since is None:
        ordered.begin()
    else:  # nothing waits
        ordered.advance_watermark(since)
    return ordered.emit()


def all_of(stream: LiveStream[T], time_of: Callable[[T], int]) -> list[T]:
    """Return the items of one stream, which has `Arrivals` of its own, when it has ended."""
    streams: Mapping[str, Any] = {"": stream}
    return [
        item
        for leaving in in_order(streams, [""], time_of)
        for each in leaving if not isinstance(each, Watermark)
        for item in each[3]
    ]


class _InOrder(Generic[T]):
    def __init__(
        self, streams: Mapping[Any, Iterable[T]], names: list[Any], time_of: Callable[[T], int], *,
        ranks: bool, whole: bool,
    ) -> None:
        self._time_of = time_of
        self._streams = {name: s for name in names if isinstance(s := streams[name], LiveStream)}
        self._live: dict[tuple[Any, Hashable], Asked] = {
            (name, lane): (name, stream, lane)
            for name, stream in self._streams.items() for lane in stream.lanes
        }
        self._ready: dict[tuple[Any, Hashable], Iterator[T]] = {
            (name, 0): iter(streams[name]) for name in names if name not in self._streams
        }
        self._asleep: dict[tuple[Any, Hashable], None] = {}
        self._begun = False
        self._arrivals: Arrivals = next(iter(self._streams.values())).arrivals
        self._merging: StreamMerger[T] = StreamMerger(
            names, delay=self._arrivals.delay, bound=self._arrivals.bound, ranks=ranks, whole=whole,
            lanes={name: stream.lanes for name, stream in self._streams.items()},
        )

    def begin(self) -> None:
        """Tells who may have left the streams' items to wait."""
        self._arrivals.begun(self._merging)
        for name, lane in self._live:
            self._merging.open(name, lane)
        for name, lane in {*self._merging.lanes()} - {*self._live, *self._ready}:
            self._merging.end(name, lane=lane)
        self._begun = True

    def advance_watermark(self, time: int) -> None:
        """Advance the watermark of every stream to this time."""
        for name, lane in (*self._live, *self._ready):
            self._merging.advance_watermark(name, time, lane=lane)

    def emit(self) -> Iterator[list[tuple[Any, int, int, list[T]] | Watermark]]:
        for stream in self._streams.values():
            stream.start()
        try:
            while self._live or self._ready:
                if self._begun:
                    self._arrivals.between()
                failed = None
                for name, lane, element, place in self._next():
                    if isinstance(element, BaseException):
                        failed = element
                        break
                    if isinstance(element, End) and self._begun and self._is_last(name, lane):
                        leaving = list(self._merging.emit())
                        if leaving:
                            yield leaving
                        self._arrivals.ending()
                    self._take(name, lane, element, place)
                leaving = list(self._merging.emit())
                if leaving:
                    yield leaving
                if failed is not None:
                    raise failed
        finally:
            self._arrivals.end()
            self._arrivals.overfull.update(map(str, self._merging.overfull))

    def _next(self) -> list[tuple[Any, Hashable, Element, Any]]:
        # A silent lane may go on, also while others are waited for.
        elements = self._arrivals.next(map(self._live.__getitem__, self._asleep), wait=False)
        awaited = self._merging.blocking()
        own = [(name, lane) for name, lane in awaited if (name, lane) in self._ready]
        if own:
            return elements + [
                (name, lane, next(self._ready[name, lane], End()), None) for name, lane in own
            ]
        if elements:
            return elements
        watched = dict.fromkeys([*awaited, *self._asleep])
        return self._arrivals.next(map(self._live.__getitem__, watched))

    def _take(self, name: Any, lane: Hashable, element: Element, place: Any) -> None:
        self._asleep.pop((name, lane), None)
        if place is not None:
            before, times = self._arrivals.places.get((str(name), lane), (None, 0))
            self._arrivals.places[str(name), lane] = place, 1 + times * (before == place)
        if isinstance(element, End):
            self._merging.end(name, lane=lane)
            self._live.pop((name, lane), None)
            self._ready.pop((name, lane), None)
        elif isinstance(element, Idle):
            self._merging.mark_idle(name, lane=lane)
            self._asleep[name, lane] = None
        elif isinstance(element, NewLane):
            self._live[name, element.lane] = (name, self._streams[name], element.lane)
            self._merging.open(name, element.lane)
        elif isinstance(element, Watermark):
            self._merging.advance_watermark(name, element.time, lane=lane)
        elif self._is_past(str(name)):
            return
        else:
            time = self._time_of(element)
            try:
                late = self._merging.add(name, time, element, lane=lane, place=place)
            except StreamError as error:
                stream = self._streams.get(name)
                raise error if stream is None else stream.placed(error, element, place) from None
            if late is not None:
                self._note_late(name, late)

    def _is_past(self, name: str) -> bool:
        """Return True if an item of this stream has come in another run, and comes again."""
        if self._arrivals.past[name]:
            self._arrivals.past[name] -= 1
            return True
        self._arrivals.taken[name] += 1
        return False

    def _is_last(self, name: Any, lane: Hashable) -> bool:
        """Return True if only this lane has not ended."""
        return {*self._live, *self._ready} == {(name, lane)}

    def _note_late(self, name: Any, late: LateItems) -> None:
        if late.items == 1:
            stream = self._streams.get(name)
            late.place = None if stream is None else stream.shown(late.place)
            self._arrivals.late[str(name)] = late
        self._arrivals.when_late(str(name), late)
