from __future__ import annotations

from typing import Any

from kafkacompat.protocol import messages
from kafkacompat.protocol.messages import fetch, heartbeat, offset_for_leader_epoch, produce, sync_group
from kafkacompat.protocol.records.batch import check_crc, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.traffic.bindings import (
    GENERATION,
    LEADER_EPOCH,
    MEMBER_ID,
    PRODUCER_EPOCH,
    PRODUCER_ID,
    SESSION_ID,
    TOPIC_ID,
    Bindings,
)
from kafkacompat.traffic.invented import KIND_OF, ONLY_IN, Topics, rewrite

A, B = b"a" * 16, b"b" * 16


def bound() -> Bindings:
    bindings = Bindings()
    bindings.bind(MEMBER_ID, (), "m1", "n1")
    bindings.bind(MEMBER_ID, (), "m2", "n2")
    bindings.bind(GENERATION, ("g",), 7, 2)
    bindings.bind(PRODUCER_ID, (), 1000, 5)
    bindings.bind(PRODUCER_EPOCH, (1000,), 3, 0)
    bindings.bind(TOPIC_ID, (), A, B)
    bindings.bind(SESSION_ID, (), 77, 88)
    bindings.bind(LEADER_EPOCH, ("t", 1), 9, 0)
    return bindings


def named() -> Topics:
    topics = Topics()
    topics.names[A] = "t"
    return topics


def test_members_and_generations() -> None:
    request: Any = sync_group.SyncGroupRequest(
        "g", 7, "m1", assignments=[sync_group.SyncGroupRequestAssignment(each, b"") for each in ("m1", "m2", "m3")]
    )
    assert rewrite(request, 14, bound(), named())
    assert (request.member_id, request.generation_id) == ("n1", 2)
    assert [each.member_id for each in request.assignments] == ["n1", "n2", "m3"], "m3 is unknown"
    other: Any = heartbeat.HeartbeatRequest("h", 7, "m9")
    assert not rewrite(other, 12, bound(), named()), "another group has other generations"


def test_sessions_topics_and_leader_epochs_of_a_fetch() -> None:
    partitions = [fetch.FetchPartition(1, current_leader_epoch=9), fetch.FetchPartition(2, current_leader_epoch=9)]
    request: Any = fetch.FetchRequest(session_id=77, topics=[fetch.FetchTopic(topic_id=A, partitions=partitions)])
    assert rewrite(request, 1, bound(), named())
    assert (request.session_id, request.topics[0].topic_id) == (88, B)
    assert [each.current_leader_epoch for each in partitions] == [0, 9]


def test_an_epoch_that_is_asked_for_stays() -> None:
    partition = offset_for_leader_epoch.OffsetForLeaderPartition(1, current_leader_epoch=9, leader_epoch=9)
    topic = offset_for_leader_epoch.OffsetForLeaderTopic("t", [partition])
    assert rewrite(offset_for_leader_epoch.OffsetForLeaderEpochRequest(-1, [topic]), 23, bound(), named())
    assert (partition.current_leader_epoch, partition.leader_epoch) == (0, 9)


def test_producers_are_in_batches_too() -> None:
    def batch(producer_id: int) -> bytes:
        return bytes(
            build_batch([Record(0, 1, b"k", b"v")], producer_id=producer_id, producer_epoch=3, base_sequence=4)
        )

    data = produce.PartitionProduceData(0, batch(1000) + batch(2000))
    request: Any = produce.ProduceRequest(topic_data=[produce.TopicProduceData("t", partition_data=[data])])
    assert rewrite(request, 0, bound(), named())
    first = read_header(data.records)  # type: ignore[arg-type]
    second = read_header(data.records, first.size_bytes)  # type: ignore[arg-type]
    assert (first.producer_id, first.producer_epoch, first.base_sequence) == (5, 0, 4)
    assert (second.producer_id, second.producer_epoch) == (2000, 3)
    assert check_crc(data.records, 0, first.size_bytes)  # type: ignore[arg-type]
    broken = produce.PartitionProduceData(0, b"no batch at all, but long enough to look for one" * 3)
    assert not rewrite(broken, 0, bound(), named()), "the broker has to refuse it again"


def test_every_field_that_is_looked_for_exists() -> None:
    fields = {
        field
        for stem in messages.STEMS.values()
        for each in vars(__import__(f"kafkacompat.protocol.messages.{stem}", fromlist=["_"])).values()
        for field in getattr(each, "__slots__", ())
    }
    assert set(KIND_OF) <= fields
    assert {field for _, field in ONLY_IN} <= fields
