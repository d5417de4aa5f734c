"""Two brokers that take transactional batches without asking a coordinator: a test may choose each producer id, epoch
and marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from compat_tests.api.shared_brokers import shared_brokers
from compat_tests.broker_process import Broker

SETTINGS = {
    "transaction.partition.verification.enable": "false",
    "log.index.interval.bytes": "100",
    # Apache Kafka begins a segment before it refuses a marker, whose time is years behind that of the records here
    "log.roll.ms": str(2**62),
}


@pytest.fixture(scope="session")
def shared_broker(pytestconfig: pytest.Config) -> Iterator[Callable[[str], Broker]]:
    yield from shared_brokers(pytestconfig, SETTINGS)
