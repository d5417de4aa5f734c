"""Makes the disk of a node slow, full or broken."""

from __future__ import annotations

import errno

from kafkacompat.errors import KafkaCompatError
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.held_fs import write_held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer


def disk(
    server: BrokerServer,
    *,
    directory: str | None = None,
    fsync_delay_ms: float | None = None,
    free_bytes: int | None = None,
    error: str | None = None,
) -> None:
    """Set the faults of a node's disk in place of earlier ones; without any the disk is sound again.

    directory: that of the node's data directories whose disk it is; None for all of them. fsync_delay_ms: each fsync
    takes so much longer; needs data that is synced. free_bytes: so many bytes can still be written. error: a name of
    `errno`, such as "EIO", with which every write and fsync fails. Raises KafkaCompatError.
    """
    disks = _disks(server, directory)
    if fsync_delay_ms is None and free_bytes is None and error is None:
        for files in disks:
            if files.faults is not None:
                from kafkacompat.server.disk_faults import set_faults

                set_faults(files, None)
        return
    if fsync_delay_ms is not None and server.files.is_temporary:
        raise KafkaCompatError(
            f"fsync_delay_ms needs a cluster with data_dir=: the data of node {server.broker.node_id} is never synced"
        )
    for name, value in (("fsync_delay_ms", fsync_delay_ms), ("free_bytes", free_bytes)):
        if value is not None and value < 0:
            raise KafkaCompatError(f"{name}={value}: give at least 0")
    number = None if error is None else getattr(errno, error, None)
    if error is not None and not isinstance(number, int):
        raise KafkaCompatError(f"error={error!r} is not a name of the module errno: use EIO, EROFS or EDQUOT")
    from kafkacompat.server.disk_faults import DiskFaults, set_faults

    for files in disks:
        write_held(files)  # which would never meet the faults
        set_faults(files, DiskFaults(fsync_delay_ms=fsync_delay_ms or 0, free_bytes=free_bytes, error_number=number))


def _disks(server: BrokerServer, directory: str | None) -> list[RealFs]:
    """The file systems of a node, or of one of its directories. Raises KafkaCompatError."""
    found = {each.path: each.disk.files for each in server.broker.logs.all_directories}
    if directory is not None and directory not in found:
        names = ", ".join(found)
        raise KafkaCompatError(
            f"directory={directory!r} is none of node {server.broker.node_id}: choose one of {names}"
        )
    chosen = list(found.values()) if directory is None else [found[directory]]
    disks = [files for files in chosen if isinstance(files, RealFs)]
    if len(disks) < len(chosen):
        raise KafkaCompatError(f"node {server.broker.node_id} keeps its data in memory: it has no disk that could fail")
    return disks


def is_full(server: BrokerServer) -> bool:
    """Whether a directory of the node refuses appends because its disk is full."""
    return bool(server.broker.logs.full_directories)
