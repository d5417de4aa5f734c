"""What most raw tests do first: a topic, and some records in it."""

from __future__ import annotations

import time

from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import create_topics, find_coordinator, metadata
from kafkacompat.protocol.messages import produce as produce_api
from kafkacompat.protocol.records.builder import Record, build_batch

CREATE_VERSION, METADATA_VERSION, PRODUCE_VERSION, FIND_COORDINATOR_VERSION = 7, 12, 9, 2
BASE_TIMESTAMP_MS = 1_700_000_000_000
READY_TIMEOUT_S = 10.0
NOT_LEADER_OR_FOLLOWER = 6


def create(client: RawClient, topic: str, partitions: int = 1, **configs: str) -> bytes:
    """Create a topic, wait until each partition has a leader, and return its id."""
    wanted = create_topics.CreatableTopic(
        topic,
        partitions,
        1,
        [],
        [create_topics.CreatableTopicConfig(k.replace("_", "."), v) for k, v in configs.items()],
    )
    request = create_topics.CreateTopicsRequest([wanted], 10_000, False)
    answer = client.call(create_topics.API_KEY, CREATE_VERSION, request).topics[0]
    assert answer.error_code == 0, answer
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not _has_leaders(client, topic, partitions):
        assert time.monotonic() < deadline, f"{topic} has no leader"
        time.sleep(0.02)
    return bytes(answer.topic_id)


def produce(client: RawClient, topic: str, count: int, partition: int = 0) -> int:
    """Append one batch of `count` records, one millisecond apart, and return its base offset.

    Kafka names a leader in its metadata some milliseconds before that leader takes records.
    """
    records = [Record(n, BASE_TIMESTAMP_MS + n, b"key", f"value {n}".encode()) for n in range(count)]
    data = produce_api.TopicProduceData(
        topic, partition_data=[produce_api.PartitionProduceData(partition, bytes(build_batch(records)))]
    )
    request = produce_api.ProduceRequest(None, -1, 10_000, [data])
    deadline = time.monotonic() + READY_TIMEOUT_S
    while True:
        answer = client.call(produce_api.API_KEY, PRODUCE_VERSION, request).responses[0].partition_responses[0]
        if answer.error_code != NOT_LEADER_OR_FOLLOWER:
            assert answer.error_code == 0, answer
            return int(answer.base_offset)
        assert time.monotonic() < deadline, f"{topic} takes no records"
        time.sleep(0.02)


def wait_for_coordinator(bootstrap_servers: str) -> None:
    """Wait until groups have a coordinator: the first who asks for one makes its topic, and some clients ask once."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    with RawClient(bootstrap_servers) as client:
        request = find_coordinator.FindCoordinatorRequest(key="any")
        while client.call(find_coordinator.API_KEY, FIND_COORDINATOR_VERSION, request).error_code != 0:
            assert time.monotonic() < deadline, "no group coordinator"
            time.sleep(0.05)


def _has_leaders(client: RawClient, topic: str, partitions: int) -> bool:
    wanted = metadata.MetadataRequestTopic(name=topic)
    request = metadata.MetadataRequest([wanted], allow_auto_topic_creation=False)
    found = client.call(metadata.API_KEY, METADATA_VERSION, request).topics[0]
    ready = [part for part in found.partitions if part.error_code == 0 and part.leader_id >= 0]
    return found.error_code == 0 and len(ready) == partitions
