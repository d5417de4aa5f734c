"""Reads snapshots: checks a tar before anything of it is used, unpacks it, and changes the cluster id and the ports of
voters.
"""

from __future__ import annotations

import json
import os
import re
import tarfile
import time

from kafkacompat.control_api.snapshots.disk_room import check_room
from kafkacompat.control_api.snapshots.snapshots import (
    FORMAT,
    FORMAT_OF_SEVERAL,
    MANIFEST,
    PIECE_BYTES,
    checksum,
    copy,
    directory_name,
    end,
)
from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.filling import Fill
from kafkacompat.storage.data_dir import METADATA_DIRECTORY, disk_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from kafkacompat.replication.raft.voters import Voter

MAX_BYTES = 64 << 30
"""The most that a compressed snapshot may unpack to."""
MANIFEST_MAX_BYTES = 256 << 20
MEMBERS_MAX = 4_000_000
FRAME_MAX_BYTES = PIECE_BYTES + (1 << 20)
"""A frame holds at most PIECE_BYTES, so no frame can fill the memory."""
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
CLOCK_OFFSET_MAX_MS = 100 * 366 * 86_400_000
NEW_SUFFIX = ".new"
"""Of a `meta.properties` that is not whole yet."""
_NAME_BYTES_MAX = 255
DIRECTORIES_MAX = 1000
_NAME = re.compile(r"node-\d{1,10}/(disk\d{1,4}/)?([^/\0]{1,255}/)?[^/\0]{1,255}")
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)


