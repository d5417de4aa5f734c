"""Fixture files: snapshots of a lone broker that was never started."""

from __future__ import annotations

import os
import time
from pathlib import Path

from kafkacompat.control_api import snapshots

NODE_ID = 1


def pack(root: str, out: str, cluster_id: str) -> None:
    """Make a compressed snapshot of the directory of a lone node. An existing file is replaced at the end. Raises
    OSError.
    """
    beside = f"{out}.{os.getpid()}.tmp"
    tar = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        members = snapshots.write_directory(tar, NODE_ID, root)
        snapshots.finish(tar, members, snapshots.describe_lone(NODE_ID, cluster_id, time.time_ns() // 1_000_000))
        snapshots.compress(tar, beside)
        Path(beside).replace(out)
    finally:
        os.close(tar)
        Path(beside).unlink(missing_ok=True)
