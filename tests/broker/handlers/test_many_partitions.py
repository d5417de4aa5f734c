"""Requests of many partitions: work and descriptors are counted, not timed."""

import errno
from typing import Any

import pytest

from kafkacompat.broker import consumer_fetch
from kafkacompat.broker.handlers import delete_records, produce, write_txn_markers
from kafkacompat.broker.replicas import follower_fetch
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from kafkacompat.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.broker.handlers.test_produce_fetch import batch, fetch_request, produce_request
from tests.broker.harness import BrokerHarness
from tests.broker.replica_node import Cluster

MANY = 200
CHECKS_MAX = 4 * MANY
"""Each partition is asked about a few times; asking for all of them whenever one moves would be 20,000."""


@pytest.fixture
def cluster() -> Cluster:
    two = Cluster(1, 2)
    two.create_topic("t", *[[1, 2]] * MANY)
    two.settle()
    return two


class Checks:
    """How often partitions were asked whether they are complete."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, waiting: Any) -> None:
        self.count = 0
        original = waiting.try_complete

        def counted(entry: object, *given: Any, **more: Any) -> bool:
            self.count += 1
            return bool(original(entry, *given, **more))

        monkeypatch.setattr(waiting, "try_complete", counted)


def answered(cluster: Cluster, request: Any, version: int) -> Any:
    answers = cluster[1].ask(request, version)
    assert not answers, "it waits for the follower"
    for _ in range(20):
        cluster.advance(100)
    return answers[0]


def test_acks_of_all_replicas(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = Checks(monkeypatch, produce._Waiting)
    answer = answered(cluster, produce_request(*((index, batch(b"a")) for index in range(MANY))), 9)
    found = [(each.index, each.error_code, each.base_offset) for each in answer.responses[0].partition_responses]
    assert found == [(index, errors.NONE, 0) for index in range(MANY)]
    assert checks.count <= CHECKS_MAX


def test_records_that_all_replicas_delete(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    answered(cluster, produce_request(*((index, batch(b"a", b"b")) for index in range(MANY))), 9)
    checks = Checks(monkeypatch, delete_records._Waiting)
    topic = DeleteRecordsTopic("t", [DeleteRecordsPartition(index, 1) for index in range(MANY)])
    answer = answered(cluster, DeleteRecordsRequest([topic], 60_000), 2)
    assert {(each.error_code, each.low_watermark) for each in answer.topics[0].partitions} == {(errors.NONE, 1)}
    assert checks.count <= CHECKS_MAX


def test_markers(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = Checks(monkeypatch, write_txn_markers._Waiting)
    topic = WritableTxnMarkerTopic("t", list(range(MANY)))
    markers = [WritableTxnMarker(7, epoch, True, [topic], 0, 0) for epoch in range(3)]
    answer = answered(cluster, WriteTxnMarkersRequest(markers), 2)
    assert {each.error_code for each in answer.markers[0].topics[0].partitions} == {errors.NONE}
    assert len(answer.markers[0].topics[0].partitions) == MANY
    assert checks.count <= len(markers) * CHECKS_MAX


@pytest.mark.parametrize("has_session", [True, False])
def test_a_response_to_a_consumer_has_records_of_so_many_partitions(
    has_session: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each keeps a descriptor open until it is sent. The others have theirs in the next response."""
    monkeypatch.setattr(consumer_fetch, "WITH_RECORDS_MAX", 3)
    broker = BrokerHarness()
    broker.create_topic("t", 8)
    broker.ask(produce_request(*((index, batch(b"a")) for index in range(8))), 9)
    offsets, session, rounds = dict.fromkeys(range(8), 0), (0, 0) if has_session else (0, -1), []
    while 0 in offsets.values():
        named = [pair for pair in offsets.items() if not rounds or not has_session or pair[0] in rounds[-1]]
        request = fetch_request(*named)
        request.session_id, request.session_epoch = session
        answer = broker.ask(request, 12)
        found = [each for topic in answer.responses for each in topic.partitions]
        assert not any(each.error_code for each in found)
        rounds.append([each.partition_index for each in found if each.records])
        offsets.update(dict.fromkeys(rounds[-1], 1))
        session = (answer.session_id, session[1] + 1) if has_session else session
    assert [len(each) for each in rounds] == [3, 3, 2]
    broker.close()


def test_a_follower_has_records_of_so_many_partitions_in_a_response(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower_fetch, "WITH_RECORDS_MAX", 30)
    counts, respond = [], follower_fetch.respond

    def counted(answers: Any, *given: Any, **more: Any) -> Any:
        counts.append(sum(bool(answer.records) for _, answer in answers))
        return respond(answers, *given, **more)

    monkeypatch.setattr(follower_fetch, "respond", counted)
    answer = answered(cluster, produce_request(*((index, batch(b"a")) for index in range(MANY))), 9)
    assert {each.error_code for each in answer.responses[0].partition_responses} == {errors.NONE}
    assert max(counts) == 30
    assert sum(counts) == MANY


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("has_session", [True, False])
def test_a_consumer_does_not_wait_for_more_than_a_response_may_have(
    has_session: bool, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer_fetch, "WITH_RECORDS_MAX", 3)
    broker = BrokerHarness()
    broker.create_topic("t", 8)
    produced = [produce_request((index, batch(b"a"))) for index in range(4)]
    for request in () if waits else produced:
        broker.ask(request, 9)
    request = fetch_request(*((index, 0) for index in range(8)), min_bytes=100_000, max_wait_ms=60_000)
    request.session_epoch = 0 if has_session else -1
    answer = broker.begin(request, 12)
    for request in produced[:3] if waits else ():
        assert not answer.is_there
        broker.ask(request, 9, broker.connect())
    found = [each for topic in answer.message.responses for each in topic.partitions]
    assert [each.partition_index for each in found if each.records] == [0, 1, 2]
    broker.close()


def test_a_follower_does_not_wait_for_more_than_a_response_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_fetch, "WITH_RECORDS_MAX", MANY // 5)
    cluster = Cluster(1, 2, replica_fetch_min_bytes="1000000", replica_fetch_wait_max_ms="10000")
    cluster.create_topic("t", *[[1, 2]] * MANY)
    cluster.settle()
    answer = answered(cluster, produce_request(*((index, batch(b"a")) for index in range(MANY))), 9)
    assert {each.error_code for each in answer.responses[0].partition_responses} == {errors.NONE}


def test_a_want_of_descriptors_takes_no_log_offline() -> None:
    broker = BrokerHarness()
    broker.create_topic("t")
    broker.ask(produce_request((0, batch(b"a"))), 9)
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    for shared in list(broker.broker.logs.directories[0].files._open):
        shared.shut()
        shared.close()
    broker.fs.fail_next(lambda operation: operation[0] == "open", errno.EMFILE)
    codes = [broker.ask(fetch_request((0, 0)), 12).responses[0].partitions[0].error_code for _ in range(2)]
    assert codes == [errors.KAFKA_STORAGE_ERROR, errors.NONE]
    assert partition.log.failure is None
    broker.close()
