"""Snapshots of nodes in several processes: the process that started them keeps them.

To take one, the nodes copy themselves and stand still until all have done so (`server/barrier.py`); their copies are
joined to one file.
"""

from __future__ import annotations

import asyncio
from functools import partial

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.joined.joined_nodes import JoinedCall, target_of
from kafkacompat.control_api.resources.snapshot_resources import NOT_TOGETHER, found_in, new_kept, remove_of_dead
from kafkacompat.control_api.resources.snapshot_uploads import Shape, receive
from kafkacompat.control_api.snapshots.snapshot_files import join
from kafkacompat.server.barrier import STAND_STILL_MAX_S, Barrier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.joined.joined_nodes import JoinedNodes
    from kafkacompat.control_api.joined.joined_state import JoinedState
    from kafkacompat.control_api.resources.snapshot_resources import KeptSnapshots

    Plain = dict[str, Any]

SNAPSHOTS = "/v1/snapshots"
COPY_TIMEOUT_S = 20 * STAND_STILL_MAX_S
"""For a node to copy itself, and to make the checksums."""


class JoinedSnapshots:
    """Those that were taken or uploaded, until `close`. state: goes back to them."""

    def __init__(self, nodes: JoinedNodes, state: JoinedState) -> None:
        self._nodes = nodes
        self._state = state
        self._kept: KeptSnapshots | None = None

    def close(self) -> None:
        """Remove them, but for one that a start needs because the way back to it has failed half way."""
        if self._kept is not None and not self._state.needs_snapshot():
            self._kept.close()

    async def list_all(self) -> Plain:
        """GET /v1/snapshots."""
        return {"snapshots": list(self._all.values())}

    async def get(self, call: JoinedCall) -> Plain:
        """GET /v1/snapshots/{snapshot_id}."""
        return found_in(self._all, call.path["snapshot_id"])

    async def remove(self, call: JoinedCall) -> Plain:
        """DELETE /v1/snapshots/{snapshot_id}."""
        found = await self.get(call)
        return self._keeping().remove(found["snapshot_id"])

    async def take(self) -> Plain:
        """POST /v1/snapshots. Goes on to its end if its caller is cancelled. Raises ProblemError."""
        return await asyncio.shield(asyncio.ensure_future(self._take()))

    async def put_file(self, call: JoinedCall) -> Plain:
        """PUT /v1/snapshots/{snapshot_id}/file."""
        cluster = await self._nodes.ask_any("GET", "/v1/cluster")
        shape = Shape(self._state.resets().roles, is_cluster=True, metadata_version=cluster["metadata_version"])
        return await receive(self._keeping(), call.path["snapshot_id"], call.body, shape)

    async def restore(self, call: JoinedCall) -> Plain:
        """POST /v1/snapshots/{snapshot_id}/restore."""
        found = await self.get(call)
        return await self._state.reset(**call.body, snapshot=found["path"])

    @property
    def _all(self) -> dict[str, Plain]:
        return {} if self._kept is None else self._kept.all

    def _keeping(self) -> KeptSnapshots:
        if self._kept is None:
            self._kept = new_kept()
        return self._kept

    async def _take(self) -> Plain:
        resets = self._state.resets()
        async with self._state.changing:
            missing = sorted(set(resets.roles) - set(self._nodes.ids))
            if missing:
                raise ProblemError(
                    409, "state",
                    f"a snapshot needs all nodes, and node {missing[0]} does not run, or is paused: start or resume it",
                )  # fmt: skip
            return await self._keeping().take(partial(self._write, sorted(resets.roles)))

    async def _write(self, node_ids: list[int], tar: int) -> Plain:
        """Copy all nodes, and join the copies. Returns the manifest."""
        copies = await self._copies(node_ids)
        problems = [each for each in copies.values() if isinstance(each, BaseException)]
        try:
            if problems:
                raise min(problems, key=_is_of_barrier)
            return await asyncio.to_thread(join, [copy["path"] for copy in copies.values()], tar)
        finally:
            await asyncio.gather(*(
                self._forget(node_id, copy) for node_id, copy in copies.items() if not isinstance(copy, BaseException)
            ))  # fmt: skip

    async def _copies(self, node_ids: list[int]) -> dict[int, Any]:
        """The snapshot that each node has taken of itself, all in one moment; or its problem."""
        async with Barrier(len(node_ids)) as barrier:
            body = {"barrier": {"port": barrier.port, "token": barrier.token}}
            asked = [
                asyncio.ensure_future(self._nodes.ask(node_id, "POST", SNAPSHOTS, body, timeout_s=COPY_TIMEOUT_S))
                for node_id in node_ids
            ]
            await asyncio.wait(asked, return_when=asyncio.FIRST_EXCEPTION)  # then the others need not wait
        return dict(zip(node_ids, await asyncio.gather(*asked, return_exceptions=True), strict=True))

    async def _forget(self, node_id: int, copy: Plain) -> None:
        target = target_of(f"{SNAPSHOTS}/{{snapshot_id}}", {"snapshot_id": copy["snapshot_id"]}, {})
        try:
            await self._nodes.ask(node_id, "DELETE", target)
        except ProblemError:  # it has ended
            await asyncio.to_thread(remove_of_dead, copy["path"])


def _is_of_barrier(problem: BaseException) -> bool:
    """Whether it only says that another node was not copied."""
    return isinstance(problem, ProblemError) and problem.name == NOT_TOGETHER
