"""Appending, rolling, reading and truncating one log."""

from contextlib import nullcontext

import pytest

from kafkacompat.now import NEVER
from kafkacompat.protocol.error_codes import (
    CORRUPT_MESSAGE,
    INVALID_RECORD,
    INVALID_TIMESTAMP,
    KAFKA_STORAGE_ERROR,
    MESSAGE_TOO_LARGE,
    OFFSET_OUT_OF_RANGE,
    RECORD_LIST_TOO_LARGE,
)
from kafkacompat.protocol.records.batch import split, stamp, stamp_crc, stamp_log_append_time
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, encode_end_transaction, encode_key
from kafkacompat.storage.errors import DiskFullError, LogError, RecordsRefusedError
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import START_MS, append, at, batch, offsets, open_log, read_bytes, topic_config


def test_nothing_but_the_directory_and_its_metadata_exists_before_the_first_append(fs: Fs, path: str) -> None:
    log = open_log(fs, path=path)
    assert fs.listdir(path) == ["partition.metadata"]
    append(log, batch())
    assert fs.listdir(path) == ["00000000000000000000.log", "leader-epoch-checkpoint", "partition.metadata"]
    log.close(clean=False, now=at())


def test_offsets_and_epoch_are_stamped_and_read_back(fs: Fs, path: str) -> None:
    log = open_log(fs, path=path)
    first = append(log, batch(3), epoch=4)
    second = append(log, batch(2), epoch=5)
    assert (first.first_offset, first.last_offset, second.first_offset, second.last_offset) == (0, 2, 3, 4)
    assert first.append_time_ms == -1
    assert first.max_timestamp_ms == START_MS + 2
    headers = [header for _, header in split(read_bytes(log, 0))]
    assert [(h.base_offset, h.leader_epoch) for h in headers] == [(0, 4), (3, 5)]
    assert log.epochs.entries == [(4, 0), (5, 3)]
    log.close(clean=True, now=at())


def test_a_read_starts_at_the_batch_that_holds_the_offset_and_stops_at_the_end_offset(fs: Fs, path: str) -> None:
    log = open_log(fs, path=path)
    for _ in range(4):
        append(log, batch(3))
    assert [h.base_offset for _, h in split(read_bytes(log, 4))] == [3, 6, 9]
    assert [h.base_offset for _, h in split(read_bytes(log, 4, end_offset=9))] == [3, 6]
    assert read_bytes(log, 12) == b""
    assert read_bytes(log, 9, end_offset=9) == b""
    log.close(clean=False, now=at())


def test_max_bytes_cuts_as_kafka_does_but_gives_the_first_batch_whole(fs: Fs, path: str) -> None:
    log = open_log(fs, path=path)
    size = len(batch())
    for _ in range(3):
        append(log, batch())
    assert len(read_bytes(log, 0, 2 * size + 5)) == 2 * size + 5
    assert len(read_bytes(log, 0, 10)) == size
    assert read_bytes(log, 0, 10, at_least_one=False) == b""
    log.close(clean=False, now=at())


def test_followers_get_whole_batches_alone(fs: Fs, path: str) -> None:
    log = open_log(fs, path=path)
    for _ in range(3):
        append(log, batch())
    size = len(batch())
    for max_bytes, expected in ((size, 1), (2 * size - 1, 1), (2 * size, 2), (2 * size + 1, 2), (9 * size, 3)):
        part = log.read(0, max_bytes, end_offset=3, at_least_one=True, whole=True)
        assert len(part) == expected * size
        part.release()
    part = log.read(1, size - 1, end_offset=3, at_least_one=True, whole=True)
    assert len(part) == size  # one that is larger than what was asked for comes whole
    part.release()
    assert not len(log.read(1, size - 1, end_offset=3, at_least_one=False, whole=True))


@pytest.mark.parametrize("offset", [-1, 3])
def test_reading_outside_of_the_log_is_out_of_range(offset: int) -> None:
    log = open_log(MemFs())
    append(log, batch(2))
    with pytest.raises(LogError) as caught:
        read_bytes(log, offset)
    assert caught.value.error_code == OFFSET_OUT_OF_RANGE


