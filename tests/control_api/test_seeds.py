"""Seeds: the forms in which topics and records are given, where records go, and what is done for old ones."""

from __future__ import annotations

import logging
import time
from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api.seeds import BATCH_BYTES, Seed, parse_records, parse_topics
from kafkacompat.server.seed import NewTopic

NOW_MS = 1_700_000_000_000
DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("given", "topic"),
    [
        (3, NewTopic(3)),
        ((3, 1), NewTopic(3, 1)),
        (None, NewTopic()),
        ({"partitions": 2}, NewTopic(2)),
        ({"replicas": 1, "configs": {"a": True, "b": [1, 2]}}, NewTopic(-1, 1, {"a": "true", "b": "1,2"})),
    ],
)  # fmt: skip
def test_the_forms_of_a_topic(given: Any, topic: NewTopic) -> None:
    assert parse_topics({"orders": given}) == {"orders": topic}


def test_names_alone_are_topics() -> None:
    assert parse_topics(["a", "b"]) == {"a": NewTopic(), "b": NewTopic()}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("orders", "give a list of names"),
        (3, "give a list of names"),
        ({"a": {"partition": 3}}, "topic a: unknown 'partition': a topic has partitions, replicas, configs"),
        ({"a": (1, 2, 3)}, "topic a: "),
    ],
)
def test_other_forms_of_topics_are_refused(given: Any, says: str) -> None:
    with pytest.raises(KafkaCompatError, match=says):
        parse_topics(given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"a": ["text"]}, 'record 0 of a is no object like {"key": "a", "value": "b"}'),
        ({"a": [{"value": "x"}, {"vaule": "x"}]}, "record 1 of a: unknown field 'vaule'"),
        ([{"value": "x"}], "record 0 has no topic"),
    ],
)
def test_other_forms_of_records_are_refused(given: Any, says: str) -> None:
    with pytest.raises(KafkaCompatError) as refused:
        parse_records(given)
    assert says in str(refused.value)


def test_a_seed_is_there_when_the_cluster_is_and_after_each_reset() -> None:
    records = {
        "orders": [{"key": "a", "value": "1", "headers": [["h", "x"]]}, {"key": "b", "timestamp": NOW_MS}],
        "other": [{"value": {"n": 1}, "value_encoding": "json"}, {"value": "two", "partition": 0}],
    }  # fmt: skip
    topics = {"orders": {"partitions": 3, "configs": {"cleanup.policy": "compact"}}}

    def check(kafka: Cluster) -> None:
        found = {record.key: record for record in kafka.records("orders")}
        assert (found[b"a"].value, found[b"a"].headers) == (b"1", [("h", b"x")])
        assert (found[b"b"].value, found[b"b"].timestamp) == (None, NOW_MS)
        assert [record.value for record in kafka.records("other")] == [b'{"n":1}', b"two"]
        orders = kafka.topics()["orders"]
        assert len(orders.partitions) == 3
        assert orders.configs["cleanup.policy"].value == "compact"

    with Cluster(topics=topics, records=records) as kafka:
        check(kafka)
        for keep in ((), {"topics"}):
            kafka.create_topics(["more"])
            kafka.reset(keep)
            check(kafka)
            assert ("more" in kafka.topics()) == bool(keep)


def test_several_brokers_get_the_same_seed_into_the_same_partitions() -> None:
    records = {"orders": [{"key": f"key {n}" if n % 2 else None, "value": str(n)} for n in range(20)]}

    def seen(**options: Any) -> list[tuple[int, bytes | None]]:
        with Cluster(topics={"orders": 3}, records=records, **options) as kafka:
            return [(record.partition, record.value) for record in kafka.records("orders")]

    assert seen() == seen(brokers=3)


def test_topics_that_exist_are_left_alone(tmp_path: Any) -> None:
    for _ in range(2):
        with Cluster(
            topics={"orders": 2}, records={"orders": [{"value": "once"}]}, data_dir=tmp_path / "data"
        ) as kafka:
            assert [record.value for record in kafka.records("orders")] == [b"once"]


def test_old_records_are_kept_unless_the_user_chose_a_retention(caplog: pytest.LogCaptureFixture) -> None:
    now_ms = int(time.time() * 1000)
    records = parse_records(
        {"old": [{"timestamp": now_ms - 30 * DAY_MS}], "new": [{"timestamp": now_ms}], "none": [{}]}
    )
    seed = Seed({}, records)
    with caplog.at_level(logging.INFO):
        settled = seed.settled(now_ms)
    assert {name: dict(topic.configs) for name, topic in settled.items()} == {
        "old": {"retention.ms": "-1"}, "new": {}, "none": {},
    }  # fmt: skip
    assert "topic old gets retention.ms=-1: its records begin on " in caplog.text
    given = Seed({"old": NewTopic(configs={"retention.ms": "5"})}, records)
    assert given.settled(now_ms)["old"].configs == {"retention.ms": "5"}
    assert seed.settled(now_ms, ["log.retention.hours"])["old"].configs == {}


def test_large_seeds_are_several_batches_that_a_topic_takes() -> None:
    seed = Seed({}, parse_records({"orders": [{"value": "v" * 10_000} for _ in range(100)]}))
    (batches,) = seed.batches("orders", 1, NOW_MS).values()
    assert len(batches) > 1
    assert all(len(batch) <= BATCH_BYTES + 1000 for batch in batches)
    assert seed.batches("orders", 1, NOW_MS + 1) is seed.batches("orders", 1, NOW_MS)


def test_a_record_that_the_broker_refuses_ends_the_start() -> None:
    with pytest.raises(KafkaCompatError, match="partition 7 of orders, which has 1"):
        Cluster(records={"orders": [{"value": "x", "partition": 7}]}).start()
    with pytest.raises(KafkaCompatError, match="orders-0 are not written"):
        Cluster(records={"orders": [{"value": "x" * 2_000_000}]}).start()


def test_each_call_of_a_decorated_function_gets_the_seed() -> None:
    @Cluster(topics=["orders"], records={"orders": iter([{"value": "x"}])})
    def look(*, kafka: Cluster) -> list[bytes | None]:
        return [record.value for record in kafka.records("orders")]

    assert look() == look() == [b"x"]
