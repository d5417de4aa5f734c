"""All files together take no more than the limit, however they come and go."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from kafkacompat.server.limited_fs import RESERVE_BYTES, LimitedFs

LIMIT_BYTES = 1000


def on_disk(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def test_what_is_written_cut_replaced_and_removed_is_counted(tmp_path: Path) -> None:
    fs, top = LimitedFs(LIMIT_BYTES, "max_bytes"), str(tmp_path)
    fs.mkdir(f"{top}/orders-0")
    file = fs.open(f"{top}/orders-0/a.log", append=True)
    assert file.write([bytes(300), bytes(300)]) == 600
    file.truncate(500)
    fs.write_atomic(f"{top}/checkpoint", bytes(100), sync=False)
    fs.write_atomic(f"{top}/checkpoint", bytes(50), sync=False)
    fs.allocate(f"{top}/reserve", 200)
    fs.write_atomic(f"{top}/other", bytes(30), sync=False)
    fs.rename(f"{top}/other", f"{top}/checkpoint")
    assert fs.used_bytes == on_disk(tmp_path) == 730
    assert fs.disk_usage(top) == (LIMIT_BYTES, 270)
    with pytest.raises(OSError, match="max_bytes=1000 is used up: raise it") as full:
        file.write([bytes(271)])
    assert full.value.errno == errno.ENOSPC
    with pytest.raises(OSError, match="used up"):
        fs.allocate(f"{top}/more", 271)
    assert fs.used_bytes == on_disk(tmp_path) == 730
    assert LimitedFs(LIMIT_BYTES, "max_bytes", [top]).used_bytes == 730
    fs.remove(f"{top}/reserve")
    assert file.write([bytes(271)]) == 271
    file.close()
    fs.rmtree(f"{top}/orders-0")
    assert fs.used_bytes == on_disk(tmp_path) == 30


def test_the_metadata_log_and_checkpoints_go_on_when_it_is_full(tmp_path: Path) -> None:
    fs, top = LimitedFs(LIMIT_BYTES, "max_bytes"), str(tmp_path)
    fs.allocate(f"{top}/all", LIMIT_BYTES)
    fs.mkdir(f"{top}/__cluster_metadata-0")
    log = fs.open(f"{top}/__cluster_metadata-0/0.log", append=True)
    log.write([bytes(RESERVE_BYTES - 100)])
    fs.write_atomic(f"{top}/checkpoint", bytes(100), sync=False)
    with pytest.raises(OSError, match="used up"):
        log.write([b"1"])
    log.close()