@pytest.mark.parametrize("recent", [True, False])
def test_any_offset_is_found_through_segments_and_indexes(fs: Fs, path: str, *, recent: bool) -> None:
    config = topic_config(segment_bytes=4000, index_interval_bytes=200)
    log = open_log(fs, config, path=path)
    for _ in range(150):
        append(log, batch(3))
    if not recent:  # places that are remembered must not be what makes this work
        log.close(clean=True, now=at())
        log = open_log(fs, config, path=path, clean=True, recovery_point=log.log_end_offset)
    assert len(log.segments.all) > 3
    for offset in range(0, 450, 7):
        (_, header), *_ = split(read_bytes(log, offset, 1))
        assert header.base_offset == offset // 3 * 3
        end = split(read_bytes(log, 0, end_offset=offset))
        assert all(header.base_offset < offset for _, header in end)
    log.close(clean=False, now=at())


def test_the_batch_that_does_not_fit_opens_the_next_segment(fs: Fs, path: str) -> None:
    size = len(batch())
    log = open_log(fs, topic_config(segment_bytes=3 * size), path=path)
    for _ in range(7):
        append(log, batch())
    assert [(s.base_offset, s.size_bytes) for s in log.segments.all] == [(0, 3 * size), (3, 3 * size), (6, size)]
    names = fs.listdir(path)
    assert {"00000000000000000003.snapshot", "00000000000000000000.index", "00000000000000000003.timeindex"} <= {*names}
    log.close(clean=False, now=at())


def test_a_segment_rolls_by_the_age_of_its_first_record() -> None:
    log = open_log(MemFs(), topic_config(segment_ms=1000))
    append(log, batch(timestamp_ms=START_MS))
    append(log, batch(timestamp_ms=START_MS + 1000))
    append(log, batch(timestamp_ms=START_MS + 1001))
    assert [segment.base_offset for segment in log.segments.all] == [0, 2]


def test_with_jitter_segments_roll_at_different_ages_and_none_later() -> None:
    ages = set()
    for partition in range(20):
        fs, path = MemFs(), f"/data/t-{partition}"
        fs.mkdir("/data")
        log = open_log(fs, topic_config(segment_ms=1000, segment_jitter_ms=400), path=path)
        append(log, batch(timestamp_ms=START_MS))
        for age in range(600, 1002):
            append(log, batch(timestamp_ms=START_MS + age))
            if len(log.segments.all) > 1:
                ages.add(age)
                break
    assert len(ages) > 10
    assert min(ages) > 601
    assert 800 < max(ages) <= 1001


def test_a_compacted_log_rolls_before_its_records_have_waited_for_too_long() -> None:
    for policy, expected in (("compact", [0, 2]), ("compact,delete", [0, 2]), ("delete", [0])):
        log = open_log(MemFs(), topic_config(cleanup_policy=policy, segment_ms=5000, max_compaction_lag_ms=1000))
        for age in (0, 1000, 1001):
            append(log, batch(timestamp_ms=START_MS + age))
        assert [segment.base_offset for segment in log.segments.all] == expected


def test_records_without_timestamps_roll_by_the_clock() -> None:
    log = open_log(MemFs(), topic_config(segment_ms=1000))
    append(log, batch(timestamp_ms=-1))
    append(log, batch(timestamp_ms=-1), ms=1000)
    append(log, batch(timestamp_ms=-1), ms=1001)
    assert [segment.base_offset for segment in log.segments.all] == [0, 2]


def test_a_full_index_rolls() -> None:
    log = open_log(MemFs(), topic_config(segment_index_bytes=48, index_interval_bytes=0))
    for _ in range(9):
        append(log, batch())
    assert [segment.base_offset for segment in log.segments.all] == [0, 4, 8]


