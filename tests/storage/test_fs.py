"""All file systems behave alike: the real one, the real one without optional system calls, and memory."""

import os
from pathlib import Path

import pytest

from kafkacompat.storage import fs as module
from kafkacompat.storage.fs import READ_BYTES, PortableFile, RealFile, RealFs
from kafkacompat.storage.memfs import MemFs

MISSING_ELSEWHERE = ("pread", "writev", "O_DIRECTORY", "fdatasync")


@pytest.fixture(params=["real", "temporary", "portable", "memory"])
def fs(request, monkeypatch):
    if request.param == "portable":
        for name in MISSING_ELSEWHERE:
            monkeypatch.delattr(os, name, raising=False)
    if request.param == "memory":
        return MemFs()
    return RealFs(temporary=request.param == "temporary")


@pytest.fixture
def root(fs, tmp_path):
    fs.mkdir(f"{tmp_path}/a/b")
    return f"{tmp_path}/a/b"


def test_append_and_read(fs, root):
    file = fs.open(f"{root}/x", append=True)
    assert file.write([b"one", bytearray(b"two"), memoryview(b"_three")[1:]]) == 11
    assert file.write([]) == 0
    assert file.write([b"!"]) == 1
    assert file.pread(3, 3) == b"two"
    assert file.write([b"?"]) == 1, "reading does not move where writing goes"
    assert file.pread(0, 100) == b"onetwothree!?"
    assert file.pread(100, 5) == b""
    assert file.size() == fs.size(f"{root}/x") == 13
    file.fsync()
    file.close()
    file.close()
    again = fs.open(f"{root}/x", append=True)
    again.write([b"+"])
    again.close()
    assert fs.read_bytes(f"{root}/x") == b"onetwothree!?+"


def test_more_parts_than_one_call_takes(fs, root):
    parts = [b"%d," % i for i in range(3000)]
    file = fs.open(f"{root}/x", append=True)
    assert file.write(parts) == sum(map(len, parts))
    file.close()
    assert fs.read_bytes(f"{root}/x") == b"".join(parts)


def test_truncate_and_write_on(fs, root):
    file = fs.open(f"{root}/x", append=True)
    file.write([b"0123456789"])
    file.truncate(4)
    assert file.size() == 4
    file.write([b"abc"])
    file.truncate(9)
    assert file.pread(0, 20) == b"0123abc\0\0"
    file.close()


def test_open_for_reading(fs, root):
    with pytest.raises(FileNotFoundError):
        fs.open(f"{root}/x")
    fs.write_atomic(f"{root}/x", b"abc", sync=False)
    file = fs.open(f"{root}/x")
    assert file.pread(1, 1) == b"b"
    with pytest.raises(OSError):
        file.write([b"x"])
    file.close()
    with pytest.raises(OSError):
        file.pread(0, 1)


def test_reading_on_after_a_file_is_gone(fs, root):
    fs.write_atomic(f"{root}/x", b"abc", sync=False)
    file = fs.open(f"{root}/x")
    fs.remove(f"{root}/x")
    assert file.pread(0, 3) == b"abc"
    file.close()


def test_names(fs, root):
    for name in ("c", "a", "b"):
        fs.open(f"{root}/{name}", append=True).close()
    fs.mkdir(f"{root}/d")
    fs.mkdir(f"{root}/d")
    fs.fsync_dir(root)
    assert fs.listdir(root) == ["a", "b", "c", "d"]
    assert fs.is_dir(f"{root}/d")
    assert not fs.is_dir(f"{root}/a")
    assert not fs.is_dir(f"{root}/z")
    fs.remove(f"{root}/a")
    fs.rename(f"{root}/b", f"{root}/c")
    fs.rename(f"{root}/d", f"{root}/e")
    assert fs.listdir(root) == ["c", "e"]
    assert fs.exists(f"{root}/c")
    assert not fs.exists(f"{root}/b")


def test_rmtree(fs, root):
    fs.mkdir(f"{root}/t/deep")
    fs.write_atomic(f"{root}/t/deep/x", b"1", sync=False)
    fs.write_atomic(f"{root}/t/y", b"2", sync=False)
    fs.rmtree(f"{root}/t")
    assert fs.listdir(root) == []
    with pytest.raises(FileNotFoundError):
        fs.rmtree(f"{root}/t")


@pytest.mark.parametrize("sync", [True, False])
def test_write_atomic(fs, root, sync):
    fs.write_atomic(f"{root}/x", b"a long first version", sync=sync)
    fs.write_atomic(f"{root}/x", b"second", sync=sync)
    assert fs.read_bytes(f"{root}/x") == b"second"
    assert fs.listdir(root) == ["x"]


def test_missing_things(fs, root):
    for call in (
        lambda: fs.read_bytes(f"{root}/no"),
        lambda: fs.remove(f"{root}/no"),
        lambda: fs.size(f"{root}/no"),
        lambda: fs.listdir(f"{root}/no"),
        lambda: fs.rename(f"{root}/no", f"{root}/x"),
        lambda: fs.open(f"{root}/no/x", append=True),
    ):
        with pytest.raises(FileNotFoundError):
            call()


