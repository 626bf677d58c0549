"""Results into a Kafka topic, a message a line, from the process that drives the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .....semantics.model.errors import StreamError
from .....semantics.streams.live.addresses import Address
from .....semantics.streams.live.brokers import quiet, words_of

if TYPE_CHECKING:
    from confluent_kafka import Producer

_SECONDS_TO_ANSWER = 10
_SECONDS_TO_TAKE = 60


class TopicSink:
    """A producer of the topic at an address; what has a dot there is an option of librdkafka's.

    Raises StreamError if no broker answers, if there is no such topic, and if one does not take a
    message.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._topic = address.path.strip("/")
        if not address.host or not self._topic:
            raise self._error("expected a broker and a topic, as in kafka://localhost:9092/found")
        address.check_options()
        self._refused: list[Any] = []
        self._producer = self._connected()

    def write(self, lines: Iterable[str]) -> None:
        """Returns when brokers have all of them."""
        for line in lines:
            while True:
                try:
                    self._producer.produce(self._topic, line.encode(), on_delivery=self._delivered)
                    break
                except BufferError:  # so much is on the way
                    self._producer.poll(1.0)
            self._producer.poll(0)
        left = self._producer.flush(_SECONDS_TO_TAKE)
        if self._refused:
            raise self._error(words_of(self._refused[0]))
        if left:
            raise self._error(f"for {_SECONDS_TO_TAKE} s no broker has taken {left:,} results")

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._refused.append(error)

    def _connected(self) -> Producer:
        try:
            import confluent_kafka
        except ModuleNotFoundError as error:
            raise self._error(
                "a Kafka topic needs confluent-kafka: pip install 'denota[kafka]'"
            ) from error
        try:
            producer = confluent_kafka.Producer({
                "acks": "all", "enable.idempotence": True, **self._address.options,
                "bootstrap.servers": self._address.host,
            }, logger=quiet())
            known = producer.list_topics(self._topic, timeout=_SECONDS_TO_ANSWER)
        except confluent_kafka.KafkaException as error:
            raise self._error(words_of(error.args[0])) from error
        topic = known.topics[self._topic]
        if topic.error is not None:
            raise self._error(words_of(topic.error))
        return producer

    def _error(self, message: str) -> StreamError:
        return StreamError(message, source=self._address.name)