def test_an_offset_too_far_from_the_base_rolls() -> None:
    log = open_log(MemFs())
    far = memoryview(bytearray(batch(leader_epoch=0)))
    far[0:8] = (2**31).to_bytes(8, "big")
    append(log, batch())
    log.append_as_follower(far, leader_epoch=0, now=at())
    assert [segment.base_offset for segment in log.segments.all] == [0, 1]  # no gap between segments where it can be
    far[0:8] = (2**33).to_bytes(8, "big")
    log.append_as_follower(far, leader_epoch=0, now=at())
    assert [segment.base_offset for segment in log.segments.all] == [0, 1, 2**33]


def test_batches_too_far_from_each_other_go_into_segments_of_their_own() -> None:
    """A leader sends them in one response."""
    log = open_log(MemFs())
    data = b""
    for offset in (0, 5, 2**31 - 1, 2**31, 2**33):
        one = bytearray(batch(leader_epoch=0))
        one[0:8] = offset.to_bytes(8, "big")
        data += one
    log.append_as_follower(memoryview(data), leader_epoch=0, now=at())
    assert [segment.base_offset for segment in log.segments.all] == [0, 2**31, 2**33]
    assert log.log_end_offset == 2**33 + 1


def _without_crc(data: memoryview) -> memoryview:
    data[20] ^= 1
    return data


@pytest.mark.parametrize(
    ("records", "error_code"),
    [
        (memoryview(bytearray()), INVALID_RECORD),
        (memoryview(bytearray(16) + b"\2" + bytes(43)), CORRUPT_MESSAGE),
        (_without_crc(batch()), CORRUPT_MESSAGE),
        (batch()[:-1], INVALID_RECORD),
        (memoryview(bytearray(batch()) + bytes(12)), CORRUPT_MESSAGE),
        (memoryview(bytearray(batch()) + bytearray(batch())), INVALID_RECORD),
        (batch(value=bytes(2000)), MESSAGE_TOO_LARGE),
        (batch(is_control=True), INVALID_RECORD),
        (batch(timestamp_ms=START_MS + 3_600_001), INVALID_TIMESTAMP),
        (batch(), None),
    ],
    ids=["nothing", "short", "crc", "cut", "tail", "two", "large", "control", "future", "good"],
)
def test_what_clients_may_not_append(records: memoryview, error_code: int | None) -> None:
    log = open_log(MemFs(), topic_config(max_message_bytes=1500))
    if error_code is None:
        append(log, records)
        return
    with pytest.raises(LogError) as caught:
        append(log, records)
    assert caught.value.error_code == error_code
    assert log.log_end_offset == 0
    assert not log.segments.all


@pytest.mark.parametrize("tail", [b"\0", bytes(8) + b"\0\0\0\x80", bytes(batch()[:-1])], ids=["byte", "head", "batch"])
def test_trailing_bytes_after_a_batch_are_not_kept(tail: bytes) -> None:
    log, other = open_log(MemFs()), open_log(MemFs())
    append(log, memoryview(bytearray(batch()) + tail))
    append(other, batch())
    assert read_bytes(log, 0) == read_bytes(other, 0)


def test_the_timestamp_type_is_the_topics_to_say() -> None:
    log, other = open_log(MemFs()), open_log(MemFs())
    append(log, batch(timestamp_type=1))
    append(other, batch(timestamp_type=0))
    assert read_bytes(log, 0) == read_bytes(other, 0)


def test_refused_timestamps_name_their_records() -> None:
    log = open_log(MemFs(), topic_config(message_timestamp_before_max_ms=1000))
    records = [Record(n, START_MS - age_ms, None, b"v") for n, age_ms in enumerate((2000, 0, 1001, 1000))]
    with pytest.raises(RecordsRefusedError) as caught:
        append(log, memoryview(build_batch(records)))
    assert (caught.value.error_code, caught.value.indexes) == (INVALID_TIMESTAMP, [0, 2])


def test_a_wrong_time_counts_more_than_a_missing_key() -> None:
    log = open_log(MemFs(), topic_config(message_timestamp_before_max_ms=1000, cleanup_policy="compact"))
    for keys, code in (((None, b"k"), INVALID_TIMESTAMP), ((b"k", None), INVALID_RECORD)):
        records = [Record(n, START_MS - 2000 * n, key, b"v") for n, key in enumerate(keys)]
        with pytest.raises(RecordsRefusedError) as caught:
            append(log, memoryview(build_batch(records)))
        assert (caught.value.error_code, caught.value.indexes) == (code, [0, 1] if keys[0] is None else [1])


