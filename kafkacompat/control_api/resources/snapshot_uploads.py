"""`PUT /v1/snapshots/{snapshot_id}/file`: a snapshot that was saved elsewhere is received, checked and kept.

Files are written and checked beside the loop, piece by piece. What is not whole, or is refused, leaves no file.
"""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress
from typing import NamedTuple

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.resources.snapshot_resources import check_nodes, kept_of
from kafkacompat.control_api.snapshots.disk_room import NoRoomError, check_room
from kafkacompat.control_api.snapshots.snapshot_files import ZSTD_MAGIC, Snapshot, decompress
from kafkacompat.control_api.snapshots.snapshots import roles_of
from kafkacompat.errors import KafkaCompatError
from kafkacompat.replication.metadata.features import METADATA_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.control_api.http.http_bodies import IncomingBody
    from kafkacompat.control_api.resources.snapshot_resources import KeptSnapshots
    from kafkacompat.server.broker_server import BrokerServer

    Plain = dict[str, Any]

UPLOAD_BYTES_MAX = 16 << 30
"""The most that is received, and that a compressed snapshot may unpack to."""
UPLOAD_TIMEOUT_S = 3600.0
"""All of it has to arrive within this time."""
CALLED = "what was sent"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


async def put_file(call: Call) -> Plain:
    """Receive a snapshot, and keep it under the id in the path."""
    servers = call.all_nodes
    check_nodes(servers)
    return await receive(kept_of(servers), call.path["snapshot_id"], call.body, Shape.of(servers))


async def receive(kept: KeptSnapshots, snapshot_id: str, body: IncomingBody, shape: Shape) -> Plain:
    """Receive a snapshot for a cluster of this shape, and keep it. Raises ProblemError."""
    if _ID.fullmatch(snapshot_id) is None:
        raise ProblemError(400, "parameters", "path/snapshot_id: choose 1 to 64 of A-Z, a-z, 0-9, _ and -")
    kept.check_room()
    if kept.is_receiving:
        raise ProblemError(429, "busy", "another snapshot is being uploaded: try again when it is done")
    _check_new(kept, snapshot_id)
    if body.length is not None:
        _check_size(body.length)
    path = kept.path_of(snapshot_id)
    kept.is_receiving = True
    upload = _Upload(f"{path}.part", f"{path}.plain")
    try:
        await upload.receive(body)
        manifest = await upload.checked(shape.check)
        _check_new(kept, snapshot_id)
        os.rename(upload.part, path)  # noqa: PTH104 (a path is a str here)
        return kept.add(snapshot_id, manifest)
    except OSError as error:
        raise ProblemError(
            409, "state", f"the snapshot cannot be kept: {error.strerror or error}; see whether its disk is sound"
        ) from None
    finally:
        kept.is_receiving = False
        upload.close()


def _check_new(kept: KeptSnapshots, snapshot_id: str) -> None:
    if snapshot_id in kept.all or snapshot_id in kept.taken:
        raise ProblemError(
            409, "snapshot-exists", f"there is a snapshot {snapshot_id!r} already: delete it, or choose another id"
        )


def _check_size(size_bytes: int) -> None:
    if size_bytes > UPLOAD_BYTES_MAX:
        raise ProblemError(
            413, "too-large",
            f"a snapshot of more than {UPLOAD_BYTES_MAX >> 30} GiB is not taken: start a cluster from it with "
            "Cluster.restore(file)",
        )  # fmt: skip


