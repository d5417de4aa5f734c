"""Two brokers that were restarted, so that leaders have had more than one epoch, and that remember few fetch sessions,
take small requests and look for old records often, which only topics with a retention of their own have."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from compat_tests.api import fixture_logs, topics
from compat_tests.api.raw import RawClient
from compat_tests.api.shared_brokers import shared_brokers
from compat_tests.broker_process import Broker

SESSIONS, REQUEST_MAX_BYTES = 16, 100_000
SETTINGS = {
    "log.initial.task.delay.ms": "100",
    "log.retention.check.interval.ms": "200",
    "log.retention.ms": "-1",
    "max.incremental.fetch.session.cache.slots": str(SESSIONS),
    "socket.request.max.bytes": str(REQUEST_MAX_BYTES),
}
"""Kafka divides its places for sessions by eight, and fills each eighth in turn."""
FIXTURE_LOG = "shelf-of-before"
"""A shelf (see fixture_logs.py) from before the restart; FULL got a batch of MORE records afterwards."""
MORE = 4


@pytest.fixture(scope="session")
def shared_broker(pytestconfig: pytest.Config) -> Iterator[Callable[[str], Broker]]:
    yield from shared_brokers(pytestconfig, SETTINGS, age)


def age(made: Broker) -> None:
    """Give it a leader epoch more."""
    with RawClient(made.bootstrap_servers) as client:
        fixture_logs.fill(client, FIXTURE_LOG)
    made.stop()
    made.start()
    with RawClient(made.bootstrap_servers) as client:
        topics.wait_until_led(client, FIXTURE_LOG, 4)
        topics.produce(client, FIXTURE_LOG, MORE)
