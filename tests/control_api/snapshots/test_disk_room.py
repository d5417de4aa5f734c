"""A disk is asked for room before something is written, for all directories on it together."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kafkacompat.control_api.snapshots import disk_room
from kafkacompat.control_api.snapshots.disk_room import NoRoomError, check_room


def test_what_is_needed_on_a_disk_is_added_up_and_some_stays_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = os.statvfs(tmp_path)
    free_bytes = disk.f_bavail * disk.f_frsize
    here, to_come = str(tmp_path), str(tmp_path / "not" / "yet")
    check_room({here: 1000, to_come: 1000})
    two_thirds = free_bytes * 2 // 3
    check_room({here: two_thirds - disk_room.FREE_BYTES_MIN})
    with pytest.raises(NoRoomError, match=r"MiB free, the snapshot needs \d+, and 64 have to stay free: delete"):
        check_room({here: two_thirds, to_come: two_thirds})
    monkeypatch.setattr(disk_room, "FREE_BYTES_MIN", free_bytes * 2)
    with pytest.raises(NoRoomError):
        check_room({here: 0})