def test_old_records_are_refused_where_the_topic_says_so() -> None:
    log = open_log(MemFs(), topic_config(message_timestamp_before_max_ms=1000))
    append(log, batch(timestamp_ms=START_MS - 1000))
    with pytest.raises(LogError) as caught:
        append(log, batch(timestamp_ms=START_MS - 1001))
    assert caught.value.error_code == INVALID_TIMESTAMP


def test_a_batch_larger_than_a_segment_is_refused() -> None:
    log = open_log(MemFs(), topic_config(segment_bytes=200))
    append(log, batch())
    with pytest.raises(LogError) as caught:
        append(log, batch(value=bytes(300)))
    assert caught.value.error_code == RECORD_LIST_TOO_LARGE
    assert log.log_end_offset == 1


def test_log_append_time_is_stamped_with_a_right_checksum() -> None:
    log = open_log(MemFs(), topic_config(message_timestamp_type="LogAppendTime"))
    info = append(log, batch(2, timestamp_ms=5), ms=77)
    assert info.append_time_ms == info.max_timestamp_ms == START_MS + 77
    copy = open_log(MemFs())
    data = memoryview(bytearray(read_bytes(log, 0)))
    copy.append_as_follower(data, leader_epoch=0, now=at())  # checks the checksum
    (_, header), *_ = split(read_bytes(copy, 0))
    assert header.is_log_append_time
    assert header.max_timestamp == START_MS + 77


def test_a_producer_may_not_claim_the_append_time() -> None:
    data = batch(2)
    stamp_log_append_time(data, 0, 5)
    by_broker = open_log(MemFs(), topic_config(message_timestamp_type="LogAppendTime"))
    with pytest.raises(RecordsRefusedError) as caught:
        append(by_broker, bytearray(data))
    assert (caught.value.error_code, list(caught.value.indexes)) == (INVALID_TIMESTAMP, [0, 1])
    by_producer = open_log(MemFs())
    append(by_producer, bytearray(data))  # as Kafka does: the flag goes
    (_, header), *_ = split(read_bytes(by_producer, 0))
    assert not header.is_log_append_time


def test_own_batches_may_be_several_and_control(fs: Fs, path: str) -> None:
    log = open_log(fs, path=path)
    data = bytearray(batch(2)) + bytearray(batch(is_control=True)) + bytearray(batch(3))
    info = append(log, memoryview(data), internal=True)
    assert (info.first_offset, info.last_offset) == (0, 5)
    assert offsets(log) == [0, 1, 2, 3, 4, 5]
    log.close(clean=False, now=at())


def test_a_follower_keeps_offsets_epochs_and_gaps_and_ignores_a_cut_off_end() -> None:
    leader = open_log(MemFs())
    for epoch in (1, 1, 3):
        append(leader, batch(2), epoch=epoch)
    data = bytearray(read_bytes(leader, 0))
    follower = open_log(MemFs())
    info = follower.append_as_follower(memoryview(data + data[:70]), leader_epoch=3, now=at())
    assert (info.first_offset, info.last_offset) == (0, 5)
    assert follower.epochs.entries == [(1, 0), (3, 4)]
    assert read_bytes(follower, 0) == read_bytes(leader, 0)


@pytest.mark.parametrize(("epoch", "leader_epoch"), [(2, 9), (7, 6)], ids=["falls", "above the leader's"])
def test_a_follower_refuses_epochs_that_cannot_be(epoch: int, leader_epoch: int) -> None:
    log = open_log(MemFs())
    append(log, batch(), epoch=3)
    fetched = memoryview(bytearray(batch(leader_epoch=epoch)))
    fetched[7] = 1
    with pytest.raises(LogError) as caught:
        log.append_as_follower(fetched, leader_epoch=leader_epoch, now=at())
    assert caught.value.error_code == CORRUPT_MESSAGE