class _Upload:
    """A file that is received. part: its path; plain: that of what it unpacks to. `close` removes both."""

    def __init__(self, part: str, plain: str) -> None:
        self.part = part
        self._plain = plain
        self._is_closed = False

    def close(self) -> None:
        """Remove what is left, and let a thread that still works on it end."""
        self._is_closed = True
        for path in (self.part, self._plain):
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 (as above)

    async def receive(self, body: IncomingBody) -> None:
        """Write the body. Raises ProblemError, NoRoomError, OSError."""
        os.close(os.open(self.part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        size_bytes = 0
        if body.length is not None:
            self._check_room(body.length)
        try:
            async with asyncio.timeout(UPLOAD_TIMEOUT_S):
                while piece := await body.read():
                    size_bytes += len(piece)
                    _check_size(size_bytes)
                    await asyncio.to_thread(self._append, piece)
        except TimeoutError:
            raise ProblemError(
                408, "slow-body", f"the snapshot did not arrive within {UPLOAD_TIMEOUT_S / 60:g} minutes: compress it"
            ) from None

    def _append(self, piece: bytes) -> None:
        self._check_room(len(piece))
        fd = os.open(self.part, os.O_WRONLY | os.O_APPEND)  # by this thread alone, so that nobody else closes it
        try:
            view = memoryview(piece)
            while view:
                view = view[os.write(fd, view) :]
        finally:
            os.close(fd)

    async def checked(self, check: Callable[[Snapshot], None]) -> Plain:
        """The manifest of what was received, which is unpacked by then. check: refuses one that is sound, by raising
        ProblemError. Raises ProblemError, NoRoomError, OSError.
        """
        try:
            return await asyncio.to_thread(self._read, check)
        except NoRoomError:
            raise
        except KafkaCompatError as error:
            raise ProblemError(
                400, "no-snapshot",
                f"{error}: send a file of kafkacompat snapshot save, or of Cluster.snapshot, as it is",
            ) from None  # fmt: skip

    def _read(self, check: Callable[[Snapshot], None]) -> Plain:
        self._unpack()
        with Snapshot(self.part, CALLED) as snapshot:
            check(snapshot)
            snapshot.verify(self._go_on)
            return snapshot.manifest

    def _unpack(self) -> None:
        """Replace a compressed file by what it unpacks to."""
        source = os.open(self.part, os.O_RDONLY)
        try:
            if os.pread(source, len(ZSTD_MAGIC), 0) != ZSTD_MAGIC:
                return
            target = os.open(self._plain, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                decompress(source, target, UPLOAD_BYTES_MAX, self._before_write)
            except KafkaCompatError as error:
                raise KafkaCompatError(f"{CALLED} {error}") from None
            finally:
                os.close(target)
            os.replace(self._plain, self.part)  # noqa: PTH105 (as above)
        finally:
            os.close(source)

    def _before_write(self, count: int) -> None:
        self._go_on()
        self._check_room(count)

    def _check_room(self, size_bytes: int) -> None:
        check_room({os.path.dirname(self.part): size_bytes})  # noqa: PTH120 (as above)

    def _go_on(self) -> None:
        if self._is_closed:
            raise OSError("the node stops")


class Shape(NamedTuple):
    """What a snapshot and the cluster that goes back to it have to have in common: the roles of each node, whether it
    is a lone broker, and the metadata.version.
    """

    roles: dict[int, list[str]]
    is_cluster: bool
    metadata_version: int | None

    @classmethod
    def of(cls, servers: Sequence[BrokerServer]) -> Shape:
        """That of the nodes that run."""
        is_cluster = servers[0].broker.network is not None
        roles = {server.broker.node_id: roles_of(server, is_cluster=is_cluster) for server in servers}
        return cls(roles, is_cluster, servers[0].broker.image.features.get(METADATA_VERSION))

    def check(self, snapshot: Snapshot) -> None:
        """Raises ProblemError for a snapshot of other nodes. Needs no loop."""
        roles = {node_id: sorted(roles) for node_id, roles in snapshot.roles.items()}
        other = Shape(roles, snapshot.is_cluster, snapshot.metadata_version)
        if other[:2] != self[:2]:
            raise ProblemError(
                409, "other-nodes",
                f"the snapshot is of {other.described()}, and {self.described()} runs: send it to such a cluster, or "
                "start one from it with Cluster.restore(file)",
            )  # fmt: skip
        if other != self:
            raise ProblemError(
                409, "other-version",
                f"the snapshot has metadata.version {other.metadata_version}, and {self.metadata_version} runs: take "
                "it again with this version of kafkacompat",
            )  # fmt: skip

    def described(self) -> str:
        """A cluster of the nodes 1 (broker, controller), 2 (broker, controller)."""
        texts = ", ".join(f"{node_id} ({', '.join(roles)})" for node_id, roles in sorted(self.roles.items()))
        return f"a cluster of the nodes {texts}" if self.is_cluster else f"a lone broker, node {texts}"
