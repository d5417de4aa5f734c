"""Transactions in a coordinator's log: written in a producer's batches, ended by a marker, answered when committed."""

import pytest

from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.broker.coordinator.group.records import batch_of
from kafkacompat.broker.coordinator.producer_batches import Marker, TransactionalProducer, in_transaction, marker_batch
from kafkacompat.broker.coordinator.runtime import MAX_UNCOMMITTED
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from kafkacompat.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from kafkacompat.protocol.records.batch import check_crc, read_header
from kafkacompat.protocol.records.control import COMMIT, decode_end_transaction, decode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.broker.handlers.group_harness import Kafka, commit, committed, with_coordinator

PRODUCER = 7


def send(kafka: Kafka, offset: int, *, producer_id: int = PRODUCER, epoch: int = 0) -> object:
    """Commit an offset of t-0 in the producer's transaction; the response, or what waits for it."""
    topics = [TxnOffsetCommitRequestTopic("t", partitions=[TxnOffsetCommitRequestPartition(0, offset)])]
    request = TxnOffsetCommitRequest("id", "g", producer_id, epoch, topics=topics)
    return kafka.broker.groups.write(
        "g",
        lambda shard, _token: shard.commit_offsets_in_transaction(request, kafka.now, VERIFICATION_IS_OFF),
        lambda code: code,
        kafka.now,
    )


def end(kafka: Kafka, *, is_commit: bool = True, partition: int | None = None, **fields: int) -> object:
    """End the producer's transaction; the error code, or what waits for it."""
    groups = kafka.broker.groups
    given = {"producer_id": PRODUCER, "producer_epoch": 0, "coordinator_epoch": 0, "transaction_version": 0} | fields
    index = groups.partition_for("g") if partition is None else partition
    return groups.complete_transaction(index, is_commit=is_commit, now=kafka.now, **given)


def stable(kafka: Kafka) -> tuple[int, int]:
    """Offset and error code of t-0 for a reader that needs stable offsets."""
    request = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])], require_stable=True)
    partition = kafka.ask("offset_fetch", 7, request).topics[0].partitions[0]
    return partition.committed_offset, partition.error_code


def batches_of(kafka: Kafka) -> list:
    log = kafka.broker.partitions.get(GROUP_TOPIC, kafka.broker.groups.partition_for("g")).log
    part = log.read(0, 1 << 20, end_offset=log.log_end_offset, at_least_one=True)
    data = part.read(0, len(part))
    part.release()
    found, position = [], 0
    while position < len(data):
        header = read_header(data, position)
        found.append((header, list(read_records(data, position, header))))
        position += header.size_bytes
    return found


def waits(answer: object) -> Pending:
    assert isinstance(answer, Pending)
    return answer


def test_a_transactions_batch_has_its_producer_and_no_sequence() -> None:
    records = [(OffsetCommitKey("g", "t", index), OffsetCommitValue(index, -1, "", 1)) for index in range(3)]
    batch = in_transaction(batch_of(records, 5), TransactionalProducer(70_000_000_000, 12))
    header = read_header(batch)
    assert check_crc(batch, 0, len(batch))
    assert (header.is_transactional, header.is_control) == (True, False)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (70_000_000_000, 12, -1)
    plain = list(read_records(batch_of(records, 5)))
    assert list(read_records(batch)) == plain


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_marker_is_a_control_batch(is_commit: bool) -> None:
    batch = marker_batch(Marker(7, 3, 9, is_commit=is_commit, transaction_version=2), 5)
    header = read_header(batch)
    assert (header.is_transactional, header.is_control, header.base_sequence) == (True, True, -1)
    assert (header.producer_id, header.producer_epoch, header.max_timestamp) == (7, 3, 5)
    (record,) = read_records(batch)
    assert (decode_key(record.key) == COMMIT, decode_end_transaction(record.value)) == (is_commit, 9)


