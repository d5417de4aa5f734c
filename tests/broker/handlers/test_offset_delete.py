"""OffsetDelete; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import GROUP_SUBSCRIBED_TO_TOPIC, NONE, UNKNOWN_TOPIC_OR_PARTITION
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest
from kafkacompat.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.broker.handlers.group_harness import Kafka, commit, committed, stable_pair, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


def test_offsets_that_a_member_reads_stay(kafka: Kafka) -> None:
    kafka.create_topic("u")
    first, _second = stable_pair(kafka)
    commit(kafka, 5, generation=2, member_id=first)
    partitions = [OffsetDeleteRequestPartition(0), OffsetDeleteRequestPartition(77)]
    topics = [OffsetDeleteRequestTopic(name, partitions) for name in ("t", "u", "unknown")]
    answer = kafka.ask("offset_delete", 0, OffsetDeleteRequest("g", topics))
    assert {topic.name: [p.error_code for p in topic.partitions] for topic in answer.topics} == {
        "t": [GROUP_SUBSCRIBED_TO_TOPIC, UNKNOWN_TOPIC_OR_PARTITION],
        "u": [NONE, UNKNOWN_TOPIC_OR_PARTITION],
        "unknown": [UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_OR_PARTITION],
    }
    assert committed(kafka) == 5
    kafka.ask("leave_group", 1, LeaveGroupRequest("g", first))
    kafka.advance(10_000)
    assert kafka.ask("offset_delete", 0, OffsetDeleteRequest("g", topics)).topics[0].partitions[0].error_code == NONE
    assert committed(kafka) == -1
