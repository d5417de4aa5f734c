"""TxnOffsetCommit through the front door: who is asked first, what is written, and what each version is told."""

from typing import Any

import pytest

from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from kafkacompat.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.broker.handlers.txn_harness import Transactions, pair_of

VERSIONS = range(6)
ADDS_SINCE = 5


def started(**config: str) -> tuple[Transactions, tuple[int, int]]:
    """A broker whose groups' topic is there, and a producer."""
    kafka = Transactions(offsets_topic_num_partitions="1", **config)
    assert kafka.ask(FindCoordinatorRequest("g", 0), 2).error_code == errors.NONE
    return kafka, pair_of(kafka.init())


def send(
    kafka: Transactions,
    pair: tuple[int, int],
    *parts: tuple[str, int, int],
    version: int,
    name: str = "t",
    group: str = "g",
    **fields: Any,
) -> list[tuple[str, int, int]]:
    """Send offsets (topic, partition, offset), by default one of a-0; topic, partition and error code of each."""
    topics: dict[str, list[TxnOffsetCommitRequestPartition]] = {}
    for topic, index, offset in parts or [("a", 0, 5)]:
        topics.setdefault(topic, []).append(TxnOffsetCommitRequestPartition(index, offset))
    wanted = [TxnOffsetCommitRequestTopic(topic, partitions=found) for topic, found in topics.items()]
    answer = kafka.ask(TxnOffsetCommitRequest(name, group, *pair, topics=wanted, **fields), version)
    return [(topic.name, each.partition_index, each.error_code) for topic in answer.topics for each in topic.partitions]


def fetched(kafka: Transactions, *, stable: bool, group: str = "g") -> tuple[int, int]:
    """Offset and error code of a-0."""
    wanted = OffsetFetchRequestGroup(group, topics=[OffsetFetchRequestTopics("a", partition_indexes=[0])])
    answer = kafka.ask(OffsetFetchRequest(groups=[wanted], require_stable=stable), 8)
    (partition,) = answer.groups[0].topics[0].partitions
    return partition.committed_offset, partition.error_code


@pytest.mark.parametrize("version", VERSIONS)
def test_offsets_are_committed_with_their_transaction(version: int) -> None:
    kafka, pair = started()
    if version < ADDS_SINCE:
        assert kafka.add_offsets(pair) == errors.NONE
    assert send(kafka, pair, version=version) == [("a", 0, errors.NONE)]
    assert send(kafka, pair, ("a", 0, 6), version=version) == [("a", 0, errors.NONE)]
    assert fetched(kafka, stable=False) == (-1, errors.NONE)
    assert fetched(kafka, stable=True) == (-1, errors.UNSTABLE_OFFSET_COMMIT)
    (row,) = kafka.describe()
    assert [(topic.topic, list(topic.partitions)) for topic in row.topics] == [(GROUP_TOPIC, [0])]
    code = kafka.broker.groups.complete_transaction(
        0, *pair, 0, is_commit=True, transaction_version=0, now=kafka.now
    )  # fmt: skip
    assert code == errors.NONE
    assert fetched(kafka, stable=True) == (6, errors.NONE)


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_transaction_nothing_is_written(version: int) -> None:
    kafka, pair = started()
    if version < ADDS_SINCE:
        code = errors.TRANSACTION_ABORTABLE if version >= 4 else errors.INVALID_TXN_STATE
        assert send(kafka, pair, version=version) == [("a", 0, code)]
        assert fetched(kafka, stable=True) == (-1, errors.NONE)
    assert send(kafka, (pair[0], 9), version=version) == [("a", 0, errors.INVALID_PRODUCER_EPOCH)]
    assert send(kafka, (pair[0] + 1, 0), version=version) == [("a", 0, errors.INVALID_PRODUCER_ID_MAPPING)]
    assert send(kafka, pair, version=version, name="unknown") == [("a", 0, errors.INVALID_PRODUCER_ID_MAPPING)]
    assert fetched(kafka, stable=True) == (-1, errors.NONE)


def test_without_verification_old_clients_are_believed() -> None:
    kafka, pair = started(transaction_partition_verification_enable="false")
    assert send(kafka, pair, version=3) == [("a", 0, errors.NONE)]
    assert fetched(kafka, stable=True) == (-1, errors.UNSTABLE_OFFSET_COMMIT)