def test_lock(fs, root):
    held = fs.lock(f"{root}/.lock")
    with pytest.raises(BlockingIOError):
        fs.lock(f"{root}/.lock")
    held.close()
    fs.lock(f"{root}/.lock").close()
    assert fs.read_bytes(f"{root}/.lock") == b""


def test_disk_usage(fs, root):
    total, usable = fs.disk_usage(root)
    assert total == usable == -1 or total >= usable > 0


def test_short_writes_are_continued(tmp_path, monkeypatch):
    real_writev, real_write = os.writev, os.write
    monkeypatch.setattr(os, "writev", lambda fd, parts: real_write(fd, b"".join(parts)[:7]))
    parts = [b"abc", b"", b"defghij", b"k", b"l" * 30]
    file = RealFs().open(f"{tmp_path}/x", append=True)
    assert file.write(parts) == 41
    file.close()
    assert (tmp_path / "x").read_bytes() == b"".join(parts)
    monkeypatch.setattr(os, "write", lambda fd, data: real_writev(fd, [bytes(data[:5])]))
    monkeypatch.delattr(os, "writev")
    file = RealFs().open(f"{tmp_path}/y", append=True)
    assert isinstance(file, PortableFile)
    assert file.write(parts) == 41
    file.close()
    assert (tmp_path / "y").read_bytes() == b"".join(parts)


def test_temporary_data_is_never_synced(tmp_path, monkeypatch):
    synced = []
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, synced.append)
    for temporary in (True, False):
        fs = RealFs(temporary=temporary)
        file = fs.open(f"{tmp_path}/x", append=True)
        file.fsync()
        file.close()
        fs.fsync_dir(f"{tmp_path}")
        fs.write_atomic(f"{tmp_path}/y", b"", sync=True)
        assert len(synced) == (0 if temporary else 4)


def test_lock_keeps_apache_kafka_out(tmp_path):
    """Kafka takes a POSIX lock, which only another process can be refused."""
    import subprocess
    import sys

    held = RealFs().lock(f"{tmp_path}/.lock")
    assert isinstance(held, RealFile)
    code = (
        "import fcntl, sys\n"
        "try: fcntl.lockf(open(sys.argv[1], 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "except OSError: print('refused')\n"
    )
    arguments = [sys.executable, "-c", code, f"{tmp_path}/.lock"]
    assert subprocess.run(arguments, capture_output=True, text=True).stdout == "refused\n"
    held.close()
    assert subprocess.run(arguments, capture_output=True, text=True).stdout == ""


def test_a_posix_lock_of_another_process_is_seen(tmp_path, monkeypatch):
    import fcntl

    def refuse(fd, how):
        raise PermissionError(13, "locked")

    monkeypatch.setattr(fcntl, "lockf", refuse)
    with pytest.raises(BlockingIOError):
        RealFs().lock(f"{tmp_path}/.lock")


def test_systems_without_either_lock_have_none(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    RealFs().lock(f"{tmp_path}/.lock").close()


def test_lock_on_windows(tmp_path, monkeypatch):
    import sys
    from types import SimpleNamespace

    def locking(fd, mode, size):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    with pytest.raises(BlockingIOError):
        RealFs().lock(f"{tmp_path}/.lock")


def test_drop():
    assert [bytes(p) for p in module._drop([b"ab", b"cd"], 0)] == [b"ab", b"cd"]
    assert [bytes(p) for p in module._drop([b"ab", b"cd"], 2)] == [b"cd"]
    assert [bytes(p) for p in module._drop([b"ab", b"", b"cd"], 3)] == [b"d"]
    assert module._drop([b"ab", b"cd"], 4) == []


def test_new_files_of_data_that_end_with_the_process_are_written_in_place_and_others_by_a_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed: list[str] = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda one, other: (renamed.append(Path(other).name), replace(one, other)))
    fs = RealFs(temporary=True, ends_with_process=True)
    for content in (b"first", b"", b"x" * 100_000):
        fs.write_atomic(f"{tmp_path}/file", content, sync=True)
        assert fs.read_bytes(f"{tmp_path}/file") == content
    assert renamed == ["file", "file"]
    RealFs(temporary=True).write_atomic(f"{tmp_path}/other", b"1", sync=False)
    assert renamed == ["file", "file", "other"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "other"]


def test_a_new_file_that_cannot_be_written_in_place_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_fd: int, _data: object) -> int:
        raise OSError(28, "No space left on device")

    fs = RealFs(temporary=True, ends_with_process=True)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fails)
        with pytest.raises(OSError, match="No space left"):
            fs.write_atomic(f"{tmp_path}/file", b"1", sync=False)
    assert list(tmp_path.iterdir()) == []


def test_files_without_a_size_are_read_to_their_end() -> None:
    path = "/proc/self/maps"
    if not Path(path).exists():
        pytest.skip("this system has no /proc")
    assert len(RealFs().read_bytes(path)) > READ_BYTES


def test_a_directory_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1")
    fs = RealFs()
    fs.mkdir(f"{tmp_path}/a/b/c")
    fs.mkdir(f"{tmp_path}/a/b/c")
    assert (tmp_path / "a/b/c").is_dir()
    with pytest.raises(FileExistsError):
        fs.mkdir(f"{tmp_path}/file")