def test_a_follower_refuses_offsets_that_do_not_ascend() -> None:
    log = open_log(MemFs())
    append(log, batch(2))
    with pytest.raises(LogError) as caught:
        log.append_as_follower(batch(leader_epoch=0), leader_epoch=0, now=at())
    assert caught.value.error_code == CORRUPT_MESSAGE


def test_a_follower_refuses_a_marker_that_cannot_be_read_before_it_writes_any_of_it() -> None:
    log = open_log(MemFs())
    record = Record(0, START_MS, encode_key(ABORT), encode_end_transaction(0))
    data = bytearray(
        build_batch([record], producer_id=7, producer_epoch=0, is_transactional=True, is_control=True, leader_epoch=0)
    )
    data[22] |= 7  # a codec that nobody has
    stamp_crc(data, 0, len(data))
    with pytest.raises(LogError, match="fetched marker at offset 0: compression codec 7") as caught:
        log.append_as_follower(memoryview(data), leader_epoch=0, now=at())
    assert caught.value.error_code == CORRUPT_MESSAGE
    append(log, batch())
    assert (log.log_end_offset, log.segments.active.size_bytes) == (1, len(batch()))


def test_a_follower_refuses_offsets_that_cannot_be_followed() -> None:
    """The next fetch could not be encoded."""
    log = open_log(MemFs())
    fetched = memoryview(bytearray(batch(2, leader_epoch=0)))
    for base_offset, is_taken in ((2**63 - 2, False), (2**63 - 3, True)):
        fetched[0:8] = base_offset.to_bytes(8, "big")
        with nullcontext() if is_taken else pytest.raises(LogError, match="no offset is left"):
            log.append_as_follower(fetched, leader_epoch=0, now=at())
    assert log.log_end_offset == 2**63 - 1


def test_truncation_removes_segments_and_what_was_remembered(fs: Fs, path: str) -> None:
    config = topic_config(segment_bytes=400, index_interval_bytes=100)
    log = open_log(fs, config, path=path)
    for epoch in range(10):
        append(log, batch(2), epoch=epoch)
    log.truncate_to(8)
    assert (log.log_end_offset, offsets(log), log.epochs.latest) == (8, list(range(8)), 3)
    append(log, batch(2), epoch=20)
    assert offsets(log) == list(range(10))
    log.close(clean=True, now=at())
    again = open_log(fs, config, path=path, clean=True, recovery_point=10)
    assert (offsets(again), again.epochs.entries) == (offsets(log), log.epochs.entries)
    again.close(clean=False, now=at())


@pytest.mark.parametrize("clean", [True, False])
def test_an_emptied_log_keeps_its_offset_over_a_restart(fs: Fs, path: str, *, clean: bool) -> None:
    log = open_log(fs, path=path)
    append(log, batch(3))
    log.truncate_fully_and_start_at(100)
    assert (log.log_start_offset, log.log_end_offset, read_bytes(log, 100)) == (100, 100, b"")
    log.close(clean=clean, now=at())
    log = open_log(fs, path=path, clean=clean, recovery_point=100)
    assert (log.log_start_offset, log.log_end_offset) == (100, 100)
    assert append(log, batch()).first_offset == 100
    log.close(clean=False, now=at())


def test_deleted_records_free_their_segments_later_and_for_readers_last(fs: Fs, path: str) -> None:
    log = open_log(fs, topic_config(segment_bytes=400), path=path)
    for _ in range(10):
        append(log, batch(2))
    held = log.read(0, 10_000, end_offset=20, at_least_one=True)
    before = held.read(0, len(held))
    log.delete_records_before(9, at())
    assert log.log_start_offset == 9
    assert offsets(log)[0] == log.segments.all[0].base_offset <= 9
    assert any(name.endswith(".deleted") for name in fs.listdir(path))
    assert log.pop_deleted(at(59_999)) == []
    deleted = log.pop_deleted(at(60_000))
    assert sorted(deleted) == [f"{path}/{name}" for name in fs.listdir(path) if name.endswith(".deleted")]
    assert log.pop_deleted(at(60_000)) == []
    for each in deleted:
        fs.remove(each)
    assert held.read(0, len(held)) == before
    held.release()
    with pytest.raises(LogError) as caught:
        log.delete_records_before(21, at())
    assert caught.value.error_code == OFFSET_OUT_OF_RANGE
    log.close(clean=False, now=at())


