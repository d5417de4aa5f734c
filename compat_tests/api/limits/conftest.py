"""Two brokers with settings that make limits and timeouts of groups and topics short enough to be met in a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from compat_tests.api import topics
from compat_tests.api.shared_brokers import shared_brokers
from compat_tests.broker_process import Broker

SETTINGS = {
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "false",
    "group.max.session.timeout.ms": "60000",
    "group.max.size": "2",
    "group.min.session.timeout.ms": "100",
    "log.retention.check.interval.ms": "200",
    "message.max.bytes": "20000",
    "num.partitions": "3",
    "offset.metadata.max.bytes": "10",
    "offsets.retention.check.interval.ms": "300",
}


@pytest.fixture(scope="session")
def shared_broker(pytestconfig: pytest.Config) -> Iterator[Callable[[str], Broker]]:
    yield from shared_brokers(pytestconfig, SETTINGS, lambda made: topics.wait_for_coordinator(made.bootstrap_servers))
