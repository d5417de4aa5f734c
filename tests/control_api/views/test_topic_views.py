"""Topics, replicas and producers are shown as the node has them."""

from kafkacompat.control_api.views.topic_views import _behind_ms
from kafkacompat.control_api.views.views import producers, topics
from kafkacompat.now import LONG_AGO, Now
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.replication.in_sync import Follower
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.control_api.node import Node

AT = 1_700_000_000_000


def produce(node: Node, topic: str, index: int = 0, **of_producer: int) -> None:
    records = build_batch([Record(0, AT, b"k", b"v")], **of_producer)  # type: ignore[arg-type]
    data = [TopicProduceData(topic, partition_data=[PartitionProduceData(index, records)])]
    node.kafka.ask(ProduceRequest(acks=-1, timeout_ms=100, topic_data=data), 9)


def test_a_topic_is_shown_with_its_partitions_and_their_replicas() -> None:
    node = Node()
    node.kafka.create_topic("t", 2)
    produce(node, "t", 1)
    (topic,) = node.look(topics)
    assert (topic["name"], topic["is_internal"]) == ("t", False)
    assert topic["topic_id"] == uuid_to_text(node.broker.image.topics["t"].topic_id)
    first, second = topic["partitions"]
    assert (first["partition"], second["partition"]) == (0, 1)
    assert (second["leader"], second["leader_epoch"], second["replicas"], second["isr"]) == (1, 0, [1], [1])
    (log,) = second["logs"]
    assert (log["broker"], log["is_leader"], log["log_start_offset"]) == (1, True, 0)
    assert (log["high_watermark"], log["last_stable_offset"], log["log_end_offset"]) == (1, 1, 1)
    assert (log["segment_count"], log["leader_epochs"], log["failure"], log["followers"]) == (1, [[0, 0]], None, [])
    assert log["size_bytes"] > 0
    assert (log["directory"], log["dirty_ratio"]) == ("/data/t-1", None)
    assert first["logs"][0]["log_end_offset"] == 0


def test_the_share_that_was_never_compacted_is_that_of_the_last_round() -> None:
    node = Node()
    configs = {"cleanup.policy": "compact", "internal.segment.bytes": "200", "min.cleanable.dirty.ratio": "1"}
    node.kafka.create_topic("t", 1, **configs)
    node.kafka.create_topic("kept", 1)
    for _ in range(5):
        produce(node, "t")
    node.kafka.advance(15_000)
    kept, found = (topic["partitions"][0]["logs"][0]["dirty_ratio"] for topic in node.look(topics))
    assert (kept, found) == (None, 1.0)


def test_a_follower_that_has_not_caught_up_is_behind_for_no_known_time() -> None:
    now = Now(5_000, 0)
    fresh, former = Follower(LONG_AGO), Follower(3_000)
    assert (_behind_ms(fresh, 7, now), _behind_ms(former, 7, now)) == (None, 2_000)
    fresh.fetched(7, 1, 7, 5_000)
    assert _behind_ms(fresh, 7, now) == 0


def test_only_the_topics_that_are_asked_for_are_shown_and_none_is_made() -> None:
    node = Node()
    for name in ("b", "a", "c"):
        node.kafka.create_topic(name)
    assert [topic["name"] for topic in node.look(topics)] == ["a", "b", "c"]
    assert [topic["name"] for topic in node.look(topics, names=["c", "unknown", "a"])] == ["a", "c"]
    node.kafka.settle()
    assert set(node.broker.image.topics) == {"a", "b", "c"}


def test_configs_are_shown_as_describe_configs_answers_them() -> None:
    node = Node()
    node.kafka.create_topic("t", retention_ms="5000")
    (topic,) = node.look(topics, all_configs=True)
    request = DescribeConfigsRequest([DescribeConfigsResource(2, "t")])
    (answer,) = node.kafka.ask(request, 4).results
    assert {name: config["value"] for name, config in topic["configs"].items()} == {
        config.name: config.value for config in answer.configs
    }
    assert topic["configs"]["retention.ms"] == {"value": "5000", "source": "topic"}
    assert topic["configs"]["segment.bytes"]["source"] == "default"
    (short,) = node.look(topics)
    assert "segment.bytes" not in short["configs"]
    assert short["configs"]["retention.ms"] == {"value": "5000", "source": "topic"}


def test_many_partitions_are_shown_in_steps() -> None:
    node = Node()
    node.kafka.create_topic("t", 100)
    steps = topics(node)  # type: ignore[arg-type]
    assert sum(1 for _ in steps) >= 4


def test_producers_are_shown_with_their_last_batch() -> None:
    node = Node()
    node.kafka.create_topic("t", 2)
    produce(node, "t", 1, producer_id=5, producer_epoch=2, base_sequence=0)
    produce(node, "t", 0)
    (producer,) = node.look(producers)
    assert producer == {
        "topic": "t", "partition": 1, "producer_id": 5, "epoch": 2, "last_sequence": 0, "last_offset": 0,
        "last_timestamp_ms": AT, "transaction_start_offset": -1,
        "transaction_start_ms": None,
    }  # fmt: skip
    assert node.look(producers, "t", 1) == [producer]
    assert node.look(producers, "t", 0) == node.look(producers, "u") == []


def test_an_open_transaction_is_shown_with_its_start() -> None:
    node = Node()
    node.kafka.create_topic("t")
    partition = node.broker.partitions.get("t", 0)
    assert partition is not None
    for sequence in range(2):
        batch = build_batch(
            [Record(0, AT + sequence, None, b"v")], producer_id=5, producer_epoch=0, base_sequence=sequence,
            is_transactional=True,
        )  # fmt: skip
        partition.append(memoryview(batch), ACKS_ALL, node.now(), guard=VERIFICATION_IS_OFF)
    (producer,) = node.look(producers)
    assert (producer["transaction_start_offset"], producer["transaction_start_ms"]) == (0, AT)
