"""`kafkacompat log verify` on the directory of a broker: no fault in what it left, and one for each changed byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, split

TIMEOUT_S = 120
BATCHES = (".log", ".checkpoint")


def check(directory: Path, rng: Random, partitions: int) -> None:
    """The directory has no fault. Then one file after the other, of so many partitions and the metadata,
    has a changed byte. Every file is as it was at the end.
    """
    assert verified(directory) == (0, [])
    found = sorted({path.parent for path in directory.glob("*-*/*.log") if path.stat().st_size})
    (metadata,) = (path for path in found if path.name.startswith("__cluster_metadata-"))
    for folder in [metadata, *rng.sample([path for path in found if path != metadata], partitions)]:
        for path, changed, position in _changes(folder, rng):
            whole = path.read_bytes()
            path.write_bytes(changed)
            status, faults = verified(folder)
            path.write_bytes(whole)
            found_at = [(each["path"], each["position"]) for each in faults]
            assert (status, found_at) == (1, [(str(path), position)]), faults
            assert all(each["what"] and each["recovery"] for each in faults)
    assert verified(directory) == (0, [])


def _changes(folder: Path, rng: Random) -> Iterator[tuple[Path, bytes, int]]:
    """File, its bytes with one changed, and where the fault is: in a batch at the batch, else in the whole file."""
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        if path.suffix in BATCHES and whole:
            at, header = rng.choice([each for each in split(whole) if each[1].size_bytes > BATCH_OVERHEAD])
            in_records = at + rng.randrange(BATCH_OVERHEAD, header.size_bytes)  # indexes are compared with headers
            yield path, _changed(whole, in_records, rng), at
        elif path.suffix == ".snapshot":
            yield path, _changed(whole, rng.randrange(len(whole)), rng), 0
        elif path.name == "leader-epoch-checkpoint":
            yield path, _changed(whole, 0, rng), 0  # its version


def _changed(whole: bytes, position: int, rng: Random) -> bytes:
    data = bytearray(whole)
    data[position] ^= 1 << rng.randrange(8)
    return bytes(data)


def verified(directory: Path) -> tuple[int, list[dict[str, object]]]:
    """Exit status and faults."""
    command = [sys.executable, "-m", "kafkacompat", "log", "verify", "--json", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]