@pytest.mark.parametrize("version", VERSIONS)
def test_partitions_that_do_not_exist_are_answered_first_and_beside_the_others(version: int) -> None:
    kafka, pair = started()
    kafka.add_offsets(pair)
    unknown = errors.UNKNOWN_TOPIC_OR_PARTITION
    assert send(kafka, pair, ("a", 0, 1), ("a", 9, 1), ("nowhere", 0, 1), version=version) == [
        ("a", 9, unknown), ("a", 0, errors.NONE), ("nowhere", 0, unknown),
    ]  # fmt: skip
    kafka, pair = started()
    assert send(kafka, pair, ("nowhere", 0, 1), ("a", -1, 1), version=version, group="") == [
        ("nowhere", 0, unknown), ("a", -1, unknown),
    ]  # fmt: skip


def test_what_the_request_cannot_be_about() -> None:
    kafka, pair = started()
    assert send(kafka, pair, version=5, group="") == [("a", 0, errors.INVALID_GROUP_ID)]
    answer = kafka.ask(TxnOffsetCommitRequest("t", "g", *pair), 5)
    assert list(answer.topics) == []
    fields = {"generation_id_or_member_epoch": 3, "member_id": "m"}
    assert send(kafka, pair, version=5, **fields) == [("a", 0, errors.ILLEGAL_GENERATION)]


@pytest.mark.parametrize(("version", "code"), [
    (1, errors.COORDINATOR_NOT_AVAILABLE), (2, errors.COORDINATOR_LOAD_IN_PROGRESS),
])  # fmt: skip
def test_old_clients_do_not_know_that_a_coordinator_loads(version: int, code: int) -> None:
    kafka, pair = started()

    def verify(_name: str, _id: int, _epoch: int, partitions: list, *, adds: bool, now: Any, done: Any) -> None:
        assert not adds
        done(dict.fromkeys(partitions, errors.NETWORK_EXCEPTION), now)

    kafka.broker.transaction_verifier.verify = verify  # type: ignore[method-assign, assignment]
    assert send(kafka, pair, version=version) == [("a", 0, code)]


def test_an_epoch_that_the_log_has_fenced_is_not_asked_about() -> None:
    kafka, pair = started()
    assert send(kafka, pair, version=5) == [("a", 0, errors.NONE)]
    marker = {"is_commit": False, "transaction_version": 2, "now": kafka.now}
    assert kafka.broker.groups.complete_transaction(0, pair[0], 7, 0, **marker) == errors.NONE
    kafka.broker.transaction_verifier.verify = None  # type: ignore[method-assign, assignment]
    assert send(kafka, pair, version=5) == [("a", 0, errors.INVALID_PRODUCER_EPOCH)]


def test_groups_that_are_not_here() -> None:
    kafka, pair = started()
    partition = kafka.broker.partitions.get(GROUP_TOPIC, 0)
    kafka.broker.groups.on_resigned(partition, kafka.now)
    assert send(kafka, pair, version=5) == [("a", 0, errors.NOT_COORDINATOR)]


def test_an_answer_that_comes_too_late_commits_nothing() -> None:
    """The transaction has ended between the question and the answer: its marker is in the log already."""
    kafka, pair = started()
    held: list[Any] = []
    verify = kafka.broker.transaction_verifier.verify
    kafka.broker.transaction_verifier.verify = (  # type: ignore[method-assign]
        lambda *asked, done, **how: verify(*asked, done=lambda codes, now: held.append((done, codes, now)), **how)
    )
    kafka.add_offsets(pair)
    topics = [TxnOffsetCommitRequestTopic("a", partitions=[TxnOffsetCommitRequestPartition(0, 5)])]
    answer = kafka.begin(TxnOffsetCommitRequest("t", "g", *pair, topics=topics), 4)
    marker = {"is_commit": False, "transaction_version": 0, "now": kafka.now}
    assert kafka.broker.groups.complete_transaction(0, *pair, 0, **marker) == errors.NONE
    ((done, codes, now),) = held
    done(codes, now)
    assert answer.message.topics[0].partitions[0].error_code == errors.INVALID_TXN_STATE
    assert fetched(kafka, stable=True) == (-1, errors.NONE)
