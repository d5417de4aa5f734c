"""Snapshots: the directories of all nodes in a tar file, as after a clean stop, with a manifest as its last member.

All nodes of a process are copied in one turn of their event loop, so their logs agree; nodes in several processes stand
still until all of them are copied (`server/barrier.py`). The directories are Kafka's own. Of a node with several they
are `disk1`, with the metadata log, `disk2` and so on (`data_dir.disk_name`).
"""

from __future__ import annotations

import json
import os
import tarfile
from importlib import import_module
from typing import NamedTuple

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.replication.metadata.features import METADATA_LEVEL, METADATA_VERSION
from kafkacompat.storage.data_dir import disk_name
from kafkacompat.storage.held_fs import write_held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.log_directory import LogDirectory

FORMAT = 1
FORMAT_OF_SEVERAL = 2
"""That of a node with several directories."""
MANIFEST = "manifest.json"
PIECE_BYTES = 4 << 20
ZSTD_SUFFIX = ".zst"


class Member(NamedTuple):
    """A file in the tar: its name, and where its content is."""

    name: str
    position: int
    size_bytes: int


def write_nodes(servers: Sequence[BrokerServer], tar: int) -> list[Member]:
    """Append the directories of nodes to a tar file, all in this turn of their loop. Returns the members.

    tar: a descriptor that is open for reading and writing. Raises KafkaCompatError for a node with a failed log, and
    OSError.
    """
    members: list[Member] = []
    for server in servers:
        node_id, manager = server.broker.node_id, server.broker.logs
        logs = [server.broker.quorum.raft.log, *manager.all_logs()]
        _seal(node_id, logs)
        if manager.offline_directories:
            raise KafkaCompatError(
                f"node {node_id} cannot be copied: its log directory {manager.offline_directories[0].path} has failed"
            )
        write_held(server.files)
        found = {each.path: each for each in manager.all_directories}
        for number, path in enumerate(server.directories, 1):
            prefix = directory_name(node_id, number, len(server.directories))
            for name, source in _files(server, found[path]):
                members.append(_append(tar, f"{prefix}/{name}", source))
        for log in logs:
            log.segments.remove_stray_snapshots()
    return members


def directory_name(node_id: int, number: int, count: int) -> str:
    """The folder for one of the directories of a node; `number` is 1 for that of the metadata log."""
    return f"node-{node_id}" if count == 1 else f"node-{node_id}/{disk_name(number)}"


def write_directory(tar: int, node_id: int, directory: str) -> list[Member]:
    """Append the directory of a node that is stopped to a tar file. Returns the members. Raises OSError."""
    members = []
    for parent, folders, names in os.walk(directory):
        folders.sort()
        for name in sorted(names):
            path = f"{parent}/{name}"
            members.append(_append(tar, f"node-{node_id}{path.removeprefix(directory)}", path))
    return members


def _seal(node_id: int, logs: Sequence[Log]) -> None:
    """Write what the logs have in memory only, as a clean stop does."""
    for log in logs:
        if log.failure is not None:
            raise KafkaCompatError(f"node {node_id} cannot be copied: the log in {log.path} has failed")
        log.seal()


