"""A file system whose disk is slow, full or broken."""

from __future__ import annotations

import errno
import threading
import time
from pathlib import Path

import pytest

from kafkacompat.server.disk_faults import DiskFaults, set_faults
from kafkacompat.storage.fs import RealFs


def test_open_files_and_new_ones_have_the_faults_of_their_file_system_alone(tmp_path: Path) -> None:
    fs, other = RealFs(), RealFs()
    with_faults, without = fs.open(f"{tmp_path}/a", append=True), other.open(f"{tmp_path}/b", append=True)
    set_faults(fs, DiskFaults(error_number=errno.EIO))
    for action in (
        lambda: with_faults.write([b"x"]), with_faults.fsync,
        lambda: fs.open(f"{tmp_path}/c", append=True).write([b"x"]),
        lambda: fs.write_atomic(f"{tmp_path}/d", b"x", sync=True), lambda: fs.fsync_dir(str(tmp_path)),
        lambda: fs.mkdir(f"{tmp_path}/e"), lambda: fs.allocate(f"{tmp_path}/f", 1),
        lambda: fs.rename(f"{tmp_path}/a", f"{tmp_path}/g"),
    ):  # fmt: skip
        with pytest.raises(OSError, match="Input/output"):
            action()
    assert without.write([b"x"]) == 1
    assert fs.read_bytes(f"{tmp_path}/a") == b"", "reads go on"
    set_faults(fs, None)
    assert with_faults.write([b"x"]) == 1
    fs.mkdir(f"{tmp_path}/e")
    for file in (with_faults, without):
        file.close()


def test_a_full_disk_counts_what_is_written_and_removed(tmp_path: Path) -> None:
    fs = RealFs()
    set_faults(fs, DiskFaults(free_bytes=10_000))
    fs.mkdir(f"{tmp_path}/d")
    fs.mkdir(f"{tmp_path}/d")
    file = fs.open(f"{tmp_path}/d/a", append=True)
    file.write([bytes(5000), bytes(904)])
    assert fs.disk_usage(str(tmp_path))[1] == 0
    with pytest.raises(OSError, match="No space") as raised:
        file.write([b"x"])
    assert raised.value.errno == errno.ENOSPC
    file.truncate(5000)
    fs.allocate(f"{tmp_path}/d/b", 900)
    with pytest.raises(OSError, match="No space"):
        fs.write_atomic(f"{tmp_path}/d/c", bytes(5), sync=False)
    fs.remove(f"{tmp_path}/d/b")
    fs.write_atomic(f"{tmp_path}/d/c", bytes(900), sync=False)
    file.close()
    fs.rmtree(f"{tmp_path}/d")
    assert fs.disk_usage(str(tmp_path))[1] == 5904


def test_only_other_threads_wait_for_a_slow_disk(tmp_path: Path) -> None:
    fs = RealFs()
    file = fs.open(f"{tmp_path}/a", append=True)
    set_faults(fs, DiskFaults(fsync_delay_ms=60_000))
    file.fsync()  # this thread made the faults, as the event loop does
    set_faults(fs, DiskFaults(fsync_delay_ms=200))
    began = time.monotonic()
    thread = threading.Thread(target=file.fsync)
    thread.start()
    thread.join()
    assert time.monotonic() - began >= 0.2
    file.close()
