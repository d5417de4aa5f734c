"""A checkpoint that another thread writes: the loop always knows what may be on disk."""

from kafkacompat.storage.checkpoints import read_offsets
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.offset_file import OffsetFile

PATH = "/data/replication-offset-checkpoint"
KEY, OTHER = ("t", 0), ("t", 1)


def opened(fs: MemFs, found: dict[tuple[str, int], int] | None = None) -> OffsetFile:
    fs.mkdir("/data")
    fs.fsync_dir("/")
    return OffsetFile(fs, PATH, found or {})


def test_a_file_that_is_missing_is_written_though_nothing_is_to_be_in_it() -> None:
    fs = MemFs()
    file = opened(fs)
    assert file.want({})
    file.write()
    assert read_offsets(fs, PATH) == {}
    assert not file.want({})


def test_what_is_wanted_last_is_written() -> None:
    fs = MemFs()
    file = opened(fs)
    assert file.want({KEY: 1})
    assert file.want({KEY: 2})
    file.write()
    assert read_offsets(fs, PATH) == {KEY: 2}
    operations = fs.record()
    file.write()
    assert not operations


def test_what_a_write_has_replaced_does_not_come_back_after_a_loss_of_power() -> None:
    fs = MemFs()
    file = opened(fs)
    for offsets in ({KEY: 10}, {KEY: 4}, {}):
        file.want(offsets)
        file.write()
        assert file.may_hold(KEY) is (KEY in offsets)
        crashed = fs.copy()
        crashed.crash()
        assert read_offsets(crashed, PATH) == offsets


def test_what_another_thread_may_be_writing_has_to_be_lowered() -> None:
    fs = MemFs()
    file = opened(fs, {KEY: 10})
    assert not file.lower({KEY: 10})
    file.want({KEY: 20, OTHER: 5})  # a thread may have written it, may be at it, or come to it
    file.want({KEY: 15, OTHER: 5})
    assert file.lower({KEY: 15})
    file.write()
    assert read_offsets(fs, PATH) == {KEY: 15, OTHER: 5}
    assert not file.lower({KEY: 15})
    assert file.lower({KEY: 14})


def test_what_could_not_be_written_is_tried_again() -> None:
    fs = MemFs()
    file = opened(fs, {KEY: 10})
    file.want({KEY: 20})
    fs.fail_next(lambda operation: operation[0] == "write_atomic" or operation[1].startswith(PATH))
    try:
        file.write()
    except OSError:
        assert file.want({KEY: 20})
    file.write()
    assert read_offsets(fs, PATH) == {KEY: 20}


def test_what_a_crash_may_find_is_known_until_it_is_replaced() -> None:
    fs = MemFs()
    file = opened(fs, {KEY: 10})
    file.want({})
    assert file.may_hold(KEY)
    file.write()
    assert not file.may_hold(KEY)
