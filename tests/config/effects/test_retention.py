"""Settings of retention: what is removed when."""

import pytest

from tests.broker.handlers.test_produce_fetch import produce_request
from tests.broker.harness import BrokerHarness
from tests.config.effects.registry import shows
from tests.storage.support import START_MS, batch

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
FIRST_MS = 30_000
CHECK_MS = 300_000


def log_start(kafka: BrokerHarness) -> int:
    partition = kafka.broker.partitions.get("t", 0)
    assert partition is not None
    return partition.log.log_start_offset


def with_records(
    *ages_ms: int, value: bytes = b"v", topic: dict[str, str] | None = None, **config: str
) -> BrokerHarness:
    """A broker with a record of each age."""
    kafka = BrokerHarness(**config)
    kafka.create_topic("t", 1, **(topic or {}))
    for age_ms in ages_ms:
        kafka.ask(produce_request((0, batch(1, timestamp_ms=START_MS - age_ms, value=value))), 9)
    return kafka


@pytest.mark.parametrize(
    ("settings", "limit_ms"),
    [
        ({}, 168 * HOUR_MS),
        ({"log_retention_hours": "2"}, 2 * HOUR_MS),
        ({"log_retention_hours": "2", "log_retention_minutes": "30"}, 30 * MINUTE_MS),
        ({"log_retention_minutes": "30", "log_retention_ms": "600000"}, 10 * MINUTE_MS),
    ],
)
@shows("log.retention.hours", "log.retention.minutes", "log.retention.ms")
def test_records_go_when_they_are_older(settings, limit_ms):
    for age_ms, start in ((limit_ms - CHECK_MS, 0), (limit_ms, 1)):
        kafka = with_records(age_ms, **settings)
        kafka.advance(FIRST_MS)
        assert log_start(kafka) == start


@shows("retention.ms", scope="topic")
def test_a_topic_has_a_time_of_its_own():
    for limit_ms, start in (("-1", 0), ("60000", 1)):
        kafka = with_records(1_000_000_000, topic={"retention_ms": limit_ms})
        kafka.advance(FIRST_MS)
        assert log_start(kafka) == start


@shows("log.retention.bytes")
@shows("retention.bytes", scope="topic")
def test_the_oldest_go_where_a_log_is_larger():
    size = {"segment_bytes": "1048576"}
    value = bytes(600_000)
    for limit, start in (("-1", 0), ("1200200", 0), ("1200100", 1), ("600050", 2)):
        kafka = with_records(3, 2, 1, value=value, topic={"retention_bytes": limit, **size})
        kafka.advance(FIRST_MS)
        assert log_start(kafka) == start
        kafka = with_records(3, 2, 1, value=value, topic=size, log_retention_bytes=limit)
        kafka.advance(FIRST_MS)
        assert log_start(kafka) == start


@shows("log.retention.check.interval.ms", "log.initial.task.delay.ms")
def test_how_often_it_is_looked():
    for first_ms, interval_ms in ((30_000, 300_000), (1_000, 7_000)):
        kafka = with_records(
            topic={"retention_ms": "1"},
            log_initial_task_delay_ms=str(first_ms), log_retention_check_interval_ms=str(interval_ms),
        )  # fmt: skip
        for wait_ms in (first_ms, interval_ms):
            kafka.ask(produce_request((0, batch(1))), 9)
            before = log_start(kafka)
            kafka.advance(wait_ms - 100)
            assert log_start(kafka) == before
            kafka.advance(100)
            assert log_start(kafka) == before + 1
