"""Retention in a whole broker: what goes, what a first start says, and what a check costs."""

import errno
import logging
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.log_cleaner import LogCleaner
from kafkacompat.broker.replicas import retention_check
from kafkacompat.broker.replicas.retention_check import GRACE_MS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.steps import Stepped
from kafkacompat.storage.compaction.clean_pass import Pass
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.time_index import TimeIndex
from tests.broker.handlers.test_produce_fetch import fetch_request, produce_request
from tests.broker.harness import BrokerHarness
from tests.broker.starting import stop
from tests.storage.support import START_MS, batch

DAY_MS = 86_400_000
CHECK_MS = 300_000
VALUE = bytes(400_000)
SMALL = {"segment_bytes": "1048576"}


def log_of(kafka: BrokerHarness, index: int = 0) -> Any:
    partition = kafka.broker.partitions.get("t", index)
    assert partition is not None
    return partition.log


def write(kafka: BrokerHarness, *times_ms: int, index: int = 0) -> None:
    for ms in times_ms:
        kafka.ask(produce_request((index, batch(1, timestamp_ms=ms, value=VALUE))), 9)


def with_old_records(broker: dict[str, str] | None = None, **topic: str) -> BrokerHarness:
    """Six segments of a topic, of ten days ago until four days ago, which gets its configs then."""
    kafka = BrokerHarness(**(broker or {}))
    kafka.create_topic("t", 1, **SMALL)
    write(kafka, *(START_MS - day * DAY_MS for day in (10, 10, 9, 9, 8, 8, 6, 6, 5, 5, 4, 4)))
    assert log_of(kafka).log_end_offset == 12
    if topic:
        alter(kafka, "t", **topic)
    return kafka


def alter(kafka: BrokerHarness, topic: str, **configs: str) -> None:
    """Set configs of a topic."""
    some = [AlterableConfig(name.replace("_", "."), 0, value) for name, value in configs.items()]
    kafka.ask(IncrementalAlterConfigsRequest([AlterConfigsResource(2, topic, some)]), 1)


def checked(kafka: BrokerHarness) -> list[str]:
    """What one check removes."""
    kafka.broker.retention.pop_gone()
    kafka.broker.timers.run_early("retention", kafka.now)
    while kafka.broker.retention.is_running:
        kafka.advance(0)
    return kafka.broker.retention.pop_gone()


def test_old_segments_go_and_files_follow_after_their_delay():
    kafka = with_old_records()
    gone = checked(kafka)
    assert len(gone) == 1
    assert gone[0].startswith("retention of t-0: 3 segments, 24")
    assert log_of(kafka).log_start_offset == 6
    names = kafka.fs.listdir("/data/t-0")
    first = {name for name in names if name.startswith(f"{0:020d}")}
    assert first == {f"{0:020d}{suffix}.deleted" for suffix in (".index", ".log", ".timeindex")}
    kafka.advance(60_000)
    kafka.advance(10_000)
    assert not [name for name in kafka.fs.listdir("/data/t-0") if name.endswith(".deleted")]
    assert checked(kafka) == []


