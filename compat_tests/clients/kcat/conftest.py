"""kcat, pointed at the broker of the test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compat_tests.api import topics
from compat_tests.api.raw import RawClient
from compat_tests.broker_process import Broker
from compat_tests.clients.kcat.using import Kcat


@pytest.fixture
def kcat(broker: Broker) -> Kcat:
    return Kcat(broker.bootstrap_servers)


@pytest.fixture
def new_topic(broker: Broker, topic: str) -> Callable[..., str]:
    """`new_topic(partitions, retention_ms="1")` makes the test's topic and returns its name: kcat cannot."""

    def make(partitions: int = 1, **configs: str) -> str:
        with RawClient(broker.bootstrap_servers) as raw:
            topics.create(raw, topic, partitions, **configs)
        return topic

    return make
