"""`HeldFs` behaves as the real file system does, and makes only what somebody needs."""

import errno
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.server.disk_faults import DiskFaults, set_faults
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.held_fs import HELD_BYTES_MAX, HeldFs, forget_held, write_held

DIRECTORIES = ("t-0", "t-1", "t-0.1234-delete", "other")
FILES = ("partition.metadata", "0.log", "checkpoint")


def tree(top: Path) -> dict[str, bytes | None]:
    """All that a directory contains."""
    return {
        str(path.relative_to(top)): path.read_bytes() if path.is_file() else None for path in sorted(top.rglob("*"))
    }


def held(tmp_path: Path) -> HeldFs:
    fs = HeldFs()
    fs.mkdir(f"{tmp_path}/t-0")
    fs.write_atomic(f"{tmp_path}/t-0/partition.metadata", b"topic", sync=False)
    fs.write_atomic(f"{tmp_path}/meta.properties", b"node", sync=True)
    return fs


def test_a_partition_that_nobody_writes_to_makes_nothing_on_the_disk(tmp_path: Path) -> None:
    fs = held(tmp_path)
    assert tree(tmp_path) == {}
    assert fs.listdir(str(tmp_path)) == ["meta.properties", "t-0"]
    assert fs.read_bytes(f"{tmp_path}/t-0/partition.metadata") == b"topic"


def test_the_first_record_makes_its_directory(tmp_path: Path) -> None:
    fs = held(tmp_path)
    file = fs.open(f"{tmp_path}/t-0/0.log", append=True)
    file.write([b"record"])
    file.close()
    assert tree(tmp_path) == {"t-0": None, "t-0/0.log": b"record"}
    assert fs.listdir(f"{tmp_path}/t-0") == ["0.log", "partition.metadata"]


@pytest.mark.parametrize("from_now_on", [False, True])
def test_who_reads_by_other_means_finds_all(tmp_path: Path, from_now_on: bool) -> None:
    fs = held(tmp_path)
    write_held(fs, from_now_on=from_now_on)
    everything = {"meta.properties": b"node", "t-0": None, "t-0/partition.metadata": b"topic"}
    assert tree(tmp_path) == everything
    fs.mkdir(f"{tmp_path}/t-1")
    assert tree(tmp_path) == (everything | {"t-1": None} if from_now_on else everything)


def test_what_was_held_in_a_directory_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    fs = held(tmp_path)
    forget_held(fs)
    assert fs.listdir(str(tmp_path)) == []
    assert not fs.exists(f"{tmp_path}/t-0")


def test_a_large_file_is_written_at_once(tmp_path: Path) -> None:
    fs = HeldFs()
    fs.write_atomic(f"{tmp_path}/held", bytes(HELD_BYTES_MAX), sync=False)
    fs.write_atomic(f"{tmp_path}/large", bytes(HELD_BYTES_MAX + 1), sync=False)
    assert list(tree(tmp_path)) == ["large"]
    fs.write_atomic(f"{tmp_path}/held", bytes(HELD_BYTES_MAX + 2), sync=False)
    assert fs.size(f"{tmp_path}/held") == HELD_BYTES_MAX + 2


def test_a_disk_with_faults_shows_them(tmp_path: Path) -> None:
    fs = HeldFs()
    set_faults(fs, DiskFaults(error_number=errno.EIO))
    for fails in (lambda: fs.mkdir(f"{tmp_path}/t-0"), lambda: fs.write_atomic(f"{tmp_path}/a", b"", sync=False)):
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            fails()
    set_faults(fs, None)
    fs.mkdir(f"{tmp_path}/t-0")
    assert tree(tmp_path) == {}


def test_what_cannot_be_made_stays_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = held(tmp_path)

    def fails(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(RealFs, "write_atomic", fails)
        with pytest.raises(OSError, match="No space left"):
            write_held(fs)
    write_held(fs)
    assert (tmp_path / "t-0/partition.metadata").read_bytes() == b"topic"


@pytest.mark.parametrize("seed", range(40))
def test_it_answers_as_the_real_file_system(tmp_path: Path, seed: int) -> None:
    """The same random calls on both have the same results, and in the end the same is on the disk."""
    tops = tmp_path / "real", tmp_path / "held"
    for top in tops:
        top.mkdir()
    both = (RealFs(temporary=True), str(tops[0])), (HeldFs(), str(tops[1]))
    rng = random.Random(seed)
    for _ in range(300):
        call = random_call(rng)
        real, ours = (outcome(call, fs, top) for fs, top in both)
        assert real == ours, call
    write_held(both[1][0])
    assert tree(tops[0]) == tree(tops[1])


def random_call(rng: random.Random) -> Callable[[RealFs, str], object]:
    """One call of an `Fs`, for a directory with it."""
    directory, file, data = rng.choice(DIRECTORIES), rng.choice(FILES), rng.randbytes(rng.choice((0, 3, 5000)))
    path, to = f"/{directory}/{file}", f"/{directory}/{rng.choice(FILES)}"
    other = rng.choice(DIRECTORIES)

    def append(fs: RealFs, top: str) -> int:
        with_file = fs.open(top + path, append=True)
        try:
            with_file.write([data])
            return with_file.size()
        finally:
            with_file.close()

    def read(fs: RealFs, top: str) -> tuple[int, bytes]:
        with_file = fs.open(top + path)
        try:
            return with_file.size(), with_file.pread(1, 4)
        finally:
            with_file.close()

    def write(fs: RealFs, top: str) -> None:
        if fs.is_dir(f"{top}/{directory}"):  # nobody writes into a directory that is not there
            fs.write_atomic(top + path, data, sync=False)

    def move(fs: RealFs, top: str) -> None:
        if fs.is_dir(f"{top}/{directory}") and not fs.exists(f"{top}/{other}"):
            fs.rename(f"{top}/{directory}", f"{top}/{other}")

    calls: list[Callable[[RealFs, str], object]] = [
        lambda fs, top: fs.mkdir(f"{top}/{directory}"), write, append, read, move,
        lambda fs, top: fs.listdir(top), lambda fs, top: fs.listdir(f"{top}/{directory}"),
        lambda fs, top: fs.exists(top + path), lambda fs, top: fs.is_dir(f"{top}/{directory}"),
        lambda fs, top: fs.size(top + path), lambda fs, top: fs.read_bytes(top + path),
        lambda fs, top: fs.rename(top + path, top + to), lambda fs, top: fs.remove(top + path),
        lambda fs, top: fs.rmtree(f"{top}/{directory}"), lambda fs, top: fs.exists(f"{top}/{directory}"),
        lambda fs, top: fs.allocate(top + path, len(data)),
    ]  # fmt: skip
    return rng.choice(calls)


def outcome(call: Callable[[RealFs, str], object], fs: RealFs, top: str) -> object:
    """The result of a call, or the kind of its error."""
    try:
        return call(fs, top)
    except OSError as error:
        return error.errno
