"""Recovery: after a clean stop no batches are read; after any other, nothing is lost and nothing is torn."""

from random import Random

import pytest

from kafkacompat.protocol.error_codes import INCONSISTENT_TOPIC_ID
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.protocol.records.old_messages import old_message
from tests.storage.support import (
    PATH,
    START_MS,
    append,
    at,
    batch,
    offsets,
    open_log,
    produced,
    read_bytes,
    topic_config,
)

LOG_FILE = f"{PATH}/{0:020d}.log"


def test_a_clean_start_reads_no_batches() -> None:
    fs = MemFs()
    config = topic_config(segment_bytes=2000, index_interval_bytes=200)
    log = open_log(fs, config)
    for i in range(60):
        append(log, produced(7, 0, 2 * i, 2))
    log.close(clean=True, now=at())
    operations = fs.record()
    again = open_log(fs, config, clean=True, recovery_point=120)
    assert not [path for name, path, _ in operations if path.endswith(".log")]
    assert again.recovery is None
    assert (again.log_end_offset, again.flushed_offset) == (120, 120)
    assert again.producers.entries[7].last_sequence == 119
    assert again.segments.all[-1].max_timestamp_ms == log.segments.all[-1].max_timestamp_ms
    assert append(again, produced(7, 0, 118, 2)).duplicate
    assert append(again, produced(7, 0, 120)).first_offset == 120


def test_a_clean_start_with_old_checkpoints_finds_the_end_itself(fs: Fs, path: str) -> None:
    log = open_log(fs, path=path)
    for _ in range(5):
        append(log, batch(2))
    log.close(clean=True, now=at())
    again = open_log(fs, path=path, clean=True, recovery_point=4)
    assert again.log_end_offset == 10
    again.close(clean=False, now=at())


def _grown(fs: Fs, **config: object) -> Log:
    log = open_log(fs, topic_config(**config))
    for i in range(6):
        append(log, produced(7, 0, 3 * i, 3), epoch=i // 2)
    return log


def test_a_tail_torn_at_any_byte_is_cut_off() -> None:
    fs = MemFs()
    _grown(fs)
    whole = fs.read_bytes(LOG_FILE)
    size = len(whole) // 6
    for torn_at in range(len(whole) - 2 * size, len(whole) + 1):
        fs = MemFs()
        _grown(fs).close(clean=False, now=at())
        fs.open(LOG_FILE, append=True).truncate(torn_at)
        again = open_log(fs)
        batches = torn_at // size
        assert offsets(again) == list(range(3 * batches))
        assert again.epochs.latest == (batches - 1) // 2
        assert again.producers.entries[7].last_sequence == 3 * batches - 1
        assert again.recovery is not None
        assert [cut.size_bytes for cut in again.recovery.truncations] == ([torn_at % size] if torn_at % size else [])
        assert fs.size(LOG_FILE) == batches * size
        again.close(clean=False, now=at())
        assert open_log(fs).recovery.truncations == []  # type: ignore[union-attr]


@pytest.mark.parametrize("bit", [0, 7])
def test_a_flipped_bit_anywhere_in_a_batch_is_found(bit: int) -> None:
    fs = MemFs()
    _grown(fs)
    size = fs.size(LOG_FILE) // 6
    for at_byte in range(3 * size, 4 * size):
        fs = MemFs()
        log = _grown(fs)
        log.close(clean=False, now=at())
        fs.flip_bit(LOG_FILE, at_byte, bit)
        again = open_log(fs)
        kept = offsets(again)
        assert kept[:9] == list(range(9))
        if at_byte - 3 * size not in range(16):  # base offset, length and epoch have no checksum
            assert kept == list(range(9))
        else:
            assert kept == sorted(set(kept))


def test_zeros_at_the_end_are_cut_off() -> None:
    fs = MemFs()
    _grown(fs).close(clean=False, now=at())
    fs.open(LOG_FILE, append=True).write([bytes(5000)])
    assert offsets(open_log(fs)) == list(range(18))


def test_what_follows_a_corrupt_segment_is_dropped_and_reported() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200)
    bases = [segment.base_offset for segment in log.segments.all]
    log.close(clean=False, now=at())
    fs.flip_bit(f"{PATH}/{bases[1]:020d}.log", 90)
    again = open_log(fs)
    assert again.recovery is not None
    assert again.log_end_offset == bases[1]
    assert len(again.recovery.truncations) == len(bases) - 1
    assert all(str(cut).startswith(PATH) for cut in again.recovery.truncations)
    assert append(again, batch()).first_offset == bases[1]


