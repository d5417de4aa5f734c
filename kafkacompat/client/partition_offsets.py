"""Offsets of partitions: ListOffsets by position or time, DeleteRecords."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, MAX_TIMESTAMP, NO_NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.client.client import Client, Place

EARLIEST, LATEST, MAX_TIME = EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, MAX_TIMESTAMP
"""What `list_offsets` takes beside times: log start, high watermark (or last stable offset), the newest record."""
READ_UNCOMMITTED, READ_COMMITTED = 0, 1


class FoundOffset(NamedTuple):
    """An offset with its record's timestamp in ms, -1 where no record is meant. Offset -1: no record is that young."""

    offset: int
    timestamp: int
    leader_epoch: int


def list_offsets(
    client: Client, wanted: Mapping[Place, int], *, isolation: int = READ_UNCOMMITTED
) -> dict[Place, FoundOffset]:
    """The first offset at or after each time (ms), or EARLIEST, LATEST, MAX_TIME. Raises BrokerError."""
    from kafkacompat.protocol.messages import list_offsets as messages

    def call(leader: int, places: list[Place]) -> dict[Place, tuple[int, FoundOffset]]:
        topics: dict[str, list[messages.ListOffsetsPartition]] = {}
        for topic, partition in places:
            asked = messages.ListOffsetsPartition(partition_index=partition, timestamp=wanted[topic, partition])
            topics.setdefault(topic, []).append(asked)
        request = messages.ListOffsetsRequest(
            replica_id=NO_NODE, isolation_level=isolation, timeout_ms=int(client.timeout_s * 1000),
            topics=[messages.ListOffsetsTopic(topic, partitions) for topic, partitions in topics.items()],
        )  # fmt: skip
        response: messages.ListOffsetsResponse = client.call_node(leader, messages, request)
        return {
            (topic.name, each.partition_index): (
                each.error_code, FoundOffset(each.offset, each.timestamp, each.leader_epoch),
            )
            for topic in response.topics
            for each in topic.partitions
        }  # fmt: skip

    return client.call_leaders(wanted, call)


def delete_records(client: Client, before: Mapping[Place, int]) -> dict[Place, int]:
    """Delete the records before an offset in each partition, -1 for all. Returns the new log starts."""
    from kafkacompat.protocol.messages import delete_records as messages

    def call(leader: int, places: list[Place]) -> dict[Place, tuple[int, int]]:
        topics: dict[str, list[messages.DeleteRecordsPartition]] = {}
        for topic, partition in places:
            topics.setdefault(topic, []).append(messages.DeleteRecordsPartition(partition, before[topic, partition]))
        request = messages.DeleteRecordsRequest(
            [messages.DeleteRecordsTopic(topic, partitions) for topic, partitions in topics.items()],
            timeout_ms=int(client.timeout_s * 1000),
        )
        response: messages.DeleteRecordsResponse = client.call_node(leader, messages, request)
        return {
            (topic.name, each.partition_index): (each.error_code, each.low_watermark)
            for topic in response.topics
            for each in topic.partitions
        }

    return client.call_leaders(before, call)
