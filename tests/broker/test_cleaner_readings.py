"""Timestamps that the cleaner reads: in which order, and what it does where they cannot be read."""

import errno
import logging
from typing import Any

import pytest

from kafkacompat.broker import log_cleaner
from kafkacompat.now import Now
from kafkacompat.storage.background import COMPACTION
from kafkacompat.storage.compaction.clean_pass import Pass
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.broker.test_log_cleaner import (
    COMPACTED,
    ROUND_MS,
    a_broker,
    cleaner,
    log_of,
    produce,
    records,
    rounds,
    sealed,
    with_topic,
)

YOUNG = {"min.cleanable.dirty.ratio": "0.1", "min.compaction.lag.ms": "60000"}
OLD = {"min.cleanable.dirty.ratio": "1.0", "max.compaction.lag.ms": "60000"}
LIMITS = pytest.mark.parametrize("limits", [YOUNG, OLD], ids=["min", "max"])


def started_again(limits: dict[str, str]) -> BrokerHarness:
    """A broker that knows of no segment how old its records are."""
    kafka = with_topic(limits)
    produce(kafka)
    kafka.close()
    return a_broker(kafka.fs)


def refuse(monkeypatch: pytest.MonkeyPatch, error_number: int) -> None:
    """Each opening of a file of the topic fails."""
    open_file = MemFs.open

    def refused(fs: MemFs, path: str, **options: Any) -> Any:
        if "/t-0/" in path and path.endswith((".log", ".timeindex")):
            raise OSError(error_number, "refused", path)
        return open_file(fs, path, **options)

    monkeypatch.setattr(MemFs, "open", refused)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@LIMITS
