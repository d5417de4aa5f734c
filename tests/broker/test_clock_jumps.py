"""The wall clock of a broker jumps by a year and back: what goes is what Apache Kafka removes, and a line says it."""

import logging

import pytest

from kafkacompat.now import Now
from tests.broker.handlers.test_produce_fetch import produce_request
from tests.broker.harness import BrokerHarness
from tests.broker.replicas.test_retention_check import checked, log_of
from tests.storage.support import START_MS, batch, produced

YEAR_MS = 365 * 86_400_000
MINUTE_MS = 60_000


def jump(kafka: BrokerHarness, by_ms: int) -> None:
    """Only the wall clock: no time has passed."""
    kafka.now = Now(kafka.now.monotonic_ms, kafka.now.wall_ms + by_ms)


def with_records(count: int, **topic: str) -> BrokerHarness:
    kafka = BrokerHarness()
    kafka.create_topic("t", 1, **topic)
    for _ in range(count):
        kafka.ask(produce_request((0, batch(1, timestamp_ms=START_MS))), 9)
    return kafka


def test_forward_everything_is_old_and_a_line_says_what_went(caplog: pytest.LogCaptureFixture) -> None:
    """As in Apache Kafka, which asks the wall clock alone (UnifiedLog.deleteRetentionMsBreachedSegments)."""
    kafka = with_records(3)
    jump(kafka, YEAR_MS)
    caplog.set_level(logging.INFO)
    assert checked(kafka)[0].startswith("retention of t-0: 1 segments")
    assert (log_of(kafka).log_start_offset, log_of(kafka).log_end_offset) == (3, 3)
    assert [record for record in caplog.records if "by time 1" in record.message]


@pytest.mark.parametrize("policy", [{"retention_ms": "-1"}, {"cleanup_policy": "compact"}, {"cleanup_policy": ""}])
def test_forward_nothing_goes_that_no_time_makes_old(policy: dict[str, str]) -> None:
    kafka = with_records(3, **policy)
    jump(kafka, YEAR_MS)
    assert checked(kafka) == []
    assert log_of(kafka).log_start_offset == 0


def test_back_again_nothing_goes_and_the_records_of_the_future_are_named_once(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_records(0, message_timestamp_type="LogAppendTime")
    jump(kafka, YEAR_MS)
    kafka.ask(produce_request((0, batch(1))), 9)
    jump(kafka, -YEAR_MS)
    kafka.ask(produce_request((0, batch(1))), 9)
    caplog.set_level(logging.WARNING)
    for _ in range(3):
        assert checked(kafka) == []
    assert (log_of(kafka).log_start_offset, log_of(kafka).log_end_offset) == (0, 2)
    assert len([record for record in caplog.records if "in the future" in record.message]) == 1
    jump(kafka, YEAR_MS + MINUTE_MS)  # they are a minute old by then
    assert checked(kafka) == []


def test_segments_do_not_roll_for_a_jump_but_for_the_times_of_records() -> None:
    kafka = with_records(2)
    for by_ms in (YEAR_MS, -YEAR_MS):
        jump(kafka, by_ms)
        kafka.ask(produce_request((0, batch(1, timestamp_ms=START_MS))), 9)
    assert len(log_of(kafka).segments.all) == 1


def test_producers_are_forgotten_by_the_wall_clock_and_may_go_on() -> None:
    """Back again they stay; a forgotten one may begin with any sequence, as in Apache Kafka."""
    kafka = with_records(0)
    kafka.ask(produce_request((0, produced(7, 0, 0))), 9)
    jump(kafka, -YEAR_MS)
    kafka.advance(11 * MINUTE_MS)
    assert 7 in log_of(kafka).producers.entries
    jump(kafka, 2 * YEAR_MS)
    kafka.advance(11 * MINUTE_MS)
    assert 7 not in log_of(kafka).producers.entries
    answer = kafka.ask(produce_request((0, produced(7, 0, 1))), 9)
    assert answer.responses[0].partition_responses[0].error_code == 0
