"""Where a cluster with `storage="memory"` keeps its data: a directory of a tmpfs, with a limit for each node."""

from __future__ import annotations

import os

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MEMORY_DIRECTORY = "/dev/shm"  # noqa: S108 (a directory for each cluster is made in it, which only its user may enter)
"""Linux's file system in memory."""
STORAGES = ("disk", "memory")
MAX_BYTES_MIN = 16 << 20
"""A full node takes records again when half of this is free."""
MAX_BYTES_DEFAULT = 256 << 20


class Memory:
    """max_bytes: the limit of each node."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes

    def directory(self) -> str:
        """A new directory in memory. Raises KafkaCompatError if there is no room for one."""
        import tempfile

        try:
            return tempfile.mkdtemp(prefix="kafkacompat-", dir=MEMORY_DIRECTORY)
        except OSError as error:
            raise KafkaCompatError(
                f"storage='memory': {MEMORY_DIRECTORY} cannot be used ({error.strerror}): leave storage out"
            ) from None


def memory_of(storage: str, max_bytes: int | None, *, nodes: int, options: Mapping[str, Any]) -> Memory | None:
    """What the options `storage` and `max_bytes` of `Cluster` mean. None for storage on a disk.

    Raises KafkaCompatError if they do not fit, and for a system without a file system in memory.
    """
    if storage not in STORAGES:
        raise KafkaCompatError(f"storage={storage!r}: use {' or '.join(map(repr, STORAGES))}")
    if storage == "disk":
        if max_bytes is not None:
            raise KafkaCompatError("max_bytes limits storage='memory': give both, or neither")
        return None
    for name, why in (("data_dir", "data in memory end with the cluster"), ("processes", "each would have its own")):
        if options[name]:
            raise KafkaCompatError(f"storage='memory' and {name} exclude each other: {why}; leave one of them out")
    if not os.path.isdir(MEMORY_DIRECTORY):  # noqa: PTH112 (pathlib costs start-up time)
        raise KafkaCompatError(
            f"storage='memory' needs {MEMORY_DIRECTORY}, which Linux has: leave it out. Temporary data are never "
            "synced, so they are in memory mostly, and TMPDIR may name a RAM disk"
        )
    limit = MAX_BYTES_DEFAULT if max_bytes is None else max_bytes
    if not isinstance(limit, int) or limit < MAX_BYTES_MIN:
        raise KafkaCompatError(f"max_bytes={max_bytes}: give at least {MAX_BYTES_MIN} bytes")
    disk = os.statvfs(MEMORY_DIRECTORY)
    free = disk.f_bavail * disk.f_frsize
    if limit * nodes > free:
        raise KafkaCompatError(
            f"max_bytes={limit} for {nodes} node{'s' * (nodes > 1)} is more than the {free} bytes that are free in "
            f"{MEMORY_DIRECTORY}: give less, or more room to the container (docker run --shm-size)"
        )
    return Memory(limit)
