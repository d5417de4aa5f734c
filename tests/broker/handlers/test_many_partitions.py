"""Requests whose answers wait for the followers of many partitions: work is counted, not timed."""

from typing import Any

import pytest

from kafkacompat.broker.handlers import delete_records, produce, write_txn_markers
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
from tests.broker.handlers.test_produce_fetch import batch, produce_request
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
    assert checks.count <= CHECKS_MAX
