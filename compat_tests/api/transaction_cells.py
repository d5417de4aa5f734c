"""Every request about a transactional id, as data: by name, API, version and the pair of producer id and epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

from compat_tests.api import topics
from compat_tests.api.raw import versions
from compat_tests.api.transactional import Producer
from kafkacompat.protocol.messages import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    describe_transactions,
    end_txn,
    init_producer_id,
    list_transactions,
    produce,
    txn_offset_commit,
)
from kafkacompat.protocol.primitives import Message
from kafkacompat.protocol.records.builder import Record, build_batch

PAIR_SINCE, BROKERS_SINCE, TOPIC_IDS_SINCE = 3, 4, 13
"""Versions of InitProducerId with a pair, of AddPartitionsToTxn between brokers, of Produce without topic names."""
OWN = ("producer_id", "transaction_start_time_ms", "error_message", "base_offset", "host", "port", "topic_id")
"""What each broker makes up."""
LISTS = (
    "results_by_partition", "results_by_topic_v3_and_below", "topic_results", "topics", "partitions",
    "partition_responses", "transaction_states",
)  # fmt: skip
"""Lists whose order means nothing."""
Pairs = dict[str, tuple[int, int]]
Choose = Callable[[ModuleType, int], Iterator[int]]
"""The versions of an API to ask in, from one on."""


class Question(NamedTuple):
    """One request."""

    name: str
    api: ModuleType
    version: int
    request: Message


def all_versions(api: ModuleType, since: int = 0) -> Iterator[int]:
    """All that are advertised."""
    yield from versions(api, since)


def changed_versions(api: ModuleType, since: int = 0) -> Iterator[int]:
    """The first, the last, and the one before, between which the protocols of transactions changed."""
    yield from sorted({versions(api, since)[0], *versions(api, since)[-2:]})


def pairs_of(it: Producer) -> Pairs:
    """What a client may take for its producer id and epoch."""
    return {
        "its own": it.pair,
        "the epoch before": it.before(),
        "two before": it.before(2),
        "an epoch to come": it.before(-1),
        "another id": it.other(),
    }


def questions(it: Producer, topic: str, group: str, choose: Choose) -> Iterator[Question]:
    """All that may be asked of a transactional id, which is left as it is as long as the answers are errors."""
    for name, pair in pairs_of(it).items():
        yield from _of_pair(it, name, pair, topic, group, choose)
    for version in choose(init_producer_id, 0):
        yield Question("init, anew", init_producer_id, version, init_producer_id.InitProducerIdRequest(it.id, 60_000))
    described = describe_transactions.DescribeTransactionsRequest([it.id])
    yield Question("describe", describe_transactions, 0, described)
    for version in choose(list_transactions, 0):
        listed = list_transactions.ListTransactionsRequest(producer_id_filters=[it.pair[0]])
        yield Question("list", list_transactions, version, listed)


def _of_pair(
    it: Producer, who: str, pair: tuple[int, int], topic: str, group: str, choose: Choose
) -> Iterator[Question]:
    name = it.id
    for version in choose(init_producer_id, PAIR_SINCE):
        initialize = init_producer_id.InitProducerIdRequest(name, 60_000, *pair)
        yield Question(f"init, {who}", init_producer_id, version, initialize)
    for index in (0, 1):
        asked = [add_partitions_to_txn.AddPartitionsToTxnTopic(topic, [index])]
        for version in choose(add_partitions_to_txn, 0):
            yield Question(f"add {index}, {who}", add_partitions_to_txn, version, _add(version, name, pair, asked))
        for version in choose(add_partitions_to_txn, BROKERS_SINCE):
            verify = add_partitions_to_txn.AddPartitionsToTxnTransaction(name, *pair, True, asked)
            request = add_partitions_to_txn.AddPartitionsToTxnRequest([verify])
            yield Question(f"verify {index}, {who}", add_partitions_to_txn, version, request)
        for version in choose(produce, 3):
            of = it.topic_id(topic) if version >= TOPIC_IDS_SINCE else topic
            yield Question(f"produce {index}, {who}", produce, version, produce_request(name, pair, of, index))
    for version in choose(add_offsets_to_txn, 0):
        offsets = add_offsets_to_txn.AddOffsetsToTxnRequest(name, *pair, group)
        yield Question(f"add offsets, {who}", add_offsets_to_txn, version, offsets)
    for version in choose(txn_offset_commit, 0):
        part = txn_offset_commit.TxnOffsetCommitRequestPartition(0, 1)
        commit = txn_offset_commit.TxnOffsetCommitRequest(
            name, group, *pair, topics=[txn_offset_commit.TxnOffsetCommitRequestTopic(topic, [part])]
        )
        yield Question(f"commit offsets, {who}", txn_offset_commit, version, commit)
    for is_commit in (True, False):
        for version in choose(end_txn, 0):
            end = end_txn.EndTxnRequest(name, *pair, is_commit)
            yield Question(f"{'commit' if is_commit else 'abort'}, {who}", end_txn, version, end)


def _add(version: int, name: str, pair: tuple[int, int], asked: list[Any]) -> Message:
    if version < BROKERS_SINCE:
        return add_partitions_to_txn.AddPartitionsToTxnRequest((), name, *pair, asked)
    transaction = add_partitions_to_txn.AddPartitionsToTxnTransaction(name, *pair, False, asked)
    return add_partitions_to_txn.AddPartitionsToTxnRequest([transaction])


def produce_request(name: str, pair: tuple[int, int], topic: str | bytes, index: int, sequence: int = 0) -> Message:
    """Produce of one record in a transaction. topic: its name, or its id from TOPIC_IDS_SINCE on."""
    record = Record(0, topics.BASE_TIMESTAMP_MS, b"key", b"value")
    batch = build_batch(
        [record], producer_id=pair[0], producer_epoch=pair[1], base_sequence=sequence, is_transactional=True
    )
    parts = [produce.PartitionProduceData(index, bytes(batch))]
    if isinstance(topic, bytes):
        data = produce.TopicProduceData(topic_id=topic, partition_data=parts)
    else:
        data = produce.TopicProduceData(topic, partition_data=parts)
    return produce.ProduceRequest(name, -1, 10_000, [data])


def error_codes(answer: Any) -> Iterator[int]:
    """All error codes in an answer, as facts."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            if name.endswith("error_code"):
                yield value
            else:
                yield from error_codes(value)
    elif isinstance(answer, list):
        for each in answer:
            yield from error_codes(each)
