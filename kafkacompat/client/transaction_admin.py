"""Transactions: list and describe them, the producers of partitions, and hanging transactions with their end."""

from __future__ import annotations

import time
from typing import NamedTuple

from kafkacompat.client.client import LEFT_OUT, TRANSACTION_KEY
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.texts import partition_of
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kafkacompat.client.client import Client, Place


class ListedTransaction(NamedTuple):
    """A transactional id as its coordinator lists it."""

    transactional_id: str
    coordinator: int
    producer_id: int
    state: str


class Transaction(NamedTuple):
    """A transactional id as its coordinator describes it. Without a transaction `start_ms` is None and `partitions`
    empty.
    """

    transactional_id: str
    coordinator: int
    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    start_ms: int | None
    partitions: list[Place]


class Producer(NamedTuple):
    """A producer in the state of a partition's leader. `start_offset` is None without an open transaction, and
    `coordinator_epoch` -1 before the first marker.
    """

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    last_sequence: int
    last_timestamp: int
    start_offset: int | None


class Hanging(NamedTuple):
    """A transaction that is open on a partition and of which no coordinator knows. `transactional_id` is None if none
    has that producer id any more.
    """

    producer: Producer
    transactional_id: str | None
    idle_ms: int


def list_transactions(
    client: Client, *, states: Sequence[str] = (), producer_ids: Sequence[int] = (), longer_than_ms: int | None = None,
    pattern: str | None = None,
) -> list[ListedTransaction]:  # fmt: skip
    """The transactional ids of all brokers, by id; only those that pass each filter.

    longer_than_ms: those whose transaction is open for longer (Kafka 3.8 and later). pattern: those whose whole id
    matches this regular expression (Kafka 4.1 and later). Raises BrokerError, and UnsupportedApiError for a filter that
    a broker does not have.
    """
    from kafkacompat.protocol.messages import list_transactions as messages

    request = messages.ListTransactionsRequest(states, producer_ids, transactional_id_pattern=pattern)
    if longer_than_ms is not None:
        request.duration_filter = longer_than_ms
    found = []
    for broker in client.metadata(()).brokers:
        response: messages.ListTransactionsResponse = client.call_node(broker.node_id, messages, request)
        if response.error_code != errors.NONE:
            raise BrokerError(response.error_code, f"transactions of broker {broker.node_id}")
        found += [
            ListedTransaction(each.transactional_id, broker.node_id, each.producer_id, each.transaction_state)
            for each in response.transaction_states
        ]
    return sorted(found)


def describe_transaction(client: Client, transactional_id: str) -> Transaction:
    """A transactional id with its transaction. Raises BrokerError TRANSACTIONAL_ID_NOT_FOUND if there is none."""
    from kafkacompat.protocol.messages import describe_transactions as messages

    response: messages.DescribeTransactionsResponse = client.call_coordinator(
        transactional_id, messages, messages.DescribeTransactionsRequest([transactional_id]),
        lambda answer: answer.transaction_states[0].error_code, key_type=TRANSACTION_KEY,
    )  # fmt: skip
    (found,) = response.transaction_states
    if found.error_code != errors.NONE:
        raise BrokerError(found.error_code, f"transactional id {transactional_id!r}")
    return Transaction(
        transactional_id, client.coordinator(transactional_id, TRANSACTION_KEY), found.transaction_state,
        found.producer_id, found.producer_epoch, found.transaction_timeout_ms,
        None if found.transaction_start_time_ms < 0 else found.transaction_start_time_ms,
        sorted((topic.topic, number) for topic in found.topics for number in topic.partitions),
    )  # fmt: skip


def describe_producers(client: Client, places: Collection[Place]) -> list[Producer]:
    """The producers in the states of the leaders of these partitions, by partition and id. Raises BrokerError."""
    from kafkacompat.protocol.messages import describe_producers as messages

    def call(leader: int, led: list[Place]) -> dict[Place, tuple[int, list[Producer]]]:
        topics: dict[str, list[int]] = {}
        for topic, partition in led:
            topics.setdefault(topic, []).append(partition)
        request = messages.DescribeProducersRequest([messages.TopicRequest(*each) for each in topics.items()])
        response: messages.DescribeProducersResponse = client.call_node(leader, messages, request)
        return {
            (topic.name, each.partition_index): (each.error_code, _producers(topic.name, each))
            for topic in response.topics
            for each in topic.partitions
        }

    found = client.call_leaders(places, call)
    return sorted(producer for producers in found.values() for producer in producers)


def _producers(topic: str, answer: object) -> list[Producer]:
    return [
        Producer(
            topic, answer.partition_index, each.producer_id, each.producer_epoch,  # type: ignore[attr-defined]
            each.coordinator_epoch, each.last_sequence, each.last_timestamp,
            None if each.current_txn_start_offset < 0 else each.current_txn_start_offset,
        )
        for each in answer.active_producers  # type: ignore[attr-defined]
    ]  # fmt: skip


def find_hanging(client: Client, places: Collection[Place], *, idle_ms: int) -> list[Hanging]:
    """The hanging transactions on these partitions, as Kafka's TransactionsCommand finds them (KIP-664).

    Those are open on a partition, without a record of their producer for longer than `idle_ms`, while no transactional
    id has that producer id, or its transaction does not have that partition. Raises BrokerError.
    """
    now_ms = int(time.time() * 1000)
    producers = describe_producers(client, places)
    idle = [each for each in producers if each.start_offset is not None and now_ms - each.last_timestamp > idle_ms]
    if not idle:
        return []
    listed = list_transactions(client, producer_ids=sorted({each.producer_id for each in idle}))
    ids = {each.producer_id: each.transactional_id for each in listed}
    open_on = {transactional_id: _partitions(client, transactional_id) for transactional_id in sorted(ids.values())}
    return [
        Hanging(each, ids.get(each.producer_id), now_ms - each.last_timestamp)
        for each in idle
        if (each.topic, each.partition) not in open_on.get(ids.get(each.producer_id, ""), ())
    ]


def _partitions(client: Client, transactional_id: str) -> list[Place]:
    """The partitions of a transaction; none if the transactional id was forgotten meanwhile."""
    try:
        return describe_transaction(client, transactional_id).partitions
    except BrokerError as error:
        if error.error_code == errors.TRANSACTIONAL_ID_NOT_FOUND:
            return []
        raise


def abort_on_partition(client: Client, producer: Producer) -> None:
    """Write the marker that aborts a producer's open transaction on one partition, beside its coordinator.

    The marker has the producer's own epoch, and the epoch of the coordinator that it had last, or 0 (Kafka's
    AbortTransactionHandler). Raises BrokerError.
    """
    from kafkacompat.protocol.messages import write_txn_markers as messages

    place = (producer.topic, producer.partition)
    marker = messages.WritableTxnMarker(
        producer.producer_id, producer.producer_epoch, transaction_result=False,
        topics=[messages.WritableTxnMarkerTopic(producer.topic, [producer.partition])],
        coordinator_epoch=max(producer.coordinator_epoch, 0),
    )  # fmt: skip

    def call(leader: int, _places: list[Place]) -> dict[Place, tuple[int, int]]:
        request = messages.WriteTxnMarkersRequest([marker])
        response: messages.WriteTxnMarkersResponse = client.call_node(leader, messages, request)
        codes = [each.error_code for answer in response.markers for topic in answer.topics for each in topic.partitions]
        if len(codes) != 1:
            raise BrokerError(errors.UNKNOWN_SERVER_ERROR, partition_of(place), LEFT_OUT)
        return {place: (codes[0], codes[0])}

    client.call_leaders([place], call)
