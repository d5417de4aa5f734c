"""What most raw tests do first: a topic, and some records in it."""

from __future__ import annotations

import time

from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import (
    api_versions,
    create_topics,
    describe_groups,
    fetch,
    find_coordinator,
    list_offsets,
    metadata,
)
from kafkacompat.protocol.messages import produce as produce_api
from kafkacompat.protocol.records.batch import split
from kafkacompat.protocol.records.builder import Record, build_batch

CREATE_VERSION, METADATA_VERSION, PRODUCE_VERSION, FIND_COORDINATOR_VERSION = 7, 12, 9, 2
LIST_OFFSETS_VERSION, FETCH_VERSION, DESCRIBE_GROUPS_VERSION = 7, 12, 5
BASE_TIMESTAMP_MS = 1_700_000_000_000
CREATE_TIMEOUT_MS = 30_000
READY_TIMEOUT_S = 60.0
COORDINATOR_TIMEOUT_S = 90.0


def create(client: RawClient, topic: str, partitions: int = 1, **configs: str) -> bytes:
    """Create a topic, wait until each partition has a leader, and return its id."""
    wanted = create_topics.CreatableTopic(
        topic,
        partitions,
        1,
        [],
        [create_topics.CreatableTopicConfig(k.replace("_", "."), v) for k, v in configs.items()],
    )
    request = create_topics.CreateTopicsRequest([wanted], CREATE_TIMEOUT_MS, False)
    answer = client.call(create_topics.API_KEY, CREATE_VERSION, request).topics[0]
    assert answer.error_code == 0, answer
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not _has_leaders(client, topic, partitions):
        assert time.monotonic() < deadline, f"{topic} has no leader"
        time.sleep(0.02)
    wait_until_led(client, topic, partitions)
    return bytes(answer.topic_id)


def produce(client: RawClient, topic: str, count: int, partition: int = 0) -> int:
    """Append one batch of `count` records, one millisecond apart, and return its base offset."""
    records = [Record(n, BASE_TIMESTAMP_MS + n, b"key", f"value {n}".encode()) for n in range(count)]
    data = produce_api.TopicProduceData(
        topic, partition_data=[produce_api.PartitionProduceData(partition, bytes(build_batch(records)))]
    )
    request = produce_api.ProduceRequest(None, -1, 10_000, [data])
    answer = client.call(produce_api.API_KEY, PRODUCE_VERSION, request).responses[0].partition_responses[0]
    assert answer.error_code == 0, answer
    return int(answer.base_offset)


def wait_until_led(client: RawClient, topic: str, partitions: int, timeout_s: float = READY_TIMEOUT_S) -> None:
    """Wait until each partition's leader serves, without writing: it answers a question about its log then.

    Kafka names a leader in its metadata some milliseconds before that leader takes records.
    """
    parts = [list_offsets.ListOffsetsPartition(index, -1, -1) for index in range(partitions)]
    request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, parts)])
    deadline = time.monotonic() + timeout_s
    while any(
        p.error_code for p in client.call(list_offsets.API_KEY, LIST_OFFSETS_VERSION, request).topics[0].partitions
    ):
        assert time.monotonic() < deadline, f"{topic} is not led"
        time.sleep(0.02)


def stored(client: RawClient, topic: str, partition: int = 0) -> bytes:
    """A partition's records as they lie in the log."""
    wanted = fetch.FetchTopic(topic, partitions=[fetch.FetchPartition(partition, -1, 0, partition_max_bytes=1 << 24)])
    answer = client.call(fetch.API_KEY, FETCH_VERSION, fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted]))
    return bytes(answer.responses[0].partitions[0].records)


def wait_for_coordinator(bootstrap_servers: str) -> None:
    """Wait until groups have a coordinator: the first who asks for one makes its topic, and some clients ask once.

    Every partition of that topic has to be loaded; between them, the groups asked for fall into all 50 of them.
    """
    deadline = time.monotonic() + COORDINATOR_TIMEOUT_S
    with RawClient(bootstrap_servers) as client:
        request = find_coordinator.FindCoordinatorRequest(key="any")
        while client.call(find_coordinator.API_KEY, FIND_COORDINATOR_VERSION, request).error_code != 0:
            assert time.monotonic() < deadline, "no group coordinator"
            time.sleep(0.05)
        groups = describe_groups.DescribeGroupsRequest([f"ready-{n}" for n in range(120)])
        while any(g.error_code for g in client.call(describe_groups.API_KEY, DESCRIBE_GROUPS_VERSION, groups).groups):
            assert time.monotonic() < deadline, "the group coordinator does not load"
            time.sleep(0.05)


def _has_leaders(client: RawClient, topic: str, partitions: int) -> bool:
    wanted = metadata.MetadataRequestTopic(name=topic)
    request = metadata.MetadataRequest([wanted], allow_auto_topic_creation=False)
    found = client.call(metadata.API_KEY, METADATA_VERSION, request).topics[0]
    ready = [part for part in found.partitions if part.error_code == 0 and part.leader_id >= 0]
    return found.error_code == 0 and len(ready) == partitions


def batches(records: bytes) -> list[bytes]:
    """The batches one by one, which makes for short differences."""
    return [records[at : at + header.size_bytes] for at, header in split(records)]


def is_alive(client: RawClient) -> bool:
    """Whether the connection still answers; a new one takes its place if not."""
    try:
        return bool(client.call(api_versions.API_KEY, 0, api_versions.ApiVersionsRequest()).api_keys)
    except ConnectionError:
        client.reconnect()
        return False
