"""Two brokers that take transactional batches without asking a coordinator: a test may choose each producer id, epoch
and marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from compat_tests.broker_process import Broker
from compat_tests.conftest import make_broker
from compat_tests.running import closed_at_the_end

SETTINGS = {
    "transaction.partition.verification.enable": "false",
    "log.index.interval.bytes": "100",
    # Apache Kafka begins a segment before it refuses a marker, whose time is years behind that of the records here
    "log.roll.ms": str(2**62),
}


@pytest.fixture(scope="session")
def _trusting_brokers() -> Iterator[dict[str, Broker]]:
    yield from closed_at_the_end()


@pytest.fixture
def shared_broker(_trusting_brokers: dict[str, Broker], request: pytest.FixtureRequest) -> Callable[[str], Broker]:
    """`shared_broker(kind)` is the running broker of that kind with SETTINGS, which the tests of this folder share."""

    def running(kind: str) -> Broker:
        if kind not in _trusting_brokers:
            made = make_broker(kind, request.config, SETTINGS)
            _trusting_brokers[kind] = made  # closed at the end, started or not
            made.start()
        return _trusting_brokers[kind]

    return running