def test_a_directory_of_an_older_version_is_spared_and_a_line_says_what_will_go(caplog):
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    kafka.fs.remove("/data/retention-has-run")
    caplog.set_level(logging.WARNING)
    again = BrokerHarness(kafka.fs)
    for _ in range(2):
        again.advance(GRACE_MS // 2 - 1)
    lines = [record.message for record in caplog.records if "retention" in record.message]
    lines = [line for line in lines if "has not run" in line]
    assert len(lines) == 1
    assert "topic t;" in lines[0]
    assert "removes 24" in lines[0]
    assert "retention.ms=-1" in lines[0]
    assert log_of(again).log_start_offset == 0
    again.advance(CHECK_MS)
    again.advance(0)
    assert log_of(again).log_start_offset == 6
    assert again.fs.exists("/data/retention-has-run")


def test_what_went_in_an_earlier_check_is_not_told_after_the_next():
    kafka = with_old_records()
    for _ in range(2):
        kafka.advance(CHECK_MS)
        kafka.advance(0)
    assert log_of(kafka).log_start_offset == 6
    assert kafka.broker.retention.pop_gone() == []


def test_a_test_that_moves_the_clock_does_not_wait_for_an_older_directory():
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    kafka.fs.remove("/data/retention-has-run")
    again = BrokerHarness(kafka.fs)
    assert checked(again) == []
    again.broker.retention.end_grace()
    assert checked(again)[0].startswith("retention of t-0: 3 segments")


def test_a_directory_that_retention_knows_is_checked_at_once():
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    again = BrokerHarness(kafka.fs)
    assert checked(again)[0].startswith("retention of t-0: 3 segments")


def test_time_indexes_that_were_not_read_are_read_beside_the_loop():
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    again = BrokerHarness(kafka.fs)
    again.broker.timers.run_early("retention", again.now)
    assert again.broker.retention.is_running
    assert log_of(again).log_start_offset == 0
    again.settle()
    assert not again.broker.retention.is_running
    assert log_of(again).log_start_offset == 6


def test_after_a_reading_a_check_takes_turns_too(monkeypatch):
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    again = BrokerHarness(kafka.fs)
    again.broker.timers.run_early("retention", again.now)
    monkeypatch.setattr(Stepped.resume, "__defaults__", (1,))
    again.settle()
    assert again.broker.retention.is_running
    turns = 0
    while again.broker.retention.is_running:
        again.advance(0)
        turns += 1
        assert turns < 20
    assert log_of(again).log_start_offset == 6


def test_a_damaged_time_index_is_built_anew():
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    kafka.fs.write_atomic(f"/data/t-0/{0:020d}{TimeIndex.suffix}", b"12345", sync=True)
    again = BrokerHarness(kafka.fs)
    assert checked(again)[0].startswith("retention of t-0: 3 segments")


def unreadable(kafka: BrokerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither time indexes nor logs of the topic can be opened."""
    open_file = MemFs.open

    def refuse(fs: MemFs, path: str, **options: Any) -> Any:
        if "/t-0/" in path:
            raise OSError(errno.EMFILE, "too many open files", path)
        return open_file(fs, path, **options)

    monkeypatch.setattr(MemFs, "open", refuse)


def test_what_cannot_be_read_stays_and_is_read_again_by_the_next_check(monkeypatch, caplog):
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    again = BrokerHarness(kafka.fs)
    with monkeypatch.context() as patch:
        unreadable(again, patch)
        assert checked(again) == []
        assert checked(again) == []
    assert log_of(again).segments.all[0].known_largest_ms is None
    lines = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) == 1
    assert lines[0].startswith(f"by time neither /data/t-0/{0:020d}.log nor what is behind it goes until")
    assert checked(again)[0].startswith("retention of t-0: 3 segments")


def test_nothing_is_said_of_a_log_that_goes_while_it_is_read(monkeypatch, caplog):
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    again = BrokerHarness(kafka.fs)
    read_all = retention_check._read_all

    def late(segments):
        again.broker.logs.directory_of("t", 0).delete_log(("t", 0), again.now)
        return read_all(segments)

    monkeypatch.setattr(retention_check, "_read_all", late)
    assert checked(again) == []
    assert log_of(again).is_closed
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_an_empty_time_index_is_no_reason_to_keep_what_is_old():
    kafka = with_old_records()
    stop(kafka.broker, kafka.now, clean=True)
    kafka.fs.write_atomic(f"/data/t-0/{0:020d}{TimeIndex.suffix}", b"", sync=True)
    again = BrokerHarness(kafka.fs)
    assert checked(again)[0].startswith("retention of t-0: 3 segments")


def test_without_a_timestamp_nothing_grows_old(caplog):
    kafka = BrokerHarness()
    kafka.create_topic("t", 1, **SMALL)
    write(kafka, *[-1] * 6)
    stop(kafka.broker, kafka.now, clean=True)
    again = BrokerHarness(kafka.fs)
    assert checked(again) == []
    assert checked(again) == []
    assert len([record for record in caplog.records if "no time makes" in record.message]) == 1


def test_a_record_of_the_future_is_named_once(caplog):
    kafka = BrokerHarness(log_message_timestamp_after_max_ms=str(100 * DAY_MS))
    kafka.create_topic("t", 1, **SMALL)
    write(kafka, START_MS + 9 * DAY_MS, START_MS, START_MS, START_MS)
    caplog.set_level(logging.WARNING)
    assert checked(kafka) == []
    assert checked(kafka) == []
    assert len([record for record in caplog.records if "in the future" in record.message]) == 1


def test_a_compacted_topic_keeps_its_records():
    assert checked(with_old_records(cleanup_policy="compact")) == []


def test_a_compacted_topic_with_delete_in_its_policy_loses_what_is_old():
    kafka = with_old_records(cleanup_policy="compact,delete")
    assert checked(kafka)[0].startswith("retention of t-0: 3 segments")


def test_a_compacted_topic_loses_what_delete_records_took():
    kafka = with_old_records(cleanup_policy="compact")
    kafka.broker.partitions.delete_records_before(kafka.broker.partitions.get("t", 0), 5, kafka.now)
    assert log_of(kafka).log_start_offset == 5
    assert checked(kafka) == []


def test_segments_below_the_log_start_go_whatever_the_policy():
    """The log start of the checkpoint counts, though a crash, or Apache Kafka, has left segments below it."""
    for policy in ("compact", "delete", "compact,delete"):
        kafka = with_old_records(cleanup_policy=policy, retention_ms="-1")
        stop(kafka.broker, kafka.now, clean=True)
        kafka.fs.write_atomic("/data/log-start-offset-checkpoint", b"0\n1\nt 0 5\n", sync=True)
        again = BrokerHarness(kafka.fs)
        log = log_of(again)
        assert (log.log_start_offset, log.segments.all[0].base_offset) == (5, 0)
        assert checked(again)[0].startswith("retention of t-0: 2 segments")
        assert (log.log_start_offset, log.segments.all[0].base_offset) == (5, 4)
        assert again.fs.exists(f"/data/t-0/{0:020d}.log.deleted")
        assert not again.fs.exists(f"/data/t-0/{4:020d}.log.deleted")


def test_who_asks_for_what_is_gone_is_told_where_the_log_begins():
    kafka = with_old_records()
    checked(kafka)
    gone = kafka.ask(fetch_request((0, 0)), 12).responses[0].partitions[0]
    assert gone.error_code == errors.OFFSET_OUT_OF_RANGE
    there = kafka.ask(fetch_request((0, 6)), 12).responses[0].partitions[0]
    assert (there.error_code, there.log_start_offset) == (errors.NONE, 6)


def test_without_a_cleaner_a_compacted_log_stays_as_it_is():
    kafka = with_old_records(cleanup_policy="compact,delete", broker={"log_cleaner_enable": "false"})
    assert checked(kafka) == []


def test_a_log_that_the_cleaner_works_on_waits_for_the_next_check(monkeypatch):
    kafka = with_old_records(cleanup_policy="compact,delete")
    cleaner = LogCleaner(kafka.broker, Pass, (), lambda _: None)
    kafka.broker.compaction.cleaner = cleaner
    partition = kafka.broker.partitions.get("t", 0)
    monkeypatch.setattr(LogCleaner, "working_on", partition)
    assert checked(kafka) == []
    monkeypatch.setattr(LogCleaner, "working_on", None)
    cleaner.uncleanable["t", 0] = partition.log, partition.log.config
    assert checked(kafka) == []
    cleaner.uncleanable.clear()
    assert len(checked(kafka)) == 1


def test_nothing_goes_once_it_is_stopped():
    kafka = with_old_records()
    kafka.broker.retention.stop()
    assert checked(kafka) == []
    assert log_of(kafka).log_start_offset == 0


def test_a_check_of_partitions_at_rest_looks_at_one_segment_of_each(monkeypatch, steps):
    kafka = BrokerHarness()
    kafka.create_topic("t", 40, **SMALL)
    for index in range(40):
        write(kafka, START_MS, START_MS, START_MS, START_MS, index=index)
    looked: list[int] = []

    def counted(segment):
        looked.append(segment.base_offset)
        return segment.known_largest_ms

    monkeypatch.setattr("kafkacompat.broker.replicas.retention_check._largest_ms", counted)
    operations = kafka.fs.record()
    steps.clear()
    assert checked(kafka) == []
    assert len(looked) == 40
    assert sum(steps) == 40
    assert not operations, "nothing was asked of the disk"


def test_a_long_removal_takes_turns(steps):
    kafka = BrokerHarness()
    kafka.create_topic("t", 1, **SMALL)
    write(kafka, *[START_MS - 10 * DAY_MS] * 300)
    steps.clear()
    assert checked(kafka)[0].startswith("retention of t-0: 150 segments")
    assert len(steps) > 2
    assert max(steps) <= 1_080


def test_a_new_temporary_directory_gets_no_file():
    class TemporaryFs(MemFs):
        is_temporary = True

    kafka = BrokerHarness(TemporaryFs())
    assert not kafka.fs.exists("/data/retention-has-run")


def test_a_segment_that_was_truncated_and_written_again_is_as_old_as_its_newest_record():
    kafka = with_old_records(retention_ms=str(3 * DAY_MS))
    write(kafka, START_MS)
    segment = log_of(kafka).segments.all[-1]
    segment.largest_read_ms = START_MS - 20 * DAY_MS  # read before, when the segment was sealed
    checked(kafka)
    assert log_of(kafka).log_end_offset == 13
    assert log_of(kafka).log_start_offset == 12


def test_an_error_in_the_work_on_what_was_read_does_not_end_all_checks(monkeypatch):
    kafka = with_old_records()
    retention = kafka.broker.retention
    retention.is_running = True
    failing = SimpleNamespace(resume=lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        retention._resume(failing, kafka.now)
    assert not retention.is_running
    assert checked(kafka)