@pytest.mark.parametrize(("is_commit", "offset"), [(True, 5), (False, 1)])
def test_offsets_count_once_the_transaction_is_committed(is_commit: bool, offset: int) -> None:
    kafka = with_coordinator()
    assert commit(kafka, 1) == errors.NONE
    assert send(kafka, 5).topics[0].partitions[0].error_code == errors.NONE
    assert (committed(kafka), stable(kafka)) == (1, (-1, errors.UNSTABLE_OFFSET_COMMIT))
    assert end(kafka, is_commit=is_commit, coordinator_epoch=4) == errors.NONE
    assert (committed(kafka), stable(kafka)) == (offset, (offset, errors.NONE))
    plain, sent, marker = batches_of(kafka)
    assert [header.is_transactional for header, _ in (plain, sent, marker)] == [False, True, True]
    assert [header.is_control for header, _ in (plain, sent, marker)] == [False, False, True]
    assert decode_end_transaction(marker[1][0].value) == 4
    kafka.restart(clean=True)
    assert (committed(kafka), stable(kafka)) == (offset, (offset, errors.NONE))


def test_what_is_open_stays_open_over_a_restart() -> None:
    kafka = with_coordinator()
    send(kafka, 5)
    kafka.restart(clean=False)
    assert (committed(kafka), stable(kafka)) == (-1, (-1, errors.UNSTABLE_OFFSET_COMMIT))
    assert end(kafka) == errors.NONE
    assert stable(kafka) == (5, errors.NONE)


def test_a_marker_for_groups_that_are_not_here() -> None:
    kafka = with_coordinator()
    assert end(kafka, partition=77) == errors.NOT_LEADER_OR_FOLLOWER
    context = kafka.broker.groups.context_of("g")
    context.unload(kafka.now)
    assert end(kafka) == errors.NOT_LEADER_OR_FOLLOWER
    assert batches_of(kafka) == []


def test_a_marker_of_an_older_epoch_ends_nothing() -> None:
    kafka = with_coordinator()
    send(kafka, 5, epoch=3)
    assert end(kafka, producer_epoch=2) == errors.INVALID_PRODUCER_EPOCH
    assert stable(kafka) == (-1, errors.UNSTABLE_OFFSET_COMMIT)
    assert len(batches_of(kafka)) == 1
    assert end(kafka, producer_epoch=3) == errors.NONE
    assert stable(kafka) == (5, errors.NONE)


def test_an_older_epoch_writes_nothing_into_a_transaction() -> None:
    kafka = with_coordinator()
    send(kafka, 5, epoch=3)
    assert send(kafka, 6, epoch=2) == errors.INVALID_PRODUCER_EPOCH
    end(kafka, producer_epoch=3)
    assert committed(kafka) == 5


def slow_disk() -> Kafka:
    """A record is committed when the disk has it, which takes until `disk_is_stuck` is reset."""
    kafka = with_coordinator(log_flush_interval_messages="1")
    send(kafka, 5)
    kafka.flush()
    kafka.disk_is_stuck = True
    return kafka


def test_the_answer_waits_until_the_marker_is_committed() -> None:
    kafka = slow_disk()
    answers: list[object] = []
    kafka.broker.purgatory.add(waits(end(kafka)), lambda code, _now: answers.append(code))
    assert (answers, committed(kafka)) == ([], -1)
    kafka.disk_is_stuck = False
    kafka.flush()
    assert (answers, committed(kafka)) == ([errors.NONE], 5)


def test_a_marker_that_is_not_committed_in_time() -> None:
    kafka = slow_disk()
    answers: list[object] = []
    kafka.broker.purgatory.add(waits(end(kafka)), lambda code, _now: answers.append(code))
    kafka.advance(4_999)
    assert answers == []
    kafka.advance(1)
    assert answers == [errors.REQUEST_TIMED_OUT]
    assert end(kafka).finish(kafka.now, True) == errors.REQUEST_TIMED_OUT  # it is sent again


def test_a_marker_whose_shard_moves_away() -> None:
    kafka = slow_disk()
    answers: list[object] = []
    kafka.broker.purgatory.add(waits(end(kafka)), lambda code, _now: answers.append(code))
    kafka.broker.groups.context_of("g").unload(kafka.now)
    assert answers == [errors.NOT_LEADER_OR_FOLLOWER]


def test_markers_are_limited_like_all_records(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = slow_disk()
    monkeypatch.setattr("kafkacompat.broker.coordinator.runtime.MAX_UNCOMMITTED", 0)
    assert MAX_UNCOMMITTED > 0
    waits(end(kafka))
    assert end(kafka) == errors.NOT_ENOUGH_REPLICAS
