"""Kafka topics as streams: a partition is a lane, a message a document of whole items."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from ...model.errors import StreamError
from .addresses import Address
from .brokers import Message, Topic
from .growing import Stopped
from .reading import READ_AHEAD, Arrivals, Element, LiveStream, NewLane, Put, Silence

T = TypeVar("T")

_SECONDS_BETWEEN_LOOKS = 0.05
_SECONDS_BETWEEN_PARTITIONS = 10.0  # after which new ones are looked for
_AHEAD = 8  # a partition pauses when so many times as much waits as may be read ahead


class Decode(Protocol):
    """What messages hold."""

    timed: bool
    """Whether the items seen so far have times."""

    def __call__(
        self, messages: Sequence[Message], shown: Callable[[Any], str], /
    ) -> Iterator[tuple[Element, Message]]:
        """The elements in these, each with its own; `shown` is what errors call a place."""


class TopicStream(LiveStream[T]):
    """The items of a Kafka topic. `clock` tells for how long a partition has been idle."""

    def __init__(
        self, arrivals: Arrivals, address: Address, decode: Decode, *, idle: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._topic = Topic(address)
        super().__init__(arrivals, address.name, self._messages, self._topic.partitions)
        self._decode = decode
        self._idle = idle
        self._clock = clock
        self._active: dict[Hashable, float] = {}  # since when nothing has come
        self._left_out: dict[int, int] = {}  # elements of each partition's first message
        self._past: dict[int, int] = {}  # those of them that are still to come

    def positions(
        self, places: Mapping[Hashable, tuple[Any, int]]
    ) -> list[tuple[int, int, int]]:
        """(partition, offset, elements) from which on the rest is read, by what was taken last.

        Of the message at the offset so many elements have been taken.
        """
        found = []
        for partition, first in list(self._topic.first.items()):
            place, elements = places.get(partition, (None, 0))
            if place is None:
                found.append((partition, first, self._left_out.get(partition, 0)))
            else:
                _, offset, whole = place
                if offset == first:
                    elements += self._left_out.get(partition, 0)
                found.append((partition, offset + whole, 0 if whole else elements))
        return found

    def go_on(self, positions: Iterable[Sequence[int]]) -> None:
        """Reads from these positions on, when it is started."""
        for partition, offset, elements in positions:
            self._topic.first[partition] = offset
            self._left_out[partition] = self._past[partition] = elements

    def shown(self, place: Any) -> str:
        """What messages call a partition and offset of the topic."""
        if place is None:
            return self.source
        partition, offset, *_ = place
        return f"{self.source}, partition {partition}, offset {offset}"

    def full(self, lane: Hashable) -> bool:
        """Only a partition that is left alone may keep us waiting: another may be waited for."""
        return len(self._active) == 1 and super().full(lane)

    def _messages(self, put: Put) -> None:
        topic = self._topic
        asleep: set[Hashable] = set()
        try:
            topic.start()
            self._active = dict.fromkeys(self.lanes, self._clock())
            looked = self._clock()
            while self._active:
                self._hold_back()
                if self._clock() - looked >= _SECONDS_BETWEEN_PARTITIONS:
                    self._open(topic.added(), put)
                    looked = self._clock()
                messages, ended, said = topic.some(_SECONDS_BETWEEN_LOOKS)
                for element, message, last in _last_told(self._decode(messages, self.shown)):
                    if self._past.get(message.partition):
                        self._past[message.partition] -= 1
                    else:
                        put(element, (*message.place, last), message.partition)
                for partition in ended:
                    if partition in self._active:
                        put(Silence(), None, partition)  # what has ended is waited for no longer
                        self.flush()
                        del self._active[partition]
                for each in said:
                    self.arrivals.notice(f"{self.source}: {each}; waiting for a broker")
                if self._idle is not None and self._decode.timed:
                    for lane in self._silent({message.partition for message in messages}, asleep):
                        put(Silence(), None, lane)
                self.flush()
        finally:
            topic.close()

    def _open(self, partitions: Sequence[int], put: Put) -> None:
        """Another lane for each of these, of which the others' elements tell."""
        known = next(iter(self._active))
        for partition in partitions:
            with self.arrivals.lock:
                self._waiting[partition] = deque()
            self._active[partition] = self._clock()
            put(NewLane(partition), None, known)
            self.arrivals.notice(f"{self.source}: it has a partition {partition} now")

    def _hold_back(self) -> None:
        """Partitions that are far ahead pause; waits while all of them are ahead."""
        with self.arrivals.lock:
            while not self.arrivals.stop.told:
                ahead = {lane: len(self._waiting[lane]) for lane in self._active}
                if min(ahead.values()) < READ_AHEAD:
                    break
                self.arrivals.wait_for_room()
            else:
                raise Stopped
        for partition in self._topic.partitions:
            elements = ahead.get(partition, 0)
            if elements >= _AHEAD * READ_AHEAD:
                self._topic.pause(partition)
            elif elements < READ_AHEAD:
                self._topic.resume(partition)

    def _silent(self, heard: set[int], asleep: set[Hashable]) -> Iterator[Hashable]:
        """The partitions that have just been idle for long enough."""
        assert self._idle is not None
        now = self._clock()
        for lane, since in self._active.items():
            if lane in heard:
                self._active[lane] = now
                asleep.discard(lane)
            elif lane not in asleep and now - since >= self._idle:
                asleep.add(lane)
                yield lane


def _last_told(
    decoded: Iterator[tuple[Element, Message]]
) -> Iterator[tuple[Element, Message, bool]]:
    """Each with whether it is the last of its message."""
    held: tuple[Element, Message] | None = None
    try:
        for element, message in decoded:
            if held is not None:
                yield *held, held[1] is not message
            held = element, message
    except StreamError:  # what comes before a fault counts
        if held is not None:
            yield *held, False
        raise
    if held is not None:
        yield *held, True
