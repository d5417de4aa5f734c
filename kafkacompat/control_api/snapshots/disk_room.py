"""Whether a disk has room for a snapshot. Brokers write to the same one, so some of it stays free."""

from __future__ import annotations

import os

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FREE_BYTES_MIN = 64 << 20
"""So much of a disk stays free."""


class NoRoomError(KafkaCompatError):
    """The disk has no room (HTTP 507)."""


def check_room(sizes: Mapping[str, int]) -> None:
    """Raises NoRoomError if disks have no room for so many bytes, by directory, which may not be there yet; OSError."""
    needed: dict[int, int] = {}
    place: dict[int, str] = {}
    for each, size_bytes in sizes.items():
        directory = each
        while not os.path.exists(directory):  # noqa: PTH110 (a path is a str here)
            directory = os.path.dirname(directory)  # noqa: PTH120 (as above)
        disk_id = os.stat(directory).st_dev  # noqa: PTH116 (as above)
        needed[disk_id] = needed.get(disk_id, 0) + size_bytes
        place.setdefault(disk_id, directory)
    for disk_id, size_bytes in needed.items():
        disk = os.statvfs(place[disk_id])
        free_bytes = disk.f_bavail * disk.f_frsize
        if free_bytes < size_bytes + FREE_BYTES_MIN:
            raise NoRoomError(
                f"the disk of {place[disk_id]} has {free_bytes >> 20} MiB free, the snapshot needs {size_bytes >> 20}, "
                f"and {FREE_BYTES_MIN >> 20} have to stay free: delete snapshots that are kept, or start the broker "
                "with its data, or TMPDIR, on a larger disk"
            )
