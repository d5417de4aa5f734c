"""What real clients make of fault rules: librdkafka and kafka-python, where they are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.cluster.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT_S = 30


@pytest.fixture
def kafka() -> Iterator[Cluster]:
    with Cluster(topics={"t": 1}) as cluster:
        yield cluster


def end(kafka: Cluster) -> int:
    """The end of the log."""
    return kafka._call(1, lambda server: server.view.replica("t", 0).log_end_offset)  # type: ignore[union-attr]


def librdkafka(kafka: Cluster, **config: Any) -> Any:
    confluent_kafka = pytest.importorskip("confluent_kafka")
    settings = {name.replace("_", "."): value for name, value in config.items()}
    return confluent_kafka.Producer(
        {"bootstrap.servers": kafka.bootstrap_servers, "log_level": 0, "retry.backoff.ms": 1, **settings}
    )


def delivered(producer: Any, value: bytes = b"v") -> str:
    """The error of one record, "" if it was delivered."""
    found: list[Any] = []
    producer.produce("t", value, on_delivery=lambda error, _message: found.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    return "" if found[0] is None else found[0].name()


@pytest.mark.parametrize("code", ["NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS", "REQUEST_TIMED_OUT"])
def test_librdkafka_retries_what_can_be_retried(kafka: Cluster, code: str) -> None:
    with kafka.faults.add(when={"api": "produce", "topic": "t"}, then={"error": code}, times=2) as fault:
        assert delivered(librdkafka(kafka, enable_idempotence=True)) == ""
        assert fault.hits == 2
    assert end(kafka) == 1  # also after REQUEST_TIMED_OUT, where the first one was written


def test_librdkafka_gives_up_what_cannot(kafka: Cluster) -> None:
    with kafka.faults.add(when={"api": "produce"}, then={"error": "TOPIC_AUTHORIZATION_FAILED"}, must_hit=True):
        assert delivered(librdkafka(kafka)) == "TOPIC_AUTHORIZATION_FAILED"
    assert end(kafka) == 0


@pytest.mark.parametrize(("is_idempotent", "expected"), [(True, 1), (False, 2)])
def test_a_lost_answer_is_a_duplicate_without_idempotence(kafka: Cluster, is_idempotent: bool, expected: int) -> None:
    with kafka.faults.add(when={"api": "produce"}, then={"drop": "after"}, times=1, must_hit=True):
        assert delivered(librdkafka(kafka, enable_idempotence=is_idempotent)) == ""
    assert end(kafka) == expected


def test_librdkafka_waits_for_a_late_answer(kafka: Cluster) -> None:
    with kafka.faults.add(when={"api": "produce"}, then={"delay": {"ms": 300, "at": "after"}}, times=1) as fault:
        producer = librdkafka(kafka)
        producer.produce("t", b"v")
        fault.wait_for_hits(timeout_s=TIMEOUT_S)
        assert len(producer) == 1
        assert producer.flush(TIMEOUT_S) == 0


def test_kafka_python_raises_what_a_commit_is_told(kafka: Cluster) -> None:
    pytest.importorskip("kafka")
    from kafka import KafkaConsumer, TopicPartition
    from kafka.errors import GroupAuthorizationFailedError
    from kafka.structs import OffsetAndMetadata

    consumer = KafkaConsumer(bootstrap_servers=kafka.bootstrap_servers, group_id="g", enable_auto_commit=False)
    try:
        place = TopicPartition("t", 0)
        consumer.assign([place])
        offsets = {place: OffsetAndMetadata(0, "", -1)}
        with (
            kafka.faults.add(
                when={"api": "offset_commit", "group": "g"}, then={"error": "GROUP_AUTHORIZATION_FAILED"}, must_hit=True
            ),
            pytest.raises(GroupAuthorizationFailedError),
        ):
            consumer.commit(offsets)
        consumer.commit(offsets)
    finally:
        consumer.close()
