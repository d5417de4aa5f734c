"""The cleaner of a node: which log it picks, when, and what it does about faults."""

import errno
import logging
from typing import Any

import pytest

from kafkacompat.broker.log_cleaner import LogCleaner
from kafkacompat.now import Now
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import MAX_DECOMPRESSED_BYTES, ZSTD
from kafkacompat.protocol.records.control import ABORT, encode_end_transaction, encode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.background import Job
from kafkacompat.storage.checkpoints import CLEANER_FILE, read_offsets
from kafkacompat.storage.durability_marker import BOOT_ID_PATH
from kafkacompat.storage.errors import DiskFullError
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.segment import Segment
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.broker.harness import BrokerHarness

ROUND_MS = 15_000
COMPACTED = {"cleanup.policy": "compact", "internal.segment.bytes": "1000"}


def a_broker(fs: MemFs | None = None, **config: str) -> BrokerHarness:
    return BrokerHarness(fs, **config)


def log_of(kafka: BrokerHarness, topic: str = "t") -> Log:
    partition = kafka.broker.partitions.get(topic, 0)
    assert partition is not None
    return partition.log


def produce(kafka: BrokerHarness, topic: str = "t", count: int = 20, value: bytes | None = b"x" * 100) -> None:
    partition = kafka.broker.partitions.get(topic, 0)
    assert partition is not None
    for number in range(count):
        record = Record(0, kafka.now.wall_ms, b"key%d" % (number % 2), value)
        kafka.broker.partitions.append(partition, memoryview(build_batch([record])), 1, kafka.now)
        kafka.settle()


def with_topic(config: dict[str, str] | None = None, *, settings: dict[str, str] | None = None) -> BrokerHarness:
    kafka = a_broker(**(settings or {}))
    kafka.create_topic("t", 1, **(COMPACTED | (config or {})))
    return kafka


def records(kafka: BrokerHarness, topic: str = "t") -> list[Record]:
    log = log_of(kafka, topic)
    return [
        record for header, data in log.batches(log.log_start_offset, log.log_end_offset)
        for record in read_records(data, 0, header)
    ]  # fmt: skip


def sealed(kafka: BrokerHarness, topic: str = "t") -> int:
    """Records before the active segment."""
    active = log_of(kafka, topic).segments.active
    assert active is not None
    return sum(record.offset < active.base_offset for record in records(kafka, topic))


def cleaner(kafka: BrokerHarness) -> LogCleaner:
    found = kafka.broker.compaction.cleaner
    assert found is not None
    return found


def rounds(kafka: BrokerHarness, *, after_ms: int = ROUND_MS) -> None:
    kafka.advance(after_ms)
    for _ in range(20):
        kafka.advance(0)


def test_a_compacted_log_keeps_the_last_record_of_each_key() -> None:
    kafka = with_topic()
    produce(kafka)
    assert sealed(kafka) > 2
    rounds(kafka)
    assert sealed(kafka) == 2
    assert [record.key for record in records(kafka)[:2]] == [b"key0", b"key1"] or sealed(kafka) == 2
    active = log_of(kafka).segments.active
    assert active is not None
    kafka.advance(10_000)
    assert read_offsets(kafka.fs, f"/data/{CLEANER_FILE}") == {("t", 0): active.base_offset}
    assert cleaner(kafka).passes == 1


def test_a_start_goes_on_where_the_last_one_ended() -> None:
    kafka = with_topic()
    produce(kafka)
    rounds(kafka)
    kafka.close()
    again = a_broker(kafka.fs)
    rounds(again)
    assert cleaner(again).passes == 0
    assert sealed(again) == 2
    produce(again)
    rounds(again)
    assert cleaner(again).passes == 1
    assert sealed(again) == 2