def test_a_disk_error_takes_the_log_offline() -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, batch())
    seen: list[OSError] = []
    log._on_failure = seen.append
    fs.fail_next(lambda operation: operation[0] == "write")
    for _ in range(2):
        with pytest.raises(LogError) as caught:
            append(log, batch())
        assert caught.value.error_code == KAFKA_STORAGE_ERROR
    assert len(seen) == 1
    assert log.offline
    assert log.log_end_offset == 1
    with pytest.raises(LogError) as caught:
        read_bytes(log, 0)
    assert caught.value.error_code == KAFKA_STORAGE_ERROR


def test_a_full_disk_loses_nothing_that_was_there() -> None:
    fs = MemFs(free_bytes=1000)
    log = open_log(fs)
    while fs.free_bytes >= len(batch()):  # type: ignore[operator]
        append(log, batch())
    written = log.log_end_offset
    with pytest.raises(LogError):
        append(log, batch())
    fs.free_bytes = None
    fs.restart()
    assert offsets(open_log(fs)) == list(range(written))


def _from_leader(offset: int, *, epoch: int) -> memoryview:
    records = batch()
    stamp(records, 0, offset, epoch)
    return records


def _lead(log: Log) -> None:
    append(log, batch(), epoch=9)


def _follow(log: Log) -> None:
    log.append_as_follower(_from_leader(1, epoch=9), leader_epoch=9, now=at())


@pytest.mark.parametrize("is_leader", [True, False])
@pytest.mark.parametrize("holds_checkpoint", [True, False])
def test_an_epoch_whose_first_batch_finds_the_disk_full_has_not_begun(is_leader: bool, holds_checkpoint: bool) -> None:
    """Its entry would make a follower refuse the leader's batches, which are of an epoch before, for ever."""
    fs = MemFs()
    log = open_log(fs)
    append(log, batch(), epoch=7)
    before = log.epochs.entries
    fs.free_bytes = 60 if holds_checkpoint else 0  # the checkpoint of two epochs fits, and a batch does not
    begin = _lead if is_leader else _follow
    with pytest.raises(DiskFullError):
        begin(log)
    assert log.epochs.entries == before
    fs.free_bytes = None
    log.append_as_follower(_from_leader(1, epoch=8), leader_epoch=9, now=at())
    assert log.epochs.entries == [(7, 0), (8, 1)]
    assert open_log(fs).epochs.entries == [(7, 0), (8, 1)]


def test_flush_messages_asks_for_a_sync_and_flush_ms_for_a_time() -> None:
    log = open_log(MemFs(), topic_config(flush_messages=3, flush_ms=500))
    assert log.next_flush_ms == NEVER
    assert not append(log, batch(2), ms=10).sync_required
    assert append(log, batch(1), ms=20).sync_required
    assert log.next_flush_ms == 510
    log.flush()
    assert (log.flushed_offset, log.next_flush_ms) == (3, NEVER)
    assert not append(log, batch(1)).sync_required


def test_what_a_coordinator_writes_may_not_be_too_large_either() -> None:
    log = open_log(MemFs(), topic_config(max_message_bytes=1500))
    append(log, batch(), internal=True)
    with pytest.raises(LogError) as caught:
        append(log, batch(value=bytes(2000)), internal=True)
    assert caught.value.error_code == MESSAGE_TOO_LARGE
    assert log.log_end_offset == 1


def test_a_config_change_is_obeyed_at_once() -> None:
    log = open_log(MemFs())
    log.config = topic_config(max_message_bytes=50)
    with pytest.raises(LogError) as caught:
        append(log, batch())
    assert caught.value.error_code == MESSAGE_TOO_LARGE
