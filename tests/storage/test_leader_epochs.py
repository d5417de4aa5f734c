from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.storage.checkpoints import CheckpointError
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.leader_epochs import LeaderEpochs
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import append, at, batch, open_log, topic_config

PATH = "leader-epoch-checkpoint"


def epochs_of(*entries, fs=None):
    epochs = LeaderEpochs(fs or MemFs(), PATH)
    for epoch, start_offset in entries:
        epochs.assign(epoch, start_offset)
    return epochs


@pytest.mark.parametrize(
    ("assigned", "entries"),
    [
        ([], []),
        ([(0, 0)], [(0, 0)]),
        ([(2, 10), (4, 20)], [(2, 10), (4, 20)]),
        ([(2, 10), (2, 30)], [(2, 10)]),
        ([(2, 10), (2, 5)], [(2, 5)]),
        ([(2, 10), (4, 20), (3, 30)], [(2, 10), (3, 30)]),
        ([(2, 10), (4, 20), (5, 10)], [(5, 10)]),
        ([(2, 10), (4, 20), (5, 15)], [(2, 10), (5, 15)]),
        ([(2, 10), (4, 20), (1, 5)], [(1, 5)]),
        ([(2, 10), (4, 20), (2, 12)], [(2, 12)]),
    ],
)
def test_assign(assigned, entries):
    epochs = epochs_of(*assigned)
    assert epochs.entries == entries
    assert epochs.latest == (entries[-1][0] if entries else -1)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (-1, (-1, -1)),  # no epoch
        (0, (0, 10)),  # before all known ones
        (2, (2, 20)),
        (3, (2, 20)),  # between two
        (4, (4, 25)),
        (5, (5, 99)),  # the latest
        (6, (-1, -1)),  # not known yet
    ],
)
def test_end_offset_for(asked, answer):
    assert epochs_of((2, 10), (4, 20), (5, 25)).end_offset_for(asked, 99) == answer


def test_end_offset_for_without_epochs():
    assert epochs_of().end_offset_for(-1, 0) == (-1, -1)
    assert epochs_of().end_offset_for(0, 7) == (-1, -1)


def test_epoch_at():
    epochs = epochs_of((2, 10), (4, 20), (5, 25))
    assert [epochs.epoch_at(offset) for offset in (0, 9, 10, 19, 20, 24, 25, 900)] == [-1, -1, 2, 2, 4, 4, 5, 5]


@pytest.mark.parametrize(
    ("offset", "entries"),
    [(0, []), (10, []), (11, [(2, 10)]), (20, [(2, 10)]), (21, [(2, 10), (4, 20)]), (99, [(2, 10), (4, 20)])],
)
def test_truncate_from_end(offset, entries):
    epochs = epochs_of((2, 10), (4, 20))
    epochs.truncate_from_end(offset)
    assert epochs.entries == entries


@pytest.mark.parametrize(
    ("offset", "entries"),
    [
        (0, [(2, 10), (4, 20)]),
        (10, [(2, 10), (4, 20)]),
        (15, [(2, 15), (4, 20)]),
        (20, [(4, 20)]),
        (99, [(4, 99)]),
    ],
)
def test_truncate_from_start(offset, entries):
    epochs = epochs_of((2, 10), (4, 20))
    epochs.truncate_from_start(offset)
    assert epochs.entries == entries


def test_file_is_kafkas():
    fs = MemFs()
    epochs_of((1, 0), (2, 1861), fs=fs)
    assert fs.read_bytes(PATH) == b"0\n2\n1 0\n2 1861\n"


def test_nothing_is_written_without_a_change():
    fs = MemFs()
    epochs = epochs_of((1, 0), (2, 10), fs=fs)
    operations = fs.record()
    epochs.assign(2, 15)
    epochs.truncate_from_end(11)
    epochs.truncate_from_start(0)
    epochs_of(fs=fs).clear()
    assert operations == []
    epochs.clear()
    assert fs.read_bytes(PATH) == b"0\n0\n"


def test_what_cannot_be_written_is_not_believed():
    fs = MemFs()
    epochs = epochs_of((1, 0), fs=fs)
    fs.fail_next(lambda operation: operation[0] == "write")
    with pytest.raises(OSError):
        epochs.assign(2, 10)
    assert epochs.entries == [(1, 0)]


changes = st.lists(
    st.tuples(st.sampled_from(["assign", "from_end", "from_start"]), st.integers(0, 9), st.integers(0, 100)),
    max_size=12,
)


@given(changes)
def test_always_ascending_and_always_on_disk(changes):
    fs = MemFs()
    epochs = LeaderEpochs(fs, PATH)
    for change, epoch, offset in changes:
        if change == "assign":
            epochs.assign(epoch, offset)
            assert epochs.latest == epoch
        elif change == "from_end":
            epochs.truncate_from_end(offset)
            assert all(start < offset for _, start in epochs.entries)
        else:
            latest = epochs.latest
            epochs.truncate_from_start(offset)
            assert epochs.latest == latest
        entries = epochs.entries
        assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(entries))
        assert LeaderEpochs.load(fs, PATH).entries == entries


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1\n0\n", 1),
        ("0\n", 2),
        ("0\nmany\n", 2),
        ("0\n2\n1 0\n", 2),
        ("0\n1\n1\n", 3),
        ("0\n1\n1 zero\n", 3),
        ("0\n2\n2 0\n1 5\n", 4),
        ("0\n2\n1 5\n2 4\n", 4),
        ("0\n1\n-1 0\n", 3),
        ("0\n1\n1 -4\n", 3),
    ],
)
def test_corrupt_files_are_named(text, line):
    fs = MemFs()
    fs.write_atomic(PATH, text.encode(), sync=False)
    with pytest.raises(CheckpointError, match=f"{PATH}, line {line}: ") as caught:
        LeaderEpochs.load(fs, PATH)
    assert caught.value.line == line
    epochs = LeaderEpochs(fs, PATH)
    epochs.assign(1, 1)
    assert LeaderEpochs.load(fs, PATH).entries == [(1, 1)]


def test_data_that_end_with_the_process_have_no_file_before_the_log_is_sealed(tmp_path: Path) -> None:
    fs, path = RealFs(temporary=True, ends_with_process=True), f"{tmp_path}/t-0"
    log = open_log(fs, path=path)
    append(log, batch(2), epoch=4)
    append(log, batch(1), epoch=5)
    assert not fs.exists(f"{path}/{PATH}")
    log.seal()
    assert LeaderEpochs.load(fs, f"{path}/{PATH}").entries == [(4, 0), (5, 2)]
    append(log, batch(1), epoch=6)
    assert LeaderEpochs.load(fs, f"{path}/{PATH}").entries == [(4, 0), (5, 2), (6, 3)]
    log.close(clean=False, now=at())


def test_without_a_file_the_epochs_of_all_batches_are_read_after_a_crash(tmp_path: Path) -> None:
    fs, path = RealFs(temporary=True, ends_with_process=True), f"{tmp_path}/t-0"
    log = open_log(fs, topic_config(internal_segment_bytes=200), path=path)
    for epoch in (4, 5, 6):
        append(log, batch(3), epoch=epoch)
    assert len(log.segments.all) > 1
    log.close(clean=False, now=at())
    again = open_log(fs, path=path, recovery_point=9)
    assert again.epochs.entries == [(4, 0), (5, 3), (6, 6)]
    again.close(clean=False, now=at())
