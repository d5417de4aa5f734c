"""What an audit reads of a segment file, also of one that is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.spark.audit.audit_scan import (
    ABORT_MARKER,
    NO_BATCHES,
    NO_MARKER,
    Batches,
    Scan,
    Unreadable,
    find_batch,
)
from tests.spark.audit.sound_log import SoundLog
from tests.spark.log.segment_files import write_segment


def scanned(path: Path, *, is_last: bool = False, chunk_bytes: int = 1 << 20) -> tuple[Batches, list[Unreadable], Scan]:
    scan, damage, found = Scan(str(path), is_last=is_last, chunk_bytes=chunk_bytes), list[Unreadable](), NO_BATCHES
    for batches in scan.batches(damage.append):
        found = found.then(batches)
    return found, damage, scan


@pytest.mark.parametrize("chunk_bytes", [100, 1000, 1 << 20])
def test_each_batch_comes_once_whatever_the_chunks_are(chunk_bytes: int, tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "data")
    found, damage, scan = scanned(log.file(0), chunk_bytes=chunk_bytes)
    assert found.base.tolist() == [log.offsets(0, number)[0] for number in range(len(log.segments[0]))]
    assert found.position.tolist() == [log.position(0, number) for number in range(len(log.segments[0]))]
    assert found.is_sound.all()
    assert set(found.marker.tolist()) == {NO_MARKER, ABORT_MARKER, ABORT_MARKER + 1}
    assert (damage, scan.end_position) == ([], log.file(0).stat().st_size)


def test_what_a_broker_is_writing_is_no_damage(tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "data")
    whole = bytes(log.segments[0][0])
    for torn in (whole[:30], whole[:-1], bytes(500)):
        path = write_segment(tmp_path / "torn", [whole, torn])
        found, damage, scan = scanned(path, is_last=True)
        assert (found.base.tolist(), damage, scan.torn_bytes) == ([0], [], len(torn))
        assert [each.size_bytes for each in scanned(path)[1]] == [len(torn)]


def test_the_next_batch_behind_damage_is_found(tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "data")
    batches = log.segments[0][:3]
    path = write_segment(tmp_path / "torn", [batches[0], b"x" * 1000, batches[1]])
    size = len(batches[0])
    assert find_batch(str(path), size, path.stat().st_size) == size + 1000
    assert find_batch(str(path), size + 1000, path.stat().st_size) is None
    found, damage, _ = scanned(path)
    assert found.base.tolist() == [0, 10]
    assert [(each.position, each.size_bytes) for each in damage] == [(size, 1000)]
