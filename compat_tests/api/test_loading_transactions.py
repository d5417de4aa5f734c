"""What is answered while the coordinator of transactions loads its partition: there are very many records in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare, comparison
from compat_tests.api.raw import TIMEOUT_S, RawClient, unordered
from compat_tests.api.transaction_cells import LISTS, OWN, all_versions, questions
from compat_tests.api.transactional import TRANSACTIONS, Producer
from compat_tests.broker_process import Broker
from compat_tests.conftest import make_broker
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal import transaction_state
from kafkacompat.protocol.messages import end_txn, find_coordinator, produce
from kafkacompat.protocol.records.builder import Record, build_batch

pytestmark = pytest.mark.full  # brokers of its own, which write and load a hundred megabytes

SETTINGS = {"transaction.state.log.num.partitions": "1", "offsets.topic.num.partitions": "1"}
STATE_TOPIC = "__transaction_state"
PRODUCER_ID, EPOCH, EMPTY, LONGEST_MS = 5_000_000, 2, 0, 900_000
IDS, COPIES = 5_000, 200
"""So many ids are in a batch, which is written so many times: Apache Kafka reads it for a second."""
LAST_VERSION = 5
"""Of EndTxn."""
ROUNDS = 5
Restart = Callable[[RawClient], None]


@pytest.fixture
def brokers(request: pytest.FixtureRequest, subject: str) -> Iterator[dict[str, Broker]]:
    """Both by kind, with the records."""
    made = {kind: make_broker(kind, request.config, SETTINGS) for kind in {subject: 0, "kafka": 0}}
    try:
        for broker in made.values():
            broker.start()
            with RawClient(broker.bootstrap_servers) as client:
                _fill(client)
        yield made
    finally:
        for broker in made.values():
            broker.close()


@pytest.fixture
def compare(request: pytest.FixtureRequest, brokers: dict[str, Broker], subject: str) -> Iterator[Compare]:
    with ExitStack() as stack:
        yield comparison(request, stack, brokers[subject], brokers["kafka"])


@pytest.fixture
def restart(brokers: dict[str, Broker]) -> Restart:
    """Stops and starts the broker that a client talks to."""

    def again(client: RawClient) -> None:
        (broker,) = (each for each in brokers.values() if each.bootstrap_servers == client.address)
        broker.stop()
        broker.start()
        client.reconnect()

    return again


def _fill(client: RawClient) -> None:
    client.ask_until(find_coordinator, 2, find_coordinator.FindCoordinatorRequest("any", TRANSACTIONS), errors.NONE)
    topics.wait_until_led(client, STATE_TOPIC, 1)
    client.client_id = "__admin_client"  # others may not write there
    batch = bytes(build_batch([_record(offset) for offset in range(IDS)]))
    data = produce.TopicProduceData(STATE_TOPIC, partition_data=[produce.PartitionProduceData(0, batch)])
    for _ in range(COPIES):
        request = produce.ProduceRequest(None, -1, 30_000, [data])
        answer = client.call(produce.API_KEY, 9, request).responses[0].partition_responses[0]
        assert answer.error_code == errors.NONE, answer


def _record(at: int) -> Record:
    now_ms = int(time.time() * 1000)
    value = transaction_state.TransactionLogValue(
        producer_id=PRODUCER_ID + at, previous_producer_id=PRODUCER_ID + at, next_producer_id=-1, producer_epoch=EPOCH,
        transaction_timeout_ms=LONGEST_MS, transaction_status=EMPTY, transaction_partitions=None,
        transaction_last_update_timestamp_ms=now_ms, transaction_start_timestamp_ms=-1, client_transaction_version=2,
    )  # fmt: skip
    key = transaction_state.encode_key(transaction_state.TransactionLogKey(f"id-{at}"))
    return Record(at, now_ms, key, transaction_state.encode_value(value, 1))


def _code(client: RawClient, it: Producer) -> int:
    """What the end of another producer's transaction is answered with."""
    answer = client.call(end_txn.API_KEY, LAST_VERSION, end_txn.EndTxnRequest(it.id, *it.other(), True))
    return int(answer.error_code)


@pytest.mark.api(
    "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "Produce", "TxnOffsetCommit",
    "DescribeTransactions", "ListTransactions",
)  # fmt: skip
def test_what_is_answered_meanwhile(compare: Compare, restart: Restart, topic: str, group: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        for _ in range(ROUNDS):
            restart(client)
            topics.wait_until_led(client, topic, 2)
            it = Producer(client, "id-7")
            it.pair = (PRODUCER_ID + 7, EPOCH)
            _wait_until_led(client, it)
            told = {}
            for each in questions(it, topic, group, all_versions):
                if "," not in each.name or each.name.endswith(("its own", "anew")):  # nobody looks at the pair
                    answer = client.ask(each.api, each.version, each.request, OWN)
                    told[f"{each.name} v{each.version}"] = unordered(answer, *LISTS)
            if _code(client, it) == errors.COORDINATOR_LOAD_IN_PROGRESS:
                return told
            client.exchanges.clear()
        raise AssertionError(f"it had loaded before all was asked, {ROUNDS} times")

    compare(script)


def _wait_until_led(client: RawClient, it: Producer) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while _code(client, it) == errors.NOT_COORDINATOR:
        assert time.monotonic() < deadline
