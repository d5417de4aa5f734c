"""confluent-kafka (librdkafka) objects that are closed when the test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient

from compat_tests.broker_process import Broker


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def admin(broker: Broker) -> AdminClient:
    return AdminClient({"bootstrap.servers": broker.bootstrap_servers})


@pytest.fixture
def producer(broker: Broker) -> Callable[..., Producer]:
    def make(**config: Any) -> Producer:
        return Producer({"bootstrap.servers": broker.bootstrap_servers, **_dotted(config)})

    return make


@pytest.fixture
def consumer(broker: Broker, closing: ExitStack) -> Callable[..., Consumer]:
    """A consumer that starts at the earliest offset and commits only when asked, unless told otherwise."""

    def make(group: str, **config: Any) -> Consumer:
        settings = {"auto_offset_reset": "earliest", "enable_auto_commit": False, "group_id": group, **config}
        made = Consumer({"bootstrap.servers": broker.bootstrap_servers, **_dotted(settings)})
        closing.callback(made.close)
        return made

    return make


def _dotted(config: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "."): value for name, value in config.items()}
