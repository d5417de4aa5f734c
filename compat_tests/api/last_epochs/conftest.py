"""Two brokers with transactional ids whose epochs are nearly used up.

Their records were written into `__transaction_state` by a client that says it is the admin one, before a restart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import product
from typing import NamedTuple

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare, comparison
from compat_tests.api.raw import RawClient
from compat_tests.api.transactional import TRANSACTIONS
from compat_tests.broker_process import Broker
from compat_tests.conftest import make_broker
from compat_tests.running import closed_at_the_end
from kafkacompat.protocol.internal import transaction_state
from kafkacompat.protocol.messages import (
    describe_transactions,
    find_coordinator,
    init_producer_id,
    produce,
    update_features,
)
from kafkacompat.protocol.records.builder import Record, build_batch

SETTINGS = {
    "transaction.state.log.num.partitions": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200",
}
STATE_TOPIC = "__transaction_state"
EMPTY, ONGOING, COMPLETE_COMMIT, COMPLETE_ABORT = 0, 1, 4, 5
STATES = (EMPTY, ONGOING, COMPLETE_COMMIT, COMPLETE_ABORT)
EPOCHS = (32_764, 32_765, 32_766, 32_767)
LONG_MS, SHORT_MS = 900_000, 2_500
"""A tale waits for the short one, and its requests before that have to be answered sooner."""
COPIES = 66
"""So many ids of each kind: each tale of a test has one of its own."""
FIRST_PRODUCER_ID = 5_000_000
"""Far above those that the brokers give out."""
UPGRADE, SAFE_DOWNGRADE = 1, 2
READY_TIMEOUT_S = 120.0


class Seeded(NamedTuple):
    """An id that was there before the restart. version: that of transactions, of its client."""

    state: int
    epoch: int
    version: int
    timeout_ms: int
    copy: int

    @property
    def name(self) -> str:
        return f"{self.state}-{self.epoch}-{self.version}-{self.timeout_ms}-{self.copy}"


ALL = [
    Seeded(*kind, copy)
    for kind in product(STATES, EPOCHS, (0, 2), (LONG_MS, SHORT_MS)) if kind[0] != ONGOING or kind[3] == LONG_MS
    for copy in range(COPIES)
]  # fmt: skip
PRODUCER_IDS = {seeded.name: FIRST_PRODUCER_ID + at for at, seeded in enumerate(ALL)}


@pytest.fixture(scope="session")
def _seeded_brokers() -> Iterator[dict[str, Broker]]:
    yield from closed_at_the_end()


@pytest.fixture
def shared_broker(_seeded_brokers: dict[str, Broker], request: pytest.FixtureRequest) -> Callable[[str], Broker]:
    """`shared_broker(kind)` is the running broker of that kind which the tests of this folder share."""

    def running(kind: str) -> Broker:
        if kind not in _seeded_brokers:
            made = make_broker(kind, request.config, SETTINGS)
            _seeded_brokers[kind] = made  # closed at the end, started or not
            made.start()
            with RawClient(made.bootstrap_servers) as client:
                _seed(client)
            made.stop()
            made.start()
            with RawClient(made.bootstrap_servers) as client:
                _wait_until_loaded(client)
        return _seeded_brokers[kind]

    return running


@pytest.fixture
def compare(request: pytest.FixtureRequest, shared_broker: Callable[[str], Broker], subject: str) -> Iterator[Compare]:
    """Tales wait for time-outs: both brokers are told one at the same time."""
    with ExitStack() as stack:
        yield comparison(request, stack, shared_broker(subject), shared_broker("kafka"), at_once=True)


def _seed(client: RawClient) -> None:
    request = find_coordinator.FindCoordinatorRequest("any", TRANSACTIONS)
    client.ask_until(find_coordinator, 2, request, 0)
    topics.wait_until_led(client, STATE_TOPIC, 1)
    client.client_id = "__admin_client"
    for at in range(0, len(ALL), 500):
        records = [_record(seeded, offset) for offset, seeded in enumerate(ALL[at : at + 500])]
        data = produce.PartitionProduceData(0, bytes(build_batch(records)))
        written = produce.TopicProduceData(STATE_TOPIC, partition_data=[data])
        request = produce.ProduceRequest(None, -1, 30_000, [written])
        answer = client.call(produce.API_KEY, 9, request).responses[0].partition_responses[0]
        assert answer.error_code == 0, answer


def _record(seeded: Seeded, offset: int) -> Record:
    now_ms = int(time.time() * 1000)
    value = transaction_state.TransactionLogValue(
        producer_id=PRODUCER_IDS[seeded.name], previous_producer_id=PRODUCER_IDS[seeded.name], next_producer_id=-1,
        producer_epoch=seeded.epoch, transaction_timeout_ms=seeded.timeout_ms, transaction_status=seeded.state,
        transaction_partitions=None if seeded.state == EMPTY else [], transaction_last_update_timestamp_ms=now_ms,
        transaction_start_timestamp_ms=now_ms, client_transaction_version=seeded.version,
    )  # fmt: skip
    key = transaction_state.encode_key(transaction_state.TransactionLogKey(seeded.name))
    return Record(offset, now_ms, key, transaction_state.encode_value(value, 1))


def _wait_until_loaded(client: RawClient) -> None:
    request = describe_transactions.DescribeTransactionsRequest([ALL[-1].name])
    deadline = time.monotonic() + READY_TIMEOUT_S
    while (answer := client.call(describe_transactions.API_KEY, 0, request).transaction_states[0]).error_code != 0:
        assert time.monotonic() < deadline, answer
        time.sleep(0.05)
    assert answer.producer_epoch == ALL[-1].epoch, answer
    # Apache Kafka has no block of producer ids at first, and tells the client to come again
    client.ask_until(init_producer_id, 4, init_producer_id.InitProducerIdRequest(None, 60_000), 0)


def finalize(client: RawClient, level: int) -> None:
    """Set transaction.version."""
    for kind in (UPGRADE, SAFE_DOWNGRADE):
        update = update_features.FeatureUpdateKey("transaction.version", level, upgrade_type=kind)
        request = update_features.UpdateFeaturesRequest(60_000, [update])
        answer = client.call(update_features.API_KEY, 2, request)
        if answer.error_code == 0:
            return
    raise AssertionError(answer)