def test_what_cannot_be_read_is_not_taken_for_old(limits: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As with any other fault of a disk, the log goes offline."""
    kafka = started_again(limits)
    log = log_of(kafka)
    with monkeypatch.context() as patch:
        refuse(patch, errno.EIO)
        rounds(kafka)
    assert cleaner(kafka).passes == 0
    assert log.failure is not None
    assert [(segment.known_largest_ms, segment.first_timestamp_ms) for segment in log.segments.all[:-1]] == [
        (None, None) for _ in log.segments.all[:-1]
    ]
    kafka.fs.restart()
    assert len(records(a_broker(kafka.fs))) == 20


@LIMITS
@pytest.mark.parametrize("error_number", [errno.ENOENT, errno.EMFILE])
def test_a_file_that_cannot_be_opened_now_is_read_in_a_later_round(
    limits: dict[str, str], error_number: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kafka = started_again(limits)
    with monkeypatch.context() as patch:
        refuse(patch, error_number)
        rounds(kafka)
        assert len(warnings(caplog)) == 1
        assert warnings(caplog)[0].startswith("t-0 cannot be compacted now: ")
        rounds(kafka)
        assert len(warnings(caplog)) == 2
        rounds(kafka, after_ms=60_000)
        assert cleaner(kafka).passes == 0
    rounds(kafka)
    assert cleaner(kafka).passes == 1
    assert sealed(kafka) == 2


@LIMITS
def test_damage_leaves_the_log_as_it_is_and_is_said_once(
    limits: dict[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kafka = started_again(limits)
    order = noted(kafka, monkeypatch)
    for base_offset in (segment.base_offset for segment in log_of(kafka).segments.all[:-1]):
        kafka.fs.flip_bit(f"/data/t-0/{base_offset:020d}.log", 16, 7)  # of the magic byte
        kafka.fs.write_atomic(f"/data/t-0/{base_offset:020d}.timeindex", b"", sync=True)
    rounds(kafka)
    rounds(kafka, after_ms=60_000)
    assert order == ["reading"], "the other segments need not be read any more"
    assert list(cleaner(kafka).uncleanable) == [("t", 0)]
    assert len(warnings(caplog)) == 1
    assert warnings(caplog)[0].startswith("t-0 is not compacted any more, until its config changes or the next start")


@LIMITS
def test_nothing_is_said_of_a_topic_that_is_deleted_meanwhile(
    limits: dict[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kafka = started_again(limits)
    read_all = log_cleaner._read_all
    log = log_of(kafka)

    def late(some: list[Any]) -> Any:
        directory = kafka.broker.logs.directory_of("t", 0)
        if directory is not None:
            directory.delete_log(("t", 0), kafka.now)
        return read_all(some)

    monkeypatch.setattr(log_cleaner, "_read_all", late)
    rounds(kafka)
    assert log.is_closed
    assert warnings(caplog) == []
    assert not cleaner(kafka).is_at_work


def test_nothing_is_said_of_a_segment_that_goes_meanwhile(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kafka = started_again(YOUNG)
    read_all = log_cleaner._read_all
    gone: list[int] = []

    def late(some: list[Any]) -> Any:
        if not gone:
            gone.append(1)
            log_of(kafka).delete_segments(1, kafka.now)
        return read_all(some)

    monkeypatch.setattr(log_cleaner, "_read_all", late)
    rounds(kafka)
    assert gone
    assert warnings(caplog) == []
    rounds(kafka, after_ms=60_000)
    assert cleaner(kafka).passes == 1
    assert sealed(kafka) == 2


def test_what_was_read_before_a_truncation_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = started_again(YOUNG)
    read_all = log_cleaner._read_all
    segment = log_of(kafka).segments.all[0]

    def late(some: list[Any]) -> Any:
        outcome = read_all(some)
        log_of(kafka).truncate_to(1)
        return outcome

    monkeypatch.setattr(log_cleaner, "_read_all", late)
    rounds(kafka)
    assert log_of(kafka).segments.all == [segment]
    assert segment.largest_read_ms is None


def noted(kafka: BrokerHarness, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passes and readings, in their order, each job reading one segment."""
    order: list[str] = []
    read_all = log_cleaner._read_all

    def read(some: list[Any]) -> Any:
        order.extend("reading" for _ in some)
        return read_all(some)

    def new_pass(fs: Any, request: Any) -> Pass:
        order.append(request.path)
        return Pass(fs, request)

    monkeypatch.setattr(log_cleaner, "_read_all", read)
    monkeypatch.setattr(log_cleaner, "READS_PER_JOB", 1)
    kafka.broker.compaction.new_pass = new_pass
    return order


def test_a_log_that_is_due_does_not_wait_for_the_timestamps_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do those wait for more than a pass."""
    kafka = with_topic(YOUNG)
    for topic in ("__transaction_state", "u"):
        kafka.create_topic(topic, 1, **COMPACTED)
        produce(kafka, topic)
    produce(kafka)
    kafka.close()
    again = a_broker(kafka.fs)
    order = noted(again, monkeypatch)
    rounds(again)
    assert len(log_of(again).segments.all) == 4
    assert order == ["/data/__transaction_state-0", "reading", "/data/u-0", "reading", "reading"]


def test_a_log_that_becomes_due_meanwhile_waits_as_long_as_between_two_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = with_topic(YOUNG)
    produce(kafka, count=60)
    kafka.create_topic("u", 1, **(COMPACTED | {"min.cleanable.dirty.ratio": "1.0"}))
    produce(kafka, "u")
    kafka.close()
    again = a_broker(kafka.fs)
    order = noted(again, monkeypatch)
    again.now = Now(again.now.monotonic_ms + ROUND_MS, again.now.wall_ms)
    again.broker.timers.run(again.now)
    log = log_of(again, "u")
    configs = {name.replace("_", "."): getattr(log.config, name) for name in log.config.__slots__}
    log.config = type(log.config)(configs | {"min.cleanable.dirty.ratio": 0.5})
    background = again.broker.background
    while (job := background.next_job(COMPACTION)) is not None and "/data/u-0" not in order:
        again.now = Now(again.now.monotonic_ms + ROUND_MS // 2, again.now.wall_ms)
        background.finish(job, job.execute(), again.now)
        again.broker.timers.run(again.now)
    assert order == ["reading", "reading", "/data/u-0"]