def _files(server: BrokerServer, directory: LogDirectory) -> Iterator[tuple[str, str | bytes]]:
    """Name and path, or name and content, of each file in a directory of a node."""
    from kafkacompat.storage.checkpoints import (
        CLEAN_SHUTDOWN_FILE,
        HIGH_WATERMARK_FILE,
        LOG_START_FILE,
        RECOVERY_POINT_FILE,
    )
    from kafkacompat.storage.data_dir import LOCK_FILE
    from kafkacompat.storage.durability_marker import FILE_NAME as MARKER_FILE
    from kafkacompat.storage.partition_dir import DELETE_SUFFIX, FUTURE_SUFFIX
    from kafkacompat.storage.reserve import FILE_NAME as RESERVE_FILE
    from kafkacompat.storage.retired import STRAY_SUFFIX

    made = _checkpoints(server, directory)
    names = (RECOVERY_POINT_FILE, LOG_START_FILE, HIGH_WATERMARK_FILE, CLEAN_SHUTDOWN_FILE)
    left_out = {LOCK_FILE, MARKER_FILE, RESERVE_FILE, *names}
    top = directory.path
    for name in sorted(os.listdir(top)):  # noqa: PTH208 (many files)
        path = f"{top}/{name}"
        if not os.path.isdir(path):  # noqa: PTH112 (as above)
            if name not in left_out and not name.endswith(".tmp"):
                yield name, path
        elif not name.endswith((DELETE_SUFFIX, STRAY_SUFFIX, FUTURE_SUFFIX)):
            for inner in sorted(os.listdir(path)):  # noqa: PTH208 (as above)
                if not inner.endswith((".tmp", ".deleted")):
                    yield f"{name}/{inner}", f"{path}/{inner}"
    yield from zip(names[:-1], made, strict=True)
    if directory.leaves_marker:  # the last: it says that the checkpoints are whole
        yield CLEAN_SHUTDOWN_FILE, _marker(server)


def _marker(server: BrokerServer) -> bytes:
    """The clean-shutdown marker, as a clean stop would leave it."""
    lifecycle = server.broker.lifecycle
    epoch = NO_BROKER_EPOCH if lifecycle is None else lifecycle.last_epoch
    return f'{{"version":0,"brokerEpoch":{epoch}}}'.encode()


def _checkpoints(server: BrokerServer, directory: LogDirectory) -> tuple[bytes, bytes, bytes]:
    """The contents of the checkpoint files of a directory, as a clean stop would leave them."""
    logs, high_watermarks = directory.logs, server.broker.high_watermarks()
    starts = {key: log.log_start_offset for key, log in logs.items() if log.starts_late}
    return (
        _offsets({key: log.log_end_offset for key, log in logs.items()}),
        _offsets(starts),
        _offsets({key: offset for key, offset in high_watermarks.items() if key in logs}),
    )


def _offsets(offsets: Mapping[tuple[str, int], int]) -> bytes:
    lines = [f"{topic} {partition} {offset}" for (topic, partition), offset in sorted(offsets.items())]
    return "\n".join(["0", str(len(lines)), *lines, ""]).encode()


