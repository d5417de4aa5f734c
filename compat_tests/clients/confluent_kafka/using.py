"""Small steps that confluent-kafka's tests share: they wait for what the callbacks say and raise its errors."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType

from compat_tests.clients.samples import Patience, eventually

FAST_GROUP = {"session_timeout_ms": 6000, "heartbeat_interval_ms": 200}
"""The shortest session that a broker allows, and heartbeats that notice a rebalance at once."""


def send(producer: Producer, topic: str, values: Iterable[bytes | None], **kwargs: Any) -> list[Message]:
    """Produce the values and return what was reported for each. Raises KafkaException for the first error."""
    reports: list[Message] = []
    failures: list[Any] = []

    def report(error: Any, message: Message) -> None:
        reports.append(message)
        if error is not None:
            failures.append(error)

    for value in values:
        producer.produce(topic, value, on_delivery=report, **kwargs)
    assert producer.flush(Patience.wait_s) == 0
    if failures:
        raise KafkaException(failures[0])
    return reports


def read(consumer: Consumer, count: int, timeout_s: float | None = None) -> list[Message]:
    """Consume until `count` messages came. Raises KafkaException for an error, AssertionError when time is over."""
    found: list[Message] = []
    timeout_s = timeout_s or Patience.wait_s
    deadline = time.monotonic() + timeout_s
    while len(found) < count:
        assert time.monotonic() < deadline, f"{len(found)} of {count} messages within {timeout_s} s"
        for message in consumer.consume(count - len(found), timeout=0.2):
            if message.error():
                raise KafkaException(message.error())
            found.append(message)
    return found


def values(messages: Sequence[Message]) -> list[bytes | None]:
    return [message.value() for message in messages]


def create(admin: AdminClient, topic: str, partitions: int = 1, **kwargs: Any) -> None:
    """Create a topic and wait until it is in the metadata. Raises KafkaException."""
    only(admin.create_topics([NewTopic(topic, partitions, 1, **kwargs)]))

    def is_known() -> bool:
        found = admin.list_topics(timeout=Patience.wait_s).topics.get(topic, EMPTY)
        return len(found.partitions) == partitions

    eventually(is_known)


def only(futures: dict[Any, Any]) -> Any:
    """The result of a call about one thing. Raises what the call raised."""
    assert len(futures) == 1
    return next(iter(futures.values())).result(Patience.wait_s)


def topic_configs(admin: AdminClient, topic: str) -> dict[str, Any]:
    found: dict[str, Any] = only(admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))
    return found


def share(members: Sequence[Consumer], partitions: int) -> bool:
    """Poll every member once; whether together they hold each partition exactly once, and each holds some."""
    for member in members:
        message = member.poll(0.05)
        assert message is None or message.error() is None
    held = [(part.topic, part.partition) for member in members for part in member.assignment()]
    return len(held) == len(set(held)) == partitions and all(member.assignment() for member in members)


def committed(consumer: Consumer, topic: str, partition: int = 0) -> TopicPartition:
    return consumer.committed([TopicPartition(topic, partition)], timeout=Patience.wait_s)[0]


class _NoTopic:
    partitions: dict[int, Any] = {}  # noqa: RUF012


EMPTY = _NoTopic()