def test_a_log_whose_old_segments_go_while_it_is_chosen_is_looked_at_anew(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kafka = with_topic()
    produce(kafka)
    begin, chosen = LogCleaner._begin, []

    def late(self: LogCleaner, *args: Any) -> None:
        """Retention comes between the choice and the pass."""
        chosen.append(args)
        if len(chosen) == 1:
            log_of(kafka).delete_segments(1, kafka.now)
            kafka.settle()
        begin(self, *args)

    monkeypatch.setattr(LogCleaner, "_begin", late)
    rounds(kafka)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(chosen) == 2
    assert sealed(kafka) == 2


BOTH = pytest.mark.parametrize("of_broker", [False, True])
"""The topic says it, or the broker for topics that say nothing."""


def with_limits(limits: dict[str, str], *, of_broker: bool) -> BrokerHarness:
    names = {
        "min.cleanable.dirty.ratio": "log.cleaner.min.cleanable.ratio",
        "delete.retention.ms": "log.cleaner.delete.retention.ms",
        "min.compaction.lag.ms": "log.cleaner.min.compaction.lag.ms",
        "max.compaction.lag.ms": "log.cleaner.max.compaction.lag.ms",
    }
    if of_broker:
        return with_topic(settings={names[name]: value for name, value in limits.items()})
    return with_topic(limits)


@BOTH
def test_so_much_must_be_dirty(*, of_broker: bool) -> None:
    for ratio, passes in (("0.5", 1), ("0.9", 0)):
        kafka = with_limits({"min.cleanable.dirty.ratio": ratio}, of_broker=of_broker)
        produce(kafka)
        rounds(kafka)
        count = cleaner(kafka).passes
        assert count == 1
        produce(kafka, count=4)
        rounds(kafka)
        assert cleaner(kafka).passes == 1 + passes


@BOTH
def test_young_records_stay_and_old_ones_do_not_wait(*, of_broker: bool) -> None:
    kafka = with_limits({"min.compaction.lag.ms": "60000"}, of_broker=of_broker)
    produce(kafka)
    rounds(kafka)
    assert sealed(kafka) > 2
    rounds(kafka, after_ms=60_000)
    assert sealed(kafka) == 2
    limits = {"min.cleanable.dirty.ratio": "1.0", "max.compaction.lag.ms": "60000"}
    kafka = with_limits(limits, of_broker=of_broker)
    produce(kafka)
    rounds(kafka)
    assert sealed(kafka) > 2
    rounds(kafka, after_ms=60_000)
    assert sealed(kafka) == 2


@pytest.mark.parametrize(("limit", "ratio", "suffix"), [("min", "0.1", ".timeindex"), ("max", "1.0", ".log")])
def test_timestamps_are_read_beside_the_loop(
    limit: str, ratio: str, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a start, when those of no segment are known: those that the limit is about."""
    kafka = with_topic({"min.cleanable.dirty.ratio": ratio, f"{limit}.compaction.lag.ms": "60000"})
    produce(kafka)
    kafka.close()
    again = a_broker(kafka.fs)
    execute, open_file = Job.execute, MemFs.open
    jobs: list[Job] = []
    opened: list[tuple[str, bool]] = []

    def executed(job: Job) -> object:
        jobs.append(job)
        try:
            return execute(job)
        finally:
            jobs.pop()

    def open_noted(fs: MemFs, path: str, **options: Any) -> Any:
        if path.endswith((".log", ".timeindex")):
            opened.append((path, bool(jobs)))
        return open_file(fs, path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Job, "execute", executed)
        patch.setattr(MemFs, "open", open_noted)
        rounds(again)
    assert all(is_in_job for _, is_in_job in opened)
    assert all(path.endswith(suffix) for path, _ in opened)
    assert len({path for path, _ in opened}) == len(log_of(again).segments.all) - 1
    assert cleaner(again).passes == 0
    rounds(again, after_ms=60_000)
    assert cleaner(again).passes == 1


@BOTH
def test_a_tombstone_stays_as_long_as_readers_may_need_it(*, of_broker: bool) -> None:
    limits = {"delete.retention.ms": "100000", "min.cleanable.dirty.ratio": "0"}
    kafka = with_limits(limits, of_broker=of_broker)
    produce(kafka, count=10)
    produce(kafka, count=2, value=None)
    kafka.broker.partitions.get("t", 0).log._roll(12, kafka.now)  # type: ignore[union-attr]
    produce(kafka, count=1)
    rounds(kafka)
    assert [record.value for record in records(kafka)][:2] == [None, None]
    kafka.advance(100_000)
    produce(kafka, count=10)
    rounds(kafka)
    assert None not in [record.value for record in records(kafka)]


def test_a_small_map_takes_several_passes() -> None:
    for settings, passes in (
        ({"log.cleaner.dedupe.buffer.size": str(1 << 20), "log.cleaner.io.buffer.load.factor": "0.00018"}, 2),
        ({"log.cleaner.dedupe.buffer.size": str(1 << 20)}, 1),
    ):
        kafka = with_topic({"min.cleanable.dirty.ratio": "0"}, settings=settings)
        produce(kafka)
        rounds(kafka)
        assert sealed(kafka) == 2
        assert (cleaner(kafka).passes > 1) == (passes > 1)


def test_coordinators_come_first() -> None:
    kafka = with_topic()
    produce(kafka)
    kafka.create_topic("__transaction_state", 1, **COMPACTED)
    produce(kafka, "__transaction_state", count=11)
    order: list[str] = []
    compaction = kafka.broker.compaction
    from kafkacompat.storage.compaction.clean_pass import Pass

    compaction.new_pass = lambda fs, request: order.append(request.path) or Pass(fs, request)  # type: ignore[func-returns-value]
    rounds(kafka)
    assert order == ["/data/__transaction_state-0", "/data/t-0"]


def test_a_batch_that_needs_more_memory_than_there_is_for_one_leaves_the_log_as_it_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kafka = with_topic({"cleanup.policy": "delete", "internal.segment.bytes": "3000"})
    log, partition = log_of(kafka), kafka.broker.partitions.get("t", 0)
    assert partition is not None
    bomb = build_batch([Record(0, kafka.now.wall_ms, b"k", bytes(MAX_DECOMPRESSED_BYTES))], compression=ZSTD)
    kafka.broker.partitions.append(partition, memoryview(bomb), 1, kafka.now)
    produce(kafka)
    before = log.size_bytes
    configs = {name.replace("_", "."): getattr(log.config, name) for name in log.config.__slots__}
    log.config = type(log.config)(configs | {"cleanup.policy": ["compact"]})
    with caplog.at_level(logging.ERROR):
        rounds(kafka)
    why = "the batch at offset 0: records decompress to more than 67108864 bytes"
    assert f"t-0 is not compacted any more, until its config changes or the next start: {why}" in caplog.text
    assert log.size_bytes == before


def test_a_line_says_what_a_pass_did(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_topic()
    produce(kafka)
    with caplog.at_level(logging.INFO):
        rounds(kafka)
    written = cleaner(kafka).last_pass
    told = f"{written.written_bytes} of {written.read_bytes} bytes stayed, in {written.took_ms} ms"
    assert f"compacted t-0 up to {log_of(kafka).segments.all[-1].base_offset}: {told}" in caplog.text


def test_a_damaged_log_is_left_as_it_is_until_its_config_changes(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_topic()
    produce(kafka)
    kafka.fs.flip_bit(f"/data/t-0/{0:020d}.log", 61, 0)
    with caplog.at_level(logging.ERROR):
        rounds(kafka)
    assert "t-0 is not compacted any more, until its config changes or the next start" in caplog.text
    assert "a bug" not in caplog.text
    assert list(cleaner(kafka).uncleanable) == [("t", 0)]
    assert sealed_bytes(kafka) > 1_000
    kafka.fs.flip_bit(f"/data/t-0/{0:020d}.log", 61, 0)
    rounds(kafka)
    assert list(cleaner(kafka).uncleanable) == [("t", 0)]
    log = log_of(kafka)
    log.config = type(log.config)({name.replace("_", "."): getattr(log.config, name) for name in log.config.__slots__})
    rounds(kafka)
    assert sealed(kafka) == 2


def sealed_bytes(kafka: BrokerHarness) -> int:
    return sum(segment.size_bytes for segment in log_of(kafka).segments.all[:-1])


def test_a_full_disk_is_tried_again_and_a_broken_one_takes_the_log_offline() -> None:
    for number, is_offline in ((errno.ENOSPC, False), (errno.EMFILE, False), (errno.EIO, True)):
        kafka = with_topic()
        produce(kafka)
        kafka.fs.fail_next(lambda operation: operation[1].endswith(".log.cleaned") and operation[0] == "write", number)
        rounds(kafka, after_ms=ROUND_MS)
        assert (log_of(kafka).failure is not None) == is_offline
        if not is_offline:
            rounds(kafka)
            assert sealed(kafka) == 2


def damage_txn_index(kafka: BrokerHarness, segment: Segment) -> None:
    """Change its first byte, and forget what was loaded of it, as after a start."""
    path = segment.txn_index.path
    segment._txn_index = None
    sound = kafka.fs.read_bytes(path)
    assert sound
    kafka.fs.write_atomic(path, b"\1" + sound[1:], sync=True)


def _aborted_transactions(kafka: BrokerHarness, count: int) -> None:
    """Each of a record of the keys that `produce` writes, too; aborted."""
    partition = kafka.broker.partitions.get("t", 0)
    assert partition is not None
    for number in range(count):
        record = Record(0, kafka.now.wall_ms, b"key%d" % (number % 2), b"a" * 100)
        batch = build_batch(
            [record], producer_id=7, producer_epoch=0, base_sequence=number, is_transactional=True
        )  # fmt: skip
        partition.log.append_as_leader(
            memoryview(batch), leader_epoch=0, now=kafka.now, guard=VERIFICATION_IS_OFF
        )  # fmt: skip
        marker = Record(0, kafka.now.wall_ms, encode_key(ABORT), encode_end_transaction(0))
        batch = build_batch([marker], producer_id=7, producer_epoch=0, is_transactional=True, is_control=True)
        partition.log.append_as_leader(memoryview(batch), leader_epoch=0, now=kafka.now, internal=True)
        kafka.settle()


@pytest.mark.parametrize("is_of_active_segment", [False, True])
def test_a_damaged_transaction_index_is_built_anew(
    *, is_of_active_segment: bool, caplog: pytest.LogCaptureFixture
) -> None:
    kafka = with_topic({"cleanup.policy": "compact", "internal.segment.bytes": "2000"})
    produce(kafka, count=4)
    _aborted_transactions(kafka, 14)
    produce(kafka, count=1, value=b"y")  # which moves the high watermark
    segments = log_of(kafka).segments.all
    assert len(segments) > 2
    segment = segments[-1 if is_of_active_segment else 0]
    segment.txn_index.flush()
    damage_txn_index(kafka, segment)
    rounds(kafka)
    rounds(kafka)
    assert "anew" in caplog.text
    assert not cleaner(kafka).uncleanable
    assert cleaner(kafka).passes
    kept = [(record.key, record.value) for record in records(kafka)]
    assert kept.count((b"key1", b"x" * 100)) == 1  # what was aborted does not replace it


def test_a_full_disk_that_is_met_before_a_pass_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = with_topic()
    produce(kafka)
    faults = [DiskFullError("no room")]

    def fail_once(self: LogCleaner, *given: Any) -> Any:
        if faults:
            raise faults.pop()
        return request(self, *given)

    request = LogCleaner._request
    monkeypatch.setattr(LogCleaner, "_request", fail_once)
    rounds(kafka)
    rounds(kafka)
    assert (faults, cleaner(kafka).uncleanable) == ([], {})
    assert sealed(kafka) == 2


def test_a_loss_of_power_right_after_a_pass_loses_nothing() -> None:
    """The recovery point is on the disk before there are gaps, which a start takes for lost records behind it."""
    fs = MemFs()
    set_boot_id(fs, b"one")
    kafka = a_broker(fs, **{"log.cleaner.backoff.ms": "50"})
    kafka.create_topic("t", 1, **(COMPACTED | {"min.cleanable.dirty.ratio": "0"}))
    for _ in range(3):
        produce(kafka)
        rounds(kafka, after_ms=60)
    assert cleaner(kafka).passes
    expected = [record for record in records(kafka) if record.offset < log_of(kafka).flushed_offset]
    ends = [segment.read_next_offset() for segment in log_of(kafka).segments.all[:-1]]
    bases = [segment.base_offset for segment in log_of(kafka).segments.all[1:]]
    assert any(end < base for end, base in zip(ends, bases, strict=True)), "there is no gap between two segments"
    fs.crash()
    set_boot_id(fs, b"two")
    assert records(a_broker(fs)) == expected
    assert len(expected) > 1


def test_what_the_checkpoint_calls_clean_is_so_after_a_loss_of_power() -> None:
    fs = MemFs()
    kafka = a_broker(fs)
    kafka.create_topic("t", 1, **(COMPACTED | {"file.delete.delay.ms": "600000"}))
    produce(kafka)
    kafka.fs.fsync_dir("/data/t-0")
    kafka.advance(ROUND_MS)
    while not read_offsets(fs, f"/data/{CLEANER_FILE}"):
        for directory in kafka.broker.logs.directories:
            directory.checkpoints.publish()
            directory.checkpoints.write()
        kafka.advance(0)
    compacted = sealed_bytes(kafka)
    clean_offset = read_offsets(fs, f"/data/{CLEANER_FILE}")["t", 0]
    fs.crash()
    log = log_of(a_broker(fs))
    assert sum(segment.size_bytes for segment in log.segments.all if segment.base_offset < clean_offset) == compacted


def test_an_open_transaction_supersedes_nothing() -> None:
    kafka = with_topic({"min.cleanable.dirty.ratio": "0"})
    produce(kafka, count=2)
    partition = kafka.broker.partitions.get("t", 0)
    assert partition is not None
    batch = build_batch(
        [Record(0, kafka.now.wall_ms, b"key0", b"open")],
        producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True,
    )  # fmt: skip
    partition.log.append_as_leader(memoryview(batch), leader_epoch=0, now=kafka.now, guard=VERIFICATION_IS_OFF)
    partition.log._roll(3, kafka.now)
    produce(kafka)
    before = records(kafka)
    rounds(kafka)
    assert records(kafka) == before


def test_a_stop_in_the_middle_of_a_pass_is_no_bug(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_topic()
    produce(kafka)
    kafka.now = Now(kafka.now.monotonic_ms + ROUND_MS, kafka.now.wall_ms + ROUND_MS)
    kafka.broker.timers.run(kafka.now)
    assert cleaner(kafka).is_at_work
    kafka.broker.compaction.stop()
    kafka.settle()
    assert not cleaner(kafka).is_at_work
    assert "a bug" not in caplog.text


def set_boot_id(fs: MemFs, boot: bytes) -> None:
    fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
    fs.write_atomic(BOOT_ID_PATH, boot + b"\n", sync=True)
