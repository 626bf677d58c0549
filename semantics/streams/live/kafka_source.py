"""Kafka topics as streams: a partition is a source split, a message a document of whole items.

librdkafka reads ahead, and connects again when a broker goes away. No group of consumers shares the
topic, as a query needs all of its stream; so no offsets are committed either.
"""

from __future__ import annotations

import logging
import re
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ...model.errors import StreamError
from .addresses import Address
from .byte_sources import Stopped
from .reader import READ_AHEAD, Arrivals, Element, Idle, LiveStream, NewLane, Put

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError


_AT_ONCE = 1 << 10
_SECONDS_TO_ANSWER = 10
_BROKERS_DOWN = "_ALL_BROKERS_DOWN"
_STARTS = re.compile(r"beginning|end|\d+:\d+(,\d+:\d+)*")


@dataclass(frozen=True, slots=True)
class Message:
    """The value of a message, and where it stands."""

    partition: int
    offset: int
    value: bytes

    @property
    def place(self) -> tuple[int, int]:
        """(partition, offset)."""
        return self.partition, self.offset


class Topic:
    """A consumer of all partitions of the topic at an address.

    `from=` says where it begins: beginning, end, or PARTITION:OFFSET,… (of others the beginning);
    with `until=end` a partition ends where it ends when it is read. Raises StreamError where no
    broker answers, or there is no such topic.
    """

    def __init__(self, address: Address) -> None:
        self.source = address.name
        self._name = address.path.strip("/")
        address.check_options("format", "from", "until")
        if not address.host or not self._name:
            raise self._error("expected a broker and a topic, as in kafka://localhost:9092/power")
        self._from = address.options.get("from", "beginning")
        if not _STARTS.fullmatch(self._from):
            raise self._error(
                f"from={self._from}: expected beginning, end or offsets, as in from=0:17,1:40"
            )
        until = address.options.get("until")
        if until not in (None, "end"):
            raise self._error(f"until={until}: expected until=end")
        self._until_end = until is not None
        self._errors: list[KafkaError] = []
        self._paused: set[int] = set()
        self._consumer = self._connected(address)
        try:
            self.partitions = self._existing()
            self.first = self._offsets()
            """The first offset that is read, by partition."""
        except BaseException:
            self._consumer.close()
            raise

    def start(self) -> None:
        """Begin to read."""
        from confluent_kafka import TopicPartition

        self._consumer.assign([TopicPartition(self._name, *each) for each in self.first.items()])

    def added(self) -> list[int]:
        """Return the partitions added to the topic since; they are read from their beginning."""
        from confluent_kafka import OFFSET_BEGINNING, KafkaException, TopicPartition

        try:
            found = self._consumer.list_topics(self._name, timeout=1.0).topics[self._name]
        except (KafkaException, KeyError):
            return []  # it is asked again
        new = sorted({*found.partitions} - {*self.partitions})
        if new:
            self._consumer.incremental_assign(
                [TopicPartition(self._name, each, OFFSET_BEGINNING) for each in new]
            )
        self.partitions += new
        self.first.update(dict.fromkeys(new, OFFSET_BEGINNING))
        return new

    def read_available(self, seconds: float) -> tuple[list[Message], list[int], list[str]]:
        """Return the messages that are there, those of a while if there are none yet.

        Also the partitions that end here, and what librdkafka says: that no broker is there. Raises
        StreamError where it does not go on by itself.
        """
        from confluent_kafka import KafkaError

        first = self._consumer.poll(seconds)
        found = [] if first is None else [first, *self._consumer.consume(_AT_ONCE, 0)]
        messages, ended = [], []
        for each in found:
            partition, offset, value = each.partition(), each.offset(), each.value()
            error = each.error()
            if error is not None and error.code() == KafkaError._PARTITION_EOF:
                if self._until_end and partition is not None:
                    ended.append(partition)
            elif error is not None:
                raise self._error(words_of(error))
            elif partition is not None and offset is not None and value is not None:
                messages.append(Message(partition, offset, value))
        said, self._errors[:] = list(self._errors), []
        for error in said:
            if error.fatal():
                raise self._error(words_of(error))
        return messages, ended, [words_of(error) for error in said if error.name() == _BROKERS_DOWN]

    def pause(self, partition: int) -> None:
        """Of this partition nothing is wanted for a while."""
        if partition not in self._paused:
            self._paused.add(partition)
            self._consumer.pause([self._of(partition)])

    def resume(self, partition: int) -> None:
        """Of this partition more is wanted."""
        if partition in self._paused:
            self._paused.remove(partition)
            self._consumer.resume([self._of(partition)])

    def close(self) -> None:
        self._consumer.close()

    def _of(self, partition: int) -> Any:
        from confluent_kafka import TopicPartition

        return TopicPartition(self._name, partition)

    def _connected(self, address: Address) -> Consumer:
        try:
            import confluent_kafka
        except ModuleNotFoundError as error:
            raise self._error(
                "a Kafka topic needs confluent-kafka: pip install 'denota[kafka]'"
            ) from error
        options = {name: value for name, value in address.options.items() if "." in name}
        try:
            return confluent_kafka.Consumer({
                "group.id": "denota", "auto.offset.reset": "error", **options,
                "bootstrap.servers": address.host, "enable.auto.commit": False,
                "enable.partition.eof": True, "error_cb": self._errors.append,
            }, logger=quiet())
        except confluent_kafka.KafkaException as error:
            raise self._error(words_of(error.args[0])) from error

    def _existing(self) -> list[int]:
        from confluent_kafka import KafkaError, KafkaException

        found = None
        for _ in range(_SECONDS_TO_ANSWER):
            try:
                found = self._consumer.list_topics(self._name, timeout=1.0)
                break
            except KafkaException:
                self._consumer.poll(0)  # so that it tells its errors
                if any(error.name() == _BROKERS_DOWN for error in self._errors):
                    break
        if found is None:
            reasons = [words_of(each) for each in self._errors if each.name() != _BROKERS_DOWN]
            raise self._error(": ".join(["no broker answers", *reasons[:1]]))
        self._errors.clear()
        topic = found.topics[self._name]
        if topic.error is not None and topic.error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise self._error(words_of(topic.error))
        if topic.error is not None or not topic.partitions:
            raise self._error(f"the broker has no topic '{self._name}'")
        return sorted(topic.partitions)

    def _offsets(self) -> dict[int, int]:
        """Return the first offset that is read, by partition."""
        from confluent_kafka import OFFSET_BEGINNING

        first = dict.fromkeys(self.partitions, OFFSET_BEGINNING)
        if self._from == "end":
            first = {each: self._end_of(each) for each in self.partitions}
        for told in self._from.split(",") if ":" in self._from else ():
            partition, offset = map(int, told.split(":"))
            if partition not in first:
                raise self._error(f"from={self._from}: there is no partition {partition}")
            first[partition] = offset
        return first

    def _end_of(self, partition: int) -> int:
        """Return the offset of the next message, from which a run can be resumed."""
        from confluent_kafka import OFFSET_END, KafkaException

        try:
            ends = self._consumer.get_watermark_offsets(
                self._of(partition), timeout=_SECONDS_TO_ANSWER
            )
        except KafkaException as error:
            raise self._error(words_of(error.args[0])) from error
        return OFFSET_END if ends is None else int(ends[1])

    def _error(self, message: str) -> StreamError:
        return StreamError(message, source=self.source)


