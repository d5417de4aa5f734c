"""Faults in files are found, with their place and what recovery would do; nothing is written, whatever is wrong."""

from __future__ import annotations

import logging
import random
import shutil
import tarfile
from pathlib import Path

import pytest

from kafkacompat.protocol.records.batch import BATCH_OVERHEAD
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.tools import verify as verifying
from kafkacompat.storage.tools.verify import OFFSET_FILES, Fault, verify
from tests.server.test_read_only import hashes
from tests.storage.support import left_open

RELEASES = Path(__file__).parents[2] / "golden" / "directories"
FLIPS = 40
"""Changed bytes of each kind of file."""


@pytest.fixture(scope="module", params=["stopped", "killed"])
def sound(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    with tarfile.open(RELEASES / "0.5.0" / f"{request.param}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return next(path.parent for path in folder.rglob("meta.properties"))


@pytest.fixture
def directory(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "data"))


def faults(directory: Path) -> list[Fault]:
    logging.getLogger("kafkacompat.storage").setLevel(logging.CRITICAL)
    try:
        return list(verify(RealFs(), str(directory)))
    finally:
        logging.getLogger("kafkacompat.storage").setLevel(logging.NOTSET)


def largest(directory: Path, suffix: str) -> Path:
    return max(directory.rglob(f"*{suffix}"), key=lambda path: (path.stat().st_size, str(path)))


def change(path: Path, position: int, mask: int = 0xFF) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= mask
    path.write_bytes(data)


def test_a_sound_directory_has_no_faults_and_is_not_touched(directory: Path) -> None:
    before = hashes(directory)
    assert faults(directory) == []
    assert hashes(directory) == before
    assert left_open(directory) == []
    partition = largest(directory, ".log").parent
    assert list(verify(RealFs(), str(partition))) == []


def test_a_batch_that_is_damaged_is_named_with_its_place(directory: Path) -> None:
    segment = largest(directory, ".log")
    change(segment, BATCH_OVERHEAD + 1)
    before = hashes(directory)
    found = [fault for fault in faults(directory) if fault.path == str(segment)]
    assert [(fault.position, fault.what) for fault in found] == [(0, "wrong checksum")]
    assert "removed" in found[0].recovery
    assert str(found[0]).startswith(f"{segment}, byte 0: wrong checksum. Recovery: ")
    assert found[0].as_dict()["path"] == str(segment)
    assert hashes(directory) == before


@pytest.mark.parametrize("file", ["meta.properties", *OFFSET_FILES, "leader-epoch-checkpoint", "partition.metadata"])
def test_small_files_that_are_damaged_are_named(directory: Path, file: str) -> None:
    path = next(directory.rglob(file), directory / file)
    path.write_bytes(b"version=9\nnode.id=x\n")
    found = [fault for fault in faults(directory) if fault.path == str(path)]
    assert len(found) == 1
    assert found[0].recovery


def test_indexes_are_compared_with_the_batches(directory: Path) -> None:
    segment = largest(directory, ".log")
    index, times = segment.with_suffix(".index"), segment.with_suffix(".timeindex")
    index.write_bytes((1).to_bytes(4, "big") + (77).to_bytes(4, "big") + (1 << 30).to_bytes(4, "big") * 2)
    times.write_bytes(((7).to_bytes(8, "big") + (5).to_bytes(4, "big")) * 2)
    found = [fault for fault in faults(directory) if fault.path in (str(index), str(times))]
    assert {fault.path for fault in found} == {str(index), str(times)}
    assert {8} <= {fault.position for fault in found if fault.path == str(index)}
    assert any("not above" in fault.what for fault in found)
    assert any("behind the end" in fault.what for fault in found)


def test_a_damaged_snapshot_of_the_metadata_is_named_with_the_place_of_its_batch(directory: Path) -> None:
    snapshot = directory / "__cluster_metadata-0" / "00000000000000000009-0000000001.checkpoint"
    batches = [build_batch([Record(base, 50, None, b"value")], base_offset=base) for base in range(3)]
    whole = b"".join(batches)
    snapshot.write_bytes(whole)
    assert faults(directory) == []
    second = len(batches[0])
    change(snapshot, second + BATCH_OVERHEAD + 1)
    assert [(each.path, each.position, each.what) for each in faults(directory)] == [
        (str(snapshot), second, "wrong checksum")
    ]
    third = 2 * second
    for spoiled, position in ((whole[:-1], third), (whole[:third] + b"x" * 100, third)):
        snapshot.write_bytes(spoiled)
        assert [(each.path, each.position) for each in faults(directory)] == [(str(snapshot), position)]
        assert "refused" in faults(directory)[0].recovery
    assert left_open(directory) == []


@pytest.mark.parametrize(
    "suffix", [".log", ".index", ".timeindex", ".txnindex", ".snapshot", "checkpoint", ".checkpoint", ".metadata"]
)
def test_no_byte_makes_it_fail(directory: Path, suffix: str) -> None:
    path = next(iter(directory.rglob(f"*{suffix}")), None)
    if path is None:
        path = largest(directory, ".log").with_suffix(suffix)
        path.write_bytes(b"\0" * 34)
    path = largest(directory, suffix)
    whole = path.read_bytes()
    partition = path.parent
    rng = random.Random(suffix)
    for _ in range(FLIPS if whole else 0):
        change(path, rng.randrange(len(whole)), 1 << rng.randrange(8))
        assert all(isinstance(fault, Fault) for fault in verify(RealFs(), str(partition)))
        path.write_bytes(whole)


def test_another_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no data directory"):
        list(verify(RealFs(), str(tmp_path)))
    assert verifying.CLEANER_FILE in OFFSET_FILES


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
def test_an_index_with_a_part_of_an_entry_is_a_fault(directory: Path, suffix: str) -> None:
    path = largest(directory, ".log").with_suffix(suffix)
    path.write_bytes(bytes(7) + b"\1" + b"\0\0\1")
    found = [fault for fault in faults(directory) if fault.path == str(path)]
    assert found
    assert "are not a multiple of" in found[0].what
    assert found[0].recovery.startswith("rebuilt")