def test_what_lies_before_the_recovery_point_is_not_read() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200)
    bases = [segment.base_offset for segment in log.segments.all]
    log.close(clean=False, now=at())
    operations = fs.record()
    again = open_log(fs, topic_config(segment_bytes=200), recovery_point=bases[-2] + 1)
    read = {path for name, path, _ in operations if path.endswith(".log") and name == "pread"}
    assert read == {f"{PATH}/{base:020d}.log" for base in bases[-2:]}
    assert offsets(again) == list(range(18))
    assert again.producers.entries[7].last_sequence == 17


def test_a_segment_that_ends_at_the_recovery_point_is_read_for_its_indexes() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200, index_interval_bytes=0)
    bases = [segment.base_offset for segment in log.segments.all]
    log.close(clean=False, now=at())
    torn = f"{PATH}/{bases[-2]:020d}.timeindex"
    content = fs.read_bytes(torn)
    fs.open(torn, append=True).truncate(len(content) - 12)
    open_log(fs, topic_config(segment_bytes=200, index_interval_bytes=0), recovery_point=bases[-1])
    assert fs.read_bytes(torn) == content


def test_durable_indexes_are_not_written_again_where_a_crash_would_spoil_them() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200, index_interval_bytes=0)
    bases = [segment.base_offset for segment in log.segments.all]
    log.close(clean=False, now=at())
    fs.remove(f"{PATH}/leader-epoch-checkpoint")
    operations = fs.record()
    open_log(fs, topic_config(segment_bytes=200, index_interval_bytes=0), recovery_point=18)
    written = {path for name, path, _ in operations if name in ("write", "truncate") and path.endswith("index")}
    assert not [path for path in written if f"{bases[-1]:020d}" not in path]


def test_a_damaged_segment_below_the_recovery_point_ends_the_log_there() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200)
    bases = [segment.base_offset for segment in log.segments.all]
    log.close(clean=False, now=at())
    fs.remove(f"{PATH}/leader-epoch-checkpoint")
    fs.flip_bit(f"{PATH}/{bases[2]:020d}.log", 90)
    again = open_log(fs, topic_config(segment_bytes=200), recovery_point=18)
    assert offsets(again) == list(range(bases[2]))
    assert again.log_end_offset == bases[2]


def test_recovery_leaves_the_producers_at_each_segment_for_the_next_one() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200)
    bases = [segment.base_offset for segment in log.segments.all]
    log.close(clean=False, now=at())
    again = open_log(fs, topic_config(segment_bytes=200))
    assert again.segments.snapshots.offsets == [*bases[1:], 18]


def test_a_crash_while_epochs_are_rebuilt_changes_no_result() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200)
    entries = log.epochs.entries
    log.close(clean=False, now=at())
    fs.remove(f"{PATH}/leader-epoch-checkpoint")
    fs.fail_next(lambda operation: operation[0] == "pread" and operation[1] > f"{PATH}/{1:020d}")
    with pytest.raises(OSError, match="injected"):
        open_log(fs, topic_config(segment_bytes=200), recovery_point=18)
    assert not fs.exists(f"{PATH}/leader-epoch-checkpoint")
    assert open_log(fs, topic_config(segment_bytes=200), recovery_point=18).epochs.entries == entries


def test_indexes_are_rebuilt_as_they_were(fs: Fs, path: str) -> None:
    config = topic_config(segment_bytes=3000, index_interval_bytes=200)
    log = open_log(fs, config, path=path)
    for i in range(100):
        append(log, batch(2, timestamp_ms=START_MS + i))
    log.close(clean=True, now=at())
    names = [name for name in fs.listdir(path) if name.endswith("index")]
    before = {name: fs.read_bytes(f"{path}/{name}") for name in names}
    for number, name in enumerate(names):  # gone, torn, or as a killed Apache Kafka leaves them
        fs.remove(f"{path}/{name}")
        if number % 3:
            fs.open(f"{path}/{name}", append=True).write([before[name][:5] if number % 3 == 1 else bytes(4096)])
    again = open_log(fs, config, path=path)
    assert offsets(again) == list(range(200))
    again.close(clean=True, now=at())
    assert {name: fs.read_bytes(f"{path}/{name}") for name in names} == before


def test_a_sealed_segment_whose_index_is_lost_gets_a_new_one() -> None:
    fs = MemFs()
    config = topic_config(segment_bytes=3000, index_interval_bytes=200)
    log = open_log(fs, config)
    for _ in range(100):
        append(log, batch(2))
    log.close(clean=True, now=at())
    before = fs.read_bytes(f"{PATH}/{0:020d}.index")
    fs.remove(f"{PATH}/{0:020d}.index")
    fs.remove(f"{PATH}/{0:020d}.timeindex")
    again = open_log(fs, config, clean=True, recovery_point=200)
    assert offsets(again, 5, 9) == [4, 5, 6, 7, 8, 9]
    assert fs.read_bytes(f"{PATH}/{0:020d}.index") == before
    assert len(before) > 3 * 8