def quiet() -> logging.Logger:
    """Return a logger that drops librdkafka's messages, since errors report the relevant ones."""
    logger = logging.getLogger("denota.kafka")
    logger.setLevel(logging.CRITICAL + 1)
    return logger


def words_of(error: KafkaError) -> str:
    """Return librdkafka's message for an error."""
    text = re.sub(r" \(after .*\)$", "", error.str())
    return text[:1].lower() + text[1:]


T = TypeVar("T")

_SECONDS_BETWEEN_LOOKS = 0.05
_SECONDS_BETWEEN_PARTITIONS = 10.0  # after which new ones are looked for
_AHEAD = 8  # a partition pauses when so many times as much waits as may be read ahead


class Decode(Protocol):
    """A decoder of messages."""

    timed: bool
    """True if the items seen so far have times."""

    def __call__(
        self, messages: Sequence[Message], shown: Callable[[Any], str], /
    ) -> Iterator[tuple[Element, Message]]:
        """Return the elements in these, each with its own; `shown` is what errors call a place."""


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
        """Read from these positions on, when it is started."""
        for partition, offset, elements in positions:
            self._topic.first[partition] = offset
            self._left_out[partition] = self._past[partition] = elements

    def shown(self, place: Any) -> str:
        """Return the name of a partition and offset of the topic in messages."""
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
                messages, ended, said = topic.read_available(_SECONDS_BETWEEN_LOOKS)
                for element, message, last in _last_told(self._decode(messages, self.shown)):
                    if self._past.get(message.partition):
                        self._past[message.partition] -= 1
                    else:
                        put(element, (*message.place, last), message.partition)
                for partition in ended:
                    if partition in self._active:
                        put(Idle(), None, partition)  # what has ended is waited for no longer
                        self.flush()
                        del self._active[partition]
                for each in said:
                    self.arrivals.notice(f"{self.source}: {each}; waiting for a broker")
                if self._idle is not None and self._decode.timed:
                    for lane in self._silent({message.partition for message in messages}, asleep):
                        put(Idle(), None, lane)
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
        """Yield the partitions that have just been idle for long enough."""
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
    """Yield each with whether it is the last of its message."""
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