def _append(tar: int, name: str, source: str | bytes) -> Member:
    """Append one file; the kernel copies it, and shares its blocks where the file system can."""
    if isinstance(source, bytes):
        position = _header(tar, name, len(source))
        os.write(tar, source)
        _pad(tar, len(source))
        return Member(name, position, len(source))
    fd = os.open(source, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        position = _header(tar, name, size)
        _copy(fd, tar, size)
        _pad(tar, size)
    finally:
        os.close(fd)
    return Member(name, position, size)


def _header(tar: int, name: str, size: int) -> int:
    """Write the header of a member. Returns the position of its content."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o644
    os.write(tar, info.tobuf(tarfile.PAX_FORMAT))
    return os.lseek(tar, 0, os.SEEK_CUR)


def _pad(tar: int, size: int) -> None:
    os.write(tar, bytes(-size % tarfile.BLOCKSIZE))


def _copy(source: int, target: int, size: int) -> None:
    left = size
    try:
        while left and hasattr(os, "copy_file_range"):
            copied = os.copy_file_range(source, target, left)
            if not copied:
                break
            left -= copied
    except OSError:  # not between these file systems
        pass
    while left:
        piece = os.pread(source, min(left, PIECE_BYTES), size - left)
        if not piece:
            raise KafkaCompatError("a file became shorter while it was copied")
        left -= len(piece)
        view = memoryview(piece)
        while view:
            view = view[os.write(target, view) :]


def roles_of(server: BrokerServer, *, is_cluster: bool) -> list[str]:
    """The roles of a node."""
    return [
        *(["broker"] if server.endpoints else []),
        *(["controller"] if server.controller_endpoints or not is_cluster else []),
    ]


def describe(servers: Sequence[BrokerServer], *, is_cluster: bool) -> dict[str, Any]:
    """What the manifest says of the nodes. Call it in the same turn as `write_nodes`."""
    clock = servers[0].clock
    has_several = any(len(server.directories) > 1 for server in servers)
    return {
        "format": FORMAT_OF_SEVERAL if has_several else FORMAT,
        "kafkacompat": import_module("kafkacompat").__version__,  # which imports Cluster, and so this module
        "metadata_version": servers[0].broker.image.features.get(METADATA_VERSION),
        "cluster_id": servers[0].broker.cluster_id,
        "created_ms": clock.now().wall_ms,
        "clock_offset_ms": clock.offset_ms,
        "is_cluster": is_cluster,
        "nodes": [
            {
                "id": server.broker.node_id,
                "roles": roles_of(server, is_cluster=is_cluster),
                "listeners": {each.name: each.address for each in (*server.endpoints, *server.controller_endpoints)},
                **({"directories": len(server.directories)} if len(server.directories) > 1 else {}),
            }
            for server in servers
        ],
    }


def describe_lone(node_id: int, cluster_id: str, created_ms: int) -> dict[str, Any]:
    """What the manifest says of a lone node that was never started. It has the metadata version of this version."""
    return {
        "format": FORMAT,
        "kafkacompat": import_module("kafkacompat").__version__,
        "metadata_version": METADATA_LEVEL,
        "cluster_id": cluster_id,
        "created_ms": created_ms,
        "clock_offset_ms": 0,
        "is_cluster": False,
        "nodes": [{"id": node_id, "roles": ["broker", "controller"], "listeners": {}}],
    }


def finish(tar: int, members: Sequence[Member], manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Append the manifest with the checksums of all members, and the end of the tar. Needs no loop. Returns what it
    got. Raises OSError.
    """
    files = [{"name": each.name, "size": each.size_bytes, "crc32c": checksum(tar, *each[1:])} for each in members]
    whole = {**manifest, "files": files}
    end(tar, whole)
    return whole


def end(tar: int, manifest: Mapping[str, Any]) -> None:
    """Append a manifest that has the files, and the end of the tar. Raises OSError."""
    _append(tar, MANIFEST, json.dumps(manifest, indent=1).encode())
    os.write(tar, bytes(2 * tarfile.BLOCKSIZE))


def checksum(file: int, position: int, size: int) -> int:
    """The CRC-32C of a part of a file."""
    from kafkacompat.protocol.records.crc32c import crc32c

    value, end = 0, position + size
    while position < end:
        piece = os.pread(file, min(PIECE_BYTES, end - position), position)
        if not piece:
            raise KafkaCompatError("the snapshot is cut off")
        value = crc32c(piece, value)
        position += len(piece)
    return value


def copy(path: str, target: int, size_bytes: int | None = None) -> None:
    """Append the beginning of a file, or all of it, to one that is open for writing. Raises OSError."""
    source = os.open(path, os.O_RDONLY)
    try:
        _copy(source, target, os.fstat(source).st_size if size_bytes is None else size_bytes)
    finally:
        os.close(source)


def compress(tar: int, path: str) -> None:
    """Replace the file at a path by its compressed form. tar: its descriptor. Raises OSError."""
    import cramjam

    beside = f"{path}{ZSTD_SUFFIX}"
    try:
        with open(beside, "wb") as file:  # noqa: PTH123 (a path is a str here)
            position = 0
            while piece := os.pread(tar, PIECE_BYTES, position):
                file.write(bytes(cramjam.zstd.compress(piece)))  # a frame of its own, so that its size has a limit
                position += len(piece)
        os.replace(beside, path)  # noqa: PTH105 (as above)
    except OSError:
        if os.path.exists(beside):  # noqa: PTH110 (as above)
            os.unlink(beside)  # noqa: PTH108 (as above)
        raise