@pytest.mark.parametrize("kind", ["index", "timeindex"])
def test_after_a_crash_while_lost_indexes_are_written_they_are_rebuilt_again(kind: str) -> None:
    fs = MemFs()
    config = topic_config(segment_bytes=3000, index_interval_bytes=200)
    log = open_log(fs, config)
    for i in range(100):
        append(log, batch(2, timestamp_ms=START_MS + i))
    log.close(clean=True, now=at())
    fs.open(f"{PATH}/{0:020d}.timeindex", append=True).truncate(0)
    fs.remove(f"{PATH}/{0:020d}.index")
    fs.fail_next(lambda operation: operation[:2] == ("rename", f"{PATH}/{0:020d}.{kind}"))
    with pytest.raises(LogError):
        open_log(fs, config, clean=True, recovery_point=200).offset_for_timestamp(START_MS + 9, end_offset=200)
    again = open_log(fs, config, clean=True, recovery_point=200)
    place = again.offset_for_timestamp(START_MS + 9, end_offset=200)
    assert place is not None
    assert place.offset == 17


def test_a_base_offset_that_no_segment_holds_is_found() -> None:
    fs = MemFs()
    log = open_log(fs, topic_config(index_interval_bytes=0))
    for _ in range(3):
        append(log, batch(2))
    size_bytes = log.segments.active.size_bytes
    log.close(clean=False, now=at())
    fs.set_byte(LOG_FILE, size_bytes // 3 * 2 + 3, 1)  # 2³² more
    assert offsets(open_log(fs)) == [0, 1, 2, 3]


def test_interrupted_deletions_and_compactions_are_finished() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200)
    bases = [segment.base_offset for segment in log.segments.all]
    log.close(clean=False, now=at())
    swapped = f"{PATH}/{bases[0]:020d}.log"
    content = fs.read_bytes(swapped) + fs.read_bytes(f"{PATH}/{bases[1]:020d}.log")
    fs.open(f"{swapped}.swap", append=True).write([content])
    for name in (f"{99:020d}.log.deleted", f"{99:020d}.log.cleaned", "leader-epoch-checkpoint.tmp"):
        fs.open(f"{PATH}/{name}", append=True).write([b"x"])
    fs.open(f"{PATH}/notes.txt", append=True).write([b"left alone"])
    again = open_log(fs, topic_config(segment_bytes=200))
    assert offsets(again) == list(range(18))
    assert [segment.base_offset for segment in again.segments.all] == [bases[0], *bases[2:]]
    assert not [name for name in fs.listdir(PATH) if name.endswith((".swap", ".deleted", ".cleaned", ".tmp"))]
    assert fs.read_bytes(f"{PATH}/notes.txt") == b"left alone"


def test_an_unreadable_epoch_file_is_rebuilt_from_the_batches() -> None:
    fs = MemFs()
    log = _grown(fs)
    entries = log.epochs.entries
    log.close(clean=True, now=at())
    fs.write_atomic(f"{PATH}/leader-epoch-checkpoint", b"nonsense", sync=True)
    assert open_log(fs, clean=True, recovery_point=18).epochs.entries == entries


def test_a_log_that_ends_before_its_start_is_emptied() -> None:
    fs = MemFs()
    _grown(fs).close(clean=False, now=at())
    again = open_log(fs, log_start_offset=50)
    assert (again.log_start_offset, again.log_end_offset) == (50, 50)
    assert append(again, batch()).first_offset == 50


def test_a_log_without_records_keeps_its_last_epoch_however_often_it_is_recovered() -> None:
    fs = MemFs()
    log = open_log(fs)
    log.truncate_fully_and_start_at(7)
    log.close(clean=False, now=at())
    fs.write_atomic(f"{PATH}/leader-epoch-checkpoint", b"0\n1\n1 0\n", sync=True)
    for _ in range(3):
        log = open_log(fs, log_start_offset=7)
        assert (log.log_end_offset, log.epochs.entries) == (7, [(1, 7)])
        log.close(clean=False, now=at())


def test_another_topics_directory_is_refused() -> None:
    fs = MemFs()
    _grown(fs).close(clean=True, now=at())
    with pytest.raises(LogError) as caught:
        Log.open(
            fs, PATH, topic_config(), topic_id=bytes(16), recovery_point=0, log_start_offset=0, clean=True, now=at()
        )
    assert caught.value.error_code == INCONSISTENT_TOPIC_ID


