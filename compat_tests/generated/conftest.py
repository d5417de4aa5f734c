"""Both brokers for sequences of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.broker_process import Broker
from compat_tests.generated.machine import TwoBrokers
from compat_tests.generated.pair import Brokers, Tally
from compat_tests.report.collector import LEDGER, PAIRS


@pytest.fixture
def brokers(request: pytest.FixtureRequest, shared_broker: Callable[[str], Broker], subject: str) -> Iterator[Brokers]:
    """The two brokers to compare; what a test compared is counted at its end."""
    ledger = request.config.stash[LEDGER]
    if ledger.release != KAFKA_VERSION:
        pytest.skip(f"sequences ask what Apache Kafka {KAFKA_VERSION} offers")
    tally = Tally(ledger, request.node.nodeid)
    made = Brokers(shared_broker(subject).bootstrap_servers, shared_broker("kafka").bootstrap_servers, tally)
    yield made
    request.node.stash[PAIRS] = tally.pairs
    assert tally.pairs, "nothing was compared"


@pytest.fixture
def state(brokers: Brokers) -> Iterator[TwoBrokers]:
    """One sequence, whose steps a test takes itself."""
    made = TwoBrokers(brokers)
    yield made
    made.teardown()
