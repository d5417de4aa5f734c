import errno
from random import Random

import pytest

from kafkacompat.storage.memfs import SECTOR_BYTES, MemFs


@pytest.fixture
def fs():
    fs = MemFs()
    fs.mkdir("d")
    fs.fsync_dir("")
    return fs


def written(fs, path, *parts, sync=False):
    file = fs.open(path, append=True)
    file.write(parts)
    if sync:
        file.fsync()
    return file


def test_a_killed_process_loses_no_bytes(fs):
    file = written(fs, "d/x", b"abc")
    fs.lock("d/.lock")
    fs.restart()
    assert fs.read_bytes("d/x") == b"abc"
    with pytest.raises(OSError):
        file.write([b"from the dead"])
    fs.lock("d/.lock").close()


def test_a_power_loss_without_rng_keeps_what_was_synced(fs):
    file = written(fs, "d/x", b"abc", sync=True)
    fs.fsync_dir("d")
    file.write([b"def"])
    written(fs, "d/y", b"never named", sync=True)
    fs.crash()
    assert fs.listdir("d") == ["x"]
    assert fs.read_bytes("d/x") == b"abc"
    written(fs, "d/x", b"!")
    assert fs.read_bytes("d/x") == b"abc!"


def test_a_name_without_bytes(fs):
    written(fs, "d/x", b"abc")
    fs.fsync_dir("d")
    fs.crash()
    assert fs.read_bytes("d/x") == b""


def test_what_is_lost_differs_and_what_is_synced_stays():
    first = b"s" * 5000
    rest = b"u" * 20_000
    outcomes = set()
    for seed in range(300):
        fs = MemFs()
        file = written(fs, "x", first, sync=True)
        fs.fsync_dir("")
        file.write([rest])
        fs.crash(Random(seed))
        data = fs.read_bytes("x")
        assert data.startswith(first)
        assert set(data[5000:]) <= {ord("u"), 0}
        outcomes.add(data)
    assert len(outcomes) > 50
    assert first in outcomes
    assert any(0 in data for data in outcomes), "a hole: a later page survived an earlier one"
    assert any(len(data.rstrip(b"\0")) % 4096 % SECTOR_BYTES == 0 and len(data) < 25_000 for data in outcomes)
    assert first + rest in outcomes


def test_the_same_seed_loses_the_same():
    def run(seed):
        fs = MemFs()
        for name in "abc":
            written(fs, name, name.encode() * 9000)
        fs.crash(Random(seed))
        return {name: fs.read_bytes(name) for name in fs.listdir("")}

    assert [run(seed) for seed in range(30)] == [run(seed) for seed in range(30)]


def test_truncation_may_be_undone():
    outcomes = set()
    for seed in range(100):
        fs = MemFs()
        file = written(fs, "x", b"0" * 1000, sync=True)
        fs.fsync_dir("")
        file.truncate(10)
        fs.crash(Random(seed))
        data = fs.read_bytes("x")
        assert data[:10] == b"0" * 10
        outcomes.add(len(data))
    assert {10, 1000} <= outcomes


def test_names_survive_in_their_order():
    outcomes = set()
    for seed in range(50):
        fs = MemFs()
        fs.write_atomic("x", b"old", sync=True)
        fs.write_atomic("x", b"new", sync=False)
        written(fs, "y")
        fs.crash(Random(seed))
        outcomes.add(tuple(fs.listdir("")))
        assert fs.exists("x"), "a rename is whole or not there"
    assert outcomes == {("x",), ("x", "x.tmp"), ("x", "y")}


def test_synced_atomic_write_survives(fs):
    fs.write_atomic("d/x", b"abc", sync=True)
    fs.crash()
    assert fs.read_bytes("d/x") == b"abc"


def test_full_disk():
    fs = MemFs(free_bytes=10)
    file = written(fs, "x", b"1234567")
    with pytest.raises(OSError) as caught:
        file.write([b"89", b"abc"])
    assert caught.value.errno == errno.ENOSPC
    assert file.pread(0, 99) == b"123456789a"
    assert fs.disk_usage("") == (-1, 0)
    file.truncate(7)
    assert file.write([b"xyz"]) == 3
    fs.remove("x")
    assert fs.free_bytes == 10
    fs.mkdir("t")
    written(fs, "t/y", b"12345")
    fs.rmtree("t")
    assert fs.free_bytes == 10


def test_flip_bit(fs):
    file = written(fs, "d/x", b"abc", sync=True)
    fs.fsync_dir("d")
    file.write([b"def"])
    fs.flip_bit("d/x", 1, 3)
    fs.flip_bit("d/x", 4)
    assert fs.read_bytes("d/x") == b"ajcddf"
    fs.crash()
    assert fs.read_bytes("d/x") == b"ajc"


def test_faults_hit_once_and_before_anything_is_done(fs):
    file = written(fs, "d/x", b"abc")
    fs.fail_next(lambda op: op[0] == "write" and op[1].endswith("x"))
    fs.fail_next(lambda op: op[0] == "rename", errno.ENOSPC)
    written(fs, "d/y", b"other")
    with pytest.raises(OSError) as caught:
        file.write([b"def"])
    assert caught.value.errno == errno.EIO
    assert file.write([b"def"]) == 3
    with pytest.raises(OSError) as caught:
        fs.rename("d/x", "d/z")
    assert caught.value.errno == errno.ENOSPC
    assert fs.listdir("d") == ["x", "y"]


def test_operations_are_recorded(fs):
    operations = fs.record()
    file = written(fs, "d/x", b"abc", b"de", sync=True)
    file.pread(0, 4)
    file.truncate(2)
    fs.fsync_dir("d")
    assert operations == [
        ("open", "d/x", 0),
        ("write", "d/x", 5),
        ("fsync", "d/x", 5),
        ("pread", "d/x", 4),
        ("truncate", "d/x", 2),
        ("fsync_dir", "d", 0),
    ]
