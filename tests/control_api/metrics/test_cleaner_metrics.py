"""What `/metrics` says of compaction: after a pass, for a damaged log, and where there is none."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from kafkacompat.control_api.metrics.cleaner_metrics import CLEANER, MANAGER, of_cleaner
from kafkacompat.control_api.metrics.exposition import Exposition
from tests.broker.harness import BrokerHarness
from tests.broker.test_log_cleaner import a_broker, produce, rounds, sealed_bytes, with_topic


def told(kafka: BrokerHarness) -> dict[str, float]:
    out = Exposition()
    of_cleaner(out, kafka.broker.compaction, kafka.broker.logs, kafka.now)
    samples = [each for family in text_string_to_metric_families(out.text().decode()) for each in family.samples]
    for sample in samples:
        assert sample.labels == ({"logDirectory": "/data"} if "uncleanable" in sample.name else {})
    return {sample.name: sample.value for sample in samples}


def test_a_pass_is_told() -> None:
    kafka = with_topic({"max.compaction.lag.ms": "5000"})
    produce(kafka)
    before = sealed_bytes(kafka)
    rounds(kafka)
    found = told(kafka)
    assert found[f"{CLEANER}cleaner_recopy_percent"] == int(100 * sealed_bytes(kafka) / before)
    assert found[f"{CLEANER}max_compaction_delay_secs"] == 10
    assert found[f"{MANAGER}max_dirty_percent"] == 0
    assert found[f"{MANAGER}time_since_last_run_ms"] == 0
    kafka.advance(7_000)
    assert told(kafka)[f"{MANAGER}time_since_last_run_ms"] == 7_000


def test_damaged_logs_are_counted_by_directory() -> None:
    kafka = with_topic()
    produce(kafka)
    assert told(kafka)[f"{MANAGER}uncleanable_partitions_count"] == 0
    kafka.fs.flip_bit(f"/data/t-0/{0:020d}.log", 61, 0)
    rounds(kafka)
    rounds(kafka)
    found = told(kafka)
    assert found[f"{MANAGER}uncleanable_partitions_count"] == 1
    assert found[f"{MANAGER}uncleanable_bytes"] == sealed_bytes(kafka)


def test_a_cleaner_without_its_timer_is_dead() -> None:
    kafka = with_topic()
    produce(kafka)
    rounds(kafka)
    assert told(kafka)[f"{CLEANER}deadthreadcount"] == 0
    kafka.broker.timers.cancel("cleaner")
    assert told(kafka)[f"{CLEANER}deadthreadcount"] == 1


def test_nothing_is_said_of_a_cleaner_that_is_turned_off() -> None:
    assert told(a_broker())[f"{CLEANER}deadthreadcount"] == 0
    assert not told(a_broker(**{"log.cleaner.enable": "false"}))
