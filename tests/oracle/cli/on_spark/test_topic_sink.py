"""Results that go to a topic, read from it again."""

from __future__ import annotations

from typing import Any

import pytest

from denota.oracle.cli.run.on_spark.spark_run import TopicSink
from denota.semantics.model.errors import StreamError
from denota.semantics.streams.live.addresses import address_of

kafka = pytest.importorskip("confluent_kafka", reason="the extra kafka is not installed")

def sink(address: str) -> TopicSink:
    found: Any = address_of(address)
    return TopicSink(found)


def test_a_line_is_a_message() -> None:
    cluster = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})
    (broker,) = cluster.list_topics("found", timeout=60).brokers.values()
    topic = sink(f"kafka://127.0.0.1:{broker.port}/found?linger.ms=0")
    topic.write(['{"start": 0}', '{"start": 1}'])
    topic.write([])
    topic.write(['{"start": 2}'])
    reader = kafka.Consumer({
        "bootstrap.servers": f"127.0.0.1:{broker.port}", "group.id": "t",
        "auto.offset.reset": "earliest", "test.mock.num.brokers": 0,
    })
    reader.subscribe(["found"])
    found = [each.value() for each in reader.consume(3, timeout=60)]
    reader.close()
    assert sorted(found) == [b'{"start": 0}', b'{"start": 1}', b'{"start": 2}']


@pytest.mark.parametrize("address, said", [
    ("kafka://", "expected a broker and a topic"),
    ("kafka://127.0.0.1:9/", "expected a broker and a topic"),
    ("kafka://127.0.0.1:9/found?from=end", "unknown option 'from'"),
    ("kafka://127.0.0.1:9/found?no.such=1", 'no such configuration property: "no.such"'),
])
def test_what_is_no_topic_is_said(address: str, said: str) -> None:
    with pytest.raises(StreamError, match=said):
        sink(address)