class Snapshot:
    """An open snapshot. Raises KafkaCompatError with one line if it is none, damaged, or of a later format.

    Only plain files below `node-N/` are taken, and each must be in the manifest with its size and checksum.

    called: what errors call it, instead of by its path.
    """

    def __init__(self, path: str | os.PathLike[str], called: str = "") -> None:
        self.path = os.fspath(path)
        self._called = called or f"snapshot {self.path}"
        self._is_closed = False
        try:
            self._file = self._open()
            try:
                self._members, self.manifest = self._read()
                self._check()
            except BaseException:
                os.close(self._file)
                raise
        except OSError as error:
            raise self._refusal(f"cannot be read: {error.strerror or error}") from None
        except (tarfile.TarError, ValueError, KeyError, TypeError, OverflowError, RecursionError, EOFError) as error:
            raise self._refusal(f"is no snapshot: {error}") from None

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_cluster(self) -> bool:
        """Whether it is of a cluster of several nodes, or of one in processes."""
        return bool(self.manifest["is_cluster"])

    @property
    def cluster_id(self) -> str:
        """The id of the cluster."""
        return str(self.manifest["cluster_id"])

    @property
    def clock_offset_ms(self) -> int:
        """How far the nodes' wall clock was from the system's."""
        return int(self.manifest["clock_offset_ms"])

    @property
    def roles(self) -> dict[int, list[str]]:
        """The roles of each node, by id."""
        return {int(node["id"]): list(node["roles"]) for node in self.manifest["nodes"]}

    @property
    def metadata_version(self) -> int:
        """The level of the cluster's feature metadata.version."""
        return int(self.manifest["metadata_version"])

    @property
    def created_ms(self) -> int:
        """When it was taken, by the clock of the nodes."""
        return int(self.manifest["created_ms"])

    def verify(self, go_on: Callable[[], None]) -> None:
        """Compare all checksums. Raises KafkaCompatError for a wrong one. go_on: called before each file; may raise."""
        for entry in self.manifest["files"]:
            go_on()
            if checksum(self._file, *self._members[entry["name"]]) != entry["crc32c"]:
                raise self._wrong(entry["name"])

    @property
    def directory_counts(self) -> dict[int, int]:
        """How many directories each node has, by id; the metadata log is in the first one."""
        return {int(node["id"]): int(node.get("directories", 1)) for node in self.manifest["nodes"]}

    def unpack(self, node_id: int, directories: Sequence[str]) -> None:
        """Write the files of a node into its directories, all but what `identify` writes. The metadata log comes first:
        a start refuses a directory that has it and no `meta.properties`. The marker of a clean stop comes after what it
        speaks for. Raises KafkaCompatError for a wrong checksum; OSError.
        """
        from kafkacompat.storage.checkpoints import CLEAN_SHUTDOWN_FILE, META_PROPERTIES_FILE

        for prefix, directory in self._places(node_id, directories):
            of_directory = [entry for entry in self.manifest["files"] if entry["name"].startswith(prefix)]
            of_directory.sort(
                key=lambda entry: (
                    entry["name"].endswith(f"/{CLEAN_SHUTDOWN_FILE}"),
                    not entry["name"].startswith(f"{prefix}{METADATA_DIRECTORY}/"),
                )
            )
            for entry in of_directory:
                if entry["name"] != f"{prefix}{META_PROPERTIES_FILE}":
                    self._write(entry, prefix, directory)

    def identify(self, node_id: int, directories: Sequence[str], cluster_id: str | None) -> None:
        """Write `meta.properties` into the directories of a node, that of the metadata log last: it says that the node
        is whole. Each comes into being at once, with the cluster id; None for the snapshot's. Raises as `unpack`.
        """
        from kafkacompat.storage.checkpoints import META_PROPERTIES_FILE

        entries = {entry["name"]: entry for entry in self.manifest["files"]}
        for prefix, directory in reversed(self._places(node_id, directories)):
            if (entry := entries.get(f"{prefix}{META_PROPERTIES_FILE}")) is not None:
                path = f"{directory}/{META_PROPERTIES_FILE}"
                self._write(entry, prefix, directory, suffix=NEW_SUFFIX)
                if cluster_id not in (None, self.cluster_id):
                    _adopt(f"{path}{NEW_SUFFIX}", str(cluster_id))
                os.rename(f"{path}{NEW_SUFFIX}", path)  # noqa: PTH104 (many files)

    @staticmethod
    def _places(node_id: int, directories: Sequence[str]) -> list[tuple[str, str]]:
        """Where the files of each directory are in the snapshot, and the directory."""
        count = len(directories)
        numbered = enumerate(directories, 1)
        return [(f"{directory_name(node_id, number, count)}/", directory) for number, directory in numbered]

    def _write(self, entry: dict[str, Any], prefix: str, directory: str, suffix: str = "") -> None:
        from kafkacompat.protocol.records.crc32c import crc32c

        name = entry["name"]
        target = f"{directory}/{name.removeprefix(prefix)}{suffix}"
        os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120 (many files)
        position, left = self._members[name]
        value = 0
        with open(target, "xb", buffering=0) as file:  # noqa: PTH123 (as above)
            while left:
                piece = os.pread(self._file, min(left, PIECE_BYTES), position)
                if not piece:
                    raise self._refusal("is cut off")
                value = crc32c(piece, value)
                position, left = position + len(piece), left - len(piece)
                view = memoryview(piece)
                while view:
                    view = view[file.write(view) :]
        if value != entry["crc32c"]:
            raise self._wrong(name)

    @property
    def members_bytes(self) -> int:
        """The size of what is in front of the manifest: whole members, headers among them."""
        ends = [position + size for position, size in self._members.values()]
        return -(-max(ends, default=0) // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE

    def sizes(self, node_id: int, directories: Sequence[str]) -> dict[str, int]:
        """The sizes of the files that a node gets, by directory."""
        found = {}
        for number, directory in enumerate(directories, 1):
            prefix = f"{directory_name(node_id, number, len(directories))}/"
            found[directory] = sum(size for name, (_, size) in self._members.items() if name.startswith(prefix))
        return found

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        if not self._is_closed:
            self._is_closed = True
            os.close(self._file)

    # Small parts

    def _refusal(self, what: str) -> KafkaCompatError:
        return KafkaCompatError(f"{self._called} {' '.join(what.split())}")

    def _wrong(self, name: str) -> KafkaCompatError:
        return self._refusal(f"is damaged: the checksum of {name} is wrong")

    def _open(self) -> int:
        """A descriptor of the tar; of a compressed one, of what it unpacks to, in a file without a name."""
        file = os.open(self.path, os.O_RDONLY)
        if os.pread(file, len(ZSTD_MAGIC), 0) != ZSTD_MAGIC:
            return file
        try:
            return _decompressed(file)
        except KafkaCompatError as error:
            raise self._refusal(str(error)) from None
        finally:
            os.close(file)

    def _read(self) -> tuple[dict[str, tuple[int, int]], dict[str, Any]]:
        size = os.fstat(self._file).st_size
        os.lseek(self._file, 0, os.SEEK_SET)  # shared with the duplicate that the next line makes
        members: dict[str, tuple[int, int]] = {}
        with os.fdopen(os.dup(self._file), "rb") as file, tarfile.open(fileobj=file, mode="r:") as tar:
            while (member := tar.next()) is not None:
                tar.members = []  # type: ignore[attr-defined,unused-ignore] # or it would keep all of them
                if member.type not in _FILES:
                    raise ValueError(f"{member.name[:100]!r} is no plain file")
                is_known = member.name == MANIFEST or _NAME.fullmatch(member.name) is not None
                parts = member.name.split("/")
                if (
                    not is_known
                    or {".", ".."} & {*parts}
                    or any(len(os.fsencode(part)) > _NAME_BYTES_MAX for part in parts)
                ):
                    raise ValueError(f"{member.name[:100]!r} is not a file of a node")
                if member.size < 0 or member.offset_data + member.size > size:
                    raise ValueError(f"{member.name[:100]!r} is cut off")
                if member.name in members or len(members) == MEMBERS_MAX:
                    raise ValueError(f"{member.name[:100]!r} is there twice, or there are too many files")
                members[member.name] = member.offset_data, member.size
        if both := members.keys() & {name.rpartition("/")[0] for name in members}:
            raise ValueError(f"{min(both)[:100]!r} is a file and a directory")
        position, length = members.pop(MANIFEST)
        if length > MANIFEST_MAX_BYTES:
            raise ValueError("its manifest is too large")
        manifest = json.loads(os.pread(self._file, length, position))
        return members, manifest

    def _check(self) -> None:
        if self.manifest["format"] not in (FORMAT, FORMAT_OF_SEVERAL):
            raise ValueError(f"format {self.manifest['format']!r} is of a later version of kafkacompat: use that one")
        sizes = {entry["name"]: (entry["size"], entry["crc32c"]) for entry in self.manifest["files"]}
        if {name: size for name, (size, _) in sizes.items()} != {
            name: size for name, (_, size) in self._members.items()
        }:
            raise ValueError("its files are not those of its manifest")
        if len({*self.roles}) != len(self.manifest["nodes"]) or not self.roles or not self.cluster_id:
            raise ValueError("its manifest names no nodes")
        self._check_directories()
        if abs(self.clock_offset_ms) > CLOCK_OFFSET_MAX_MS or min(self.created_ms, self.metadata_version) < 0:
            raise ValueError("its manifest has an impossible time or version")

    def _check_directories(self) -> None:
        """Raises ValueError unless each file is in one of the directories that its node has."""
        counts = self.directory_counts
        if not all(1 <= count <= DIRECTORIES_MAX for count in counts.values()):
            raise ValueError("its manifest has nodes without directories, or with too many")
        numbers = {disk_name(number): number for number in range(1, max(counts.values()) + 1)}
        for name in self._members:
            node, place, *rest = name.split("/")
            count = counts.get(int(node.removeprefix("node-")), 1)
            is_there = numbers.get(place, count + 1) <= count
            if len(rest) > 1 if count == 1 else not (is_there and rest):
                raise ValueError(f"{name[:100]!r} is in none of the directories of its node")


def filling(
    path: str, directories: Mapping[int, Sequence[str]], ports: Mapping[int, int], cluster_id: str | None
) -> Fill:
    """Open a snapshot, so that one that is missing, damaged or too large changes nothing, and return what fills the
    empty directories of nodes that are stopped. May block. Raises KafkaCompatError, NoRoomError.

    directories: those of each node, that of the metadata log first.

    ports: see `move_voters`; none for a lone broker. cluster_id: of the cluster to which they belong from then on; None
    for the snapshot's.
    """
    snapshot = Snapshot(path)

    def fill() -> int:
        with snapshot:
            for node_id, of_node in directories.items():
                snapshot.unpack(node_id, of_node)
                if ports:
                    move_voters(of_node[0], ports)
            for node_id, of_node in directories.items():  # when all nodes have their data: half a cluster is none
                snapshot.identify(node_id, of_node, cluster_id)
            return snapshot.clock_offset_ms

    try:
        sizes: dict[str, int] = {}
        counts = snapshot.directory_counts
        for node_id, of_node in directories.items():
            count = counts[node_id]
            if count != len(of_node):
                raise KafkaCompatError(
                    f"node {node_id} has {len(of_node)} log directories, and {count} in the snapshot: start it with as "
                    "many"
                )
            sizes |= snapshot.sizes(node_id, of_node)
        check_room(sizes)
    except BaseException:
        snapshot.close()
        raise
    return Fill(fill, snapshot.close)


def join(paths: Sequence[str], tar: int) -> dict[str, Any]:
    """Append the snapshots of single nodes to a tar, as one of all, and return its manifest. May block. Raises
    KafkaCompatError, OSError.
    """
    manifests = []
    for path in paths:
        with Snapshot(path) as part:
            copy(path, tar, part.members_bytes)
            manifests.append(part.manifest)
    manifest = {
        **manifests[0],
        "format": max(each["format"] for each in manifests),
        "created_ms": max(each["created_ms"] for each in manifests),
        "nodes": [node for each in manifests for node in each["nodes"]],
        "files": [file for each in manifests for file in each["files"]],
    }
    end(tar, manifest)
    return manifest


def _decompressed(file: int) -> int:
    """The descriptor of a nameless file with what a compressed one unpacks to."""
    import tempfile

    found, path = tempfile.mkstemp(prefix="kafkacompat-")
    os.unlink(path)  # noqa: PTH108 (many files)
    try:
        decompress(file, found, MAX_BYTES, lambda _count: None)
    except BaseException:
        os.close(found)
        raise
    return found


def decompress(file: int, target: int, max_bytes: int, before_write: Callable[[int], None]) -> None:
    """Append what a compressed snapshot unpacks to, frame by frame. Raises KafkaCompatError, whose subject is missing,
    for one that is damaged or too large; OSError. before_write: gets the number of bytes; may raise.
    """
    import cramjam

    position, total, plain = 0, 0, bytearray(PIECE_BYTES)
    while frame := os.pread(file, FRAME_MAX_BYTES, position):
        size = _frame_size(frame)
        try:
            count = cramjam.zstd.decompress_into(frame[:size], plain)
        except (cramjam.DecompressionError, OSError) as error:
            raise KafkaCompatError(f"is damaged, or was compressed by something else: {error}") from None
        total += count
        if total > max_bytes:
            raise KafkaCompatError(f"unpacks to more than {max_bytes >> 30} GB")
        before_write(count)
        view = memoryview(plain)[:count]
        while view:
            view = view[os.write(target, view) :]
        position += size


def _frame_size(data: bytes) -> int:
    """The size of the zstd frame at the start of `data` (RFC 8878, 3.1.1). Raises KafkaCompatError."""
    descriptor = data[4] if data.startswith(ZSTD_MAGIC) and len(data) > 4 else None
    if descriptor is None:
        raise KafkaCompatError("is damaged: it is no zstd frame where one should begin")
    is_single, has_checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    at = 5 + (not is_single) + (0, 1, 2, 4)[descriptor & 3] + (is_single, 2, 4, 8)[descriptor >> 6]
    is_last = False
    while not is_last:
        if at + 3 > len(data):
            raise KafkaCompatError("is cut off, or was compressed by something else: unpack it with zstd -d first")
        block = int.from_bytes(data[at : at + 3], "little")
        is_last = bool(block & 1)
        at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
    return at + 4 * has_checksum


def _adopt(path: str, cluster_id: str) -> None:
    """Write another cluster id into a `meta.properties`. It is in no other file of Kafka's."""
    from kafkacompat.storage.checkpoints import CheckpointError, read_meta_properties, write_meta_properties
    from kafkacompat.storage.fs import RealFs

    fs = RealFs(temporary=True)
    try:
        meta = read_meta_properties(fs, path)
    except CheckpointError as error:
        raise KafkaCompatError(str(error)) from None
    if meta is None or meta.directory_id is None:
        raise KafkaCompatError(f"{path} names no directory.id: take the snapshot again")
    meta.cluster_id = cluster_id
    write_meta_properties(fs, path, meta, wall_ms=time.time_ns() // 1_000_000)


def move_voters(data_dir: str, ports: Mapping[int, int]) -> None:
    """Change the ports of the voters in the metadata log of a node that is stopped. A port takes two bytes, so files
    keep their sizes. Raises KafkaCompatError for damaged files; OSError.

    ports: the port of the controller listener by node id. Voters cannot change their addresses themselves here: that
    needs a leader, whom they would have to reach at the former ones.
    """
    from kafkacompat.replication.raft.batches import DamagedLogError

    directory = f"{data_dir}/{METADATA_DIRECTORY}"
    for name in sorted(os.listdir(directory)):  # noqa: PTH208
        if name.endswith((".log", ".checkpoint")):
            try:
                _move_in(f"{directory}/{name}", ports)
            except DamagedLogError as error:
                raise KafkaCompatError(f"{directory}/{name} is damaged: {error}") from None


def _move_in(path: str, ports: Mapping[int, int]) -> None:
    from kafkacompat.protocol.internal.control_records import VotersRecord
    from kafkacompat.protocol.records.batch import BASE_TIMESTAMP_OFFSET
    from kafkacompat.replication.raft.batches import control_batch, decode
    from kafkacompat.replication.raft.checkpoint import voters_of, voters_record
    from kafkacompat.storage import scan
    from kafkacompat.storage.fs import RealFs

    fs = RealFs(temporary=True)
    file = fs.open(path)
    found: list[tuple[int, bytes]] = []
    try:
        for position, header, batch in scan.batches(file, 0, file.size()):
            if not header.is_control:
                continue
            records = decode(header, batch).records
            if not any(isinstance(record, VotersRecord) for record in records):
                continue
            moved = [
                voters_record([_moved(voter, ports) for voter in voters_of(record)])
                if isinstance(record, VotersRecord) else record
                for record in records
            ]  # fmt: skip
            time_ms = int.from_bytes(batch[BASE_TIMESTAMP_OFFSET : BASE_TIMESTAMP_OFFSET + 8], "big")
            new = control_batch(moved, time_ms, base_offset=header.base_offset, epoch=header.leader_epoch)
            if len(new) != header.size_bytes:
                raise KafkaCompatError(f"{path} has voters in a form that cannot be moved: restore to the same ports")
            found.append((position, bytes(new)))
    finally:
        file.close()
    if found:
        fd = os.open(path, os.O_WRONLY)
        try:
            for position, new_batch in found:
                os.pwrite(fd, new_batch, position)
        finally:
            os.close(fd)


def _moved(voter: Voter, ports: Mapping[int, int]) -> Voter:
    from kafkacompat.replication.raft.voters import Voter

    port = ports[voter.id]
    endpoints = tuple((name, host, port) for name, host, _ in voter.endpoints)
    return Voter(voter.id, voter.directory_id, endpoints, voter.levels)
