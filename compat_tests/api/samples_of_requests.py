"""One request of each API, with something in each list, for tests that spoil its bytes. None of them changes anything:
what they name does not exist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compat_tests.api.batches import batch
from compat_tests.api.raw import CLIENT_ID, CLOSED, RawClient
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import headers, messages
from kafkacompat.protocol.messages import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    alter_configs,
    create_partitions,
    create_topics,
    delete_groups,
    delete_records,
    delete_topics,
    describe_cluster,
    describe_configs,
    describe_groups,
    describe_log_dirs,
    describe_producers,
    describe_topic_partitions,
    describe_transactions,
    end_txn,
    fetch,
    find_coordinator,
    heartbeat,
    incremental_alter_configs,
    init_producer_id,
    join_group,
    leave_group,
    list_config_resources,
    list_groups,
    list_offsets,
    list_transactions,
    metadata,
    offset_commit,
    offset_delete,
    offset_fetch,
    offset_for_leader_epoch,
    produce,
    sync_group,
    txn_offset_commit,
    write_txn_markers,
)

CORRELATION_ID = 77
TOPIC, GROUP, ID = "nobodys-topic", "nobodys-group", b"\x07" * 16
TRANSACTIONAL_ID, PRODUCER_ID = "nobodys-id", 7_000_001


def _offset_fetch(version: int) -> Any:
    if version >= 8:
        topics = [offset_fetch.OffsetFetchRequestTopics(TOPIC, ID, partition_indexes=[0])]
        return offset_fetch.OffsetFetchRequest(groups=[offset_fetch.OffsetFetchRequestGroup(GROUP, topics=topics)])
    return offset_fetch.OffsetFetchRequest(GROUP, [offset_fetch.OffsetFetchRequestTopic(TOPIC, [0])])


def _find_coordinator(version: int) -> Any:
    return find_coordinator.FindCoordinatorRequest("" if version >= 4 else GROUP, 0, [GROUP] if version >= 4 else ())


def _leave_group(version: int) -> Any:
    if version >= 3:
        return leave_group.LeaveGroupRequest(GROUP, members=[leave_group.MemberIdentity("member")])
    return leave_group.LeaveGroupRequest(GROUP, "member")


def _delete_topics(version: int) -> Any:
    if version >= 6:
        return delete_topics.DeleteTopicsRequest([delete_topics.DeleteTopicState(TOPIC)], timeout_ms=1_000)
    return delete_topics.DeleteTopicsRequest(topic_names=[TOPIC], timeout_ms=1_000)


def _add_partitions_to_txn(version: int) -> Any:
    topics = [add_partitions_to_txn.AddPartitionsToTxnTopic(TOPIC, [0])]
    if version < 4:
        return add_partitions_to_txn.AddPartitionsToTxnRequest((), TRANSACTIONAL_ID, PRODUCER_ID, 0, topics)
    added = add_partitions_to_txn.AddPartitionsToTxnTransaction(TRANSACTIONAL_ID, PRODUCER_ID, 0, False, topics)
    return add_partitions_to_txn.AddPartitionsToTxnRequest([added])


def _list_transactions(version: int) -> Any:
    duration_ms, pattern = (1 if version >= 1 else -1), (TRANSACTIONAL_ID if version >= 2 else None)
    return list_transactions.ListTransactionsRequest(["Dead"], [PRODUCER_ID], duration_ms, pattern)


def _fixed(request: Any) -> Callable[[int], Any]:
    return lambda _version: request


SAMPLES: dict[int, Callable[[int], Any]] = {
    produce.API_KEY: _fixed(
        produce.ProduceRequest(
            None, -1, 1_000, [produce.TopicProduceData(TOPIC, ID, [produce.PartitionProduceData(0, batch())])]
        )
    ),
    fetch.API_KEY: _fixed(
        fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[fetch.FetchTopic(TOPIC, ID, [fetch.FetchPartition(0)])])
    ),
    list_offsets.API_KEY: _fixed(
        list_offsets.ListOffsetsRequest(
            -1, 0, [list_offsets.ListOffsetsTopic(TOPIC, [list_offsets.ListOffsetsPartition(0, -1, -1)])]
        )
    ),
    metadata.API_KEY: lambda version: metadata.MetadataRequest(
        [metadata.MetadataRequestTopic(name="not a name")], version < 4
    ),
    offset_commit.API_KEY: _fixed(
        offset_commit.OffsetCommitRequest(
            GROUP, 5, "member",
            topics=[offset_commit.OffsetCommitRequestTopic(
                TOPIC, ID, [offset_commit.OffsetCommitRequestPartition(0, 1)]
            )],
        )
    ),
    offset_fetch.API_KEY: _offset_fetch,
    find_coordinator.API_KEY: _find_coordinator,
    join_group.API_KEY: _fixed(
        join_group.JoinGroupRequest(
            GROUP, 1, 1, "member", None, "consumer", [join_group.JoinGroupRequestProtocol("range", b"")]
        )
    ),
    heartbeat.API_KEY: _fixed(heartbeat.HeartbeatRequest(GROUP, 1, "member")),
    leave_group.API_KEY: _leave_group,
    sync_group.API_KEY: _fixed(
        sync_group.SyncGroupRequest(
            GROUP, 1, "member", None, "consumer", "range", [sync_group.SyncGroupRequestAssignment("member", b"")]
        )
    ),
    describe_groups.API_KEY: _fixed(describe_groups.DescribeGroupsRequest([GROUP])),
    list_groups.API_KEY: lambda version: list_groups.ListGroupsRequest(["Dead"] if version >= 4 else ()),
    create_topics.API_KEY: _fixed(
        create_topics.CreateTopicsRequest(
            [create_topics.CreatableTopic("not a name", 1, 1, [], [create_topics.CreatableTopicConfig("a", "b")])],
            1_000,
        )
    ),
    delete_topics.API_KEY: _delete_topics,
    delete_records.API_KEY: _fixed(
        delete_records.DeleteRecordsRequest(
            [delete_records.DeleteRecordsTopic(TOPIC, [delete_records.DeleteRecordsPartition(0, 1)])], 1_000
        )
    ),
    offset_for_leader_epoch.API_KEY: _fixed(
        offset_for_leader_epoch.OffsetForLeaderEpochRequest(
            -1, [offset_for_leader_epoch.OffsetForLeaderTopic(
                TOPIC, [offset_for_leader_epoch.OffsetForLeaderPartition(0, -1, 0)]
            )],
        )
    ),
    describe_configs.API_KEY: _fixed(
        describe_configs.DescribeConfigsRequest([describe_configs.DescribeConfigsResource(2, TOPIC, ["retention.ms"])])
    ),
    alter_configs.API_KEY: _fixed(
        alter_configs.AlterConfigsRequest(
            [alter_configs.AlterConfigsResource(2, TOPIC, [alter_configs.AlterableConfig("retention.ms", "1")])], True
        )
    ),
    describe_log_dirs.API_KEY: _fixed(
        describe_log_dirs.DescribeLogDirsRequest([describe_log_dirs.DescribableLogDirTopic(TOPIC, [0])])
    ),
    create_partitions.API_KEY: _fixed(
        create_partitions.CreatePartitionsRequest(
            [create_partitions.CreatePartitionsTopic(TOPIC, 2, [create_partitions.CreatePartitionsAssignment([1])])],
            1_000, True,
        )
    ),
    delete_groups.API_KEY: _fixed(delete_groups.DeleteGroupsRequest([GROUP])),
    incremental_alter_configs.API_KEY: _fixed(
        incremental_alter_configs.IncrementalAlterConfigsRequest(
            [incremental_alter_configs.AlterConfigsResource(
                2, TOPIC, [incremental_alter_configs.AlterableConfig("retention.ms", 0, "1")]
            )], True,
        )
    ),
    offset_delete.API_KEY: _fixed(
        offset_delete.OffsetDeleteRequest(
            GROUP, [offset_delete.OffsetDeleteRequestTopic(TOPIC, [offset_delete.OffsetDeleteRequestPartition(0)])]
        )
    ),
    describe_cluster.API_KEY: _fixed(describe_cluster.DescribeClusterRequest()),
    describe_producers.API_KEY: _fixed(
        describe_producers.DescribeProducersRequest([describe_producers.TopicRequest(TOPIC, [0])])
    ),
    list_config_resources.API_KEY: lambda version: list_config_resources.ListConfigResourcesRequest(
        [2] if version >= 1 else ()
    ),
    describe_topic_partitions.API_KEY: _fixed(
        describe_topic_partitions.DescribeTopicPartitionsRequest([describe_topic_partitions.TopicRequest(TOPIC)])
    ),
    init_producer_id.API_KEY: _fixed(init_producer_id.InitProducerIdRequest(TRANSACTIONAL_ID, 0)),  # no time-out
    add_partitions_to_txn.API_KEY: _add_partitions_to_txn,
    add_offsets_to_txn.API_KEY: _fixed(
        add_offsets_to_txn.AddOffsetsToTxnRequest(TRANSACTIONAL_ID, PRODUCER_ID, 0, GROUP)
    ),
    end_txn.API_KEY: _fixed(end_txn.EndTxnRequest(TRANSACTIONAL_ID, PRODUCER_ID, 0, True)),
    write_txn_markers.API_KEY: _fixed(
        write_txn_markers.WriteTxnMarkersRequest(
            [write_txn_markers.WritableTxnMarker(
                PRODUCER_ID, 0, True, [write_txn_markers.WritableTxnMarkerTopic(TOPIC, [0])]
            )]
        )
    ),
    txn_offset_commit.API_KEY: _fixed(
        txn_offset_commit.TxnOffsetCommitRequest(
            TRANSACTIONAL_ID, GROUP, PRODUCER_ID, 0,
            topics=[txn_offset_commit.TxnOffsetCommitRequestTopic(
                TOPIC, partitions=[txn_offset_commit.TxnOffsetCommitRequestPartition(0, 1)]
            )],
        )
    ),
    describe_transactions.API_KEY: _fixed(describe_transactions.DescribeTransactionsRequest([TRANSACTIONAL_ID])),
    list_transactions.API_KEY: _list_transactions,
}  # fmt: skip
"""Request of a version, by API key."""
OLDEST = {produce.API_KEY: 3}


def every_version() -> list[tuple[int, int]]:
    """Each (API key, version) that is advertised and has a sample."""
    return [
        (key, version)
        for key in SAMPLES
        for version in range(OLDEST.get(key, APIS[key].min_version), APIS[key].max_version + 1)
    ]


def encoded(api_key: int, version: int, request: Any) -> bytes:
    """A request's frame, without its size."""
    parts: list[Any] = []
    messages.load(api_key).encode_request(request, version, parts)
    header = headers.encode_request_header(headers.RequestHeader(api_key, version, CORRELATION_ID, CLIENT_ID))
    return header + b"".join(bytes(part) for part in parts)


def sample(api_key: int, version: int) -> bytes:
    """A sample's frame."""
    return encoded(api_key, version, SAMPLES[api_key](version))


def said_to(client: RawClient, frame: bytes, api_key: int, version: int) -> str:
    """What a broker does with a frame: it closes the connection, or answers."""
    try:
        client.send_frame(frame)
        client.receive()
    except ConnectionError:
        client.reconnect()
        client.noted(api_key, version, CLOSED)
        return CLOSED
    return "answered"


def name_of(case: tuple[int, int]) -> str:
    """How a case is called in a test's id."""
    return f"{APIS[case[0]].stem}-{case[1]}"
