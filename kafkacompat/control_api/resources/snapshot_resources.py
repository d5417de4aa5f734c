"""`/v1/snapshots`: snapshots that the nodes of this process keep until they stop, and go back to."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from functools import partial

from kafkacompat.control_api import state
from kafkacompat.control_api.http.calls import Answer, FileAt
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.snapshots import snapshots
from kafkacompat.control_api.snapshots.snapshot_files import filling
from kafkacompat.server.barrier import stand_still

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.server.filling import Fill

    Plain = dict[str, Any]

NOT_TOGETHER = "not-together"
PREFIX = "kafkacompat-snapshots-"
KEPT_MAX = 16
"""Snapshots that are kept at a time."""


class KeptSnapshots:
    """Snapshots in a temporary directory, by id, which is there while there are any. `close` removes them."""

    def __init__(self) -> None:
        self.directory = _new_directory()
        self._next_id = 1
        self.all: dict[str, Plain] = {}
        self.taken: set[str] = set()
        """The ids of those that are being taken."""
        self.is_receiving = False
        """Whether one is uploaded."""

    def check_room(self) -> None:
        """Before one more. Raises ProblemError if no more are kept, or no directory can be made."""
        if len(self.all) + len(self.taken) + self.is_receiving >= KEPT_MAX:
            raise ProblemError(409, "state", f"{KEPT_MAX} snapshots are kept already: delete one")
        if not os.path.isdir(self.directory):  # noqa: PTH112 (a path is a str here)
            self.directory = _new_directory()

    async def take(self, write: Callable[[int], Awaitable[Plain]]) -> Plain:
        """Keep what is written into a new file. write: gets its descriptor, and returns the manifest.

        Raises ProblemError for a disk that fails, and what `write` raises.
        """
        self.check_room()
        while (snapshot_id := str(self._next_id)) in self.all:  # uploaded under this id
            self._next_id += 1
        self._next_id += 1
        self.taken.add(snapshot_id)
        path = self.path_of(snapshot_id)
        try:
            tar = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                manifest = await write(tar)
            finally:
                os.close(tar)
            return self.add(snapshot_id, manifest)
        except BaseException as error:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 (a path is a str here)
            if isinstance(error, OSError):
                raise ProblemError(409, "state", f"the snapshot cannot be written: {error.strerror or error}") from None
            raise
        finally:
            self.taken.discard(snapshot_id)

    def path_of(self, snapshot_id: str) -> str:
        """Where a snapshot lies."""
        return f"{self.directory}/{snapshot_id}.tar"

    def add(self, snapshot_id: str, manifest: Plain) -> Plain:
        """Keep the one at the path of this id. Raises OSError."""
        path = self.path_of(snapshot_id)
        self.all[snapshot_id] = {
            "snapshot_id": snapshot_id,
            "path": path,
            "size_bytes": os.stat(path).st_size,  # noqa: PTH116 (a path is a str here)
            "cluster_id": manifest["cluster_id"],
            "created_ms": manifest["created_ms"],
            "node_ids": sorted(node["id"] for node in manifest["nodes"]),
        }
        return self.all[snapshot_id]

    def remove(self, snapshot_id: str) -> Plain:
        """Forget one, which must be there."""
        removed = self.all.pop(snapshot_id)
        with suppress(OSError):
            os.unlink(removed["path"])  # noqa: PTH108 (as above)
            if not (self.all or self.taken or self.is_receiving):
                os.rmdir(self.directory)  # noqa: PTH106 (as above): a process that is killed later leaves nothing
        return removed

    def close(self) -> None:
        """Remove all. A second call does nothing."""
        import shutil

        self.all.clear()
        shutil.rmtree(self.directory, ignore_errors=True)


async def take(call: Call) -> Plain:
    """POST /v1/snapshots: all nodes of this process in one turn of their loop. With a `barrier` one node, which stands
    still at it in that turn: then the process that started it joins it with the others.
    """
    servers, barrier = call.all_nodes, call.body.get("barrier")
    if barrier is None:
        check_nodes(servers)

    async def write(tar: int) -> Plain:
        async with state.alone(servers):
            members = snapshots.write_nodes(servers, tar)
            manifest = snapshots.describe(servers, is_cluster=servers[0].broker.network is not None)
            if barrier is not None and not stand_still(**barrier):
                raise ProblemError(409, NOT_TOGETHER, "not all nodes could be copied in one moment: try again")
        return await asyncio.to_thread(snapshots.finish, tar, members, manifest)

    return await kept_of(servers).take(write)


def kept_of(servers: Sequence[BrokerServer]) -> KeptSnapshots:
    """Where nodes keep one more snapshot. Raises ProblemError if there are too many, or no directory can be made."""
    kept: KeptSnapshots | None = next((one.kept_snapshots for one in servers if one.kept_snapshots is not None), None)
    if kept is None:
        kept = new_kept()
    for server in servers:
        server.kept_snapshots = kept
    kept.check_room()
    return kept


def new_kept() -> KeptSnapshots:
    """An empty one. Raises ProblemError if no directory can be made."""
    return KeptSnapshots()


def remove_of_dead(path: str) -> None:
    """Remove the directory of a snapshot that a process has kept which has ended."""
    import shutil

    directory = os.path.dirname(path)  # noqa: PTH120 (a path is a str here)
    if os.path.basename(directory).startswith(PREFIX):  # noqa: PTH119 (as above)
        shutil.rmtree(directory, ignore_errors=True)


def _new_directory() -> str:
    import tempfile

    try:
        return tempfile.mkdtemp(prefix=PREFIX)
    except OSError as error:
        raise ProblemError(409, "state", f"no snapshot can be kept: {error.strerror or error}") from None


def list_all(call: Call) -> Plain:
    """GET /v1/snapshots."""
    return {"snapshots": list(_kept(call).values())}


def get(call: Call) -> Plain:
    """GET /v1/snapshots/{snapshot_id}."""
    return _found(call)


def get_file(call: Call) -> Answer:
    """GET /v1/snapshots/{snapshot_id}/file: the tar, which `Cluster.restore` takes."""
    return Answer(200, FileAt(_found(call)["path"]))


def remove(call: Call) -> Plain:
    """DELETE /v1/snapshots/{snapshot_id}."""
    found = _found(call)
    kept: KeptSnapshots = next(server.kept_snapshots for server in call.all_nodes if server.kept_snapshots is not None)
    return kept.remove(found["snapshot_id"])


async def restore(call: Call) -> Plain:
    """POST /v1/snapshots/{snapshot_id}/restore: all nodes go back to it, as a reset goes back to the start."""
    servers, found = call.all_nodes, _found(call)
    running = sorted(server.broker.node_id for server in servers)
    if running != found["node_ids"]:
        raise ProblemError(409, "state", f"the snapshot has the nodes {found['node_ids']}, and {running} run")
    check_nodes(servers)
    return await state.reset(
        servers, close_connections=call.body.get("close_connections", False),
        delete_data=call.body.get("delete_data", False), restore=_opening(found["path"], servers),
    )  # fmt: skip


def _opening(path: str, servers: Sequence[BrokerServer]) -> Callable[[], Fill]:
    """What opens the file, and returns what fills the directories from it; it may block."""
    directories = {server.broker.node_id: server.directories for server in servers}
    ports = {server.broker.node_id: each.port for server in servers for each in server.controller_endpoints}
    return partial(filling, path, directories, ports, servers[0].broker.cluster_id)


def check_nodes(servers: Sequence[BrokerServer]) -> None:
    """All nodes of a cluster of several must run here."""
    if servers[0].format_anew is not None:
        servers[0].format_anew([server.broker.node_id for server in servers])
    elif servers[0].broker.network is not None and state.other_nodes(servers[0]):
        raise ProblemError(
            409, "state",
            "this node is one of a cluster whose nodes run in processes of their own: ask the control API of the "
            "process that started them, which copies all of them in one moment",
        )  # fmt: skip


def _kept(call: Call) -> dict[str, Plain]:
    for server in call.all_nodes:
        if server.kept_snapshots is not None:
            return server.kept_snapshots.all  # type: ignore[no-any-return]
    return {}


def _found(call: Call) -> Plain:
    return found_in(_kept(call), call.path["snapshot_id"])


def found_in(kept: Mapping[str, Plain], snapshot_id: str) -> Plain:
    """A snapshot by its id. Raises ProblemError."""
    if snapshot_id not in kept:
        known = ", ".join(kept) or "none"
        raise ProblemError(404, "no-snapshot", f"there is no snapshot {snapshot_id!r:.100}: there are {known}")
    return kept[snapshot_id]
