"""kafka-python objects that are closed when the test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer

from compat_tests.broker_process import Broker
from compat_tests.clients.kafka_python.member import Member


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def admin(broker: Broker, closing: ExitStack) -> KafkaAdminClient:
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
    closing.callback(client.close)
    return client


@pytest.fixture
def producer(broker: Broker, closing: ExitStack) -> Callable[..., KafkaProducer]:
    def make(**config: Any) -> KafkaProducer:
        made = KafkaProducer(bootstrap_servers=broker.bootstrap_servers, **config)
        closing.callback(made.close, timeout=5)
        return made

    return make


@pytest.fixture
def consumer(broker: Broker, closing: ExitStack) -> Callable[..., KafkaConsumer]:
    """A consumer that starts at the earliest offset and commits only when asked, unless told otherwise."""

    def make(*topics: str, **config: Any) -> KafkaConsumer:
        settings = {"auto_offset_reset": "earliest", "enable_auto_commit": False, **config}
        made = KafkaConsumer(*topics, bootstrap_servers=broker.bootstrap_servers, **settings)
        closing.callback(made.close)
        return made

    return make


@pytest.fixture
def member(broker: Broker, closing: ExitStack) -> Callable[..., Member]:
    """`member(topic, group, **config)` starts a group member in a thread."""

    def make(topic: str, group: str, **config: Any) -> Member:
        made = Member(broker.bootstrap_servers, topic, group, **config)
        closing.callback(made.stop)
        return made

    return make
