"""Metadata is answered as of the moment at which the rule was added."""

from __future__ import annotations

import pytest

from kafkacompat.broker.faults.rule_errors import UnmatchableRuleError
from kafkacompat.broker.faults.stale import Stale
from kafkacompat.protocol.error_codes import UNKNOWN_TOPIC_OR_PARTITION
from kafkacompat.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.broker.faults.rules import Faulty


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 1)
    return harness


def partitions(kafka: Faulty, name: str) -> int:
    (topic,) = kafka.ask(MetadataRequest([MetadataRequestTopic(name=name)]), 9).topics
    return -topic.error_code or len(topic.partitions)


def test_what_changed_since_is_not_there(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "metadata"}, Stale.kind)
    kafka.ask(CreatePartitionsRequest([CreatePartitionsTopic("t", 3, None)], timeout_ms=1000), 3)
    kafka.create_topic("u")
    for _ in range(2):
        assert partitions(kafka, "t") == 1
        assert partitions(kafka, "u") == -UNKNOWN_TOPIC_OR_PARTITION
        assert [topic.name for topic in kafka.ask(MetadataRequest(None), 9).topics] == ["t"]
    assert rule.hits == 6
    kafka.rules.remove(rule.id)
    assert (partitions(kafka, "t"), partitions(kafka, "u")) == (3, 1)


def test_a_topic_that_is_missing_is_not_created(kafka: Faulty) -> None:
    kafka.rule({"api": "metadata"}, "stale")
    assert partitions(kafka, "new") == -UNKNOWN_TOPIC_OR_PARTITION
    assert "new" not in kafka.broker.image.topics


def test_other_apis_have_no_image(kafka: Faulty) -> None:
    with pytest.raises(UnmatchableRuleError, match="use it with api metadata"):
        kafka.rule({"api": "fetch"}, "stale")


def test_the_brokers_of_then_are_in_the_answer(kafka: Faulty) -> None:
    kafka.rule({"api": "metadata"}, Stale.kind)
    assert [broker.node_id for broker in kafka.ask(MetadataRequest(None), 9).brokers] == [1]