@pytest.mark.parametrize("seed", range(40))
def test_a_power_loss_loses_nothing_that_was_flushed_and_shows_nothing_torn(seed: int) -> None:
    rng = Random(seed)
    fs = MemFs()
    fs.mkdir("/data")
    fs.fsync_dir("/")
    flusher = Flusher(fs)
    config = topic_config(segment_bytes=rng.choice((500, 3000, 100_000)), index_interval_bytes=100)
    log = open_log(fs, config, flusher=flusher)
    durable = sequence = 0
    written: list[bytes] = []
    for _ in range(rng.randint(1, 30)):
        count = rng.randint(1, 4)
        start = log.log_end_offset
        append(log, produced(5, 0, sequence, count), epoch=start // 20)
        written.append(read_bytes(log, start))
        sequence += count
        if rng.random() < 0.2:
            flusher.request(log)
            flusher.flush_inline(at())
            durable = log.flushed_offset
            assert durable == log.log_end_offset
    fs.crash(rng)
    if not fs.exists(PATH):
        assert not durable
        return
    again = open_log(fs, config, recovery_point=rng.choice((0, durable)))
    assert durable <= again.log_end_offset <= log.log_end_offset
    assert b"".join(written).startswith(b"".join(bytes(data) for _, data in again.batches(0, again.log_end_offset)))
    assert offsets(again) == list(range(again.log_end_offset))
    if again.log_end_offset:
        assert again.producers.entries[5].last_sequence == again.log_end_offset - 1
    state = (again.log_end_offset, again.epochs.entries)
    again.close(clean=False, now=at())
    once_more = open_log(fs, config)
    assert (once_more.log_end_offset, once_more.epochs.entries) == state
    assert once_more.recovery is None or not once_more.recovery.truncations


def test_epochs_that_a_crash_has_taken_are_read_from_the_batches() -> None:
    for content in (None, b"", b"0\n1\n1 6\n"):  # gone, empty, and of a log start that no checkpoint knows
        fs = MemFs()
        log = _grown(fs, segment_bytes=200)
        entries = log.epochs.entries
        log.close(clean=False, now=at())
        fs.remove(f"{PATH}/leader-epoch-checkpoint")
        if content is not None:
            fs.open(f"{PATH}/leader-epoch-checkpoint", append=True).write([content])
        assert open_log(fs, topic_config(segment_bytes=200), recovery_point=17).epochs.entries == entries


def test_a_truncation_is_durable_before_anything_is_appended() -> None:
    fs = MemFs()
    fs.mkdir("/data")
    fs.fsync_dir("/")
    log = _grown(fs, segment_bytes=200)
    log.flush()
    log.truncate_to(3)
    fs.crash()
    assert open_log(fs, topic_config(segment_bytes=200)).log_end_offset == 3


def test_whole_segments_are_durably_removed_before_the_last_segment_is_truncated() -> None:
    fs = MemFs()
    log = _grown(fs, segment_bytes=200)
    operations = fs.record()
    log.truncate_to(4)
    done = [(name, path) for name, path, _ in operations if name in ("rename", "fsync_dir", "truncate", "fsync")]
    assert done.index(("fsync_dir", PATH)) < done.index(("truncate", f"{PATH}/{3:020d}.log"))
    removed = [place for place, (name, path) in enumerate(done) if name == "rename" and path.endswith(".log.deleted")]
    assert removed
    assert max(removed) < done.index(("fsync_dir", PATH))


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("behind", [1, 2])
def test_messages_of_old_formats_are_refused_and_never_truncated(magic: int, behind: int, *, clean: bool) -> None:
    fs = MemFs()
    log = open_log(fs)
    for _ in range(behind):
        append(log, batch())
    end = log.log_end_offset
    log.close(clean=True, now=at())
    path = f"{PATH}/{0:020d}.log"
    old = b"".join(old_message(end + n, magic, b"k", b"v") for n in range(3))
    fs.write_atomic(path, fs.read_bytes(path) + old, sync=True)
    for name in fs.listdir(PATH):
        if name.endswith((".index", ".timeindex", ".snapshot")):
            fs.remove(f"{PATH}/{name}")
    before = fs.read_bytes(path)
    with pytest.raises(LogError, match=f"message format v{magic} is not supported"):
        open_log(fs, clean=clean)
    assert fs.read_bytes(path) == before


@pytest.mark.parametrize("magic", [0, 1])
def test_an_old_message_that_is_smaller_than_a_header_of_today_is_refused(magic: int) -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, batch())
    log.close(clean=False, now=at())
    path = f"{PATH}/{0:020d}.log"
    fs.write_atomic(path, fs.read_bytes(path) + old_message(1, magic, b"k", b"v"), sync=True)
    before = fs.read_bytes(path)
    with pytest.raises(LogError, match="no whole batch; the partition is not served and nothing is truncated"):
        open_log(fs)
    assert fs.read_bytes(path) == before


def test_a_batch_whose_magic_was_damaged_is_truncated() -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, batch())
    size = fs.size(f"{PATH}/{0:020d}.log")
    append(log, batch())
    log.close(clean=False, now=at())
    fs.set_byte(f"{PATH}/{0:020d}.log", size + 16, 1)
    assert open_log(fs).log_end_offset == 1
    assert fs.size(f"{PATH}/{0:020d}.log") == size
