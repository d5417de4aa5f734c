"""`kafkacompat log verify` on the directory of a broker: no fault in what it left, and one where a byte was changed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from kafkacompat.protocol.records.batch import ATTRIBUTES_OFFSET, split
from kafkacompat.storage.partition_dir import parse_directory_name

TIMEOUT_S = 120
SEGMENT, INDEXES = ".log", (".index", ".timeindex", ".txnindex")
BATCHES = (SEGMENT, ".checkpoint")


def check(directory: Path, rng: Random, partitions: int) -> None:
    """The directory has no fault. Then one file after the other, of so many partitions and the metadata,
    has a changed byte. Every file is as it was at the end.
    """
    assert verified(directory) == (0, [])
    logs = [path for path in directory.glob("*-*/*.log") if path.stat().st_size]
    found = sorted({path.parent for path in logs if parse_directory_name(path.parent.name)})  # without deleted ones
    (metadata,) = (path for path in found if path.name.startswith("__cluster_metadata-"))
    for folder in [metadata, *rng.sample([path for path in found if path != metadata], partitions)]:
        for path, changed, position in _changes(folder, rng):
            whole = path.read_bytes()
            path.write_bytes(changed)
            status, faults = verified(folder)
            path.write_bytes(whole)
            assert status == 1
            places = [(Path(str(each["path"])), each["position"]) for each in faults]
            assert (path, position) in places, faults
            assert all(place[0] == path or _follows(place[0], path) for place in places), (path, position, faults)
            assert len(set(places)) == len(places), faults
            assert all(each["what"] and each["recovery"] for each in faults)
    assert verified(directory) == (0, [])


def _changes(folder: Path, rng: Random) -> Iterator[tuple[Path, bytes, int]]:
    """File, its bytes with one changed, and where the fault is: in a batch at the batch, else in the whole file."""
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        if path.suffix in BATCHES and whole:
            at, header = rng.choice(split(whole))
            yield path, _changed(whole, at + rng.randrange(ATTRIBUTES_OFFSET, header.size_bytes), rng), at
        elif path.suffix == ".snapshot":
            yield path, _changed(whole, rng.randrange(len(whole)), rng), 0
        elif path.name == "leader-epoch-checkpoint":
            yield path, _changed(whole, 0, rng), 0  # its version


def _follows(other: Path, damaged: Path) -> bool:
    """Whether the fault of a segment may be one of the other file, too: its index, whose entries are checked against
    what the batches say, or a later segment, since recovery ends the log where the first damaged batch is.
    """
    if damaged.suffix != SEGMENT or other.parent != damaged.parent:
        return False
    return (other.stem == damaged.stem and other.suffix in INDEXES) or (
        other.suffix in (SEGMENT, *INDEXES) and other.stem > damaged.stem
    )


def _changed(whole: bytes, position: int, rng: Random) -> bytes:
    data = bytearray(whole)
    data[position] ^= 1 << rng.randrange(8)
    return bytes(data)


def verified(directory: Path) -> tuple[int, list[dict[str, object]]]:
    """Exit status and faults."""
    command = [sys.executable, "-m", "kafkacompat", "log", "verify", "--json", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]
