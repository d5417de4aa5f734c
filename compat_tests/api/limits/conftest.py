"""Two brokers with settings that make limits and timeouts of groups and topics short enough to be met in a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from compat_tests.api import topics
from compat_tests.broker_process import Broker
from compat_tests.conftest import make_broker
from compat_tests.running import closed_at_the_end

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
def _limited_brokers() -> Iterator[dict[str, Broker]]:
    yield from closed_at_the_end()


@pytest.fixture
def shared_broker(_limited_brokers: dict[str, Broker], request: pytest.FixtureRequest) -> Callable[[str], Broker]:
    """`shared_broker(kind)` is the running broker of that kind with SETTINGS, which the tests of this folder share."""

    def running(kind: str) -> Broker:
        if kind not in _limited_brokers:
            made = make_broker(kind, request.config, SETTINGS)
            _limited_brokers[kind] = made  # closed at the end, started or not
            made.start()
            topics.wait_for_coordinator(made.bootstrap_servers)
        return _limited_brokers[kind]

    return running
